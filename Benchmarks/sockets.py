"""TCP compared with the C program over TCP, and the memory of idle connections."""
from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from measuring import BUILT, PIN, Row, in_turns, load, memory_of

CONNECTIONS = 64
METHOD = "versionInfo.sdkVersion"


class Listener:
    """A server that listens at a local port until the end of the block."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr
        line = process.stderr.readline()
        if not line.startswith("{"):
            sys.exit(f"run: the server does not listen: {line}{process.stderr.read()}")
        self.process = process
        address = urlsplit(json.loads(line)["listening"])
        self.host, self.port = address.hostname or "", address.port or 0
        self.token = Path(json.loads(line)["tokenFile"]).read_text().strip()
        self.authenticate = f'{{"jsonrpc":"2.0","id":0,"method":"authenticate","params":{{"token":"{self.token}"}}}}\n'

    def connect(self) -> socket.socket:
        connection = socket.create_connection((self.host, self.port), timeout=20)
        connection.sendall(self.authenticate.encode())
        if b'"result"' not in (reply := connection.recv(4096)):
            sys.exit(f"run: not authenticated: {reply!r}")
        return connection


@contextlib.contextmanager
def listening(
    command: list[str], address: str = "tcp://127.0.0.1:0", pin: list[str] = PIN
) -> Iterator[Listener]:
    line = [*pin, command[0], "serve", "--listen", address, *command[1:]]
    with subprocess.Popen(line, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield Listener(process)
        finally:
            process.terminate()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def speed(command: list[str], runs: int) -> list[Row]:
    with listening(command) as listener, tempfile.NamedTemporaryFile("w") as first:
        first.write(listener.authenticate)
        first.flush()
        ours_at = ["-t", f"{listener.host}:{listener.port}", "-I", first.name]

        def echo() -> tuple[float, float]:
            port = free_port()
            return load(METHOD, 1, ["-t", f"127.0.0.1:{port}"], [str(BUILT / "echo_jansson"), str(port)])

        # The generator must start and end a command; the server is already running.
        medians = in_turns(runs, echo, lambda: load(METHOD, 1, ours_at, ["sleep", "300"]))
    (_, echo_rate), (_, our_rate) = medians
    return [Row(f"{METHOD}, TCP ping-pong", our_rate / echo_rate, at_least=0.5,
                detail=f"{our_rate:,.0f} / {echo_rate:,.0f} requests per second")]


def memory(command: list[str]) -> list[Row]:
    with listening(command) as listener, contextlib.ExitStack() as connections:
        for _ in range(CONNECTIONS):
            connections.enter_context(listener.connect())
        figures = memory_of(listener.process.pid)
    title = f"with {CONNECTIONS} idle connections"
    return [Row(f"RSS {title}", figures["VmRSS"], " MB", at_most=24),
            Row(f"RssAnon {title}", figures["RssAnon"], " MB")]
