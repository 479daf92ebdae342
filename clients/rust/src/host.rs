//! The host: what a program answers when the server asks. `requests` adds a method for each request.
use std::collections::BTreeMap;
use std::fmt;
use std::panic::{catch_unwind, AssertUnwindSafe};

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{Client, Error, ErrorName, Result, ServerError};

type Handler = Box<dyn Fn(&Client, Value) -> Result<Value> + Send + Sync>;

/// A request of the server: its parameters, and the type of the answer.
pub trait HostRequest: DeserializeOwned {
    const NAME: &'static str;
    type Answer;

    #[doc(hidden)]
    fn write(answer: Self::Answer) -> Value;
}

/// Answers the requests of the server. Add a handler for each request that your program answers: `initialize` declares
/// them.
///
/// Each request runs on a thread of its own, so a handler may make calls, with the client that it gets, and wait for the
/// user. The server waits for 60 seconds, then it goes on as if the request had not been declared. To refuse, return an
/// error of the server, such as `Err(ErrorName::Canceled.into())`. Any other error, or a panic, reaches the server as an
/// internal error without its text.
#[derive(Default)]
pub struct Host(BTreeMap<&'static str, Handler>);

impl Host {
    pub fn new() -> Self {
        Self::default()
    }

    pub(crate) fn with<R: HostRequest>(
        mut self,
        handler: impl Fn(&Client, R) -> Result<R::Answer> + Send + Sync + 'static,
    ) -> Self {
        let answer = move |client: &Client, params: Value| match serde_json::from_value(params) {
            Ok(request) => handler(client, request).map(R::write),
            Err(_) => Err(refusal(ErrorName::InvalidParams, "this host cannot read the params of", R::NAME).into()),
        };
        self.0.insert(R::NAME, Box::new(answer));
        self
    }

    pub(crate) fn names(&self) -> Vec<&'static str> {
        self.0.keys().copied().collect()
    }

    pub(crate) fn answer(&self, client: &Client, method: &str, params: Value) -> Result<Value, ServerError> {
        let handler = self.0.get(method);
        let handler = handler.ok_or_else(|| refusal(ErrorName::MethodNotFound, "this host does not answer", method))?;
        match catch_unwind(AssertUnwindSafe(|| handler(client, params))) {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(Error::Server(error))) => Err(error),
            _ => Err(refusal(ErrorName::InternalError, "the host failed to answer", method)),
        }
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_tuple("Host").field(&self.names()).finish()
    }
}

fn refusal(name: ErrorName, problem: &str, method: &str) -> ServerError {
    ServerError::new(name, format!("{problem} {method}"))
}
