"""A disk that is full: a clear error, and nothing lost. Needs a small file system of our own, which root may mount."""
from __future__ import annotations

import base64
import errno
import json
import os
import subprocess
from pathlib import Path
from typing import Iterator

import pytest
from conftest import ALICE
from mambridge import Client, MambridgeError

SIZE = 2 << 20


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder)], capture_output=True)
    if mount.returncode != 0:
        pytest.skip(f"no small disk can be mounted here: {mount.stderr.decode().strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def enrolled(client: Client) -> Client:
    client.call("enrollmentManager.registerAndEnrollAccount", account=ALICE)
    return client


def fill(disk: Path, free: int = 0) -> Path:
    """Leaves so many bytes free."""
    path = disk / "filling"
    space = os.statvfs(disk)
    path.write_bytes(bytes(space.f_bavail * space.f_frsize - free))
    return path


def expect_full(error: MambridgeError, path: Path) -> None:
    assert error.code == 5001 and "No space left" in error.message
    assert error.data["errno"] == errno.ENOSPC and error.data["path"] == str(path)
    assert "space" in error.data["hint"] and error.data["retryable"] is True


def test_file_pwrite_on_a_full_disk_leaves_the_content_and_succeeds_later(enrolled: Client, disk: Path) -> None:
    path = disk / "plan"
    handle = enrolled.call("file.create", path=str(path))["handle"]
    text = os.urandom(300_000)
    enrolled.call("file.pwrite", handle=handle, offset=0, data=text)
    filling = fill(disk, 100_000)
    more = os.urandom(600_000)
    with pytest.raises(MambridgeError) as caught:
        enrolled.call("file.pwrite", handle=handle, offset=len(text), data=more)
    expect_full(caught.value, path)
    assert enrolled.call("file.size", handle=handle) == len(text)
    assert base64.b64decode(enrolled.call("file.pread", handle=handle, offset=0, count=SIZE)) == text
    filling.unlink()
    enrolled.call("file.pwrite", handle=handle, offset=len(text), data=more)
    assert base64.b64decode(enrolled.call("file.pread", handle=handle, offset=0, count=SIZE)) == text + more


def test_encrypt_file_on_a_full_disk_leaves_the_file_unchanged(enrolled: Client, disk: Path) -> None:
    path = disk / "plan"
    text = os.urandom(900_000)
    path.write_bytes(text)
    filling = fill(disk, 400_000)
    with pytest.raises(MambridgeError) as caught:
        enrolled.call("fileProtectionManager.encryptFile", path=str(path), account=ALICE)
    expect_full(caught.value, path)
    assert path.read_bytes() == text and sorted(os.listdir(disk)) == ["filling", "plan"]
    filling.unlink()
    assert enrolled.call("fileProtectionManager.encryptFile", path=str(path), account=ALICE) is True
    assert path.read_bytes() != text


def test_files_write_on_a_full_disk_leaves_the_old_file(enrolled: Client, binary: str, state: str, disk: Path) -> None:
    path = disk / "plan"

    def write(text: bytes) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run([binary, "files", "write", str(path), "--state", state], input=text, capture_output=True)

    assert write(b"old").returncode == 0
    fill(disk, 100_000)
    failed = write(bytes(200_000))
    assert failed.returncode == 1
    assert b"5001" in failed.stderr and b"No space left" in failed.stderr and str(path).encode() in failed.stderr
    assert sorted(os.listdir(disk)) == ["filling", "plan"]
    shown = subprocess.run([binary, "files", "cat", str(path), "--state", state], capture_output=True)
    assert shown.stdout == b"old"


def test_a_state_on_a_full_disk_reports_an_error_and_loses_nothing(binary: str, disk: Path) -> None:
    command = [binary, "--tenant", "sample", "--state", str(disk / "state")]
    with Client.spawn(*command, timeout=60) as client:
        client.call("enrollmentManager.registerAndEnrollAccount", account=ALICE)
        secret = client.call("dataProtectionManager.protectString", string="figures", account=ALICE)
    filling = fill(disk)
    failed = subprocess.run(
        [binary, "call", *command[1:], "settings.set", json.dumps({"values": {"AccentColor": "#FF9500"}})],
        capture_output=True)
    error = json.loads(failed.stderr.splitlines()[-1])
    assert error["code"] == 6005 and "space" in error["data"]["hint"]
    filling.unlink()
    with Client.spawn(*command, timeout=60) as client:
        assert client.call("dataProtectionManager.unprotectString", string=secret) == "figures"
        client.call("settings.set", values={"AccentColor": "#FF9500"})


def test_calls_succeed_if_the_log_is_on_a_full_disk(binary: str, disk: Path) -> None:
    with Client.spawn(binary, "--tenant", "sample", "--state", str(disk / "state"), timeout=60) as client:
        client.call("enrollmentManager.registerAndEnrollAccount", account=ALICE)
        filling = fill(disk)
        for _ in range(50):
            client.call("diagnosticsLog.write", level="error", message="x" * 4000)
        assert client.call("policy.isPINRequired", account=ALICE) is True
        filling.unlink()
        client.call("diagnosticsLog.write", level="error", message="again")
        lines = [line["message"] for line in client.call("diagnosticsLog.query", limit=2)]
        assert lines[0] == "again" and "could not be written" in lines[1]


def test_calls_succeed_if_the_log_is_on_a_read_only_file_system(binary: str, disk: Path) -> None:
    command = [binary, "--tenant", "sample", "--state", str(disk / "state")]
    with Client.spawn(*command, timeout=60) as client:
        client.call("enrollmentManager.registerAndEnrollAccount", account=ALICE)
    logs = str(disk / "state" / "apps" / "com.example.host" / "logs")
    subprocess.run(["mount", "--bind", logs, logs], check=True)
    subprocess.run(["mount", "-o", "remount,ro,bind", logs], check=True)
    try:
        with Client.spawn(*command, timeout=60) as client:
            client.call("diagnosticsLog.write", level="error", message="lost")
            assert client.call("policy.isPINRequired", account=ALICE) is True
            subprocess.run(["umount", logs], check=True)
            client.call("diagnosticsLog.write", level="error", message="kept")
            lines = [line["message"] for line in client.call("diagnosticsLog.query", limit=2)]
            assert lines[0] == "kept" and "Read-only file system" in lines[1]
    finally:
        subprocess.run(["umount", "-l", logs], capture_output=True)


def test_a_log_export_to_a_full_disk_fails_and_leaves_no_file(
        enrolled: Client, disk: Path, tmp_path: Path) -> None:
    path = disk / "support.tar.gz"
    for _ in range(40):
        enrolled.call("diagnosticsLog.write", level="info", message=os.urandom(1500).hex())
    filling = fill(disk, 8192)
    with pytest.raises(MambridgeError) as caught:
        enrolled.call("diagnosticsLog.export", path=str(path))
    expect_full(caught.value, path)
    assert os.listdir(disk) == ["filling"]
    filling.unlink()
    assert enrolled.call("diagnosticsLog.export", path=str(path))["size"] > 8192


def test_diagnostics_on_a_full_disk_can_be_exported_to_another_disk(binary: str, disk: Path, tmp_path: Path) -> None:
    state = str(disk / "state")
    with Client.spawn(binary, "--tenant", "sample", "--state", state, timeout=60) as client:
        client.call("enrollmentManager.registerAndEnrollAccount", account=ALICE)
        fill(disk)
        path = tmp_path / "support.tar.gz"
        assert client.call("diagnosticsLog.export", path=str(path))["size"] == path.stat().st_size
    shown = subprocess.run([binary, "diagnostics", "--state", state], capture_output=True, text=True, check=True)
    assert ALICE in shown.stdout


def test_a_sandbox_on_a_full_disk_fails_with_a_hint_and_a_failed_save_or_restore_leaves_no_files(
    binary: str, disk: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    disk.chmod(0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(disk))
    with Client.spawn(binary, "sandbox", timeout=60) as mam:
        mam.enrollment_manager.register_and_enroll_account(ALICE)
        mam.sandbox.save("enrolled")
        filling = fill(disk, 12_000)
        files = sorted(disk.rglob("*"))
        for change in (
            lambda: mam.sandbox.save("more"), lambda: mam.sandbox.restore("enrolled"), lambda: mam.sandbox.reset(),
            lambda: mam.sandbox.export(str(disk / "out")),
        ):
            with pytest.raises(MambridgeError) as caught:
                change()
            assert caught.value.name == "diskFull" and "Free some space" in caught.value.data["hint"]
            assert sorted(disk.rglob("*")) == files
        with pytest.raises(MambridgeError) as caught:
            mam.sandbox.set_configuration("*", {"notes": "x" * 20_000})
        assert caught.value.name == "diskFull"
        filling.unlink()
        mam.sandbox.restore("enrolled")
        assert [account.identity for account in mam.enrollment_manager.enrolled_accounts()] == [ALICE]
    fill(disk)
    run = subprocess.run([binary, "sandbox"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert run.returncode == 78 and "No space left on device. Free some space in " in run.stderr, run.stderr
    assert [path.name for path in disk.iterdir()] == ["filling"]
