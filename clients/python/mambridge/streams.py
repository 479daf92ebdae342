"""Connections to a server: the pipes of a child process, or a socket."""
from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import threading
import time
from typing import Dict, List, Optional, Protocol, Tuple, Union

from .failures import ConnectionLost

# How long a server may take to finish after the end of its input, and to exit after SIGTERM, in seconds.
FINISH = 35.0
EXIT = 5.0
LAST_LINES = 20
LAST_BYTES = 1 << 14


class Stream(Protocol):
    def read(self) -> bytes:
        """Waits for more bytes. No bytes are the end."""
        ...

    def write(self, message: bytes) -> None: ...

    def finish(self) -> None:
        """Says that no more messages will be written."""
        ...

    def end_of_life(self) -> ConnectionLost:
        """Says why there is nothing more to read."""
        ...

    def close(self, seconds: float) -> None:
        """Ends the other side, which may take as long to end by itself."""
        ...

    def release(self) -> None:
        """Closes what is open. Nothing reads or writes any more."""
        ...


class LastLines:
    """The last lines of a stream, which may be as long as it likes."""

    def __init__(self) -> None:
        self._bytes = b""

    def feed(self, chunk: bytes) -> None:
        self._bytes = (self._bytes + chunk)[-LAST_BYTES:]

    def lines(self) -> Tuple[str, ...]:
        return tuple(line.rstrip() for line in self._bytes.decode("utf-8", "replace").splitlines()[-LAST_LINES:])


class Pipes:
    """The stdin and stdout of a child process. Keeps its last lines on stderr."""

    def __init__(self, command: List[str], environment: Optional[Dict[str, str]], folder: Optional[str]) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
            env=None if environment is None else {**os.environ, **environment}, cwd=folder)
        assert self.process.stdin and self.process.stdout and self.process.stderr
        self._stdin, self._stdout, self._stderr = self.process.stdin, self.process.stdout, self.process.stderr
        self._last_lines = LastLines()
        self._drain = threading.Thread(target=self._read_stderr, name="mambridge stderr", daemon=True)
        self._drain.start()

    def _read_stderr(self) -> None:
        while chunk := os.read(self._stderr.fileno(), 1 << 16):
            self._last_lines.feed(chunk)

    def read(self) -> bytes:
        return os.read(self._stdout.fileno(), 1 << 16)

    def write(self, message: bytes) -> None:
        view = memoryview(message)
        while view:
            view = view[self._stdin.write(view):]

    def finish(self) -> None:
        try:
            self._stdin.close()
        except OSError:
            pass

    def end_of_life(self) -> ConnectionLost:
        try:
            code = self.process.wait(timeout=EXIT)
        except subprocess.TimeoutExpired:
            return ConnectionLost("mambridge closed its output but is still running")
        self._drain.join(timeout=1)
        return ConnectionLost(f"mambridge exited with code {code}", code, self._last_lines.lines())

    def close(self, seconds: float) -> None:
        for patience, stronger in ((seconds, self.process.terminate), (EXIT, self.process.kill)):
            try:
                self.process.wait(patience)
                return
            except subprocess.TimeoutExpired:
                stronger()
        with contextlib.suppress(subprocess.TimeoutExpired):  # The system may hold even a killed process.
            self.process.wait(EXIT)

    def release(self) -> None:
        self._stdout.close()
        self._drain.join(timeout=1)
        if not self._drain.is_alive():  # A grandchild may hold stderr open.
            self._stderr.close()


class Socket:
    """A TCP or unix socket connection."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def read(self) -> bytes:
        try:
            return self._connection.recv(1 << 16)
        except ConnectionError:
            return b""

    def write(self, message: bytes) -> None:
        self._connection.sendall(message)

    def finish(self) -> None:
        try:
            self._connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def end_of_life(self) -> ConnectionLost:
        return ConnectionLost("mambridge closed the connection")

    def close(self, seconds: float) -> None:
        try:
            self._connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def release(self) -> None:
        self._connection.close()


def parse_address(address: str) -> Union[str, Tuple[str, int]]:
    """The path of a unix socket (`unix:///PATH`), or host and port (`tcp://127.0.0.1:4711`)."""
    if address.startswith("unix://"):
        return address[len("unix://"):]
    host, colon, port = (address[len("tcp://"):] if address.startswith("tcp://") else address).rpartition(":")
    if not colon or not port.isdigit():
        raise ValueError(f"{address} is no address; use tcp://HOST:PORT or unix:///PATH")
    return host.strip("[]"), int(port)


def open_socket(address: str, timeout: float = 10) -> socket.socket:
    place = parse_address(address)
    if isinstance(place, tuple):
        connection = socket.create_connection(place, timeout)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    else:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.settimeout(timeout)
            connection.connect(place)
        except OSError:
            connection.close()
            raise
    connection.settimeout(None)
    return connection


def read_token(file: str) -> str:
    with open(file, encoding="ascii") as opened:
        return opened.read().strip()


def remaining(deadline: float) -> float:
    return max(0.0, deadline - time.monotonic())
