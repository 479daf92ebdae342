"""scripts/setup and scripts/libraries, with programs in the place of apt, dpkg and sudo that write down what they are asked."""
from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from conftest import ROOT

OLD, NEW = "3.0.19-1~deb12u2", "3.0.22-1~deb12u2"
POLICY = """{package}:
  Installed: {installed}
  Candidate: {available}
  Version table:
 *** {installed} 100
        100 /var/lib/dpkg/status
"""
# Each program appends its name and arguments to `asked`. FAIL has a pattern of those that fail.
PROGRAM = """#!/bin/bash
asked="${0##*/} $*"
echo "$asked" >>"$PLACE/asked"
if [ -n "$FAIL" ] && [[ $asked =~ $FAIL ]]; then exit 100; fi
"""
ANSWERS = {
    "apt-get": "", "apt-cache": 'cat "$PLACE/policy"', "apt-config": "echo \"folder='$PLACE/lists'\"",
    "dpkg-query": "echo 'installed libssl-dev'; echo 'not-installed zlib1g-dev'", "id": 'echo "$USER_NUMBER"',
    "sudo": '[ "$*" = "-n true" ] || "${@:2}"', "swift": ""}


@dataclass
class Machine:
    folder: Path
    environment: "dict[str, str]" = field(default_factory=dict)

    def __post_init__(self) -> None:
        (self.folder / "bin").mkdir()
        (self.folder / "lists/partial").mkdir(parents=True)
        (self.folder / "lists/debian_Packages.lz4").touch()
        for name, answer in ANSWERS.items():
            program = self.folder / "bin" / name
            program.write_text(f"{PROGRAM}{answer}\n")
            program.chmod(0o755)
        self.environment = {
            **os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "PLACE": str(self.folder), "FAIL": "",
            "USER_NUMBER": "0"}
        self.offer(NEW)

    def offer(self, available: str) -> None:
        (self.folder / "policy").write_text(POLICY.format(package="libssl-dev", installed=OLD, available=available))

    def make_lists_old(self) -> None:
        os.utime(self.folder / "lists/partial", (1e9, 1e9))

    def run(self, **environment: str) -> str:
        """What scripts/setup says. It must not fail."""
        done = subprocess.run([ROOT / "scripts/setup"], env={**self.environment, **environment}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60)
        assert done.returncode == 0 and done.stdout == "", done.stderr
        return done.stderr

    @property
    def changes(self) -> "list[str]":
        """What apt-get was asked, without options."""
        file = self.folder / "asked"
        lines = [line.split() for line in file.read_text().splitlines()] if file.exists() else []
        return [" ".join(word for word in words[1:] if word in ("update", "install") or word.startswith("lib"))
                for words in lines if words[0] == "apt-get"]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_a_machine_without_newer_libraries_is_left_alone(machine: Machine) -> None:
    machine.offer(OLD)
    assert (machine.run(), machine.changes) == ("", [])


def test_an_older_version_is_not_taken(machine: Machine) -> None:
    machine.offer("3.0.11-1~deb12u2")
    assert (machine.run(), machine.changes) == ("", [])


@pytest.mark.parametrize("number", ["0", "1000"], ids=["root", "sudo"])
def test_a_newer_library_is_installed_without_reading_lists_again(number: str, machine: Machine) -> None:
    assert machine.run(USER_NUMBER=number) == f"setup: upgrading libssl-dev from {OLD} to {NEW}\n"
    assert machine.changes == ["install libssl-dev"]


@pytest.mark.parametrize("is_empty", [False, True], ids=["old", "empty"])
def test_lists_that_are_old_or_not_there_are_read_first(is_empty: bool, machine: Machine) -> None:
    if is_empty:
        (machine.folder / "lists/debian_Packages.lz4").unlink()
    else:
        machine.make_lists_old()
    machine.run()
    assert machine.changes == ["update", "install libssl-dev"]


def test_without_a_network_a_line_says_so_and_the_lists_of_before_count(machine: Machine) -> None:
    machine.make_lists_old()
    told = machine.run(FAIL="^apt-get .*")
    assert "apt could not read its lists, so a library may be behind" in told
    assert "apt could not upgrade libssl-dev: a release built here contains the older versions" in told
    assert machine.changes == ["update", "install libssl-dev"]


def test_without_root_a_line_names_the_command(machine: Machine) -> None:
    machine.make_lists_old()
    told = machine.run(USER_NUMBER="1000", FAIL="^sudo")
    assert told == "setup: these libraries are behind: libssl-dev. Install them as root: apt-get install libssl-dev\n"
    assert machine.changes == []


@pytest.mark.parametrize("available", [OLD, NEW])
def test_a_release_build_names_what_is_behind(available: str, machine: Machine) -> None:
    machine.offer(available)
    done = subprocess.run(
        ["bash", "-euc", f"set -o pipefail; . {ROOT}/scripts/libraries; report_outdated build"], env=machine.environment,
        capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stderr == (
        "" if available == OLD else
        f"build: this release contains libssl-dev {OLD}, and apt has {NEW}. Run scripts/setup, and build again\n")
    machine.make_lists_old()
    assert machine.changes == []
