//! The scenarios about processes and signals. What the standard library lacks is declared here.
use std::os::raw::c_int;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use mambridge::{CancelToken, Client, Error, Result};
use serde_json::{json, Value};

use crate::{alive, initialized, name_of, ALICE};

const SIGKILL: c_int = 9;
const SIGUSR1: c_int = 10;
const SIGPIPE: c_int = 13;
const SIGCHLD: c_int = 17;
const SIGCONT: c_int = 18;
const SIGSTOP: c_int = 19;
const DEFAULT: usize = 0;
const IGNORE: usize = 1;
const SHORT: Duration = Duration::from_millis(300);

extern "C" {
    fn _exit(status: c_int) -> !;
    fn fork() -> c_int;
    fn getpid() -> c_int;
    fn kill(pid: c_int, signal: c_int) -> c_int;
    fn signal(number: c_int, handler: usize) -> usize;
    fn waitpid(pid: c_int, status: *mut c_int, options: c_int) -> c_int;
}

fn send(client: &Client, number: c_int) {
    let pid = client.pid().and_then(|pid| c_int::try_from(pid).ok()).expect("a child");
    // SAFETY: kill takes two integers.
    assert_eq!(unsafe { kill(pid, number) }, 0);
}

fn dispose(number: c_int, handler: usize) {
    // SAFETY: the handler is a constant of signal.h, or a function that only stores a flag.
    unsafe { signal(number, handler) };
}

fn end<T>(result: Result<T>) -> String {
    match result {
        Err(Error::ConnectionLost(_)) => "lost".to_owned(),
        other => name_of(other),
    }
}

fn end_without_status(command: &[String]) -> Result<Value> {
    let start = Instant::now();
    let client = initialized(command)?;
    send(&client, SIGKILL);
    let end = end(client.version_info().sdk_version().send());
    client.close();
    Ok(json!({"end": end, "soon": soon(start)}))
}

fn soon(start: Instant) -> bool {
    start.elapsed() < Duration::from_secs(20)
}

pub fn reaper(command: &[String]) -> Result<Value> {
    thread::spawn(|| loop {
        // SAFETY: waitpid takes null for no status.
        if unsafe { waitpid(-1, null_mut(), 0) } < 0 {
            thread::sleep(Duration::from_millis(1));
        }
    });
    end_without_status(command)
}

pub fn ignored_sigchld(command: &[String]) -> Result<Value> {
    dispose(SIGCHLD, IGNORE);
    initialized(command)?.close();
    end_without_status(command)
}

pub fn forked(command: &[String]) -> Result<Value> {
    let client = initialized(command)?;
    let start = Instant::now();
    // SAFETY: the fork only uses the client, and ends without destructors.
    let child = unsafe { fork() };
    if child == 0 {
        let end = end(client.version_info().sdk_version().send());
        client.close();
        drop(client);
        // SAFETY: _exit takes an integer.
        unsafe { _exit(if end == "lost" { 0 } else { 1 }) }
    }
    let mut status = 0;
    // SAFETY: the status outlives the call.
    unsafe { waitpid(child, &mut status, 0) };
    let end = if status == 0 { "lost".to_owned() } else { format!("status {status}") };
    Ok(json!({"inFork": end, "soon": soon(start), "alive": alive(&client)?}))
}

static HANDLED: AtomicBool = AtomicBool::new(false);

extern "C" fn handle(_: c_int) {
    HANDLED.store(true, Ordering::SeqCst);
}

pub fn signal_during_a_call(command: &[String]) -> Result<Value> {
    let client = initialized(command)?;
    dispose(SIGUSR1, handle as extern "C" fn(c_int) as usize);
    let token = CancelToken::new();
    let canceler = token.clone();
    let waiter = thread::spawn(move || {
        thread::sleep(SHORT);
        // SAFETY: both take integers, or nothing.
        unsafe { kill(getpid(), SIGUSR1) };
        while !HANDLED.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(1));
        }
        canceler.cancel();
    });
    let start = Instant::now();
    let end = name_of(client.events().list().wait_milliseconds(60_000).cancel(&token).send());
    waiter.join().expect("no panic");
    let handled = HANDLED.load(Ordering::SeqCst);
    Ok(json!({"handled": handled, "end": end, "soon": soon(start), "alive": alive(&client)?}))
}

pub fn stopped_server(command: &[String]) -> Result<Value> {
    let client = initialized(command)?;
    let start = Instant::now();
    send(&client, SIGSTOP);
    let late = match client.version_info().sdk_version().timeout(SHORT).send() {
        Err(error) if error.is_timeout() => error.to_string(),
        other => format!("{other:?}"),
    };
    send(&client, SIGCONT);
    let alive = alive(&client)?;
    client.close();
    let code = client.exit_status().and_then(|status| status.code());
    Ok(json!({"late": late, "alive": alive, "exitCode": code, "soon": soon(start)}))
}

pub fn default_sigpipe(command: &[String]) -> Result<Value> {
    dispose(SIGPIPE, DEFAULT);
    let client = initialized(command)?;
    send(&client, SIGSTOP);
    let killer = client.clone();
    let timer = thread::spawn(move || {
        thread::sleep(SHORT);
        send(&killer, SIGKILL);
    });
    let end = end(client.data_protection_manager().protect(&vec![0; 1 << 20], ALICE).send());
    timer.join().expect("no panic");
    Ok(json!({ "end": end }))
}
