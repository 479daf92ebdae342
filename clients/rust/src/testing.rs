//! A sandbox for each test of an app: a fresh tenant, a clock that stands still, and a user who answers.
//!
//! ```no_run
//! use mambridge::testing::Sandbox;
//! use mambridge::types::{SaveLocation, TestSettings};
//!
//! let mam = Sandbox::start();
//! mam.policy("bob", TestSettings::new().save_as_blocked(true));
//! mam.enroll("bob");
//! let policy = mam.client().policy();
//! policy.is_save_to_allowed_for_location(SaveLocation::Dropbox).account("bob@contoso.example").send().unwrap();
//! mam.assert_blocked("saveAsBlocked");
//! ```
//!
//! A verb that fails panics. A sandbox that is dropped by a panic prints what happened in it, and a script that replays
//! it, so let a test panic instead of returning an error.
mod network;

use std::collections::BTreeMap;
use std::env;
use std::fmt::Display;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::events::EventKind;
use crate::methods::{device, sandbox};
use crate::types::{ClockTime, Device, EnrollmentStatus, ExpectedOutcome, FaultKind, FaultPlace, TestSettings};
use crate::waiting::lock;
use crate::{Builder, Client, Error, Request, Result};

pub use crate::types::NetworkRequest;
pub use network::Network;

/// How mambridge begins the text about a user whom the tenant does not list.
const UNLISTED: &str = "The tenant does not list this user.";
/// The statuses of a wipe of an account that is not enrolled.
const NOT_ENROLLED: [&str; 2] = ["appNotEnrolled", "notEnrolledAccount"];
/// How the report of a failure begins.
const HEADING: &str = "--- what happened in the sandbox";
const SAMPLE_USERS: [&str; 4] = ["alice", "bob", "carol", "dave"];
/// How long `wait_for` waits.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long the first answer may take.
const START: Duration = Duration::from_secs(30);
/// How long a report may take.
const REPORT: Duration = Duration::from_secs(5);

/// `alice`, `bob`, `carol` and `dave` are short for users of the sample tenant. Every other name is as written.
pub fn full_name(user: &str) -> String {
    if SAMPLE_USERS.contains(&user) {
        format!("{user}@contoso.example")
    } else {
        user.to_owned()
    }
}

/// For [`Sandbox::advance`].
pub fn days(count: u64) -> Duration {
    Duration::from_secs(count * 86_400)
}

/// How a sandbox begins.
#[derive(Clone, Debug)]
pub struct Options {
    binary: String,
    arguments: Vec<String>,
    timeout: Duration,
}

impl Default for Options {
    fn default() -> Self {
        let binary = env::var("MAMBRIDGE").ok().filter(|name| !name.is_empty());
        Options {
            binary: binary.unwrap_or_else(|| "mambridge".to_owned()),
            arguments: vec!["sandbox".to_owned()],
            timeout: Duration::from_secs(60),
        }
    }
}

impl Options {
    pub fn new() -> Self {
        Self::default()
    }

    /// The program; defaults to MAMBRIDGE in the environment, or else to `mambridge`.
    pub fn binary(mut self, binary: impl Into<String>) -> Self {
        self.binary = binary.into();
        self
    }

    /// `sample`, which is the default, `empty`, a tenant folder, or the folder of `sandbox.export`.
    pub fn seed(self, seed: &str) -> Self {
        self.with("--seed", seed.to_owned())
    }

    /// When the clock starts, such as 2026-01-31T09:30:00Z; defaults to now, or to the time of an export.
    pub fn at(self, time: &str) -> Self {
        self.with("--at", time.to_owned())
    }

    /// A setting of the app, such as MultiIdentity.
    pub fn setting(self, name: &str, value: impl Display) -> Self {
        self.with("--set", format!("{name}={value}"))
    }

    /// The id of the app.
    pub fn app_id(self, id: &str) -> Self {
        self.with("--app-id", id.to_owned())
    }

