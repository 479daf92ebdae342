//! The runtime, with servers that are a few lines of a script or of this test.
mod peer;

use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use mambridge::types::{ClipboardForm, Credentials, EnteredPin};
use mambridge::{CancelToken, Client, Error, ErrorName, Host, ServerError};
use peer::{lost, with_server};
use serde_json::{json, Value};

/// What the client answers to a request of the server.
fn answer_of(host: Host, method: &'static str, params: Value) -> Value {
    let (sender, answer) = channel();
    let client = with_server(host, move |mut connection| {
        connection.send(&json!({"jsonrpc": "2.0", "id": "s1", "method": method, "params": params}).to_string());
        sender.send(connection.receive()).unwrap();
    });
    let found = answer.recv_timeout(Duration::from_secs(20)).unwrap();
    client.close();
    assert_eq!(found["id"], "s1");
    found
}

#[test]
fn a_call_sends_only_what_is_given() {
    let (sender, request) = channel();
    let client = with_server(Host::new(), move |mut connection| sender.send(connection.receive()).unwrap());
    let found =
        client.policy().is_pin_required().account(None).window("inbox").timeout(Duration::from_micros(1)).send();
    lost(found);
    let request = request.recv().unwrap();
    assert_eq!(request["method"], "policy.isPINRequired");
    assert_eq!(request["params"], json!({"window": "inbox", "_meta": {"timeoutMilliseconds": 1}}));
}

#[test]
fn unknown_members_and_values_of_a_newer_server_do_no_harm() {
    let result = json!({"clipboard": "hologram", "text": null, "data": "AP8=", "smell": 1});
    let client = with_server(Host::new(), move |mut connection| connection.reply(result));
    let copied = client.enforcement().copy().text("text").send().unwrap();
    assert_eq!(copied.clipboard, ClipboardForm::Unrecognized("hologram".to_owned()));
    assert_eq!((copied.text, copied.data), (None, Some(vec![0, 255])));
}

#[test]
fn a_result_of_another_type_is_unexpected_and_not_shown() {
    let client = with_server(Host::new(), |mut connection| connection.reply(json!({"secret": 1})));
    let error = client.policy().is_pin_required().send().unwrap_err();
    assert!(matches!(error, Error::UnexpectedReply(_)));
    assert!(!format!("{error} {error:?}").contains("secret"));
}

#[test]
fn replies_may_come_deep_in_batches_and_in_any_order() {
    let deep = "[".repeat(400) + &"]".repeat(400);
    let client = with_server(Host::new(), move |mut connection| {
        let (first, second) = (connection.receive()["id"].clone(), connection.receive()["id"].clone());
        connection.send(&format!(r#"[{{"id":{second},"result":{deep}}},{{"id":{first},"result":{deep}}}]"#));
    });
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| assert!(client.request("x", json!([])).send().unwrap().is_array()));
        }
    });
}

