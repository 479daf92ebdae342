"""How messages of one connection delay others: the slowest answer on a second connection while the first is busy."""
from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from measuring import PIN, Row

SIZE = 60 << 20
UNKNOWN = 50_000
METHOD = "versionInfo.sdkVersion"
PROBE = f'{{"jsonrpc":"2.0","id":1,"method":"{METHOD}"}}\n'.encode()


def message(params: bytes) -> bytes:
    return b'{"jsonrpc":"2.0","id":1,"method":"' + METHOD.encode() + b'","params":' + params + b"}\n"


def batch() -> bytes:
    element = message(b'{"a":"' + b"\\n" * (SIZE // 2000) + b'"}').strip()
    return b"[" + b",".join([element] * 1000) + b"]\n"


KINDS = {
    "60 MB string with escapes": lambda: message(b'{"a":"' + b"\\n" * (SIZE // 2) + b'"}'),
    "60 MB string": lambda: message(b'{"a":"' + b"x" * SIZE + b'"}'),
    "60 MB of nesting, too deep": lambda: message(b"[" * (SIZE // 2) + b"]" * (SIZE // 2)),
    "60 MB of 511 levels, closed and opened": lambda: message(b"[" + b",".join([b"[" * 510 + b"]" * 510] * (SIZE // 1021)) + b"]"),
    "999,990 values": lambda: message(b"[" + b",".join([b"1"] * 999_990) + b"]"),
    "999,990 values of 60 bytes": lambda: message(b"[" + b",".join([b'"' + b"x" * 57 + b'"'] * 999_990) + b"]"),
    "batch of 1000, 60 MB": batch,
    "batch of 1000 rpc.discover": lambda: b"[" + b",".join([b'{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}'] * 1000) + b"]\n",
}


@contextlib.contextmanager
def listening(command: list[str]) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "run" / "socket")
        line = [*PIN, command[0], "serve", "--listen", f"unix://{path}", *command[1:]]
        with subprocess.Popen(line, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr
            if not (first := process.stderr.readline()).startswith("{"):
                sys.exit(f"run: the server does not listen: {first}{process.stderr.read()}")
            try:
                yield path
            finally:
                process.terminate()


def connect(path: str) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(120)
    connection.connect(path)
    return connection


def read_line(connection: socket.socket) -> bytes:
    parts: list[bytes] = []
    while not (parts and parts[-1].endswith(b"\n")):
        part = connection.recv(1 << 20)
        if not part:
            sys.exit("run: the server closed a connection")
        parts.append(part)
    return b"".join(parts)


def longest_delay(path: str, text: bytes, count: int) -> float:
    """The longest delay in milliseconds while `count` of these messages are sent and answered."""
    busy, probe = connect(path), connect(path)
    is_over = threading.Event()

    answered = 0

    def send() -> None:
        nonlocal answered
        try:
            for _ in range(count):
                busy.sendall(text)
                read_line(busy)
                answered += 1
        finally:
            is_over.set()

    sender = threading.Thread(target=send)
    longest = 0.0
    sender.start()
    while not is_over.is_set():
        begin = time.perf_counter()
        probe.sendall(PROBE)
        read_line(probe)
        longest = max(longest, time.perf_counter() - begin)
        time.sleep(0.001)
    sender.join()
    if answered < count:
        sys.exit(f"run: only {answered} of {count} messages were answered")
    busy.close()
    probe.close()
    return longest * 1000


def unknown_seconds(path: str) -> float:
    """The seconds to answer UNKNOWN requests for methods with almost correct names."""
    connection = connect(path)
    lines = [json.dumps({"jsonrpc": "2.0", "id": number, "method": f"policy.isSaveToAllowedForLocatio{number % 10}"}) + "\n"
             for number in range(UNKNOWN)]
    sender = threading.Thread(target=connection.sendall, args=("".join(lines).encode(),))
    begin = time.perf_counter()
    sender.start()
    seen = 0
    while seen < UNKNOWN:
        part = connection.recv(1 << 20)
        if not part:
            sys.exit("run: the server closed a connection")
        seen += part.count(b"\n")
    sender.join()
    connection.close()
    return time.perf_counter() - begin


def rows(command: list[str], runs: int) -> list[Row]:
    found = []
    with listening(command) as path:
        seconds = min(unknown_seconds(path) for _ in range(max(1, runs // 2)))
        found.append(Row(f"{UNKNOWN:,} requests for unknown methods", seconds, " s", at_most=1))
        for title, make in KINDS.items():
            longest = longest_delay(path, make(), max(1, runs // 2))
            found.append(Row(f"delay by {title}", longest, " ms", at_most=100))
    return found
