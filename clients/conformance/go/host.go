package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"mambridge"
)

// screen sets the PIN when asked to, but refuses to enter it. It answers an identity switch as it is told.
type screen struct {
	answer mambridge.AddIdentityResult
	delay  time.Duration
	client *mambridge.Client
	mutex  sync.Mutex
	asked  []string
}

func (s *screen) host() mambridge.Host {
	return mambridge.Host{PromptForPIN: s.promptForPIN, IdentitySwitchRequired: s.switchIdentity}
}

func (s *screen) note(format string, values ...any) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.asked = append(s.asked, fmt.Sprintf(format, values...))
}

func (s *screen) notes() []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.asked
}

func (s *screen) promptForPIN(_ context.Context, request mambridge.PromptForPINRequest) (mambridge.EnteredPIN, error) {
	challenge := request.Challenge
	s.note("%s in %s", challenge.Kind, value(challenge.Window))
	if challenge.Kind == mambridge.ChallengeKindSetPIN {
		return mambridge.EnteredPIN{PIN: mambridge.Ptr[mambridge.Secret]("2580")}, nil
	}
	return mambridge.EnteredPIN{}, mambridge.ErrCanceled
}

func (s *screen) switchIdentity(
	ctx context.Context, request mambridge.IdentitySwitchRequiredRequest,
) (mambridge.AddIdentityResult, error) {
	s.note("%s to '%s' in %s", request.Reason, value(request.Identity), value(request.Window))
	time.Sleep(s.delay)
	if s.answer == mambridge.AddIdentityResultFailed {
		return s.answer, nil
	}
	shown, err := s.client.PolicyManager.SetUIPolicyIdentity(ctx, mambridge.Ptr(""), inbox())
	if err != nil || shown != mambridge.SwitchIdentityResultSuccess {
		return mambridge.AddIdentityResultFailed, err
	}
	return mambridge.AddIdentityResultSuccess, nil
}

func inbox() *mambridge.PolicyManagerSetUIPolicyIdentityParams {
	return &mambridge.PolicyManagerSetUIPolicyIdentityParams{Window: mambridge.Ptr("inbox")}
}

// show starts a client whose window shows Alice, and returns how that went.
func (s *screen) show(ctx context.Context) mambridge.SwitchIdentityResult {
	s.client = start(&mambridge.Options{Host: s.host()})
	must(s.client.Initialize(ctx, nil))
	enrollAlice(ctx, s.client)
	return must(s.client.PolicyManager.SetUIPolicyIdentity(ctx, mambridge.Ptr(alice), inbox()))
}

func (s *screen) becomeActive(ctx context.Context) (mambridge.ConditionalLaunch, error) {
	params := &mambridge.ConditionalLaunchDidBecomeActiveParams{Window: mambridge.Ptr("inbox")}
	return s.client.ConditionalLaunch.DidBecomeActive(ctx, params)
}

func challengeAnswered(ctx context.Context) any {
	s := &screen{answer: mambridge.AddIdentityResultSuccess}
	shown := s.show(ctx)
	defer s.client.Close()
	status := must(s.client.PIN.Status(ctx, &mambridge.PINStatusParams{Account: mambridge.Ptr(alice)}))
	return object{"asked": s.notes(), "shown": shown, "isSet": status.IsSet}
}

func identitySwitchAnswered(ctx context.Context) any {
	return identitySwitch(ctx, mambridge.AddIdentityResultSuccess)
}

func identitySwitchRefused(ctx context.Context) any {
	return identitySwitch(ctx, mambridge.AddIdentityResultFailed)
}

func identitySwitch(ctx context.Context, answer mambridge.AddIdentityResult) any {
	s := &screen{answer: answer}
	s.show(ctx)
	defer s.client.Close()
	must(s.client.Debug.AdvanceClock(ctx, time.Hour))
	verdict := must(s.becomeActive(ctx)).Verdict
	params := &mambridge.PolicyManagerGetUIPolicyIdentityParams{Window: mambridge.Ptr("inbox")}
	account := value(must(s.client.PolicyManager.GetUIPolicyIdentity(ctx, params)))
	return object{"asked": s.notes(), "verdict": verdict, "shows": account.Identity}
}

func identitySwitchAnsweredLate(ctx context.Context) any {
	s := &screen{answer: mambridge.AddIdentityResultSuccess, delay: 1500 * time.Millisecond}
	s.show(ctx)
	defer s.client.Close()
	must(s.client.Debug.AdvanceClock(ctx, time.Hour))
	short, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	_, err := s.becomeActive(short)
	time.Sleep(2 * time.Second)
	return object{"asked": s.notes(), "end": nameOf(err), "alive": isAlive(ctx, s.client)}
}

func nameOf(err error) string {
	var named *mambridge.Error
	if errors.As(err, &named) {
		return named.Name
	}
	return fmt.Sprint("no error of the server: ", err)
}
