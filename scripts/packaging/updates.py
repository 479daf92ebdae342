"""What Debian has of the libraries of a release: the newest version of each, and what its changelog says of it."""
from __future__ import annotations

import gzip
import os
import re
import subprocess
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cmp_to_key
from pathlib import Path

from linked import ROOT

KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
# Debian's words, from the least to the most.
URGENCIES = ("low", "medium", "high", "emergency", "critical")
ENTRY = re.compile(
    r"^\S+ \((?P<version>[^)]+)\) [^;\n]+; urgency=(?P<urgency>\w+).*?^ -- [^\n]*>  (?P<date>[^\n]+)", re.M | re.S)


class CannotTell(Exception):
    """Says why nothing can be said about the libraries, and what to do."""


@dataclass(frozen=True)
class Change:
    """An entry of the changelog of a package."""

    version: str
    urgency: str
    #: The day, such as 2026-10-21.
    date: str
    text: str

    @property
    def fixes(self) -> "list[str]":
        return re.findall(r"CVE-\d{4}-\d{4,}", self.text)


def run(*command: "str | Path", folder: "Path | None" = None) -> "subprocess.CompletedProcess[str]":
    """The texts of apt and git in English."""
    try:
        return subprocess.run(command, cwd=folder, env={**os.environ, "LC_ALL": "C"}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", timeout=600)
    except FileNotFoundError:
        raise CannotTell(f"{command[0]} is not installed. Run this on Debian, with apt and git") from None
    except subprocess.TimeoutExpired:
        raise CannotTell(f"{command[0]} did not end within 10 minutes. Try again") from None


def is_older(version: str, other: str) -> bool:
    return run("dpkg", "--compare-versions", version, "lt", other).returncode == 0


def by_age(version: str, other: str) -> int:
    return -1 if is_older(version, other) else int(version != other)


class Archive:
    """Lists of a release of Debian with its security updates, read anew into a folder of their own: the machine may have
    another release, and its lists may be old."""

    def __init__(self, folder: Path, release: str, architecture: str) -> None:
        self.folder = folder
        self.release = release
        self.architecture = architecture
        (folder / "sources").write_text(sources(release, architecture))
        (folder / "packages").mkdir()
        script = '. scripts/mirror; private_apt "$@"'
        self.options = run("bash", "-c", script, "bash", folder, architecture, folder=ROOT).stdout.splitlines()
        done = run("apt-get", "update", "-qq", *self.options)
        if done.returncode != 0:
            raise CannotTell(f"apt could not read the lists of {release}. Is the network there?\n{done.stderr.strip()}")

    def newest(self, package: str) -> str:
        lines = run("apt-cache", "madison", package, *self.options).stdout.splitlines()
        versions = [line.split("|")[1].strip() for line in lines if line.endswith(" Packages")]
        if not versions:
            raise CannotTell(f"{self.release} has no package {package} for {self.architecture}. "
                             "Name the release that it was built on with --release")
        return max(versions, key=cmp_to_key(by_age))

    def changes(self, package: str, linked: str, available: str) -> "list[Change]":
        """The entries of the changelog after `linked`, the newest first; none if the changelog cannot be read."""
        done = run("apt-get", "download", "-qq", f"{package}={available}", *self.options, folder=self.folder / "packages")
        files = list((self.folder / "packages").glob(f"{package}_*.deb"))
        if done.returncode != 0 or len(files) != 1:
            return []
        return [change for change in changelog(files[0], package) if is_older(linked, change.version)]


def sources(release: str, architecture: str) -> str:
    own = mirrors()
    missing = [name for name in ("", "-security") if name not in own]
    if missing:
        raise CannotTell(f"apt names no mirror for the {'security updates' if '' in own else 'release'} of this machine. "
                         "Add it to /etc/apt/sources.list.d, and run apt-get update")
    signed = f" signed-by={KEYS}" if KEYS.exists() else ""
    lines = [f"deb [arch={architecture}{signed}] {mirror} {release}{suite} main" for suite, mirror in own.items()]
    return "\n".join(lines) + "\n"


def mirrors() -> "dict[str, str]":
    """The mirrors of this machine's release, by what follows its name."""
    script = '. scripts/mirror; for suite in "" -security -updates; do echo "$suite=$(mirror_of "$(own_release)$suite")"; done'
    lines = run("bash", "-c", script, folder=ROOT).stdout.splitlines()
    return {suite: mirror for suite, _, mirror in (line.partition("=") for line in lines) if mirror}


def own_release() -> str:
    return run("bash", "-c", ". scripts/mirror; own_release", folder=ROOT).stdout.strip()


def changelog(package: Path, name: str) -> "list[Change]":
    unpacking = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], capture_output=True, timeout=60)
    command = ["tar", "-xO", f"./usr/share/doc/{name}/changelog.Debian.gz"]
    packed = subprocess.run(command, input=unpacking.stdout, capture_output=True, timeout=60).stdout
    return changes_in(packed)


def changes_in(packed: bytes) -> "list[Change]":
    """The entries of a packed changelog; none if it cannot be read."""
    try:
        text = gzip.decompress(packed).decode(errors="replace")
    except (OSError, EOFError):
        return []
    return [Change(match["version"], match["urgency"].lower(), day(match["date"]), match[0]) for match in ENTRY.finditer(text)]


def day(date: str) -> str:
    try:
        return parsedate_to_datetime(date).date().isoformat()
    except (TypeError, ValueError):
        return "unknown"
