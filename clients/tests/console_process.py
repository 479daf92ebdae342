"""Runs `mambridge console`, and asks its server."""
from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import os
import re
import select
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Iterator
from urllib.parse import urlsplit

import pytest
from conftest import ALICE


class Console:
    """A running console, with the answers of its server."""

    running: "list[Console]" = []

    def __init__(self, command: "list[str]", runtime: "Path | None" = None, **more: str) -> None:
        environment = {**os.environ, **({"XDG_RUNTIME_DIR": str(runtime)} if runtime else {}), **more}
        # A file takes all that the console says, even if nobody reads it before the end.
        self._errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._errors, text=True, env=environment)
        self.running.append(self)
        assert self.process.stdout
        line = self.process.stdout.readline() if select.select([self.process.stdout], [], [], 60)[0] else ""
        found = re.fullmatch(r"((http://127\.0\.0\.1:\d+)/#token=([0-9a-f]{64}))\n", line)
        if not found:
            pytest.fail(f"the console printed {line!r} and {self.kill()!r}")
        self.address, self.origin, self.token = found.groups()

    def errors(self) -> str:
        """What the console has written on stderr."""
        return os.pread(self._errors.fileno(), 1 << 20, 0).decode()

    def copies(self) -> "set[Path]":
        """The throw-away folders that this console has open, whatever others make beside them."""
        opened = set()
        for link in Path(f"/proc/{self.process.pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):  # closed since
                opened.add(Path(os.readlink(link)))
        return {path for path in opened if re.fullmatch(r"mambridge-console-\d+-[0-9a-f]{16}", path.name)}

    def ask(
        self, method: str, path: str, body: "str | None" = None, **fields: "str | None"
    ) -> "tuple[int, Any, bytes]":
        """A request with the token, unless `Authorization` is given; None leaves a field out."""
        parts = urlsplit(self.origin)
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
        kind = "application/json" if body else None
        given = {"Authorization": f"Bearer {self.token}", "Content_Type": kind, **fields}
        try:
            connection.request(
                method, path, body,
                {name.replace("_", "-"): value for name, value in given.items() if value is not None})
            reply = connection.getresponse()
            return reply.status, reply.headers, b"" if path.startswith(("/events", "/log")) else reply.read()
        finally:
            connection.close()

    def reply(self, method: str, **params: Any) -> Any:
        """The reply to a call past the page: its result or its error."""
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        status, _, body = self.ask("POST", "/rpc", json.dumps(request))
        assert status == 200, body
        return json.loads(body)

    def call(self, method: str, **params: Any) -> Any:
        reply = self.reply(method, **params)
        assert "error" not in reply, reply
        return reply["result"]

    def error(self, method: str, **params: Any) -> Any:
        reply = self.reply(method, **params)
        assert "result" not in reply, reply
        return reply["error"]

    def end(self, number: int = signal.SIGINT) -> str:
        """Ends it, and returns what it wrote on stderr."""
        self.process.send_signal(number)
        rest, errors = self._last_words()
        assert rest == "", "stdout has the address alone"
        return errors

    def kill(self) -> str:
        self.process.kill()
        return self._last_words()[1]

    def _last_words(self) -> "tuple[str, str]":
        self.running.remove(self)
        with self._errors:
            rest, _ = self.process.communicate(timeout=40)
            return rest, self.errors()


@pytest.fixture
def runtime(tmp_path: Path) -> Path:
    folder = tmp_path / "runtime"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def command(binary: str, state: str) -> "list[str]":
    return [binary, "console", "--tenant", "sample", "--state", state]


@pytest.fixture(autouse=True)
def no_console_stays() -> Iterator[None]:
    yield
    for console in list(Console.running):
        console.kill()


@pytest.fixture
def console(command: "list[str]", runtime: Path) -> Iterator[Console]:
    running = Console([*command, "--no-open"], runtime)
    yield running
    running.end()
    assert running.process.returncode == 0


def enroll(binary: str, state: str) -> None:
    subprocess.run(
        [binary, "call", "--tenant", "sample", "--state", state, "enrollmentManager.registerAndEnrollAccount",
         f"account={ALICE}"], check=True, capture_output=True, timeout=60)


def contents(folder: "str | Path") -> "dict[str, str]":
    files = [path for path in Path(folder).rglob("*") if path.is_file()]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
