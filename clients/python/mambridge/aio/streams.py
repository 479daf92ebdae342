"""Connections to a server on asyncio's transports: the pipes of a child process, or a socket."""
from __future__ import annotations

import asyncio
import collections
import os
import socket
from typing import Callable, Deque, Dict, List, Optional, Protocol, cast

from .. import wire
from ..failures import ConnectionLost
from ..streams import EXIT, LAST_LINES, parse_address


class Receiver(Protocol):
    def receive(self, line: bytes) -> None: ...

    def end(self, lost: ConnectionLost) -> None:
        """There is nothing more to read."""


class Gate:
    """Open while the transport takes more bytes."""

    def __init__(self) -> None:
        self._open = asyncio.Event()
        self._open.set()

    def pause_writing(self) -> None:
        self._open.clear()

    def resume_writing(self) -> None:
        self._open.set()

    async def drain(self) -> None:
        await self._open.wait()


class Stream(Gate):
    """What both kinds of connection share. `ended` is set when the other side is gone."""

    def __init__(self, receiver: Receiver) -> None:
        super().__init__()
        self.ended = asyncio.Event()
        self._receiver = receiver
        self._lines = wire.Lines()

    @property
    def pid(self) -> Optional[int]:
        return None

    @property
    def exit_code(self) -> Optional[int]:
        return None

    def write(self, message: bytes) -> None:
        raise NotImplementedError

    def finish(self) -> None:
        """Says that no more messages will be written."""
        raise NotImplementedError

    async def close(self, seconds: float) -> None:
        """Ends the other side, which may take as long to end by itself."""
        raise NotImplementedError

    def _feed(self, data: bytes) -> None:
        for line in self._lines.feed(data):
            self._receiver.receive(line)

    def _end(self, lost: ConnectionLost) -> None:
        self.resume_writing()
        self._receiver.end(lost)


class Pipes(Stream, asyncio.SubprocessProtocol):
    """The stdin and stdout of a child process. Keeps its last lines on stderr."""

    _transport: asyncio.SubprocessTransport
    _stdin: asyncio.WriteTransport

    def __init__(self, receiver: Receiver) -> None:
        super().__init__(receiver)
        self._errors = wire.Lines()
        self._last_lines: Deque[str] = collections.deque(maxlen=LAST_LINES)

    @classmethod
    async def open(
        cls, receiver: Receiver, command: List[str], environment: Optional[Dict[str, str]], folder: Optional[str],
    ) -> "Pipes":
        env = None if environment is None else {**os.environ, **environment}
        loop = asyncio.get_running_loop()
        _, pipes = await loop.subprocess_exec(lambda: cls(receiver), *command, env=env, cwd=folder)
        return pipes

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.SubprocessTransport, transport)
        self._stdin = cast(asyncio.WriteTransport, self._transport.get_pipe_transport(0))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 1:
            self._feed(data)
        else:
            self._last_lines += (line.decode("utf-8", "replace").rstrip() for line in self._errors.feed(data))

    def pipe_connection_lost(self, fd: int, exc: Optional[Exception]) -> None:
        if fd == 1:  # Usually the process is about to exit, and connection_lost knows more.
            asyncio.get_running_loop().call_later(EXIT, self._end_of_life)

    def connection_lost(self, exc: Optional[Exception]) -> None:
        self._end_of_life()
        self.ended.set()

    def _end_of_life(self) -> None:
        if self.exit_code is None:
            self._end(ConnectionLost("mambridge closed its output but is still running"))
        else:
            reason = f"mambridge exited with code {self.exit_code}"
            self._end(ConnectionLost(reason, self.exit_code, tuple(self._last_lines)))

    @property
    def pid(self) -> Optional[int]:
        return self._transport.get_pid()

    @property
    def exit_code(self) -> Optional[int]:
        return self._transport.get_returncode()

    def write(self, message: bytes) -> None:
        self._stdin.write(message)

    def finish(self) -> None:
        self._stdin.close()

    async def close(self, seconds: float) -> None:
        for patience, stronger in ((seconds, self._transport.terminate), (EXIT, self._transport.kill)):
            if await is_set(self.ended, patience):
                break
            try:
                stronger()
            except ProcessLookupError:
                pass
        await is_set(self.ended, EXIT)
        self._transport.close()


class Socket(Stream, asyncio.Protocol):
    """A TCP or unix socket connection."""

    _transport: asyncio.Transport

    @classmethod
    async def open(cls, receiver: Receiver, address: str, timeout: float = 10) -> "Socket":
        place = parse_address(address)
        loop = asyncio.get_running_loop()
        opening: Callable[[], Socket] = lambda: cls(receiver)
        if isinstance(place, tuple):
            _, stream = await asyncio.wait_for(loop.create_connection(opening, *place), timeout)
        else:
            _, stream = await asyncio.wait_for(loop.create_unix_connection(opening, place), timeout)
        return stream

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        connection = transport.get_extra_info("socket")
        if connection.family != socket.AF_UNIX:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def data_received(self, data: bytes) -> None:
        self._feed(data)

    def connection_lost(self, exc: Optional[Exception]) -> None:
        self._end(ConnectionLost("mambridge closed the connection"))
        self.ended.set()

    def write(self, message: bytes) -> None:
        self._transport.write(message)

    def finish(self) -> None:
        if self._transport.can_write_eof() and not self._transport.is_closing():
            self._transport.write_eof()

    async def close(self, seconds: float) -> None:
        if not await is_set(self.ended, seconds):
            self._transport.abort()
            await is_set(self.ended, EXIT)


async def is_set(event: asyncio.Event, seconds: float) -> bool:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except asyncio.TimeoutError:
        return False
    return True
