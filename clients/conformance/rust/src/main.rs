//! driver SCENARIO COMMAND…: does a scenario of the conformance tests with the Rust client. See ../README.md.
mod processes;

use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant, UNIX_EPOCH};

use mambridge::requests::{IdentitySwitchRequired, PromptForPin};
use mambridge::types::{
    AddIdentityResult, EnteredPin, PushName, SettingChanges, SettingName, ShareTarget, StrictCheck, TestSettings,
};
use mambridge::types::{ChallengeKind, SwitchIdentityResult};
use mambridge::{Builder, CancelToken, Client, Error, ErrorName, Event, Host, Progress, Result};
use serde_json::{json, Value};

const ALICE: &str = "alice@contoso.example";
const BOB: &str = "bob@contoso.example";

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    match scenario(&arguments[1], &arguments[2..]) {
        Ok(result) => println!("{result}"),
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1);
        }
    }
}

fn scenario(name: &str, command: &[String]) -> Result<Value> {
    match name {
        "enroll" => enroll(command),
        "every value" => every_value(command),
        "error by name" => error_by_name(command),
        "event pushed" => event_pushed(command),
        "challenge answered" => challenge_answered(command),
        "identity switch answered" => identity_switch(command, AddIdentityResult::Success),
        "identity switch refused" => identity_switch(command, AddIdentityResult::Failed),
        "identity switch answered late" => identity_switch_answered_late(command),
        "megabyte" => megabyte(command),
        "fifty calls" => fifty_calls(command),
        "cancel" => cancel(command),
        "deadline" => deadline(command),
        "progress" => progress(command),
        "server killed" => server_killed(command),
        "server gone at start" => server_gone_at_start(command),
        "clean shutdown" => clean_shutdown(command),
        "reaper" => processes::reaper(command),
        "ignored SIGCHLD" => processes::ignored_sigchld(command),
        "fork" => processes::forked(command),
        "signal during a call" => processes::signal_during_a_call(command),
        "stopped server" => processes::stopped_server(command),
        "default SIGPIPE" => processes::default_sigpipe(command),
        _ => panic!("no scenario {name}"),
    }
}

fn start(command: &[String], builder: Builder) -> Result<Client> {
    builder.timeout(Duration::from_secs(30)).spawn(&command[0], &command[1..])
}

fn spawn(command: &[String]) -> Result<Client> {
    start(command, Client::builder())
}

fn enrolled(command: &[String]) -> Result<Client> {
    let client = spawn(command)?;
    client.enrollment_manager().register_and_enroll_account(ALICE).send()?;
    Ok(client)
}

fn initialized(command: &[String]) -> Result<Client> {
    let client = spawn(command)?;
    client.initialize().send()?;
    Ok(client)
}

fn alive(client: &Client) -> Result<bool> {
    Ok(!client.version_info().sdk_version().send()?.is_empty())
}

fn enroll(command: &[String]) -> Result<Value> {
    let client = spawn(command)?;
    let manager = client.enrollment_manager();
    let before = manager.enrolled_account().send()?.and_then(|account| account.identity);
    let status = manager.register_and_enroll_account(ALICE).send()?;
    let refused = manager.register_and_enroll_account(BOB).send()?;
    let accounts = manager.registered_accounts().send()?;
    Ok(json!({
        "before": before, "status": status.status, "statusCode": status.status_code, "didSucceed": status.did_succeed,
        "error": status.error.map(|error| error.message), "access": status.access, "refused": refused.status,
        "domain": refused.error.map(|error| error.domain),
        "accounts": accounts.into_iter().map(|account| account.identity).collect::<Vec<_>>(),
    }))
}

