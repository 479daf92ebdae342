"""scripts/release makes what is missing, and nothing twice: with small programs in the place of those that build and pack."""
from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import ROOT
from packages import Signer

COPIED = ["release", "state", "packaging/repository", "packaging/sign"]
PROGRAM = """#!/bin/sh
case $1 in
  about) if [ "$2" = --json ]; then echo '{"version": "1.2.3"}'; else echo notices; fi ;;
  man) mkdir -p "$3" && echo page >"$3/mambridge.1" ;;
  completions) echo complete ;;
esac
# """
LOG = "#!/bin/bash\nset -e\necho ${0##*/} >>$LOG\n[ \"$FAIL\" != ${0##*/} ]\n"
# What they are asked is in the comments of the real ones.
PROGRAMS = {
    "setup": "",
    "build": """mkdir -p .build/release && cp mambridge .build/release/ && touch .build/release/linked-files && chmod +x .build/release/mambridge && echo $PWD/.build/release/mambridge""",
    "symbols": "echo functions >.build/functions && echo .build/functions",
    "packaging/units.py": 'for name in "${@:5}"; do echo unit >"$4/$name"; done',
    "packaging/sbom.py": "sha256sum <$2",
    "packaging/debian.py": """mkdir $5/DEBIAN
        printf 'Package: %s\\nVersion: 1.2.3-1\\nArchitecture: amd64\\nMaintainer: A <a@b.example>\\nDescription: a program\\n' \\
        $1 >$5/DEBIAN/control""",
    "packaging/wheel.py": "cp $2 $6/$1.whl",
    "packaging/image.py": "cat ${4#*=}/$1/binary >$3",
    "packaging/provenance.py": "ls -R $1",
}
FILES = {"mambridge-1.2.3.cdx.json", "mambridge-1.2.3-linux-x86_64.symbols.xz", "mambridge-1.2.3-linux-x86_64.tar.gz",
         "mambridge_1.2.3-1_amd64.deb", "mambridge.whl", "mambridge-1.2.3-oci.tar", "apt", "provenance.json", "SHA256SUMS"}
MADE = ["sbom", "symbols", "archive", "deb", "wheel", "image", "apt", "provenance"]


