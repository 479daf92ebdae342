"""The kit for tests of apps, as users meet it: in pytest, with several processes, in unittest and in asyncio."""
from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, List

import pytest
from conftest import ALICE
from mambridge import errors, events
from mambridge.testing import AsyncSandbox, Sandbox, SandboxError
from processes import is_gone
from waiting import wait_for

PYTHON = Path(__file__).resolve().parents[1]
BOB = "bob@contoso.example"
NOON = datetime(2026, 1, 31, 12, tzinfo=timezone.utc)
SCRIPT = re.compile(r"^#!/usr/bin/env bash\n.*?^call \d+ '[^\n]*sandbox\.story[^\n]*\n(?:echo [^\n]*\n)*", re.M | re.S)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where sandboxes put their folders."""
    folder = tmp_path / "run"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder


class Project:
    """The folder of somebody with tests, and their pytest."""

    def __init__(self, folder: Path, binary: str) -> None:
        self.folder = folder
        self.environment = {
            **os.environ, "PYTHONPATH": str(PYTHON), "PYTHONDONTWRITEBYTECODE": "1", "MAMBRIDGE": binary,
            "COLUMNS": "200",
            # Other plugins may be installed, and take seconds.
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        self.environment.pop("PYTEST_ADDOPTS", None)
        folder.mkdir()

    def write(self, **files: str) -> None:
        for name, text in files.items():
            suffix = ".ini" if name == "pytest" else ".py"
            (self.folder / (name + suffix)).write_text(text)

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, *arguments], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=120)

    def pytest(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return self.run("-m", "pytest", "-p", "no:cacheprovider", "-p", "mambridge.testing.pytest_plugin", *arguments)


@pytest.fixture
def project(tmp_path: Path, binary: str) -> Project:
    return Project(tmp_path / "project", binary)


def replayed(said: str) -> "tuple[list[Any], str]":
    """The answers that the script in a failure prints, and all that it prints."""
    found = SCRIPT.search(said)
    assert found, said
    run = subprocess.run(["bash", "-c", found[0]], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0 and not run.stderr, run.stdout + run.stderr
    return [json.loads(line[2:]) for line in run.stdout.splitlines() if line.startswith("< ")], run.stdout


# What a failure prints

FAILURES = [
    pytest.param(
        "mam.enroll('alice')\n    mam.assert_allowed(mam.client.policy.is_save_to_allowed_for_location('dropbox'))",
        "should be allowed, but is blocked", lambda answers: answers[1]["result"] is False, id="a-wrong-answer"),
    pytest.param(
        "mam.policy('bob', it='s')", "is not a setting", lambda answers: answers[0]["error"]["code"] == -32602,
        id="an-error-of-the-server"),
    pytest.param(
        "mam.enroll('alice')\n    mam.advance(days=1)\n    mam.wait_for(events.PolicyWipeDidComplete, timeout=0)",
        "policyManager.wipeDidComplete did not happen within 0 s, but ", lambda answers: len(answers) == 3,
        id="an-event-that-does-not-come"),
    pytest.param(
        """mam.enroll('alice')
    launch = mam.client.conditional_launch.evaluate()
    mam.client.conditional_launch.answer(challenge=launch.challenges[0].id, pin='2580')
    sealed = mam.client.data_protection_manager.protect(b"it's secret", mam.enroll('alice').identity)
    assert mam.client.data_protection_manager.unprotect(sealed) == b''""",
        "assert b\"it's secret\" == b''",
        lambda answers: "error" not in answers[2] and answers[5]["result"] == "aXQncyBzZWNyZXQ=",
        id="ids-and-data-of-answers"),
]


@pytest.mark.parametrize(("body", "text", "is_same"), FAILURES)
def test_a_failing_test_prints_its_story_and_a_script_with_the_same_answers(
    project: Project, body: str, text: str, is_same: Any,
) -> None:
    project.write(test_app=f"from mambridge import events\ndef test_it(mam):\n    {body}\n")
    done = project.pytest()
    assert done.returncode == 1 and text in done.stdout, done.stdout + done.stderr
    assert "--- what happened in the sandbox\n" in done.stdout and "# Replays test_app.py::test_it." in done.stdout
    answers, printed = replayed(done.stdout)
    assert is_same(answers) and text.partition("\n")[0] in printed, printed


def test_a_passing_test_prints_nothing_and_leaves_nothing(project: Project, place: Path) -> None:
    project.write(test_app="def test_it(mam):\n    mam.enroll()\n")
    done = project.pytest("-q")
    assert done.returncode == 0 and "sandbox" not in done.stdout + done.stderr
    assert list(place.iterdir()) == []


def test_a_replay_says_that_mambridge_has_ended(binary: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with Sandbox(binary=binary) as mam:
        mam.enroll("alice")
        script = mam.replay()
    monkeypatch.setenv("MAMBRIDGE", "/bin/false")
    done = subprocess.run(["bash", "-c", script], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and done.stderr == "mambridge has ended, or did not answer within 120 s\n"


def test_a_long_script_goes_to_a_file(project: Project, tmp_path: Path) -> None:
    project.environment["TMPDIR"] = str(tmp_path)
    project.write(test_app="def test_it(mam):\n    for _ in range(300): mam.enroll()\n    assert not mam\n")
    done = project.pytest()
    [name] = re.findall(r"^bash (.*\.sh)$", done.stdout, re.M)
    assert Path(name).read_text().count("\ncall ") == 301


def test_a_sandbox_that_dies_in_a_test_says_how(project: Project) -> None:
    project.write(test_app="""
