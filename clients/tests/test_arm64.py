"""The build for arm64, in an emulator, beside the one for amd64: what one writes, the other reads."""
from __future__ import annotations

import base64
import csv
import json
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import ALICE, ROOT
from mambridge import Client
from packages import emulator_of, output

PIN = "2580"
PAGE = 1 << 16
#: Longer than a page of a protected file.
TEXT = b"written on one processor " * 1000


@pytest.fixture(scope="session")
def arm64(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The program, or what starts it in the emulator."""
    named = os.environ.get("MAMBRIDGE_ARM64")
    if not named:
        pytest.skip("MAMBRIDGE_ARM64 is not set: run scripts/build release --arch arm64, then set it to the path it prints")
    emulator = emulator_of("arm64")
    if not emulator:
        return named
    starter = tmp_path_factory.mktemp("arm64") / "mambridge"
    starter.write_text(f'#!/bin/sh\nexec {emulator[0]} {Path(named).absolute()} "$@"\n')
    starter.chmod(0o755)
    return str(starter)


def open_state(program: str, folder: Path) -> Client:
    return Client.spawn(program, "--tenant", "sample", "--state", str(folder / "state"), timeout=60)


def encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


#: Knows a mirror, which has no package.
APT = """#!/bin/sh
case " $* " in
  *" indextargets "*) . /etc/os-release && echo "$VERSION_CODENAME http://mirror.example/debian" ;;
  *" update "*) ;;
  *) exit 100 ;;
esac
"""


def test_scripts_cross_names_a_package_that_the_archive_no_longer_has(tmp_path: Path) -> None:
    if not shutil.which("dpkg") or platform.machine() != "x86_64":
        pytest.skip("only Debian for amd64 can build for arm64")
    (tmp_path / "apt-get").write_text(APT)
    (tmp_path / "apt-get").chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "MAMBRIDGE_TOOLCHAINS": str(tmp_path / "kept")}
    done = subprocess.run([ROOT / "scripts" / "cross"], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 77 and "scripts/cross --pin" in done.stderr
    assert re.search(r"^  libjansson-dev 2\S+ \(arm64\), as \w{64}\.deb$", done.stderr, re.M)
    assert {path.name for path in (tmp_path / "kept").iterdir()} == {"lock", "packages"}


@pytest.mark.parametrize("order", ["amd64 first", "arm64 first"])
def test_a_state_and_protected_files_written_on_one_processor_open_on_the_other(
        order: str, binary: str, arm64: str, tmp_path: Path) -> None:
    first, second = (binary, arm64) if order == "amd64 first" else (arm64, binary)
    path = tmp_path / "document"
    path.write_bytes(TEXT)
    with open_state(first, tmp_path) as client:
        client.call("enrollmentManager.registerAndEnrollAccount", account=ALICE)
        client.call("pin.set", pin=PIN, account=ALICE)
        client.call("fileProtectionManager.protect", path=str(path), account=ALICE)
        buffer = client.call("dataProtectionManager.protect", data=encoded(TEXT), account=ALICE)
        written = client.call("file.create", path=str(tmp_path / "handle"), account=ALICE)
        client.call("file.pwrite", handle=written["handle"], data=encoded(TEXT), offset=0)
        client.call("file.close", handle=written["handle"])
        asked = client.call("policyManager.managedAccounts")
    assert TEXT[:100] not in path.read_bytes()
    for reader, added in ((second, b"one"), (first, b"two")):
        with open_state(reader, tmp_path) as client:
            assert client.call("policyManager.managedAccounts") == asked
            assert client.call("dataProtectionManager.unprotect", data=buffer) == encoded(TEXT)
            client.call("pin.change", pin=PIN, newPin=PIN[::-1], account=ALICE)
            client.call("pin.change", pin=PIN[::-1], newPin=PIN, account=ALICE)
            opened = client.call("file.open", path=str(tmp_path / "handle"), flags=["readWrite"])
            assert opened["size"] == len(TEXT) and opened["isEncrypted"]
            client.call("file.pwrite", handle=opened["handle"], data=encoded(added), offset=4063)
            read = client.call("file.pread", handle=opened["handle"], count=len(TEXT), offset=0)
            client.call("file.close", handle=opened["handle"])
        assert base64.b64decode(read) == TEXT[:4063] + added + TEXT[4066:]
        shown = output(reader, "files", "cat", path, "--state", tmp_path / "state")
        assert shown.encode() == TEXT


def test_about_names_the_compiler_and_the_libraries_of_each_build(binary: str, arm64: str) -> None:
    with open(ROOT / "scripts" / "cross.tsv") as table:
        rows = {row["package"]: row["version"] for row in csv.DictReader(table, delimiter="\t") if row["use"] != "machine"}
    def works(program: str) -> "dict[str, str]":
        return {work["name"]: work["version"] for work in json.loads(output(program, "about", "--json"))["works"]}

    theirs = works(arm64)
    assert rows["swiftlang"].startswith(f"{theirs['Swift']}-")
    for package, work in (("libssl-dev", "OpenSSL"), ("libsqlite3-dev", "SQLite"), ("libjansson-dev", "jansson"),
                          ("libzstd-dev", "zstd"), ("libc6-dev", "glibc")):
        assert rows[package].startswith(theirs[work]), package
    assert works(binary)["Swift"] and works(binary).keys() <= theirs.keys()


def test_amd64_and_arm64_print_the_same_manual_pages_and_completions(binary: str, arm64: str, tmp_path: Path) -> None:
    """scripts/release lets the binary for this machine print them."""
    for name, program in (("amd64", binary), ("arm64", arm64)):
        output(program, "man", "--into", tmp_path / name)
    pages = [{path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("amd64", "arm64")]
    assert pages[0] == pages[1] and pages[0]
    for shell in ("bash", "zsh", "fish"):
        assert output(binary, "completions", shell) == output(arm64, "completions", shell)


def test_kernels_with_64_kib_pages_can_load_the_arm64_binary(arm64: str) -> None:
    """Segments with different rights are on different pages, also on those of 64 KiB."""
    headers = output("readelf", "--wide", "--program-headers", os.environ["MAMBRIDGE_ARM64"])
    loads = re.findall(r"^  LOAD +(0x\w+) (0x\w+) 0x\w+ 0x\w+ (0x\w+) ([RWE ]{3}) (0x\w+)", headers, re.M)
    assert len(loads) > 2
    last = -1
    for place, address, size, _, alignment in ([int(each, 16) if each[:2] == "0x" else each for each in load] for load in loads):
        assert alignment >= PAGE and (address - place) % PAGE == 0
        assert address // PAGE > last
        last = (address + size - 1) // PAGE
