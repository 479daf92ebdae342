//! Servers that do not read or do not answer: nobody waits past a time limit. One is the `mambridge` on the PATH.
mod peer;

use std::process::Command;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use mambridge::{CancelToken, Client, Error, ErrorName, Host};
use peer::{connect, lost, with_server};
use serde_json::{json, Value};

const SECOND: Duration = Duration::from_secs(1);

fn signal(client: &Client, name: &str) {
    let pid = client.pid().unwrap().to_string();
    assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
}

/// Fills the pipe of a server that was stopped.
fn stop(client: &Client) {
    signal(client, "-STOP");
    client.notify("x", json!(["x".repeat(1 << 20)])).unwrap();
}

fn sdk_version(client: &Client) -> String {
    client.version_info().sdk_version().send().unwrap()
}

#[test]
fn a_stopped_server_holds_no_call_past_its_limit_and_goes_on_later() {
    let state = std::env::temp_dir().join(format!("mambridge-stopped-{}", std::process::id()));
    let client = Client::spawn("mambridge", ["--tenant", "sample", "--state", &state.to_string_lossy()]).unwrap();
    let version = sdk_version(&client);
    signal(&client, "-STOP");
    let start = Instant::now();
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let long = "x".repeat(1 << 20);
                let call = client.data_protection_manager().protect_string(long.as_str(), "alice@contoso.example");
                let error = call.timeout(SECOND).send().unwrap_err();
                assert!(matches!(error, Error::TimedOut { .. }), "{error}");
            });
        }
    });
    assert!(start.elapsed() < Duration::from_secs(9), "{:?}", start.elapsed());
    signal(&client, "-CONT");
    assert_eq!(sdk_version(&client), version);
    drop(client);
    std::fs::remove_dir_all(state).unwrap();
}

#[test]
fn a_call_that_is_canceled_before_it_was_written_ends_at_once() {
    let client = Client::spawn("sleep", ["60"]).unwrap();
    stop(&client);
    let token = CancelToken::new();
    thread::scope(|scope| {
        let call = scope.spawn(|| client.policy().is_pin_required().cancel(&token).send());
        thread::sleep(SECOND);
        token.cancel();
        let error = call.join().unwrap().unwrap_err();
        assert_eq!(error.name(), Some(&ErrorName::Cancelled));
    });
    signal(&client, "-KILL");
}

#[test]
fn a_notification_waits_for_room_up_to_the_limit_of_the_client() {
    let client = Client::builder().timeout(SECOND).spawn("sleep", ["60"]).unwrap();
    let long = json!(["x".repeat(9 << 20)]);
    let failed = (0..4).find_map(|_| client.notify("x", long.clone()).err());
    assert!(matches!(failed, Some(Error::TimedOut { .. })), "{failed:?}");
    signal(&client, "-KILL");
}

#[test]
fn a_server_that_closed_its_input_holds_no_call_past_its_limit() {
    let client = Client::spawn("sh", ["-c", "exec <&-; exec sleep 60"]).unwrap();
    let start = Instant::now();
    let error = client.policy().is_pin_required().timeout(Duration::ZERO).send().unwrap_err();
    assert!(matches!(error, Error::TimedOut { .. }), "{error}");
    assert!(start.elapsed() < Duration::from_secs(8));
    assert_eq!(lost(client.policy().is_pin_required().send()), "mambridge does not read any more");
    signal(&client, "-KILL");
}

#[test]
fn the_longest_time_limit_is_no_limit() {
    let client = with_server(Host::new(), |mut connection| {
        connection.send(r#"{"method":"sky.falls"}"#);
        connection.reply(json!(true));
    });
    assert!(client.policy().is_pin_required().timeout(Duration::MAX).send().unwrap());
    assert!(client.listen().next_within(Duration::MAX).is_some());
}

#[test]
fn a_token_cancels_the_calls_of_several_clients() {
    let (sender, canceled) = channel();
    let first = with_server(Host::new(), |mut connection| connection.reply(json!(true)));
    let second = with_server(Host::new(), move |mut connection| {
        connection.receive();
        sender.send(connection.receive()["method"].clone()).unwrap();
    });
    let token = CancelToken::new();
    thread::scope(|scope| {
        scope.spawn(|| lost(second.policy().is_pin_required().cancel(&token).send()));
        thread::sleep(SECOND);
        first.policy().is_pin_required().cancel(&token).send().unwrap();
        token.cancel();
        assert_eq!(canceled.recv_timeout(20 * SECOND), Ok(json!("$/cancelRequest")));
    });
}

#[test]
fn a_listener_keeps_its_limit_while_another_listens() {
    let client = with_server(Host::new(), |mut connection| assert_eq!(connection.receive(), Value::Null));
    thread::scope(|scope| {
        scope.spawn(|| assert_eq!(client.listen().next(), None));
        thread::sleep(SECOND / 2);
        let start = Instant::now();
        assert_eq!(client.listen().next_within(SECOND / 10), None);
        assert!(start.elapsed() < 5 * SECOND);
        client.close();
    });
}

#[test]
fn a_client_with_a_handler_has_no_events_to_listen_to() {
    let (sender, handled) = channel();
    let builder = Client::builder().on_event(move |_, event| sender.send(event.name().to_owned()).unwrap());
    let client = connect(builder, |mut connection| {
        connection.receive();
        connection.send(r#"{"method":"sky.falls"}"#);
        connection.receive();
    });
    assert_eq!(client.listen().next(), None);
    client.notify("x", Value::Null).unwrap();
    assert_eq!(handled.recv_timeout(20 * SECOND).as_deref(), Ok("sky.falls"));
}
