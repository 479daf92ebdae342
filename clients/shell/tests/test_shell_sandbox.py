"""The kit for tests of apps in bash: what mam_test and mam_sandbox print, and what they leave."""
from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT

KIT = ROOT / "clients" / "shell" / "sandbox.sh"
STORY = "--- what happened in the sandbox"
SCRIPT = "--- a script that replays it\n"
SAVING = "mam_enroll alice; mam_call policy.isSaveToAllowedForLocation location=dropbox account=alice@contoso.example"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where sandboxes put their folders."""
    folder = tmp_path / "run"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder


def bash(script: str, binary: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["bash", "-c", f'. "{KIT}"\n{script}'], text=True, timeout=60, capture_output=True, stdin=subprocess.DEVNULL,
        env={**os.environ, "MAMBRIDGE": binary})


def test_a_failing_test_prints_its_story_and_a_script_with_the_same_answers(binary: str, place: Path) -> None:
    done = bash(f"""
        wrong() {{ mam_sandbox --at 2026-01-31T12:00:00Z; {SAVING}; mam_assert_allowed; echo not reached; }}
        right() {{ mam_sandbox; mam_enroll bob; }}
        mam_test wrong right""", binary)
    assert (done.returncode, done.stdout) == (1, "1..2\nnot ok 1 - wrong\nok 2 - right\n")
    said, told = done.stderr.split(f"{STORY} of wrong\n")
    assert "should be allowed, but is blocked\n  Saving to Dropbox is blocked." in said
    assert "not reached" not in done.stderr and list(place.iterdir()) == []
    story, script = told.split(SCRIPT)
    assert "2026-01-31 12:00:00  policy.isSaveToAllowedForLocation with " in story
    replayed = bash(script, binary)
    assert '"result":false' in replayed.stdout and "# Replays wrong." in script, replayed.stderr


@pytest.mark.parametrize("failure", [
    "[ 1 = 2 ]", "mam_policy bob savAsBlocked:=true", "mam_wait_for policyManager.wipeDidComplete 0", "exit 9",
    "mam_join false", "mam_assert_blocked saveAsBlocked",
    "mam_enroll"])
def test_what_fails_ends_the_test(binary: str, failure: str) -> None:
    done = bash(f"it() {{ mam_sandbox; {failure}; echo not reached; }}; mam_test it", binary)
    assert done.stdout == "1..1\nnot ok 1 - it\n" and "not reached" not in done.stderr
    assert done.stderr.count(STORY) == done.stderr.count(SCRIPT) == 1


@pytest.mark.parametrize(("body", "said"), [
    ("mam_enroll alice", "there is no sandbox: begin the test with mam_sandbox"),
    ("mam_wait_for policyManager.wipeDidComplete", "there is no sandbox: begin the test with mam_sandbox"),
    ("mam_network_fault checkIn serviceUnavailable", "there is no sandbox: begin the test with mam_sandbox"),
    ("mam_sandbox; mam_network_join user=bob", "mam_network_join needs a command"),
    ("mam_sandbox; mam_device jailbroken=true", "write jailbroken:=true or jailbroken:=false, for JSON\n"),
    ("mam_sandbox; mam_policy bob saveAsBlocked:=True", "saveAsBlocked is not JSON; write true"),
    ("mam_sandbox; x=$(mam_check_in); [ \"$x\" = 1 ]", "]\n"),
])
def test_a_mistake_says_what_to_write_and_which_line_it_is(tmp_path: Path, binary: str, body: str, said: str) -> None:
    test = tmp_path / "test_app.sh"
    test.write_text(f'. "{KIT}"\nit() {{\n  {body}\n}}\nmam_test it\n')
    done = subprocess.run(
        ["bash", test], text=True, timeout=60, capture_output=True, stdin=subprocess.DEVNULL,
        env={**os.environ, "MAMBRIDGE": binary})
    assert done.returncode == 1 and said in done.stderr, done.stderr
    assert done.stderr.count(f"{test}:3: failed: {body}\n") == 1, done.stderr


def test_verbs_print_nothing_that_the_test_does_not_take(binary: str) -> None:
    done = bash("""it() { mam_sandbox; mam_enroll alice; mam_device jailbroken:=true; mam_offline; mam_online
        mam_advance PT1S; mam_check_in; mam_check_in | jq -r '.[].identity'; false; }; mam_test it""", binary)
    assert done.stderr.partition("environment:")[0] == "alice@contoso.example\n", done.stderr


def test_a_script_that_passes_prints_only_what_it_says_and_one_that_fails_keeps_its_status(binary: str, place: Path) -> None:
    assert bash("mam_sandbox; mam_enroll alice | jq -r .status", binary).stdout == "newPoliciesReceived\n"
    failed = bash("mam_sandbox; exit 9", binary)
    assert failed.returncode == 9 and failed.stderr.startswith(f"{STORY}\n") and list(place.iterdir()) == []
    stopped = bash("mam_sandbox; mam_stop; exit 9", binary)
    assert (stopped.returncode, stopped.stderr) == (9, "")


def test_a_sandbox_that_hangs_is_killed(binary: str) -> None:
    done = bash("""it() { mam_sandbox; MAM_TIMEOUT=1; kill -STOP "$MAM_CHILD"; mam_enroll alice; }
        mam_test it; jobs""", binary)
    assert "enrollmentManager.registerAndEnrollAccount: no answer within 1 s" in done.stderr
    assert "The story is lost: sandbox.report: no answer within 5 s" in done.stderr


def test_nothing_runs_outside_of_a_sandbox_that_is_gone(binary: str) -> None:
    done = bash('mam_sandbox; kill -KILL "$MAM_CHILD"; mam_join echo joined || exit 9', binary)
    assert (done.returncode, done.stdout) == (9, "") and "The story is lost: mambridge was killed by signal 9 (SIGKILL)" in done.stderr


def test_a_program_joins_with_the_variables_of_the_sandbox(binary: str) -> None:
    done = bash("""mam_sandbox
        mam_join "$MAMBRIDGE" call enrollmentManager.registerAndEnrollAccount account=alice@contoso.example >/dev/null
        mam_call enrollmentManager.enrolledAccounts | jq length
        mam_reset""", binary)
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")


@pytest.mark.parametrize(("binary_given", "options", "text"), [
    ("/", "", "/ does not serve a sandbox: it ended with status 126: "),
    ("/bin/true", "", "/bin/true does not serve a sandbox: it ended with status 0"),
    ("mambridje", "", "cannot start mambridje: there is no such program. Install mambridge, or name the program"),
    ("", "--at yesterday", "the sandbox cannot begin: --at must be a time"),
    ("", "--set NoSuch=1", "the sandbox cannot begin: the setting NoSuch is unknown")])
def test_what_cannot_begin_says_why(binary: str, binary_given: str, options: str, text: str, place: Path) -> None:
    done = bash(f"set -euo pipefail; mam_sandbox {options}; echo not reached", binary_given or binary)
    assert (done.returncode, done.stdout) == (2, "") and done.stderr.startswith(text), done.stderr
    assert list(place.iterdir()) == []


def test_without_jq_the_kit_says_so(binary: str) -> None:
    done = bash("type() { [ $2 != jq ] && builtin type $@; }; mam_sandbox; exit 9", binary)
    assert (done.returncode, done.stdout, done.stderr) == (9, "", "mam_sandbox needs jq. Install it\n")
