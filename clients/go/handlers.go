package mambridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"runtime/debug"
)

// reply answers a request of the server. An error that is not for the wire is reduced to its place.
func (s *session) reply(request message) {
	method := HostRequestName(*request.Method)
	line, err := s.ask(method, request)
	if err != nil {
		line, _ = lineOf(members{"jsonrpc": "2.0", "id": request.ID, "error": s.forWire(method, err)})
	}
	_ = s.write(s.context, line)
}

// ask returns the line with the answer of the host.
func (s *session) ask(method HostRequestName, request message) (line []byte, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
		}
	}()
	params := request.Params
	if isNull(params) {
		params = json.RawMessage("{}")
	}
	result, err := s.options.Host.answer(s.context, method, params)
	if err != nil {
		return nil, err
	}
	return lineOf(members{"jsonrpc": "2.0", "id": request.ID, "result": result})
}

func (s *session) forWire(method HostRequestName, err error) *Error {
	var named *Error
	if errors.As(err, &named) && named != nil {
		if _, unwritten := json.Marshal(named); unwritten == nil {
			return named
		}
	}
	s.report("%s: %v", method, err)
	return &Error{Code: ErrInternalError.Code, Message: fmt.Sprintf("the host failed to answer %s", method)}
}

func (s *session) report(format string, values ...any) {
	logger := s.options.ErrorLog
	if logger == nil {
		logger = log.Default()
	}
	logger.Printf("mambridge: "+format, values...)
}

func (s *session) handleEvents() {
	defer close(s.handled)
	for {
		select {
		case <-s.events.ready:
			s.handleAll()
		case <-s.ended:
			s.handleAll()
			return
		}
	}
}

func (s *session) handleAll() {
	for event := s.events.next(); event != nil; event = s.events.next() {
		s.handle(event)
	}
}

func (s *session) handle(event Event) {
	defer func() {
		if reason := recover(); reason != nil {
			s.report("%s: panic: %v\n%s", event.EventName(), reason, debug.Stack())
		}
	}()
	s.options.OnEvent(event)
}
