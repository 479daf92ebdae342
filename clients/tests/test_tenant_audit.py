"""What is read from a store itself: `mambridge-tenant audit`, and `backup`."""
from __future__ import annotations

import json
import stat
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import ALICE
from tenants import Device, Service, service  # noqa: F401

ENROLL = "enrollmentManager.registerAndEnrollAccount"


def audit(service: Service, *options: str) -> "subprocess.CompletedProcess[str]":
    command = [service.program, "audit", "--store", f"sqlite:{service.store}", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)


def test_audit_prints_entries_while_the_service_runs_and_afterwards(
    binary: str, tenant_program: str, service: Service, tmp_path: Path
) -> None:
    device = Device(binary, tenant_program, tmp_path / "ca" / "ca.pem", tmp_path / "device", service.url)
    client = device.start(service.issuer.token())
    try:
        client.call(ENROLL, account=ALICE)
        rows = [line.split("\t") for line in audit(service).stdout.splitlines()]
        assert [row[2] for row in rows] == ["publish", "enroll"]
        assert rows[0][1] == "folder" and rows[1][4] == "done"
    finally:
        device.end()
    service.end()
    entries = [json.loads(line) for line in audit(service, "--json", "--action", "enroll").stdout.splitlines()]
    assert [entry["action"] for entry in entries] == ["enroll"]
    assert entries[0]["actor"] in entries[0]["subject"]
    assert audit(service, "--since", "2999-01-01").stdout == ""


@pytest.mark.parametrize("options, code, text", [
    (["--action", "enrol"], 64, 'there is no action "enrol". Known actions: enroll, leave'),
    (["--since", "yesterday"], 64, "--since"),
    (["--store", "sqlite:/none/store"], 78, "cannot open the store /none/store: No such file or directory"),
    (["--store", "file"], 64, "sqlite:PATH"),
])
def test_audit_reports_why_it_fails(tenant_program: str, options: "list[str]", code: int, text: str) -> None:
    command = [tenant_program, "audit", "--store", "sqlite:/none/store", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stdout) == (code, "") and text in done.stderr


def test_audit_of_a_missing_store_makes_no_file(tenant_program: str, tmp_path: Path) -> None:
    command = [tenant_program, "audit", "--store", f"sqlite:{tmp_path / 'store'}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 78 and "No such file or directory" in done.stderr, done
    assert list(tmp_path.iterdir()) == []


def backup(service: Service, copy: Path) -> "subprocess.CompletedProcess[str]":
    command = [service.program, "backup", str(copy), "--store", f"sqlite:{service.store}"]
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=False, umask=0)


@pytest.mark.parametrize("mode", [0o600, 0o640])
def test_a_backup_has_the_mode_and_the_entries_of_the_store(service: Service, tmp_path: Path, mode: int) -> None:
    service.store.chmod(mode)
    copy = tmp_path / "it's a copy"
    assert backup(service, copy).returncode == 0
    assert stat.S_IMODE(copy.stat().st_mode) == mode
    tables = [audit(replace(service, store=path)).stdout for path in (copy, service.store)]
    assert tables[0] and tables[0] == tables[1]
    again = backup(service, copy)
    assert again.returncode == 1 and "File exists" in again.stderr and "new file" in again.stderr
    assert [path.name for path in tmp_path.glob("it's*")] == [copy.name]


def test_backup_names_the_partial_file_of_a_killed_backup_and_leaves_it_alone(service: Service, tmp_path: Path) -> None:
    part = tmp_path / "copy.part"
    part.write_bytes(b"rest")
    done = backup(service, tmp_path / "copy")
    assert done.returncode == 1 and str(part) in done.stderr and "remove the file" in done.stderr
    assert part.read_bytes() == b"rest" and not (tmp_path / "copy").exists()


def test_a_backup_that_cannot_be_written_leaves_no_file(service: Service, tmp_path: Path) -> None:
    for copy, text in ((tmp_path / "none" / "copy", "No such file"), (tmp_path, "File exists")):
        done = backup(service, copy)
        assert done.returncode == 1 and text in done.stderr, done.stderr
    missing = backup(replace(service, store=tmp_path / "nothing"), tmp_path / "copy")
    assert missing.returncode == 78 and not (tmp_path / "copy").exists()
