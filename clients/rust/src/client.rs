//! The client: how a program starts a server or connects to one, and ends the connection.
use std::ffi::OsStr;
use std::fmt;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::inbox::Inbox;
use crate::session::{EventHandler, Session};
use crate::streams::Stream;
use crate::waiting::after;
use crate::{Event, Host, Request, Result, Untyped};

/// A connection to a server, which any thread may use. Clones share the connection.
///
/// [`Client::close`], or the drop of the last clone, waits for running calls.
#[derive(Clone)]
pub struct Client {
    session: Arc<Session>,
    _owner: Option<Arc<Owner>>,
}

/// Closes the session with the last client that a program holds. Clients of handlers do not count.
struct Owner(Arc<Session>);

impl Drop for Owner {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Client {
    /// Starts a server as a child process.
    pub fn spawn<A: AsRef<OsStr>>(
        executable: impl AsRef<OsStr>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<Client> {
        Self::builder().spawn(executable, arguments)
    }

    /// Connects to a running server at `unix:///PATH`. For TCP, give a [`Builder`] the file of the token.
    pub fn connect(address: &str) -> Result<Client> {
        Self::builder().connect(address)
    }

    pub fn builder() -> Builder {
        Builder::default()
    }

    pub(crate) fn borrowed(session: &Arc<Session>) -> Client {
        Client { session: Arc::clone(session), _owner: None }
    }

    pub(crate) fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// A call without types: the params, an object or an array, go out as they are, and the result is JSON.
    pub fn request<'c>(&'c self, method: &'c str, params: Value) -> Request<'c, Untyped> {
        Request::untyped(self, method, params)
    }

    /// Sends a notification. The server does not reply, not even to report a failure. While the server does not read, this
    /// waits up to the limit of [`Builder::timeout`].
    pub fn notify(&self, method: &str, params: Value) -> Result<()> {
        self.session.notify(method, params)
    }

    /// The events as they come, until the connection ends. A client with [`Builder::on_event`] has none here.
    ///
    /// The client keeps 10,000 events that nobody has read. An [`Event::EventsGap`] takes the place of older ones.
    pub fn listen(&self) -> Listener<'_> {
        let listens = !self.session.has_handler && !self.session.is_forked();
        Listener(listens.then_some(&self.session.events))
    }

    /// Ends the connection: running calls are answered first. A child that does not exit within 35 seconds is ended with
    /// SIGTERM, then with SIGKILL.
    pub fn close(&self) {
        self.session.close();
    }

    /// The process id of the child; `None` for a socket.
    pub fn pid(&self) -> Option<u32> {
        self.session.stream.pid()
    }

    /// The exit status of the child once it has ended. `None` if this program ignores SIGCHLD or waits for any child, and so
    /// lost the status.
    pub fn exit_status(&self) -> Option<ExitStatus> {
        (!self.session.is_forked()).then(|| self.session.stream.exit_status()).flatten()
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("Client").field("pid", &self.pid()).field("host", &self.session.host).finish_non_exhaustive()
    }
}

/// An iterator over events that waits for the next one.
pub struct Listener<'c>(Option<&'c Inbox>);

impl Listener<'_> {
    /// The next event; `None` if none comes in time, or the connection has ended.
    pub fn next_within(&mut self, limit: Duration) -> Option<Event> {
        self.0?.next(after(limit))
    }
}

impl Iterator for Listener<'_> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        self.0?.next(None)
    }
}

/// What a client is made with.
#[derive(Default)]
pub struct Builder {
    host: Host,
    on_event: Option<EventHandler>,
    timeout: Option<Duration>,
    token_file: Option<PathBuf>,
    environment: Vec<(String, String)>,
    folder: Option<PathBuf>,
    shares_process_group: bool,
}

/// With the value "own", the server leaves the process group of this program.
const GROUP_VARIABLE: &str = "MAMBRIDGE_PROCESS_GROUP";

impl Builder {
    /// Answers the requests of the server. `initialize` declares what the host answers.
    pub fn host(mut self, host: Host) -> Self {
        self.host = host;
        self
    }

    /// Hears the events that `initialize` asks for, one at a time, on a thread of their own. The handler may make calls.
    pub fn on_event(mut self, handler: impl FnMut(&Client, Event) + Send + 'static) -> Self {
        self.on_event = Some(Box::new(handler));
        self
    }

    /// The deadline of calls without one of their own.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    #[cfg(feature = "testing")]
    pub(crate) fn default_timeout(mut self, limit: Duration) -> Self {
        self.timeout.get_or_insert(limit);
        self
    }

    /// The file of the token that a server on TCP names on its stderr.
    pub fn token_file(mut self, file: impl AsRef<Path>) -> Self {
        self.token_file = Some(file.as_ref().to_owned());
        self
    }

    /// Adds a variable to the environment of the child.
    pub fn environment(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// The working folder of the child.
    pub fn folder(mut self, folder: impl AsRef<Path>) -> Self {
        self.folder = Some(folder.as_ref().to_owned());
        self
    }

    /// Whether the child runs in a process group of its own, which is the default. It then gets no signal that Ctrl-C or a
    /// service manager sends to the group of this program.
    pub fn own_process_group(mut self, is_own: bool) -> Self {
        self.shares_process_group = !is_own;
        self
    }

    /// Starts a server as a child process.
    pub fn spawn<A: AsRef<OsStr>>(
        self,
        executable: impl AsRef<OsStr>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<Client> {
        let mut command = Command::new(executable);
        if !self.shares_process_group && std::env::var_os(GROUP_VARIABLE).is_none() {
            command.env(GROUP_VARIABLE, "own");
        }
        command.args(arguments).envs(self.environment.iter().cloned());
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        let (stream, input) = Stream::spawn(&mut command)?;
        self.start(stream, input)
    }

    /// Connects to `unix:///PATH`, or to `tcp://HOST:PORT` with the file of the token.
    pub fn connect(self, address: &str) -> Result<Client> {
        let token = self.token_file.as_ref().map(std::fs::read_to_string).transpose()?;
        let (stream, input) = Stream::connect(address)?;
        let client = self.start(stream, input)?;
        if let Some(token) = token {
            client.authenticate(token.trim()).timeout(Duration::from_secs(10)).send()?;
        }
        Ok(client)
    }

    fn start(self, stream: Stream, input: TcpStream) -> Result<Client> {
        let session = Session::new(stream, input, self.host, self.on_event.is_some(), self.timeout);
        let owner = Arc::new(Owner(Arc::clone(&session))); // Ends the child if a thread cannot start.
        session.start(self.on_event)?;
        Ok(Client { session, _owner: Some(owner) })
    }
}