import os, signal
from mambridge.testing import Sandbox
def killed(mam):
    mam.enroll("alice")
    os.kill(mam.client.pid, signal.SIGKILL)
    mam.policy("bob", pinRequired=True)
def test_fixture(mam): killed(mam)
def test_class():
    with Sandbox() as mam: killed(mam)
def test_other(mam): mam.enroll("alice")
""")
    done = project.pytest("-vv")
    assert "ConnectionLost: mambridge was killed by signal 9 (SIGKILL)" in done.stdout and "1 passed" in done.stdout, done.stdout
    assert done.stdout.count("The story is lost: mambridge was killed by signal 9 (SIGKILL)") == 2


def test_a_sandbox_that_hangs_is_ended_with_its_test(binary: str) -> None:
    async def run() -> "int | None":
        async with AsyncSandbox(binary=binary, timeout=0.5) as mam:
            assert mam.client.pid
            os.kill(mam.client.pid, signal.SIGSTOP)
            with pytest.raises(TimeoutError, match="^enrollmentManager.registerAndEnrollAccount: no answer within 500 ms$"):
                await mam.enroll("alice")
        return mam.client.exit_code

    with Sandbox(binary=binary, timeout=0.5) as mam:
        assert mam.client.pid
        os.kill(mam.client.pid, signal.SIGSTOP)
        with pytest.raises(TimeoutError, match="^enrollmentManager.registerAndEnrollAccount: no answer within 500 ms$"):
            mam.enroll("alice")
        assert mam.report() == "The story is lost: sandbox.report: no answer within 5 s"
    assert mam.client.exit_code == asyncio.run(run()) == -signal.SIGKILL


# Options

def test_options_come_from_the_file_then_the_command_line_then_the_mark(project: Project, binary: str) -> None:
    project.write(
        pytest="[pytest]\nmambridge_seed = empty\nmambridge_at = 2026-01-31T12:00:00Z\naddopts = --strict-markers\n",
        test_app="""
import pytest

def seen(mam):
    return mam.advance(0).time.year, mam.client.tenant.status().user_count

def test_file(mam): assert seen(mam) == (2026, 0)
@pytest.mark.mam(seed="sample", at="2031-01-31T12:00:00Z")
class TestMark:
    def test_class(self, mam): assert seen(mam) == (2031, 4)
    @pytest.mark.mam(seed="empty", settings={"MultiIdentity": True}, app_id="com.example.marked", timeout=30)
    def test_nearest(self, mam):
        assert seen(mam) == (2031, 0)
        assert mam.client.settings.get(names=["MultiIdentity"])["MultiIdentity"].value is True
