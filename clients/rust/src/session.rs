//! One connection and its threads: a reader, a writer, one for each request of the server, and one for events if there is
//! a handler. Any thread may make calls. A call that is alone needs neither the reader nor the writer.
use std::collections::HashMap;
use std::net::TcpStream;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{json, Value};

use crate::inbox::Inbox;
use crate::outbox::Outbox;
use crate::reading::Reading;
use crate::streams::{Stream, FINISH};
use crate::waiting::{after, lock, wait_for, wait_while};
use crate::wire::{line, parse, parse_answer, Outgoing};
use crate::{Client, ConnectionLost, Error, ErrorName, Event, Host, Progress, Result, ServerError};

/// Room for values that are nested as deeply as the server allows.
const STACK: usize = 16 << 20;
/// How long the reader may take to notice the end of a server that reads no more.
const NOTICE: Duration = Duration::from_secs(10);

/// How long after a deadline the client still waits for the server to say that the deadline passed.
const GRACE: Duration = Duration::from_secs(5);

pub type EventHandler = Box<dyn FnMut(&Client, Event) + Send>;
type OnProgress<'c> = Option<Box<dyn FnMut(Progress) + 'c>>;

pub struct Session {
    /// The process that started it, and so has its threads.
    process: u32,
    pub stream: Stream,
    pub host: Host,
    pub timeout: Option<Duration>,
    pub events: Inbox,
    pub has_handler: bool,
    outbox: Outbox,
    reading: Reading,
    numbers: AtomicU64,
    state: Mutex<State>,
    ended: Condvar,
    event_thread: Mutex<Option<thread::JoinHandle<()>>>,
}

struct State {
    calls: HashMap<u64, Pending>,
    lost: Option<ConnectionLost>,
    closed: bool,
}

struct Pending {
    inbox: Sender<News>,
    size: usize,
    /// It counts on the reader.
    follows: bool,
}

/// What reaches a waiting call.
enum News {
    Progress(Progress),
    Reply(Result<Value, ServerError>),
    Lost(ConnectionLost),
}

/// A request that waits for its reply. Its progress comes by the same queue, so all of it is heard before the end.
pub struct Call {
    pub number: u64,
    sender: Sender<News>,
    inbox: Receiver<News>,
}

impl Session {
    pub fn new(
        stream: Stream,
        input: TcpStream,
        host: Host,
        has_handler: bool,
        timeout: Option<Duration>,
    ) -> Arc<Session> {
        Arc::new(Session {
            process: process::id(),
            stream,
            host,
            timeout,
            events: Inbox::default(),
            has_handler,
            outbox: Outbox::default(),
            reading: Reading::new(input),
            numbers: AtomicU64::new(1),
            state: Mutex::new(State { calls: HashMap::new(), lost: None, closed: false }),
            ended: Condvar::new(),
            event_thread: Mutex::new(None),
        })
    }

    /// Whether this process is a fork. It has no thread of the session, and perhaps a lock that nobody will ever open, so
    /// everything that locks asks this first.
    pub fn is_forked(&self) -> bool {
        self.process != process::id()
    }

    pub fn start(self: &Arc<Self>, on_event: Option<EventHandler>) -> Result<()> {
        let started = self.start_threads(on_event);
        if let Err(error) = &started {
            self.stream.finish();
            self.end(ConnectionLost::new(&format!("this client could not start its threads: {error}")));
        }
        started
    }

    fn start_threads(self: &Arc<Self>, on_event: Option<EventHandler>) -> Result<()> {
        let (reader, writer, listener) = (Arc::clone(self), Arc::clone(self), Arc::clone(self));
        start_thread("mambridge reader", move || reader.read())?;
        start_thread("mambridge writer", move || writer.write())?;
        if let Some(handler) = on_event {
            let thread = start_thread("mambridge events", move || listener.handle_events(handler))?;
            *lock(&self.event_thread) = Some(thread);
        }
        Ok(())
    }

    // Calls

