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
mod apps;
mod network;
mod options;
mod report;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crate::methods::{device, sandbox};
use crate::types::{ClockTime, Device, EnrollmentStatus, FaultKind, FaultPlace, TestSettings};
use crate::waiting::lock;
use crate::{Builder, Client, Request};

pub use crate::types::NetworkRequest;
pub use network::Network;
pub use options::Options;

use apps::Apps;

/// How mambridge begins the text about a user whom the tenant does not list.
const UNLISTED: &str = "The tenant does not list this user.";
/// The statuses of a wipe of an account that is not enrolled.
const NOT_ENROLLED: [&str; 2] = ["appNotEnrolled", "notEnrolledAccount"];
/// How long the first answer may take.
const START: Duration = Duration::from_secs(30);
const SAMPLE_USERS: [&str; 4] = ["alice", "bob", "carol", "dave"];

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

/// A sandbox for one test. It ends when it is dropped, and nothing is left of it.
#[derive(Debug)]
pub struct Sandbox {
    client: Client,
    apps: Arc<Apps>,
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
        self.apps.start(client, &[], self.environment())
    }

    /// Serves the tenant over the network, the same one each time. Needs mambridge-tenant.
    #[track_caller]
    pub fn network(&self) -> Arc<Network> {
        let mut network = lock(&self.network);
        if let Some(network) = network.as_ref() {
            return network.clone();
        }
        let places = done(self.client.sandbox().network().send());
        let started = Arc::new(Network::new(&self.client, places, &self.apps));
        *network = Some(started.clone());
        started
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        if thread::panicking() {
            self.print_report();
        }
        self.apps.close();
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
