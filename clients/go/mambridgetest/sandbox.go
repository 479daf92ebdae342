// Package mambridgetest gives each test of an app a sandbox: a fresh tenant, a clock that stands still, and a user who
// answers.
//
//	func TestAPolicyForbidsSaving(t *testing.T) {
//		mam := mambridgetest.New(t)
//		mam.Policy("bob", mambridgetest.Settings{"saveAsBlocked": true})
//		mam.Enroll("bob")
//		bob := &mambridge.PolicyIsSaveToAllowedForLocationParams{Account: mambridge.Ptr("bob@contoso.example")}
//		mam.Client.Policy.IsSaveToAllowedForLocation(mam.Context(), mambridge.SaveLocationDropbox, bob)
//		mam.AssertBlocked("saveAsBlocked")
//	}
package mambridgetest

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"mambridge"
)

// Day is for Advance.
const Day = 24 * time.Hour

// Settings are those of a policy, by their names in Microsoft Graph or in the SDK.
type Settings = mambridge.TestSettings

// Sandbox is a server for one test, which it ends with. alice, bob, carol and dave are short for the users of the sample
// tenant, such as alice@contoso.example; every other name is as written.
//
// An error of a verb ends the test at once, so only the goroutine of the test may use them. A subtest begins a sandbox of
// its own.
type Sandbox struct {
	// The typed client of the sandbox, for all that an app can call.
	Client *mambridge.Client

	// How long WaitFor waits; at first 10 seconds.
	Patience time.Duration

	t        testing.TB
	options  Options
	failure  string
	isServed bool
}

// Context returns the context of one call of Client. It ends after Options.Timeout, or with the test.
func (s *Sandbox) Context() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), s.options.Timeout)
	s.t.Cleanup(cancel)
	return ctx
}

// Administrators

// Policy writes a policy for a user, a group or everybody ("*"). Accounts check in. To see what comes before that, and
// for more parameters, use Client.Sandbox.SetPolicy instead.
func (s *Sandbox) Policy(audience string, settings Settings) {
	s.t.Helper()
	s.check(s.Client.Sandbox.SetPolicy(s.Context(), fullName(audience), settings, nil))
	s.CheckIn()
}

// Configuration writes an app configuration for a user, a group or everybody ("*"). Accounts check in.
func (s *Sandbox) Configuration(audience string, values map[string]string) {
	s.t.Helper()
	s.check(s.Client.Sandbox.SetConfiguration(s.Context(), fullName(audience), values, nil))
	s.CheckIn()
}

// SetUser adds a user to the tenant, or changes one. Accounts check in.
func (s *Sandbox) SetUser(name string, user mambridge.SandboxSetUserParams) {
	s.t.Helper()
	s.check(s.Client.Sandbox.SetUser(s.Context(), fullName(name), &user))
	s.CheckIn()
}

// Wipe orders a wipe of the data of a user, and lets the account do it.
func (s *Sandbox) Wipe(user string) {
	s.t.Helper()
	params := &mambridge.SandboxWipeParams{Push: mambridge.Ptr(true)}
	statuses, err := s.Client.Sandbox.Wipe(s.Context(), fullName(user), params)
	s.check(err)
	for _, status := range statuses {
		switch status.Status {
		case mambridge.EnrollmentStatusCodeAppNotEnrolled, mambridge.EnrollmentStatusCodeNotEnrolledAccount:
			if !s.isServed {
				s.failUnenrolled(status)
			}
		}
	}
	s.Advance(0) // Runs what is due: the wipe.
}

func (s *Sandbox) failUnenrolled(status mambridge.EnrollmentStatus) {
	s.t.Helper()
	s.fail(textOf(status.Identity) + " is not enrolled: " + textOf(status.ErrorString))
}

// textOf returns the text of an optional member; "" for none.
func textOf(member *string) string {
	if member == nil {
		return ""
	}
	return *member
}

// The user, the device and the time

// Enroll enrolls a user, as an app does. The test fails if the tenant does not list the user.
func (s *Sandbox) Enroll(user string) mambridge.EnrollmentStatus {
	s.t.Helper()
	account := mambridge.Ptr(fullName(user))
	status, err := s.Client.EnrollmentManager.RegisterAndEnrollAccount(s.Context(), account)
	s.check(err)
	if strings.HasPrefix(textOf(status.ErrorString), "The tenant does not list this user.") {
		s.failUnenrolled(status)
	}
	return status
}

