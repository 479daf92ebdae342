package mambridgetest_test

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"mambridge"
	"mambridge/mambridgetest"
)

var dropbox = &mambridge.PolicyIsSaveToAllowedForLocationParams{Account: mambridge.Ptr("alice@contoso.example")}

func saveToDropbox(t *testing.T, mam *mambridgetest.Sandbox) {
	if _, err := mam.Client.Policy.IsSaveToAllowedForLocation(mam.Context(), mambridge.SaveLocationDropbox, dropbox); err != nil {
		t.Fatal(err)
	}
}

// The tests that examples names run in a process of their own, as examined says.
var examples = map[string]func(t *testing.T, mam *mambridgetest.Sandbox){
	"passes": func(t *testing.T, mam *mambridgetest.Sandbox) { mam.Enroll("alice") },
	"is wrong": func(t *testing.T, mam *mambridgetest.Sandbox) {
		mam.Enroll("alice")
		saveToDropbox(t, mam)
		mam.AssertAllowed()
	},
	"moves by little": func(t *testing.T, mam *mambridgetest.Sandbox) { mam.Advance(91) },
	"panics": func(t *testing.T, mam *mambridgetest.Sandbox) {
		mam.Enroll("alice")
		saveToDropbox(t, mam)
		panic("on the floor")
	},
	"loses its sandbox": func(t *testing.T, mam *mambridgetest.Sandbox) {
		signal(t, mam, syscall.SIGKILL)
		mam.Enroll("alice")
	},
	"hangs": func(t *testing.T, mam *mambridgetest.Sandbox) {
		signal(t, mam, syscall.SIGSTOP)
		mam.Enroll("alice")
	},
}

func signal(t *testing.T, mam *mambridgetest.Sandbox, number syscall.Signal) {
	if err := syscall.Kill(mam.Client.PID(), number); err != nil {
		t.Fatal(err)
	}
}

func TestExample(t *testing.T) {
	example, ok := examples[os.Getenv("MAMBRIDGE_EXAMPLE")]
	if !ok {
		t.Skip("TestWhatATestPrints runs this")
	}
	example(t, mambridgetest.NewWith(t, mambridgetest.Options{Timeout: time.Second}))
}

// examined runs an example. It returns what go test prints, and whether the example passed.
func examined(t *testing.T, name string) (string, bool) {
	needServer(t)
	place := t.TempDir()
	command := exec.Command(os.Args[0], "-test.run=^TestExample$")
	command.Env = append(os.Environ(), "MAMBRIDGE_EXAMPLE="+name, "XDG_RUNTIME_DIR="+place)
	said, err := command.CombinedOutput()
	if left, _ := os.ReadDir(place); len(left) > 0 && name != "loses its sandbox" && name != "hangs" {
		t.Errorf("%q left %v", name, left)
	}
	return string(said), err == nil
}

func needServer(t *testing.T) {
	if os.Getenv("MAMBRIDGE") == "" {
		t.Skip("MAMBRIDGE names no server")
	}
}

func TestWhatATestPrints(t *testing.T) {
	for name, test := range map[string]struct{ text, told string }{
		"is wrong":          {"should be allowed, but is blocked", "--- what happened in the sandbox of TestExample\n"},
		"moves by little":   {"91ns is negative, or not in whole seconds", "--- what happened in the sandbox of TestExample\n"},
		"panics":            {"on the floor", "--- what happened in the sandbox of TestExample\n"},
		"loses its sandbox": {"killed by signal 9 (SIGKILL)", "The story is lost: mambridge: mambridge was killed by signal 9 (SIGKILL)"},
		"hangs":             {"enrollmentManager.registerAndEnrollAccount: no answer within 1 s", "The story is lost: mambridge: sandbox.report: no answer within 5 s"},
	} {
		name, test := name, test
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said, passed := examined(t, name)
			if passed || !strings.Contains(said, test.text) || strings.Count(said, test.told) != 1 {
				t.Error(said)
			}
		})
	}
}

func TestAPassingTestPrintsNothing(t *testing.T) {
	if said, passed := examined(t, "passes"); !passed || said != "PASS\n" {
		t.Error(said)
	}
}

func TestTheScriptOfAFailureHasTheSameAnswers(t *testing.T) {
	said, _ := examined(t, "is wrong")
	_, script, _ := strings.Cut(said, "--- a script that replays it\n")
	script, _, _ = strings.Cut(script, "\nFAIL\n")
	done, err := exec.Command("bash", "-c", script).CombinedOutput()
	for _, text := range []string{`"result":false`, "should be allowed, but is blocked"} {
		if err != nil || !strings.Contains(string(done), text) {
			t.Errorf("%v\n%s", err, done)
		}
	}
}

func TestOptionsReachTheSandbox(t *testing.T) {
	needServer(t)
	mam := mambridgetest.NewWith(t, mambridgetest.Options{
		Seed: "empty", At: time.Date(2031, 1, 31, 12, 0, 0, 0, time.UTC), AppID: "com.example.marked",
		Settings: map[string]any{"MultiIdentity": true},
	})
	if now := mam.Advance(0); now.Year() != 2031 {
		t.Error(now)
	}
	status, err := mam.Client.Tenant.Status(mam.Context(), nil)
	if err != nil || status.UserCount != 0 {
		t.Error(status, err)
	}
	settings, err := mam.Client.Settings.Get(mam.Context(), &mambridge.SettingsGetParams{Names: []mambridge.SettingName{"MultiIdentity"}})
	if err != nil || settings["MultiIdentity"].Value != true {
		t.Error(settings, err)
	}
}

// refusal is the test of a sandbox that does not start.
type refusal struct {
	testing.TB
	text string
}

func (*refusal) Helper() {}

func (r *refusal) Fatal(text ...any) {
	r.text = text[0].(error).Error()
	panic(r)
}

func TestWhatCannotBeginSaysWhy(t *testing.T) {
	needServer(t)
	for text, options := range map[string]mambridgetest.Options{
		"cannot start /: ": {Binary: "/"},
		"cannot start mambridje: there is no such program. Install mambridge, or name": {Binary: "mambridje"},
		"/bin/true does not serve a sandbox: ":                                         {Binary: "/bin/true"},
		"the sandbox cannot begin: the setting NoSuch is unknown":                      {Settings: map[string]any{"NoSuch": 1}},
	} {
		refused := &refusal{TB: t}
		func() {
			defer func() { _ = recover() }()
			mambridgetest.NewWith(refused, options)
		}()
		if !strings.HasPrefix(refused.text, text) {
			t.Errorf("%q, not %q", refused.text, text)
		}
	}
}
