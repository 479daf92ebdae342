//! Who reads what the server sends: a thread for that or, as long as calls come one after the other, the caller.
use std::io::{self, ErrorKind, Read};
use std::net::TcpStream;
use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

use crate::waiting::{lock, wait_while};

/// How long a caller reads. A longer wait is left to the thread of the reader.
const MOMENT: Duration = Duration::from_millis(50);
/// How long the reader leaves reading to callers after one has read its own answer.
const TICK: Duration = Duration::from_millis(20);

pub struct Reading {
    turn: Mutex<Turn>,
    wanted: Condvar,
    lines: Mutex<Lines>,
}

#[derive(Default)]
struct Turn {
    /// Somebody reads, and nobody else locks the lines.
    taken: bool,
    reader_waits: bool,
    /// How many calls count on the reader.
    followers: usize,
    own_answers: u64,
}

impl Reading {
    pub fn new(input: TcpStream) -> Reading {
        let lines = Lines { input, limit: None, chunk: vec![0; 1 << 16].into(), text: Vec::new() };
        Reading { turn: Mutex::default(), wanted: Condvar::new(), lines: Mutex::new(lines) }
    }

    /// Reads on the thread of a caller, which saves two changes of threads, unless somebody else reads or counts on the
    /// reader. `take` gets what came at once, if that is one line; the reader gets whatever it does not want.
    pub fn own_answer<T>(&self, take: impl FnOnce(&[u8]) -> Option<T>) -> Option<T> {
        {
            let mut turn = lock(&self.turn);
            if turn.taken || turn.followers > 0 {
                return None;
            }
            turn.taken = true;
        }
        let answer = lock(&self.lines).take_line(take);
        let mut turn = lock(&self.turn);
        turn.taken = false;
        turn.own_answers += u64::from(answer.is_some());
        if turn.reader_waits || turn.followers > 0 {
            self.wanted.notify_all();
        }
        answer
    }

    /// One more call counts on the reader.
    pub fn follow(&self) {
        lock(&self.turn).followers += 1;
        self.wanted.notify_all();
    }

    /// A call no longer counts on the reader.
    pub fn unfollow(&self) {
        lock(&self.turn).followers -= 1;
    }

    /// Waits for lines on the thread of the reader, and hands each over. `false` at the end.
    pub fn read_lines<E>(&self, receive: impl FnMut(&[u8]) -> Result<(), E>) -> Result<bool, E> {
        self.lead();
        let read = lock(&self.lines).hand_over(receive);
        lock(&self.turn).taken = false;
        read
    }

    /// Leaves reading to callers, until one counts on the reader or none has read its own answer for a tick.
    fn lead(&self) {
        let mut turn = lock(&self.turn);
        loop {
            let seen = turn.own_answers;
            let end = Some(Instant::now() + TICK);
            turn = wait_while(&self.wanted, turn, end, |turn| turn.followers == 0);
            if turn.followers > 0 || turn.own_answers == seen {
                break;
            }
        }
        turn.reader_waits = true;
        turn = wait_while(&self.wanted, turn, None, |turn| turn.taken);
        turn.reader_waits = false;
        turn.taken = true;
    }

    #[cfg(test)]
    pub fn own_answers(&self) -> u64 {
        lock(&self.turn).own_answers
    }
}

/// What was read and is not yet handed over.
struct Lines {
    input: TcpStream,
    limit: Option<Duration>,
    chunk: Box<[u8]>,
    text: Vec<u8>,
}

impl Lines {
    /// Reads once. Returns how much; 0 at the end.
    fn fill(&mut self, limit: Option<Duration>) -> io::Result<usize> {
        if self.limit != limit {
            self.input.set_read_timeout(limit)?;
            self.limit = limit;
        }
        let count = self.input.read(&mut self.chunk)?;
        self.text.extend_from_slice(&self.chunk[..count]);
        Ok(count)
    }

    fn take_line<T>(&mut self, take: impl FnOnce(&[u8]) -> Option<T>) -> Option<T> {
        if !self.text.is_empty() || self.fill(Some(MOMENT)).is_err() {
            return None;
        }
        let (last, line) = self.text.split_last()?;
        let found = if *last == b'\n' && !line.contains(&b'\n') { take(line) } else { None };
        if found.is_some() {
            self.text.clear();
        }
        found
    }

    fn hand_over<E>(&mut self, mut receive: impl FnMut(&[u8]) -> Result<(), E>) -> Result<bool, E> {
        let mut known = 0; // without an end of a line
        let end = loop {
            if let Some(end) = self.text[known..].iter().rposition(|byte| *byte == b'\n') {
                break known + end + 1;
            }
            known = self.text.len();
            match self.fill(None) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Ok(count) if count > 0 => {}
                _ => {
                    receive(&std::mem::take(&mut self.text))?; // The end may cut a line off.
                    return Ok(false);
                }
            }
        };
        self.text[..end].split(|byte| *byte == b'\n').try_for_each(receive)?;
        self.text.drain(..end);
        self.text.shrink_to(1 << 16);
        Ok(true)
    }
}
