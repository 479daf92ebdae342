//! A server that is a few lines of a test.
#![allow(dead_code)] // Each file of tests uses a part.
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use mambridge::{Builder, Client, Error, Host};
use serde_json::{json, Value};

/// A server on TCP that does what the function says, and a client of it.
pub fn with_server(host: Host, server: impl FnOnce(Connection) + Send + 'static) -> Client {
    connect(Client::builder().host(host), server)
}

pub fn connect(builder: Builder, server: impl FnOnce(Connection) + Send + 'static) -> Client {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("tcp://{}", listener.local_addr().unwrap());
    thread::spawn(move || server(Connection::new(listener.accept().unwrap().0)));
    builder.connect(&address).unwrap()
}

pub struct Connection(BufReader<TcpStream>);

impl Connection {
    fn new(socket: TcpStream) -> Self {
        Connection(BufReader::new(socket))
    }

    pub fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or(Value::Null)
    }

    pub fn send(&mut self, message: &str) {
        self.0.get_mut().write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    pub fn reply(&mut self, result: Value) {
        let id = self.receive()["id"].clone();
        self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string());
    }
}

pub fn lost<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    match result {
        Err(Error::ConnectionLost(lost)) => lost.to_string(),
        other => panic!("{other:?}"),
    }
}
