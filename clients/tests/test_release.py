"""What scripts/release has made: contents, modes, hashes, licenses, and that nothing of the machine is in it."""
from __future__ import annotations

import base64
import csv
import gzip
import hashlib
import io
import json
import lzma
import re
import shutil
import sys
import tarfile
import zipfile
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, Iterator
from urllib.parse import unquote

import pytest
from conftest import ROOT
from packages import (
    PROCESSORS, Signer, archive_of, build_id, content, debian_package_of, dist_folder, emulator_of, has_packages_for, output,
    program, sbom_of, skip_without_packages_for, unpacked, wheel_of)

COMPLETIONS = {"bash-completion/completions/mambridge", "fish/vendor_completions.d/mambridge.fish"}
UNITS = {"systemd/user/mambridge.service", "systemd/user/mambridge.socket"}


@pytest.fixture(scope="module")
def dist() -> Path:
    return dist_folder()


@pytest.fixture(scope="module", params=PROCESSORS)
def architecture(request: pytest.FixtureRequest) -> str:
    return skip_without_packages_for(str(request.param))


@pytest.fixture(scope="module")
def archive(dist: Path, architecture: str) -> "Iterator[tarfile.TarFile]":
    with tarfile.open(archive_of(dist, "mambridge", architecture)) as opened:
        yield opened


