package mambridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"time"
)

var background = context.Background()

func TestOnlyWhatIsGivenIsSent(t *testing.T) {
	client, peer := connect(t, nil)
	since := time.Date(2026, 2, 3, 4, 5, 6, 7_000_000, time.FixedZone("", 3600))
	end := later(func() error {
		_, err := client.DiagnosticsLog.Query(background, &DiagnosticsLogQueryParams{Since: &since, Limit: Ptr[int64](math.MaxInt64)})
		return err
	})
	found := peer.next()
	if fmt.Sprint(found.Params) != "map[limit:9.223372036854776e+18 since:2026-02-03T03:05:06.007Z]" {
		t.Error(found.Params)
	}
	peer.answer(found, "[]")
	if err := <-end; err != nil {
		t.Error(err)
	}
}

func TestNilEmptyAndAbsentDiffer(t *testing.T) {
	for _, test := range []struct {
		accounts []string
		expected any
	}{{nil, nil}, {[]string{}, []any{}}, {[]string{"a"}, []any{"a"}}} {
		client, peer := connect(t, nil)
		later(func() error {
			_, err := client.PolicyManager.SetUIPolicyAccounts(background, test.accounts, nil)
			return err
		})
		expected := map[string]any{"accounts": test.expected}
		if found := peer.next().Params; !reflect.DeepEqual(found, expected) {
			t.Errorf("sent %v, not %v", found, expected)
		}
	}
}

func TestAValueWithoutJSONFormIsRefusedBeforeItIsSent(t *testing.T) {
	client, _ := connect(t, nil)
	if err := client.Call(background, "echo", map[string]any{"value": math.NaN()}, nil); err == nil {
		t.Error("NaN was sent")
	}
	if _, err := client.Debug.AdvanceClock(background, time.Millisecond); err == nil {
		t.Error("a millisecond was sent")
	}
}

func TestRepliesOutOfOrderFindTheirCallers(t *testing.T) {
	client, peer := connect(t, nil)
	results := make(chan string, 8)
	for index := 0; index < 8; index++ {
		go func(sent string) {
			var found string
			err := client.Call(background, "echo", map[string]any{"value": sent}, &found)
			results <- fmt.Sprint(found == sent, err)
		}(fmt.Sprint(index))
	}
	var requests []request
	for range [8]int{} {
		requests = append(requests, peer.next())
	}
	for index := range requests {
		found := requests[len(requests)-1-index]
		peer.answer(found, fmt.Sprintf("%q", found.Params["value"]))
	}
	for range requests {
		if found := <-results; found != "true <nil>" {
			t.Error(found)
		}
	}
}

