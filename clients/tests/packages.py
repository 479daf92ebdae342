"""The packages that scripts/release has made, and systems to try them in."""
from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import ROOT

CANNOT_MAKE = 77

#: The names of processors in the names of archives and wheels, by the names that Debian has for them.
PROCESSORS = {"amd64": "x86_64", "arm64": "aarch64"}

# A system whose changes go to a folder of their own: $1 is the root, $2 the folder for changes, $3 the packages.
ENTER = """
if [ "$6" = own ]; then ip link set lo up; fi
mkdir -p "$2/changes" "$2/work" "$2/root"
mount -t overlay overlay -o "lowerdir=$1,upperdir=$2/changes,workdir=$2/work" "$2/root"
mkdir -p "$2/root/dist"
mount --bind "$3" "$2/root/dist"
if [ "$4" = proc ]; then mount -t proc proc "$2/root/proc"; fi
cd "$2/root"
exec env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
  DEBIAN_FRONTEND=noninteractive PYTHONDONTWRITEBYTECODE=1 chroot . /bin/sh -euc "$5"
"""


def dist_folder() -> Path:
    named = os.environ.get("MAMBRIDGE_DIST")
    if not named:
        pytest.skip("MAMBRIDGE_DIST is not set: run scripts/release, then set it to the folder dist")
    return Path(named).absolute()


def service_dist_folder() -> Path:
    """The folder, if the packages of mambridge-tenant are in it."""
    folder = dist_folder()
    if not list(folder.glob("mambridge-tenant*")):
        pytest.skip("scripts/release --without-service made no packages of mambridge-tenant")
    return folder


def build_id(executable: "Path | str") -> str:
    notes = subprocess.run(["readelf", "-n", executable], capture_output=True, text=True).stdout
    found = re.search(r"Build ID: (\w+)", notes)
    assert found, f"{executable} has no build id"
    return found[1]


def only(folder: Path, pattern: str) -> Path:
    [path] = folder.glob(pattern)
    return path


def has_packages_for(architecture: str, folder: Path) -> bool:
    return bool(list(folder.glob(f"*_{architecture}.deb")))


def skip_without_packages_for(architecture: str) -> str:
    if not has_packages_for(architecture, dist_folder()):
        pytest.skip(f"scripts/release made no packages for {architecture}: it does with --{architecture}")
    return architecture


def archive_of(folder: Path, program: str, architecture: str) -> Path:
    return only(folder, f"{program}-[0-9]*-linux-{PROCESSORS[architecture]}.tar.gz")


def debian_package_of(folder: Path, program: str, architecture: str) -> Path:
    return only(folder, f"{program}_*_{architecture}.deb")


def wheel_of(folder: Path, program: str, architecture: str) -> Path:
    return only(folder, f"{program.replace('-', '_')}-*_{PROCESSORS[architecture]}.whl")


def sbom_of(folder: Path, program: str, architecture: str) -> Path:
    """The list for amd64 names no processor."""
    end = "" if architecture == "amd64" else f"-linux-{PROCESSORS[architecture]}"
    [path] = [path for path in folder.glob(f"{program}-[0-9]*.cdx.json") if ("-linux-" in path.name) == bool(end)]
    assert path.name.endswith(f"{end}.cdx.json")
    return path


def emulator_of(architecture: str) -> "list[str]":
    """What runs a program for the architecture on this machine."""
    processor = PROCESSORS[architecture]
    if processor == platform.machine():
        return []
    if not shutil.which(f"qemu-{processor}-static"):
        pytest.skip(f"qemu-{processor}-static is not installed: run scripts/toolchains")
    return [f"qemu-{processor}-static"]


def output(*command: object) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def content(archive: tarfile.TarFile, name: str) -> bytes:
    opened = archive.extractfile(f"{archive.getnames()[0]}/{name}")
    assert opened
    return opened.read()


def unpacked(package: Path, folder: Path) -> Path:
    """The content of a Debian package."""
    if not shutil.which("dpkg-deb"):
        pytest.skip("dpkg-deb is not installed")
    subprocess.run(["dpkg-deb", "--raw-extract", package, folder], check=True, timeout=60)
    return folder