""".replace("mam.advance(0)", "mam.advance(seconds=0)"))
    done = project.pytest("-q")
    assert done.returncode == 0, done.stdout
    done = project.pytest("-q", "--mambridge-seed", "sample", "--mambridge-at", "2030-01-01T00:00:00Z", "-k", "file")
    assert "(2030, 4) == (2026, 0)" in done.stdout
    done = project.pytest("-q", "--mambridge-binary", "nowhere/mambridge", "-k", "file")
    assert "nowhere/mambridge: there is no such program. Install mambridge" in done.stdout, done.stdout


def test_a_binary_of_the_file_is_beside_the_file(project: Project, binary: str) -> None:
    (project.folder / "build").mkdir()
    (project.folder / "build" / "mambridge").symlink_to(binary)
    (project.folder / "tests").mkdir()
    project.environment["MAMBRIDGE"] = "/nowhere"
    project.write(pytest="[pytest]\nmambridge_binary = build/mambridge\n")
    (project.folder / "tests" / "test_app.py").write_text("def test_it(mam): mam.enroll()\n")
    done = project.pytest("tests")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("mark", ["'empty'", "sed='empty'"])
def test_a_wrong_mark_names_the_options(project: Project, mark: str) -> None:
    project.write(test_app=f"import pytest\n@pytest.mark.mam({mark})\ndef test_it(mam): pass\n")
    done = project.pytest()
    assert done.returncode and "@pytest.mark.mam takes seed=…, at=…, binary=…" in done.stdout


@pytest.mark.parametrize(("options", "text"), [
    ({"at": "yesterday"}, "the sandbox cannot begin: --at must be a time"),
    ({"settings": {"NoSuch": 1}}, "the sandbox cannot begin: the setting NoSuch is unknown"),
    ({"seed": "nowhere"}, 'there is no folder "nowhere"'),
    ({"binary": "/"}, "cannot start /: "),
    ({"binary": "/bin/true"}, "/bin/true does not serve a sandbox: mambridge exited with code 0. Use mambridge "),
])
def test_what_cannot_begin_says_why(binary: str, options: "dict[str, Any]", text: str) -> None:
    with pytest.raises(SandboxError) as refused:
        Sandbox(**{"binary": binary, **options})
    assert text in str(refused.value)

    async def begin() -> None:
        async with AsyncSandbox(**{"binary": binary, **options}):
            pass

    with pytest.raises(SandboxError) as refused:
        asyncio.run(begin())
    assert text in str(refused.value)


# Several processes

def test_processes_of_xdist_have_sandboxes_of_their_own(project: Project, place: Path) -> None:
    pytest.importorskip("xdist")
    project.write(test_app="""
import pytest
@pytest.mark.parametrize("number", range(8))
def test_it(mam, number):
    assert mam.client.enrollment_manager.registered_accounts() == []
    mam.enroll("alice")
    assert number != 5
""")
    done = project.pytest("-p", "xdist", "-n", "2")
    assert "1 failed, 7 passed" in done.stdout, done.stdout
    answers, _ = replayed(done.stdout)
    assert answers[1]["result"]["status"] == "newPoliciesReceived"
    assert list(place.iterdir()) == []


def test_the_sandbox_of_a_killed_worker_ends(project: Project, place: Path) -> None:
    pytest.importorskip("xdist")
    project.write(test_app="""
import os, signal
def test_it(mam):
    mam.enroll("alice")
    open("pid", "w").write(str(mam.client.pid))
    os.kill(os.getpid(), signal.SIGKILL)
""")
    done = project.pytest("-p", "xdist", "-n", "1", "--max-worker-restart", "0")
    assert "crashed" in done.stdout, done.stdout
    server = int((project.folder / "pid").read_text())
    wait_for(lambda: is_gone(server) and not list(place.iterdir()), "the sandbox ends without its worker")


# Without pytest

def test_unittest_prints_the_story_of_a_failure_and_not_of_a_skip(project: Project) -> None:
    project.write(test_app="""
import unittest
from mambridge.testing import Sandbox

class Launch(unittest.TestCase):
    def test_failure(self):
        with Sandbox() as mam:
            mam.enroll("alice")
            mam.assert_allowed(mam.client.enforcement.copy(text="x", account="alice@contoso.example"))
            mam.assert_blocked(mam.client.enforcement.is_action_allowed("print", account="alice@contoso.example"))
    def test_skip(self):
        with Sandbox() as mam:
            mam.enroll("alice")
            self.skipTest("not today")
    def test_pass(self):
        with Sandbox() as mam:
            mam.enroll("alice")
