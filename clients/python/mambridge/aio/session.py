"""One connection in one event loop."""
from __future__ import annotations

import asyncio
import inspect
import itertools
from typing import Any, Awaitable, Callable, Dict, AsyncIterator, List, Optional, Sequence, Set, Union

from .. import wire
from ..events import Event, read as read_event
from ..failures import ConnectionLost, MambridgeError, UnexpectedReply
from ..options import ProgressHandler
from ..streams import FINISH
from .host import AsyncHost
from .streams import Stream

EventHandler = Callable[[Event], Union[None, Awaitable[None]]]


class Call:
    """A request that waits for its reply."""

    def __init__(self, number: int, progress: Optional[ProgressHandler] = None) -> None:
        self.number = number
        self.progress = progress
        self.size = 0
        self.reply: "asyncio.Future[Any]" = asyncio.get_running_loop().create_future()


class Session:
    stream: Stream

    def __init__(self, host: Optional[AsyncHost], on_event: Optional[EventHandler]) -> None:
        self.host = host
        self.lost: Optional[ConnectionLost] = None
        self._on_event = on_event
        self._numbers = itertools.count(1)
        self._calls: Dict[Any, Call] = {}
        self._closed = False
        self._events: "asyncio.Queue[Optional[wire.Notice]]" = asyncio.Queue()
        self._tasks: "Set[asyncio.Task[None]]" = set()

    def start(self, stream: Stream) -> None:
        self.stream = stream
        if self._on_event:
            self._begin(self._handle_events(self._on_event))

    def _begin(self, work: Any) -> None:
        task: "asyncio.Task[None]" = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # Calls

    def new_call(self, progress: Optional[ProgressHandler] = None) -> Call:
        return Call(next(self._numbers), progress)

    async def send(self, calls: Sequence[Call], message: Any) -> None:
        """Sends one message for all calls. If that fails, none of them waits."""
        line = wire.line(message)
        await self._ready()
        for call in calls:
            call.size = len(line)
            self._calls[call.number] = call
        self.stream.write(line)

    async def wait(self, call: Call, limit: Optional[float]) -> Any:
        """Returns the result, or raises its error. After the limit in seconds, cancels and raises TimeoutError."""
        try:
            await asyncio.wait([call.reply], timeout=limit)
            if call.reply.done():
                return call.reply.result()
            raise TimeoutError(f"no answer to request {call.number} within {limit} s")
        finally:
            if self._calls.pop(call.number, None) and not self.lost and not self._closed:
                self.stream.write(wire.line(wire.notification("$/cancelRequest", {"id": call.number})))

    async def write(self, line: bytes) -> None:
        await self._ready()
        self.stream.write(line)

    async def _ready(self) -> None:
        """Waits until the server reads again. A burst of calls does not fill the memory."""
        self._check()
        await self.stream.drain()
        self._check()

    def _check(self) -> None:
        if self.lost:
            raise ConnectionLost(self.lost.reason, self.lost.exit_code, self.lost.last_lines)
        if self._closed:
            raise ConnectionLost("this client is closed")

    # What the server sends

    def receive(self, line: bytes) -> None:
        try:
            for message in wire.parse(line):
                self._receive(message)
        except UnexpectedReply as error:
            self.end(ConnectionLost(str(error)))

    def _receive(self, message: wire.Incoming) -> None:
        if isinstance(message, wire.Reply):
            self._settle(message)
        elif isinstance(message, wire.Question):
            self._begin(self._answer(message))
        elif isinstance(message, wire.Update):
            self._report(message)
        else:
            self._events.put_nowait(message)

    def _report(self, update: wire.Update) -> None:
        call = self._calls.get(update.token)
        try:
            if call and call.progress:
                call.progress(update.progress)
        except Exception as error:  # An error of the handler is the caller's, and ends the call.
            fail(call, error)

    def _settle(self, reply: wire.Reply) -> None:
        number = reply.id
        if number is None and self._calls:
            # The server could not read a message, most likely because it was too long.
            number = max(self._calls.values(), key=lambda call: call.size).number
        call = self._calls.pop(number, None)
        if reply.error:
            fail(call, reply.error)
        elif call and not call.reply.done():
            call.reply.set_result(reply.result)

    def end(self, lost: ConnectionLost) -> None:
        if self.lost:
            return
        self.lost = lost
        waiting, self._calls = self._calls, {}
        for call in waiting.values():
            fail(call, ConnectionLost(lost.reason, lost.exit_code, lost.last_lines))
        self._events.put_nowait(None)

    async def _answer(self, question: wire.Question) -> None:
        try:
            answer, argument = wire.handler(self.host, question)
            reply = wire.result_reply(question, await answer(argument))
        except Exception as error:
            reply = wire.error_reply(question, error)
            if not isinstance(error, MambridgeError):
                report(error)
        try:
            await self.write(reply)
        except ConnectionLost:
            pass

    # Events

    async def listen(self, timeout: Optional[float]) -> AsyncIterator[Event]:
        while True:
            try:
                found = await asyncio.wait_for(self._events.get(), timeout)
            except asyncio.TimeoutError:
                raise TimeoutError(f"no event within {timeout} s") from None
            if found is None:
                self._events.put_nowait(None)  # for others that listen
                return
            yield read_event(found.method, found.params)

    async def _handle_events(self, handle: EventHandler) -> None:
        async for event in self.listen(None):
            try:
                result = handle(event)
                if inspect.isawaitable(result):
                    await result
            except ConnectionLost:
                pass
            except Exception as error:  # An error in a handler must not stop other events.
                report(error)

    # The end

    async def close(self) -> None:
        """Ends the input, waits for the server's remaining answers, and ends a child that does not exit."""
        if self._closed:
            return
        self._closed = True
        self.stream.finish()
        await self.stream.close(FINISH)
        current = asyncio.current_task()
        tasks: List["asyncio.Task[None]"] = [task for task in self._tasks if task is not current]
        if tasks:
            await asyncio.wait(tasks, timeout=5)
        for task in tasks:
            task.cancel()


def fail(call: Optional[Call], error: Exception) -> None:
    if call and not call.reply.done():
        call.reply.set_exception(error)
        call.reply.exception()  # Nobody may wait for it any more, which is no mistake.


def report(error: Exception) -> None:
    """Hands an error of a handler to the handler of the loop, which logs it."""
    asyncio.get_running_loop().call_exception_handler(
        {"message": "an error in a handler of mambridge", "exception": error})
