// Package mambridge is a typed client for mambridge, the Intune App SDK over JSON-RPC.
//
// [Start] runs a server as a child process, and [Dial] connects to one that runs. All methods of the server are methods
// of [Client], by namespace: client.Policy.IsPINRequired. Their documentation uses the names of the wire, such as
// policy.isPINRequired.
package mambridge

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Options say what a client does besides its calls.
type Options struct {
	// Answers the requests of the server. Initialize declares what it answers.
	Host Host

	// Gets the events that Initialize or Events.Subscribe asked for, one at a time. It may make calls. If more than 10,000
	// events wait for it, the oldest are dropped, and it gets one [EventsGap] for them.
	OnEvent func(Event)

	// The file with the token of a server that listens on TCP.
	TokenFile string

	// Gets what goes wrong in a handler; defaults to the standard logger.
	ErrorLog *log.Logger

	// Leaves a server of Start in the process group of this program. By default it has a group of its own, and so gets no
	// signal that Ctrl-C or a service manager sends to the group of this program.
	ShareProcessGroup bool
}

// Client is a connection to a server. Any goroutine may use it.
type Client struct {
	Methods
	stream stream
}

// Start runs a server as a child process:
//
//	client, err := mambridge.Start(exec.Command("mambridge", "--tenant", "sample"), nil)
//
// The client sets the standard streams of the command. If Stderr is set, it gets a copy of what the server writes there.
func Start(command *exec.Cmd, options *Options) (*Client, error) {
	child, err := startChild(command, options != nil && options.ShareProcessGroup)
	if err != nil {
		return nil, fmt.Errorf("mambridge: %w", err)
	}
	return newClient(child, options), nil
}

// Dial connects to a server at unix:///PATH, or at tcp://HOST:PORT with the file of the token that the server names.
func Dial(ctx context.Context, address string, options *Options) (*Client, error) {
	connection, err := dialSocket(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("mambridge: %w", err)
	}
	client := newClient(connection, options)
	if options != nil && options.TokenFile != "" {
		if err := client.authenticate(ctx, options.TokenFile); err != nil {
			connection.end(0)
			return nil, err
		}
	}
	return client, nil
}

func newClient(stream stream, options *Options) *Client {
	if options == nil {
		options = &Options{}
	}
	return &Client{newMethods(newSession(stream, *options)), stream}
}

func (c *Client) authenticate(ctx context.Context, file string) error {
	token, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("mambridge: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return c.Authenticate(ctx, strings.TrimSpace(string(token)))
}

// Call makes a call without types: params go out as JSON, and the result is stored in what result points to.
func (c *Client) Call(ctx context.Context, method string, params map[string]any, result any) error {
	found, err := c.session.call(ctx, method, params)
	if err != nil || result == nil {
		return err
	}
	return decode(found, result)
}

// Close ends the connection. Running calls are answered first. A child that does not exit within 35 seconds is ended with
// SIGTERM, then with SIGKILL. Close returns a [ConnectionLostError] if the server did not exit with status 0.
//
// A handler that calls Close delays it by 5 seconds, because Close waits for running handlers of events.
func (c *Client) Close() error {
	return c.session.close()
}

// PID returns the process id of the child, or 0 for a socket.
func (c *Client) PID() int {
	if child, ok := c.stream.(*child); ok {
		return child.command.Process.Pid
	}
	return 0
}

// ExitCode returns the exit code of the child. It is -1 while the child runs, if a signal ended it, for a socket, and if
// the program lost the code, because it ignores SIGCHLD or waits for any child.
func (c *Client) ExitCode() int {
	if child, ok := c.stream.(*child); ok && child.hasExited() {
		return child.command.ProcessState.ExitCode()
	}
	return -1
}

// Ptr returns a pointer to a value, for an optional parameter or member.
func Ptr[T any](value T) *T { return &value }

// Secret is a text that does not show up in a log: it prints as "[secret]". Convert it to a string to read it.
type Secret string

// Format prints the secret without its text, whatever the verb.
func (Secret) Format(state fmt.State, _ rune) { fmt.Fprint(state, "[secret]") }

// Progress says how far long work is.
type Progress struct {
	// "begin", "report" or "end".
	Kind string `json:"kind"`

	// 0 to 100; nil if unknown.
	Percentage *float64 `json:"percentage"`

	// What is being done; nil if there is nothing to say.
	Message *string `json:"message"`
}

type progressKey struct{}

// WithProgress returns a context for calls that report their progress. The handler runs while the call waits, on the same
// goroutine.
func WithProgress(ctx context.Context, handler func(Progress)) context.Context {
	return context.WithValue(ctx, progressKey{}, handler)
}

// Event is a notification of the server: a pointer to one of the types that have this method.
type Event interface {
	EventName() PushName
}

// UnknownEvent is an event that this version of the client cannot read.
type UnknownEvent struct {
	Name   PushName
	Params []byte
}

// EventName returns the name on the wire.
func (e *UnknownEvent) EventName() PushName { return e.Name }

// Event returns the event of an entry of Events.List.
func (e EventEntry) Event() (Event, error) {
	params, err := members(e.Params).MarshalJSON()
	if err != nil {
		return nil, err
	}
	return readEvent(PushName(e.Type), params), nil
}