""")
    done = project.run("-m", "unittest", "test_app")
    assert done.returncode == 1 and "FAILED (failures=1, skipped=1)" in done.stderr, done.stderr
    assert done.stderr.count("--- what happened in the sandbox\n") == 1
    answers, printed = replayed(done.stderr)
    assert answers[2]["result"] is True
    assert "should be blocked, but is allowed" in printed and "Printing is allowed." in printed


# Asyncio

def test_networks_that_are_asked_for_at_once_are_one(
    binary: str, tenant_program: str, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MAMBRIDGE_TENANT_PROGRAM", tenant_program)

    async def run() -> None:
        async with AsyncSandbox(binary=binary) as mam:
            one, other = await asyncio.gather(mam.network(), mam.network())
            assert one is other is await mam.network()

    asyncio.run(run())


def test_all_verbs_are_awaited_in_asyncio(binary: str) -> None:
    done: List[str] = []

    async def run() -> None:
        async with AsyncSandbox(binary=binary, at=NOON) as mam:
            await mam.set_user("erin@contoso.example", groups=["staff"])
            await mam.policy("staff", {"saveAsBlocked": True})
            await mam.configuration("staff", {"server": "mail.example.com"})
            await mam.enroll("erin@contoso.example")
            assert (await mam.wait_for(events.PolicyDidChange, user="erin@contoso.example")).identity
            assert (await mam.environment())["MAMBRIDGE_STATE"]
            await mam.assert_blocked(
                await mam.client.policy.is_save_to_allowed_for_location("dropbox", account="erin@contoso.example"),
                setting="saveAsBlocked")
            await mam.reset()
            await mam.enroll("alice")
            await mam.save("enrolled")
            await mam.user(pin="482913")
            assert await mam.client.policy_manager.set_ui_policy_identity(ALICE) == "success"
            await mam.assert_allowed(await mam.client.conditional_launch.evaluate())
            assert not (await mam.offline()).network_available and (await mam.online()).network_available
            assert (await mam.advance(days=1)).time == NOON + timedelta(days=1)
            assert (await mam.device(jailbroken=True)).jailbroken
            with pytest.raises(AssertionError, match="but is blocked\n  The device is jailbroken"):
                await mam.assert_allowed(await mam.client.conditional_launch.evaluate())
            await mam.wipe("alice")
            await mam.wait_for(events.PolicyWipeDidComplete)
            with pytest.raises(AssertionError, match="did not happen within 0 s"):
                await mam.wait_for(events.PolicyWipeDidComplete, timeout=0)
            await mam.restore("enrolled")
            assert [status.status for status in await mam.check_in("alice")] == ["policiesHaveNotChanged"]
            await mam.fault("source", "unreachable")
            assert not (await mam.check_in("alice"))[0].did_succeed
            await mam.clear_faults()
            assert (await mam.check_in("alice"))[0].did_succeed
            with pytest.raises(errors.InvalidParams, match="did you mean pinRequired"):
                await mam.policy("*", pinRequird=True)
            assert "sandbox.restore with name" in await mam.story() and "sandbox.restore" in await mam.replay()
            done.append("all")

    asyncio.run(run())
    assert done == ["all"]


def test_a_failure_in_asyncio_prints_the_story_once(project: Project) -> None:
    project.write(test_app="""
import asyncio
from mambridge.testing import AsyncSandbox
async def run(sandbox):
    async with sandbox as mam:
        await mam.enroll("alice")
        assert await mam.client.policy.is_save_to_allowed_for_location("dropbox")
def test_fixture(async_mam): asyncio.run(run(async_mam))
def test_class(): asyncio.run(run(AsyncSandbox()))
def test_unused(async_mam): pass
""")
    for options in [], ["-vv"]:
        done = project.pytest(*options)
        assert "2 failed, 1 passed" in done.stdout and done.stdout.count("--- what happened") == 2, done.stdout
        assert replayed(done.stdout)[0][1]["result"] is False


def test_the_fixture_serves_the_async_tests_of_another_plugin(project: Project) -> None:
    pytest.importorskip("anyio")
    project.write(test_app="""
import pytest
@pytest.fixture
def anyio_backend(): return "asyncio"
@pytest.mark.anyio
async def test_it(async_mam):
    async with async_mam as mam:
        await mam.enroll("alice")
        assert await mam.client.policy.is_save_to_allowed_for_location("dropbox")
""")
    done = project.pytest("-p", "anyio")
    assert "1 failed" in done.stdout and done.stdout.count("--- what happened") == 1, done.stdout
    assert replayed(done.stdout)[0][1]["result"] is False


@pytest.mark.parametrize(("body", "said"), [
    ("mam.assert_allowed()", "assert_allowed was never awaited: write `await mam.assert_allowed(…)`"),
    ("await mam.enroll('alice'); mam.device(jailbroken=True); mam.policy('bob')",
     "device was never awaited: write `await mam.device(…)`; policy was never awaited: write `await mam.policy(…)`"),
    ("mam.enroll('alice'); assert 1 == 2", "enroll was never awaited"),
])
def test_a_verb_that_was_not_awaited_fails_the_test(project: Project, body: str, said: str) -> None:
    project.write(test_app=f"""
