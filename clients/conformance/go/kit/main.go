// Main does a scenario of kits.json with the kit for tests in Go: driver SCENARIO EXECUTABLE OPTIONS. See
// ../../README.md.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"mambridge"
	"mambridge/mambridgetest"
)

const (
	alice = "alice@contoso.example"
	bob   = "bob@contoso.example"
	erin  = "erin@example.com"
)

// object is a result as the table has it.
type object map[string]any

var scenarios = map[string]func(mam *mambridgetest.Sandbox) object{
	"names":         names,
	"policy":        policy,
	"administrator": administrator,
	"user":          user,
	"device":        device,
	"time":          advance,
	"fault":         fault,
	"wipe":          wipe,
	"state":         state,
	"join":          join,
	"wrong reasons": wrongReasons,
	"story":         story,
	"killed":        killed,
	"abandoned":     abandoned,

	"network":            network,
	"network story":      networkStory,
	"no network program": noNetwork,
	"no network code":    noNetwork,
	"no network answer":  noNetwork,
	"abandoned network":  abandonedNetwork,
	"network at once":    networkAtOnce,
}

// test is the test that a sandbox belongs to. Its failure is a panic.
type test struct {
	testing.TB
	cleanups  []func()
	hasFailed bool
	logged    []string
}

func (*test) Helper()                  {}
func (*test) Name() string             { return "TestScenario" }
func (t *test) Failed() bool           { return t.hasFailed }
func (t *test) Cleanup(cleanup func()) { t.cleanups = append(t.cleanups, cleanup) }
func (t *test) Fatal(text ...any)      { panic(errors.New(fmt.Sprint(text...))) }
func (t *test) Log(text ...any)        { t.logged = append(t.logged, fmt.Sprint(text...)) }

// end ends the test, which has failed or not.
func (t *test) end(hasFailed bool) {
	t.hasFailed = hasFailed
	for len(t.cleanups) > 0 {
		last := len(t.cleanups) - 1
		cleanup := t.cleanups[last]
		t.cleanups = t.cleanups[:last]
		cleanup()
	}
}

var current test

func main() {
	options := mambridgetest.Options{Binary: os.Args[2]}
	check(json.Unmarshal([]byte(os.Args[3]), &options))
	var result object
	if scenario, ok := scenarios[os.Args[1]]; ok {
		result = scenario(mambridgetest.NewWith(&current, options))
	} else {
		result = object{"message": caught(func() { mambridgetest.NewWith(&current, options) })}
	}
	current.end(false)
	check(json.NewEncoder(os.Stdout).Encode(result))
}

