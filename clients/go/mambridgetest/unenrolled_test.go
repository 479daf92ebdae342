package mambridgetest

import (
	"testing"

	"mambridge"
)

// failing is a test that remembers how it failed.
type failing struct {
	testing.TB
	text string
}

func (*failing) Helper() {}

func (f *failing) Fatal(text ...any) { f.text = text[0].(string) }

func TestAStatusMayLackItsUserAndItsText(t *testing.T) {
	for said, status := range map[string]mambridge.EnrollmentStatus{
		" is not enrolled: ":      {},
		"bob is not enrolled: ":   {Identity: mambridge.Ptr("bob")},
		" is not enrolled: lost":  {ErrorString: mambridge.Ptr("lost")},
		"bob is not enrolled: no": {Identity: mambridge.Ptr("bob"), ErrorString: mambridge.Ptr("no")},
	} {
		failed := &failing{TB: t}
		(&Sandbox{t: failed}).failUnenrolled(status)
		if failed.text != said {
			t.Errorf("%q, not %q", failed.text, said)
		}
	}
}
