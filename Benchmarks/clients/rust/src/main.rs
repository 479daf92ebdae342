//! cost CALLS COMMAND…: does the same as ../cost.py with the Rust client.
use mambridge::{Client, Result};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let calls = arguments[1].parse().expect("a number of calls");
    let client = Client::spawn(&arguments[2], &arguments[3..])?;
    for part in [1, calls, calls] {
        let mut answer = String::new();
        for _ in 0..part {
            answer = client.version_info().sdk_version().send()?;
        }
        println!("{answer}");
    }
    Ok(())
}
