use std::env;
use std::fmt::Display;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::{Apps, Sandbox, START};
use crate::{Client, Error};

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
        let apps = Apps::new(self.binary.clone(), self.timeout);
        let mam = Sandbox { client, apps: Arc::new(apps), network: Mutex::default() };
        match mam.client.sandbox().story().timeout(START).send() {
            Ok(_) => Ok(mam),
            Err(error) => {
                mam.end_after(&error);
                Err(self.failure(&error))
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
