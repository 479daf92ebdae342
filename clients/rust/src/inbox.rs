//! The events that nobody has read yet.
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex};
use std::time::Instant;

use serde_json::Value;

use crate::events::EventsGap;
use crate::waiting::{lock, wait_while};
use crate::Event;

/// The server keeps as many.
const MOST: usize = 10_000;

#[derive(Default)]
pub struct Inbox {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    gap: Option<EventsGap>,
    events: VecDeque<(Option<EventsGap>, Event)>,
    ended: bool,
}

impl Inbox {
    /// Adds an event. If there are too many, a gap takes the place of the oldest.
    pub fn push(&self, name: &str, params: &Value) {
        let event = Event::read(name, params);
        let place = place_of(&event, params);
        let mut queue = lock(&self.queue);
        if queue.events.len() == MOST {
            let oldest = queue.events.pop_front().and_then(|(place, _)| place);
            queue.gap = match (queue.gap.take(), oldest) {
                (Some(gap), Some(more)) => Some(EventsGap { after: gap.after.min(more.after), to: more.to }),
                (gap, more) => gap.or(more),
            };
        }
        queue.events.push_back((place, event));
        self.changed.notify_one();
    }

    /// Waits for the next event. `None` after the deadline, or once the connection has ended.
    pub fn next(&self, deadline: Option<Instant>) -> Option<Event> {
        let nothing = |queue: &mut Queue| queue.events.is_empty() && !queue.ended;
        let mut queue = wait_while(&self.changed, lock(&self.queue), deadline, nothing);
        let gap = queue.gap.take().map(|gap| Event::EventsGap(Box::new(gap)));
        gap.or_else(|| queue.events.pop_front().map(|(_, event)| event))
    }

    pub fn end(&self) {
        lock(&self.queue).ended = true;
        self.changed.notify_all();
    }
}

/// The gap that an event leaves; `None` for an event without a number, such as a line of the log.
fn place_of(event: &Event, params: &Value) -> Option<EventsGap> {
    match event {
        Event::EventsGap(gap) => Some(EventsGap::clone(gap)),
        _ => params["seq"].as_i64().map(|number| EventsGap { after: number - 1, to: number }),
    }
}
