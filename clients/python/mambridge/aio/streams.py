"""Connections to a server on asyncio's transports: the pipes of a child process, or a socket."""
from __future__ import annotations

import _socket
import asyncio
import collections
import contextlib
import signal
import socket
from itertools import islice, repeat
from typing import TYPE_CHECKING, Any, Deque, Dict, List, Optional, Protocol, cast

from .. import wire
from ..child import Child, QuietSocket, pauses
from ..failures import ConnectionLost, UnexpectedReply
from ..streams import EXIT, FLAGS, READ_SIZE, Direct, parse_address
from .pace import QUICK

if TYPE_CHECKING:
    from .session import Call

SIZES = repeat(READ_SIZE)


class Receiver(Protocol):
    def receive(self, line: bytes) -> None: ...

    def settle(self, reply: wire.Reply) -> None: ...

    def end(self, lost: ConnectionLost) -> None:
        """There is nothing more to read."""


class Stream(asyncio.Protocol):
    """A TCP or unix socket connection, or that of a child. `ended` is set when there is nothing more to read.

    Messages wait here while the other side does not read. A caller that gives up takes its message back.
    """

    _transport: asyncio.Transport

    def __init__(self, receiver: Receiver, connection: socket.socket) -> None:
        self.ended = asyncio.Event()
        self.writable = asyncio.Event()
        self.writable.set()
        self._receiver = receiver
        self._connection = connection
        self._direct = direct(connection)
        self._lines = wire.Lines()
        self._chunks: Deque[bytes] = collections.deque()
        self._outbox: Deque[wire.Outgoing] = collections.deque()
        self._finished = False

    def put(self, message: wire.Outgoing) -> None:
        if self._outbox or not self.writable.is_set():
            self._outbox.append(message)
        else:
            self._write(message.begin())

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

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def answer(self, call: Call) -> Optional[wire.Reply]:
        """The answer to a request, if it is what comes at once, and nothing else. The loop gets anything else."""
        chunks = self._chunks
        if self._direct is None or not call.message.begun or not self._lines.is_between or self._is_writing():
            return None
        try:
            if self._direct.poll(QUICK * 1000):
                # Without Python code in between, so that no signal handler can lose what was read.
                chunks.extend(islice(map(self._direct.receive, SIZES, FLAGS), 1))
                reply = wire.read_answer(chunks[0])
                if reply is not None and reply.id == call.number:
                    chunks.clear()
                    return reply
        except OSError:
            pass  # The loop learns why.
        finally:
            while chunks:
                self._feed(chunks.popleft())
        return None

    def _is_writing(self) -> bool:
        """Whether a part of a message waits until the other side reads."""
        return self._transport.get_write_buffer_size() > 0

    def data_received(self, data: bytes) -> None:
        self._feed(data)

    def connection_lost(self, exc: Optional[Exception]) -> None:
        self._end(ConnectionLost("mambridge closed the connection"))
        self.ended.set()

    def _write(self, message: bytes) -> None:
        self._transport.write(message)

    def _finish(self) -> None:
        """Says that no more messages will be written."""
        finish(self._transport)

    async def close(self, seconds: float) -> None:
        """Ends the other side, which may take as long to end by itself."""
        if not await is_set(self.ended, seconds):
            self.abort()
            await is_set(self.ended, EXIT)

    def abort(self) -> None:
        """Ends the other side at once, even if the loop has stopped."""
        with contextlib.suppress(RuntimeError):
            self._transport.abort()

    def after_fork(self) -> None:
        """Closes the copy of a forked process. Its transport must stay as it is: it shares the parent's list of files."""
        self._connection.close()

    def _feed(self, data: bytes) -> None:
        try:
            reply = wire.read_answer(data) if self._lines.is_between else None
            if reply is not None:  # Most often, what comes is the answer to the only call.
                self._receiver.settle(reply)
                return
            for line in self._lines.feed(data):
                self._receiver.receive(line)
        except UnexpectedReply as error:
            self._end(ConnectionLost(str(error)))

    def _end(self, lost: ConnectionLost) -> None:
        self._receiver.end(lost)
        self._outbox.clear()
        self._finished = True
        self.resume_writing()


class Socket(Stream):
    """A TCP or unix socket connection."""

    @classmethod
    async def open(cls, receiver: Receiver, address: str, timeout: float = 10) -> "Socket":
        return await asyncio.wait_for(cls._connected(receiver, address), timeout)

    @classmethod
    async def _connected(cls, receiver: Receiver, address: str) -> "Socket":
        place = parse_address(address)
        if isinstance(place, str):
            return await cls._with(receiver, socket.AF_UNIX, place)
        failure = OSError(f"{address} has no address")
        for family, _, _, _, found in await asyncio.get_running_loop().getaddrinfo(*place, type=socket.SOCK_STREAM):
            try:
                return await cls._with(receiver, family, found)
            except OSError as error:
                failure = error
        raise failure

    @classmethod
    async def _with(cls, receiver: Receiver, family: int, place: Any) -> "Socket":
        loop = asyncio.get_running_loop()
        connection = QuietSocket(family, socket.SOCK_STREAM)
        stream = cls(receiver, connection)
        try:
            connection.setblocking(False)
            if family != socket.AF_UNIX:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            await loop.sock_connect(connection, place)
            await loop.create_connection(lambda: stream, sock=connection)
        except BaseException:
            connection.close()
            raise
        return stream


