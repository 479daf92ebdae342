package mambridge

import "sync"

// queue passes values to one reader and never makes a writer wait.
type queue[T any] struct {
	mutex  sync.Mutex
	values []T
	ready  chan struct{} // has a signal if there are values
}

func newQueue[T any]() *queue[T] {
	return &queue[T]{ready: make(chan struct{}, 1)}
}

func (q *queue[T]) put(value T) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.values = append(q.values, value)
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// takeAll returns what came since the last call.
func (q *queue[T]) takeAll() []T {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	found := q.values
	q.values = nil
	return found
}