func TestACancelThatIsTooLateLosesNoReply(t *testing.T) {
	client, peer := connect(t, nil)
	ctx, cancel := context.WithCancel(background)
	var version string
	end := later(func() (err error) {
		version, err = client.VersionInfo.SDKVersion(ctx)
		return err
	})
	found := peer.next()
	cancel()
	if cancelled := peer.next(); cancelled.Method != "$/cancelRequest" || cancelled.Params["id"] != found.ID {
		t.Error(cancelled)
	}
	peer.answer(found, `"21"`)
	if err := <-end; err != nil || version != "21" {
		t.Error(version, err)
	}
	if _, err := client.VersionInfo.SDKVersion(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestACallWithoutAnswerEndsAfterItsDeadline(t *testing.T) {
	t.Parallel()
	client, peer := connect(t, nil)
	ctx, cancel := context.WithTimeout(background, 50*time.Millisecond)
	defer cancel()
	end := later(func() error { return client.Shutdown(ctx) })
	meta := peer.next().Params["_meta"].(map[string]any)
	if limit := meta["timeoutMilliseconds"].(float64); limit < 1 || limit > 51 {
		t.Error(limit)
	}
	if err := <-end; !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if found := peer.next(); found.Method != "$/cancelRequest" {
		t.Error(found)
	}
}

func TestProgressIsHeardBeforeTheCallReturns(t *testing.T) {
	client, peer := connect(t, nil)
	var heard []string
	ctx := WithProgress(background, func(progress Progress) { heard = append(heard, progress.Kind) })
	end := later(func() error { return client.Shutdown(ctx) })
	found := peer.next()
	for _, kind := range []string{"begin", "report", "end"} {
		peer.say(`{"jsonrpc":"2.0","method":"$/progress","params":{"token":%v,"value":{"kind":"%s"}}}`, found.ID, kind)
	}
	peer.answer(found, "null")
	if err := <-end; err != nil || strings.Join(heard, " ") != "begin report end" {
		t.Error(heard, err)
	}
}

func TestAnErrorIsComparedByName(t *testing.T) {
	client, peer := connect(t, nil)
	end := later(func() error { return client.Shutdown(background) })
	peer.say(`{"jsonrpc":"2.0","id":%v,"error":{"code":4001,"message":"no policy yet",`+
		`"data":{"name":"policyRequired","retryable":true,"hint":"enroll first","number":9007199254740993}}}`, peer.next().ID)
	err := <-end
	if !errors.Is(err, ErrPolicyRequired) || errors.Is(err, ErrEmptyData) || errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err.Error() != "mambridge: policyRequired (4001): no policy yet (enroll first)" {
		t.Error(err)
	}
	var named *Error
	if !errors.As(err, &named) || !named.Retryable || fmt.Sprint(named.Data["number"]) != "9007199254740993" {
		t.Errorf("%+v", named)
	}
}

func TestAnErrorWithoutIDAnswersTheLongestRequest(t *testing.T) {
	client, peer := connect(t, nil)
	short := later(func() error { return client.Shutdown(background) })
	peer.next()
	long := later(func() error {
		return client.Call(background, "x", map[string]any{"text": strings.Repeat("x", 99)}, nil)
	})
	peer.next()
	peer.say(`{"jsonrpc":"2.0","id":null,"error":{"code":-32004,"message":"too long","data":{"name":"limitExceeded"}}}`)
	if err := <-long; !errors.Is(err, ErrLimitExceeded) || len(short) > 0 {
		t.Error(err)
	}
}

func TestAResultOfAnotherFormIsNamedButNotQuoted(t *testing.T) {
	for result, expected := range map[string]string{
		`{"users":[]}`: `the result of tenant.status has no member "source"`,
		`null`:         "the result of tenant.status is null",
		`"secret"`:     "the result of tenant.status has a member of the wrong type",
	} {
		client, peer := connect(t, nil)
		end := later(func() error {
			_, err := client.Tenant.Status(background, nil)
			return err
		})
		peer.answer(peer.next(), result)
		if err := <-end; !errors.Is(err, ErrUnexpectedReply) || !strings.HasSuffix(err.Error(), expected) {
			t.Error(err)
		}
	}
}

func TestWhatANewerServerAddsIsNoError(t *testing.T) {
	client, peer := connect(t, nil)
	var status *UserStatus
	end := later(func() (err error) {
		status, err = client.UserStatusManager.UserStatus(background, nil)
		return err
	})
	peer.answer(peer.next(), `{"clockStatus":"aStatusOfTomorrow","moodOfTomorrow":"fine"}`)
	if err := <-end; err != nil || status.ClockStatus != "aStatusOfTomorrow" {
		t.Error(status, err)
	}
}

func TestALostConnectionEndsEveryCall(t *testing.T) {
	for _, end := range []func(*peer){
		func(peer *peer) { peer.finish() },
		func(peer *peer) { peer.say("this is no JSON") },
	} {
		client, peer := connect(t, nil)
		first := later(func() error { return client.Shutdown(background) })
		second := later(func() error { return client.Shutdown(background) })
		peer.next()
		peer.next()
		end(peer)
		for _, err := range []error{<-first, <-second, client.Shutdown(background)} {
			var lost *ConnectionLostError
			if !errors.As(err, &lost) {
				t.Error(err)
			}
		}
	}
}

func TestAClosedClientRefusesCalls(t *testing.T) {
	client, peer := connect(t, nil)
	end := later(client.Close)
	if _, err := peer.input.ReadByte(); err != io.EOF {
		t.Error(err)
	}
	peer.finish()
	<-end
	var lost *ConnectionLostError
	if err := client.Shutdown(background); !errors.As(err, &lost) {
		t.Error(err)
	}
}

func TestAServerThatIgnoresTheEndOfItsInputIsEnded(t *testing.T) {
	t.Parallel()
	child, err := startChild(exec.Command("sh", "-c", "trap '' TERM; echo ready >&2; while :; do sleep 0.1; done"), false)
	if err != nil {
		t.Fatal(err)
	}
	client := newClient(child, nil)
	for deadline := time.Now().Add(10 * time.Second); len(child.lastWords()) == 0 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	begin := time.Now()
	child.end(0)
	if lost := child.lost(); lost.Signal != 9 || time.Since(begin) > 9*time.Second {
		t.Error(lost)
	}
	if err := client.Close(); err == nil || client.ExitCode() != -1 {
		t.Error(err)
	}
}

func TestTheLastLinesOfTheServerAreInTheError(t *testing.T) {
	script := "for i in $(seq 30); do echo line $i >&2; done; exit 74"
	client, err := Start(exec.Command("sh", "-c", script), nil)
	if err != nil {
		t.Fatal(err)
	}
	err = client.Close()
	var lost *ConnectionLostError
	if !errors.As(err, &lost) || lost.ExitCode != 74 || len(lost.LastLines) != 20 || lost.LastLines[19] != "line 30" {
		t.Error(err)
	}
}

func TestACommandThatDoesNotExistIsAPlainError(t *testing.T) {
	if _, err := Start(exec.Command("/nowhere/mambridge"), nil); err == nil {
		t.Error("it started")
	}
	for _, address := range []string{"4711", "http://localhost:1", ""} {
		if _, err := Dial(background, address, nil); err == nil || !strings.Contains(err.Error(), "is no address") {
			t.Error(err)
		}
	}
}

func TestASecretDoesNotShow(t *testing.T) {
	pin := Secret("2580")
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		for _, value := range []any{pin, &pin, EnteredPIN{PIN: &pin}, &Credentials{AccessToken: pin}, []Secret{pin}} {
			if text := fmt.Sprintf(verb, value); strings.Contains(text, "2580") || strings.Contains(text, "32353830") {
				t.Errorf("%s prints %s", verb, text)
			}
		}
	}
}

func TestEventsArriveInOrderAndMayMakeCalls(t *testing.T) {
	heard := make(chan Event, 3)
	var client *Client
	ready := make(chan struct{})
	client, peer := connect(t, &Options{OnEvent: func(event Event) {
		<-ready
		_ = client.Shutdown(background)
		heard <- event
	}})
	close(ready)
	peer.say(`{"jsonrpc":"2.0","method":"policyManager.policyDidChange","params":{"seq":1,"time":"2026-02-02T02:40:00.000Z"}}`)
	peer.say(`{"jsonrpc":"2.0","method":"news.ofTomorrow","params":{"seq":2}}`)
	peer.answer(peer.next(), "null")
	peer.answer(peer.next(), "null")
	if event, ok := (<-heard).(*PolicyDidChange); !ok || event.Seq != 1 || event.Time.Year() != 2026 || event.Identity != nil {
		t.Error(event)
	}
	if event, ok := (<-heard).(*UnknownEvent); !ok || event.EventName() != "news.ofTomorrow" || string(event.Params) != `{"seq":2}` {
		t.Error(event)
	}
}

func TestAPanicOfAHandlerDoesNotStopOtherEvents(t *testing.T) {
	heard := make(chan Event, 1)
	log := &strings.Builder{}
	_, peer := connect(t, &Options{ErrorLog: logger(log), OnEvent: func(event Event) {
		if event.EventName() == "bad" {
			panic("a bad event")
		}
		heard <- event
	}})
	peer.say(`{"jsonrpc":"2.0","method":"bad","params":{}}`)
	peer.say(`{"jsonrpc":"2.0","method":"good","params":{}}`)
	if event := <-heard; event.EventName() != "good" || !strings.Contains(log.String(), "a bad event") {
		t.Error(event, log)
	}
}

func logger(output io.Writer) *log.Logger { return log.New(output, "", 0) }

func TestTheHostAnswersTheServer(t *testing.T) {
	host := Host{
		PromptForCredentials: func(_ context.Context, request PromptForCredentialsRequest) (Credentials, error) {
			return Credentials{*request.Identity, "a token"}, nil
		},
		AddIdentity: func(context.Context, AddIdentityRequest) (AddIdentityResult, error) {
			return "", fmt.Errorf("the user said: %w", ErrCanceled)
		},
		IsExternalURL: func(context.Context, IsExternalURLRequest) (bool, error) {
			return false, errors.New("a secret of the host")
		},
		CaptureWindow:           func(context.Context, CaptureWindowRequest) ([]byte, error) { panic("a secret of the host") },
		ManagementWillBeRemoved: func(context.Context, ManagementWillBeRemovedRequest) error { return nil },
	}
	_, peer := connect(t, &Options{Host: host, ErrorLog: logger(io.Discard)})
	for _, test := range []struct{ method, params, expected string }{
		{"ui.promptForCredentials", `{"identity":"a","message":"m","authorities":[]}`, "map[accessToken:a token userPrincipalName:a] map[]"},
		{"policyDelegate.addIdentity", `{}`, "<nil> map[code:7002 message:" + ErrCanceled.Message + "]"},
		{"policyDelegate.managementWillBeRemoved", `{}`, "<nil> map[]"},
		{"webViewPolicyDelegate.isExternalURL", `{"webViewer":"w","url":"u"}`,
			"<nil> map[code:-32603 message:the host failed to answer webViewPolicyDelegate.isExternalURL]"},
		{"ui.captureWindow", `{}`, "<nil> map[code:-32603 message:the host failed to answer ui.captureWindow]"},
		{"webViewPolicyDelegate.isExternalURL", `{}`,
			"<nil> map[code:-32602 message:this host cannot read the params of webViewPolicyDelegate.isExternalURL]"},
		{"ui.showAlert", `{}`, "<nil> map[code:-32601 message:this host does not answer ui.showAlert]"},
		{"ui.ofTomorrow", `null`, "<nil> map[code:-32601 message:this host does not answer ui.ofTomorrow]"},
	} {
		peer.say(`{"jsonrpc":"2.0","id":"s1","method":"%s","params":%s}`, test.method, test.params)
		if found := peer.next(); found.ID != "s1" || fmt.Sprint(found.Result, " ", found.Error) != test.expected {
			t.Errorf("%s: %v %v", test.method, found.Result, found.Error)
		}
	}
}

func TestInitializeDeclaresWhatTheHostAnswers(t *testing.T) {
	host := Host{CaptureWindow: func(context.Context, CaptureWindowRequest) ([]byte, error) { return nil, nil }}
	client, peer := connect(t, &Options{Host: host})
	later(func() error {
		_, err := client.Initialize(background, nil)
		return err
	})
	if found := peer.next().Params; fmt.Sprint(found) != "map[delegates:[ui.captureWindow]]" {
		t.Error(found)
	}
}