    /// How long a call may take; 60 seconds by default.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = limit;
        self
    }

    fn with(mut self, option: &str, value: String) -> Self {
        self.arguments.extend([option.to_owned(), value]);
        self
    }

    /// Starts a sandbox. Panics with the reason if it cannot start.
    #[track_caller]
    pub fn start(self) -> Sandbox {
        match self.try_start() {
            Ok(mam) => mam,
            Err(reason) => panic!("{reason}"),
        }
    }

    fn try_start(self) -> Result<Sandbox, String> {
        let client = Client::builder().timeout(self.timeout).spawn(&self.binary, &self.arguments);
        let client = client.map_err(|error| self.failure(&error))?;
        let mam = Sandbox { client, options: self, joined: Mutex::default(), network: Mutex::default() };
        match mam.client.sandbox().story().timeout(START).send() {
            Ok(_) => Ok(mam),
            Err(error) => {
                mam.end_after(&error);
                Err(mam.options.failure(&error))
            }
        }
    }

    /// Why a sandbox has not started.
    fn failure(&self, error: &Error) -> String {
        let (binary, version) = (&self.binary, env!("CARGO_PKG_VERSION"));
        let name = Path::new(binary).file_name().unwrap_or_default().to_string_lossy();
        let usage = format!("Use mambridge {version} or newer; `{name} --version` says which one it is");
        match error {
            Error::Io(error) if error.kind() == std::io::ErrorKind::NotFound => format!(
                "cannot start {binary}: there is no such program. Install mambridge, or name the program with MAMBRIDGE in \
                 the environment, or with Options::binary"
            ),
            Error::Io(error) => format!("cannot start {binary}: {error}"),
            Error::ConnectionLost(lost) => match refusal(&lost.last_lines) {
                Some(reason) => reason.to_owned(),
                None => format!("{binary} does not serve a sandbox: {lost}. {usage}"),
            },
            error => format!("{binary} does not serve a sandbox: {error}. {usage}"),
        }
    }
}

/// What mambridge says about options that it cannot use.
fn refusal(lines: &[String]) -> Option<&str> {
    lines.iter().find_map(|line| line.find("the sandbox cannot begin: ").map(|start| &line[start..]))
}

/// A sandbox for one test. It ends when it is dropped, and nothing is left of it.
#[derive(Debug)]
pub struct Sandbox {
    client: Client,
    options: Options,
    joined: Mutex<Vec<Client>>,
    network: Mutex<Option<Arc<Network>>>,
}

impl Sandbox {
    /// Starts a sandbox with the sample tenant. [`Options`] start others.
    #[track_caller]
    pub fn start() -> Sandbox {
        Options::new().start()
    }

    /// The typed client of the sandbox.
    pub fn client(&self) -> &Client {
        &self.client
    }

    // Administrators. For other options, or to see what comes before a check-in, use `client().sandbox()`.

    /// Writes a policy for a user, a group or everybody (`"*"`). Accounts check in.
    #[track_caller]
    pub fn policy(&self, audience: &str, settings: TestSettings) {
        done(self.client.sandbox().set_policy(&full_name(audience), settings).send());
        self.check_in(None);
    }

    /// Writes an app configuration for a user, a group or everybody (`"*"`). Accounts check in.
    #[track_caller]
    pub fn configuration(
        &self,
        audience: &str,
        settings: impl IntoIterator<Item = (impl Into<String>, impl Into<String>)>,
    ) {
        let settings: BTreeMap<_, _> = settings.into_iter().map(|(key, value)| (key.into(), value.into())).collect();
        done(self.client.sandbox().set_configuration(&full_name(audience), settings).send());
        self.check_in(None);
    }

    /// Adds a user to the tenant, or changes one: `set_user("erin@example.com", |user| user.groups(["staff"]))`.
    /// Accounts check in.
    #[track_caller]
    pub fn set_user(
        &self,
        name: &str,
        change: impl FnOnce(Request<'_, sandbox::SetUser>) -> Request<'_, sandbox::SetUser>,
    ) {
        done(change(self.client.sandbox().set_user(&full_name(name))).send());
        self.check_in(None);
    }

    /// Orders a wipe of the data of a user, and lets the account do it: it learns of the wipe at a check-in, and moving
    /// the clock by nothing runs what is due.
    #[track_caller]
    pub fn wipe(&self, user: &str) {
        let statuses = done(self.client.sandbox().wipe(&full_name(user)).push(true).send());
        let is_served = lock(&self.network).is_some();
        for status in statuses.iter().filter(|status| !is_served && NOT_ENROLLED.contains(&status.status.as_str())) {
            not_enrolled(status);
        }
        self.advance(Duration::ZERO);
    }

    // The user, the device and the time

    /// Enrolls a user as an app does. Panics if the tenant does not list the user.
    #[track_caller]
    pub fn enroll(&self, user: &str) -> EnrollmentStatus {
        let enrollment = self.client.enrollment_manager();
        let status = done(enrollment.register_and_enroll_account(full_name(user).as_str()).send());
        if status.error_string.as_deref().unwrap_or_default().starts_with(UNLISTED) {
            not_enrolled(&status);
        }
        status
    }

    /// Checks in one account, or all.
    #[track_caller]
    pub fn check_in<'u>(&self, user: impl Into<Option<&'u str>>) -> Vec<EnrollmentStatus> {
        let user = user.into().map(full_name);
        done(self.client.tenant().check_in().account(user.as_deref()).send())
    }