    pub fn new_call(&self) -> Call {
        let (sender, inbox) = channel();
        Call { number: self.numbers.fetch_add(1, Ordering::Relaxed), sender, inbox }
    }

    /// Sends a request. If that fails, the call does not wait.
    pub fn send(&self, call: &Call, method: &str, params: Value) -> Result<()> {
        self.check_process()?;
        let message = line(&Outgoing::new(Some(call.number), method, &params));
        {
            let mut state = lock(&self.state);
            state.check()?;
            let pending = Pending { inbox: call.sender.clone(), size: message.len(), follows: false };
            state.calls.insert(call.number, pending);
        }
        self.outbox.send(call.number, message, |text| self.stream.write_now(text));
        Ok(())
    }

    /// Returns the result or its error. After the limit and the grace, cancels.
    pub fn wait(&self, call: &Call, method: &str, limit: Option<Duration>, heard: &mut OnProgress) -> Result<Value> {
        let _forget = Forget { session: self, number: call.number };
        if heard.is_none() {
            if let Some(reply) = self.reading.own_answer(|line| self.answer_in(line, call.number)) {
                return reply.map_err(Error::from);
            }
        }
        self.follow(call.number);
        let mut deadline = limit.and_then(|limit| after(limit.saturating_add(GRACE)));
        loop {
            match receive(&call.inbox, deadline) {
                Some(News::Reply(reply)) => return reply.map_err(Error::from),
                Some(News::Lost(lost)) => return Err(lost.into()),
                Some(News::Progress(progress)) => {
                    if let Some(heard) = heard {
                        heard(progress);
                    }
                }
                None if self.forget(call.number) => {
                    self.cancel(call.number);
                    let limit = limit.unwrap_or_default();
                    return Err(Error::TimedOut { method: method.to_owned(), limit });
                }
                None => deadline = None, // The reader has just taken it.
            }
        }
    }

    /// Ends a call that was not written yet, or else asks the server to end it.
    pub fn cancel(&self, number: u64) {
        if self.is_forked() {
            return;
        }
        if !self.outbox.withdraw(number) {
            let params = json!({ "id": number });
            self.outbox.push(None, line(&Outgoing::new(None, "$/cancelRequest", &params)));
        } else if let Some(pending) = self.take(number) {
            let _ = pending.inbox.send(News::Reply(Err(ErrorName::Cancelled.into())));
            // Its caller may be gone.
        }
    }

    fn check_process(&self) -> Result<()> {
        if self.is_forked() {
            return Err(ConnectionLost::forked().into());
        }
        Ok(())
    }

    pub fn notify(&self, method: &str, params: Value) -> Result<()> {
        self.check_process()?;
        let message = line(&Outgoing::new(None, method, &params));
        if !self.outbox.has_room_by(self.timeout.and_then(after)) {
            return Err(Error::TimedOut { method: method.to_owned(), limit: self.timeout.unwrap_or_default() });
        }
        lock(&self.state).check()?;
        self.outbox.push(None, message);
        Ok(())
    }

    /// The reply to a call, if a line is that.
    fn answer_in(&self, line: &[u8], number: u64) -> Option<Result<Value, ServerError>> {
        let answer = parse_answer(line).filter(|answer| answer.id == number)?;
        let reply = reply_of(answer.error.as_ref(), answer.result)?;
        self.take(number).map(|_| reply)
    }

    /// Leaves the answer of a call to the reader, unless it is there.
    fn follow(&self, number: u64) {
        if let Some(pending) = lock(&self.state).calls.get_mut(&number) {
            pending.follows = true;
            self.reading.follow();
        }
    }

    /// Whoever takes a call ends it.
    fn take(&self, number: u64) -> Option<Pending> {
        let mut state = lock(&self.state);
        let pending = state.calls.remove(&number)?;
        if pending.follows {
            self.reading.unfollow();
        }
        Some(pending)
    }

    fn forget(&self, number: u64) -> bool {
        self.take(number).is_some()
    }

