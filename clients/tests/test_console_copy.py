"""The copy of a state on which `mambridge console` works: what is in it, where it is, and what it leaves behind."""
from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import ALICE
from console_process import Console, command, contents, enroll, no_console_stays, runtime  # noqa: F401
from waiting import wait_for


def test_a_console_works_on_a_copy_with_accounts_and_keys_and_leaves_the_state_unchanged(
    binary: str, state: str, command: "list[str]", runtime: Path
) -> None:
    enroll(binary, state)
    sealed = subprocess.run(
        [binary, "call", "--tenant", "sample", "--state", state, "dataProtectionManager.protectString", "string=hello",
         f"account={ALICE}"], check=True, capture_output=True, text=True, timeout=60).stdout
    information = "diagnosticConsole.getDiagnosticInformation"
    original = subprocess.run([binary, "call", "--tenant", "sample", "--state", state, information], check=True,
                              capture_output=True, text=True, timeout=60).stdout
    before = contents(state)
    console = Console([*command, "--no-open"], runtime)
    copies = list(runtime.iterdir())
    assert len(copies) == 1 and stat.S_IMODE(copies[0].stat().st_mode) == 0o700
    assert console.call("dataProtectionManager.unprotectString", string=json.loads(sealed)) == "hello"
    tag = console.call(information)["deviceTag"]
    assert tag and json.loads(original)["deviceTag"] not in (None, tag), "a copy is another device"
    console.call("debug.setPolicy", settings={"printBlocked": True})
    assert console.call("enforcement.isActionAllowed", action="print", account=ALICE) is False
    console.call("debug.advanceClock", by="P91D")
    console.call("enrollmentManager.deRegisterAndUnenrollAccount", account=ALICE, withWipe=True)
    assert console.call("enrollmentManager.enrolledAccounts") == []
    console.end()
    assert console.process.returncode == 0 and list(runtime.iterdir()) == []
    assert contents(state) == before


def test_a_wipe_in_a_copy_of_the_state_leaves_protected_files_unchanged(
    binary: str, state: str, command: "list[str]", runtime: Path, tmp_path: Path
) -> None:
    enroll(binary, state)
    file = tmp_path / "owned.txt"
    file.write_text("mine")
    subprocess.run(
        [binary, "call", "--tenant", "sample", "--state", state, "fileProtectionManager.protect", f"path={file}",
         f"account={ALICE}"], check=True, capture_output=True, timeout=60)
    before = file.read_bytes()
    console = Console([*command, "--no-open"], runtime)
    console.call("enrollmentManager.deRegisterAndUnenrollAccount", account=ALICE, withWipe=True)
    console.end()
    assert file.read_bytes() == before


def test_a_new_console_removes_the_copy_that_a_killed_console_left(
    binary: str, state: str, command: "list[str]", runtime: Path
) -> None:
    enroll(binary, state)
    killed = Console([*command, "--no-open"], runtime)
    running = Console([*command, "--no-open"], runtime)
    assert len(list(runtime.iterdir())) == 2, "a console in use keeps its copy"
    killed.kill()
    left = set(runtime.iterdir())
    # A console leaves a folder alone until it is a second old, because its owner may not have locked it yet.
    newest = max(folder.stat().st_ctime for folder in left)
    while time.time() < newest + 2:
        time.sleep(0.05)
    following = Console([*command, "--no-open"], runtime)
    # A console looks for what is left after it has begun to answer.
    wait_for(lambda: len(left & set(runtime.iterdir())) == 1, "only the copy of the running console is left")
    assert running.call("policyManager.isIdentityManaged", account=ALICE) is True
    for console in running, following:
        console.end()
    assert list(runtime.iterdir()) == []


@pytest.mark.parametrize("place", ["stick/key", "state/keys/root.key"])
def test_a_console_uses_the_root_secret_without_copying_it(
    binary: str, tmp_path: Path, state: str, command: "list[str]", runtime: Path, place: str
) -> None:
    key = tmp_path / place if place.startswith("stick") else Path(state) / "keys" / "root.key"
    if place.startswith("stick"):
        key.parent.mkdir(mode=0o700)
        subprocess.run(
            [binary, "call", "--tenant", "sample", "--state", state, "--key-file", key,
             "enrollmentManager.registerAndEnrollAccount", f"account={ALICE}"], check=True, capture_output=True,
            timeout=60)
    else:
        enroll(binary, state)
    secret = key.read_bytes()
    console = Console([*command, "--no-open", "--key-file", str(key)], runtime)
    sealed = console.call("dataProtectionManager.protectString", string="hello", account=ALICE)
    assert console.call("dataProtectionManager.unprotectString", string=sealed) == "hello"
    files = [file for file in runtime.rglob("*") if file.is_file()]
    assert any(file.name == "store.key" for file in files)
    assert not any(secret in file.read_bytes() for file in files)
    assert console.end() and key.read_bytes() == secret


