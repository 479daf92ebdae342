"""scripts/cross with an empty table: what it keeps, removes and waits for. test_arm64.py tries what it makes."""
from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT

TABLE = "use\tpackage\tarchitecture\tversion\tsha256\n"
OF_TABLE = f"arm64-{hashlib.sha256(TABLE.encode()).hexdigest()[:12]}"
DAY = 86_400


@pytest.fixture
def place(tmp_path: Path) -> Path:
    if not shutil.which("dpkg") or subprocess.run(["dpkg", "--print-architecture"], capture_output=True).stdout != b"amd64\n":
        pytest.skip("only Debian for amd64 can build for arm64")
    (tmp_path / "scripts").mkdir()
    for name in ("cross", "mirror"):
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts" / name)
    (tmp_path / "scripts/cross.tsv").write_text(TABLE)
    (tmp_path / "toolchains" / OF_TABLE).mkdir(parents=True)
    return tmp_path


def run(place: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [place / "scripts/cross"], env={**os.environ, "MAMBRIDGE_TOOLCHAINS": str(place / "toolchains")}, capture_output=True,
        text=True, timeout=60)


def make_old(folder: Path, days: int) -> None:
    folder.mkdir(exist_ok=True)
    time = folder.stat().st_mtime - days * DAY
    os.utime(folder, (time, time))


def test_folders_of_other_tables_are_removed_two_weeks_after_their_last_use(place: Path) -> None:
    toolchains = place / "toolchains"
    make_old(toolchains / OF_TABLE, 100)
    make_old(toolchains / "arm64-unused", 16)
    make_old(toolchains / "arm64-used", 13)
    make_old(toolchains / "arm64-interrupted.new", 0)
    (toolchains / "packages").mkdir()
    (toolchains / "packages/0.deb").touch()
    (toolchains / "packages/1.new").touch()
    done = run(place)
    assert done.returncode == 0 and done.stdout == f"{toolchains / OF_TABLE}\n", done.stderr
    assert {path.name for path in toolchains.iterdir()} == {OF_TABLE, "arm64-used", "packages", "lock"}
    assert [path.name for path in (toolchains / "packages").iterdir()] == ["0.deb"]


def test_a_lock_that_nobody_returns_ends_with_a_sentence(place: Path) -> None:
    script = place / "scripts/cross"
    script.write_text(script.read_text().replace("WAIT_SECONDS=3600", "WAIT_SECONDS=1"))
    with open(place / "toolchains/lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = run(place)
    assert done.returncode == 1 and done.stdout == ""
    assert "waiting for another scripts/cross" in done.stderr and "another process has locked" in done.stderr
