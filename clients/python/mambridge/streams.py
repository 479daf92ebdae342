"""Connections to a server: the pipes of a child process, or a socket."""
from __future__ import annotations

import _socket
import contextlib
import select
import signal
import socket
import threading
import time
from itertools import repeat
from typing import Any, Callable, Dict, List, Optional, Protocol, Tuple, Union

from .child import Child
from .failures import ConnectionLost

# How long a server may take to finish after the end of its input, and to exit after SIGTERM, in seconds.
FINISH = 35.0
EXIT = 5.0


# What a thread that reads for itself takes at once. A longer answer is read by another.
READ_SIZE = 1 << 14
FLAGS = repeat(socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)


class Direct:
    """Functions of the system that read and write at once or not at all, without Python code in between."""

    def __init__(self, incoming: Any, outgoing: Any) -> None:
        self.receive: Callable[[int, int], bytes] = _socket.socket.recv.__get__(incoming)
        self.send: Callable[[bytes, int], int] = _socket.socket.send.__get__(outgoing)
        ready = select.poll()
        ready.register(incoming.fileno(), select.POLLIN)
        self.poll: Callable[[float], List[Tuple[int, int]]] = ready.poll


class Stream(Protocol):
    def direct(self) -> Optional[Direct]:
        """How any thread may read and write; None if the program has replaced the sockets, for example by gevent's."""
        ...

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

    def after_fork(self) -> None:
        """Closes the copies of a forked process, which would keep the server from noticing the end of its host."""
        ...


class Socket:
    """A TCP or unix socket connection, or one socket for each direction."""

    def __init__(self, connection: socket.socket, output: Optional[socket.socket] = None) -> None:
        self._connection = connection
        self._output = output or connection

    def direct(self) -> Optional[Direct]:
        sockets = (self._connection, self._output)
        return Direct(*sockets) if all(isinstance(found, _socket.socket) for found in sockets) else None

    def read(self) -> bytes:
        while True:
            try:
                return self._connection.recv(1 << 16)
            except BlockingIOError:  # Somebody has changed the flags of the connection.
                wait_until_ready(self._connection.fileno(), select.POLLIN)
            except ConnectionError:
                return b""

    def write(self, message: bytes) -> None:
        view = memoryview(message)
        while view:
            try:
                view = view[self._output.send(view, socket.MSG_NOSIGNAL):]
            except BlockingIOError:
                wait_until_ready(self._output.fileno(), select.POLLOUT)

    def finish(self) -> None:
        with contextlib.suppress(OSError):
            self._output.shutdown(socket.SHUT_WR)

    def end_of_life(self) -> ConnectionLost:
        return ConnectionLost("mambridge closed the connection")

    def close(self, seconds: float) -> None:
        for connection in (self._connection, self._output):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def release(self) -> None:
        self._connection.close()
        self._output.close()

    def after_fork(self) -> None:
        self._connection.close()
        self._output.close()


class Pipes(Socket):
    """The stdin and stdout of a child process. Keeps its last lines on stderr."""

    def __init__(
        self, command: List[str], environment: Optional[Dict[str, str]], folder: Optional[str], own_process_group: bool,
    ) -> None:
        self.child = Child(command, environment, folder, own_process_group)
        super().__init__(self.child.output, self.child.input)
        self._drain = threading.Thread(target=self._read_errors, name="mambridge stderr", daemon=True)
        try:
            self._drain.start()
        except BaseException:
            self.close(0)
            super().release()
            self.child.errors.close()
            raise

    def _read_errors(self) -> None:
        while (chunk := self.child.errors.read(1 << 16)) != b"":
            if chunk is None:
                wait_until_ready(self.child.errors.fileno(), select.POLLIN)
            else:
                self.child.last_lines.feed(chunk)

    def end_of_life(self) -> ConnectionLost:
        if self.child.ends_within(EXIT):
            self._drain.join(timeout=1)
        return self.child.lost()

    def close(self, seconds: float) -> None:
        for patience, stronger in ((seconds, signal.SIGTERM), (EXIT, signal.SIGKILL)):
            if self.child.ends_within(patience):
                break
            self.child.signal(stronger)
        self.child.ends_within(EXIT)  # The system may hold even a killed process.
        super().close(0)

    def release(self) -> None:
        super().release()
        self._drain.join(timeout=1)
        if not self._drain.is_alive():  # A grandchild may hold stderr open.
            self.child.errors.close()

    def after_fork(self) -> None:
        super().after_fork()
        self.child.errors.close()
        self.child.after_fork()


def wait_until_ready(descriptor: int, events: int) -> None:
    poll = select.poll()
    poll.register(descriptor, events)
    poll.poll()


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
