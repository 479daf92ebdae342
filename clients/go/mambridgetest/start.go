package mambridgetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"testing"
	"time"

	"mambridge"
)

// How long the first answer may take.
const startLimit = 30 * time.Second

// Options say how a sandbox begins.
type Options struct {
	// "sample", "empty", a tenant folder, or the folder of Client.Sandbox.Export; defaults to "sample".
	Seed string

	// When the clock starts; defaults to now, or to the time of an export.
	At time.Time

	// The program; defaults to MAMBRIDGE in the environment, or else to mambridge on PATH.
	Binary string

	// Settings of the app, such as MultiIdentity.
	Settings map[string]any

	// The id of the app.
	AppID string

	// How long a call may take; defaults to a minute.
	Timeout time.Duration
}

// New starts a sandbox for a test. When the test has failed, it logs what happened, and a script that replays it. Nothing
// is left of the sandbox after the test, even if the test is killed.
func New(t testing.TB) *Sandbox {
	t.Helper()
	return NewWith(t, Options{})
}

// NewWith starts a sandbox with options.
func NewWith(t testing.TB, options Options) *Sandbox {
	t.Helper()
	options.setDefaults()
	client, err := options.start()
	if err != nil {
		t.Fatal(err)
	}
	s := &Sandbox{Client: client, Patience: 10 * time.Second, t: t, options: options}
	t.Cleanup(func() {
		t.Helper()
		if t.Failed() || isPanicking() {
			t.Log(s.failureReport())
		}
		_ = client.Close()
	})
	return s
}

// fullName returns the name of a user of the sample tenant for its short form, and any other name as written.
func fullName(user string) string {
	switch user {
	case "alice", "bob", "carol", "dave":
		return user + "@contoso.example"
	}
	return user
}

func (o *Options) setDefaults() {
	if o.Seed == "" {
		o.Seed = "sample"
	}
	if o.Binary == "" {
		o.Binary = os.Getenv("MAMBRIDGE")
	}
	if o.Binary == "" {
		o.Binary = "mambridge"
	}
	if o.Timeout == 0 {
		o.Timeout = time.Minute
	}
}

func (o *Options) arguments() []string {
	arguments := []string{"sandbox", "--seed", o.Seed}
	if !o.At.IsZero() {
		arguments = append(arguments, "--at", o.At.UTC().Format(time.RFC3339))
	}
	var settings []string
	for name, value := range o.Settings {
		settings = append(settings, fmt.Sprintf("%s=%v", name, value))
	}
	sort.Strings(settings)
	for _, setting := range settings {
		arguments = append(arguments, "--set", setting)
	}
	if o.AppID != "" {
		arguments = append(arguments, "--app-id", o.AppID)
	}
	return arguments
}

func (o *Options) start() (*mambridge.Client, error) {
	client, err := mambridge.Start(exec.Command(o.Binary, o.arguments()...), nil)
	if err != nil {
		return nil, o.explained(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	if _, err := client.Sandbox.Story(ctx, nil); err != nil {
		end(client)
		return nil, o.explained(err)
	}
	return client, nil
}

// explained says why a sandbox has not started.
func (o *Options) explained(err error) error {
	var lost *mambridge.ConnectionLostError
	isLost := errors.As(err, &lost)
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("cannot start %s: there is no such program. Install mambridge, or name the program with "+
			"MAMBRIDGE in the environment, or with Options.Binary", o.Binary)
	case isLost && refused(lost.LastLines) != "":
		return errors.New(refused(lost.LastLines))
	case isLost, errors.As(err, new(*mambridge.Error)), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s does not serve a sandbox: %v. Use mambridge %s or newer; `%s --version` says which one it is",
			o.Binary, err, mambridge.Version, filepath.Base(o.Binary))
	}
	return fmt.Errorf("cannot start %s: %w", o.Binary, err)
}

// refused returns what mambridge says about options that it cannot use; "" if it says nothing.
func refused(lines []string) string {
	const refusal = "the sandbox cannot begin: "
	for _, line := range lines {
		if _, reason, found := strings.Cut(line, refusal); found {
			return refusal + reason
		}
	}
	return ""
}

// end ends a server that has nothing to finish.
func end(client *mambridge.Client) {
	_ = syscall.Kill(client.PID(), syscall.SIGKILL)
	_ = client.Close()
}
