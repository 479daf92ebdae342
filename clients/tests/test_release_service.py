"""What scripts/release has made of mambridge-tenant: contents, libraries, licenses, and what systemd reads."""
from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Iterator

import pytest
from conftest import ROOT
from packages import content, debian_package_of, only, output, program, service_dist_folder, unpacked

DOCUMENT = (ROOT / "docs" / "tenant-service.md").read_text()
COMPLETIONS = {"bash-completion/completions/mambridge-tenant", "fish/vendor_completions.d/mambridge-tenant.fish"}
SYSTEM = {"systemd/system/mambridge-tenant.service", "tmpfiles.d/mambridge-tenant.conf"}


@pytest.fixture(scope="module")
def dist() -> Path:
    return service_dist_folder()


@pytest.fixture(scope="module")
def archive(dist: Path) -> "Iterator[tarfile.TarFile]":
    with tarfile.open(only(dist, "mambridge-tenant-*.tar.gz")) as opened:
        yield opened


@pytest.fixture(scope="module")
def debian(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked(only(dist, "mambridge-tenant_*.deb"), tmp_path_factory.mktemp("debian"))


@pytest.fixture(scope="module")
def executable(archive: tarfile.TarFile, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return program(archive, "mambridge-tenant", tmp_path_factory.mktemp("bin"))


@pytest.fixture(scope="module")
def sbom(dist: Path) -> Any:
    return json.loads(only(dist, "mambridge-tenant-*.cdx.json").read_text())


def block(name: str) -> str:
    found = re.search(rf"^```ini file={re.escape(name)}\n(.*?)^```$", DOCUMENT, re.M | re.S)
    assert found
    return found[1]


def pages(names: "set[str]") -> "set[str]":
    return {name for name in names if "/man/" in name}


# The packages

def test_the_archive_contains_mambridge_tenant_and_its_systemd_files(archive: tarfile.TarFile) -> None:
    top = archive.getnames()[0]
    names = {entry.name.removeprefix(f"{top}/") for entry in archive if entry.isfile()}
    documents = ("CHANGELOG.md", "LICENSE", "NOTICES", "mambridge-tenant.default")
    assert names - pages(names) == {
        "bin/mambridge-tenant", *(f"share/{name}" for name in COMPLETIONS), "share/zsh/site-functions/_mambridge-tenant",
        *(f"lib/{name}" for name in SYSTEM), "lib/sysusers.d/mambridge-tenant.conf",
        *(f"share/doc/mambridge-tenant/{name}" for name in documents)}
    entries = archive.getmembers()
    assert {(entry.uid, entry.gid, entry.uname, entry.gname) for entry in entries} == {(0, 0, "", "")}
    assert {entry.mode for entry in entries if entry.isfile() and "/bin/" not in entry.name} == {0o644}


def test_the_debian_package_contains_the_same_files_and_a_settings_file(archive: tarfile.TarFile, debian: Path) -> None:
    top = archive.getnames()[0]
    names = {path.relative_to(debian).as_posix() for path in debian.rglob("*") if path.is_file()}
    documents = {"NOTICES.gz", "README.Debian", "changelog.Debian.gz", "changelog.gz", "copyright"}
    assert names - pages(names) == {
        "usr/bin/mambridge-tenant", *(f"usr/share/{name}" for name in COMPLETIONS), *(f"usr/lib/{name}" for name in SYSTEM),
        "usr/share/zsh/vendor-completions/_mambridge-tenant", "usr/share/lintian/overrides/mambridge-tenant",
        *(f"usr/share/doc/mambridge-tenant/{name}" for name in documents), "etc/default/mambridge-tenant",
        *(f"DEBIAN/{name}" for name in ("control", "md5sums", "conffiles", "postinst", "prerm", "postrm"))}
    assert (debian / "DEBIAN" / "conffiles").read_text() == "/etc/default/mambridge-tenant\n"
    manual = {entry.name.removeprefix(f"{top}/") for entry in archive if entry.isfile() and "/man/" in entry.name}
    assert pages(names) == {f"usr/{name}.gz" for name in manual}
    for name in ("bin/mambridge-tenant", *(f"share/{name}" for name in COMPLETIONS)):
        assert (debian / "usr" / name).read_bytes() == content(archive, name)


def test_the_package_shares_no_file_with_the_mambridge_package(dist: Path, debian: Path) -> None:
    """`mambridge tenant check` and `mambridge-tenant check` have pages of one name, in different sections."""
    listed = output("dpkg-deb", "--contents", debian_package_of(dist, "mambridge", "amd64"))
    files = {line.split()[-1].removeprefix("./") for line in listed.splitlines() if not line.startswith("d")}
    own = {path.relative_to(debian).as_posix() for path in debian.rglob("*") if path.is_file()}
    assert {"usr/share/man/man8/mambridge-tenant.8.gz", "usr/share/man/man8/mambridge-tenant-check.8.gz"} <= own
    assert files & own == set()


def test_the_packaged_unit_and_settings_match_the_documentation(archive: tarfile.TarFile, debian: Path) -> None:
    unit, settings = block("mambridge-tenant.service"), block("mambridge-tenant.default")
    assert (debian / "usr/lib/systemd/system/mambridge-tenant.service").read_text() == unit
    assert content(archive, "lib/systemd/system/mambridge-tenant.service").decode() == unit.replace(
        "/usr/bin/", "/usr/local/bin/")
    assert (debian / "etc/default/mambridge-tenant").read_text() == settings
    assert content(archive, "share/doc/mambridge-tenant/mambridge-tenant.default").decode() == settings


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_analyze_finds_no_problem_in_the_unit(debian: Path, tmp_path: Path) -> None:
    unit = (debian / "usr/lib/systemd/system/mambridge-tenant.service").read_text()
    path = tmp_path / "mambridge-tenant.service"
    path.write_text(unit.replace("/usr/bin/", f"{debian}/usr/bin/"))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", path], capture_output=True, text=True, timeout=60)
    assert "mambridge-tenant" not in done.stderr.replace(f"{debian}", ""), done.stderr


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="mandoc is not installed")
def test_mandoc_finds_no_problem_in_the_manual_pages(archive: tarfile.TarFile) -> None:
    for entry in archive:
        if entry.isfile() and "/man8/" in entry.name:
            page = archive.extractfile(entry)
            assert page
            lint = subprocess.run(["mandoc", "-T", "lint"], input=page.read(), capture_output=True)
            assert lint.stdout == b"", entry.name


def test_lintian_finds_nothing_except_overrides_with_a_reason(dist: Path, debian: Path) -> None:
    if not shutil.which("lintian"):
        pytest.skip("lintian is not installed: run scripts/toolchains")
    package = only(dist, "mambridge-tenant_*.deb")
    assert output("lintian", "--allow-root", "--display-info", "--tag-display-limit=0", package) == ""
    overrides = (debian / "usr/share/lintian/overrides/mambridge-tenant").read_text().strip()
    for group in overrides.split("\n\n"):
        assert re.fullmatch(r"(# .*\n)+(mambridge-tenant: .*\n?)+", group)


def test_the_wheel_contains_only_the_command(dist: Path, executable: Path) -> None:
    with zipfile.ZipFile(only(dist, "mambridge_tenant-*.whl")) as wheel:
        names = wheel.namelist()
        [script] = [entry for entry in wheel.infolist() if entry.filename.endswith(".data/scripts/mambridge-tenant")]
        assert wheel.read(script) == executable.read_bytes()
        assert script.external_attr >> 16 == 0o100755
    assert [name for name in names if ".dist-info/" not in name] == [script.filename]


def test_auditwheel_confirms_the_platform_tag_of_the_wheel(dist: Path) -> None:
    pytest.importorskip("auditwheel")
    wheel = only(dist, "mambridge_tenant-*.whl")
    told = output(sys.executable, "-m", "auditwheel", "show", wheel)
    consistent = re.search(r'platform tag:\s+"(manylinux_\d+_\d+_x86_64)"', told)
    assert consistent and consistent[1] in wheel.name, told


# The executable

def test_the_executable_needs_only_system_libraries_and_not_libpq(executable: Path, debian: Path) -> None:
    """libpq, which needs 20 more libraries, is loaded for a store in PostgreSQL alone."""
    needed = re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "--wide", "--dynamic", executable))
    assert set(needed) <= {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "libz.so.1", "ld-linux-x86-64.so.2"}
    control = output("dpkg-deb", "--field", only(service_dist_folder(), "mambridge-tenant_*.deb"), "Depends", "Recommends")
    depends, recommends = control.splitlines()
    assert {re.split(r" \(", name)[0] for name in depends.removeprefix("Depends: ").split(", ")} <= {
        "adduser", "libc6", "libgcc-s1", "libstdc++6", "zlib1g"}
    assert "libpq5" in recommends


