"""Fixtures for all client tests: the real binary, a tenant, a state folder, a listening server."""
from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator

import pytest
from mambridge import Client, MambridgeError, errors

ROOT = Path(__file__).resolve().parent.parent
ALICE = "alice@contoso.example"


@dataclass
class Server:
    """A listening server, as described by its line on stderr."""

    address: str
    token_file: str
    process: "subprocess.Popen[bytes]"


# Longest first, so that no process works alone at the end.
LONGEST = (
    "test_documents", "test_rust", "test_conformance", "test_completions", "test_tenant_document", "test_java",
    "test_manual", "test_typing", "test_testing", "test_typescript", "test_tenant_wipe",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: LONGEST.index(item.path.stem) if item.path.stem in LONGEST else len(LONGEST))


def find_binary() -> Path:
    if named := os.environ.get("MAMBRIDGE"):
        found = shutil.which(named)
        return Path(found).absolute() if found else pytest.fail(f"MAMBRIDGE={named} is no executable", pytrace=False)
    built = [ROOT / ".build" / kind / "mambridge" for kind in ("debug", "release")]
    built = [path for path in built if path.exists()]
    if not built:
        pytest.fail("no mambridge is built: run scripts/build", pytrace=False)
    return max(built, key=lambda path: path.stat().st_mtime)


@pytest.fixture(autouse=True)
def declared_errors(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A debug build says which error its method does not list: no test may meet one."""
    undeclared: list[str] = []
    read = errors.from_wire

    def from_wire(error: Any) -> MambridgeError:
        found = read(error)
        if isinstance(found.data, dict) and "undeclared" in found.data:
            undeclared.append(found.message)
        return found

    monkeypatch.setattr(errors, "from_wire", from_wire)
    yield
    assert not undeclared


@pytest.fixture(scope="session")
def binary() -> str:
    return str(find_binary())


@pytest.fixture(scope="session")
def tenant_program(binary: str) -> str:
    """mambridge-tenant with its network code: from MAMBRIDGE_TENANT_PROGRAM, or beside mambridge."""
    program = Path(os.environ.get("MAMBRIDGE_TENANT_PROGRAM") or Path(binary).resolve().with_name("mambridge-tenant"))
    if not program.exists():
        pytest.skip("mambridge-tenant is not built: run scripts/build debug tenant")
    if subprocess.run([program, "serve", "--help"], capture_output=True, timeout=30).returncode:
        pytest.skip("mambridge-tenant is built without its network code: run scripts/build debug tenant")
    return str(program)


@pytest.fixture
def state(tmp_path: Path) -> str:
    return str(tmp_path / "state")


@pytest.fixture
def client(binary: str, state: str) -> Iterator[Client]:
    """A server with the built-in tenant, over stdio."""
    with Client.spawn(binary, "--tenant", "sample", "--state", state, timeout=60) as connection:
        yield connection


@pytest.fixture
def server(binary: str, state: str) -> Iterator[Server]:
    """A server with the built-in tenant, over TCP."""
    command = [binary, "--tenant", "sample", "--state", state, "--listen", "tcp://127.0.0.1:0"]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        said = json.loads(first_line(process, 30))
        yield Server(said["listening"], said["tokenFile"], process)
    finally:
        process.terminate()
        process.communicate(timeout=40)
    assert process.returncode == 0


def first_line(process: "subprocess.Popen[bytes]", seconds: float) -> bytes:
    assert process.stderr
    deadline = time.monotonic() + seconds
    line = b""
    while not line.endswith(b"\n"):
        ready, _, _ = select.select([process.stderr], [], [], max(0.0, deadline - time.monotonic()))
        chunk = os.read(process.stderr.fileno(), 1) if ready else b""
        if not chunk:
            pytest.fail(f"the server said no address, but {line!r}")
        line += chunk
    return line