    /// How the user answers from now on: `user(|answers| answers.pin("482913").sign_in(true))`.
    #[track_caller]
    pub fn user(&self, say: impl FnOnce(Request<'_, sandbox::Answer>) -> Request<'_, sandbox::Answer>) {
        done(say(self.client.sandbox().answer()).send())
    }

    /// What the device is like: `device(|device| device.jailbroken(true))`.
    #[track_caller]
    pub fn device(&self, change: impl FnOnce(Request<'_, device::Set>) -> Request<'_, device::Set>) -> Device {
        done(change(self.client.device().set()).send())
    }

    /// Takes the network away.
    #[track_caller]
    pub fn offline(&self) -> Device {
        self.device(|device| device.network_available(false))
    }

    /// Gives the network back.
    #[track_caller]
    pub fn online(&self) -> Device {
        self.device(|device| device.network_available(true))
    }

    /// Lets the policy source, its tokens or the clock fail, until [`Sandbox::clear_faults`] or as often as said:
    /// `fault(FaultPlace::Source, FaultKind::ServiceUnavailable, |fault| fault.times(1))`.
    #[track_caller]
    pub fn fault(
        &self,
        at: FaultPlace,
        kind: FaultKind,
        say: impl FnOnce(Request<'_, sandbox::Fault>) -> Request<'_, sandbox::Fault>,
    ) {
        done(say(self.client.sandbox().fault(at, kind)).send())
    }

    /// Ends all faults.
    #[track_caller]
    pub fn clear_faults(&self) {
        done(self.client.sandbox().clear_faults().send())
    }

    /// Moves the clock by at most 366 days, and runs what becomes due on the way.
    #[track_caller]
    pub fn advance(&self, by: Duration) -> ClockTime {
        done(self.client.debug().advance_clock(by).send())
    }

    // What happened

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

    // The state

    /// Keeps the state, the tenant and the time under a name.
    #[track_caller]
    pub fn save(&self, name: &str) {
        done(self.client.sandbox().save(name).send())
    }

    /// Brings back what was saved under a name.
    #[track_caller]
    pub fn restore(&self, name: &str) {
        done(self.client.sandbox().restore(name).send());
    }

    /// Brings back what the sandbox began with.
    #[track_caller]
    pub fn reset(&self) {
        done(self.client.sandbox().reset().send());
    }

    /// The variables with which an app that starts mambridge itself joins the sandbox.
    #[track_caller]
    pub fn environment(&self) -> BTreeMap<String, String> {
        done(self.client.sandbox().environment().send())
    }

    /// Starts a server that joins the sandbox, with a client of its own, as an app does. It ends with the sandbox. Until
    /// it is closed, `restore` and `reset` fail.
    #[track_caller]
    pub fn join(&self, client: Builder) -> Client {
        let client =
            self.environment().into_iter().fold(client, |client, (name, value)| client.environment(name, value));
        let client = done(client.default_timeout(self.options.timeout).spawn(&self.options.binary, [""; 0]));
        lock(&self.joined).push(client.clone());
        client
    }

    /// Serves the tenant over the network, the same one each time. Needs mambridge-tenant.
    #[track_caller]
    pub fn network(&self) -> Arc<Network> {
        let mut network = lock(&self.network);
        if let Some(network) = network.as_ref() {
            return network.clone();
        }
        let places = done(self.client.sandbox().network().send());
        let started = Arc::new(Network::new(&self.client, places, &self.options.binary, self.options.timeout));
        *network = Some(started.clone());
        started
    }

    // The end

    /// A sandbox has nothing to finish: one that does not answer is ended at once.
    fn end_after(&self, error: &Error) {
        if error.is_timeout() {
            self.client.session().stream.close(Instant::now());
        }
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        if thread::panicking() {
            let thread = thread::current();
            let test = thread.name().filter(|name| *name != "main");
            let report = self.report(test.unwrap_or("the calls of a test"));
            match test {
                Some(test) => eprintln!("{}", report.replacen(HEADING, &format!("{HEADING} of {test}"), 1)),
                None => eprintln!("{report}"),
            }
        }
        if let Some(network) = lock(&self.network).take() {
            network.close();
        }
        lock(&self.joined).iter().for_each(Client::close);
        self.client.close();
    }
}

#[track_caller]
fn not_enrolled(status: &EnrollmentStatus) {
    let text = status.error_string.as_deref().unwrap_or_default();
    panic!("{} is not enrolled: {text}", status.identity.as_deref().unwrap_or_default());
}

/// Panics where the verb is used, which a closure would not.
#[track_caller]
fn done<T, E: Display>(result: Result<T, E>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}
