package mambridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// call is a request that waits for its reply. Its progress comes by the same queue, so all of it is heard before the end.
type call struct {
	number int64
	size   int
	inbox  *queue[any] // a message, or an error
}

func (s *session) call(ctx context.Context, method string, params members) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	limit := limitOf(ctx)
	call, line, err := s.register(ctx, method, params)
	if err != nil {
		return nil, err
	}
	defer s.forget(call)
	if err := s.write(ctx, line); err != nil {
		return nil, err
	}
	return s.wait(ctx, method, limit, call)
}

// limitOf returns the time until the deadline, such as 3 s or 250 ms. It is rounded, because some of it has passed already.
func limitOf(ctx context.Context) string {
	deadline, _ := ctx.Deadline()
	left := time.Until(deadline).Round(time.Millisecond)
	if left > 100*time.Millisecond {
		left = left.Round(10 * time.Millisecond)
	}
	if left%time.Second == 0 {
		return fmt.Sprintf("%d s", left/time.Second)
	}
	return fmt.Sprintf("%d ms", left.Milliseconds())
}

func noAnswer(method, limit string, reason error) error {
	if errors.Is(reason, context.DeadlineExceeded) {
		return fmt.Errorf("mambridge: %s: no answer within %s: %w", method, limit, reason)
	}
	return fmt.Errorf("mambridge: %s: no answer: %w", method, reason)
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
		left := time.Until(deadline).Milliseconds()
		if left < 0 {
			left = 0 // The context does not know yet that its deadline has passed.
		}
		if left < longestDeadline.Milliseconds() {
			meta["timeoutMilliseconds"] = left + 1
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
func (s *session) wait(ctx context.Context, method, limit string, call *call) (json.RawMessage, error) {
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
				return nil, noAnswer(method, limit, ctx.Err())
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
