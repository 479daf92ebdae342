package mambridge

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// How long after its context a call still waits for the server to say how it ended.
	grace = 5 * time.Second

	// How long the reader may take to notice that the server no longer reads.
	noticeLimit = 10 * time.Second

	// The longest deadline that the server takes.
	longestDeadline = 24 * time.Hour
)

// session is one connection with its goroutines: a reader, a writer, one for events, and one for each request of the
// server.
type session struct {
	number   int64 // of the last request
	stream   stream
	options  Options
	context  context.Context // ends with the connection
	cancel   context.CancelFunc
	outgoing chan []byte
	events   *eventQueue
	ending   sync.Once
	closing  chan struct{} // closed by close
	written  chan struct{} // closed when the writer has ended
	ended    chan struct{} // closed when the reader has ended
	handled  chan struct{} // closed when all events are handled

	mutex  sync.Mutex
	calls  map[int64]*call
	closed bool
	lost   *ConnectionLostError
}

func newSession(stream stream, options Options) *session {
	s := &session{
		stream: stream, options: options, outgoing: make(chan []byte), events: newEventQueue(),
		closing: make(chan struct{}), written: make(chan struct{}), ended: make(chan struct{}), handled: make(chan struct{}),
		calls: map[int64]*call{},
	}
	s.context, s.cancel = context.WithCancel(context.Background())
	go s.read()
	go s.writeAll()
	go s.handleEvents()
	return s
}

// Writing

func lineOf(object members) ([]byte, error) {
	line, err := object.appendTo(nil)
	if err != nil {
		return nil, fmt.Errorf("mambridge: %w", err)
	}
	return append(line, '\n'), nil
}

// write hands a line to the writer. After that, the line is written unless the connection is lost.
func (s *session) write(ctx context.Context, line []byte) error {
	select {
	case s.outgoing <- line:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("mambridge: the server does not read: %w", ctx.Err())
	case <-s.ended:
	case <-s.closing:
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.check()
}

func (s *session) writeAll() {
	defer close(s.written)
	for {
		select {
		case line := <-s.outgoing:
			if _, err := s.stream.Write(line); err != nil {
				if !within(s.ended, noticeLimit) { // The reader knows the reason better.
					s.end(lost("mambridge no longer reads"))
				}
				return
			}
		case <-s.closing:
			return
		case <-s.ended:
			return
		}
	}
}

// The end

// end ends every waiting call with the reason.
func (s *session) end(reason *ConnectionLostError) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.lost != nil {
		return
	}
	s.lost = reason
	for number, call := range s.calls {
		delete(s.calls, number)
		call.inbox.put(reason)
	}
	s.cancel()
	close(s.ended)
}

// close ends the input, waits for the remaining answers of the server, and ends a child that does not exit.
func (s *session) close() error {
	s.ending.Do(func() {
		s.mutex.Lock()
		s.closed = true
		s.mutex.Unlock()
		deadline := time.Now().Add(finishLimit)
		close(s.closing)
		within(s.written, time.Until(deadline))
		_ = s.stream.CloseWrite()
		within(s.ended, time.Until(deadline))
		s.stream.end(time.Until(deadline))
		within(s.ended, exitLimit)
		within(s.handled, exitLimit)
	})
	return s.exitError()
}

// exitError says how the server ended, if it is known that it did not exit with status 0.
func (s *session) exitError() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.lost == nil || s.lost.ExitCode == 0 || s.lost.Reason == unknownEnd {
		return nil
	}
	if _, isSocket := s.stream.(*socket); isSocket {
		return nil
	}
	return s.lost
}
