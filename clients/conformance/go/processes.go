package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"mambridge"
)

// reaper waits for any child, again and again.
func reaper(ctx context.Context) any {
	go func() {
		for {
			if _, err := syscall.Wait4(-1, nil, 0, nil); err == syscall.ECHILD {
				time.Sleep(time.Millisecond)
			}
		}
	}()
	return endWithoutStatus(ctx)
}

func ignoredSIGCHLD(ctx context.Context) any {
	signal.Ignore(syscall.SIGCHLD)
	client := start(nil)
	must(client.Initialize(ctx, nil))
	check(client.Close())
	return endWithoutStatus(ctx)
}

func endWithoutStatus(ctx context.Context) any {
	begin := time.Now()
	client := start(nil)
	must(client.Initialize(ctx, nil))
	check(syscall.Kill(client.PID(), syscall.SIGKILL))
	_, err := client.VersionInfo.SDKVersion(ctx)
	client.Close()
	return object{"end": lostOr(err), "soon": time.Since(begin) < 20*time.Second}
}

func lostOr(err error) any {
	var lost *mambridge.ConnectionLostError
	if errors.As(err, &lost) {
		return "lost"
	}
	return err
}

func signalDuringACall(ctx context.Context) any {
	client := start(nil)
	defer client.Close()
	must(client.Initialize(ctx, nil))
	canceled, stop := context.WithCancel(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	var handled atomic.Bool
	go func() {
		<-signals
		handled.Store(true)
		stop()
	}()
	time.AfterFunc(300*time.Millisecond, func() { check(syscall.Kill(os.Getpid(), syscall.SIGUSR1)) })
	begin := time.Now()
	err := listLong(canceled, client)
	return object{"handled": handled.Load(), "end": nameOf(err), "soon": time.Since(begin) < 20*time.Second,
		"alive": isAlive(ctx, client)}
}

func stoppedServer(ctx context.Context) any {
	client := start(nil)
	must(client.Initialize(ctx, nil))
	begin := time.Now()
	check(syscall.Kill(client.PID(), syscall.SIGSTOP))
	short, stop := context.WithTimeout(ctx, 300*time.Millisecond)
	defer stop()
	_, err := client.VersionInfo.SDKVersion(short)
	late := ""
	if errors.Is(err, context.DeadlineExceeded) {
		late = err.Error()
	}
	check(syscall.Kill(client.PID(), syscall.SIGCONT))
	alive := isAlive(ctx, client)
	check(client.Close())
	return object{"late": late, "alive": alive, "exitCode": client.ExitCode(),
		"soon": time.Since(begin) < 20*time.Second}
}
