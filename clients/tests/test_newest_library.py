"""scripts/packaging/newest.py says of which day the newest library of a program is."""
from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

ENTRY = "{name} (1-{number}) stable; urgency=medium\n\n  * Fix.\n\n -- A <a@debian.example>  {day} 23:30:00 -0400\n\n"
DAYS = {"libssl-dev": ["Wed, 21 Oct 2026", "Mon, 04 May 2026"], "libc6-dev": ["Mon, 27 Apr 2026"]}


@pytest.fixture
def system(tmp_path: Path) -> Path:
    """A system with two packages, and a program in it that was linked from them."""
    records = tmp_path / "var/lib/dpkg"
    (records / "info").mkdir(parents=True)
    (records / "updates").mkdir()
    library = tmp_path / "usr/lib/x86_64-linux-gnu"
    library.mkdir(parents=True)
    for name, file in {"libssl-dev": "libcrypto.a", "libc6-dev": "crt1.o"}.items():
        (library / file).touch()
        (records / f"info/{name}.list").write_text(f"/usr/lib/x86_64-linux-gnu/{file}\n")
        with open(records / "status", "a") as status:
            status.write(f"Package: {name}\nStatus: install ok installed\nVersion: 1-2\nArchitecture: amd64\nMaintainer: A\n"
                         "Description: b\n\n")
        changelog = tmp_path / "usr/share/doc" / name / "changelog.Debian.gz"
        changelog.parent.mkdir(parents=True)
        entries = [ENTRY.format(name=name, number=2 - place, day=day) for place, day in enumerate(DAYS[name])]
        changelog.write_bytes(gzip.compress("".join(entries).encode()))
    (tmp_path / "linked-files").write_text(
        " \\\n".join(["mambridge:", *(f"  {library / file}" for file in ("libcrypto.a", "crt1.o"))]) + "\n\n")
    return tmp_path


def run(system: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, ROOT / "scripts/packaging/newest.py", system / "linked-files"], capture_output=True,
                          text=True, timeout=60, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})


def test_the_day_is_that_of_the_newest_entry_as_it_is_written(system: Path) -> None:
    done = run(system)
    assert (done.returncode, done.stdout, done.stderr) == (0, "20261021\n", "")


@pytest.mark.parametrize(
    "content", [None, b"no changelog", gzip.compress(b"no entry", mtime=0)], ids=["none", "text", "no entry"])
def test_without_a_changelog_there_is_no_day_and_a_line_says_why(content: "bytes | None", system: Path) -> None:
    path = system / "usr/share/doc/libc6-dev/changelog.Debian.gz"
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    done = run(system)
    assert (done.returncode, done.stdout) == (0, "") and "no changelog of libc6-dev is installed" in done.stderr
