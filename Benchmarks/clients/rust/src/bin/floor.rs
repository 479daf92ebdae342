//! floor CALLS COMMAND…: does the same as ../../../floor.py.
use std::io::{BufRead, BufReader, Result, Write};
use std::process::{Command, Stdio};

const REQUEST: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"versionInfo.sdkVersion\"}\n";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let calls = arguments[1].parse().expect("a number of calls");
    let mut server = Command::new(&arguments[2])
        .args(&arguments[3..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut input = server.stdin.take().expect("a pipe");
    let mut output = BufReader::new(server.stdout.take().expect("a pipe"));
    let mut line = String::new();
    for part in [1, calls, calls] {
        let mut answer = String::new();
        for _ in 0..part {
            input.write_all(REQUEST)?;
            line.clear();
            output.read_line(&mut line)?;
            let reply: serde_json::Value = serde_json::from_str(&line)?;
            answer = reply["result"].as_str().unwrap_or_default().to_owned();
        }
        println!("{answer}");
    }
    drop(input);
    server.wait()?;
    Ok(())
}
