package mambridgetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"mambridge"
)

const (
	// How the report of a failure begins.
	heading = "--- what happened in the sandbox"

	// How long a report of a failure may take.
	reportLimit = 5 * time.Second
)

// WaitFor stores in what event points to the first event of its type that no earlier wait has stored, of a user if one is
// named. The test fails if none comes in time.
//
//	var wiped mambridge.PolicyWipeDidComplete
//	mam.WaitFor(&wiped)
func (s *Sandbox) WaitFor(event mambridge.Event, user ...string) {
	s.t.Helper()
	params := &mambridge.SandboxWaitForEventParams{Milliseconds: mambridge.Ptr(s.Patience.Milliseconds())}
	if len(user) > 0 {
		params.Account = mambridge.Ptr(fullName(user[0]))
	}
	ctx, cancel := context.WithTimeout(s.Context(), s.options.Timeout+s.Patience)
	defer cancel()
	found, err := s.Client.Sandbox.WaitForEvent(ctx, mambridge.EventName(event.EventName()), params)
	s.check(err)
	if found.Entry == nil {
		s.fail(found.Text)
	}
	data, err := json.Marshal(found.Entry.Params)
	if err == nil {
		err = json.Unmarshal(data, event)
	}
	s.check(err)
}

// AssertBlocked fails, with the reasons, unless the newest question of the app was answered with no; with settings, unless
// each of them blocks.
func (s *Sandbox) AssertBlocked(settings ...string) {
	s.t.Helper()
	if len(settings) == 0 {
		s.expect(mambridge.ExpectedOutcomeBlocked, nil)
	}
	for index := range settings {
		s.expect(mambridge.ExpectedOutcomeBlocked, &settings[index])
	}
}

// AssertAllowed fails, with the reasons, unless the newest question of the app was answered with yes.
func (s *Sandbox) AssertAllowed() {
	s.t.Helper()
	s.expect(mambridge.ExpectedOutcomeAllowed, nil)
}

func (s *Sandbox) expect(outcome mambridge.ExpectedOutcome, setting *string) {
	s.t.Helper()
	params := &mambridge.SandboxExpectParams{Setting: setting}
	found, err := s.Client.Sandbox.Expect(s.Context(), outcome, params)
	s.check(err)
	if !found.IsMet {
		s.fail(found.Text)
	}
}

// Story returns what happened, in plain words.
func (s *Sandbox) Story() string {
	s.t.Helper()
	return s.report().Story
}

// Replay returns a script for bash that starts a sandbox like this one and repeats the calls of the test.
func (s *Sandbox) Replay() string {
	s.t.Helper()
	return s.report().Replay
}

func (s *Sandbox) report() mambridge.SandboxReport {
	s.t.Helper()
	report, err := s.Client.Sandbox.Report(s.Context(), nil)
	s.check(err)
	return report
}

// failureReport returns the story and the replay, or why there are none. A server that does not answer is ended.
func (s *Sandbox) failureReport() string {
	stuck := time.AfterFunc(reportLimit, func() { end(s.Client) })
	failure := strings.TrimSuffix(s.t.Name()+"\n"+s.failure, "\n")
	report, err := s.Client.Sandbox.Report(context.Background(), &mambridge.SandboxReportParams{Failure: &failure})
	if !stuck.Stop() {
		err = fmt.Errorf("mambridge: sandbox.report: no answer within %.0f s", reportLimit.Seconds())
	}
	if err != nil {
		return fmt.Sprintf("The story is lost: %v", err)
	}
	return strings.Replace(report.Text, heading, heading+" of "+s.t.Name(), 1)
}

// isPanicking reports whether a panic runs the caller. The test does not say yet that it has failed.
func isPanicking() bool { return bytes.Contains(debug.Stack(), []byte("\npanic(")) }
