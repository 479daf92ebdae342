//! A call that is being made ready, and what a caller can give with any call.
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{json, Map, Value};

use crate::session::Session;
use crate::values::json;
use crate::waiting::lock;
use crate::{Client, Error, ErrorName, Result};

const LONGEST: u128 = 86_400_000;

/// A method of the server.
pub trait Method {
    const NAME: &'static str;
    type Output;

    #[doc(hidden)]
    fn read(result: Value) -> serde_json::Result<Self::Output>;
}

/// A method whose name is not known when the program is compiled: see [`Client::request`].
pub enum Untyped {}

impl Method for Untyped {
    const NAME: &'static str = "";
    type Output = Value;

    fn read(result: Value) -> serde_json::Result<Value> {
        Ok(result)
    }
}

/// A call of a method with its required parameters. Add what is optional, then `send` it.
///
/// A parameter that is not given, or given as `None`, is left out: the server's default applies.
#[must_use = "a request does nothing until it is sent"]
pub struct Request<'c, M> {
    client: &'c Client,
    name: &'c str,
    params: Value,
    timeout: Option<Duration>,
    cancel: Option<CancelToken>,
    on_progress: Option<Box<dyn FnMut(Progress) + 'c>>,
    method: PhantomData<fn() -> M>,
}

impl<'c, M: Method> Request<'c, M> {
    pub(crate) fn new(client: &'c Client) -> Self {
        Self::untyped(client, M::NAME, json!({}))
    }

    pub(crate) fn untyped(client: &'c Client, name: &'c str, params: Value) -> Self {
        let (timeout, cancel, on_progress) = (client.session().timeout, None, None);
        Request { client, name, params, timeout, cancel, on_progress, method: PhantomData }
    }

    pub(crate) fn put(&mut self, name: &str, value: impl Serialize) {
        self.params[name] = json(value);
    }

    pub(crate) fn with(mut self, name: &str, value: impl Serialize) -> Self {
        let value = json(value);
        if !value.is_null() {
            self.params[name] = value;
        }
        self
    }

    /// The server ends the call with `deadlineExceeded` if it takes longer. `committed` in the data of the error says
    /// whether the work is done.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// Lets another thread cancel the call.
    pub fn cancel(mut self, token: &CancelToken) -> Self {
        self.cancel = Some(token.clone());
        self
    }

    /// Hears how far long work is. The function runs on the thread that waits in `send`.
    pub fn on_progress(mut self, heard: impl FnMut(Progress) + 'c) -> Self {
        self.on_progress = Some(Box::new(heard));
        self
    }

    /// Makes the call and waits for its result.
    pub fn send(mut self) -> Result<M::Output> {
        if self.cancel.as_ref().map_or(false, CancelToken::is_canceled) {
            return Err(ErrorName::Cancelled.into());
        }
        let session = self.client.session();
        let call = session.new_call();
        self.add_delegates();
        self.add_options(call.number);
        session.send(&call, self.name, self.params)?;
        if let Some(token) = &self.cancel {
            token.add(session, call.number);
        }
        let result = session.wait(&call, self.name, self.timeout, &mut self.on_progress);
        if let Some(token) = &self.cancel {
            token.remove(session, call.number);
        }
        M::read(result?).map_err(|_| unreadable(self.name))
    }

    /// `initialize` declares what the host answers.
    fn add_delegates(&mut self) {
        if self.name != "initialize" || !self.params.is_object() || !self.params["delegates"].is_null() {
            return;
        }
        let names = self.client.session().host.names();
        if !names.is_empty() {
            self.put("delegates", names);
        }
    }

    /// Adds the deadline, and asks for progress under the number of the call.
    fn add_options(&mut self, number: u64) {
        let mut meta = Map::new();
        if self.on_progress.is_some() {
            meta.insert("progressToken".into(), number.into());
        }
        if let Some(limit) = self.timeout {
            let milliseconds = limit.as_millis().clamp(1, LONGEST) as u64;
            meta.insert("timeoutMilliseconds".into(), milliseconds.into());
        }
        if let (Value::Object(params), false) = (&mut self.params, meta.is_empty()) {
            params.insert("_meta".into(), meta.into());
        }
    }
}

fn unreadable(method: &str) -> Error {
    Error::UnexpectedReply(format!("the result of {method} has a member that is missing or of the wrong type"))
}

/// How far long work is. `percentage` is 0 to 100, or `None` if unknown.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Progress {
    #[serde(default)]
    pub kind: String,
    pub percentage: Option<f64>,
    pub message: Option<String>,
}

/// Cancels calls from another thread. One token may serve several calls, one after the other or at once.
///
/// A canceled call ends with [`ErrorName::Cancelled`] if nothing was changed. If it was too late, the call ends as usual.
#[derive(Clone, Default)]
pub struct CancelToken(Arc<Mutex<Cancel>>);

#[derive(Default)]
struct Cancel {
    canceled: bool,
    calls: Vec<(u64, Weak<Session>)>,
}

impl CancelToken {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn cancel(&self) {
        let calls = {
            let mut state = lock(&self.0);
            state.canceled = true;
            std::mem::take(&mut state.calls)
        };
        for (number, session) in calls {
            if let Some(session) = session.upgrade() {
                session.cancel(number);
            }
        }
    }

    pub fn is_canceled(&self) -> bool {
        lock(&self.0).canceled
    }

    fn add(&self, session: &Arc<Session>, number: u64) {
        let mut state = lock(&self.0);
        if state.canceled {
            drop(state);
            session.cancel(number);
        } else {
            state.calls.push((number, Arc::downgrade(session)));
        }
    }

    fn remove(&self, session: &Arc<Session>, number: u64) {
        let is_other =
            |(found, owner): &(u64, Weak<Session>)| *found != number || owner.as_ptr() != Arc::as_ptr(session);
        lock(&self.0).calls.retain(is_other);
    }
}
