"""The packages of a release in small systems without Swift, with and without /proc: install, use, remove."""
from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ALICE, ROOT
from packages import PROCESSORS, System, skip_without_packages_for, system
from test_documents import Block, blocks_of, matches

README = blocks_of((ROOT / "README.md").read_text())
STATE = "root/.local/state/mambridge/"

# What every system can do with the command.
USE = f"""
export MAMBRIDGE_TENANT=sample MAMBRIDGE_STATE=~/.local/state/mambridge/used
rm -rf "$MAMBRIDGE_STATE"
mambridge --version
mambridge call enrollmentManager.registerAndEnrollAccount account={ALICE}
mambridge explain policy.isSaveToAllowedForLocation location=dropbox account={ALICE} | grep '^Saving to Dropbox is '
mkdir -m 700 ~/run
mambridge serve --listen unix://$HOME/run/socket &
for _ in $(seq 300); do [ -S ~/run/socket ] || sleep 0.1; done
mambridge call --connect unix://$HOME/run/socket policy.isPINRequired account={ALICE}
kill $!
wait $!
rmdir ~/run
"""
USED = """mambridge …
…"newPoliciesReceived"…
Saving to Dropbox is blocked…
true
"""

ARCHIVE = "/dist/mambridge-[0-9]*-linux-$(uname -m).tar.gz"
UNPACK = f"mkdir -p ~/.local && tar -xzf {ARCHIVE} -C ~/.local --strip-components=1"
DELETE = f"cd ~/.local && tar -tzf {ARCHIVE} | grep -v '/$' | cut -d/ -f2- | xargs rm"


@pytest.fixture(params=["debian", "oldest", "arm64"])
def kind(request: pytest.FixtureRequest) -> str:
    """The kinds of systems that scripts/root makes; arm64 runs in qemu."""
    return skip_without_packages_for(request.param) if request.param in PROCESSORS else str(request.param)


@pytest.fixture(params=[True, False], ids=["proc", "no-proc"])
def has_proc(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def debian(kind: str, has_proc: bool, tmp_path: Path) -> System:
    return system(kind, tmp_path, has_proc)


def shell_examples() -> "list[Block]":
    """The first commands of the README, which end with `explain`, and its first example with an output."""
    return [block for block in README if block.language == "sh" and "test" in block.words][:2]


def python_example() -> Block:
    return next(block for block in README if block.language == "python")


def check(system: System, block: Block, command: str) -> None:
    printed = system.run(f"mkdir -p /tmp/example && cd /tmp/example\n{command}\nrm -r /tmp/example")
    assert block.expected is None or matches(block.expected, printed)


def test_the_debian_package_is_installed_used_and_removed(debian: System) -> None:
    debian.run("apt-get install -q -y --no-install-recommends /dist/mambridge_*_$(dpkg --print-architecture).deb")
    for block in shell_examples():
        check(debian, block, block.text)
    assert matches(USED, debian.run(USE))
    debian.run("apt-get purge -q -y mambridge")
    assert {file for file in debian.files() if not file.startswith(STATE)} == set()
    assert any(file.startswith(STATE) for file in debian.files())


def test_the_wheel_is_installed_used_and_removed(debian: System) -> None:
    debian.run("python3 -m venv /opt/env")
    before = debian.files()
    debian.run("/opt/env/bin/pip install -q --no-cache-dir --no-index --find-links /dist mambridge")
    # The environment is not on PATH: the client finds its own server.
    block = python_example()
    check(debian, block, f"/opt/env/bin/python - <<'END'\n{block.text}\nEND")
    assert matches(USED, debian.run(f"PATH=/opt/env/bin:$PATH\n{USE}"))
    debian.run("/opt/env/bin/pip uninstall -q -y mambridge")
    assert {file for file in debian.files() - before if not file.startswith(STATE)} == set()


def test_the_archive_is_unpacked_used_and_deleted(debian: System) -> None:
    debian.run(UNPACK)
    assert matches(USED, debian.run(f"PATH=~/.local/bin:$PATH\n{USE}"))
    debian.run(DELETE)
    assert {file for file in debian.files() if not file.startswith(STATE)} == set()


def test_the_archive_and_the_wheel_work_without_glibc(has_proc: bool, tmp_path: Path) -> None:
    """No Python for musl can be had from Debian: the wheel is unpacked here as pip does."""
    musl = system("musl", tmp_path, has_proc)
    assert musl.run("ls /lib/ld-musl-x86_64.so.1; ls /lib64 2>/dev/null || true") == "/lib/ld-musl-x86_64.so.1\n"
    musl.run(UNPACK)
    assert matches(USED, musl.run(f"PATH=~/.local/bin:$PATH\n{USE}"))
    musl.run(DELETE)
    musl.run("unzip -q /dist/mambridge-*_$(uname -m).whl -d /opt && chmod +x /opt/*.data/scripts/mambridge")
    assert matches(USED, musl.run(f"PATH=$(echo /opt/*.data/scripts):$PATH\n{USE}"))
    musl.run("rm -r /opt")
    assert {file for file in musl.files() if not file.startswith(STATE)} == set()
