use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{json, Value};

use super::{done, full_name, START};
use crate::waiting::{lock, wait_for};
use crate::{Builder, Client};

/// How long the end may take.
const END: Duration = Duration::from_secs(20);
/// How many requests a report has.
const LAST: usize = 20;

/// The tenant of a sandbox over the network: a tenant service, Graph and an identity provider on this machine.
///
/// It ends with the sandbox, with all that it keeps on disk. Changes of the sandbox count after [`Network::reload`]. Its
/// requests need `curl`. As with the verbs, what fails panics.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Network {
    /// The address of the service.
    #[serde(rename = "service")]
    pub url: String,
    /// The identity provider.
    pub authority: String,
    /// The id of an app that may sign users in.
    pub client_id: String,
    /// The address of Graph.
    pub graph: String,
    /// The id of the tenant.
    pub tenant_id: String,
    /// The path of the certificate to trust.
    pub certificate: String,
    /// The token for what is below `/dev`.
    #[serde(skip)]
    pub secret: String,
    secret_file: String,
    state: String,
    #[serde(skip)]
    process: Mutex<Option<Child>>,
    #[serde(skip)]
    log: PathBuf,
    #[serde(skip)]
    program: String,
    #[serde(skip)]
    binary: String,
    #[serde(skip)]
    timeout: Duration,
    #[serde(skip)]
    joined: Mutex<Vec<Client>>,
}

/// A request that somebody sent to a network.
#[derive(Clone, Debug, Deserialize)]
pub struct NetworkRequest {
    pub method: String,
    pub path: String,
    pub status: u16,
    pub who: Option<String>,
    pub why: Option<String>,
    pub fault: Option<String>,
}

/// The first line of the output; empty if none comes in time.
fn first_line(process: &mut Child) -> String {
    let (sender, receiver) = channel();
    let output = process.stdout.take();
    thread::spawn(move || {
        let mut line = String::new();
        let _ = output.map(|output| BufReader::new(output).read_line(&mut line));
        sender.send(line)
    });
    receiver.recv_timeout(START).unwrap_or_default()
}

/// A process that does not end with its input is killed after a limit.
fn end(mut process: Child, limit: Duration) {
    drop(process.stdin.take());
    let _ = wait_for(Instant::now() + limit, || process.try_wait().ok().flatten());
    let _ = process.kill();
    let _ = process.wait();
}

impl Network {
    pub(super) fn start(tenant: &str, binary: &str, timeout: Duration) -> Result<Network, String> {
        let named = std::env::var("MAMBRIDGE_TENANT_PROGRAM").ok().filter(|name| !name.is_empty());
        let program = named.unwrap_or_else(|| "mambridge-tenant".to_owned());
        // In the folder of the sandbox, which goes with it.
        let log = Path::new(tenant).with_file_name("network.log");
        let errors = fs::File::create(&log).map_err(|error| format!("cannot write {}: {error}", log.display()))?;
        let mut command = Command::new(&program);
        command.args(["dev", "--ephemeral", "--json", "--until-stdin-ends", "--tenant", tenant]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors);
        let mut process = command.spawn().map_err(|error| {
            let reason = match error.kind() {
                std::io::ErrorKind::NotFound => "there is no such program".to_owned(),
                _ => error.to_string(),
            };
            format!(
                "cannot start {program}: {reason}. Install mambridge-tenant, or name the program with \
                 MAMBRIDGE_TENANT_PROGRAM in the environment"
            )
        })?;
        match Self::read(&first_line(&mut process)) {
            Ok(network) => {
                let process = Mutex::new(Some(process));
                Ok(Network { process, program, binary: binary.to_owned(), timeout, log, ..network })
            }
            Err(error) => {
                end(process, Duration::ZERO);
                let said = fs::read_to_string(log).unwrap_or_default();
                let reason = if said.is_empty() { &error } else { said.trim() };
                Err(format!("{program} does not serve a development tenant: {reason}"))
            }
        }
    }

    fn read(line: &str) -> Result<Network, String> {
        let mut network: Network = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let secret = fs::read_to_string(&network.secret_file).map_err(|error| error.to_string())?;
        let secret: Value = serde_json::from_str(&secret).map_err(|error| error.to_string())?;
        network.secret = secret["secret"].as_str().unwrap_or_default().to_owned();
        Ok(network)
    }

    /// The variables with which programs trust the certificate and find mambridge-tenant.
    pub fn environment(&self) -> Vec<(String, String)> {
        let folder = Path::new(&self.program).parent().map(|folder| folder.display().to_string());
        let libexec = folder.filter(|folder| !folder.is_empty()).map(|folder| ("MAMBRIDGE_LIBEXEC".to_owned(), folder));
        [("SSL_CERT_FILE".to_owned(), self.certificate.clone())].into_iter().chain(libexec).collect()
    }

    /// Starts a server with a state of its own, whose policy source is the service; the user is signed in.
    #[track_caller]
    pub fn join(&self, user: &str, client: Builder) -> Client {
        let mut joined = lock(&self.joined);
        let state = format!("{}-{}", self.state, joined.len() + 1);
        done(fs::DirBuilder::new().mode(0o700).create(&state));
        // A state without this mark gives a development tenant nothing.
        done(fs::write(format!("{state}/development"), ""));
        let token = format!("'{}' dev-token '{}' --service '{}'", self.program, full_name(user), self.url);
        let client =
            self.environment().into_iter().fold(client, |client, (name, value)| client.environment(name, value));
        let arguments = ["--tenant", &self.url, "--state", &state, "--token-command", &token];
        let client = done(client.default_timeout(self.timeout).spawn(&self.binary, arguments));
        joined.push(client.clone());
        client
    }

