//! kit SCENARIO EXECUTABLE OPTIONS: does a scenario of kits.json with the kit for tests. See ../README.md.
use std::io::stdin;
use std::panic::{catch_unwind, set_hook, AssertUnwindSafe};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use mambridge::events::{PolicyDidChange, PolicyWipeDidComplete};
use mambridge::testing::{days, Options, Sandbox};
use mambridge::types::{EnforcedAction, FaultKind, FaultPlace, SaveLocation, TestSettings};
use mambridge::{Client, Result};
use serde_json::{json, Value};

const ALICE: &str = "alice@contoso.example";
const BOB: &str = "bob@contoso.example";
const ERIN: &str = "erin@example.com";

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let given: Value = serde_json::from_str(&arguments[3]).unwrap();
    let mut options = Options::new().binary(&arguments[2]);
    if let Some(seed) = given["seed"].as_str() {
        options = options.seed(seed);
    }
    if let Some(time) = given["at"].as_str() {
        options = options.at(time);
    }
    let scenario = match arguments[1].as_str() {
        "names" => names,
        "policy" => policy,
        "administrator" => administrator,
        "user" => user,
        "device" => device,
        "time" => time,
        "fault" => fault,
        "wipe" => wipe,
        "state" => state,
        "join" => join,
        "wrong reasons" => wrong_reasons,
        "story" => story,
        "killed" => killed,
        "abandoned" => abandoned,
        "network" => network,
        "network story" => network_story,
        "no network program" | "no network code" | "no network answer" => no_network,
        "abandoned network" => abandoned_network,
        "network at once" => network_at_once,
        _ => return println!("{}", json!({"message": message_of(|| drop(options.start()))})),
    };
    println!("{}", scenario(&options.start()).unwrap());
}

/// What a verb that fails says.
fn message_of(work: impl FnOnce()) -> String {
    set_hook(Box::new(|_| {}));
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(()) => "no error".to_owned(),
        Err(error) => error.downcast_ref::<String>().cloned().unwrap_or_default(),
    }
}

fn names(mam: &Sandbox) -> Result<Value> {
    mam.set_user(ERIN, |user| user);
    Ok(json!({
        "short": mam.enroll("alice").identity, "written": mam.enroll(ERIN).identity,
        "unlisted": message_of(|| drop(mam.enroll("allice"))), "status": mam.enroll("carol").status,
        "wiped": message_of(|| mam.wipe("bob"))
    }))
}

fn ask_to_save(mam: &Sandbox, account: &str) -> Result<bool> {
    mam.client().policy().is_save_to_allowed_for_location(SaveLocation::Dropbox).account(account).send()
}

fn policy(mam: &Sandbox) -> Result<Value> {
    mam.policy("bob", TestSettings::new().save_as_blocked(true));
    let status = mam.enroll("bob").status;
    ask_to_save(mam, BOB)?;
    mam.assert_blocked("saveAsBlocked");
    mam.policy("bob", TestSettings::new().save_as_blocked(false));
    ask_to_save(mam, BOB)?;
    mam.assert_allowed();
    let wrong = message_of(|| mam.policy("bob", TestSettings::new().set("savAsBlocked", true)));
    Ok(json!({"status": status, "wrong": wrong}))
}

fn administrator(mam: &Sandbox) -> Result<Value> {
    mam.set_user(ERIN, |user| user.groups(["staff"]));
    mam.configuration("staff", [("server", "mail.example.com")]);
    mam.enroll(ERIN);
    let server = mam.client().app_config().string_value_for_key("server").account(ERIN).send()?;
    mam.client().sandbox().set_user(ERIN).enabled(false).send()?;
    Ok(json!({"server": server, "status": mam.check_in(None)[0].status}))
}

fn user(mam: &Sandbox) -> Result<Value> {
    mam.enroll("alice");
    mam.user(|answers| answers.pin("482913"));
    let shown = mam.client().policy_manager().set_ui_policy_identity(ALICE).send()?;
    Ok(json!({"shown": shown, "isSet": mam.client().pin().status().account(ALICE).send()?.is_set}))
}

