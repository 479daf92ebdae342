package main

import (
	"context"
	"encoding/hex"
	"errors"
	"path/filepath"
	"sort"
	"time"

	"mambridge"
)

func enroll(ctx context.Context) any {
	client := start(nil)
	defer client.Close()
	manager := client.EnrollmentManager
	before := must(manager.EnrolledAccount(ctx))
	status := must(manager.RegisterAndEnrollAccount(ctx, mambridge.Ptr(alice)))
	refused := must(manager.RegisterAndEnrollAccount(ctx, mambridge.Ptr(bob)))
	accounts := []string{}
	for _, account := range must(manager.RegisteredAccounts(ctx)) {
		accounts = append(accounts, value(account.Identity))
	}
	return object{
		"before": before, "status": status.Status, "statusCode": status.StatusCode, "didSucceed": status.DidSucceed,
		"error": status.Error, "access": status.Access, "refused": refused.Status, "domain": value(refused.Error).Domain,
		"accounts": accounts,
	}
}

func everyValue(ctx context.Context) any {
	client := startEnrolled(ctx)
	defer client.Close()
	account := mambridge.Ptr(alice)
	before := must(client.Debug.AdvanceClock(ctx, time.Second)).Time
	after := must(client.Debug.AdvanceClock(ctx, 24*time.Hour+time.Second)).Time
	setPolicy(ctx, client)
	values, sources := settings(ctx, client)
	config := client.AppConfig
	check(client.PIN.Set(ctx, "2580", &mambridge.PINSetParams{Account: account}))
	return object{
		"seconds": after.Sub(before).Seconds(), "bytes": protectedBytes(ctx, client), "text": protectedText(ctx, client),
		"true":     must(client.Policy.IsPINRequired(ctx, &mambridge.PolicyIsPINRequiredParams{Account: account})),
		"enum":     must(client.Policy.NotificationPolicy(ctx, &mambridge.PolicyNotificationPolicyParams{Account: account})),
		"enums":    strictChecks(ctx, client),
		"settings": values, "sources": sources, "targets": shareTargets(ctx, client),
		"number": must(config.NumberValueForKey(ctx, "example.maximumAttachmentMegabytes",
			&mambridge.AppConfigNumberValueForKeyParams{Account: account})),
		"absent":  must(config.NumberValueForKey(ctx, "no.such.key", &mambridge.AppConfigNumberValueForKeyParams{Account: account})),
		"objects": sortedNames(must(config.FullData(ctx, &mambridge.AppConfigFullDataParams{Account: account}))[0]),
		"isSet":   must(client.PIN.Status(ctx, &mambridge.PINStatusParams{Account: account})).IsSet,
	}
}

func protectedBytes(ctx context.Context, client *mambridge.Client) string {
	sealed := must(client.DataProtectionManager.Protect(ctx, []byte{0, 0xff}, mambridge.Ptr(alice)))
	return hex.EncodeToString(must(client.DataProtectionManager.Unprotect(ctx, sealed)))
}

func protectedText(ctx context.Context, client *mambridge.Client) string {
	sealed := must(client.DataProtectionManager.ProtectString(ctx, mambridge.Ptr("Grüße 👋\n\"\\"), mambridge.Ptr(alice)))
	return must(client.DataProtectionManager.UnprotectString(ctx, &sealed))
}

func setPolicy(ctx context.Context, client *mambridge.Client) {
	policy := mambridge.TestSettings{"pinRequired": true, "periodBeforePinReset": 30 * 24 * time.Hour}
	check(client.Debug.SetPolicy(ctx, policy, &mambridge.DebugSetPolicyParams{Account: mambridge.Ptr(alice)}))
}

func settings(ctx context.Context, client *mambridge.Client) (values, sources object) {
	check(client.Settings.Set(ctx, mambridge.SettingChanges{
		mambridge.SettingNameSplashIconFileIPad: "icon.png",
		mambridge.SettingNameAccentColor:        "#0A84FF",
		mambridge.SettingNameSplashDuration:     2.5,
	}))
	check(client.Settings.Set(ctx, mambridge.SettingChanges{mambridge.SettingNameAccentColor: nil}))
	names := []mambridge.SettingName{
		mambridge.SettingNameSplashIconFileIPad, mambridge.SettingNameAccentColor, mambridge.SettingNameSplashDuration,
		mambridge.SettingNameMultiIdentity,
	}
	values, sources = object{}, object{}
	for name, setting := range must(client.Settings.Get(ctx, &mambridge.SettingsGetParams{Names: names})) {
		values[name], sources[name] = setting.Value, setting.Source
	}
	return values, sources
}

func shareTargets(ctx context.Context, client *mambridge.Client) []string {
	targets := []mambridge.ShareTarget{
		{ID: "com.example.notes"}, {ID: "com.contoso.mail", Managed: true, Account: mambridge.Ptr(alice)},
	}
	found := []string{}
	filtered := must(client.Enforcement.FilterShareTargets(
		ctx, targets, &mambridge.EnforcementFilterShareTargetsParams{Account: mambridge.Ptr(alice)}))
	for _, target := range filtered.Targets {
		found = append(found, target.ID)
	}
	return found
}

func strictChecks(ctx context.Context, client *mambridge.Client) object {
	off := []mambridge.StrictCheck{mambridge.StrictCheckDeprecatedAPI, mambridge.StrictCheckSevereEvent}
	found := object{"severeEvent": false, "upnIdentityParam": false}
	for _, on := range must(client.StrictMode.Disable(ctx, &mambridge.StrictModeDisableParams{Checks: off})) {
		if _, ok := found[string(on)]; ok {
			found[string(on)] = true
		}
	}
	return found
}

func sortedNames(members map[string]any) []string {
	names := []string{}
	for name := range members {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func errorByName(ctx context.Context) any {
	client := startEnrolled(ctx)
	defer client.Close()
	var empty, missing *mambridge.Error
	_, err := client.DataProtectionManager.ProtectString(ctx, mambridge.Ptr(""), mambridge.Ptr(alice))
	if !errors.Is(err, mambridge.ErrEmptyData) || !errors.As(err, &empty) {
		return err
	}
	_, err = client.File.Open(ctx, must(filepath.Abs("no such file")), nil)
	if !errors.As(err, &missing) {
		return err
	}
	return []object{
		{"name": empty.Name, "code": empty.Code, "domain": empty.Domain, "sdkCode": empty.SDKCode,
			"retryable": empty.Retryable, "message": empty.Message},
		{"name": missing.Name, "code": missing.Code, "hint": missing.Hint, "data": missing.Data},
	}
}

func megabyte(ctx context.Context) any {
	client := startEnrolled(ctx)
	defer client.Close()
	data := make([]byte, 1<<20)
	for index := range data {
		data[index] = byte(index * 7 % 251)
	}
	sealed := must(client.DataProtectionManager.Protect(ctx, data, mambridge.Ptr(alice)))
	opened := must(client.DataProtectionManager.Unprotect(ctx, sealed))
	return object{"length": len(opened), "same": string(opened) == string(data), "longer": len(sealed) > len(data)}
}
