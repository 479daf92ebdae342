use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use super::done;
use crate::waiting::lock;
use crate::{Builder, Client};

/// The servers that a sandbox has started beside its own. They end with it.
#[derive(Debug)]
pub(super) struct Apps {
    binary: String,
    timeout: Duration,
    clients: Mutex<Vec<Client>>,
}

impl Apps {
    pub fn new(binary: String, timeout: Duration) -> Apps {
        Apps { binary, timeout, clients: Mutex::default() }
    }

    #[track_caller]
    pub fn start(&self, client: Builder, arguments: &[String], environment: BTreeMap<String, String>) -> Client {
        let client = environment.into_iter().fold(client, |client, (name, value)| client.environment(name, value));
        let client = done(client.default_timeout(self.timeout).spawn(&self.binary, arguments));
        lock(&self.clients).push(client.clone());
        client
    }

    pub fn close(&self) {
        lock(&self.clients).drain(..).for_each(|client| client.close());
    }
}