fn device(mam: &Sandbox) -> Result<Value> {
    mam.enroll("alice");
    mam.device(|device| device.jailbroken(true));
    let launch = mam.client().conditional_launch().evaluate().send()?;
    mam.assert_blocked("deviceComplianceRequired");
    mam.device(|device| device.jailbroken(false));
    mam.user(|answers| answers.pin("482913").sign_in(true));
    mam.client().conditional_launch().evaluate().send()?;
    mam.assert_allowed();
    Ok(json!({"verdict": launch.verdict}))
}

fn time(mam: &Sandbox) -> Result<Value> {
    mam.enroll("alice");
    mam.offline();
    mam.advance(days(91));
    mam.client().conditional_launch().evaluate().send()?;
    mam.assert_blocked("periodOfflineBeforeWipeIsEnforced");
    let clock = mam.client().request("debug.advanceClock", json!({"by": "PT0S"})).send()?;
    let time = clock["time"].as_str().unwrap_or_default().replace(".000Z", "Z");
    Ok(json!({"time": time, "network": mam.online().network_available}))
}

fn fault(mam: &Sandbox) -> Result<Value> {
    let check_in = || mam.check_in(None).remove(0).status;
    mam.enroll("alice");
    mam.fault(FaultPlace::Source, FaultKind::ServiceUnavailable, |fault| fault.times(1));
    let failed = check_in();
    ask_to_save(mam, ALICE)?;
    mam.assert_blocked("saveAsBlocked");
    let well = check_in();
    let wrong = message_of(|| mam.fault(FaultPlace::Token, FaultKind::Slow, |fault| fault));
    mam.fault(FaultPlace::Source, FaultKind::Unreachable, |fault| fault);
    let lost = check_in();
    mam.clear_faults();
    Ok(json!({"failed": failed, "well": well, "wrong": wrong, "lost": lost, "cleared": check_in()}))
}

fn enrolled(mam: &Sandbox) -> Result<usize> {
    Ok(mam.client().enrollment_manager().enrolled_accounts().send()?.len())
}

fn registered(mam: &Sandbox) -> Result<usize> {
    Ok(mam.client().enrollment_manager().registered_accounts().send()?.len())
}

fn wipe(mam: &Sandbox) -> Result<Value> {
    mam.enroll("alice");
    mam.wipe("alice");
    let wiped = mam.wait_for::<PolicyWipeDidComplete>().identity;
    let again = message_of(|| {
        mam.wait_for_within::<PolicyWipeDidComplete>(None, Duration::from_millis(100));
    });
    Ok(json!({"wiped": wiped, "accounts": enrolled(mam)?, "again": again}))
}

fn state(mam: &Sandbox) -> Result<Value> {
    mam.enroll("alice");
    mam.save("enrolled");
    mam.wipe("alice");
    mam.restore("enrolled");
    let restored = enrolled(mam)?;
    mam.reset();
    let reset = registered(mam)?;
    mam.enroll("alice");
    Ok(json!({"restored": restored, "reset": reset, "changed": mam.wait_for::<PolicyDidChange>().identity}))
}

fn join(mam: &Sandbox) -> Result<Value> {
    let app = mam.join(Client::builder());
    app.enrollment_manager().register_and_enroll_account(ALICE).send()?;
    let accounts = enrolled(mam)?;
    app.close();
    mam.reset();
    Ok(json!({"accounts": accounts, "reset": registered(mam)?}))
}

fn wrong_reasons(mam: &Sandbox) -> Result<Value> {
    mam.enroll("alice");
    ask_to_save(mam, ALICE)?;
    let setting = message_of(|| mam.assert_blocked("pinRequired"));
    let allowed = message_of(|| mam.assert_allowed());
    mam.client().enforcement().is_action_allowed(EnforcedAction::Print).account(ALICE).send()?;
    let blocked = message_of(|| mam.assert_blocked(None));
    mam.client().policy().is_pin_required().account(ALICE).send()?;
    let other = message_of(|| mam.assert_allowed());
    Ok(json!({"setting": setting, "allowed": allowed, "blocked": blocked, "other": other}))
}

