"""scripts/security compares a program with an archive in a folder, made of small packages with changelogs."""
from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

OLD, NEW = "3.0.19-1~deb12u2", "3.0.22-1~deb12u2"
ENTRY = """openssl ({version}) {suite}; urgency={urgency}

  * {text}

 -- Somebody <somebody@debian.example>  {day} 10:00:00 +0000

"""
CHANGELOG = "".join([
    ENTRY.format(version=NEW, suite="bookworm-security", urgency="medium", text="CVE-2026-20001 and\n    CVE-2026-3000",
                 day="Wed, 21 Oct 2026"),
    ENTRY.format(version="3.0.20-1~deb12u1", suite="bookworm", urgency="high", text="CVE-2026-9076", day="Mon, 04 May 2026"),
    ENTRY.format(version=OLD, suite="bookworm-security", urgency="critical", text="CVE-2025-1111", day="Thu, 01 Jan 2026")])
UNRELEASED = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A method.\n"
APT = """Dir::Etc::sourcelist "{folder}/sources";
Dir::Etc::sourceparts "/dev/null";
Dir::State::lists "{folder}/lists";
Dir::Cache "{folder}/cache";
Acquire::AllowInsecureRepositories "true";
APT::Get::AllowUnauthenticated "true";
"""


@dataclass
class Place:
    """A checkout with the script, a program, and an archive of the release of this machine with its security updates."""

    folder: Path
    release: str
    architecture: str

    @property
    def checkout(self) -> Path:
        return self.folder / "checkout"

    @property
    def program(self) -> Path:
        return self.folder / "bin/mambridge"

    @property
    def sbom(self) -> Path:
        return self.folder / "mambridge.cdx.json"

    def add_program(self, versions: "dict[str, str]", packages: "dict[str, str]") -> None:
        """One that prints these works, and its SBOM, which names a package and its version for each."""
        works = [{"name": name, "version": version} for name, version in {"Swift": "6.3.1", **versions}.items()]
        self.program.parent.mkdir(exist_ok=True)
        about = json.dumps({"version": "0.2.0", "works": works})
        self.program.write_text(f"#!/bin/sh\n[ \"$*\" = 'about --json' ] && echo '{about}'\n")
        self.program.chmod(0o755)
        digest = hashlib.sha256(self.program.read_bytes()).hexdigest()
        components = [{"name": name, "properties": [{"name": "debian:package", "value": package}]}
                      for name, package in packages.items()]
        self.sbom.write_text(json.dumps(
            {"metadata": {"component": {"hashes": [{"content": digest}]}}, "components": components}))

    def add_suite(self, suite: str, packages: "dict[str, str]", changelog: str = "") -> None:
        root = self.folder / "archive"
        pool = root / "pool" / suite
        index = root / "dists" / suite / f"main/binary-{self.architecture}"
        for folder in (pool, index):
            folder.mkdir(parents=True)
        for name, version in packages.items():
            self.make_package(pool / f"{name}.deb", name, version, changelog)
        (index / "Packages").write_text(command("apt-ftparchive", "packages", f"pool/{suite}", folder=root))
        fields = [f"-oAPT::FTPArchive::Release::{field}" for field in (
            f"Codename={suite}", f"Suite={suite}", "Components=main", f"Architectures={self.architecture}")]
        told = command("apt-ftparchive", *fields, "release", f"dists/{suite}", folder=root)
        (root / "dists" / suite / "Release").write_text(told)
        with open(self.folder / "sources", "a") as sources:
            sources.write(f"deb [trusted=yes] file:{root} {suite} main\n")

    def make_package(self, path: Path, name: str, version: str, changelog: str) -> None:
        content = self.folder / "content"
        documents = content / "usr/share/doc" / name
        documents.mkdir(parents=True)
        (content / "DEBIAN").mkdir()
        (content / "DEBIAN/control").write_text(
            f"Package: {name}\nVersion: {version}\nArchitecture: {self.architecture}\nMaintainer: A <a@debian.example>\n"
            "Description: a library\n")
        if changelog:
            (documents / "changelog.Debian.gz").write_bytes(gzip.compress(changelog.encode()))
        command("dpkg-deb", "--root-owner-group", "-Znone", "--build", str(content), str(path), folder=self.folder)
        shutil.rmtree(content)

    def update(self) -> None:
        """As an administrator does before."""
        command("apt-get", "update", "-qq", folder=self.folder, environment=self.environment)

    @property
    def environment(self) -> "dict[str, str]":
        return {**os.environ, "APT_CONFIG": str(self.folder / "apt.conf"), "GIT_AUTHOR_NAME": "A", "GIT_COMMITTER_NAME": "A",
                "GIT_AUTHOR_EMAIL": "a@contoso.example", "GIT_COMMITTER_EMAIL": "a@contoso.example", "COLUMNS": "80"}

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([self.checkout / "scripts/security", *arguments, self.program], env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=120)

    def compare(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return self.run("--sbom", str(self.sbom), *arguments)

    def git(self, *arguments: str) -> str:
        return command("git", *arguments, folder=self.checkout, environment=self.environment)


def command(*words: str, folder: Path, environment: "dict[str, str] | None" = None) -> str:
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def place(tmp_path: Path) -> Place:
    for tool in ("apt-ftparchive", "dpkg-deb"):
        if not shutil.which(tool):
            pytest.skip(f"{tool} is not installed: run scripts/toolchains")
    architecture = command("dpkg", "--print-architecture", folder=tmp_path).strip()
    release = command("sh", "-c", '. /etc/os-release; echo "$VERSION_CODENAME"', folder=tmp_path).strip()
    made = Place(tmp_path, release, architecture)
    (tmp_path / "apt.conf").write_text(APT.format(folder=tmp_path))
    for name in ("lists/partial", "cache/archives/partial"):
        (tmp_path / name).mkdir(parents=True)
    packaging = made.checkout / "scripts/packaging"
    packaging.mkdir(parents=True)
    for name in ("security", "mirror", "packaging/updates.py", "packaging/linked.py"):
        shutil.copy(ROOT / "scripts" / name, made.checkout / "scripts" / name)
    (made.checkout / "CHANGELOG.md").write_text(f"{UNRELEASED}\n## [0.2.0]\n\n- All.\n")
    made.git("init", "-q")
    made.git("add", ".")
    made.git("commit", "-q", "-m", "begin")
    return made


@pytest.fixture
def behind(place: Place) -> Place:
    """Where OpenSSL has an update, and jansson has none."""
    packages = {"OpenSSL": f"libssl-dev {OLD}", "jansson": "libjansson-dev 2.14-2"}
    place.add_program({"OpenSSL": "3.0.19", "jansson": "2.14"}, packages)
    place.add_suite(place.release, {"libssl-dev": OLD, "libjansson-dev": "2.14-2"})
    place.add_suite(f"{place.release}-security", {"libssl-dev": NEW}, CHANGELOG)
    place.update()
    return place


def libraries(done: "subprocess.CompletedProcess[str]") -> "dict[str, Any]":
    return {one["name"]: one for one in json.loads(done.stdout)["libraries"]}


def test_the_json_output_lists_an_update_with_its_urgency_and_fixed_cves(behind: Place) -> None:
    done = behind.compare("--json")
    assert done.returncode == 1, done.stderr
    assert libraries(done) == {
        "OpenSSL": {
            "name": "OpenSSL", "package": "libssl-dev", "linked": OLD, "available": NEW, "isBehind": True, "urgency": "high",
            "since": "2026-05-04", "fixes": ["CVE-2026-3000", "CVE-2026-9076", "CVE-2026-20001"]},
        "jansson": {
            "name": "jansson", "package": "libjansson-dev", "linked": "2.14-2", "available": "2.14-2", "isBehind": False,
            "urgency": "-", "since": "-", "fixes": []}}
    assert json.loads(done.stdout)["notCompared"] == ["Swift 6.3.1"]


def test_the_table_lists_an_update_with_its_urgency_and_fixed_cves(behind: Place) -> None:
    done = behind.compare()
    assert done.returncode == 1, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[:3] == [
        ["LIBRARY", "PACKAGE", "LINKED", "AVAILABLE", "URGENCY", "SINCE"],
        ["OpenSSL", "libssl-dev", OLD, NEW, "high", "2026-05-04"],
        ["jansson", "libjansson-dev", "2.14-2", "2.14-2", "-", "-"]]
    assert f"libssl-dev {NEW} fixes CVE-2026-3000, CVE-2026-9076, CVE-2026-20001.\n" in done.stdout
    assert "Not from Debian, so not compared: Swift 6.3.1.\n" in done.stdout


def test_security_exits_with_0_and_makes_no_branch_if_every_library_is_current(place: Place) -> None:
    place.add_program({"zlib": "1.2.13"}, {"zlib": "zlib1g-dev 1:1.2.13.dfsg-1"})
    place.add_suite(place.release, {"zlib1g-dev": "1:1.2.13.dfsg-1"})
    place.add_suite(f"{place.release}-security", {"other": "1"})
    place.update()
    done = place.compare("--branch")
    assert done.returncode == 0, done.stderr
    assert place.git("branch", "--list", "security/*") == ""


def test_the_urgency_is_unknown_without_a_changelog(place: Place) -> None:
    # As texts, 10 is before 9.
    place.add_program({"zlib": "1.2.13"}, {"zlib": "zlib1g-dev 1:1.2.13.dfsg-9"})
    place.add_suite(place.release, {"zlib1g-dev": "1:1.2.13.dfsg-9"})
    place.add_suite(f"{place.release}-security", {"zlib1g-dev": "1:1.2.13.dfsg-10"})
    place.update()
    done = place.compare("--json")
    assert done.returncode == 1, done.stderr
    found = libraries(done)["zlib"]
    assert (found["available"], found["urgency"], found["since"]) == ("1:1.2.13.dfsg-10", "unknown", "unknown")
    assert found["fixes"] == []


# The branch

def test_the_security_branch_adds_a_changelog_entry_and_leaves_the_checkout_unchanged(behind: Place) -> None:
    (behind.checkout / "note").write_text("not committed")
    done = behind.compare("--branch")
    branch = f"security/{date.today().isoformat()}"
    assert done.returncode == 1 and f"The branch {branch} has" in done.stdout, done.stderr
    assert behind.git("diff", "--name-only", f"HEAD..{branch}") == "CHANGELOG.md\n"
    text = behind.git("show", f"{branch}:CHANGELOG.md")
    assert text.startswith(f"{UNRELEASED}\n### Security\n\n- mambridge contains OpenSSL")
    assert text.endswith("\n\n## [0.2.0]\n\n- All.\n") and "CVE-2026-9076" in text and max(map(len, text.splitlines())) <= 120
    message = behind.git("log", "-1", "--format=%B", branch)
    assert f"libssl-dev: {OLD} -> {NEW}, urgency high" in message and "Nothing pins" in message
    assert behind.git("status", "--porcelain") == "?? note\n" and len(behind.git("worktree", "list").splitlines()) == 1

    again = behind.compare("--branch")
    assert again.returncode == 2 and "already exists" in again.stderr


def test_a_worktree_that_git_cannot_remove_changes_nothing_of_the_branch(behind: Place) -> None:
    (behind.folder / "git").mkdir()
    git = behind.folder / "git/git"
    git.write_text(f'#!/bin/sh\n[ "$1 $2" != "worktree remove" ] || exit 1\nexec {shutil.which("git")} "$@"\n')
    git.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{git.parent}:{os.environ['PATH']}")
        done = behind.compare("--branch")
    assert done.returncode == 1 and "The branch security/" in done.stdout, done.stderr
    assert len(behind.git("worktree", "list").splitlines()) == 1


def test_a_commit_that_fails_leaves_no_branch(behind: Place) -> None:
    hook = behind.checkout / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho the hook refuses >&2\nexit 1\n")
    hook.chmod(0o755)
    done = behind.compare("--branch")
    assert done.returncode == 2 and "the hook refuses" in done.stderr
    assert behind.git("branch", "--list", "security/*") == "" and len(behind.git("worktree", "list").splitlines()) == 1


def test_help_says_what_each_option_does(behind: Place) -> None:
    told = behind.run("--help").stdout
    text = " ".join(told.split())
    assert all(said in text for said in ("print the comparison as JSON", "in place of linked-files", "such as bookworm"))


@pytest.mark.parametrize(("script", "code"), [
    (f"sed -i 's/{OLD}/{NEW}/' scripts/cross.tsv", 1), ("echo the mirror is gone >&2; exit 77", 2)])
def test_the_security_branch_pins_the_new_packages_in_cross_tsv(script: str, code: int, behind: Place) -> None:
    (behind.checkout / "scripts/cross.tsv").write_text(f"use\tpackage\ntarget\tlibssl-dev\tarm64\t{OLD}\t0\n")
    (behind.checkout / "scripts/cross").write_text(f'#!/bin/sh\nset -e; [ "$1" = --pin ]; cd "$(dirname "$0")/.."\n{script}\n')
    (behind.checkout / "scripts/cross").chmod(0o755)
    behind.git("add", ".")
    behind.git("commit", "-q", "-m", "pin")
    done = behind.compare("--branch")
    assert done.returncode == code, done.stderr
    branches = behind.git("branch", "--list", "security/*", "--format=%(refname:short)").split()
    if code == 1:
        assert behind.git("diff", "--name-only", f"HEAD..{branches[0]}").split() == ["CHANGELOG.md", "scripts/cross.tsv"]
    else:
        assert branches == [] and "the mirror is gone" in done.stderr
    assert behind.git("status", "--porcelain") == ""


# What cannot be told

def test_security_fails_if_apt_cannot_read_the_package_lists(behind: Place) -> None:
    (behind.folder / f"archive/dists/{behind.release}-security/Release").unlink()
    shutil.rmtree(behind.folder / f"archive/dists/{behind.release}-security/main")
    done = behind.compare()
    assert done.returncode == 2 and "apt could not read the lists" in done.stderr and done.stdout == ""


def test_security_fails_with_a_hint_if_the_machine_has_no_mirror_for_security_updates(place: Place) -> None:
    place.add_program({"zlib": "1.2.13"}, {"zlib": "zlib1g-dev 1:1.2.13.dfsg-1"})
    place.add_suite(place.release, {"zlib1g-dev": "1:1.2.13.dfsg-1"})
    place.update()
    done = place.compare()
    assert done.returncode == 2 and "no mirror for the security updates" in done.stderr and "apt-get update" in done.stderr


@pytest.mark.parametrize(("version", "package", "said"), [
    ("3.0.23", "libssl-dev 3.0.23-1~deb12u1", "is not of "),
    ("3.0.19", "libssl-dev 3.0.19-1~deb11u1", "is not of "),
    ("3.0.18", f"libssl-dev {OLD}", "the program contains OpenSSL 3.0.18"),
    ("3.0.19", "libnothing-dev 3.0.19-1", "has no package libnothing-dev"),
])
def test_security_fails_if_the_versions_do_not_match(version: str, package: str, said: str, behind: Place) -> None:
    behind.add_program({"OpenSSL": version}, {"OpenSSL": package})
    done = behind.compare()
    assert done.returncode == 2 and said in done.stderr


def test_security_fails_with_the_sbom_of_another_executable(behind: Place) -> None:
    behind.program.write_text(behind.program.read_text() + "\n")
    done = behind.compare()
    assert done.returncode == 2 and "is the SBOM of another executable" in done.stderr


def test_security_without_an_sbom_asks_for_the_option_sbom(behind: Place) -> None:
    done = behind.run()
    assert done.returncode == 2 and "Name the SBOM of its release with --sbom" in done.stderr


@pytest.mark.parametrize("content", ["", "#!/bin/sh\necho '[]'\n", "#!/bin/sh\necho text\n"])
def test_security_fails_if_the_program_does_not_list_its_libraries(content: str, behind: Place) -> None:
    behind.program.write_text(content)
    done = behind.compare()
    assert done.returncode == 2 and "does not say what is in it" in done.stderr


# The report of the linker

def test_security_fails_if_a_linked_library_was_removed(behind: Place) -> None:
    (behind.program.parent / "linked-files").write_text("mambridge: \\\n  /nowhere/usr/lib/x86_64-linux-gnu/libcrypto.a\n\n")
    done = behind.run()
    assert done.returncode == 2 and "libcrypto.a was changed or removed after" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("is_newer", [False, True])
def test_security_uses_packages_of_this_machine_only_if_older_than_the_program(is_newer: bool, place: Place) -> None:
    files = [Path(f"/usr/lib/{os.uname().machine}-linux-gnu") / name for name in ("crt1.o", "libz.a")]
    if not all(file.exists() for file in files):
        pytest.skip("zlib1g-dev and libc6-dev are not installed")
    query = ["dpkg-query", "-W", "-f", "${Version}"]
    versions = {name: command(*query, name, folder=place.folder) for name in ("libc6-dev", "zlib1g-dev")}
    works = [{"name": work, "version": re.sub(r"^\d+:|\.dfsg.*|-.*", "", versions[name]), "license": "", "url": "", "notice": ""}
             for work, name in (("glibc", "libc6-dev"), ("zlib", "zlib1g-dev"))]
    place.program.parent.mkdir()
    place.program.write_text(f"#!/bin/sh\necho '{json.dumps({'version': '0.2.0', 'works': works})}'\n")
    place.program.chmod(0o755)
    place.add_suite(place.release, versions)
    place.add_suite(f"{place.release}-security", {"other": "1"})
    place.update()
    linked = place.program.parent / "linked-files"
    linked.write_text(" \\\n".join(["mambridge:", *(f"  {file}" for file in files)]) + "\n\n")
    if is_newer:
        os.utime(linked, (1e9, 1e9))
    done = place.run("--json")
    if is_newer:
        assert done.returncode == 2 and "was changed or removed after" in done.stderr
    else:
        assert done.returncode == 0, done.stderr
        assert {one["package"]: one["linked"] for one in json.loads(done.stdout)["libraries"]} == versions
