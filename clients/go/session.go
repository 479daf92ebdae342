package mambridge

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
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
	events   *queue[message]
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

// call is a request that waits for its reply. Its progress comes by the same queue, so all of it is heard before the end.
type call struct {
	number int64
	size   int
	inbox  *queue[any] // a message, or an error
}

func newSession(stream stream, options Options) *session {
	s := &session{
		stream: stream, options: options, outgoing: make(chan []byte), events: newQueue[message](),
		closing: make(chan struct{}), written: make(chan struct{}), ended: make(chan struct{}), handled: make(chan struct{}),
		calls: map[int64]*call{},
	}
	s.context, s.cancel = context.WithCancel(context.Background())
	go s.read()
	go s.writeAll()
	go s.handleEvents()
	return s
}

// Calls

func (s *session) call(ctx context.Context, method string, params members) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	call, line, err := s.register(ctx, method, params)
	if err != nil {
		return nil, err
	}
	defer s.forget(call)
	if err := s.write(ctx, line); err != nil {
		return nil, err
	}
	return s.wait(ctx, method, call)
}

// register makes a call wait for the reply to a new request.
func (s *session) register(ctx context.Context, method string, params members) (*call, []byte, error) {
	number := atomic.AddInt64(&s.number, 1)
	line, err := s.request(ctx, number, method, params)
	if err != nil {
		return nil, nil, err
	}
	found := &call{number, len(line), newQueue[any]()}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if err := s.check(); err != nil {
		return nil, nil, err
	}
	s.calls[number] = found
	return found, line, nil
}

func (s *session) request(ctx context.Context, number int64, method string, params members) ([]byte, error) {
	sent := members{}
	for name, value := range params {
		sent[name] = value
	}
	if method == "initialize" && sent["delegates"] == nil {
		sent.given("delegates", s.options.Host.declared())
	}
	if meta := callOptions(ctx, number); len(meta) > 0 {
		sent["_meta"] = meta
	}
	request := members{"jsonrpc": "2.0", "id": number, "method": method}
	if len(sent) > 0 {
		request["params"] = sent
	}
	return lineOf(request)
}

// callOptions has the deadline, and asks for progress under the number of the request.
func callOptions(ctx context.Context, number int64) members {
	meta := members{}
	if deadline, ok := ctx.Deadline(); ok {
		if left := time.Until(deadline); left < longestDeadline {
			meta["timeoutMilliseconds"] = left.Milliseconds() + 1
		}
	}
	if progressHandler(ctx) != nil {
		meta["progressToken"] = number
	}
	return meta
}

func progressHandler(ctx context.Context) func(Progress) {
	handler, _ := ctx.Value(progressKey{}).(func(Progress))
	return handler
}

// wait returns the result of a call. When its context ends, the server says whether the work is done.
func (s *session) wait(ctx context.Context, method string, call *call) (json.RawMessage, error) {
	done := ctx.Done()
	var late <-chan time.Time
	for {
		select {
		case <-call.inbox.ready:
			if result, err, isReply := take(ctx, call); isReply {
				return result, err
			}
		case <-done:
			done = nil
			timer := time.NewTimer(grace)
			defer timer.Stop()
			late = timer.C
			if errors.Is(ctx.Err(), context.Canceled) {
				go s.cancelCall(call)
			}
		case <-late:
			late = nil // If the reader has just taken the reply, it is in the queue.
			if s.forget(call) {
				go s.cancelCall(call)
				return nil, fmt.Errorf("mambridge: no answer to %s: %w", method, ctx.Err())
			}
		}
	}
}

// take handles what came for a call. The reply is the last of it.
func take(ctx context.Context, call *call) (result json.RawMessage, err error, isReply bool) {
	for _, found := range call.inbox.takeAll() {
		switch found := found.(type) {
		case error:
			return nil, found, true
		case message:
			if found.Error != nil {
				return nil, found.Error, true
			}
			return found.Result, nil, true
		case Progress:
			if handler := progressHandler(ctx); handler != nil {
				handler(found)
			}
		}
	}
	return nil, nil, false
}

func (s *session) cancelCall(call *call) {
	line, err := lineOf(members{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": members{"id": call.number}})
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), grace)
		defer cancel()
		_ = s.write(ctx, line)
	}
}

func (s *session) forget(call *call) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	_, found := s.calls[call.number]
	delete(s.calls, call.number)
	return found
}

// check returns why there can be no more calls. The caller holds the mutex.
func (s *session) check() error {
	if s.lost != nil {
		return s.lost
	}
	if s.closed {
		return lost("this client is closed")
	}
	return nil
}

// Writing

func lineOf(object members) ([]byte, error) {
	line, err := json.Marshal(object)
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
		return ctx.Err()
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

// Reading

func (s *session) read() {
	reader := bufio.NewReaderSize(s.stream, 1<<16)
	for {
		line, err := reader.ReadBytes('\n')
		if reason := s.receiveLine(line); reason != nil {
			s.end(reason)
			_, _ = io.Copy(io.Discard, s.stream) // A server that cannot write cannot exit.
			return
		}
		if err != nil {
			s.end(s.stream.lost())
			return
		}
	}
}

// receiveLine reads a line, and returns why no other can be read.
func (s *session) receiveLine(line []byte) *ConnectionLostError {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil
	}
	found := make([]message, 1)
	var err error
	if line[0] == '[' {
		err = json.Unmarshal(line, &found)
	} else {
		err = json.Unmarshal(line, &found[0])
	}
	if err != nil {
		return lost("the server sent a line that is no message")
	}
	for _, message := range found {
		s.receive(message)
	}
	return nil
}

func (s *session) receive(message message) {
	switch {
	case message.Method == nil:
		s.receiveReply(message)
	case message.ID != nil:
		go s.reply(message)
	case *message.Method == "$/progress":
		s.receiveProgress(message.Params)
	case s.options.OnEvent != nil:
		s.events.put(message)
	}
}

func (s *session) receiveReply(reply message) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if found := s.callOf(reply.ID); found != nil {
		delete(s.calls, found.number)
		found.inbox.put(reply)
	}
}

// callOf returns the call with an id. Without one, the server could not read a message, most likely the longest.
func (s *session) callOf(id json.RawMessage) *call {
	if !isNull(id) {
		number, _ := strconv.ParseInt(string(id), 10, 64)
		return s.calls[number]
	}
	var longest *call
	for _, call := range s.calls {
		if longest == nil || call.size > longest.size {
			longest = call
		}
	}
	return longest
}

func (s *session) receiveProgress(params json.RawMessage) {
	var found struct {
		Token int64
		Value Progress
	}
	if decode(params, &found) != nil {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if call := s.calls[found.Token]; call != nil {
		call.inbox.put(found.Value)
	}
}

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

// The end

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

// exitError says how the server ended, if it did not exit with status 0.
func (s *session) exitError() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.lost == nil || s.lost.ExitCode == 0 {
		return nil
	}
	if _, isSocket := s.stream.(*socket); isSocket {
		return nil
	}
	return s.lost
}