def program(archive: tarfile.TarFile, name: str, folder: Path) -> Path:
    """A program of an archive, as a file."""
    path = folder / name
    path.write_bytes(content(archive, f"bin/{name}"))
    path.chmod(0o755)
    return path


@dataclass
class Signer:
    """gpg with keys that only the test uses."""

    home: Path

    @classmethod
    def with_keys(cls, folder: Path, *names: str) -> Signer:
        """Skips the test if this machine cannot sign."""
        for tool in ("apt-ftparchive", "gpg"):
            if not shutil.which(tool):
                pytest.skip(f"{tool} is not installed: run scripts/toolchains")
        signer = cls(folder / "gpg")
        signer.home.mkdir(mode=0o700)
        for name in names:
            signer.make_key(name)
        return signer

    def make_key(self, name: str) -> None:
        # Older than each commit.
        options = ["--batch", "--quiet", "--faked-system-time", "20200101T000000!", "--passphrase", ""]
        self.run("gpg", *options, "--quick-generate-key", name, "ed25519", "sign", "never")

    def make_repository(self, folder: Path, packages: "list[Path]", key: str) -> str:
        return self.run(ROOT / "scripts/packaging/repository", folder, *packages, MAMBRIDGE_SIGNING_KEY=key,
                        MAMBRIDGE_REPOSITORY="file:/srv/apt", SOURCE_DATE_EPOCH="1700000000")

    def sign(self, file: Path, signature: Path, key: str, time: str = "1700000000") -> Path:
        self.run(ROOT / "scripts/packaging/sign", file, signature, "--armor", "--detach-sign", MAMBRIDGE_SIGNING_KEY=key,
                 SOURCE_DATE_EPOCH=time)
        return signature

    def export(self, key: str, file: Path) -> Path:
        self.run("gpg", "--batch", "--output", file, "--export", key)
        return file

    def verify(self, signature: Path, file: Path, keys: Path) -> None:
        """As docs/security.md says."""
        options = ["--trust-model", "always", "--no-default-keyring", "--keyring"]
        self.run("gpg", *options, keys.absolute(), "--verify", signature, file, LC_ALL="C")

    def run(self, *command: "str | Path", **environment: str) -> str:
        done = subprocess.run(command, env={**os.environ, "GNUPGHOME": str(self.home), **environment}, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stderr


@dataclass
class System:
    """A system in a folder, with the packages in /dist. What a test changes is lost after the test."""

    root: Path
    folder: Path
    has_proc: bool
    #: In place of the packages of a release.
    packages: "Path | None" = None
    #: Without a network, but for loopback of its own.
    is_alone: bool = False

    def run(self, script: str) -> str:
        packages = str(self.packages or dist_folder())
        network = "own" if self.is_alone else "shared"
        mounts = [str(self.root), str(self.folder), packages, "proc" if self.has_proc else "none", script, network]
        apart = ["--mount", "--pid", *(["--net"] if self.is_alone else []), "--fork", "--kill-child"]
        command = ["unshare", *apart, "sh", "-euc", ENTER, "sh", *mounts]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, f"status {done.returncode}\n{script}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def files(self) -> "set[str]":
        """The files that were made or changed, without the records of the package manager."""
        changes = self.folder / "changes"
        names = {path.relative_to(changes).as_posix() for path in changes.rglob("*")
                 if path.is_symlink() or path.is_file()}
        records = ("var/lib/dpkg/", "var/lib/apt/", "var/cache/", "var/log/")
        return {name for name in names if not name.startswith(records)}


def system(
    kind: str, folder: Path, has_proc: bool = True, packages: "Path | None" = None, is_alone: bool = False
) -> System:
    """Skips the test if this machine cannot have such a system."""
    if os.geteuid() != 0:
        pytest.skip("only root can enter another system")
    made = subprocess.run([ROOT / "scripts" / "root", kind], capture_output=True, text=True, timeout=1800)
    if made.returncode == CANNOT_MAKE:
        pytest.skip(made.stderr.strip().splitlines()[-1])
    assert made.returncode == 0, made.stderr
    found = System(Path(made.stdout.strip()), folder, has_proc, packages, is_alone)
    try:
        found.run("true")
    except AssertionError as error:
        pytest.skip(f"cannot enter {found.root}: {str(error).splitlines()[-1]}")
    return found
