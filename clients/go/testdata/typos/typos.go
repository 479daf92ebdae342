// Each line that ends in "// wrong" has one mistake, which the compiler must reject; it must accept the others.
package main

import (
	"context"
	"time"

	"mambridge"
)

func main() {}

var host = mambridge.Host{
	PromptForPIN: func(context.Context, mambridge.PromptForPINRequest) (mambridge.EnteredPIN, error) {
		return mambridge.EnteredPIN{Pim: nil}, mambridge.ErrCanceled // wrong
	},
	ShowAlert:  func(context.Context, mambridge.ShowAlertRequest) (string, error) { return "OK", nil }, // wrong
	ShowAlerts: nil,                                                                                    // wrong
	AddIdentity: func(_ context.Context, request mambridge.AddIdentityRequest) (mambridge.AddIdentityResult, error) {
		return mambridge.AddIdentityResultSucess, nil // wrong
	},
	BlockAccount: func(_ context.Context, request mambridge.BlockAccountRequest) (mambridge.BlockAccountResult, error) {
		return request.Reason, nil // wrong
	},
}

func ask(ctx context.Context, client *mambridge.Client, alice *string) {
	_, _ = client.Policy.IsPINRequired(ctx, nil)
	_, _ = client.Policy.IsPinRequired(ctx, nil)                                                      // wrong
	_, _ = client.Polcy.IsPINRequired(ctx, nil)                                                       // wrong
	_, _ = client.PolicyManager.IsPINRequired(ctx, nil)                                               // wrong
	_, _ = client.Policy.IsPINRequired(nil)                                                           // wrong
	_, _ = client.Policy.IsPINRequired(ctx, &mambridge.PolicyIsPINRequiredParams{Acount: alice})      // wrong
	_, _ = client.Policy.IsPINRequired(ctx, &mambridge.PolicyIsPINRequiredParams{Account: "alice"})   // wrong
	_, _ = client.Policy.IsPINRequired(ctx, &mambridge.PolicyIsManagedBrowserRequiredParams{})        // wrong
	_, _ = client.Policy.IsSaveToAllowedForLocation(ctx, mambridge.SaveLocationDropbx, nil)           // wrong
	_, _ = client.Policy.IsSaveToAllowedForLocation(ctx, mambridge.OpenLocationOther, nil)            // wrong
	_, _ = client.Policy.IsSaveToAllowedForLocation(ctx, 64, nil)                                     // wrong
	_, _ = client.Policy.IsSaveToAllowedForLocation(ctx, nil)                                         // wrong
	_, _ = client.DataProtectionManager.Protect(ctx, []byte("text"))                                  // wrong
	_, _ = client.DataProtectionManager.Protect(ctx, "text", alice)                                   // wrong
	_, _ = client.Initialize(ctx, &mambridge.InitializeParams{Events: []mambridge.PushName{"a", 1}})  // wrong
	_, _ = client.Initialize(ctx, &mambridge.InitializeParams{SDKLevel: mambridge.Ptr[int64](21)})    // wrong
	_, _ = client.Debug.AdvanceClock(ctx, "P1D")                                                      // wrong
	_, _ = client.File.Open(ctx, "/tmp/x", &mambridge.FileOpenParams{Flags: []string{"readOnly"}})    // wrong
	_ = client.Settings.Set(ctx, mambridge.SettingChanges{mambridge.SettingNameAccentColour: "#FFF"}) // wrong
	_ = client.Settings.Set(ctx, mambridge.TestSettings{"AccentColor": "#FFF"})                       // wrong
	_ = client.PIN.Set(ctx, 2580, nil)                                                                // wrong
	_ = client.Shutdown()                                                                             // wrong
	_ = mambridge.ErrPolicyNeeded                                                                     // wrong
	_ = mambridge.ShareTarget{Identifier: "id"}                                                       // wrong
}

func read(ctx context.Context, client *mambridge.Client, event mambridge.Event, alice *string) {
	var isRequired bool
	var text string
	var moment time.Time
	isRequired, _ = client.Policy.IsPINRequired(ctx, nil)
	text, _ = client.Policy.IsPINRequired(ctx, nil)                          // wrong
	isRequired = client.Policy.IsPINRequired(ctx, nil)                       // wrong
	text, _ = client.DataProtectionManager.Protect(ctx, []byte(text), alice) // wrong
	status, _ := client.EnrollmentManager.RegisterAndEnrollAccount(ctx, alice)
	text = status.Statuscode // wrong
	isRequired = status.Status == mambridge.EnrollmentStatusCodeNewPoliciesReceived
	isRequired = status.Status == mambridge.AccountAccessAllow // wrong
	account, _ := client.EnrollmentManager.EnrolledAccount(ctx)
	text = account.Identity // wrong
	page, _ := client.Tenant.Status(ctx, nil)
	moment = page.Accounts[0].EnrolledAt // wrong
	if change, ok := event.(*mambridge.PolicyDidChange); ok {
		moment = change.Time
		text = change.Verdict // wrong
	}
	if _, ok := event.(mambridge.PolicyDidChange); ok { // wrong
		_ = moment
	}
	_, _ = text, isRequired
}