class Pipes(Stream):
    """The stdin and stdout of a child process. Keeps its last lines on stderr."""

    def __init__(self, receiver: Receiver, child: Child) -> None:
        super().__init__(receiver, child.output)
        self._child = child
        self._input = Input(self)
        self._errors = Errors(child)

    @classmethod
    async def open(
        cls, receiver: Receiver, command: List[str], environment: Optional[Dict[str, str]], folder: Optional[str],
        own_process_group: bool,
    ) -> "Pipes":
        loop = asyncio.get_running_loop()
        pipes = cls(receiver, Child(command, environment, folder, own_process_group))
        try:
            await loop.connect_read_pipe(lambda: pipes._errors, pipes._errors.file)
            await loop.create_connection(lambda: pipes._input, sock=pipes._child.input)
            await loop.create_connection(lambda: pipes, sock=pipes._connection)
        except BaseException:
            pipes._give_up()
            raise
        return pipes

    def connection_lost(self, exc: Optional[Exception]) -> None:
        self.ended.set()
        self._ending = asyncio.ensure_future(self._learn_end())

    def _write(self, message: bytes) -> None:
        self._input.transport.write(message)

    def _is_writing(self) -> bool:
        return self._input.transport.get_write_buffer_size() > 0

    def _finish(self) -> None:
        finish(self._input.transport)

    def input_lost(self) -> None:
        """Usually the process is about to exit, and its end says more."""
        if not self._finished:
            reason = ConnectionLost("mambridge does not read any more")
            asyncio.get_running_loop().call_later(2 * EXIT, self._end, reason)

    async def _learn_end(self) -> None:
        if await self._exits_within(EXIT):
            await is_set(self._errors.ended, 1)
        self._end(self._child.lost())

    async def _exits_within(self, seconds: float) -> bool:
        for pause in pauses(seconds):
            if self._child.has_ended():
                return True
            await asyncio.sleep(pause)
        return self._child.has_ended()

    @property
    def pid(self) -> Optional[int]:
        return self._child.pid

    @property
    def exit_code(self) -> Optional[int]:
        return self._child.exit_code if self._child.has_ended() else None

    async def close(self, seconds: float) -> None:
        for patience, stronger in ((seconds, signal.SIGTERM), (EXIT, signal.SIGKILL)):
            if await self._exits_within(patience):
                break
            self._child.signal(stronger)
        await self._exits_within(EXIT)  # The system may hold even a killed process.
        await is_set(self.ended, EXIT)  # A grandchild may hold its output open.
        self._transport.abort()
        self._input.transport.abort()
        await is_set(self._errors.ended, 1)
        self._errors.transport.close()
        self._end(self._child.lost())

    def abort(self) -> None:
        self._kill()
        super().abort()
        with contextlib.suppress(RuntimeError):
            self._input.transport.abort()
            self._errors.transport.close()

    def _kill(self) -> None:
        self._child.signal(signal.SIGKILL)
        self._child.ends_within(1)

    def _give_up(self) -> None:
        """Ends what was opened. The loop must forget a file before it is closed, since the next may get its number."""
        self._finished = True
        self._kill()
        for made in (self._errors, self._input):
            if transport := getattr(made, "transport", None):
                transport.close()
        self.after_fork()

    def after_fork(self) -> None:
        super().after_fork()
        self._child.input.close()
        self._errors.file.close()
        self._child.after_fork()


class Input(asyncio.Protocol):
    """What a child reads on stdin."""

    transport: asyncio.Transport

    def __init__(self, pipes: Pipes) -> None:
        self._pipes = pipes

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def pause_writing(self) -> None:
        self._pipes.pause_writing()

    def resume_writing(self) -> None:
        self._pipes.resume_writing()

    def connection_lost(self, exc: Optional[Exception]) -> None:
        self._pipes.input_lost()


class Errors(asyncio.Protocol):
    """What a child writes on stderr."""

    transport: asyncio.BaseTransport

    def __init__(self, child: Child) -> None:
        self.ended = asyncio.Event()
        self.file = child.errors
        self._last_lines = child.last_lines

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self._last_lines.feed(data)

    def connection_lost(self, exc: Optional[Exception]) -> None:
        self.ended.set()


def direct(connection: socket.socket) -> Optional[Direct]:
    """How a call may read for itself; None with a loop or sockets that may read in another way, such as uvloop's."""
    is_known = isinstance(asyncio.get_running_loop(), asyncio.SelectorEventLoop)
    return Direct(connection, connection) if is_known and isinstance(connection, _socket.socket) else None


def finish(transport: asyncio.Transport) -> None:
    if transport.can_write_eof() and not transport.is_closing():
        with contextlib.suppress(OSError):
            transport.write_eof()


async def is_set(event: asyncio.Event, seconds: Optional[float]) -> bool:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except asyncio.TimeoutError:
        return False
    return True
