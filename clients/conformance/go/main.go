// Main does a scenario of the conformance tests with the Go client: driver SCENARIO COMMAND…. See ../README.md.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"time"

	"mambridge"
)

const (
	alice = "alice@contoso.example"
	bob   = "bob@contoso.example"
)

// object is a result as the table has it.
type object map[string]any

var scenarios = map[string]func(ctx context.Context) any{
	"enroll":                        enroll,
	"every value":                   everyValue,
	"error by name":                 errorByName,
	"event pushed":                  eventPushed,
	"challenge answered":            challengeAnswered,
	"identity switch answered":      identitySwitchAnswered,
	"identity switch refused":       identitySwitchRefused,
	"identity switch answered late": identitySwitchAnsweredLate,
	"megabyte":                      megabyte,
	"fifty calls":                   fiftyCalls,
	"cancel":                        cancel,
	"deadline":                      deadline,
	"progress":                      progress,
	"server killed":                 serverKilled,
	"server gone at start":          serverGoneAtStart,
	"clean shutdown":                cleanShutdown,
	"reaper":                        reaper,
	"ignored SIGCHLD":               ignoredSIGCHLD,
	"signal during a call":          signalDuringACall,
	"stopped server":                stoppedServer,
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Second)
	defer cancel()
	scenario, ok := scenarios[os.Args[1]]
	if !ok {
		fail(fmt.Errorf("no scenario is called %s", os.Args[1]))
	}
	check(json.NewEncoder(os.Stdout).Encode(scenario(ctx)))
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func check(err error) {
	if err != nil {
		fail(err)
	}
}

// must returns the result of a call that succeeds.
func must[T any](result T, err error) T {
	check(err)
	return result
}

// value returns what a pointer points to, or the zero value for nil.
func value[T any](pointer *T) (found T) {
	if pointer != nil {
		found = *pointer
	}
	return found
}

func start(options *mambridge.Options) *mambridge.Client {
	return must(mambridge.Start(exec.Command(os.Args[2], os.Args[3:]...), options))
}

func startEnrolled(ctx context.Context) *mambridge.Client {
	client := start(nil)
	enrollAlice(ctx, client)
	return client
}

func enrollAlice(ctx context.Context, client *mambridge.Client) {
	must(client.EnrollmentManager.RegisterAndEnrollAccount(ctx, mambridge.Ptr(alice)))
}

func isAlive(ctx context.Context, client *mambridge.Client) bool {
	return must(client.VersionInfo.SDKVersion(ctx)) != ""
}