// CheckIn checks in all accounts.
func (s *Sandbox) CheckIn() []mambridge.EnrollmentStatus {
	s.t.Helper()
	statuses, err := s.Client.Tenant.CheckIn(s.Context(), nil)
	s.check(err)
	return statuses
}

// User says how the user answers from now on.
func (s *Sandbox) User(answers mambridge.SandboxAnswerParams) {
	s.t.Helper()
	s.check(s.Client.Sandbox.Answer(s.Context(), &answers))
}

// Device reports properties of the device.
func (s *Sandbox) Device(properties mambridge.DeviceSetParams) mambridge.Device {
	s.t.Helper()
	device, err := s.Client.Device.Set(s.Context(), &properties)
	s.check(err)
	return device
}

// Offline takes the network away.
func (s *Sandbox) Offline() mambridge.Device {
	s.t.Helper()
	return s.Device(mambridge.DeviceSetParams{NetworkAvailable: mambridge.Ptr(false)})
}

// Online gives the network back.
func (s *Sandbox) Online() mambridge.Device {
	s.t.Helper()
	return s.Device(mambridge.DeviceSetParams{NetworkAvailable: mambridge.Ptr(true)})
}

// Fault lets the policy source, its tokens or the clock fail, until ClearFaults or as often as the parameters say.
func (s *Sandbox) Fault(at mambridge.FaultPlace, kind mambridge.FaultKind, params *mambridge.SandboxFaultParams) {
	s.t.Helper()
	s.check(s.Client.Sandbox.Fault(s.Context(), at, kind, params))
}

// ClearFaults ends all faults.
func (s *Sandbox) ClearFaults() {
	s.t.Helper()
	s.check(s.Client.Sandbox.ClearFaults(s.Context()))
}

// Advance moves the clock by whole seconds, at most 366 days, and returns its time. What becomes due on the way runs.
func (s *Sandbox) Advance(by time.Duration) time.Time {
	s.t.Helper()
	clock, err := s.Client.Debug.AdvanceClock(s.Context(), by)
	s.check(err)
	return clock.Time
}

// The state

// Save keeps the state, the tenant and the time under a name.
func (s *Sandbox) Save(name string) {
	s.t.Helper()
	s.check(s.Client.Sandbox.Save(s.Context(), name))
}

// Restore brings back what was saved under a name.
func (s *Sandbox) Restore(name string) {
	s.t.Helper()
	_, err := s.Client.Sandbox.Restore(s.Context(), name)
	s.check(err)
}

// Reset brings back what the sandbox began with.
func (s *Sandbox) Reset() {
	s.t.Helper()
	_, err := s.Client.Sandbox.Reset(s.Context())
	s.check(err)
}

// Environment returns the variables with which an app that starts mambridge itself joins the sandbox:
//
//	command.Env = append(os.Environ(), mam.Environment()...)
func (s *Sandbox) Environment() []string {
	s.t.Helper()
	variables, err := s.Client.Sandbox.Environment(s.Context())
	s.check(err)
	return assignments(variables)
}

// Join starts a server that joins the sandbox, with a client of its own, as an app does. It ends with the test. Until it
// is closed, Restore and Reset fail.
func (s *Sandbox) Join(options *mambridge.Options) *mambridge.Client {
	s.t.Helper()
	return s.join(s.Environment(), options)
}

func (s *Sandbox) join(environment []string, options *mambridge.Options, arguments ...string) *mambridge.Client {
	s.t.Helper()
	command := exec.Command(s.options.Binary, arguments...)
	command.Env = append(os.Environ(), environment...)
	client, err := mambridge.Start(command, options)
	s.check(err)
	s.t.Cleanup(func() { _ = client.Close() })
	return client
}

func (s *Sandbox) check(err error) {
	s.t.Helper()
	if err != nil {
		s.fail(err.Error())
	}
}

func (s *Sandbox) fail(text string) {
	s.t.Helper()
	s.failure = text
	s.t.Fatal(text)
}