@dataclass
class Checkout:
    folder: Path
    log: Path

    def make(self) -> None:
        for name in COPIED:
            self.write(f"scripts/{name}", (ROOT / "scripts" / name).read_text())
        for name, text in PROGRAMS.items():
            self.write(f"scripts/{name}", f"{LOG}{text}\n")
        self.write("mambridge", PROGRAM)
        self.write("scripts/packaging/debian/mambridge/lintian-overrides", "")
        self.write("scripts/packaging/debian/mambridge/README.Debian", "")
        for name in ("LICENSE", "CHANGELOG.md", "Package.swift", "Sources/a.swift"):
            self.write(name, name)
        self.write(".gitignore", ".build\ndist\n")
        self.git("init", "-q")
        self.commit()

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def commit(self) -> None:
        self.git("add", ".")
        self.git("commit", "-q", "-m", "change")

    def git(self, *words: str) -> None:
        subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@b.example", *words], cwd=self.folder, check=True)

    def run(self, *options: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        self.log.write_text("")
        own = {name: value for name, value in os.environ.items() if not name.startswith("MAMBRIDGE")}
        return subprocess.run(
            [self.folder / "scripts/release", *options], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300,
            env={**own, "PATH": f"{self.folder.parent / 'bin'}:{os.environ['PATH']}", "LOG": str(self.log), **environment})

    def release(self, *options: str, **environment: str) -> "list[str]":
        """The artefacts that were made, and not those that were kept."""
        done = self.run("--without-service", *options, **environment)
        assert done.returncode == 0, done.stderr
        return [line.split()[2].split("-")[0] for line in done.stderr.splitlines() if line.startswith("release: made ")]

    @property
    def files(self) -> "set[str]":
        return {path.name for path in (self.folder / "dist").iterdir()}

    @property
    def builds(self) -> int:
        return self.log.read_text().splitlines().count("build")


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    for tool in ("apt-ftparchive", "dpkg-deb", "jq"):
        if not shutil.which(tool):
            pytest.skip(f"{tool} is not installed: run scripts/toolchains")
    made = Checkout(tmp_path / "checkout", tmp_path / "log")
    (tmp_path / "bin").mkdir()
    valgrind = tmp_path / "bin/valgrind"
    valgrind.write_text("")
    valgrind.chmod(0o755)
    made.make()
    return made


def test_what_was_made_from_the_same_is_kept(checkout: Checkout) -> None:
    assert checkout.release() == MADE and checkout.builds == 1
    sums = (checkout.folder / "dist/SHA256SUMS").read_bytes()
    # The origin is of all files, so it is written anew.
    assert checkout.release() == ["provenance"] and checkout.builds == 0
    assert checkout.files == FILES and (checkout.folder / "dist/SHA256SUMS").read_bytes() == sums


def test_libraries_are_upgraded_before_a_build_and_not_for_a_binary_that_is_given(checkout: Checkout) -> None:
    checkout.release()
    assert checkout.log.read_text().splitlines()[:2] == ["setup", "build"]
    checkout.release(MAMBRIDGE=str(checkout.folder / ".build/release/mambridge"))
    assert not {"setup", "build"} & set(checkout.log.read_text().splitlines())


def test_a_file_that_was_changed_or_removed_is_made_again(checkout: Checkout) -> None:
    checkout.release()
    (checkout.folder / "dist/mambridge.whl").write_text("another")
    (checkout.folder / "dist/mambridge-1.2.3-oci.tar").unlink()
    assert checkout.release() == ["wheel", "image", "provenance"]


def test_a_change_makes_all_anew_and_builds_only_what_it_touches(checkout: Checkout) -> None:
    checkout.release()
    checkout.write("LICENSE", "another")
    assert checkout.release() == MADE and checkout.builds == 0
    checkout.write("Sources/a.swift", "another")
    assert checkout.release() == MADE and checkout.builds == 1
    checkout.commit()
    assert checkout.release() == MADE and checkout.builds == 0


def test_a_run_that_was_cut_off_goes_on(checkout: Checkout) -> None:
    done = checkout.run("--without-service", FAIL="wheel.py")
    assert done.returncode != 0 and "SHA256SUMS" not in checkout.files
    assert checkout.release() == MADE[4:] and checkout.builds == 0
    assert checkout.files == FILES


def test_only_makes_what_it_names_and_keeps_what_is_of_the_same_commit(checkout: Checkout) -> None:
    assert checkout.release("--only", "wheel", "--only", "sbom") == ["sbom", "wheel"]
    assert checkout.files == {"mambridge.whl", "mambridge-1.2.3.cdx.json", "SHA256SUMS"}
    assert checkout.release("--only", "apt") == ["deb", "apt"]
    assert {"mambridge.whl", "apt", "mambridge_1.2.3-1_amd64.deb"} < checkout.files
    checkout.write("LICENSE", "another")
    assert checkout.release("--only", "image") == ["image"]
    assert checkout.files == {"mambridge-1.2.3-oci.tar", "SHA256SUMS"}
    sums = dict(line.split("  ")[::-1] for line in (checkout.folder / "dist/SHA256SUMS").read_text().splitlines())
    image = (checkout.folder / "dist/mambridge-1.2.3-oci.tar").read_bytes()
    assert sums == {"mambridge-1.2.3-oci.tar": hashlib.sha256(image).hexdigest()}


def test_a_signed_release_is_kept_and_signed_alike(checkout: Checkout, tmp_path: Path) -> None:
    signer = Signer.with_keys(tmp_path, "maintainer")
    key = {"MAMBRIDGE_SIGNING_KEY": "maintainer", "GNUPGHOME": str(signer.home)}
    assert checkout.release(**key) == MADE
    signature = (checkout.folder / "dist/SHA256SUMS.asc").read_bytes()
    # The agent of gpg, which goes on, must not keep the lock.
    assert checkout.release(**key) == ["provenance"]
    assert (checkout.folder / "dist/SHA256SUMS.asc").read_bytes() == signature
    assert checkout.release() == ["apt", "provenance"] and "SHA256SUMS.asc" not in checkout.files


def test_two_runs_in_one_checkout_do_not_disturb_each_other(checkout: Checkout) -> None:
    (checkout.folder / ".build").mkdir()
    with open(checkout.folder / ".build/release.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = checkout.run("--without-service")
    assert done.returncode == 1 and "another scripts/release runs in this checkout" in done.stderr


@pytest.mark.parametrize("options", [["--only", "tarball"], ["--only"], ["tarball"]])
def test_an_unknown_artefact_or_option_is_an_error(options: "list[str]", checkout: Checkout) -> None:
    done = checkout.run(*options)
    assert done.returncode == 2 and ("usage: release" in done.stderr or "sbom symbols archive deb wheel image apt" in done.stderr)


def test_twice_compares_all_and_keeps_one(checkout: Checkout) -> None:
    done = checkout.run("--without-service", "--twice")
    assert done.returncode == 0 and checkout.builds == 2, done.stderr
    assert checkout.files == FILES and not (checkout.folder / ".build/twice").exists()
    # The binary of the clone is gone with it; one with the same bytes makes the same.
    assert checkout.release() == ["provenance"] and checkout.builds == 1


def test_twice_names_what_differs_and_goes_on_in_its_clones(checkout: Checkout) -> None:
    checkout.write("scripts/packaging/wheel.py", f"{LOG}echo $PWD >$6/$1.whl\n")
    checkout.commit()
    done = checkout.run("--without-service", "--twice", "--only", "wheel", "--only", "deb")
    assert done.returncode == 1 and "mambridge.whl" in done.stdout and "differ" in done.stderr and checkout.builds == 2
    assert "mambridge_1.2.3-1_amd64.deb" not in done.stdout
    assert checkout.run("--without-service", "--twice", "--only", "wheel").returncode == 1 and checkout.builds == 0
    checkout.write("scripts/packaging/wheel.py", f"{LOG}echo wheel >$6/$1.whl\n")
    checkout.commit()
    done = checkout.run("--without-service", "--twice", "--only", "wheel")
    assert done.returncode == 0 and checkout.files == {"mambridge.whl", "SHA256SUMS"}, done.stderr
