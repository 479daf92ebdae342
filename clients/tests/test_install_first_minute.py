"""A newcomer with an empty Debian and the two programs: a signed-in check-in and a wipe, by the commands of the page."""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from conftest import ROOT
from packages import System, dist_folder, system
from test_documents import blocks_of, matches

#: What docs/tenant-service.md promises ("in a minute"), in seconds. On an idle machine it takes three.
A_MINUTE = 60

PAGE = blocks_of((ROOT / "docs" / "tenant-service.md").read_text())
[COMMANDS] = [block for block in PAGE if "test" in block.words and block.text.startswith("mambridge-tenant dev ")]
UNPACK = "for archive in /dist/mambridge-*-linux-x86_64.tar.gz; do tar -xzf $archive -C /usr/local --strip-components=1; done"


def with_libraries(programs: "list[str]", folder: Path) -> Path:
    """Programs of this checkout and the shared libraries that an empty system may lack."""
    for name in ("bin", "lib"):
        (folder / name).mkdir(parents=True)
    for path in programs:
        shutil.copy(path, folder / "bin" / Path(path).name)
        # It fails for a static program, which has none.
        listed = subprocess.run(["ldd", path], capture_output=True, text=True, check=False, timeout=60).stdout
        for library in re.findall(r"=> (/\S+)", listed):
            if not re.match(r"lib(c|m|pthread|dl)\.so", Path(library).name):
                shutil.copy(library, folder / "lib")
    return folder


@pytest.fixture
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> "tuple[System, str]":
    """The system, and what puts the programs of a release, or else those of this checkout, on PATH."""
    if not shutil.which("ip"):
        pytest.skip("ip is not installed: apt-get install iproute2")
    if os.environ.get("MAMBRIDGE_DIST"):
        if not list(dist_folder().glob("mambridge-tenant-*.tar.gz")):
            pytest.skip("scripts/release --without-service made no package of mambridge-tenant")
        return system("debian", tmp_path / "system", is_alone=True), UNPACK
    programs = [request.getfixturevalue(name) for name in ("binary", "tenant_program")]
    packages = with_libraries(programs, tmp_path / "programs")
    return (system("debian", tmp_path / "system", packages=packages, is_alone=True),
            "export PATH=/dist/bin:$PATH LD_LIBRARY_PATH=/dist/lib")


def test_the_first_check_in_and_wipe_take_less_than_a_minute(empty: "tuple[System, str]", capsys: pytest.CaptureFixture[str]) -> None:
    system, install = empty
    start = time.monotonic()
    printed = system.run(f"{install}\nmkdir /root/try\ncd /root/try\nbash -euo pipefail <<'END'\n{COMMANDS.text}END")
    seconds = time.monotonic() - start
    with capsys.disabled():
        print(f"\nfrom an empty Debian to a signed-in check-in and a wipe: {seconds:.1f} s, of {A_MINUTE} s")
    assert COMMANDS.expected is not None and matches(COMMANDS.expected, printed), printed
    assert seconds < A_MINUTE