#[test]
fn an_error_without_an_id_ends_the_longest_call() {
    let client = with_server(Host::new(), |mut connection| {
        connection.receive();
        connection.send(r#"{"id":null,"error":{"code":-32004,"message":"too long","data":{"name":"limitExceeded"}}}"#);
    });
    assert_eq!(client.request("x", json!({})).send().unwrap_err().name(), Some(&ErrorName::LimitExceeded));
}

#[test]
fn a_reply_is_given_to_no_other_call() {
    let client = with_server(Host::new(), |mut connection| {
        let id = connection.receive()["id"].as_u64().unwrap();
        let too_long = json!({"code": -32004, "message": "too long", "data": {"limit": "message", "value": 4096}});
        for wrong in [json!(null), json!(id + 1), json!(id.to_string()), json!([id]), json!(-1)] {
            connection.send(&json!({"id": wrong, "result": false}).to_string());
        }
        connection.send(&json!({"id": null, "error": too_long}).to_string());
        connection.send(&json!({"id": id, "result": true}).to_string());
        connection.send(&json!({"id": id, "result": false}).to_string());
        connection.reply(json!(true));
    });
    assert!(client.policy().is_pin_required().send().unwrap());
    assert!(client.policy().is_pin_required().send().unwrap());
}

#[test]
fn json_that_is_no_message_ends_the_connection() {
    for line in ["7", r#"{"id":1}"#, r#"{"method":7,"id":1}"#, "{}", "[[]]"] {
        let client = with_server(Host::new(), move |mut connection| {
            connection.receive();
            connection.send(line);
            connection.receive();
        });
        let found = lost(client.policy().is_pin_required().send());
        assert_eq!(found, "the server sent JSON that is no message", "{line}");
    }
}

#[test]
fn a_line_that_is_nested_too_deeply_for_the_stack_ends_the_connection() {
    let client = with_server(Host::new(), |mut connection| {
        connection.receive();
        connection.send(&"[".repeat(1 << 20));
        connection.receive();
    });
    let found = lost(client.policy().is_pin_required().send());
    assert_eq!(found, "the server sent JSON with more than 1024 levels of arrays and objects");
}

#[test]
fn a_host_refuses_with_an_error_of_the_server() {
    let host = Host::new().prompt_for_pin(|_, _| Err(ServerError::new(ErrorName::Canceled, "not now").into()));
    let challenge = json!({"id": "c", "kind": "enterPIN", "title": "t", "message": "m"});
    let answer = answer_of(host, "ui.promptForPIN", json!({ "challenge": challenge }));
    assert_eq!(answer["error"], json!({"code": 7002, "message": "not now"}));
}

#[test]
fn what_fails_in_a_host_stays_there() {
    let failing = || Host::new().restart_application(|_, _| Err(std::io::Error::from_raw_os_error(2).into()));
    let panicking = || Host::new().restart_application(|_, _| panic!("the secret"));
    for host in [failing(), panicking()] {
        let error = answer_of(host, "policyDelegate.restartApplication", json!({}))["error"].clone();
        let message = "the host failed to answer policyDelegate.restartApplication";
        assert_eq!(error, json!({"code": -32603, "message": message}));
    }
    let unknown = answer_of(failing(), "sky.fall", json!({}))["error"].clone();
    assert_eq!(unknown["code"], -32601);
    let host = Host::new().show_alert(|_, _| unreachable!());
    assert_eq!(answer_of(host, "ui.showAlert", json!({"title": 1}))["error"]["code"], -32602);
}

#[test]
fn initialize_declares_what_the_host_answers() {
    let (sender, request) = channel();
    let host = Host::new().show_diagnostic_console(|_, _| Ok(()));
    let client = with_server(host, move |mut connection| sender.send(connection.receive()).unwrap());
    lost(client.initialize().send());
    assert_eq!(request.recv().unwrap()["params"], json!({"delegates": ["ui.showDiagnosticConsole"]}));
}

#[test]
fn a_token_that_is_canceled_before_stops_the_call() {
    let client = with_server(Host::new(), |mut connection| assert_eq!(connection.receive(), Value::Null));
    let token = CancelToken::new();
    token.cancel();
    let error = client.policy().is_pin_required().cancel(&token).send().unwrap_err();
    assert_eq!(error.name(), Some(&ErrorName::Cancelled));
}

#[test]
fn a_call_without_an_answer_is_canceled() {
    let (sender, requests) = channel();
    let client = with_server(Host::new(), move |mut connection| {
        sender.send((connection.receive(), connection.receive())).unwrap();
        connection.receive();
    });
    let error = client.policy().is_pin_required().timeout(Duration::from_millis(1)).send().unwrap_err();
    assert!(error.is_timeout() && matches!(error, Error::TimedOut { .. }));
    let (request, cancel) = requests.recv().unwrap();
    assert_eq!((&cancel["method"], &cancel["params"]["id"]), (&json!("$/cancelRequest"), &request["id"]));
}

#[test]
fn a_lost_connection_ends_all_calls_with_the_reason() {
    let script = "read a; read b; echo one >&2; echo two >&2; exit 7";
    let client = Client::spawn("sh", ["-c", script]).unwrap();
    thread::scope(|scope| {
        for _ in 0..2 {
            let call = || lost(client.policy().is_pin_required().send());
            scope
                .spawn(move || assert_eq!(call(), "mambridge exited with code 7; its last lines on stderr: one | two"));
        }
    });
    assert_eq!(client.exit_status().unwrap().code(), Some(7));
}

#[test]
fn a_line_that_is_not_json_ends_the_connection() {
    let client = Client::spawn("sh", ["-c", "read a; echo hello; read b"]).unwrap();
    assert_eq!(lost(client.policy().is_pin_required().send()), "the server sent a line that is not JSON");
}

#[test]
fn a_closed_client_says_so() {
    let client = Client::spawn("sh", ["-c", "while read line; do :; done"]).unwrap();
    client.close();
    client.close();
    assert!(client.exit_status().unwrap().success());
    assert_eq!(lost(client.policy().is_pin_required().send()), "mambridge exited with code 0");
}

#[test]
fn the_last_client_closes_the_connection() {
    let start = Instant::now();
    let client = Client::spawn("sh", ["-c", "while read line; do :; done"]).unwrap();
    let clone = client.clone();
    drop(client);
    assert_eq!(clone.exit_status(), None);
    drop(clone);
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn an_executable_that_is_missing_is_an_io_error() {
    let missing: [&str; 0] = [];
    assert!(matches!(Client::spawn("/no/such/mambridge", missing), Err(Error::Io(_))));
    assert!(matches!(Client::connect("nowhere"), Err(Error::Io(_))));
}

#[test]
fn a_secret_does_not_show() {
    let credentials = Credentials::new("alice@contoso.example", "s3cret");
    let pin = EnteredPin::new().pin("s3cret");
    let shown = format!("{credentials:?} {pin:?}");
    assert!(shown.contains("alice@contoso.example") && !shown.contains("s3cret"), "{shown}");
    assert_eq!(serde_json::to_value(pin).unwrap(), json!({"pin": "s3cret"}));
}
