use std::ops::Deref;
use std::sync::Arc;

use serde_json::Value;

use super::apps::Apps;
use super::{done, full_name};
use crate::types::{NetworkRequest, SandboxNetwork};
use crate::{Builder, Client};

/// The tenant of a sandbox over the network: a tenant service, Graph and an identity provider on this machine.
///
/// It has the addresses and ids of [`SandboxNetwork`], to configure an app with. It ends with the sandbox, with all that it
/// keeps on disk. When a verb of the sandbox returns, the network has read what the verb changed. Like the verbs, its
/// functions panic if they fail.
#[derive(Debug)]
pub struct Network {
    places: SandboxNetwork,
    client: Client,
    apps: Arc<Apps>,
}

impl Deref for Network {
    type Target = SandboxNetwork;

    fn deref(&self) -> &SandboxNetwork {
        &self.places
    }
}

impl Network {
    pub(super) fn new(client: &Client, places: SandboxNetwork, apps: &Arc<Apps>) -> Network {
        Network { places, client: client.clone(), apps: apps.clone() }
    }

    /// Starts a server with a state of its own, whose policy source is the service; the user is signed in.
    #[track_caller]
    pub fn join(&self, user: &str, client: Builder) -> Client {
        let app = done(self.client.sandbox().network_app(&full_name(user)).send());
        self.apps.start(client, &app.arguments, app.environment)
    }

    /// An access token of a user, for the service and for Graph.
    #[track_caller]
    pub fn token(&self, user: &str) -> String {
        done(self.client.sandbox().network_token(&full_name(user)).send())
    }

    /// Makes checkIn, graph, token or keys fail, as `mambridge-tenant dev --help` says, a number of times or until cleared:
    /// `fault("checkIn", "serviceUnavailable", 1, "PT1.5S")`, `fault("token", "mfaRequired", None, None)`.
    #[track_caller]
    pub fn fault<'d>(&self, at: &str, kind: &str, times: impl Into<Option<i64>>, delay: impl Into<Option<&'d str>>) {
        let fault = self.client.sandbox().network_fault(at, kind).delay(delay.into());
        done(match times.into() {
            Some(times) => fault.times(times).send(),
            None => fault.send(),
        });
    }

    /// Ends all faults.
    #[track_caller]
    pub fn clear_faults(&self) {
        done(self.client.sandbox().clear_network_faults().send());
    }

    /// The last requests.
    #[track_caller]
    pub fn requests(&self) -> Vec<NetworkRequest> {
        done(self.client.sandbox().network_requests().send())
    }

    /// Sends a request to the service or to Graph, and returns its status and body.
    #[track_caller]
    pub fn send(&self, method: &str, path: &str, token: &str, body: Option<&Value>) -> (i64, String) {
        let body = body.map(Value::to_string);
        let answer = done(self.client.sandbox().network_send(method, path).token(token).body(body.as_deref()).send());
        (answer.status, answer.body)
    }

    /// What the service has written to its log.
    #[track_caller]
    pub fn log(&self) -> String {
        done(self.client.sandbox().network_log().send())
    }
}
