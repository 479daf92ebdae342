package mambridge

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strconv"
)

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
