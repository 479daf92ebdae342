"""The apt repository of a release in small Debian systems: install, upgrade, downgrade, and what apt must refuse."""
from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Callable

import pytest
from conftest import ALICE
from packages import Signer, System, debian_package_of, dist_folder, only, system, unpacked

OLDER = "0.1.0-1"
INSTALLED = "dpkg-query -W -f '${Version}' mambridge"
UPDATE = "apt-get update -q -o APT::Update::Error-Mode=any"
# Debian's older apt has no Error-Mode, and counts a refused index as a warning.
REFUSED = "if apt-get update -q >/tmp/update 2>&1 && ! grep -E '^(W|E):' /tmp/update; then exit 9; fi; cat /tmp/update"


@pytest.fixture(scope="module")
def signer(tmp_path_factory: pytest.TempPathFactory) -> Signer:
    return Signer.with_keys(tmp_path_factory.mktemp("signer"), "maintainer", "somebody")


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> "list[Path]":
    """Those of the release, after one of mambridge that says it is older."""
    folder = tmp_path_factory.mktemp("packages")
    package = debian_package_of(dist_folder(), "mambridge", "amd64")
    older = unpacked(package, folder / "older")
    control = (older / "DEBIAN/control").read_text()
    (older / "DEBIAN/control").write_text(re.sub(r"^Version: .*$", f"Version: {OLDER}", control, flags=re.M))
    old_package = folder / f"mambridge_{OLDER}_amd64.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", older, old_package], check=True,
                   capture_output=True, timeout=60)
    return [old_package, package, *dist_folder().glob("mambridge-tenant_*.deb")]


@pytest.fixture(scope="module")
def repository(signer: Signer, packages: "list[Path]", tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository") / "apt"
    signer.make_repository(folder, packages, "maintainer")
    return folder


def debian_with(repository: Path, folder: Path, kind: str = "debian") -> System:
    """A system that knows this repository alone, as docs/release.md says."""
    shutil.copytree(repository, folder / "changes/srv/apt")
    debian = system(kind, folder)
    debian.run(
        "install -Dm644 /srv/apt/mambridge.gpg /etc/apt/keyrings/mambridge.gpg 2>/dev/null || true\n"
        "install -m644 /srv/apt/mambridge.sources /etc/apt/sources.list.d/")
    return debian


@pytest.mark.parametrize("kind", ["oldest", "debian", "newest"])
def test_apt_installs_upgrades_and_downgrades(kind: str, repository: Path, packages: "list[Path]", tmp_path: Path) -> None:
    if kind != "debian" and not list(dist_folder().glob("mambridge-tenant*")):
        pytest.skip("tried in this Debian with packages of the service, as they are made in fewer runs of CI")
    debian = debian_with(repository, tmp_path, kind)
    newer = packages[1].name.split("_")[1]
    install = "apt-get install -q -y --no-install-recommends"
    assert debian.run(f"{UPDATE} >&2; {install} mambridge={OLDER} >&2; {INSTALLED}") == OLDER
    assert debian.run(f"apt-get upgrade -q -y >&2; {INSTALLED}") == newer
    assert newer.removesuffix("-1") in debian.run("mambridge --version")
    answer = debian.run(f"mambridge --tenant sample call enrollmentManager.registerAndEnrollAccount account={ALICE}")
    assert "newPoliciesReceived" in answer
    assert debian.run(f"{install} --allow-downgrades mambridge={OLDER} >&2; {INSTALLED}") == OLDER
    # The other systems have no adduser.
    if kind == "debian" and len(packages) > 2:
        assert "mambridge-tenant" in debian.run(f"{install} mambridge-tenant >&2; mambridge-tenant --version")


def changed(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"mambridge", b"somebodys", 1))


def removed(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize(("change", "pattern"), [
    (changed, "InRelease"), (changed, "main/binary-amd64/Packages*"), (removed, "*Release*"), (removed, "InRelease|Release.gpg")])
def test_apt_refuses_a_changed_or_removed_index(
        change: "Callable[[Path], None]", pattern: str, repository: Path, tmp_path: Path) -> None:
    debian = debian_with(repository, tmp_path)
    index = tmp_path / "changes/srv/apt/dists/stable"
    for path in [path for part in pattern.split("|") for path in index.glob(part)]:
        change(path)
    debian.run(REFUSED)
    assert debian.run("apt-get install -q -y mambridge 2>&1 || echo status $?").splitlines()[-1] == "status 100"


def test_apt_refuses_a_changed_package(repository: Path, tmp_path: Path) -> None:
    debian = debian_with(repository, tmp_path)
    package = only(tmp_path / "changes/srv/apt/pool/mambridge", f"mambridge_{OLDER}_*.deb")
    package.write_bytes(package.read_bytes()[:-1] + b"!")
    told = debian.run(f"{UPDATE} >&2; apt-get install -q -y mambridge={OLDER} 2>&1 || echo status $?")
    assert "Hash Sum mismatch" in told and told.splitlines()[-1] == "status 100", told


def test_apt_refuses_a_repository_signed_with_another_key(
        signer: Signer, repository: Path, packages: "list[Path]", tmp_path: Path) -> None:
    debian = debian_with(repository, tmp_path)
    shutil.rmtree(tmp_path / "changes/srv/apt")
    signer.make_repository(tmp_path / "changes/srv/apt", packages, "somebody")
    assert "NO_PUBKEY" in debian.run(REFUSED)
    assert debian.run("apt-get install -q -y mambridge 2>&1 || echo status $?").splitlines()[-1] == "status 100"


def test_an_unsigned_repository_says_so_and_apt_refuses_it(
        signer: Signer, packages: "list[Path]", tmp_path: Path) -> None:
    assert "not signed" in signer.make_repository(tmp_path / "apt", packages, "")
    assert "not signed" in (tmp_path / "apt/mambridge.sources").read_text()
    told = debian_with(tmp_path / "apt", tmp_path / "system").run(REFUSED)
    assert "is not signed" in told or "does not have a Release file" in told, told


def test_the_same_packages_make_the_same_repository(
        signer: Signer, repository: Path, packages: "list[Path]", tmp_path: Path) -> None:
    signer.make_repository(tmp_path / "apt", packages, "maintainer")
    def files(folder: Path) -> "dict[str, bytes]":
        return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    assert files(tmp_path / "apt") == files(repository)


@pytest.mark.parametrize(("key", "problem"), [("nobody", "no secret key nobody"), ("late", "older than the commit")])
def test_making_a_repository_with_an_unusable_key_fails_and_leaves_no_file(
        key: str, problem: str, signer: Signer, packages: "list[Path]", tmp_path: Path) -> None:
    if key == "late":
        signer.run("gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", "late", "ed25519", "sign", "never")
    with pytest.raises(AssertionError, match=problem):
        signer.make_repository(tmp_path / "apt", packages, key)
    assert list(tmp_path.iterdir()) == []
