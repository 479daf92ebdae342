package mambridge

import "sync"

// mostEvents is how many events wait for the handler.
const mostEvents = 10_000

// eventQueue keeps events for the handler. It never makes the reader wait: when it is full, it drops the oldest events, and
// puts one events.gap in their place.
type eventQueue struct {
	mutex  sync.Mutex
	events []message
	gap    *EventsGap
	ready  chan struct{} // has a signal if there are events
}

func newEventQueue() *eventQueue {
	return &eventQueue{ready: make(chan struct{}, 1)}
}

func (q *eventQueue) put(event message) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if len(q.events) == mostEvents {
		q.drop(q.events[0])
		q.events = q.events[1:]
	}
	q.events = append(q.events, event)
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// drop extends the gap by an event, or by a gap that the server reported. Events without a number leave no gap.
func (q *eventQueue) drop(event message) {
	var numbers struct{ Seq, After, To int64 }
	if decode(event.Params, &numbers) != nil {
		return
	}
	missing := EventsGap{numbers.Seq - 1, numbers.Seq}
	if *event.Method == "events.gap" {
		missing = EventsGap{numbers.After, numbers.To}
	}
	if missing.To < 1 {
		return
	}
	if q.gap == nil {
		q.gap = &missing
	}
	q.gap.To = missing.To
}

// next returns the oldest event, or nil if there is none.
func (q *eventQueue) next() Event {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if gap := q.gap; gap != nil {
		q.gap = nil
		return gap
	}
	if len(q.events) == 0 {
		return nil
	}
	event := q.events[0]
	q.events = q.events[1:]
	return readEvent(PushName(*event.Method), event.Params)
}