    /// Writes what there is until the connection ends.
    fn write(self: Arc<Self>) {
        while let Some(message) = self.outbox.next() {
            if self.stream.write_all(&message).is_err() {
                self.outbox.discard();
                self.wait_for_end(Instant::now() + NOTICE); // The reader notices the end, too, and knows the reason.
                return self.end(ConnectionLost::new("mambridge does not read any more"));
            }
        }
        self.stream.finish();
    }

    // What the server sends

    fn read(self: Arc<Self>) {
        let broken = loop {
            match self.reading.read_lines(|line| self.receive_line(line)) {
                Ok(true) => {}
                Ok(false) => break None,
                Err(broken) => break Some(broken),
            }
        };
        self.end(broken.map_or_else(|| self.stream.end_of_life(), ConnectionLost::new));
    }

    /// Reads a line, which may hold the replies to a batch.
    fn receive_line(self: &Arc<Self>, message: &[u8]) -> Result<(), &'static str> {
        if message.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        match parse(message)? {
            Value::Array(messages) => messages.into_iter().try_for_each(|message| self.receive(message)),
            message => self.receive(message),
        }
    }

    fn receive(self: &Arc<Self>, mut message: Value) -> Result<(), &'static str> {
        if !message.is_object() {
            return Err("the server sent JSON that is no message");
        }
        let params = message.get_mut("params").map_or(Value::Null, Value::take);
        match (message["method"].as_str(), message.get("id")) {
            (Some(method), Some(id)) => self.receive_request(id.clone(), method.to_owned(), params),
            (Some("$/progress"), None) => self.receive_progress(params),
            (Some(method), None) => self.events.push(method, &params),
            (None, _) => return self.receive_reply(message),
        }
        Ok(())
    }

    fn receive_reply(&self, mut message: Value) -> Result<(), &'static str> {
        let reply = reply_in(&mut message).ok_or("the server sent JSON that is no message")?;
        let number = match &reply {
            Err(error) if message["id"].is_null() => lock(&self.state).longer_than(&error.data["value"]),
            _ => message["id"].as_u64(),
        };
        let pending = number.and_then(|number| self.take(number));
        if let Some(pending) = pending {
            let _ = pending.inbox.send(News::Reply(reply)); // The caller may have given up.
        }
        Ok(())
    }

    fn receive_progress(&self, mut params: Value) {
        let state = lock(&self.state);
        let waiting = params["token"].as_u64().and_then(|number| state.calls.get(&number));
        if let (Some(waiting), Ok(progress)) = (waiting, serde_json::from_value(params["value"].take())) {
            let _ = waiting.inbox.send(News::Progress(progress));
        }
    }

    fn receive_request(self: &Arc<Self>, id: Value, method: String, params: Value) {
        let (session, refused) = (Arc::clone(self), id.clone());
        let started = start_thread("mambridge request", move || {
            let params = if params.is_null() { json!({}) } else { params };
            let reply = match session.host.answer(&Client::borrowed(&session), &method, params) {
                Ok(answer) => json!({"jsonrpc": "2.0", "id": id, "result": answer}),
                Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error.to_wire()}),
            };
            session.outbox.has_room_by(None);
            session.outbox.push(None, line(&reply));
        });
        if started.is_err() {
            let error = ServerError::new(ErrorName::InternalError, "the host has no thread for an answer");
            let reply = json!({"jsonrpc": "2.0", "id": refused, "error": error.to_wire()});
            self.outbox.push(None, line(&reply));
        }
    }

    fn handle_events(self: Arc<Self>, mut handler: EventHandler) {
        let client = Client::borrowed(&self);
        while let Some(event) = self.events.next(None) {
            // A panic in a handler, which the panic hook reports, must not stop other events.
            let _ = catch_unwind(AssertUnwindSafe(|| handler(&client, event)));
        }
    }

    // The end

    fn end(&self, lost: ConnectionLost) {
        let (lost, calls) = {
            let mut state = lock(&self.state);
            (state.lost.get_or_insert(lost).clone(), std::mem::take(&mut state.calls))
        };
        for pending in calls.into_values() {
            let _ = pending.inbox.send(News::Lost(lost.clone()));
        }
        self.outbox.discard();
        self.events.end();
        self.ended.notify_all();
    }

    fn wait_for_end(&self, deadline: Instant) {
        drop(wait_while(&self.ended, lock(&self.state), Some(deadline), |state| state.lost.is_none()));
    }

    pub fn close(&self) {
        self.close_by(Instant::now() + FINISH);
    }

    /// Ends the input, waits for the server's remaining answers, and ends a child that does not exit.
    fn close_by(&self, deadline: Instant) {
        if self.is_forked() || std::mem::replace(&mut lock(&self.state).closed, true) {
            return;
        }
        self.outbox.close();
        self.wait_for_end(deadline);
        self.stream.close(deadline);
        self.end(self.stream.end_of_life()); // A grandchild may hold the output open.
        let events = lock(&self.event_thread).take();
        if let Some(thread) = events.filter(|found| found.thread().id() != thread::current().id()) {
            wait_for(Instant::now() + Duration::from_secs(5), || thread.is_finished().then_some(()));
        }
    }
}

