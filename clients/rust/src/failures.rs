//! The errors of the client. `errors` has the names of those that the server sends.
use std::fmt;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use serde_json::{json, Value};

use crate::ErrorName;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// How a call can fail.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The server answered with an error, or a host refuses a request with one.
    Server(ServerError),
    /// The server is gone, or this client is closed.
    ConnectionLost(ConnectionLost),
    /// The server did not answer in time, not even to say that the deadline passed.
    TimedOut { method: String, limit: Duration },
    /// This version of the client cannot read the answer. The text holds no part of it.
    UnexpectedReply(String),
    /// The server could not be started or reached.
    Io(io::Error),
}

impl Error {
    /// The name of an error that the server sent.
    pub fn name(&self) -> Option<&ErrorName> {
        match self {
            Error::Server(error) => error.name.as_ref(),
            _ => None,
        }
    }

    /// Whether time ran out, here or in the server.
    pub fn is_timeout(&self) -> bool {
        matches!(self, Error::TimedOut { .. }) || self.name() == Some(&ErrorName::DeadlineExceeded)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Server(error) => error.fmt(to),
            Error::ConnectionLost(error) => error.fmt(to),
            Error::TimedOut { method, limit } => write!(to, "{method}: no answer within {}", length(*limit)),
            Error::UnexpectedReply(text) => to.write_str(text),
            Error::Io(error) => error.fmt(to),
        }
    }
}

/// A time limit, as 3 s or 250 ms.
fn length(limit: Duration) -> String {
    match limit.as_millis() {
        whole if whole % 1000 == 0 => format!("{} s", whole / 1000),
        milliseconds => format!("{milliseconds} ms"),
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Error::Io(error)
    }
}

impl From<ErrorName> for Error {
    fn from(name: ErrorName) -> Self {
        Error::Server(name.into())
    }
}

impl From<ServerError> for Error {
    fn from(error: ServerError) -> Self {
        Error::Server(error)
    }
}

impl From<ConnectionLost> for Error {
    fn from(error: ConnectionLost) -> Self {
        Error::ConnectionLost(error)
    }
}

/// An error reply. `name` is stable and made to be compared; `data` has what else the server says, such as `path`, the
/// place of a wrong parameter.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ServerError {
    pub name: Option<ErrorName>,
    pub code: i64,
    pub message: String,
    pub data: Value,
}

impl ServerError {
    /// An error with a text of your own, for a host that refuses a request.
    pub fn new(name: ErrorName, message: impl Into<String>) -> Self {
        ServerError { code: name.code(), message: message.into(), data: Value::Null, name: Some(name) }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<&str> {
        self.data["hint"].as_str()
    }

    /// Whether the same call may succeed later.
    pub fn retryable(&self) -> bool {
        self.data["retryable"] == true
    }

    /// The error domain of the SDK, if the SDK has the error.
    pub fn domain(&self) -> Option<&str> {
        self.data["domain"].as_str()
    }

    /// The code of the SDK in its domain.
    pub fn sdk_code(&self) -> Option<i64> {
        self.data["sdkCode"].as_i64()
    }

    pub(crate) fn from_wire(error: &Value) -> Self {
        let data = error["data"].clone();
        ServerError {
            name: data["name"].as_str().map(ErrorName::from),
            code: error["code"].as_i64().unwrap_or(0),
            message: error["message"].as_str().unwrap_or_default().to_owned(),
            data,
        }
    }

    pub(crate) fn to_wire(&self) -> Value {
        let mut error = json!({"code": self.code, "message": self.message});
        if !self.data.is_null() {
            error["data"] = self.data.clone();
        }
        error
    }
}

impl From<ErrorName> for ServerError {
    fn from(name: ErrorName) -> Self {
        let message = name.message().to_owned();
        ServerError::new(name, message)
    }
}

impl fmt::Display for ServerError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(to, "{name} ({}): {}", self.code, self.message)?,
            None => write!(to, "{}: {}", self.code, self.message)?,
        }
        self.hint().map_or(Ok(()), |hint| write!(to, " ({hint})"))
    }
}

impl std::error::Error for ServerError {}

/// The server is gone, or this client is closed. A child process leaves its exit status and its last lines on stderr.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConnectionLost {
    pub reason: String,
    pub status: Option<ExitStatus>,
    pub last_lines: Vec<String>,
}

impl ConnectionLost {
    pub(crate) fn new(reason: &str) -> Self {
        ConnectionLost { reason: reason.to_owned(), status: None, last_lines: Vec::new() }
    }

    /// A fork has the memory of a client, but none of its threads.
    pub(crate) fn forked() -> Self {
        Self::new("this process was forked: the connection is its parent's, so start a client of its own")
    }

    /// The child has ended, but the program has already taken its status, or ignores SIGCHLD.
    pub(crate) fn ended(last_lines: Vec<String>) -> Self {
        let reason = concat!(
            "mambridge has ended; its exit status is unknown, ",
            "because this program ignores SIGCHLD or waits for any child"
        );
        ConnectionLost { last_lines, ..Self::new(reason) }
    }

    pub(crate) fn exited(status: ExitStatus, last_lines: Vec<String>) -> Self {
        let reason = match (status.code(), status.signal()) {
            (Some(code), _) => format!("mambridge exited with code {code}"),
            // The status has the name of the signal: `signal: 9 (SIGKILL)`.
            (None, Some(_)) => format!("mambridge was killed by {}", status.to_string().replacen(':', "", 1)),
            (None, None) => "mambridge ended".to_owned(),
        };
        ConnectionLost { reason, status: Some(status), last_lines }
    }
}

impl fmt::Display for ConnectionLost {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.reason)?;
        let lines: Vec<&str> = self.last_lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
        if lines.is_empty() {
            return Ok(());
        }
        write!(to, "; its last lines on stderr: {}", lines.join(" | "))
    }
}

impl std::error::Error for ConnectionLost {}
