package mambridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"time"
)

// message is a reply, a request of the server, or a notification.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method *string         `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *Error          `json:"error"`
}

// members is a JSON object that is written.
type members map[string]any

// given adds a member unless it is nil.
func (m members) given(name string, value any) {
	if !isNil(value) {
		m[name] = value
	}
}

// givenAll adds the members of a struct of optional parameters. A nil struct has none.
func (m members) givenAll(params any) {
	if isNil(params) {
		return
	}
	object := reflect.ValueOf(params).Elem()
	for index := 0; index < object.NumField(); index++ {
		name, _, _ := strings.Cut(object.Type().Field(index).Tag.Get("json"), ",")
		m.given(name, object.Field(index).Interface())
	}
}

// MarshalJSON writes times and durations as the server reads them.
func (m members) MarshalJSON() ([]byte, error) {
	return m.appendTo(nil)
}

// appendTo writes the object behind some text, with its members in order.
func (m members) appendTo(text []byte) ([]byte, error) {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	text = append(text, '{')
	for index, name := range names {
		if index > 0 {
			text = append(text, ',')
		}
		var err error
		if text, err = appendJSON(text, name); err == nil {
			text, err = appendJSON(append(text, ':'), m[name])
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return append(text, '}'), nil
}

func appendJSON(text []byte, value any) ([]byte, error) {
	switch value := value.(type) {
	case members:
		if value != nil {
			return value.appendTo(text)
		}
	case int64:
		return strconv.AppendInt(text, value, 10), nil
	case string:
		if isPlain(value) {
			return append(append(append(text, '"'), value...), '"'), nil
		}
	}
	plain, err := plainValue(value)
	if err != nil {
		return nil, err
	}
	written, err := json.Marshal(plain)
	return append(text, written...), err
}

// isPlain tells whether a text is itself between the quotes of JSON.
func isPlain(text string) bool {
	for _, character := range []byte(text) {
		if character < ' ' || character > '~' || strings.IndexByte("\"\\<>&", character) >= 0 {
			return false
		}
	}
	return true
}

func plainValue(value any) (any, error) {
	switch value := value.(type) {
	case time.Time:
		return value.UTC().Format("2006-01-02T15:04:05.000Z"), nil
	case *time.Time:
		if value != nil {
			return plainValue(*value)
		}
	case time.Duration:
		return durationText(value)
	case *time.Duration:
		if value != nil {
			return plainValue(*value)
		}
	}
	return value, nil
}

// durationText writes a duration in ISO 8601.
func durationText(duration time.Duration) (string, error) {
	if duration < 0 || duration%time.Second != 0 {
		return "", fmt.Errorf("%v is negative, or not in whole seconds such as 24 * time.Hour", duration)
	}
	return fmt.Sprintf("PT%dS", duration/time.Second), nil
}

func isNil(value any) bool {
	if value == nil {
		return true
	}
	switch found := reflect.ValueOf(value); found.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		return found.IsNil()
	}
	return false
}

// list returns an empty list for nil, where the server takes no null.
func list[T any](values []T) []T {
	if values == nil {
		return []T{}
	}
	return values
}

// Reading

// decode reads a value. Numbers of no known type become a json.Number, which keeps all their digits.
func decode(data []byte, value any) error {
	switch value.(type) {
	case *string, *bool:
		return json.Unmarshal(data, value)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return decoder.Decode(value)
}

// readObject reads an object that must have members which are not null.
func readObject(data []byte, value any, needed ...string) error {
	var object map[string]json.RawMessage
	if err := decode(data, &object); err != nil {
		return err
	}
	for _, name := range needed {
		if isNull(object[name]) {
			return missing(name)
		}
	}
	return decode(data, value)
}

func isNull(data json.RawMessage) bool {
	return len(data) == 0 || string(data) == "null"
}

// missing is the name of a member that an object lacks.
type missing string

func (m missing) Error() string { return fmt.Sprintf("has no member %q", string(m)) }

// readResult reads a result. The error says what is wrong without a part of the result.
func readResult(method string, data json.RawMessage, value any) error {
	if isNull(data) {
		if isNil(reflect.ValueOf(value).Elem().Interface()) {
			return nil
		}
		return fmt.Errorf("%w: the result of %s is null", ErrUnexpectedReply, method)
	}
	err := decode(data, value)
	var name missing
	switch {
	case err == nil:
		return nil
	case errors.As(err, &name):
		return fmt.Errorf("%w: the result of %s %s", ErrUnexpectedReply, method, name.Error())
	}
	return fmt.Errorf("%w: the result of %s has a member of the wrong type", ErrUnexpectedReply, method)
}

func readEvent(name PushName, params json.RawMessage) Event {
	event := newEvent(name)
	if event == nil || decode(params, event) != nil {
		return &UnknownEvent{name, params}
	}
	return event
}

// Calls

func invoke[T any](ctx context.Context, s *session, method string, params members, optional any) (T, error) {
	var result, none T
	params.givenAll(optional)
	data, err := s.call(ctx, method, params)
	if err == nil {
		err = readResult(method, data, &result)
	}
	if err != nil {
		return none, err
	}
	return result, nil
}

func run(ctx context.Context, s *session, method string, params members, optional any) error {
	params.givenAll(optional)
	_, err := s.call(ctx, method, params)
	return err
}

// Requests of the server

// answer calls a function of the host with the params that it takes.
func answer[Q, A any](
	ctx context.Context, method HostRequestName, handler func(context.Context, Q) (A, error), params json.RawMessage,
) (any, error) {
	if handler == nil {
		return nil, unanswered(method)
	}
	var request Q
	if decode(params, &request) != nil {
		return nil, &Error{Code: ErrInvalidParams.Code, Message: fmt.Sprintf("this host cannot read the params of %s", method)}
	}
	return handler(ctx, request)
}

// acknowledge is answer for a function without a result.
func acknowledge[Q any](
	ctx context.Context, method HostRequestName, handler func(context.Context, Q) error, params json.RawMessage,
) (any, error) {
	if handler == nil {
		return nil, unanswered(method)
	}
	return answer(ctx, method, func(ctx context.Context, request Q) (any, error) {
		return nil, handler(ctx, request)
	}, params)
}

func unanswered(method HostRequestName) error {
	return &Error{Code: ErrMethodNotFound.Code, Message: fmt.Sprintf("this host does not answer %s", method)}
}

// names returns the names that are true, sorted.
func names(found map[HostRequestName]bool) []HostRequestName {
	var names []HostRequestName
	for name, isDeclared := range found {
		if isDeclared {
			names = append(names, name)
		}
	}
	sort.Slice(names, func(i, j int) bool { return names[i] < names[j] })
	return names
}
