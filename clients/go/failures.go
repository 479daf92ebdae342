package mambridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// Error is an error that the server named, or the answer of a host that refuses. Compare it with errors.Is:
//
//	if errors.Is(err, mambridge.ErrPolicyRequired) {
type Error struct {
	Code    int64
	Message string

	// A stable name. Two errors with the same name are the same for errors.Is.
	Name string

	// What to do, if the server knows.
	Hint string

	// Whether the same call may succeed later.
	Retryable bool

	// The SDK's domain and code, if the error is the SDK's.
	Domain  string
	SDKCode int64

	// All that the server says, such as "path", the place of a wrong parameter.
	Data map[string]any
}

// Error returns the name, the code, the message and the hint.
func (e *Error) Error() string {
	label := strings.TrimSpace(fmt.Sprintf("%s (%d)", e.Name, e.Code))
	if e.Hint != "" {
		return fmt.Sprintf("mambridge: %s: %s (%s)", label, e.Message, e.Hint)
	}
	return fmt.Sprintf("mambridge: %s: %s", label, e.Message)
}

// Is compares by name. ErrDeadlineExceeded is also context.DeadlineExceeded, and ErrCancelled is context.Canceled.
func (e *Error) Is(target error) bool {
	switch target {
	case context.DeadlineExceeded:
		return e.Name == ErrDeadlineExceeded.Name
	case context.Canceled:
		return e.Name == ErrCancelled.Name
	}
	other, ok := target.(*Error)
	return ok && e.Name != "" && e.Name == other.Name
}

// MarshalJSON writes the error object of a reply.
func (e *Error) MarshalJSON() ([]byte, error) {
	object := members{"code": e.Code, "message": e.Message}
	object.given("data", e.Data)
	return json.Marshal(object)
}

// UnmarshalJSON reads the error object of a reply.
func (e *Error) UnmarshalJSON(data []byte) error {
	var object struct {
		Code    int64
		Message string
		Data    json.RawMessage
	}
	if err := decode(data, &object); err != nil {
		return err
	}
	var details struct {
		Name, Hint, Domain string
		Retryable          bool
		SDKCode            int64
	}
	_ = decode(object.Data, &details)
	*e = Error{Code: object.Code, Message: object.Message, Name: details.Name, Hint: details.Hint,
		Retryable: details.Retryable, Domain: details.Domain, SDKCode: details.SDKCode}
	_ = decode(object.Data, &e.Data)
	return nil
}

// ConnectionLostError says that the server is gone, or that this client is closed. Find it with errors.As.
type ConnectionLostError struct {
	Reason string

	// The exit code of the child; -1 if there is none.
	ExitCode int

	// The signal that ended the child; 0 if there is none.
	Signal syscall.Signal

	// The last lines of the child on stderr.
	LastLines []string
}

// Error returns the reason and the last lines on stderr.
func (e *ConnectionLostError) Error() string {
	if len(e.LastLines) == 0 {
		return "mambridge: " + e.Reason
	}
	return fmt.Sprintf("mambridge: %s; its last lines on stderr: %s", e.Reason, strings.Join(e.LastLines, " | "))
}

func lost(reason string) *ConnectionLostError {
	return &ConnectionLostError{Reason: reason, ExitCode: -1}
}

// ErrUnexpectedReply says that this version of the client cannot read a reply. Its text holds no part of the reply.
var ErrUnexpectedReply = errors.New("mambridge: the reply is not as expected")