impl State {
    fn check(&self) -> Result<()> {
        match &self.lost {
            Some(lost) => Err(lost.clone().into()),
            None if self.closed => Err(ConnectionLost::new("this client is closed").into()),
            None => Ok(()),
        }
    }

    /// The call that an error without an id is about: the server did not read a message, because it was longer than this
    /// limit.
    fn longer_than(&self, limit: &Value) -> Option<u64> {
        let limit = limit.as_u64().unwrap_or(0);
        let longest = self.calls.iter().max_by_key(|(_, call)| call.size);
        longest.filter(|(_, call)| call.size as u64 > limit).map(|(number, _)| *number)
    }
}

/// Forgets a call whose caller no longer waits, for example because its progress handler panics.
struct Forget<'s> {
    session: &'s Session,
    number: u64,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        if self.session.forget(self.number) {
            self.session.cancel(self.number);
        }
    }
}

/// `None` for what is no reply.
fn reply_in(message: &mut Value) -> Option<Result<Value, ServerError>> {
    let result = message.get_mut("result").map(Value::take);
    reply_of(message.get("error"), result)
}

fn reply_of(error: Option<&Value>, result: Option<Value>) -> Option<Result<Value, ServerError>> {
    match error {
        Some(error) if !error.is_null() => Some(Err(ServerError::from_wire(error))),
        _ => result.map(Ok),
    }
}

fn receive<T>(queue: &Receiver<T>, deadline: Option<Instant>) -> Option<T> {
    let limit = match deadline {
        Some(deadline) => deadline.saturating_duration_since(Instant::now()),
        None => return queue.recv().ok(),
    };
    queue.recv_timeout(limit).ok()
}

