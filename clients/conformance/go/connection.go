package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"

	"mambridge"
)

func eventPushed(ctx context.Context) any {
	arrived := make(chan mambridge.Event, 10)
	client := start(&mambridge.Options{OnEvent: func(event mambridge.Event) { arrived <- event }})
	defer client.Close()
	wanted := []mambridge.PushName{mambridge.PushNamePolicyManagerPolicyDidChange}
	must(client.Initialize(ctx, &mambridge.InitializeParams{Events: wanted}))
	enrollAlice(ctx, client)
	event, ok := (<-arrived).(*mambridge.PolicyDidChange)
	return object{"event": event.EventName(), "identity": event.Identity, "numbered": ok && event.Seq > 0,
		"year": event.Time.Year() > 2000}
}

func fiftyCalls(ctx context.Context) any {
	client := start(nil)
	defer client.Close()
	must(client.Initialize(ctx, nil))
	params := &mambridge.EventsListParams{
		After: mambridge.Ptr(must(client.Events.List(ctx, nil)).Next), WaitMilliseconds: mambridge.Ptr[int64](30000)}
	pages := make([]mambridge.EventList, 50)
	var waiting sync.WaitGroup
	for index := range pages {
		waiting.Add(1)
		go func(page *mambridge.EventList) {
			defer waiting.Done()
			*page = must(client.Events.List(ctx, params))
		}(&pages[index])
	}
	enrollAlice(ctx, client)
	waiting.Wait()
	withEvents := 0
	for _, page := range pages {
		if len(page.Events) > 0 {
			withEvents++
		}
	}
	return object{"answered": len(pages), "withEvents": withEvents}
}

// listLong is a call that takes a minute.
func listLong(ctx context.Context, client *mambridge.Client) error {
	_, err := client.Events.List(ctx, &mambridge.EventsListParams{WaitMilliseconds: mambridge.Ptr[int64](60000)})
	return err
}

func cancel(ctx context.Context) any {
	client := start(nil)
	defer client.Close()
	must(client.Initialize(ctx, nil))
	canceled, stop := context.WithCancel(ctx)
	time.AfterFunc(300*time.Millisecond, stop)
	begin := time.Now()
	err := listLong(canceled, client)
	if !errors.Is(err, context.Canceled) {
		return err
	}
	return object{"end": nameOf(err), "soon": time.Since(begin) < 20*time.Second, "alive": isAlive(ctx, client)}
}

func deadline(ctx context.Context) any {
	client := start(nil)
	defer client.Close()
	must(client.Initialize(ctx, nil))
	short, stop := context.WithTimeout(ctx, 300*time.Millisecond)
	defer stop()
	begin := time.Now()
	var passed *mambridge.Error
	if err := listLong(short, client); !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &passed) {
		return err
	}
	return object{"name": passed.Name, "committed": passed.Data["committed"], "soon": time.Since(begin) < 20*time.Second,
		"alive": isAlive(ctx, client)}
}

func progress(ctx context.Context) any {
	client := startEnrolled(ctx)
	defer client.Close()
	var heard []mambridge.Progress
	hearing := mambridge.WithProgress(ctx, func(progress mambridge.Progress) { heard = append(heard, progress) })
	status := must(client.EnrollmentManager.DeRegisterAndUnenrollAccount(hearing, mambridge.Ptr(alice),
		&mambridge.EnrollmentManagerDeRegisterAndUnenrollAccountParams{WithWipe: mambridge.Ptr(true)}))
	return object{"status": status.Status, "first": fmt.Sprint(heard[0].Kind, " ", value(heard[0].Percentage))}
}

func serverKilled(ctx context.Context) any {
	client := start(nil)
	must(client.Initialize(ctx, nil))
	time.AfterFunc(300*time.Millisecond, func() { check(syscall.Kill(client.PID(), syscall.SIGKILL)) })
	ends := []string{end(listLong(ctx, client)), end(listLong(ctx, client))}
	client.Close()
	return object{"ends": ends}
}

func end(err error) string {
	var lost *mambridge.ConnectionLostError
	if errors.As(err, &lost) {
		return fmt.Sprintf("signal %d: %v", lost.Signal, lost)
	}
	return fmt.Sprint(err)
}

func serverGoneAtStart(ctx context.Context) any {
	client := start(nil)
	defer client.Close()
	_, err := client.VersionInfo.SDKVersion(ctx)
	var lost *mambridge.ConnectionLostError
	if !errors.As(err, &lost) {
		return err
	}
	return object{"exitCode": lost.ExitCode, "says": lost.Error()}
}

func cleanShutdown(ctx context.Context) any {
	client := startEnrolled(ctx)
	check(client.Shutdown(ctx))
	check(client.Close())
	check(client.Close())
	_, err := client.VersionInfo.SDKVersion(ctx)
	var lost *mambridge.ConnectionLostError
	afterwards := "answered"
	if errors.As(err, &lost) {
		afterwards = "lost"
	}
	return object{"exitCode": client.ExitCode(), "afterwards": afterwards}
}
