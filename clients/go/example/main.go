// Example enrolls a sample account, asks about its policy, and protects a text: example [EXECUTABLE].
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"

	"mambridge"
)

const alice = "alice@contoso.example"

func main() {
	executable := "mambridge"
	if len(os.Args) > 1 {
		executable = os.Args[1]
	}
	state, err := os.MkdirTemp("", "mambridge")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(state)
	client, err := mambridge.Start(exec.Command(executable, "--tenant", "sample", "--state", state), nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := show(context.Background(), client); err != nil {
		log.Print(err)
	}
	if err := client.Close(); err != nil {
		log.Print(err)
	}
}

func show(ctx context.Context, client *mambridge.Client) error {
	account := mambridge.Ptr(alice)
	status, err := client.EnrollmentManager.RegisterAndEnrollAccount(ctx, account)
	if err != nil {
		return err
	}
	fmt.Println("enrollment:", status.Status)
	params := &mambridge.PolicyIsSaveToAllowedForLocationParams{Account: account, LocationAccount: account}
	for _, location := range []mambridge.SaveLocation{
		mambridge.SaveLocationLocalDrive, mambridge.SaveLocationOneDriveForBusiness, mambridge.SaveLocationDropbox,
	} {
		allowed, err := client.Policy.IsSaveToAllowedForLocation(ctx, location, params)
		if err != nil {
			return err
		}
		fmt.Printf("save to %s: %v\n", location, allowed)
	}
	secret, err := client.DataProtectionManager.ProtectString(ctx, mambridge.Ptr("quarterly figures"), account)
	if err != nil {
		return err
	}
	text, err := client.DataProtectionManager.UnprotectString(ctx, &secret)
	if err != nil {
		return err
	}
	fmt.Println("unprotected:", text)
	_, err = client.File.Open(ctx, "/no/such/file", nil)
	var refusal *mambridge.Error
	if errors.Is(err, mambridge.ErrFileUnavailable) && errors.As(err, &refusal) {
		fmt.Println("refused:", refusal.Message)
		return nil
	}
	return err
}