fn story(mam: &Sandbox) -> Result<Value> {
    mam.policy("bob", TestSettings::new().save_as_blocked(true));
    mam.enroll("bob");
    let sealed = mam.client().data_protection_manager().protect_string("quarterly figures", BOB).send()?;
    mam.client().data_protection_manager().unprotect_string(sealed.as_str()).send()?;
    ask_to_save(mam, BOB)?;
    std::fs::write("replay.sh", mam.replay())?;
    Ok(json!({"story": mam.story()}))
}

fn killed(mam: &Sandbox) -> Result<Value> {
    mam.enroll("alice");
    Command::new("kill").args(["-KILL", &mam.client().pid().unwrap().to_string()]).status()?;
    let lost = message_of(|| drop(mam.enroll("alice")));
    Ok(json!({"lost": lost, "story": mam.report("the calls of a test")}))
}

fn abandoned(mam: &Sandbox) -> Result<Value> {
    mam.enroll("alice");
    println!("{}", json!({"pid": mam.client().pid()}));
    stdin().read_line(&mut String::new())?;
    Ok(Value::Null)
}

fn check_in_status(app: &Client) -> Result<Value> {
    Ok(json!(app.tenant().check_in().send()?[0].status))
}

fn join_network(mam: &Sandbox) -> Result<(Client, Value)> {
    let app = mam.network().join("alice", Client::builder());
    let status = app.enrollment_manager().register_and_enroll_account(ALICE).send()?.status;
    Ok((app, json!(status)))
}

fn network(mam: &Sandbox) -> Result<Value> {
    let (app, status) = join_network(mam)?;
    let served = mam.network();
    let saves = app.policy().is_save_to_allowed_for_location(SaveLocation::Dropbox).account(ALICE).send()?;
    served.fault("checkIn", "serviceUnavailable", 1, "PT1.5S");
    let (failed, well) = (check_in_status(&app)?, check_in_status(&app)?);
    mam.set_user(ERIN, |user| user.groups(["Administrators"]));
    let (users, _) = served.send("GET", "/v1.0/users", &served.token(ERIN), None);
    mam.client().sandbox().set_user(ERIN).groups(["staff"]).send()?;
    let (demoted, _) = served.send("GET", "/v1.0/users", &served.token(ERIN), None);
    let (refused, _) = served.send("GET", "/v1.0/users", &served.token("alice"), None);
    served.fault("token", "mfaRequired", None, None);
    let token = message_of(|| drop(served.token("alice")));
    let wrong = message_of(|| served.fault("checkIn", "nextLinkLoop", None, None));
    served.clear_faults();
    let is_check_in = |path: &str, who: Option<&str>| path == "/mam/v1/check-in" && who == Some(ALICE);
    let asked = served.requests().iter().any(|request| is_check_in(&request.path, request.who.as_deref()));
    Ok(json!({
        "status": status, "saves": saves, "failed": failed, "well": well, "users": users, "demoted": demoted,
        "refused": refused, "token": token, "wrong": wrong, "signedIn": !served.token("alice").is_empty(), "asked": asked,
        "certificate": Path::new(&served.certificate).exists()
    }))
}

fn network_story(mam: &Sandbox) -> Result<Value> {
    let (app, _) = join_network(mam)?;
    mam.network().fault("checkIn", "serviceUnavailable", None, None);
    check_in_status(&app)?;
    Ok(json!({"story": mam.report("the calls of a test")}))
}

fn no_network(mam: &Sandbox) -> Result<Value> {
    Ok(json!({"message": message_of(|| drop(mam.network()))}))
}

fn network_at_once(mam: &Sandbox) -> Result<Value> {
    let (one, other) = thread::scope(|scope| {
        let other = scope.spawn(|| mam.network());
        (mam.network(), other.join().unwrap())
    });
    Ok(json!({"same": Arc::ptr_eq(&one, &other)}))
}

fn abandoned_network(mam: &Sandbox) -> Result<Value> {
    let (app, _) = join_network(mam)?;
    println!("{}", json!({"pid": app.pid()}));
    stdin().read_line(&mut String::new())?;
    Ok(Value::Null)
}