// caught returns the failure that the work ends with.
func caught(work func()) (text string) {
	defer func() { text = recover().(error).Error() }()
	work()
	panic(errors.New("no error"))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// must returns the result of a call that succeeds.
func must[T any](result T, err error) T {
	check(err)
	return result
}

func ask(mam *mambridgetest.Sandbox, account string) {
	params := &mambridge.PolicyIsSaveToAllowedForLocationParams{Account: &account}
	must(mam.Client.Policy.IsSaveToAllowedForLocation(mam.Context(), mambridge.SaveLocationDropbox, params))
}

func evaluate(mam *mambridgetest.Sandbox) mambridge.LaunchVerdict {
	return must(mam.Client.ConditionalLaunch.Evaluate(mam.Context(), nil)).Verdict
}

func countEnrolled(mam *mambridgetest.Sandbox) int {
	return len(must(mam.Client.EnrollmentManager.EnrolledAccounts(mam.Context())))
}

func countRegistered(mam *mambridgetest.Sandbox) int {
	return len(must(mam.Client.EnrollmentManager.RegisteredAccounts(mam.Context())))
}

func names(mam *mambridgetest.Sandbox) object {
	mam.SetUser(erin, mambridge.SandboxSetUserParams{})
	return object{"short": mam.Enroll("alice").Identity, "written": mam.Enroll(erin).Identity,
		"unlisted": caught(func() { mam.Enroll("allice") }), "status": mam.Enroll("carol").Status,
		"wiped": caught(func() { mam.Wipe("bob") })}
}

func policy(mam *mambridgetest.Sandbox) object {
	mam.Policy("bob", mambridgetest.Settings{"saveAsBlocked": true})
	status := mam.Enroll("bob").Status
	ask(mam, bob)
	mam.AssertBlocked("saveAsBlocked")
	mam.Policy("bob", mambridgetest.Settings{"saveAsBlocked": false})
	ask(mam, bob)
	mam.AssertAllowed()
	wrong := caught(func() { mam.Policy("bob", mambridgetest.Settings{"savAsBlocked": true}) })
	return object{"status": status, "wrong": wrong}
}

func administrator(mam *mambridgetest.Sandbox) object {
	mam.SetUser(erin, mambridge.SandboxSetUserParams{Groups: []string{"staff"}})
	mam.Configuration("staff", map[string]string{"server": "mail.example.com"})
	mam.Enroll(erin)
	params := &mambridge.AppConfigStringValueForKeyParams{Account: mambridge.Ptr(erin)}
	server := must(mam.Client.AppConfig.StringValueForKey(mam.Context(), "server", params))
	disabled := &mambridge.SandboxSetUserParams{Enabled: mambridge.Ptr(false)}
	check(mam.Client.Sandbox.SetUser(mam.Context(), erin, disabled))
	return object{"server": server, "status": mam.CheckIn()[0].Status}
}

func user(mam *mambridgetest.Sandbox) object {
	mam.Enroll("alice")
	mam.User(mambridge.SandboxAnswerParams{PIN: mambridge.Ptr[mambridge.Secret]("482913")})
	shown := must(mam.Client.PolicyManager.SetUIPolicyIdentity(mam.Context(), mambridge.Ptr(alice), nil))
	status := must(mam.Client.PIN.Status(mam.Context(), &mambridge.PINStatusParams{Account: mambridge.Ptr(alice)}))
	return object{"shown": shown, "isSet": status.IsSet}
}

func device(mam *mambridgetest.Sandbox) object {
	mam.Enroll("alice")
	mam.Device(mambridge.DeviceSetParams{Jailbroken: mambridge.Ptr(true)})
	verdict := evaluate(mam)
	mam.AssertBlocked("deviceComplianceRequired")
	mam.Device(mambridge.DeviceSetParams{Jailbroken: mambridge.Ptr(false)})
	pin := mambridge.Ptr[mambridge.Secret]("482913")
	mam.User(mambridge.SandboxAnswerParams{PIN: pin, SignIn: mambridge.Ptr(true)})
	evaluate(mam)
	mam.AssertAllowed()
	return object{"verdict": verdict}
}

func advance(mam *mambridgetest.Sandbox) object {
	mam.Enroll("alice")
	mam.Offline()
	now := mam.Advance(91 * mambridgetest.Day)
	evaluate(mam)
	mam.AssertBlocked("periodOfflineBeforeWipeIsEnforced")
	return object{"time": now.Format(time.RFC3339), "network": mam.Online().NetworkAvailable}
}

func fault(mam *mambridgetest.Sandbox) object {
	mam.Enroll("alice")
	once := &mambridge.SandboxFaultParams{Times: mambridge.Ptr[int64](1)}
	mam.Fault(mambridge.FaultPlaceSource, mambridge.FaultKindServiceUnavailable, once)
	failed := mam.CheckIn()[0].Status
	ask(mam, alice)
	mam.AssertBlocked("saveAsBlocked")
	well := mam.CheckIn()[0].Status
	wrong := caught(func() { mam.Fault(mambridge.FaultPlaceToken, mambridge.FaultKindSlow, nil) })
	mam.Fault(mambridge.FaultPlaceSource, mambridge.FaultKindUnreachable, nil)
	lost := mam.CheckIn()[0].Status
	mam.ClearFaults()
	return object{"failed": failed, "well": well, "wrong": wrong, "lost": lost, "cleared": mam.CheckIn()[0].Status}
}

func wipe(mam *mambridgetest.Sandbox) object {
	mam.Enroll("alice")
	mam.Wipe("alice")
	var wiped, again mambridge.PolicyWipeDidComplete
	mam.WaitFor(&wiped)
	accounts := countEnrolled(mam)
	mam.Patience = 100 * time.Millisecond
	return object{"wiped": wiped.Identity, "accounts": accounts, "again": caught(func() { mam.WaitFor(&again) })}
}

func state(mam *mambridgetest.Sandbox) object {
	mam.Enroll("alice")
	mam.Save("enrolled")
	mam.Wipe("alice")
	mam.Restore("enrolled")
	restored := countEnrolled(mam)
	mam.Reset()
	reset := countRegistered(mam)
	mam.Enroll("alice")
	var changed mambridge.PolicyDidChange
	mam.WaitFor(&changed, "alice")
	return object{"restored": restored, "reset": reset, "changed": changed.Identity}
}

func join(mam *mambridgetest.Sandbox) object {
	app := mam.Join(nil)
	must(app.EnrollmentManager.RegisterAndEnrollAccount(mam.Context(), mambridge.Ptr(alice)))
	accounts := countEnrolled(mam)
	check(app.Close())
	mam.Reset()
	return object{"accounts": accounts, "reset": countRegistered(mam)}
}

func wrongReasons(mam *mambridgetest.Sandbox) object {
	mam.Enroll("alice")
	ask(mam, alice)
	setting := caught(func() { mam.AssertBlocked("pinRequired") })
	allowed := caught(mam.AssertAllowed)
	params := &mambridge.EnforcementIsActionAllowedParams{Account: mambridge.Ptr(alice)}
	must(mam.Client.Enforcement.IsActionAllowed(mam.Context(), mambridge.EnforcedActionPrint, params))
	blocked := caught(func() { mam.AssertBlocked() })
	must(mam.Client.Policy.IsPINRequired(mam.Context(), nil))
	return object{"setting": setting, "allowed": allowed, "blocked": blocked, "other": caught(mam.AssertAllowed)}
}

func story(mam *mambridgetest.Sandbox) object {
	mam.Policy("bob", mambridgetest.Settings{"saveAsBlocked": true})
	mam.Enroll("bob")
	protection := mam.Client.DataProtectionManager
	sealed := must(protection.ProtectString(mam.Context(), mambridge.Ptr("quarterly figures"), mambridge.Ptr(bob)))
	must(protection.UnprotectString(mam.Context(), &sealed))
	ask(mam, bob)
	check(os.WriteFile("replay.sh", []byte(mam.Replay()), 0o600))
	return object{"story": mam.Story()}
}

func killed(mam *mambridgetest.Sandbox) object {
	mam.Enroll("alice")
	check(syscall.Kill(mam.Client.PID(), syscall.SIGKILL))
	lost := caught(func() { mam.Enroll("alice") })
	current.end(true)
	first, _, _ := strings.Cut(current.logged[0], "\n")
	return object{"lost": lost, "story": first}
}

func abandoned(mam *mambridgetest.Sandbox) object {
	mam.Enroll("alice")
	fmt.Printf("{\"pid\": %d}\n", mam.Client.PID())
	_, err := bufio.NewReader(os.Stdin).ReadString('\n')
	return object{"end": err}
}

func checkInStatus(app *mambridge.Client, mam *mambridgetest.Sandbox) mambridge.EnrollmentStatusCode {
	return must(app.Tenant.CheckIn(mam.Context(), nil))[0].Status
}

func joinNetwork(mam *mambridgetest.Sandbox) (*mambridge.Client, mambridge.EnrollmentStatusCode) {
	app := mam.Network().Join("alice", nil)
	return app, must(app.EnrollmentManager.RegisterAndEnrollAccount(mam.Context(), mambridge.Ptr(alice))).Status
}

func network(mam *mambridgetest.Sandbox) object {
	served := mam.Network()
	app, status := joinNetwork(mam)
	params := &mambridge.PolicyIsSaveToAllowedForLocationParams{Account: mambridge.Ptr(alice)}
	saves := must(app.Policy.IsSaveToAllowedForLocation(mam.Context(), mambridge.SaveLocationDropbox, params))
	served.Fault(mambridgetest.NetworkFault{At: "checkIn", Kind: "serviceUnavailable", Times: 1, Delay: "PT1.5S"})
	failed, well := checkInStatus(app, mam), checkInStatus(app, mam)
	mam.SetUser(erin, mambridge.SandboxSetUserParams{Groups: []string{"Administrators"}})
	users, _ := served.Send("GET", "/v1.0/users", served.Token(erin), nil)
	check(mam.Client.Sandbox.SetUser(mam.Context(), erin, &mambridge.SandboxSetUserParams{Groups: []string{"staff"}}))
	demoted, _ := served.Send("GET", "/v1.0/users", served.Token(erin), nil)
	refused, _ := served.Send("GET", "/v1.0/users", served.Token("alice"), nil)
	served.Fault(mambridgetest.NetworkFault{At: "token", Kind: "mfaRequired"})
	token := caught(func() { served.Token("alice") })
	wrong := caught(func() { served.Fault(mambridgetest.NetworkFault{At: "checkIn", Kind: "nextLinkLoop"}) })
	served.ClearFaults()
	asked := false
	for _, request := range served.Requests() {
		asked = asked || request.Path == "/mam/v1/check-in" && request.Who != nil && *request.Who == alice
	}
	_, missing := os.Stat(served.Certificate)
	return object{"status": status, "saves": saves, "failed": failed, "well": well, "users": users, "refused": refused,
		"token": token, "wrong": wrong, "signedIn": served.Token("alice") != "", "asked": asked, "certificate": missing == nil,
		"demoted": demoted}
}

// networkAtOnce asks one after the other: only the goroutine of a test may use its sandbox.
func networkAtOnce(mam *mambridgetest.Sandbox) object {
	return object{"same": mam.Network().URL == mam.Network().URL}
}

func networkStory(mam *mambridgetest.Sandbox) object {
	app, _ := joinNetwork(mam)
	mam.Network().Fault(mambridgetest.NetworkFault{At: "checkIn", Kind: "serviceUnavailable"})
	checkInStatus(app, mam)
	current.end(true)
	return object{"story": current.logged[0]}
}

func noNetwork(mam *mambridgetest.Sandbox) object {
	return object{"message": caught(func() { mam.Network() })}
}

func abandonedNetwork(mam *mambridgetest.Sandbox) object {
	app, _ := joinNetwork(mam)
	fmt.Printf("{\"pid\": %d}\n", app.PID())
	_, err := bufio.NewReader(os.Stdin).ReadString('\n')
	return object{"end": err}
}
