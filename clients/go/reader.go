package mambridge

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
)

// longestLine is beyond what a server sends: 64 MiB, unless an option of the server says otherwise.
const longestLine = 512 << 20

var (
	errLongLine  = errors.New("the server sent a line that is too long")
	errNoMessage = errors.New("the server sent a line that is no message")
)

func (s *session) read() {
	reader := bufio.NewReaderSize(s.stream, 1<<16)
	for {
		line, err := readLine(reader, longestLine)
		if unread := s.receiveLine(line); err == nil {
			err = unread
		}
		if err != nil {
			s.end(s.reason(err))
			_, _ = io.Copy(io.Discard, s.stream) // A server that cannot write cannot exit.
			return
		}
	}
}

// reason says why the reader stops. The last line of a server that dies may be cut.
func (s *session) reason(err error) *ConnectionLostError {
	if err == errLongLine || err == errNoMessage {
		return lost(err.Error())
	}
	return s.stream.lost()
}

// readLine returns the next line, which the next read may overwrite. Without its newline, it is the last.
func readLine(reader *bufio.Reader, longest int) (line []byte, err error) {
	for {
		piece, err := reader.ReadSlice('\n')
		if len(line)+len(piece) > longest {
			return nil, errLongLine
		}
		if err != bufio.ErrBufferFull && line == nil {
			return piece, err
		}
		line = append(line, piece...)
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

func (s *session) receiveLine(line []byte) error {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil
	}
	var found []message
	var err error
	if line[0] == '[' {
		err = json.Unmarshal(line, &found)
	} else {
		found = make([]message, 1)
		err = json.Unmarshal(line, &found[0])
	}
	if err != nil {
		return errNoMessage
	}
	for _, message := range found {
		if message.Method == nil && isNull(message.ID) && message.Error == nil {
			return errNoMessage
		}
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

// callOf returns the call with an id. An error without one is about a message that the server could not read, most likely
// the longest.
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
