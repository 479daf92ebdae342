//! What happened in a sandbox: its events, the answers to its questions, and its report.
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{done, full_name, Sandbox, START};
use crate::events::EventKind;
use crate::types::ExpectedOutcome;
use crate::Error;

/// How the report of a failure begins.
const HEADING: &str = "--- what happened in the sandbox";
/// How long `wait_for` waits.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a report may take.
const REPORT: Duration = Duration::from_secs(5);

impl Sandbox {
    /// Returns the first event of a kind that no earlier wait has returned, such as `wait_for::<PolicyDidChange>()`.
    /// Waits for 10 seconds.
    #[track_caller]
    pub fn wait_for<E: EventKind>(&self) -> E {
        self.wait_for_within(None, PATIENCE)
    }

    /// Waits for an event of one user, or with another limit.
    #[track_caller]
    pub fn wait_for_within<E: EventKind>(&self, user: Option<&str>, limit: Duration) -> E {
        let user = user.map(full_name);
        let wait = self.client.sandbox().wait_for_event(E::NAME.to_owned().into()).account(user.as_deref());
        let found = done(wait.milliseconds(limit.as_millis() as i64).timeout(limit + START).send());
        match found.entry {
            Some(entry) => done(E::deserialize(Value::Object(entry.params))),
            None => panic!("{}", found.text),
        }
    }

    /// Panics unless the newest question was answered by no, because of a setting if one is given.
    #[track_caller]
    pub fn assert_blocked<'s>(&self, setting: impl Into<Option<&'s str>>) {
        self.expect(ExpectedOutcome::Blocked, setting.into());
    }

    /// Panics unless the newest question was answered by yes.
    #[track_caller]
    pub fn assert_allowed(&self) {
        self.expect(ExpectedOutcome::Allowed, None);
    }

    #[track_caller]
    fn expect(&self, outcome: ExpectedOutcome, setting: Option<&str>) {
        let found = done(self.client.sandbox().expect(outcome).setting(setting).send());
        assert!(found.is_met, "{}", found.text);
    }

    /// What happened, in plain words.
    #[track_caller]
    pub fn story(&self) -> String {
        done(self.client.sandbox().report().send()).story
    }

    /// A script for bash that starts a sandbox like this and repeats the calls.
    #[track_caller]
    pub fn replay(&self) -> String {
        done(self.client.sandbox().report().send()).replay
    }

    /// The story and the replay of a test that fails for a reason, or why there is none.
    pub fn report(&self, failure: &str) -> String {
        match self.client.sandbox().report().failure(failure).timeout(REPORT).send() {
            Ok(found) => found.text,
            Err(error) => {
                self.end_after(&error);
                format!("The story is lost: {error}")
            }
        }
    }

    /// Prints the report of the test that this thread runs.
    pub(super) fn print_report(&self) {
        let thread = thread::current();
        let test = thread.name().filter(|name| *name != "main");
        let report = self.report(test.unwrap_or("the calls of a test"));
        match test {
            Some(test) => eprintln!("{}", report.replacen(HEADING, &format!("{HEADING} of {test}"), 1)),
            None => eprintln!("{report}"),
        }
    }

    /// A sandbox has nothing to finish: one that does not answer is ended at once.
    pub(super) fn end_after(&self, error: &Error) {
        if error.is_timeout() {
            self.client.session().stream.close(Instant::now());
        }
    }
}