fn every_value(command: &[String]) -> Result<Value> {
    let client = enrolled(command)?;
    let (data, config) = (client.data_protection_manager(), client.app_config());
    let before = client.debug().advance_clock(Duration::from_secs(1)).send()?.time;
    let after = client.debug().advance_clock(Duration::from_secs(86_401)).send()?.time;
    let sealed = data.protect(b"\x00\xff", ALICE).send()?;
    let words = data.protect_string("Grüße 👋\n\"\\", ALICE).send()?;
    let changes = SettingChanges::new().splash_icon_file_ipad("icon.png").accent_color("#0A84FF").splash_duration(2.5);
    client.settings().set(changes).send()?;
    client.settings().set(SettingChanges::new().accent_color(None)).send()?;
    let names = [
        SettingName::SplashIconFileIpad,
        SettingName::AccentColor,
        SettingName::SplashDuration,
        SettingName::MultiIdentity,
    ];
    let settings = client.settings().get().names(names).send()?;
    let targets =
        [ShareTarget::new("com.example.notes", false), ShareTarget::new("com.contoso.mail", true).account(ALICE)];
    let targets = client.enforcement().filter_share_targets(targets).account(ALICE).send()?.targets;
    let month = Duration::from_secs(30 * 86_400);
    let policy = TestSettings::new().pin_required(true).period_before_pin_reset(month);
    client.debug().set_policy(policy).account(ALICE).send()?;
    let checks =
        client.strict_mode().disable().checks([StrictCheck::DeprecatedApi, StrictCheck::SevereEvent]).send()?;
    client.pin().set("2580").account(ALICE).send()?;
    let objects = config.full_data().account(ALICE).send()?;
    Ok(json!({
        "seconds": after.duration_since(before).unwrap_or_default().as_secs_f64(),
        "bytes": data.unprotect(&sealed).send()?.iter().map(|byte| format!("{byte:02x}")).collect::<String>(),
        "text": data.unprotect_string(words.as_str()).send()?,
        "true": client.policy().is_pin_required().account(ALICE).send()?,
        "enum": client.policy().notification_policy().account(ALICE).send()?,
        "enums": {
            "severeEvent": checks.contains(&StrictCheck::SevereEvent),
            "upnIdentityParam": checks.contains(&StrictCheck::UpnIdentityParam),
        },
        "settings": settings.iter().map(|(name, setting)| (name.clone(), setting.value.clone())).collect::<Value>(),
        "sources": settings.iter().map(|(name, setting)| (name.clone(), json!(setting.source.as_str()))).collect::<Value>(),
        "targets": targets.into_iter().map(|target| target.id).collect::<Vec<_>>(),
        "number": config.number_value_for_key("example.maximumAttachmentMegabytes").account(ALICE).send()?,
        "absent": config.number_value_for_key("no.such.key").account(ALICE).send()?,
        "objects": objects[0].keys().collect::<Vec<_>>(),
        "isSet": client.pin().status().account(ALICE).send()?.is_set,
    }))
}

fn error_by_name(command: &[String]) -> Result<Value> {
    let client = enrolled(command)?;
    let empty = match client.data_protection_manager().protect_string("", ALICE).send() {
        Err(Error::Server(error)) if error.name == Some(ErrorName::EmptyData) => json!({
            "name": ErrorName::EmptyData.as_str(), "code": error.code, "domain": error.domain(),
            "sdkCode": error.sdk_code(), "retryable": error.retryable(), "message": error.message,
        }),
        other => panic!("{other:?}"),
    };
    let path = std::env::current_dir()?.join("no such file");
    let missing = match client.file().open(&path.to_string_lossy()).send() {
        Err(Error::Server(error)) => json!({
            "name": error.name.as_ref().map(ErrorName::as_str), "code": error.code, "hint": error.hint(),
            "data": error.data,
        }),
        other => panic!("{other:?}"),
    };
    Ok(json!([empty, missing]))
}

fn event_pushed(command: &[String]) -> Result<Value> {
    let (sender, arrived) = channel();
    let builder = Client::builder().on_event(move |_, event| sender.send(event).expect("somebody waits"));
    let client = start(command, builder)?;
    client.initialize().events([PushName::PolicyDidChange]).send()?;
    client.enrollment_manager().register_and_enroll_account(ALICE).send()?;
    let event = arrived.recv_timeout(Duration::from_secs(30)).expect("an event");
    let name = event.name().to_owned();
    match event {
        Event::PolicyDidChange(changed) => Ok(json!({
            "event": name, "identity": changed.identity, "numbered": changed.seq > 0,
            "year": changed.time > UNIX_EPOCH + Duration::from_secs(31 * 31_557_600),
        })),
        other => panic!("{other:?}"),
    }
}

/// What the host was asked.
type Asked = Arc<Mutex<Vec<String>>>;

