package mambridge

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestALineThatIsNoMessageEndsNoCallAsAReply(t *testing.T) {
	for _, line := range []string{`{}`, `null`, `[null]`, `{"jsonrpc":"2.0","result":true}`, `5`, `{"id":1`} {
		client, peer := connect(t, nil)
		end := later(func() error { return client.Shutdown(background) })
		peer.next()
		peer.say(line)
		var lost *ConnectionLostError
		if err := <-end; !errors.As(err, &lost) || lost.Reason != "the server sent a line that is no message" {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestAReplyThatNobodyWaitsForIsDropped(t *testing.T) {
	client, peer := connect(t, nil)
	end := later(func() error { return client.Shutdown(background) })
	found := peer.next()
	for _, id := range []string{"99", `"1"`, "1.5", "99999999999999999999", "true"} {
		peer.say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"not yours"}}`, id)
	}
	peer.answer(found, "null")
	if err := <-end; err != nil {
		t.Error(err)
	}
}

func TestALineHasAGreatestLength(t *testing.T) {
	reader := bufio.NewReaderSize(strings.NewReader("123456789012345678901234\nabc\nde"), 16)
	for _, expected := range []string{"123456789012345678901234\n", "abc\n", "de"} {
		if line, err := readLine(reader, 25); string(line) != expected || err != nil && err != io.EOF {
			t.Error(string(line), err)
		}
	}
	if _, err := readLine(bufio.NewReaderSize(strings.NewReader(strings.Repeat("x", 99)), 16), 25); err != errLongLine {
		t.Error(err)
	}
}

// pastDeadline is a context whose deadline has passed and which does not know it yet.
type pastDeadline struct{ context.Context }

func (pastDeadline) Deadline() (time.Time, bool) { return time.Now().Add(-time.Second), true }

func TestADeadlineIsNeverSentAsNegative(t *testing.T) {
	client, peer := connect(t, nil)
	end := later(func() error { return client.Shutdown(pastDeadline{background}) })
	found := peer.next()
	if meta := fmt.Sprint(found.Params); meta != "map[_meta:map[timeoutMilliseconds:1]]" {
		t.Error(meta)
	}
	peer.answer(found, "null")
	<-end
}

func TestAnErrorThatCannotBeSentIsAnInternalError(t *testing.T) {
	var none *Error
	for _, refusal := range []error{&Error{Code: 7002, Data: map[string]any{"number": math.NaN()}}, none} {
		_, peer := connect(t, &Options{ErrorLog: logger(io.Discard), Host: Host{
			ManagementWillBeRemoved: func(context.Context, ManagementWillBeRemovedRequest) error { return refusal },
		}})
		peer.say(`{"jsonrpc":"2.0","id":"s1","method":"policyDelegate.managementWillBeRemoved","params":{}}`)
		if found := peer.next(); fmt.Sprint(found.Error["code"]) != "-32603" {
			t.Error(found)
		}
	}
}

func TestALongLineOnStderrIsBounded(t *testing.T) {
	copied := &strings.Builder{}
	command := exec.Command("sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' x >&2; echo; echo end >&2; exit 3")
	command.Stderr = copied
	client, err := Start(command, nil)
	if err != nil {
		t.Fatal(err)
	}
	var lost *ConnectionLostError
	if err := client.Close(); !errors.As(err, &lost) || len(lost.Error()) > 100_000*lastLines || copied.Len() != 3_000_004 {
		t.Error(len(lost.Error()), copied.Len())
	}
}

func TestAPeerThatDoesNotAuthenticateHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("00ff"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(background, 100*time.Millisecond)
	defer cancel()
	begin := time.Now()
	_, err = Dial(ctx, "tcp://"+listener.Addr().String(), &Options{TokenFile: file})
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) > 2*grace {
		t.Error(err, time.Since(begin))
	}
}

func TestAStoppedServerHoldsNoCallPastItsDeadline(t *testing.T) {
	t.Parallel()
	if os.Getenv("MAMBRIDGE") == "" {
		t.Skip("MAMBRIDGE names no server")
	}
	client, err := Start(exec.Command(os.Getenv("MAMBRIDGE"), "--tenant", "sample", "--state", t.TempDir()), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.VersionInfo.SDKVersion(background); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(client.PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(background, 100*time.Millisecond)
	defer cancel()
	begin := time.Now()
	ends := make(chan error, 20)
	for index := 0; index < cap(ends); index++ {
		go func() { ends <- client.Call(ctx, "x", map[string]any{"text": strings.Repeat("x", 1<<20)}, nil) }()
	}
	for index := 0; index < cap(ends); index++ {
		if err := <-ends; !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	}
	if time.Since(begin) > 2*grace {
		t.Error(time.Since(begin))
	}
	client.stream.end(0)
	var lost *ConnectionLostError
	if err := client.Close(); !errors.As(err, &lost) || lost.Signal != syscall.SIGKILL || time.Since(begin) > 4*grace {
		t.Error(err, time.Since(begin))
	}
}

func TestALineThatTheEndCutsOffHidesNoReason(t *testing.T) {
	client, peer := connect(t, nil)
	end := later(func() error { return client.Shutdown(background) })
	peer.next()
	fmt.Fprint(peer.output, `{"jsonrpc":"2.0","id":1`)
	peer.finish()
	if err := <-end; !strings.HasSuffix(err.Error(), "the peer is gone") {
		t.Error(err)
	}
}

func TestANilPointerInSettingsIsNull(t *testing.T) {
	client, peer := connect(t, nil)
	end := later(func() error {
		return client.Debug.SetPolicy(background, TestSettings{"a": (*time.Duration)(nil), "b": (*time.Time)(nil)}, nil)
	})
	found := peer.next()
	if fmt.Sprint(found.Params) != "map[settings:map[a:<nil> b:<nil>]]" {
		t.Error(found.Params)
	}
	peer.answer(found, "null")
	<-end
}

func TestAServerInAnotherFolderIsToldSo(t *testing.T) {
	command := exec.Command("true")
	command.Dir = t.TempDir()
	leaveGroup(command)
	if !contains(command.Env, "PWD="+command.Dir) || !contains(command.Env, groupVariable+"=own") {
		t.Error(command.Env)
	}
}

func contains(entries []string, wanted string) bool {
	for _, entry := range entries {
		if entry == wanted {
			return true
		}
	}
	return false
}

func TestAnObjectIsWrittenAsEncodingJSONWritesIt(t *testing.T) {
	texts := []string{"", "plain", `quote " and \`, "<a>&", "tab\t", "\x7f", "é", "\u2028", "\xff", "\x00"}
	for _, text := range texts {
		nested := map[string]any{"a": text, text: map[string]any{"n": int64(-7), "list": []string{text}, "none": nil}}
		want, err := json.Marshal(nested)
		if err != nil {
			t.Fatal(err)
		}
		got, err := lineOf(members{"a": text, text: members{"n": int64(-7), "list": []string{text}, "none": nil}})
		if err != nil || string(got) != string(want)+"\n" {
			t.Errorf("%q is written as %s, not %s: %v", text, got, want, err)
		}
	}
}
