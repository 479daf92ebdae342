//! The events that a program has not read.
mod peer;

use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use mambridge::{Client, Event, Host};
use peer::{connect, with_server, Connection};
use serde_json::json;

const LOG_LINE: &str = r#"{"method":"logger.log","params":{"level":"loud","message":"m"}}"#;

fn send_numbered(connection: &mut Connection, numbers: impl IntoIterator<Item = i64>) {
    for number in numbers {
        connection.send(&json!({"method": "sky.falls", "params": {"seq": number}}).to_string());
    }
}

/// The number of an event, or those of a gap.
fn numbers(event: Option<Event>) -> Vec<i64> {
    match event {
        Some(Event::EventsGap(gap)) => vec![gap.after, gap.to],
        Some(Event::Unrecognized { params, .. }) => vec![params["seq"].as_i64().unwrap()],
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_unknown_event_is_kept() {
    let client = with_server(Host::new(), |mut connection| {
        connection.send(r#"{"method":"sky.falls","params":{"when":"now"}}"#);
        connection.send(LOG_LINE);
    });
    let mut events = client.listen();
    let unknown = Event::Unrecognized { name: "sky.falls".to_owned(), params: json!({"when": "now"}) };
    assert_eq!(events.next(), Some(unknown));
    assert!(matches!(events.next(), Some(Event::LoggerLog(log)) if log.level.as_str() == "loud"));
    assert_eq!(events.next(), None);
}

#[test]
fn a_gap_stands_for_the_oldest_events_once_ten_thousand_wait() {
    let client = with_server(Host::new(), |mut connection| {
        connection.send(LOG_LINE);
        send_numbered(&mut connection, 5..=6);
        connection.send(r#"{"method":"events.gap","params":{"after":6,"to":8,"from":7}}"#);
        send_numbered(&mut connection, 9..=10_010);
        connection.reply(json!(true));
        connection.receive();
        send_numbered(&mut connection, 10_011..=10_012);
    });
    client.policy().is_pin_required().send().unwrap();
    let mut events = client.listen();
    assert_eq!(numbers(events.next()), [4, 10]);
    assert_eq!(numbers(events.next()), [11]);
    assert_eq!(numbers(events.next()), [12]);
    client.notify("x", json!({})).unwrap();
    assert_eq!(events.count(), 10_000);
}

#[test]
fn nothing_is_said_of_lost_lines_of_the_log() {
    let client = with_server(Host::new(), |mut connection| {
        (0..10_001).for_each(|_| connection.send(LOG_LINE));
    });
    thread::sleep(Duration::from_secs(2));
    assert_eq!(client.listen().count(), 10_000);
}

#[test]
fn a_handler_that_is_late_hears_of_the_gap() {
    let (sender, handled) = channel();
    let (wake, woken) = channel::<()>();
    let builder = Client::builder().on_event(move |_, event| {
        sender.send(numbers(Some(event))).unwrap();
        let _ = woken.recv();
    });
    let client = connect(builder, |mut connection| {
        send_numbered(&mut connection, 1..=1);
        connection.receive();
        send_numbered(&mut connection, 2..=10_101);
        connection.reply(json!(true));
    });
    assert_eq!(handled.recv(), Ok(vec![1]));
    client.notify("x", json!({})).unwrap();
    client.policy().is_pin_required().send().unwrap();
    drop(wake);
    assert_eq!((handled.recv(), handled.recv()), (Ok(vec![1, 101]), Ok(vec![102])));
    client.close();
    assert_eq!(handled.iter().last(), Some(vec![10_101]));
}

#[test]
fn a_handler_that_panics_hears_the_next_event() {
    let (sender, handled) = channel();
    let builder = Client::builder().on_event(move |_: &Client, event| {
        sender.send(numbers(Some(event))).unwrap();
        panic!("on purpose");
    });
    let _client = connect(builder, |mut connection| send_numbered(&mut connection, 1..=2));
    assert_eq!(handled.iter().collect::<Vec<_>>(), [[1], [2]]);
}
