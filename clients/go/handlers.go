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
	result, err := s.ask(method, request.Params)
	object := members{"jsonrpc": "2.0", "id": request.ID, "result": result}
	line, unwritten := lineOf(object)
	if err == nil {
		err = unwritten
	}
	if err != nil {
		delete(object, "result")
		object["error"] = s.forWire(method, err)
		line, _ = lineOf(object)
	}
	_ = s.write(s.context, line)
}

func (s *session) ask(method HostRequestName, params json.RawMessage) (result any, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
		}
	}()
	if isNull(params) {
		params = json.RawMessage("{}")
	}
	return s.options.Host.answer(s.context, method, params)
}

func (s *session) forWire(method HostRequestName, err error) *Error {
	var named *Error
	if errors.As(err, &named) {
		return named
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