def test_a_console_prefers_memory_for_its_copy_and_says_if_the_copy_is_on_a_disk(
    binary: str, state: str, command: "list[str]", tmp_path: Path
) -> None:
    enroll(binary, state)
    temporary = tmp_path / "temporary"
    temporary.mkdir(mode=0o700)
    console = Console([*command, "--no-open"], tmp_path / "missing", TMPDIR=str(temporary))
    [copy] = console.copies()
    assert copy.parent in (Path("/dev/shm"), temporary)
    assert ("it is on a disk, in " in console.end()) == (copy.parent == temporary)
    assert not copy.exists() and not list(temporary.iterdir())


def test_a_console_puts_no_copy_into_a_folder_that_other_users_can_replace(
    binary: str, state: str, command: "list[str]", tmp_path: Path
) -> None:
    enroll(binary, state)
    shared = tmp_path / "shared"
    (shared / "mine").mkdir(parents=True, mode=0o700)
    shared.chmod(0o777)
    runtime = shared / "mine"
    console = Console([*command, "--no-open"], runtime)
    assert list(runtime.iterdir()) == []
    console.end()
    trusting = Console([*command, "--no-open", "--trust-parents"], runtime)
    assert len(list(runtime.iterdir())) == 1
    trusting.end()
    assert list(runtime.iterdir()) == []


def test_console_reports_a_damaged_state(binary: str, state: str, command: "list[str]", runtime: Path) -> None:
    enroll(binary, state)
    for suffix in "-wal", "-shm":
        Path(f"{state}/device.db{suffix}").unlink(missing_ok=True)
    Path(f"{state}/device.db").write_text("this is no database\n" * 300)
    run = subprocess.run(
        [*command, "--no-open"], capture_output=True, text=True, timeout=60,
        env={**os.environ, "XDG_RUNTIME_DIR": str(runtime)})
    assert run.returncode == 1 and "damaged" in run.stderr and run.stdout == "", run
    assert list(runtime.iterdir()) == []


SOURCE = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    open(sys.argv[1], "a").write(line)
    params, result = message.get("params", {}), None
    if message["method"] == "source.open":
        result = {"protocolVersion": 1}
    elif message["method"] == "source.checkIn":
        result = {"outcome": "delivered", "policies": [], "user": {
            "id": "87d349ed-44d7-43e1-9a83-5f2406dee5bd", "tenantId": "6babcaad-604b-40ac-a9d7-9fd97c0b779f",
            "userPrincipalName": params["account"]["identity"]}}
    if "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


@pytest.mark.parametrize("isLive", [False, True])
def test_a_console_on_a_copy_sends_source_leave_for_its_registrations_when_it_ends(
    binary: str, state: str, runtime: Path, tmp_path: Path, isLive: bool
) -> None:
    (tmp_path / "source.py").write_text(SOURCE)
    asked = tmp_path / "asked"
    command = [
        binary, "console", "--no-open", "--state", state, "--tenant",
        f"exec:{sys.executable} {tmp_path}/source.py {asked}"]
    console = Console([*command, *(["--live"] if isLive else [])], runtime)
    console.call("enrollmentManager.registerAndEnrollAccount", account=ALICE)
    console.end()
    messages = [json.loads(line) for line in asked.read_text().splitlines()]

    def registrations(method: str) -> "set[str]":
        return {each["params"]["registration"]["id"] for each in messages if each["method"] == method}

    assert len(registrations("source.checkIn")) == 1
    assert registrations("source.leave") == (set() if isLive else registrations("source.checkIn"))


def test_a_state_is_copied_while_another_process_changes_it(
    binary: str, state: str, command: "list[str]", runtime: Path
) -> None:
    enroll(binary, state)
    busy = subprocess.Popen(
        ["sh", "-c", 'while "$0" call --state "$1" device.set model="x$((n+=1))"; do sleep 0.2; done', binary, state],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        for _ in range(3):
            console = Console([*command, "--no-open"], runtime)
            assert console.call("policyManager.isIdentityManaged", account=ALICE) is True
            console.end()
        assert busy.poll() is None
    finally:
        os.killpg(busy.pid, signal.SIGKILL)
        busy.wait()
