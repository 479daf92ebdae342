//! Connections to a server: the pipes of a child process, or a socket.
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::waiting::{lock, wait_for};
use crate::ConnectionLost;

/// How long a server may take to finish after the end of its input.
pub const FINISH: Duration = Duration::from_secs(35);
/// How long a server may take to exit after a signal, or after it closed its output.
const EXIT: Duration = Duration::from_secs(5);
const CONNECT: Duration = Duration::from_secs(10);
const LAST_LINES: usize = 20;
/// The rest of a longer line counts as another line.
const LONGEST_LINE: u64 = 4096;

pub type Input = Box<dyn Read + Send>;
pub type Output = Box<dyn Write + Send>;

/// What is known of the other end.
pub struct Stream(Peer);

enum Peer {
    Process(Process),
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Stream {
    pub fn spawn(command: &mut Command) -> io::Result<(Stream, Input, Output)> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (input, output) = (child.stdout.take(), child.stdin.take());
        let stream = Stream(Peer::Process(Process::new(child)));
        match (input, output) {
            (Some(input), Some(output)) => Ok((stream, Box::new(input), Box::new(output))),
            _ => Err(io::Error::new(io::ErrorKind::Other, "the child process has no pipes")),
        }
    }

    /// Connects to `unix:///PATH` or `tcp://HOST:PORT`.
    pub fn connect(address: &str) -> io::Result<(Stream, Input, Output)> {
        if let Some(path) = address.strip_prefix("unix://") {
            let socket = connect_unix(path.to_owned())?;
            let (input, output) = (socket.try_clone()?, socket.try_clone()?);
            return Ok((Stream(Peer::Unix(socket)), Box::new(input), Box::new(output)));
        }
        let socket = connect_tcp(address.strip_prefix("tcp://").unwrap_or(address))?;
        socket.set_nodelay(true)?;
        let (input, output) = (socket.try_clone()?, socket.try_clone()?);
        Ok((Stream(Peer::Tcp(socket)), Box::new(input), Box::new(output)))
    }

    /// Says that nothing more will be written. A pipe says so when it is dropped.
    pub fn finish(&self) {
        self.shutdown(Shutdown::Write);
    }

    /// Says why there is nothing more to read.
    pub fn end_of_life(&self) -> ConnectionLost {
        match &self.0 {
            Peer::Process(process) => process.end_of_life(),
            _ => ConnectionLost::new("mambridge closed the connection"),
        }
    }

    /// Ends the other side, which may take until the deadline to end by itself.
    pub fn close(&self, deadline: Instant) {
        match &self.0 {
            Peer::Process(process) => process.end(deadline),
            _ => self.shutdown(Shutdown::Both),
        }
    }

    fn shutdown(&self, how: Shutdown) {
        // An error says that the other side has ended the connection.
        let _ = match &self.0 {
            Peer::Process(_) => Ok(()),
            Peer::Tcp(socket) => socket.shutdown(how),
            Peer::Unix(socket) => socket.shutdown(how),
        };
    }

    pub fn pid(&self) -> Option<u32> {
        match &self.0 {
            Peer::Process(process) => Some(lock(&process.child).id()),
            _ => None,
        }
    }

    pub fn exit_status(&self) -> Option<ExitStatus> {
        match &self.0 {
            Peer::Process(process) => process.status(),
            _ => None,
        }
    }
}