/// Sets the PIN when asked to, but refuses to enter it. Answers an identity switch as it is told, after a delay.
fn screen(asked: &Asked, answer: AddIdentityResult, delay: Duration) -> Host {
    let (pins, switches) = (Arc::clone(asked), Arc::clone(asked));
    Host::new().prompt_for_pin(move |_, request| prompt_for_pin(&pins, request)).identity_switch_required(
        move |client, request| {
            note_switch(&switches, request);
            thread::sleep(delay);
            switch(client, &answer)
        },
    )
}

fn prompt_for_pin(asked: &Asked, request: PromptForPin) -> Result<EnteredPin> {
    let challenge = request.challenge;
    let window = challenge.window.unwrap_or_default();
    asked.lock().unwrap().push(format!("{} in {window}", challenge.kind));
    if challenge.kind == ChallengeKind::SetPin {
        return Ok(EnteredPin::new().pin("2580"));
    }
    Err(ErrorName::Canceled.into())
}

fn note_switch(asked: &Asked, request: IdentitySwitchRequired) {
    let (identity, window) = (request.identity.unwrap_or_default(), request.window.unwrap_or_default());
    asked.lock().unwrap().push(format!("{} to '{identity}' in {window}", request.reason));
}

fn switch(client: &Client, answer: &AddIdentityResult) -> Result<AddIdentityResult> {
    if *answer != AddIdentityResult::Success {
        return Ok(answer.clone());
    }
    match client.policy_manager().set_ui_policy_identity("").window("inbox").send()? {
        SwitchIdentityResult::Success => Ok(AddIdentityResult::Success),
        _ => Ok(AddIdentityResult::Failed),
    }
}

fn with_screen(command: &[String], asked: &Asked, answer: AddIdentityResult, delay: Duration) -> Result<Client> {
    let client = start(command, Client::builder().host(screen(asked, answer, delay)))?;
    client.initialize().send()?;
    client.enrollment_manager().register_and_enroll_account(ALICE).send()?;
    Ok(client)
}

/// A client whose window shows Alice, an hour after she set her PIN.
fn an_hour_later(command: &[String], asked: &Asked, answer: AddIdentityResult, delay: Duration) -> Result<Client> {
    let client = with_screen(command, asked, answer, delay)?;
    client.policy_manager().set_ui_policy_identity(ALICE).window("inbox").send()?;
    client.debug().advance_clock(Duration::from_secs(3600)).send()?;
    Ok(client)
}

fn challenge_answered(command: &[String]) -> Result<Value> {
    let asked = Asked::default();
    let client = with_screen(command, &asked, AddIdentityResult::Success, Duration::ZERO)?;
    let shown = client.policy_manager().set_ui_policy_identity(ALICE).window("inbox").send()?;
    let is_set = client.pin().status().account(ALICE).send()?.is_set;
    Ok(json!({"asked": *asked.lock().unwrap(), "shown": shown.as_str(), "isSet": is_set}))
}

fn identity_switch(command: &[String], answer: AddIdentityResult) -> Result<Value> {
    let asked = Asked::default();
    let client = an_hour_later(command, &asked, answer, Duration::ZERO)?;
    let verdict = client.conditional_launch().did_become_active().window("inbox").send()?.verdict;
    let account = client.policy_manager().get_ui_policy_identity().window("inbox").send()?;
    let shows = account.and_then(|account| account.identity);
    Ok(json!({"asked": *asked.lock().unwrap(), "verdict": verdict.as_str(), "shows": shows}))
}

fn identity_switch_answered_late(command: &[String]) -> Result<Value> {
    let asked = Asked::default();
    let client = an_hour_later(command, &asked, AddIdentityResult::Success, Duration::from_millis(1500))?;
    let active = client.conditional_launch().did_become_active().window("inbox");
    let end = name_of(active.timeout(Duration::from_millis(500)).send());
    thread::sleep(Duration::from_secs(2));
    Ok(json!({"asked": *asked.lock().unwrap(), "end": end, "alive": alive(&client)?}))
}

fn name_of<T>(end: Result<T>) -> String {
    match end {
        Ok(_) => "answered".to_owned(),
        Err(error) => error.name().map_or_else(|| error.to_string(), ErrorName::to_string),
    }
}

