"""mambridge sandbox, as the tests of an app use it: a fresh tenant, a clock, wipes, a user, and nothing left behind."""
from __future__ import annotations

import json
import os
import signal
import subprocess
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, Iterator

import pytest
from conftest import ALICE, ROOT
from mambridge import Client, Host, MambridgeError, errors, requests
from waiting import wait_for

BOB = "bob@contoso.example"
NOON = datetime(2026, 1, 31, 12, tzinfo=timezone.utc)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where sandboxes put their folders."""
    place = tmp_path / "run"
    place.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(place))
    return place


@pytest.fixture
def mam(binary: str, folder: Path) -> Iterator[Client]:
    with Client.spawn(binary, "sandbox", "--at", NOON.isoformat(), timeout=60) as client:
        yield client


def enroll(client: Client, user: str = ALICE) -> str:
    return client.enrollment_manager.register_and_enroll_account(user).status


def test_a_policy_set_in_a_sandbox_applies_after_the_next_check_in(mam: Client) -> None:
    assert enroll(mam, BOB) == "licensedNotTargeted"
    mam.sandbox.set_policy(BOB, {"saveAsBlocked": True}, name="No copies")
    assert mam.policy.is_save_to_allowed_for_location("dropbox", account=BOB)
    mam.tenant.check_in()
    assert not mam.policy.is_save_to_allowed_for_location("dropbox", account=BOB)
    mam.sandbox.remove_policy("No copies")
    mam.tenant.check_in()
    assert mam.policy.is_save_to_allowed_for_location("dropbox", account=BOB)


def test_the_sandbox_clock_starts_at_the_given_time_and_can_jump_a_month(mam: Client) -> None:
    assert mam.debug.advance_clock(timedelta(0)).time == NOON
    assert mam.debug.advance_clock(timedelta(days=30)).time == NOON + timedelta(days=30)


def test_a_check_in_of_a_disabled_user_returns_auth_required(mam: Client) -> None:
    enroll(mam)
    mam.sandbox.set_user(ALICE, enabled=False)
    assert [status.status for status in mam.tenant.check_in(account=ALICE)] == ["authRequired"]
    mam.sandbox.set_user(ALICE, enabled=True)
    assert [status.status for status in mam.tenant.check_in(account=ALICE)] == ["policiesHaveNotChanged"]


def test_a_pushed_wipe_unenrolls_the_account_and_restoring_a_save_brings_it_back(mam: Client) -> None:
    enroll(mam)
    mam.sandbox.save("enrolled")
    assert [status.status for status in mam.sandbox.wipe(ALICE, push=True)] == ["wipeReceived"]
    mam.debug.advance_clock(timedelta(days=1))
    assert mam.enrollment_manager.enrolled_accounts() == []
    assert mam.sandbox.restore("enrolled").time == NOON
    assert [account.identity for account in mam.enrollment_manager.enrolled_accounts()] == [ALICE]
    mam.sandbox.reset()
    assert mam.enrollment_manager.registered_accounts() == []


def test_a_misspelled_user_name_gets_an_error_with_the_nearest_name(mam: Client) -> None:
    with pytest.raises(errors.MambridgeError) as raised:
        mam.sandbox.set_policy("alise@contoso.example", {"pinRequired": True})
    assert raised.value.code == -32602 and ALICE in raised.value.message


def test_the_sandbox_methods_exist_only_in_a_sandbox(client: Client) -> None:
    with pytest.raises(errors.MambridgeError) as raised:
        client.sandbox.reset()
    assert raised.value.code == -32601 and "mambridge sandbox" in (raised.value.hint or "")


def test_an_app_joins_a_sandbox_by_its_environment_and_blocks_a_reset_while_it_runs(mam: Client, binary: str) -> None:
    mam.debug.advance_clock(timedelta(days=2))
    variables = mam.sandbox.environment()
    with Client.spawn(binary, environment=variables, timeout=60) as app:
        assert enroll(app) == "newPoliciesReceived"
        assert app.debug.advance_clock(timedelta(0)).time == NOON + timedelta(days=2)
        assert [account.identity for account in mam.enrollment_manager.enrolled_accounts()] == [ALICE]
        mam.debug.advance_clock(timedelta(days=1))
        assert app.debug.advance_clock(timedelta(0)).time == NOON + timedelta(days=3)
        with pytest.raises(errors.MambridgeError) as raised:
            mam.sandbox.reset()
        assert raised.value.name == "stateInUse" and "process" in raised.value.message
    mam.sandbox.reset()
    assert mam.enrollment_manager.registered_accounts() == []


@pytest.mark.parametrize("options", [
    ["--state", "elsewhere"], ["--tenant", "sample"], ["--clock", "manual"], ["--app-id", "com.example.other"],
], ids=lambda options: options[0])
def test_a_program_of_a_sandbox_whose_options_lead_elsewhere_does_not_start(
    mam: Client, binary: str, tmp_path: Path, options: "list[str]",
) -> None:
    run = subprocess.run(
        [binary, *options], env={**os.environ, **mam.sandbox.environment()}, cwd=tmp_path, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=60)
    assert run.returncode == 78 and f"{options[0]}: this server is to join a sandbox" in run.stderr, run.stderr
    assert list(tmp_path.iterdir()) == [tmp_path / "run"]
    assert "joined" not in mam.sandbox.report().replay


@pytest.mark.parametrize(("name", "value"), [
    ("MAMBRIDGE_STATE", "/elsewhere"), ("MAMBRIDGE_STATE", ""), ("MAMBRIDGE_TENANT", "sample"), ("MAMBRIDGE_TENANT", ""),
    ("MAMBRIDGE_CLOCK", "system"), ("MAMBRIDGE_CLOCK", ""),
])
def test_a_program_of_a_sandbox_that_changes_a_variable_does_not_start(
    mam: Client, binary: str, tmp_path: Path, name: str, value: str,
) -> None:
    run = subprocess.run(
        [binary], env={**os.environ, **mam.sandbox.environment(), name: value, "HOME": str(tmp_path)}, cwd=tmp_path,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert run.returncode == 78 and f"{name}: this server is to join a sandbox" in run.stderr, run.stderr
    assert list(tmp_path.iterdir()) == [tmp_path / "run"]


def test_a_program_of_a_sandbox_may_name_what_it_is_given(mam: Client, binary: str) -> None:
    variables = mam.sandbox.environment()
    options = {"--state": "MAMBRIDGE_STATE", "--tenant": "MAMBRIDGE_TENANT", "--app-id": "MAMBRIDGE_APP_ID"}
    same = [word for option, name in options.items() for word in (option, variables[name])]
    with Client.spawn(binary, *same, environment=variables, timeout=60) as app:
        enroll(app)
    assert [account.identity for account in mam.enrollment_manager.enrolled_accounts()] == [ALICE]
    assert "# One program joined the sandbox, whose calls are not in this script." in mam.sandbox.report().replay


def test_a_program_whose_sandbox_has_ended_does_not_start_and_writes_nothing(binary: str, folder: Path) -> None:
    with Client.spawn(binary, "sandbox", timeout=60) as client:
        variables = client.sandbox.environment()
        with Client.spawn(binary, "sandbox", environment=variables, timeout=60) as inner:
            assert inner.sandbox.environment()["MAMBRIDGE_STATE"] != variables["MAMBRIDGE_STATE"]
    run = subprocess.run(
        [binary, "call", "enrollmentManager.registeredAccounts"], env={**os.environ, **variables}, capture_output=True,
        text=True, timeout=60)
    assert run.returncode == 78 and "has ended" in run.stderr, run.stderr
    assert list(folder.iterdir()) == []


def test_what_a_test_does_reaches_a_program_that_joined_except_faults_and_answers(mam: Client, binary: str) -> None:
    with Client.spawn(binary, environment=mam.sandbox.environment(), timeout=60) as app:
        mam.sandbox.set_policy(BOB, {"saveAsBlocked": True, "pinRequired": True})
        assert enroll(mam, BOB) == "newPoliciesReceived"
        assert not app.policy.is_save_to_allowed_for_location("dropbox", account=BOB)
        mam.device.set(jailbroken=True, network_available=False)
        device = app.device.get()
        assert device.jailbroken and not device.network_available
        mam.device.set(jailbroken=False, network_available=True)
        assert mam.sandbox.wait_for_event("policyManager.policyDidChange").entry
        mam.sandbox.set_policy(BOB, {"saveAsBlocked": True, "pinRequired": True, "printBlocked": True})
        mam.sandbox.fault("source", "serviceUnavailable")
        assert app.tenant.check_in()[0].status == "newPoliciesReceived"
        assert mam.sandbox.wait_for_event("policyManager.policyDidChange").entry
        mam.sandbox.answer(pin="482913", sign_in=True)
        with pytest.raises(errors.Challenge):
            app.policy_manager.set_ui_policy_identity(BOB)
        found = mam.sandbox.expect("blocked")
        assert not found.is_met and "Programs that joined ask servers of their own" in found.text
        assert "isSaveToAllowedForLocation" not in mam.sandbox.report().story


def test_a_wipe_that_the_app_checks_in_for_asks_the_host_of_the_app(mam: Client, binary: str) -> None:
    class App(Host):
        def wipe_data_for_account(self, request: requests.WipeDataForAccount) -> bool:
            wiped.append(request.identity)
            return True

    wiped: "list[str | None]" = []
    with Client.spawn(binary, environment=mam.sandbox.environment(), host=App(), timeout=60) as app:
        app.initialize()
        enroll(app)
        mam.sandbox.wipe(ALICE)
        assert [status.status for status in app.tenant.check_in()] == ["wipeReceived"]
        assert wiped == [ALICE]
        mam.sandbox.wait_for_event("policyManager.wipeDidComplete")


def test_an_exported_folder_seeds_another_sandbox_and_stays_unchanged(binary: str, mam: Client, tmp_path: Path) -> None:
    enroll(mam)
    mam.debug.advance_clock(timedelta(days=1))
    mam.sandbox.export(str(tmp_path / "out"))
    with Client.spawn(binary, "sandbox", "--seed", str(tmp_path / "out"), timeout=60) as other:
        assert [account.identity for account in other.enrollment_manager.enrolled_accounts()] == [ALICE]
        assert other.debug.advance_clock(timedelta(0)).time == NOON + timedelta(days=1)
        other.sandbox.reset()
        assert [account.identity for account in other.enrollment_manager.enrolled_accounts()] == [ALICE]
    tenant = tmp_path / "out" / "tenant"
    before = {path: path.read_bytes() for path in tenant.rglob("*.json")}
    with Client.spawn(binary, "sandbox", "--seed", str(tenant), timeout=60) as third:
        third.sandbox.set_user("erin@contoso.example")
        assert enroll(third, "erin@contoso.example") == "licensedNotTargeted"
    assert {path: path.read_bytes() for path in tenant.rglob("*.json")} == before


def test_an_export_never_overwrites_existing_files(mam: Client, tmp_path: Path) -> None:
    (tmp_path / "out.new").mkdir()
    (tmp_path / "out.new" / "mine").write_text("mine")
    mam.sandbox.export(str(tmp_path / "out"))
    assert {path.name for path in tmp_path.iterdir()} >= {"out", "out.new"}
    assert (tmp_path / "out.new" / "mine").read_text() == "mine"
    for place in tmp_path / "out", tmp_path / "none" / "out", Path("/proc/out"):
        with pytest.raises(MambridgeError) as refused:
            mam.sandbox.export(str(place))
        assert refused.value.name == "unsuitableFile" and refused.value.data["path"] == str(place)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("out.new-")]


def test_a_sandbox_removes_its_own_folder_and_those_of_killed_sandboxes(
    binary: str, folder: Path,
) -> None:
    with Client.spawn(binary, "sandbox", timeout=60) as client:
        enroll(client)
        assert len(list(folder.iterdir())) == 1
    assert list(folder.iterdir()) == []
    killed = subprocess.Popen(
        [binary, "sandbox"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=dict(os.environ))
    assert killed.stdin and killed.stdout
    killed.stdin.write('{"jsonrpc":"2.0","id":1,"method":"enrollmentManager.enrolledAccounts"}\n')
    killed.stdin.flush()
    killed.stdout.readline()
    left = list(folder.iterdir())
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    assert list(folder.iterdir()) == left and len(left) == 1
    # A folder that is younger than a second may belong to a process that has not locked it yet.
    for _ in range(1000):
        with Client.spawn(binary, "sandbox", timeout=60):
            pass
        if not left[0].exists():
            break
    assert list(folder.iterdir()) == []


def test_a_sandbox_removes_only_folders_with_a_name_as_sandboxes_make_it(binary: str, folder: Path) -> None:
    own = [folder / f"mambridge-{name}-{os.geteuid()}-{end}" for name, end in [
        ("sandbox", "results"), ("test", "0123"), ("sandbox", "0123456789abcdeg"), ("console", "0123456789abcdef0")]]
    left = folder / f"mambridge-sandbox-{os.geteuid()}-0123456789abcdef"
    for place in [*own, left]:
        place.mkdir()
        (place / "notes").write_text("mine")
    (folder / f"mambridge-sandbox-{os.geteuid()}-fedcba9876543210").symlink_to(own[0])

    def is_removed() -> bool:
        with Client.spawn(binary, "sandbox", timeout=60):
            pass
        return not left.exists()

    # New folders are spared for two seconds.
    wait_for(is_removed, "what a killed sandbox would have left is gone")
    assert all((place / "notes").read_text() == "mine" for place in own)


def test_a_sandbox_without_a_place_for_its_folder_says_which_variable_names_one(binary: str, folder: Path) -> None:
    without = subprocess.run(
        ["unshare", "--mount", "sh", "-c", "mount -t tmpfs -o ro none /dev/shm && mount -t tmpfs -o ro none /tmp && exec \"$@\"", "sh",
         "env", "-u", "XDG_RUNTIME_DIR", "-u", "TMPDIR", binary, "sandbox"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    if "unshare" in without.stderr or "mount" in without.stderr:
        pytest.skip(f"no folders can be mounted here: {without.stderr.strip()}")
    assert without.returncode in (1, 78) and "Set XDG_RUNTIME_DIR to a folder of your own" in without.stderr, without.stderr


@pytest.mark.parametrize(("arguments", "status", "text"), [
    (["--seed", "nowhere"], 78, "there is no folder"),
    (["--seed", str(ROOT / "README.md")], 78, "is not a folder"),
    (["--seed", str(ROOT)], 78, "tenant.json"),
    (["--at", "yesterday"], 64, "--at must be a time"),
    (["--state", "x"], 64, "leave out --state"),
    (["--tenant", "sample"], 64, "--seed"),
    (["--clock", "manual"], 64, "--at"),
    (["--key-file", "x"], 64, "root secret"),
])
def test_a_sandbox_that_cannot_start_prints_the_reason(
    binary: str, folder: Path, arguments: "list[str]", status: int, text: str,
) -> None:
    run = subprocess.run(
        [binary, "sandbox", *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert run.returncode == status and text in run.stderr, run.stderr
    assert list(folder.iterdir()) == []


def test_a_replay_script_starts_the_same_program_with_the_same_options(binary: str, tmp_path: Path) -> None:
    answer = subprocess.run(
        [binary, "sandbox", "--seed=empty", "--app-id", "com.contoso.mail"], cwd=tmp_path, capture_output=True, text=True, timeout=60,
        input='{"jsonrpc":"2.0","id":1,"method":"sandbox.report"}\n')
    replay = json.loads(answer.stdout)["result"]["replay"]
    assert f'exec "${{MAMBRIDGE:-{binary}}}"' in replay and "'--app-id' 'com.contoso.mail'" in replay, replay
