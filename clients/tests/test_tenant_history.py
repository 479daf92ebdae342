"""`mambridge-tenant history`: the editions of a tenant, what changed between two, and the way back."""
from __future__ import annotations

import fcntl
import json
import os
import pty
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from administrators import READER, WRITER
from tenants import Authority, Issuer, Service, TenantFolder, service  # noqa: F401


def history(service: Service, *options: str) -> "subprocess.CompletedProcess[str]":
    command = [service.program, "history", "--store", f"sqlite:{service.store}", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)


def editions(service: Service) -> "list[dict]":
    return [json.loads(line) for line in history(service, "--json").stdout.splitlines()]


def wait_for(service: Service, count: int) -> None:
    end = time.monotonic() + 60
    while len(editions(service)) < count and time.monotonic() < end:
        time.sleep(0.1)
    assert len(editions(service)) == count


def test_history_lists_compares_and_restores_editions_while_the_service_runs(service: Service, tmp_path: Path) -> None:
    policy = tmp_path / "tenant" / "policy.json"
    before = policy.read_bytes()
    assert [edition["actor"] for edition in editions(service)] == ["folder"]
    service.folder.write_policy(8)
    wait_for(service, 2)
    assert history(service).stdout.startswith("EDITION")
    difference = history(service, "--diff", "1", "2")
    assert difference.returncode == 0 and "tighter: 1 user, " in difference.stdout, difference
    assert history(service, "--diff", "1", "1").stdout == "no decision changes\n"
    restored = history(service, "--folder", str(tmp_path / "tenant"), "--restore", "1", "--yes")
    assert restored.returncode == 0 and restored.stdout == "edition 1 is back, as edition 3\n", restored
    assert policy.read_bytes() == before
    assert [edition["actor"] for edition in editions(service)] == ["history", "folder", "folder"]
    # The service has nothing to add to that.
    service.end()
    assert len(editions(service)) == 3


@pytest.mark.parametrize("options, code, text", [
    (["--diff", "1"], 64, "--diff needs two editions"),
    (["--diff", "1", "99"], 78, "there is no edition 99"),
    (["--restore", "1"], 64, "--restore needs a confirmation"),
    (["--restore", "1", "--yes"], 64, "--restore needs --folder"),
    (["--restore", "99", "--yes", "--folder", "."], 78, "there is no edition 99"),
])
def test_history_reports_why_it_fails(service: Service, options: "list[str]", code: int, text: str) -> None:
    done = history(service, *options)
    assert (done.returncode, done.stdout) == (code, "") and text in done.stderr, done


def test_a_restore_that_waits_for_confirmation_does_not_lock_the_folder(service: Service, tmp_path: Path) -> None:
    service.folder.write_policy(8)
    wait_for(service, 2)
    command = [service.program, "history", "--store", f"sqlite:{service.store}", "--folder", str(tmp_path / "tenant"), "--restore", "1"]
    for is_changed, code in [(True, 1), (False, 0)]:
        terminal, end = pty.openpty()
        with subprocess.Popen(command, stdin=end, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as asked:
            os.close(end)
            assert asked.stderr
            said = ""
            while "[y/N]" not in said:
                letter = asked.stderr.read(1)
                assert letter, said
                said += letter
            parent = os.open(tmp_path, os.O_RDONLY)
            fcntl.flock(parent, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.close(parent)
            if is_changed:
                service.folder.write_policy(9)
            os.write(terminal, b"y\n")
            out, rest = asked.communicate(timeout=60)
        os.close(terminal)
        assert asked.returncode == code, (out, rest)
        assert ("others change the tenant's folder; nothing was changed" in rest) == is_changed


AUDITOR = "Audit.Read"


class Remote:
    """A service whose history is read by its address."""

    def __init__(self, program: str, folder: Path) -> None:
        self.authority, self.issuer = Authority(folder / "ca"), Issuer(folder / "issuer")
        self.service = Service(
            program, TenantFolder(folder / "tenant"), self.issuer, self.authority.sign("service"), folder / "store",
            ["--audit-role", AUDITOR]).start()

    def history(self, *options: str, role: str = AUDITOR) -> "subprocess.CompletedProcess[str]":
        token = self.issuer.token(roles=[role])
        command = [
            self.service.program, "history", self.service.url, "--token-command", f"echo {token}",
            "--ca", str(self.authority.path), *options]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)

    def close(self) -> None:
        self.service.kill()
        self.issuer.close()


@pytest.fixture
def remote(tenant_program: str, tmp_path: Path) -> "Iterator[Remote]":
    made = Remote(tenant_program, tmp_path)
    yield made
    made.close()


def test_prints_the_same_over_https(remote: Remote) -> None:
    remote.service.folder.write_policy(8)
    wait_for(remote.service, 2)
    for options in [[], ["--json"], ["--changes", "1"], ["--changes", "2"], ["--diff", "1", "2"], ["--diff", "2", "2"]]:
        there, here = remote.history(*options), history(remote.service, *options)
        assert (there.returncode, there.stdout) == (0, here.stdout) and here.stdout, (options, there, here)
    assert "minimumPinLength: 6 -> 8" in remote.history("--changes", "2").stdout


@pytest.mark.parametrize("options, role, code, text", [
    ([], READER, 77, "--audit-role"),
    (["--diff", "1", "1"], WRITER, 77, "Audit.Read"),
    (["--changes", "9"], AUDITOR, 1, "There is no edition 9"),
    (["--restore", "1", "--yes"], AUDITOR, 64, "--restore works on the store itself"),
    (["--store", "sqlite:store"], AUDITOR, 64, "either the address of a service or --store"),
    (["--changes", "1", "--diff", "1", "1"], AUDITOR, 64, "only one of"),
])
def test_says_over_https_what_is_wrong(remote: Remote, options: "list[str]", role: str, code: int, text: str) -> None:
    done = remote.history(*options, role=role)
    assert (done.returncode, done.stdout) == (code, "") and text in done.stderr, done
