"""Connections to a server on asyncio's transports: the pipes of a child process, or a socket."""
from __future__ import annotations

import asyncio
import collections
import os
import socket
from typing import Callable, Deque, Dict, List, Optional, Protocol, cast

from .. import wire
from ..failures import ConnectionLost, UnexpectedReply
from ..streams import EXIT, LastLines, parse_address


class Receiver(Protocol):
    def receive(self, line: bytes) -> None: ...

    def end(self, lost: ConnectionLost) -> None:
        """There is nothing more to read."""


class Stream:
    """What both kinds of connection share. `ended` is set when the other side is gone.

    Messages wait here while the other side does not read. A caller that gives up takes its message back.
    """

    def __init__(self, receiver: Receiver) -> None:
        self.ended = asyncio.Event()
        self.writable = asyncio.Event()
        self.writable.set()
        self._receiver = receiver
        self._lines = wire.Lines()
        self._outbox: Deque[wire.Outgoing] = collections.deque()
        self._finished = False

    def put(self, message: wire.Outgoing) -> None:
        self._outbox.append(message)
        self._flush()

    def take_back(self, message: wire.Outgoing) -> bool:
        """Whether the message will never be written. A message that was begun will be."""
        if not message.begun and message in self._outbox:
            self._outbox.remove(message)
        return not message.begun

    def finish(self) -> None:
        """Ends the input after the messages that wait."""
        self._finished = True
        self._flush()

    def _flush(self) -> None:
        while self._outbox and self.writable.is_set():
            self._write(self._outbox.popleft().begin())
        if self._finished and not self._outbox:
            self._finish()

    def pause_writing(self) -> None:
        self.writable.clear()

    def resume_writing(self) -> None:
        self.writable.set()
        asyncio.get_running_loop().call_soon(self._flush)  # A transport must not be closed within this call.

    @property
    def pid(self) -> Optional[int]:
        return None

    @property
    def exit_code(self) -> Optional[int]:
        return None

    def _write(self, message: bytes) -> None:
        raise NotImplementedError

    def _finish(self) -> None:
        """Says that no more messages will be written."""
        raise NotImplementedError

    async def close(self, seconds: float) -> None:
        """Ends the other side, which may take as long to end by itself."""
        raise NotImplementedError

    def _feed(self, data: bytes) -> None:
        try:
            for line in self._lines.feed(data):
                self._receiver.receive(line)
        except UnexpectedReply as error:
            self._end(ConnectionLost(str(error)))

    def _end(self, lost: ConnectionLost) -> None:
        self._receiver.end(lost)
        self._outbox.clear()
        self._finished = True
        self.resume_writing()


class Pipes(Stream, asyncio.SubprocessProtocol):
    """The stdin and stdout of a child process. Keeps its last lines on stderr."""

    _transport: asyncio.SubprocessTransport
    _stdin: asyncio.WriteTransport

    def __init__(self, receiver: Receiver) -> None:
        super().__init__(receiver)
        self._last_lines = LastLines()

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
            self._last_lines.feed(data)

    def pipe_connection_lost(self, fd: int, exc: Optional[Exception]) -> None:
        loop = asyncio.get_running_loop()  # Usually the process is about to exit, and connection_lost knows more.
        if fd == 0 and not self._finished:
            loop.call_later(2 * EXIT, self._end, ConnectionLost("mambridge does not read any more"))
        elif fd == 1:
            loop.call_later(EXIT, self._end_of_life)

    def connection_lost(self, exc: Optional[Exception]) -> None:
        self._end_of_life()
        self.ended.set()

    def _end_of_life(self) -> None:
        if self.exit_code is None:
            self._end(ConnectionLost("mambridge closed its output but is still running"))
        else:
            reason = f"mambridge exited with code {self.exit_code}"
            self._end(ConnectionLost(reason, self.exit_code, self._last_lines.lines()))

    @property
    def pid(self) -> Optional[int]:
        return self._transport.get_pid()

    @property
    def exit_code(self) -> Optional[int]:
        return self._transport.get_returncode()

    def _write(self, message: bytes) -> None:
        self._stdin.write(message)

    def _finish(self) -> None:
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

    def _write(self, message: bytes) -> None:
        self._transport.write(message)

    def _finish(self) -> None:
        if self._transport.can_write_eof() and not self._transport.is_closing():
            self._transport.write_eof()

    async def close(self, seconds: float) -> None:
        if not await is_set(self.ended, seconds):
            self._transport.abort()
            await is_set(self.ended, EXIT)


async def is_set(event: asyncio.Event, seconds: Optional[float]) -> bool:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except asyncio.TimeoutError:
        return False
    return True