fn start_thread(name: &str, body: impl FnOnce() + Send + 'static) -> Result<thread::JoinHandle<()>> {
    Ok(thread::Builder::new().name(name.to_owned()).stack_size(STACK).spawn(body)?)
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::os::unix::net::{UnixListener, UnixStream};
    use std::process::Command;

    use super::*;

    /// Answers each call with its params: after so many milliseconds, or with an event before a text.
    fn serve(stream: UnixStream) {
        let lines = BufReader::new(stream.try_clone().unwrap()).lines();
        for line in lines.map_while(|line| line.ok()) {
            let request: Value = serde_json::from_str(&line).unwrap();
            let pause = Duration::from_millis(request["params"].as_u64().unwrap_or(0));
            let mut output = stream.try_clone().unwrap();
            let mut answer = move || {
                thread::sleep(pause);
                let event = r#"{"method":"policyManager.policyDidChange","params":{"seq":1}}"#;
                let before = if request["params"].is_string() { format!("{event}\n") } else { String::new() };
                let reply = json!({"jsonrpc": "2.0", "id": request["id"], "result": request["params"]});
                let _ = output.write_all(format!("{before}{reply}\n").as_bytes());
            };
            if pause.is_zero() {
                answer();
            } else {
                thread::spawn(answer);
            }
        }
        let _ = stream.shutdown(std::net::Shutdown::Both);
    }

    fn start(name: &str) -> Arc<Session> {
        let place = std::env::temp_dir().join(format!("mambridge-{name}-{}", process::id()));
        let listener = UnixListener::bind(&place).unwrap();
        thread::spawn(move || serve(listener.accept().unwrap().0));
        let (stream, input) = Stream::connect(&format!("unix://{}", place.display())).unwrap();
        std::fs::remove_file(place).unwrap();
        let session = Session::new(stream, input, Host::new(), false, None);
        session.start(None).unwrap();
        session
    }

    fn echo(session: &Session, value: Value) {
        let call = session.new_call();
        session.send(&call, "echo", value.clone()).unwrap();
        assert_eq!(session.wait(&call, "echo", None, &mut None).unwrap(), value);
    }

    /// Calls until a number of calls have read their own answers.
    fn call_until(session: &Session, count: u64) {
        let end = Instant::now() + Duration::from_secs(30);
        while session.reading.own_answers() < count && Instant::now() < end {
            echo(session, json!([1]));
        }
        assert!(session.reading.own_answers() >= count);
    }

    #[test]
    fn calls_one_after_the_other_read_their_own_answers() {
        let session = start("alone");
        call_until(&session, 500);
        session.close();
    }

    #[test]
    fn calls_at_once_get_their_own_answers_whoever_reads() {
        let session = start("together");
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..500).for_each(|number| echo(&session, json!(if number % 50 == 0 { 3 } else { 0 }))));
            }
        });
        call_until(&session, session.reading.own_answers() + 100);
        session.close();
    }

    #[test]
    fn a_call_that_takes_long_holds_no_other_up() {
        let session = start("slow");
        call_until(&session, 100);
        thread::scope(|scope| {
            let slow = scope.spawn(|| echo(&session, json!(900)));
            (0..100).for_each(|_| echo(&session, json!(0)));
            assert!(slow.join().is_ok());
        });
        call_until(&session, session.reading.own_answers() + 100);
        session.close();
    }

    #[test]
    fn events_are_heard_while_calls_follow_each_other_and_while_there_are_none() {
        let session = start("events");
        call_until(&session, 100);
        (0..200).for_each(|_| echo(&session, json!("event")));
        let params = json!("event");
        call_until(&session, session.reading.own_answers() + 1);
        session.outbox.push(None, line(&Outgoing::new(Some(7_000_000), "echo", &params)));
        let end = Some(Instant::now() + Duration::from_secs(30));
        for _ in 0..201 {
            assert!(session.events.next(end).is_some());
        }
        session.close();
    }

    #[test]
    fn the_end_is_noticed_whoever_reads() {
        let session = start("end");
        call_until(&session, 100);
        session.stream.close(Instant::now());
        let call = session.new_call();
        let end = session.send(&call, "echo", json!(0)).and_then(|()| session.wait(&call, "echo", None, &mut None));
        assert!(matches!(end, Err(Error::ConnectionLost(_))), "{end:?}");
    }

    #[test]
    fn a_server_that_was_stopped_is_ended_with_its_calls() {
        let (stream, input) = Stream::spawn(Command::new("sh").args(["-c", "kill -STOP $$"])).unwrap();
        let session = Session::new(stream, input, Host::new(), false, None);
        session.start(None).unwrap();
        let call = session.new_call();
        session.send(&call, "x", "x".repeat(1 << 20).into()).unwrap();
        let start = Instant::now();
        session.close_by(start + Duration::from_secs(1));
        assert!(start.elapsed() < Duration::from_secs(10));
        let end = session.wait(&call, "x", None, &mut None);
        assert!(matches!(end, Err(Error::ConnectionLost(_))), "{end:?}");
        assert!(session.stream.exit_status().is_some());
        let threads_ended = || (Arc::strong_count(&session) == 1).then_some(());
        assert!(wait_for(start + Duration::from_secs(10), threads_ended).is_some());
    }
}
