"""Connections to a server: the pipes of a child process, or a socket."""
from __future__ import annotations

import collections
import os
import socket
import subprocess
import threading
from typing import Optional


class Pipes:
    """The stdin and stdout of a child process. Keeps its last lines on stderr for error messages."""

    def __init__(self, command: list[str], environment: Optional[dict[str, str]], folder: Optional[str]) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
            env=None if environment is None else {**os.environ, **environment}, cwd=folder)
        assert self.process.stdin and self.process.stdout and self.process.stderr
        self._stdin, self._stdout, self._stderr = self.process.stdin, self.process.stdout, self.process.stderr
        self.last_lines: collections.deque[str] = collections.deque(maxlen=20)
        self._drain = threading.Thread(target=self._read_stderr, daemon=True)
        self._drain.start()

    def _read_stderr(self) -> None:
        for line in self._stderr:
            self.last_lines.append(line.decode("utf-8", "replace").rstrip())

    def read(self) -> bytes:
        return os.read(self._stdout.fileno(), 1 << 16)

    def write(self, message: bytes) -> None:
        view = memoryview(message)
        while view:
            view = view[self._stdin.write(view):]

    def end_of_life(self) -> str:
        try:
            code = self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return "mambridge closed its output but is still running"
        self._drain.join(timeout=1)
        words = " | ".join(line for line in self.last_lines if line)
        return f"mambridge exited with code {code}" + (f"; its last lines on stderr: {words}" if words else "")

    def finish(self) -> None:
        try:
            self._stdin.close()
        except OSError:
            pass

    def close(self, timeout: float) -> None:
        for stronger in (self.process.terminate, self.process.kill):
            try:
                self.process.wait(timeout)
                break
            except subprocess.TimeoutExpired:
                stronger()
        self.process.wait()
        self._drain.join(timeout=1)
        self._stdout.close()
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

    def end_of_life(self) -> str:
        return "mambridge closed the connection"

    def finish(self) -> None:
        try:
            self._connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def close(self, timeout: float) -> None:
        try:
            self._connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._connection.close()


def open_socket(address: str, port: Optional[int]) -> socket.socket:
    if address.startswith("unix://"):
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(address[len("unix://"):])
        except OSError:
            connection.close()
            raise
        return connection
    if port is None:
        address, _, digits = address.removeprefix("tcp://").rpartition(":")
        port = int(digits)
    connection = socket.create_connection((address.strip("[]"), port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection
