"""A server whose process may open no more files: it says so once, waits without using a core, and goes on by itself."""
from __future__ import annotations

import contextlib
import json
import os
import resource
import socket
import ssl
import subprocess
import threading
from pathlib import Path
from typing import Callable

import pytest
from processes import take_descriptors
from tenants import Service, service  # noqa: F401
from waiting import wait_for

# Of the free descriptors, a server leaves the last to its libraries. The clients want more than the others, and are fewer
# than a server's limit for strangers.
RESERVE = 8
CLIENTS, FREE = 12, RESERVE + 4
NOTE = "too many open files"


class Bridge:
    """mambridge with one listener."""

    def __init__(self, binary: str, state: str, address: str):
        command = [binary, "--tenant", "sample", "--state", state, "--listen", address]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.lines: "list[str]" = []
        threading.Thread(target=self._read, daemon=True).start()
        wait_for(lambda: self.lines, "the address")
        self.address = str(json.loads(self.lines[0])["listening"])

    def _read(self) -> None:
        assert self.process.stderr
        with self.process.stderr as lines:
            for line in lines:
                self.lines.append(line.decode())

    def connect(self) -> socket.socket:
        if self.address.startswith("unix://"):
            client = socket.socket(socket.AF_UNIX)
            client.connect(self.address[len("unix://"):])
        else:
            client = socket.create_connection(("127.0.0.1", int(self.address.rsplit(":", 1)[1])))
        client.settimeout(60)
        return client

    def answers(self, client: socket.socket) -> bool:
        if self.address.startswith("http://"):
            client.sendall(b"GET /openrpc.json HTTP/1.1\r\nHost: " + self.address[len("http://"):].encode() + b"\r\n\r\n")
            return client.recv(13) == b"HTTP/1.1 401 "
        client.sendall(b'{"jsonrpc":"2.0","id":1,"method":"versionInfo.sdkVersion"}\n')
        return client.recv(16) == b'{"jsonrpc":"2.0"'


def exhaust(
    pid: int, lines: "list[str]", connect: "Callable[[], socket.socket]", answers: "Callable[[socket.socket], bool]"
) -> None:
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    most = take_descriptors(pid, FREE)
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(connect()) for _ in range(CLIENTS)]
        wait_for(lambda: any(NOTE in line for line in lines), "a line in the log", said=lambda: "".join(lines))
        # A server that spins has one switch at the end of each slice of its time; one that waits switches by itself.
        start, begin = processor_ticks(pid), switches(pid)
        wait_for(lambda: switches(pid) >= begin + 8, "eight more attempts", said=lambda: "".join(lines))
        assert processor_ticks(pid) - start < 100
        assert len(os.listdir(f"/proc/{pid}/fd")) <= most
        for client in clients[:-1]:
            client.close()
        assert answers(clients[-1])
    assert sum(NOTE in line for line in lines) == 1, "".join(lines)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, before)


def processor_ticks(pid: int) -> int:
    """Of all threads, in hundredths of a second."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def switches(pid: int) -> int:
    """How often the threads have waited by themselves."""
    texts = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/status")]
    return sum(int(line.split()[1]) for text in texts for line in text.splitlines() if line.startswith("voluntary"))


@pytest.mark.parametrize("address", ["http://127.0.0.1:0", "tcp://127.0.0.1:0", "unix"])
def test_the_bridge_logs_once_that_it_pauses_accepting(binary: str, state: str, tmp_path: Path, address: str) -> None:
    bridge = Bridge(binary, state, f"unix://{tmp_path}/run/socket" if address == "unix" else address)
    try:
        exhaust(bridge.process.pid, bridge.lines, bridge.connect, bridge.answers)
    finally:
        bridge.process.terminate()
        assert bridge.process.wait(40) == 0, "".join(bridge.lines)


def test_the_service_logs_once_that_it_pauses_accepting_connections(service: Service) -> None:
    context = ssl._create_unverified_context()

    def connect() -> socket.socket:
        client = socket.create_connection(("127.0.0.1", service.port))
        client.settimeout(60)
        return client

    def answers(client: socket.socket) -> bool:
        with context.wrap_socket(client) as secure:
            secure.sendall(b"GET /health/live HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            return secure.recv(15) == b"HTTP/1.1 200 OK"

    assert service.process
    exhaust(service.process.pid, service.lines, connect, answers)