@pytest.fixture(scope="module")
def debian(dist: Path, architecture: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked(debian_package_of(dist, "mambridge", architecture), tmp_path_factory.mktemp("debian"))


@pytest.fixture(scope="module")
def wheel(dist: Path, architecture: str) -> "Iterator[zipfile.ZipFile]":
    with zipfile.ZipFile(wheel_of(dist, "mambridge", architecture)) as opened:
        yield opened


@pytest.fixture(scope="module")
def executable(archive: tarfile.TarFile, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return program(archive, "mambridge", tmp_path_factory.mktemp("bin"))


@pytest.fixture(scope="module")
def about(executable: Path, architecture: str) -> Any:
    return json.loads(output(*emulator_of(architecture), executable, "about", "--json"))


@pytest.fixture(scope="module")
def sbom(dist: Path, architecture: str) -> Any:
    return json.loads(sbom_of(dist, "mambridge", architecture).read_text())


def pages(names: "set[str]") -> "set[str]":
    return {name for name in names if "/man/" in name}


# The packages

def test_sha256sums_lists_every_file_of_the_release_with_its_hash(dist: Path) -> None:
    sums = dict(line.split("  ")[::-1] for line in (dist / "SHA256SUMS").read_text().splitlines())
    files = {path.relative_to(dist).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
             for path in dist.rglob("*") if path.is_file()}
    for unlisted in ("SHA256SUMS", "SHA256SUMS.asc"):
        files.pop(unlisted, None)
    at_the_top = [name for name in files if "/" not in name]
    assert sums == files
    programs = 2 if list(dist.glob("mambridge-tenant*")) else 1
    builds = programs + has_packages_for("arm64", dist)
    # Each build has an SBOM, an archive, a Debian package and a wheel, each program has an image, and there is one provenance.
    # Symbols are there only for executables that were built in this checkout.
    others = [name for name in at_the_top if not name.endswith(".symbols.xz")]
    assert len(others) == 4 * builds + programs + 1


def test_a_release_has_the_names_of_the_functions_of_its_executable(dist: Path, executable: Path, architecture: str) -> None:
    names = list(dist.glob(f"mambridge-[0-9]*-linux-{PROCESSORS[architecture]}.symbols.xz"))
    if not names:
        pytest.skip("the executable was not built in this checkout")
    with lzma.open(names[0], "rt") as file:
        assert file.readline().split() == ["mambridge", "symbols", "1", build_id(executable)]
        assert any(line.split()[2].startswith("$s6Bridge") for line in file)


def test_sha256sums_is_signed_with_the_key_of_the_apt_repository(dist: Path, tmp_path: Path) -> None:
    if not (dist / "SHA256SUMS.asc").exists():
        assert not (dist / "apt/mambridge.gpg").exists()
        pytest.skip("scripts/release signed nothing: MAMBRIDGE_SIGNING_KEY named no key")
    Signer.with_keys(tmp_path).verify(dist / "SHA256SUMS.asc", dist / "SHA256SUMS", dist / "apt/mambridge.gpg")


def test_signed_sums_verify_only_with_their_key_and_only_unchanged(dist: Path, tmp_path: Path) -> None:
    signer = Signer.with_keys(tmp_path, "maintainer", "somebody")
    sums = Path(shutil.copy(dist / "SHA256SUMS", tmp_path))
    signatures = [signer.sign(sums, tmp_path / f"{number}.asc", "maintainer") for number in range(2)]
    assert signatures[0].read_bytes() == signatures[1].read_bytes()
    assert signatures[0].read_text().startswith("-----BEGIN PGP SIGNATURE-----\n")
    keys = {name: signer.export(name, tmp_path / f"{name}.gpg") for name in ("maintainer", "somebody")}
    signer.verify(signatures[0], sums, keys["maintainer"])
    with pytest.raises(AssertionError, match="No public key"):
        signer.verify(signatures[0], sums, keys["somebody"])
    sums.write_text(sums.read_text().replace("a", "b", 1))
    with pytest.raises(AssertionError, match="BAD signature"):
        signer.verify(signatures[0], sums, keys["maintainer"])


def test_signing_fails_with_a_key_that_is_younger_than_the_commit(tmp_path: Path) -> None:
    signer = Signer.with_keys(tmp_path, "maintainer")
    (tmp_path / "sums").touch()
    with pytest.raises(AssertionError, match="must be older than the commit"):
        signer.sign(tmp_path / "sums", tmp_path / "sums.asc", "maintainer", time="1000000000")
    assert not (tmp_path / "sums.asc").exists()


def test_the_apt_repository_contains_the_packages_of_the_release(dist: Path, architecture: str) -> None:
    index = (dist / f"apt/dists/stable/main/binary-{architecture}/Packages").read_text()
    assert set(re.findall(r"^Architecture: (.*)$", index, re.M)) == {architecture}
    for package in dist.glob(f"*_{architecture}.deb"):
        assert (dist / "apt/pool" / package.name.split("_")[0] / package.name).read_bytes() == package.read_bytes()
        assert f"SHA256: {hashlib.sha256(package.read_bytes()).hexdigest()}\n" in index


def test_the_archive_contains_the_command_and_its_documents(archive: tarfile.TarFile) -> None:
    top = archive.getnames()[0]
    names = {entry.name.removeprefix(f"{top}/") for entry in archive if entry.isfile()}
    assert names - pages(names) == {
        "bin/mambridge", *(f"share/{name}" for name in COMPLETIONS | UNITS), "share/zsh/site-functions/_mambridge",
        *(f"share/doc/mambridge/{name}" for name in ("CHANGELOG.md", "LICENSE", "NOTICES"))}
    assert {"share/man/man1/mambridge.1", "share/man/man1/mambridge-serve.1"} <= names


def test_files_of_the_archive_belong_to_root_and_have_the_time_of_the_commit(archive: tarfile.TarFile) -> None:
    entries = archive.getmembers()
    assert {(entry.uid, entry.gid, entry.uname, entry.gname) for entry in entries} == {(0, 0, "", "")}
    assert len({entry.mtime for entry in entries}) == 1
    assert {entry.name.split("/")[-1] for entry in entries if entry.isfile() and entry.mode != 0o644} == {"mambridge"}
    assert {entry.mode for entry in entries if entry.isdir() or entry.name.endswith("/bin/mambridge")} == {0o755}


def test_the_debian_package_contains_the_same_files_as_the_archive(archive: tarfile.TarFile, debian: Path) -> None:
    top = archive.getnames()[0]
    names = {path.relative_to(debian / "usr").as_posix() for path in (debian / "usr").rglob("*") if path.is_file()}
    documents = {"NOTICES.gz", "README.Debian", "changelog.Debian.gz", "changelog.gz", "copyright"}
    assert names - pages(names) == {
        "bin/mambridge", *(f"share/{name}" for name in COMPLETIONS), *(f"lib/{name}" for name in UNITS),
        "share/zsh/vendor-completions/_mambridge", "share/lintian/overrides/mambridge",
        *(f"share/doc/mambridge/{name}" for name in documents)}
    manual = {entry.name.removeprefix(f"{top}/") for entry in archive if entry.isfile() and "/man/" in entry.name}
    assert pages(names) == {f"{name}.gz" for name in manual}
    for name in ("bin/mambridge", *(f"share/{name}" for name in COMPLETIONS)):
        assert (debian / "usr" / name).read_bytes() == content(archive, name)


def test_the_packaged_systemd_units_match_recipes_md(archive: tarfile.TarFile, debian: Path) -> None:
    recipes = (ROOT / "docs" / "recipes.md").read_text()
    for name in UNITS:
        unit = content(archive, f"share/{name}").decode()
        assert f"```ini file={name.split('/')[-1]}\n{unit}```\n" in recipes
        assert (debian / "usr" / "lib" / name).read_text() == unit.replace("%h/.local/bin/", "/usr/bin/")


def test_lintian_finds_nothing_except_overrides_with_a_reason(dist: Path, debian: Path, architecture: str) -> None:
    if not shutil.which("lintian"):
        pytest.skip("lintian is not installed: run scripts/toolchains")
    package = debian_package_of(dist, "mambridge", architecture)
    assert output("lintian", "--allow-root", "--display-info", "--tag-display-limit=0", package) == ""
    overrides = (debian / "usr/share/lintian/overrides/mambridge").read_text().strip()
    for group in overrides.split("\n\n"):
        assert re.fullmatch(r"(# .*\n)+(mambridge(?: \[arm64\])?: .*\n?)+", group)


def test_the_package_says_that_openssl_fixes_need_a_new_release(dist: Path, debian: Path, architecture: str) -> None:
    package = debian_package_of(dist, "mambridge", architecture)
    assert output("dpkg-deb", "--field", package, "Architecture") == f"{architecture}\n"
    assert "OpenSSL" in output("dpkg-deb", "--field", package, "Description")
    assert "OpenSSL" in (debian / "usr/share/doc/mambridge/README.Debian").read_text()


def test_the_wheel_contains_the_client_and_the_command(wheel: zipfile.ZipFile, executable: Path) -> None:
    [script] = [entry for entry in wheel.infolist() if entry.filename.endswith(".data/scripts/mambridge")]
    assert wheel.read(script) == executable.read_bytes()
    assert script.external_attr >> 16 == 0o100755
    client = ROOT / "clients" / "python"
    sources = {path.relative_to(client).as_posix(): path.read_bytes() for path in (client / "mambridge").rglob("*.py")}
    packed = {name: wheel.read(name) for name in wheel.namelist() if name.endswith(".py")}
    assert packed == sources
    assert "mambridge/py.typed" in wheel.namelist()
    [points] = [wheel.read(name).decode() for name in wheel.namelist() if name.endswith("/entry_points.txt")]
    assert points == "[pytest11]\nmambridge = mambridge.testing.pytest_plugin\n"


def test_the_record_of_the_wheel_has_the_hash_of_every_file(wheel: zipfile.ZipFile) -> None:
    [record] = [name for name in wheel.namelist() if name.endswith("/RECORD")]
    listed = {name: hashed for name, hashed, _ in csv.reader(io.StringIO(wheel.read(record).decode()))}
    assert listed.pop(record) == ""
    assert listed == {
        name: "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).decode().rstrip("=")
        for name in wheel.namelist() if name != record}


@pytest.mark.parametrize("libc", ["manylinux_2_17", "musllinux_1_1"])
def test_pip_accepts_the_wheel_for_glibc_and_musl(libc: str, dist: Path, architecture: str, tmp_path: Path) -> None:
    platform = f"{libc}_{PROCESSORS[architecture]}"
    output(sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-index", "--no-deps",
           "--find-links", dist, "--only-binary=:all:", "--platform", platform, "-d", tmp_path, "mambridge")
    assert wheel_of(tmp_path, "mambridge", architecture)


def test_auditwheel_confirms_the_platform_tags_of_the_wheel(dist: Path, architecture: str) -> None:
    pytest.importorskip("auditwheel")
    told = output(sys.executable, "-m", "auditwheel", "show", wheel_of(dist, "mambridge", architecture))
    oldest = re.search(rf'platform tag:\s+"manylinux_(\d+)_(\d+)_{PROCESSORS[architecture]}"', told)
    assert oldest and (int(oldest[1]), int(oldest[2])) <= (2, 17)


# The list of what is linked

def test_the_sbom_lists_the_same_libraries_as_mambridge_about(sbom: Any, about: Any) -> None:
    def facts(works: Any) -> Any:
        return {(work["name"], work["version"], work["license"]) for work in works}

    components = [{**each, "license": each["licenses"][0]["expression"]} for each in sbom["components"]]
    assert facts(components) == facts(about["works"])
    assert sbom["metadata"]["component"]["version"] == about["version"]
    assert set(sbom["dependencies"][0]["dependsOn"]) == {each["bom-ref"] for each in sbom["components"]}


def test_the_sbom_has_the_hash_of_the_executable(sbom: Any, executable: Path) -> None:
    [digest] = sbom["metadata"]["component"]["hashes"]
    assert digest["content"] == hashlib.sha256(executable.read_bytes()).hexdigest()


def test_the_sbom_names_the_debian_packages_of_the_libraries(sbom: Any) -> None:
    packages = {property["value"].split()[0] for each in sbom["components"] for property in each.get("properties", [])}
    assert {"libc6-dev", "libjansson-dev", "libsqlite3-dev", "libssl-dev", "zlib1g-dev"} <= packages


def test_the_program_names_the_day_of_its_newest_library(about: Any, sbom: Any, architecture: str) -> None:
    """For this machine, if its libraries are still those that were linked."""
    if architecture != "amd64":
        assert about["newestLibraryDate"] is None or re.fullmatch(r"20\d\d-\d\d-\d\d", about["newestLibraryDate"])
        return
    days = []
    for package, version in (each["value"].split() for one in sbom["components"] for each in one.get("properties", [])):
        path = Path(f"/usr/share/doc/{package}/changelog.Debian.gz")
        text = gzip.decompress(path.read_bytes()).decode() if path.exists() else ""
        if f"({version})" not in text.partition("\n")[0]:
            pytest.skip(f"{package} {version} is no longer installed here, or without its changelog")
        days.append(parsedate_to_datetime(re.findall(r"^ -- .*>  (.*)$", text, re.M)[0]).date().isoformat())
    assert about["newestLibraryDate"] == max(days)


def test_all_packages_contain_the_licenses(
        archive: tarfile.TarFile, wheel: zipfile.ZipFile, debian: Path, executable: Path, architecture: str) -> None:
    own = (ROOT / "LICENSE").read_bytes()
    others = output("env", "COLUMNS=80", *emulator_of(architecture), executable, "about").encode()
    assert content(archive, "share/doc/mambridge/LICENSE") == own
    assert content(archive, "share/doc/mambridge/NOTICES") == others
    assert {Path(name).name: wheel.read(name) for name in wheel.namelist() if "/licenses/" in name} == {
        "LICENSE": own, "NOTICES": others}
    assert b"Apache-2.0" in (debian / "usr/share/doc/mambridge/copyright").read_bytes()


# From what it was made

@pytest.fixture(scope="module")
def provenance(dist: Path) -> Any:
    return json.loads((dist / "provenance.json").read_text())


def test_the_provenance_lists_every_file_with_its_hash(dist: Path, provenance: Any) -> None:
    assert provenance["_type"] == "https://in-toto.io/Statement/v1"
    assert provenance["predicateType"] == "https://slsa.dev/provenance/v1"
    files = {path.relative_to(dist).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
             for path in dist.rglob("*") if path.is_file()}
    for later in ("provenance.json", "SHA256SUMS", "SHA256SUMS.asc"):
        files.pop(later, None)
    assert {one["name"]: one["digest"]["sha256"] for one in provenance["subject"]} == files


def test_the_provenance_names_the_commit_and_the_builder(provenance: Any) -> None:
    [commit] = {one["digest"]["gitCommit"] for one in materials(provenance) if one["name"] == "mambridge"}
    assert re.fullmatch("[0-9a-f]{40}", commit)
    assert ":" in provenance["predicate"]["runDetails"]["builder"]["id"]


def test_the_provenance_names_the_executable_and_the_packages_of_the_sbom(
        provenance: Any, sbom: Any, executable: Path, architecture: str) -> None:
    digest = hashlib.sha256(executable.read_bytes()).hexdigest()
    executables = provenance["predicate"]["buildDefinition"]["externalParameters"]["executables"]
    assert {"program": "mambridge", "architecture": architecture, "sha256": digest} in executables
    listed = {tuple(each["value"].split()) for one in sbom["components"] for each in one.get("properties", [])}
    urls = (re.fullmatch(r"pkg:deb/debian/([^@]+)@([^?]+)\?arch=(.+)", one["uri"]) for one in materials(provenance))
    assert listed <= {(url[1], unquote(url[2])) for url in urls if url and url[3] == architecture}


def test_each_material_in_the_provenance_has_a_unique_name_and_a_digest_but_no_local_path(provenance: Any) -> None:
    names = [one["name"] for one in materials(provenance)]
    assert len(names) == len(set(names)) > 10
    assert {"libssl-dev/usr/lib/x86_64-linux-gnu/libcrypto.a", "swift-nio"} <= set(names)
    assert not [name for name in names if "/" in name and not re.search(r"^[^/]+(/(amd64|arm64))?/usr/lib/", name)]
    for one in materials(provenance):
        [(kind, digest)] = one["digest"].items()
        assert re.fullmatch("[0-9a-f]{%d}" % {"sha256": 64, "gitCommit": 40}[kind], digest)


def test_provenance_is_repeatable(dist: Path, about: Any, executable: Path, architecture: str, tmp_path: Path) -> None:
    linked = ROOT / ".build/release/linked-files"
    if architecture != "amd64" or not linked.exists():
        pytest.skip("needs the build of the packages: run scripts/release in this checkout")
    # A path may contain what separates words elsewhere.
    described = tmp_path / "about, of 1.json"
    described.write_text(json.dumps(about))
    command = [
        ROOT / "scripts/packaging/provenance.py", dist, "0" * 40, "", "mambridge", "amd64", executable, described, linked]
    first, second = (output(*command) for _ in range(2))
    assert first == second and str(tmp_path) not in first


def materials(provenance: Any) -> Any:
    return provenance["predicate"]["buildDefinition"]["resolvedDependencies"]


# The executable

def test_the_executable_contains_no_path_of_the_build_machine(executable: Path) -> None:
    """Only paths of the machines on which Apple and Debian built the Swift library are in it."""
    sources = re.findall(rb"\0((?:/[\w.+-]+)+\.(?:swift|cpp|cc|c|h|o|a))\b", executable.read_bytes())
    builders = (b"/home/build-user/swift", b"/build/reproducible-path/swiftlang-", b"/usr/lib/gcc/aarch64-linux-gnu/")
    assert [path.decode() for path in sources if not path.startswith(builders)] == []


def test_the_executable_needs_no_library_and_exports_nothing(executable: Path) -> None:
    headers = output("readelf", "--wide", "--program-headers", "--sections", executable)
    assert "INTERP" not in headers and "DYNAMIC" not in headers
    assert ".symtab" not in headers and ".dynsym" not in headers and ".debug" not in headers


def test_no_memory_page_of_the_executable_is_both_writable_and_executable(executable: Path) -> None:
    segments = re.findall(r"^  (\w+) +(?:0x\w+ +){5}([RWE ]{3})", output("readelf", "--wide", "-l", executable), re.M)
    flags = [(kind, access) for kind, access in segments if kind in ("LOAD", "GNU_STACK", "GNU_RELRO")]
    assert ("GNU_STACK", "RW ") in flags
    assert "GNU_RELRO" in dict(flags)
    assert not [kind for kind, access in flags if "W" in access and "E" in access]
