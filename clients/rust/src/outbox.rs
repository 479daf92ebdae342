//! The messages that wait to be written by a thread of their own, so that a server that does not read holds up no caller. A
//! short message of a call is written by its caller if none waits.
//!
//! The message of a call waits no longer than its caller, so there are never more of them than callers.
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex};
use std::time::Instant;

use crate::waiting::{lock, wait_while};

/// A notification waits for room while messages of so many bytes wait.
const FULL: usize = 8 << 20;
/// The longest message that a caller writes.
const SHORT: usize = 1 << 14;

#[derive(Default)]
pub struct Outbox {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    messages: VecDeque<Message>,
    size: usize,
    closed: bool,
    /// A caller writes.
    writing: bool,
}

struct Message {
    call: Option<u64>,
    text: Vec<u8>,
}

impl Outbox {
    /// Adds a message, of a call or else of nobody. A closed outbox drops it.
    pub fn push(&self, call: Option<u64>, text: Vec<u8>) {
        let mut queue = lock(&self.queue);
        if !queue.closed {
            queue.size += text.len();
            queue.messages.push_back(Message { call, text });
            self.changed.notify_all();
        }
    }

    /// Adds the message of a call, or else has `write` write what the server takes at once, and adds the rest.
    pub fn send(&self, call: u64, mut text: Vec<u8>, write: impl FnOnce(&[u8]) -> usize) {
        {
            let mut queue = lock(&self.queue);
            if queue.writing || queue.closed || !queue.messages.is_empty() || text.len() > SHORT {
                drop(queue);
                return self.push(Some(call), text);
            }
            queue.writing = true;
        }
        let written = write(&text);
        let mut queue = lock(&self.queue);
        queue.writing = false;
        if written < text.len() {
            text.drain(..written);
            queue.size += text.len();
            queue.messages.push_front(Message { call: (written == 0).then_some(call), text });
        }
        if queue.closed || !queue.messages.is_empty() {
            self.changed.notify_all();
        }
    }

    /// Waits for room. `false` if there is none by the deadline.
    pub fn has_room_by(&self, deadline: Option<Instant>) -> bool {
        let is_full = |queue: &mut Queue| queue.size >= FULL && !queue.closed;
        !is_full(&mut wait_while(&self.changed, lock(&self.queue), deadline, is_full))
    }

    /// Takes back the message of a call. `false` if it was written, at least in part.
    pub fn withdraw(&self, call: u64) -> bool {
        let mut queue = lock(&self.queue);
        let place = queue.messages.iter().position(|message| message.call == Some(call));
        place.and_then(|place| queue.messages.remove(place)).map_or(false, |message| {
            queue.size -= message.text.len();
            self.changed.notify_all();
            true
        })
    }

    /// Waits for the next message. `None` once the outbox is closed and empty.
    pub fn next(&self) -> Option<Vec<u8>> {
        let nothing = |queue: &mut Queue| queue.writing || queue.messages.is_empty() && !queue.closed;
        let mut queue = wait_while(&self.changed, lock(&self.queue), None, nothing);
        let message = queue.messages.pop_front()?;
        queue.size -= message.text.len();
        self.changed.notify_all();
        Some(message.text)
    }

    /// Takes no more messages. Those that wait are still written.
    pub fn close(&self) {
        lock(&self.queue).closed = true;
        self.changed.notify_all();
    }

    /// Drops the messages that wait, and takes no more.
    pub fn discard(&self) {
        let mut queue = lock(&self.queue);
        *queue = Queue { closed: true, writing: queue.writing, ..Queue::default() };
        drop(queue);
        self.changed.notify_all();
    }
}