import asyncio
from mambridge.testing import AsyncSandbox
async def run(sandbox):
    async with sandbox as mam:
        {body}
def test_fixture(async_mam): asyncio.run(run(async_mam))
def test_class(): asyncio.run(run(AsyncSandbox()))
""")
    done = project.pytest("-W", "error")
    assert "2 failed" in done.stdout and done.stdout.count("--- what happened") == 2, done.stdout
    assert said in done.stdout, done.stdout


def test_a_verb_that_was_not_awaited_outside_of_a_sandbox_fails_the_test(project: Project) -> None:
    project.write(test_app="def test_it(async_mam): async_mam.enroll('alice')\n")
    done = project.pytest()
    assert "1 passed, 1 error" in done.stdout and "enroll was never awaited" in done.stdout, done.stdout


@pytest.mark.parametrize(("call", "said"), [
    ("mam.policy('bob', savAsBlocked=True)", "did you mean saveAsBlocked"),
    ("mam.enroll('allice')", "allice is not enrolled: The tenant does not list this user. Did you mean alice@contoso"),
    ("mam.advance(91)", "TypeError: advance takes a timedelta, or amounts such as days=91; not 91"),
])
def test_a_wrong_call_shows_only_the_line_of_the_test(project: Project, call: str, said: str) -> None:
    project.write(test_app=f"""
import asyncio
def test_it(mam):
    {call}
def test_async(async_mam):
    async def run():
        async with async_mam as mam:
            await {call}
    asyncio.run(run())
""")
    done = project.pytest()
    assert "2 failed" in done.stdout and f">   {' ' * 4}{call}" in done.stdout, done.stdout
    assert len(re.findall(rf"^E .*{re.escape(said)}", done.stdout, re.M)) == 2, done.stdout
    assert "mambridge/" not in done.stdout.partition("--- what happened")[0], done.stdout


# Answers and events

def test_an_assertion_is_about_the_newest_question(binary: str) -> None:
    with Sandbox(binary=binary) as mam:
        with pytest.raises(AssertionError, match="nothing was asked"):
            mam.assert_allowed()
        mam.enroll("alice")
        saving = mam.client.policy.is_save_to_allowed_for_location("dropbox", account=ALICE)
        mam.assert_blocked(saving, setting="saveAsBlocked")
        mam.client.call("policy.isScreenCaptureAllowed", account=ALICE)
        mam.assert_blocked(setting="allowedOutboundDataTransferDestinations")
        mam.assert_allowed(mam.client.enforcement.copy(text="x", account=ALICE))


def test_a_wait_takes_each_event_once_and_those_of_one_user(binary: str) -> None:
    with Sandbox(binary=binary) as mam:
        mam.enroll("alice")
        assert mam.wait_for(events.AppConfigDidChange, user="alice").identity == ALICE
        with pytest.raises(AssertionError, match="policyDidChange for bob@contoso.example did not happen"):
            mam.wait_for(events.PolicyDidChange, user="bob", timeout=0.1)
        assert mam.wait_for(events.PolicyDidChange).identity == ALICE
        with pytest.raises(TypeError, match="pass a class of mambridge.events"):
            mam.wait_for(Sandbox, timeout=0)  # type: ignore[type-var]


def test_an_app_joins_in_asyncio_and_ends_with_the_sandbox(binary: str) -> None:
    async def run() -> "int | None":
        async with AsyncSandbox(binary=binary) as mam:
            app = await mam.join()
            await app.enrollment_manager.register_and_enroll_account(ALICE)
            assert (await mam.wait_for(events.PolicyDidChange)).identity == ALICE
        return app.exit_code

    assert asyncio.run(run()) == 0


def test_the_events_of_an_app_that_joined_are_waited_for(binary: str) -> None:
    with Sandbox(binary=binary) as mam:
        app = mam.join()
        app.enrollment_manager.register_and_enroll_account(ALICE)
        assert mam.wait_for(events.PolicyDidChange).identity == ALICE
        with pytest.raises(errors.StateInUse):
            mam.reset()
    assert app.exit_code == 0