fn megabyte(command: &[String]) -> Result<Value> {
    let data: Vec<u8> = (0..1_usize << 20).map(|index| (index * 7 % 251) as u8).collect();
    let client = enrolled(command)?;
    let sealed = client.data_protection_manager().protect(&data, ALICE).send()?;
    let opened = client.data_protection_manager().unprotect(&sealed).send()?;
    Ok(json!({"length": opened.len(), "same": opened == data, "longer": sealed.len() > data.len()}))
}

fn fifty_calls(command: &[String]) -> Result<Value> {
    let client = initialized(command)?;
    let after = client.events().list().send()?.next;
    let pages = thread::scope(|scope| {
        let wait = || client.events().list().after(after).wait_milliseconds(30_000).send();
        let waiting: Vec<_> = (0..50).map(|_| scope.spawn(wait)).collect();
        thread::sleep(Duration::from_millis(300));
        client.enrollment_manager().register_and_enroll_account(ALICE).send()?;
        let mut pages = Vec::new();
        for call in waiting {
            pages.push(call.join().expect("no panic")?);
        }
        Ok::<_, Error>(pages)
    })?;
    let with_events = pages.iter().filter(|page| !page.events.is_empty()).count();
    Ok(json!({"answered": pages.len(), "withEvents": with_events}))
}

fn cancel(command: &[String]) -> Result<Value> {
    let client = initialized(command)?;
    let token = CancelToken::new();
    let canceler = token.clone();
    let timer = thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        canceler.cancel();
    });
    let start = Instant::now();
    let end = name_of(client.events().list().wait_milliseconds(60_000).cancel(&token).send());
    timer.join().expect("no panic");
    Ok(json!({"end": end, "soon": start.elapsed() < Duration::from_secs(20), "alive": alive(&client)?}))
}

fn deadline(command: &[String]) -> Result<Value> {
    let client = initialized(command)?;
    let start = Instant::now();
    match client.events().list().wait_milliseconds(60_000).timeout(Duration::from_millis(300)).send() {
        Err(Error::Server(error)) => Ok(json!({
            "name": error.name.as_ref().map(ErrorName::as_str), "committed": error.data["committed"],
            "soon": start.elapsed() < Duration::from_secs(20), "alive": alive(&client)?,
        })),
        other => panic!("{other:?}"),
    }
}

fn progress(command: &[String]) -> Result<Value> {
    let client = enrolled(command)?;
    let mut heard: Vec<Progress> = Vec::new();
    let wipe = client.enrollment_manager().deregister_and_unenroll_account(ALICE).with_wipe(true);
    let status = wipe.on_progress(|progress| heard.push(progress)).send()?.status;
    let first = heard.first().map(|first| format!("{} {}", first.kind, first.percentage.unwrap_or(-1.0)));
    Ok(json!({"status": status.as_str(), "first": first}))
}

fn server_killed(command: &[String]) -> Result<Value> {
    let client = initialized(command)?;
    let pid = client.pid().unwrap_or_default().to_string();
    let timer = thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        Command::new("kill").args(["-KILL", &pid]).status()
    });
    let list = || match client.events().list().wait_milliseconds(60_000).send() {
        Err(Error::ConnectionLost(lost)) => {
            format!("signal {}: {lost}", lost.status.and_then(|status| status.signal()).unwrap_or(0))
        }
        other => format!("{other:?}"),
    };
    let ends = [list(), list()];
    timer.join().expect("no panic")?;
    client.close();
    Ok(json!({ "ends": ends }))
}

fn server_gone_at_start(command: &[String]) -> Result<Value> {
    match spawn(command)?.version_info().sdk_version().send() {
        Err(Error::ConnectionLost(lost)) => {
            Ok(json!({"exitCode": lost.status.and_then(|status| status.code()), "says": lost.to_string()}))
        }
        other => panic!("{other:?}"),
    }
}

fn clean_shutdown(command: &[String]) -> Result<Value> {
    let client = enrolled(command)?;
    client.shutdown().send()?;
    client.close();
    client.close();
    let code = client.exit_status().and_then(|status| status.code());
    let afterwards = match client.version_info().sdk_version().send() {
        Err(Error::ConnectionLost(_)) => "lost".to_owned(),
        other => format!("{other:?}"),
    };
    Ok(json!({"exitCode": code, "afterwards": afterwards}))
}