def test_the_executable_contains_no_path_of_the_build_machine(executable: Path) -> None:
    sources = re.findall(rb"\0((?:/[\w.+-]+)+\.(?:swift|cpp|cc|c|h|o|a))\b", executable.read_bytes())
    assert [path.decode() for path in sources if not path.startswith(b"/home/build-user/swift")] == []


# The list of what is linked

def test_the_sbom_has_the_hash_of_the_executable_and_names_its_components(sbom: Any, executable: Path) -> None:
    [digest] = sbom["metadata"]["component"]["hashes"]
    assert digest["content"] == hashlib.sha256(executable.read_bytes()).hexdigest()
    assert sbom["metadata"]["component"]["name"] == "mambridge-tenant"
    names = {each["name"] for each in sbom["components"]}
    assert {"BoringSSL", "OpenSSL", "SQLite", "Swift", "async-http-client", "jansson", "swift-nio-ssl"} <= names
    packages = {property["value"].split()[0] for each in sbom["components"] for property in each.get("properties", [])}
    assert {"libjansson-dev", "libsqlite3-dev", "libssl-dev"} <= packages
    assert "libpq-dev" not in packages


def test_the_notices_list_every_component_with_its_license(sbom: Any, archive: tarfile.TarFile) -> None:
    notices = content(archive, "share/doc/mambridge-tenant/NOTICES").decode()
    for each in sbom["components"]:
        [license] = each["licenses"]
        assert f"\n{each['name']} {each['version']}, {license['expression']}, http" in notices
        for word in set(license["expression"].split()) - {"AND", "WITH"}:
            assert f"\n{word}\n\n" in notices, word
    assert re.search(r"^Newest library from Debian: 20\d\d-\d\d-\d\d$", notices, re.M), notices[:200]