    /// An access token of a user, for the service and for Graph.
    #[track_caller]
    pub fn token(&self, user: &str) -> String {
        done(run(Command::new(&self.program).args(["dev-token", &full_name(user), "--service", &self.url]), ""))
            .trim()
            .to_owned()
    }

    /// Lets the changes of the sandbox count at once.
    #[track_caller]
    pub fn reload(&self) {
        done(self.control("POST", "reload", None));
    }

    /// Makes checkIn, graph, token or keys fail, as `mambridge-tenant dev --help` says, as often as said:
    /// `fault("checkIn", "serviceUnavailable", 1, "PT1.5S")`, `fault("token", "mfaRequired", None, None)`.
    #[track_caller]
    pub fn fault<'d>(&self, at: &str, kind: &str, times: impl Into<Option<u32>>, delay: impl Into<Option<&'d str>>) {
        let given = [("at", Some(json!(at))), ("kind", Some(json!(kind))), ("times", times.into().map(Value::from))];
        let delay = ("delay", delay.into().map(Value::from));
        let fault: BTreeMap<_, _> =
            given.into_iter().chain([delay]).filter_map(|(name, value)| Some((name, value?))).collect();
        done(self.control("POST", "faults", Some(&json!(fault))));
    }

    /// Ends all faults.
    #[track_caller]
    pub fn clear_faults(&self) {
        done(self.control("DELETE", "faults", None));
    }

    /// The last requests.
    #[track_caller]
    pub fn requests(&self) -> Vec<NetworkRequest> {
        done(self.last_requests())
    }

    fn last_requests(&self) -> Result<Vec<NetworkRequest>, String> {
        let text = self.control("GET", "requests", None)?;
        let mut found: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        serde_json::from_value(found["requests"].take()).map_err(|error| error.to_string())
    }

    fn control(&self, method: &str, path: &str, body: Option<&Value>) -> Result<String, String> {
        let (status, text) = self.try_send(method, &format!("/dev/{path}"), &self.secret, body)?;
        if status < 400 {
            return Ok(text);
        }
        let refused: Value = serde_json::from_str(&text).unwrap_or_default();
        Err(refused["error"]["message"].as_str().unwrap_or(&text).to_owned())
    }

    /// Sends a request to the service or to Graph, and returns its status and body.
    #[track_caller]
    pub fn send(&self, method: &str, path: &str, token: &str, body: Option<&Value>) -> (u16, String) {
        done(self.try_send(method, path, token, body))
    }

    fn try_send(&self, method: &str, path: &str, token: &str, body: Option<&Value>) -> Result<(u16, String), String> {
        let mut command = Command::new("curl");
        command.args(["--silent", "--show-error", "--noproxy", "*", "--config", "-", "--cacert", &self.certificate]);
        command.args(["--max-time", &self.timeout.as_secs_f64().to_string(), "--write-out", "\n%{http_code}"]);
        command.args(["--request", method, &format!("{}{path}", self.url)]);
        // All users of the machine can read arguments.
        let mut config =
            format!("header = \"Authorization: Bearer {token}\"\nheader = \"Content-Type: application/json\"\n");
        if let Some(body) = body {
            config += &format!("data-raw = {}\n", Value::from(body.to_string()));
        }
        let said = run(&mut command, &config)?;
        let (text, status) = said.rsplit_once('\n').unwrap_or_default();
        Ok((status.parse().map_err(|_| said.clone())?, text.to_owned()))
    }

    /// What the service has written to its log.
    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    pub(super) fn report(&self) -> String {
        match self.last_requests() {
            Ok(found) => {
                let found: Vec<String> =
                    found.iter().filter(|request| !request.path.starts_with("/dev/")).map(line).collect();
                let last = &found[found.len().saturating_sub(LAST)..];
                format!("\n--- the last requests to the network\n{}", last.join("\n"))
            }
            Err(error) => format!("\nThe requests are lost: {error}\n{}", self.log()),
        }
    }

    pub(super) fn close(&self) {
        lock(&self.joined).drain(..).for_each(|client| client.close());
        if let Some(process) = lock(&self.process).take() {
            end(process, END);
        }
    }
}

fn line(request: &NetworkRequest) -> String {
    let who = request.who.as_ref().map(|who| format!(" by {who}")).unwrap_or_default();
    let why = request.fault.as_ref().or(request.why.as_ref()).map(|why| format!(", {why}")).unwrap_or_default();
    format!("{} {}{who}: {}{why}", request.method, request.path, request.status)
}

/// What a program prints.
fn run(command: &mut Command, input: &str) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let failed = |error| format!("cannot run {name}: {error}");
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(failed)?;
    let mut stdin = child.stdin.take();
    stdin.as_mut().map_or(Ok(()), |stdin| stdin.write_all(input.as_bytes())).map_err(failed)?;
    drop(stdin);
    let said = child.wait_with_output().map_err(failed)?;
    if said.status.success() {
        return Ok(String::from_utf8_lossy(&said.stdout).into_owned());
    }
    Err(String::from_utf8_lossy(&said.stderr).trim().to_owned())
}
