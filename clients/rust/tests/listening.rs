//! Connections to a real server, the `mambridge` on the PATH, that listens on sockets.
use std::fs::DirBuilder;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use mambridge::{Client, Error, ErrorName};
use serde_json::Value;

/// A server that listens, with a state folder of its own.
struct Server {
    process: Child,
    folder: PathBuf,
    started: Value,
}

impl Server {
    fn start(name: &str, address: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("mambridge-{name}-{}", std::process::id()));
        DirBuilder::new().mode(0o700).create(&folder).unwrap();
        let address = address.replace("FOLDER", &folder.to_string_lossy());
        let mut process = Command::new("mambridge")
            .args(["--tenant", "sample", "--listen", &address, "--state"])
            .arg(folder.join("state"))
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stderr.take().unwrap()).read_line(&mut line).unwrap();
        Server { process, folder, started: serde_json::from_str(&line).unwrap() }
    }

    fn text(&self, member: &str) -> &str {
        self.started[member].as_str().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        std::fs::remove_dir_all(&self.folder).unwrap();
    }
}

#[test]
fn a_client_uses_a_unix_socket() {
    let server = Server::start("unix", "unix://FOLDER/socket");
    let client = Client::connect(server.text("listening")).unwrap();
    assert!(!client.version_info().sdk_version().send().unwrap().is_empty());
    client.close();
    assert!(matches!(client.version_info().sdk_version().send(), Err(Error::ConnectionLost(_))));
}

#[test]
fn a_client_uses_tcp_with_the_token() {
    let server = Server::start("tcp", "tcp://127.0.0.1:0");
    let address = server.text("listening");
    let client = Client::builder().token_file(server.text("tokenFile")).connect(address).unwrap();
    assert!(!client.version_info().sdk_version().send().unwrap().is_empty());
    let stranger = Client::connect(address).unwrap();
    let refused = stranger.version_info().sdk_version().send().unwrap_err();
    assert_eq!(refused.name(), Some(&ErrorName::NotAuthenticated));
}
