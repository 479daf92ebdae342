//! Connections to a server: the pipes of a child process, or a socket.
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::os::unix::io::OwnedFd;
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

/// How long one write waits for a server that does not read.
const PATIENCE: Duration = Duration::from_millis(50);

/// The other end: a server that listens, or a child process.
pub struct Stream {
    /// Of a child, its stdin alone: if it is closed, writing fails, although stdout may still be open.
    socket: TcpStream,
    process: Option<Process>,
}

impl Stream {
    /// Returns the stream, and what is to be read of it.
    pub fn spawn(command: &mut Command) -> io::Result<(Stream, TcpStream)> {
        let ((socket, stdin), (input, stdout)) = (UnixStream::pair()?, UnixStream::pair()?);
        let child = command.stdin(OwnedFd::from(stdin)).stdout(OwnedFd::from(stdout)).stderr(Stdio::piped()).spawn();
        command.stdin(Stdio::null()).stdout(Stdio::null()); // Our copies would hide its end.
        let stream = Stream { socket: quiet(socket), process: Some(Process::new(child?)) };
        stream.socket.set_write_timeout(Some(PATIENCE))?;
        Ok((stream, quiet(input)))
    }

    /// Connects to `unix:///PATH` or `tcp://HOST:PORT`.
    pub fn connect(address: &str) -> io::Result<(Stream, TcpStream)> {
        let socket = match address.strip_prefix("unix://") {
            Some(path) => quiet(connect_unix(path.to_owned())?),
            None => connect_tcp(address.strip_prefix("tcp://").unwrap_or(address))?,
        };
        socket.set_write_timeout(Some(PATIENCE))?;
        let input = socket.try_clone()?;
        Ok((Stream { socket, process: None }, input))
    }

    /// Writes what the server takes at once, and returns how much that is.
    pub fn write_now(&self, text: &[u8]) -> usize {
        (&self.socket).write(text).unwrap_or(0)
    }

    /// Waits until the server has taken all of it.
    pub fn write_all(&self, mut text: &[u8]) -> io::Result<()> {
        while !text.is_empty() {
            match (&self.socket).write(text) {
                Ok(count) => text = &text[count..],
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Says that nothing more will be written.
    pub fn finish(&self) {
        self.shutdown(Shutdown::Write);
    }

    /// Says why there is nothing more to read.
    pub fn end_of_life(&self) -> ConnectionLost {
        match &self.process {
            Some(process) => process.end_of_life(),
            None => ConnectionLost::new("mambridge closed the connection"),
        }
    }

    /// Ends the other side, which may take until the deadline to end by itself.
    pub fn close(&self, deadline: Instant) {
        if let Some(process) = &self.process {
            process.end(deadline);
        }
        self.shutdown(Shutdown::Both);
    }

    fn shutdown(&self, how: Shutdown) {
        let _ = self.socket.shutdown(how); // An error says that the other side has ended the connection.
    }

    pub fn pid(&self) -> Option<u32> {
        self.process.as_ref().map(|process| process.pid)
    }

    pub fn exit_status(&self) -> Option<ExitStatus> {
        self.process.as_ref().and_then(Process::ending).and_then(Ending::status)
    }
}

/// The same socket as a `TcpStream`, whose writes never raise SIGPIPE: on any socket, it sends with MSG_NOSIGNAL.
fn quiet(socket: UnixStream) -> TcpStream {
    TcpStream::from(OwnedFd::from(socket))
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
            Ok(socket) => return socket.set_nodelay(true).map(|()| socket),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

/// How a child has ended.
#[derive(Clone, Copy)]
enum Ending {
    Known(ExitStatus),
    /// The program has taken the status, or ignores SIGCHLD. Whose status nobody can learn counts as gone.
    Unknown,
}

impl Ending {
    fn status(self) -> Option<ExitStatus> {
        match self {
            Ending::Known(status) => Some(status),
            Ending::Unknown => None,
        }
    }
}

/// A child process, and its last lines on stderr.
struct Process {
    pid: u32,
    child: Mutex<(Child, Option<Ending>)>,
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
        Process { pid: child.id(), child: Mutex::new((child, None)), last_lines, drain }
    }

    /// `None` while it runs.
    fn ending(&self) -> Option<Ending> {
        learn_ending(&mut lock(&self.child))
    }

    fn ended_by(&self, deadline: Instant) -> Option<Ending> {
        wait_for(deadline, || self.ending())
    }

    fn end_of_life(&self) -> ConnectionLost {
        let ending = match self.ended_by(Instant::now() + EXIT) {
            Some(ending) => ending,
            None => return ConnectionLost::new("mambridge closed its output but is still running"),
        };
        let drained = || self.drain.as_ref().map_or(true, |drain| drain.is_finished()).then_some(());
        wait_for(Instant::now() + Duration::from_secs(1), drained); // A grandchild may hold stderr open.
        let lines = lock(&self.last_lines).iter().cloned().collect();
        match ending {
            Ending::Known(status) => ConnectionLost::exited(status, lines),
            Ending::Unknown => ConnectionLost::ended(lines),
        }
    }

    fn end(&self, deadline: Instant) {
        if self.ended_by(deadline).is_none() {
            self.signal(SIGTERM);
            if self.ended_by(Instant::now() + EXIT).is_none() {
                self.signal(SIGKILL);
                self.ended_by(Instant::now() + EXIT);
            }
        }
    }

    /// Unless it has ended. Until it is waited for, its id is given to no other process, so nobody may wait meanwhile.
    #[allow(unsafe_code)]
    fn signal(&self, number: i32) {
        extern "C" {
            fn kill(pid: i32, signal: i32) -> i32;
        }
        let mut child = lock(&self.child);
        if let (None, Ok(pid)) = (learn_ending(&mut child), i32::try_from(self.pid)) {
            // SAFETY: kill takes two integers.
            unsafe { kill(pid, number) };
        }
    }
}

fn learn_ending((child, ending): &mut (Child, Option<Ending>)) -> Option<Ending> {
    *ending = ending.or_else(|| match child.try_wait() {
        Ok(status) => status.map(Ending::Known),
        Err(_) => Some(Ending::Unknown),
    });
    *ending
}

const SIGTERM: i32 = 15;
const SIGKILL: i32 = 9;

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
        let (stream, mut input) = Stream::spawn(Command::new("sh").args(["-c", script])).unwrap();
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
        let (stream, _input) = Stream::spawn(Command::new("sh").args(["-c", "seq 30 >&2; printf end >&2"])).unwrap();
        let lost = stream.end_of_life();
        assert_eq!(
            (lost.last_lines.len(), lost.last_lines[0].as_str(), lost.last_lines[19].as_str()),
            (20, "12", "end")
        );
    }

    #[test]
    fn a_line_without_an_end_is_kept_in_parts() {
        let script = "head -c 1000000 /dev/zero | tr '\\0' x >&2";
        let (stream, _input) = Stream::spawn(Command::new("sh").args(["-c", script])).unwrap();
        let lengths: Vec<usize> = stream.end_of_life().last_lines.iter().map(String::len).collect();
        assert_eq!((lengths.len(), lengths.iter().max()), (20, Some(&4096)));
    }
}