/// A unix socket has no time limit of its own for a server that accepts nothing.
fn connect_unix(path: String) -> io::Result<UnixStream> {
    let (sender, connected) = channel();
    let connect = move || sender.send(UnixStream::connect(path));
    thread::Builder::new().name("mambridge connect".into()).spawn(connect)?;
    connected.recv_timeout(CONNECT).unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

fn connect_tcp(address: &str) -> io::Result<TcpStream> {
    let wrong = format!("{address} is no address; use tcp://HOST:PORT or unix:///PATH");
    let mut failure = io::Error::new(io::ErrorKind::InvalidInput, wrong.as_str());
    for place in address.to_socket_addrs().map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, wrong))? {
        match TcpStream::connect_timeout(&place, CONNECT) {
            Ok(socket) => return Ok(socket),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

/// A child process, and its last lines on stderr.
struct Process {
    child: Mutex<Child>,
    last_lines: Arc<Mutex<VecDeque<String>>>,
    drain: Option<thread::JoinHandle<()>>,
}

impl Process {
    fn new(mut child: Child) -> Process {
        let last_lines = Arc::new(Mutex::new(VecDeque::new()));
        let drain = child.stderr.take().and_then(|stderr| {
            let lines = Arc::clone(&last_lines);
            thread::Builder::new().name("mambridge stderr".into()).spawn(move || keep_last_lines(stderr, &lines)).ok()
        });
        Process { child: Mutex::new(child), last_lines, drain }
    }

    fn status(&self) -> Option<ExitStatus> {
        lock(&self.child).try_wait().unwrap_or(None)
    }

    fn exited_by(&self, deadline: Instant) -> Option<ExitStatus> {
        wait_for(deadline, || self.status())
    }

    fn end_of_life(&self) -> ConnectionLost {
        let status = match self.exited_by(Instant::now() + EXIT) {
            Some(status) => status,
            None => return ConnectionLost::new("mambridge closed its output but is still running"),
        };
        let drained = || self.drain.as_ref().map_or(true, |drain| drain.is_finished()).then_some(());
        wait_for(Instant::now() + Duration::from_secs(1), drained); // A grandchild may hold stderr open.
        ConnectionLost::exited(status, lock(&self.last_lines).iter().cloned().collect())
    }

    fn end(&self, deadline: Instant) {
        if self.exited_by(deadline).is_none() {
            self.terminate();
            if self.exited_by(Instant::now() + EXIT).is_none() {
                let _ = lock(&self.child).kill(); // It fails if the process has just exited.
                self.exited_by(Instant::now() + EXIT);
            }
        }
    }

    /// Sends SIGTERM. The lock keeps the process from being reaped, and so its id from being given to another.
    #[allow(unsafe_code)]
    fn terminate(&self) {
        extern "C" {
            fn kill(pid: i32, signal: i32) -> i32;
        }
        const SIGTERM: i32 = 15;
        let mut child = lock(&self.child);
        if let (Ok(None), Ok(pid)) = (child.try_wait(), i32::try_from(child.id())) {
            // SAFETY: kill takes two integers, and the child has not been waited for.
            unsafe { kill(pid, SIGTERM) };
        }
    }
}

fn keep_last_lines(stderr: ChildStderr, lines: &Mutex<VecDeque<String>>) {
    let mut stderr = BufReader::new(stderr);
    let mut line = Vec::new();
    while matches!(stderr.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line), Ok(count) if count > 0) {
        let mut lines = lock(lines);
        if lines.len() == LAST_LINES {
            lines.pop_front();
        }
        lines.push_back(String::from_utf8_lossy(&line).trim_end().to_owned());
        line.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    fn signal_that_ends(script: &str) -> Option<i32> {
        let (stream, mut input, _output) = Stream::spawn(Command::new("sh").args(["-c", script])).unwrap();
        input.read_exact(&mut [0]).unwrap();
        stream.close(Instant::now());
        stream.exit_status().unwrap().signal()
    }

    #[test]
    fn a_child_that_goes_on_is_ended_by_sigterm() {
        assert_eq!(signal_that_ends("echo; exec sleep 60"), Some(15));
    }

    #[test]
    fn a_child_that_ignores_sigterm_is_killed() {
        assert_eq!(signal_that_ends("trap '' TERM; echo; exec sleep 60"), Some(9));
    }

    #[test]
    fn the_last_lines_of_a_child_are_kept() {
        let (stream, _input, _output) =
            Stream::spawn(Command::new("sh").args(["-c", "seq 30 >&2; printf end >&2"])).unwrap();
        let lost = stream.end_of_life();
        assert_eq!(
            (lost.last_lines.len(), lost.last_lines[0].as_str(), lost.last_lines[19].as_str()),
            (20, "12", "end")
        );
    }

    #[test]
    fn a_line_without_an_end_is_kept_in_parts() {
        let script = "head -c 1000000 /dev/zero | tr '\\0' x >&2";
        let (stream, _input, _output) = Stream::spawn(Command::new("sh").args(["-c", script])).unwrap();
        let lengths: Vec<usize> = stream.end_of_life().last_lines.iter().map(String::len).collect();
        assert_eq!((lengths.len(), lengths.iter().max()), (20, Some(&4096)));
    }
}
