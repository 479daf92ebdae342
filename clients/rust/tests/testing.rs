//! The kit for tests of apps, as users meet it: with a test that fails, its options, and what cannot start.
#![cfg(feature = "testing")]
use std::env;
use std::panic::catch_unwind;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use mambridge::testing::{Options, Sandbox};
use mambridge::types::{EnteredPin, SaveLocation, SettingName, SwitchIdentityResult};
use mambridge::{Client, Host};

const ALICE: &str = "alice@contoso.example";

#[test]
#[ignore = "a_failing_test_prints_once_what_happened_and_a_script_with_the_same_answers runs it"]
fn alice_saves_to_dropbox() {
    let mam = Sandbox::start();
    mam.enroll("alice");
    mam.client().policy().is_save_to_allowed_for_location(SaveLocation::Dropbox).send().unwrap();
    mam.assert_allowed();
}

#[test]
fn a_failing_test_prints_once_what_happened_and_a_script_with_the_same_answers() {
    let tests = env::current_exe().unwrap();
    let failed = output_of(Command::new(tests).args(["--ignored", "alice_saves_to_dropbox"]));
    assert!(
        failed.contains("isSaveToAllowedForLocation should be allowed, but is blocked\n  Saving to Dropbox"),
        "{failed}"
    );
    let stories: Vec<&str> = failed.split("--- what happened in the sandbox of alice_saves_to_dropbox\n").collect();
    assert_eq!(stories.len(), 2, "{failed}");
    let (story, rest) = stories[1].split_once("--- a script that replays it\n").unwrap();
    assert!(story.contains("isSaveToAllowedForLocation with location \"dropbox\": false\n"), "{story}");
    let (script, _) = rest.split_once("\n\n").unwrap();
    assert!(script.contains("# Replays alice_saves_to_dropbox"), "{script}");
    let replayed = output_of(Command::new("bash").args(["-c", script]));
    assert!(replayed.contains("\"result\":false") && replayed.contains("Saving to Dropbox is blocked"), "{replayed}");
}

fn output_of(command: &mut Command) -> String {
    let found = command.stdin(Stdio::null()).output().unwrap();
    String::from_utf8([found.stdout, found.stderr].concat()).unwrap()
}

#[test]
#[ignore = "a_verb_that_fails_names_the_line_of_the_test runs it"]
fn enroll_in_a_killed_sandbox() {
    let mam = Sandbox::start();
    Command::new("kill").args(["-KILL", &mam.client().pid().unwrap().to_string()]).status().unwrap();
    mam.enroll("alice");
}

#[test]
fn a_verb_that_fails_names_the_line_of_the_test() {
    let tests = env::current_exe().unwrap();
    let failed =
        output_of(Command::new(tests).args(["--ignored", "enroll_in_a_killed_sandbox"]).env("RUST_BACKTRACE", "0"));
    assert!(failed.contains("tests/testing.rs:") && !failed.contains("src/testing.rs:"), "{failed}");
}

#[test]
fn a_sandbox_begins_as_its_options_say() {
    let options = Options::new().seed("empty").at("2031-01-31T12:00:00Z").setting("MultiIdentity", true);
    let mam = options.app_id("com.example.app").timeout(Duration::from_secs(30)).start();
    let start = SystemTime::UNIX_EPOCH + Duration::from_secs(1_927_627_200);
    assert_eq!(mam.advance(Duration::ZERO).time, start);
    assert_eq!(mam.client().tenant().status().send().unwrap().user_count, 0);
    let settings = mam.client().settings().get().names([SettingName::MultiIdentity]).send().unwrap();
    assert_eq!(settings["MultiIdentity"].value, true);
}

#[test]
fn an_app_that_joins_has_its_host_and_ends_with_the_sandbox() {
    let mam = Sandbox::start();
    let host = Host::new().prompt_for_pin(|_, _| Ok(EnteredPin::new().pin("482913")));
    let app = mam.join(Client::builder().host(host));
    app.initialize().send().unwrap();
    app.enrollment_manager().register_and_enroll_account(ALICE).send().unwrap();
    let shown = app.policy_manager().set_ui_policy_identity(ALICE).send().unwrap();
    assert_eq!(shown, SwitchIdentityResult::Success);
    drop(mam);
    assert_eq!(app.exit_status().and_then(|status| status.code()), Some(0));
}

#[test]
fn a_sandbox_that_does_not_answer_is_ended_with_its_report() {
    let mam = Sandbox::start();
    let pid = mam.client().pid().unwrap();
    Command::new("kill").args(["-STOP", &pid.to_string()]).status().unwrap();
    assert!(mam.report("a test").starts_with("The story is lost: sandbox.report: no answer within 5 s"));
    assert!(!mam.client().exit_status().unwrap().success());
}

#[test]
fn a_sandbox_that_cannot_begin_says_why() {
    for (options, reason) in [
        (Options::new().at("yesterday"), "the sandbox cannot begin: --at must be a time"),
        (Options::new().setting("NoSuch", 1), "the sandbox cannot begin: the setting NoSuch is unknown"),
        (
            Options::new().binary("no-such-mambridge"),
            "cannot start no-such-mambridge: there is no such program. Install",
        ),
        (Options::new().binary("/"), "cannot start /: "),
        (Options::new().binary("/bin/true"), "/bin/true does not serve a sandbox: mambridge exited with code 0. Use "),
    ] {
        let panic = catch_unwind(|| options.start()).unwrap_err();
        let said = panic.downcast_ref::<String>().unwrap();
        assert!(said.starts_with(reason), "{said}");
    }
}
