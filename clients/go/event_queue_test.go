package mambridge

import (
	"testing"
	"time"
)

func TestEventsThatNobodyReadsAreBounded(t *testing.T) {
	heard := make(chan Event, 2*mostEvents)
	blocked := make(chan struct{})
	client, peer := connect(t, &Options{OnEvent: func(event Event) {
		<-blocked
		heard <- event
	}})
	peer.patient.Reset(time.Minute)
	for seq := 1; seq <= 3*mostEvents; seq++ {
		peer.say(`{"jsonrpc":"2.0","method":"policyManager.policyDidChange","params":{"seq":%d,"time":"2026-02-02T02:40:00Z"}}`, seq)
	}
	received := later(func() error { return client.Shutdown(background) })
	peer.answer(peer.next(), "null")
	if err := <-received; err != nil {
		t.Fatal(err)
	}
	close(blocked)
	next := int64(1)
	for next <= 3*mostEvents {
		switch event := (<-heard).(type) {
		case *PolicyDidChange:
			if event.Seq != next {
				t.Fatalf("event %d came, not %d", event.Seq, next)
			}
			next++
		case *EventsGap:
			if event.After != next-1 || event.To != 2*mostEvents {
				t.Fatalf("a gap of %v at %d", event, next)
			}
			next = event.To + 1
		}
	}
}

func TestAGapCoversGapsOfTheServerAndNoEventWithoutNumber(t *testing.T) {
	queue := newEventQueue()
	for _, event := range []struct{ name, params string }{
		{"logger.log", `{"level":"info","message":"m"}`}, {"events.gap", `{"after":11,"to":57}`}, {"news.ofTomorrow", `{"seq":58}`},
		{"broken", `5`},
	} {
		queue.put(message{Method: Ptr(event.name), Params: []byte(event.params)})
	}
	for index := 0; index < mostEvents; index++ {
		queue.put(message{Method: Ptr("logger.log"), Params: []byte(`{}`)})
	}
	if gap, ok := queue.next().(*EventsGap); !ok || *gap != (EventsGap{11, 58}) {
		t.Error(gap)
	}
	if event := queue.next(); event.EventName() != "logger.log" {
		t.Error(event)
	}
}
