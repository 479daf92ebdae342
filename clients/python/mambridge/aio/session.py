"""One connection in one event loop."""
from __future__ import annotations

import asyncio
import contextlib
import inspect
import itertools
import time
from typing import TYPE_CHECKING, Any, Awaitable, Callable, Dict, AsyncIterator, List, Optional, Sequence, Set, Union

from .. import forks, wire
from ..backlog import Backlog
from ..failures import ConnectionLost, MambridgeError
from ..options import ProgressHandler, late, limit_of
from ..streams import FINISH, remaining
from ..values import lazy
from .pace import QUICK, Pace
from .streams import Stream, is_set

if TYPE_CHECKING:
    from ..events import Event
    from .host import AsyncHost

EventHandler = Callable[["Event"], Union[None, Awaitable[None]]]


class Call:
    """A request that waits for its reply."""

    message: wire.Outgoing

    def __init__(self, number: int, method: str, progress: Optional[ProgressHandler] = None) -> None:
        self.number = number
        self.method = method
        self.progress = progress

    @lazy
    def reply(self) -> "asyncio.Future[Any]":
        return asyncio.get_running_loop().create_future()


class Session:
    stream: Stream

    def __init__(self, host: Optional[AsyncHost], on_event: Optional[EventHandler]) -> None:
        self.host = host
        self.lost: Optional[ConnectionLost] = None
        self._on_event = on_event
        self._numbers = itertools.count(1)
        self._calls: Dict[Any, Call] = {}
        self._pace = Pace()
        # How many calls read their answers themselves.
        self.answers = 0
        self._closed = False
        self._closing: "Optional[asyncio.Future[None]]" = None
        self._backlog = Backlog()
        self._heard = asyncio.Event()
        self._tasks: "Set[asyncio.Task[None]]" = set()

    def start(self, stream: Stream) -> None:
        self.stream = stream
        forks.watch(self)
        if self._on_event:
            self._begin(self._handle_events(self._on_event))

    def _begin(self, work: Any) -> "asyncio.Task[None]":
        task: "asyncio.Task[None]" = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def after_fork(self) -> None:
        self.lost = ConnectionLost(forks.REASON)
        self._calls = {}
        self.stream.after_fork()

    # Calls

    def new_call(self, method: str, progress: Optional[ProgressHandler] = None) -> Call:
        return Call(next(self._numbers), method, progress)

    def send(self, calls: Sequence[Call], message: Any) -> None:
        """Sends one message for all calls, without waiting until it is written."""
        self._put(wire.Outgoing(message, len(calls)), calls)

    async def notify(self, message: Any, limit: Optional[float]) -> None:
        """Waits until the server reads, so that a burst does not fill the memory."""
        outgoing = wire.Outgoing(message)
        self._check()
        if not await is_set(self.stream.writable, limit):
            raise TimeoutError(f"mambridge did not read for {limit} s")
        self._put(outgoing)

    async def wait(self, call: Call, limit: Optional[float], grace: float = 0.0) -> Any:
        """Returns the result, or raises its error. After the limit and the grace in seconds, cancels and raises
        TimeoutError."""
        try:
            answer = self._answer_at_once(call, limit)
            if answer is None:
                return await self._answer_in_loop(call, limit, grace)
        finally:
            if call.number in self._calls:
                self._give_up(call)
        if answer.error is not None:
            raise answer.error
        return answer.result

    def _answer_at_once(self, call: Call, limit: Optional[float]) -> Optional[wire.Reply]:
        """The answer to the only call, if it comes while the loop waits for it."""
        if len(self._calls) != 1 or not self._pace.is_free() or limit is not None and limit <= QUICK:
            return None
        answer = self.stream.answer(call)
        self._pace.judge(answer is not None)
        if answer is not None:
            self._calls.pop(call.number, None)
            self.answers += 1
        return answer

    async def _answer_in_loop(self, call: Call, limit: Optional[float], grace: float) -> Any:
        timer = None if limit is None else asyncio.get_running_loop().call_later(limit + grace, expire, call, limit)
        try:
            return await call.reply
        finally:
            self._pace.loop_ran()
            if timer:
                timer.cancel()

    async def wait_all(self, calls: Sequence[Call], limit: Optional[float]) -> List[Any]:
        """Returns the results of a batch. The error of a call is its result."""
        await self._replies(calls, limit)
        results = [call.reply.exception() or call.reply.result() for call in calls]
        for result in results:
            if isinstance(result, ConnectionLost):
                raise result
        return results

    async def _replies(self, calls: Sequence[Call], limit: Optional[float]) -> None:
        try:
            _, missing = await asyncio.wait([call.reply for call in calls], timeout=limit)
            if missing:
                raise late(next(call.method for call in calls if call.reply in missing), limit)
        finally:
            for call in calls:
                self._give_up(call)

    def _give_up(self, call: Call) -> None:
        if self._calls.pop(call.number, None) and not self.stream.take_back(call.message):
            with contextlib.suppress(ConnectionLost):
                self._put(wire.Outgoing(wire.notification("$/cancelRequest", {"id": call.number})))

    def _put(self, message: wire.Outgoing, calls: Sequence[Call] = ()) -> None:
        if self.lost or self._closed:
            self._check()
        for call in calls:
            call.message = message
            self._calls[call.number] = call
        self.stream.put(message)

    def _check(self) -> None:
        if self.lost:
            raise ConnectionLost(self.lost.reason, self.lost.exit_code, self.lost.last_lines)
        if self._closed:
            raise ConnectionLost("this client is closed")

    # What the server sends

    def receive(self, line: bytes) -> None:
        for message in [] if self.lost else wire.parse(line):
            self._receive(message)

    def _receive(self, message: wire.Incoming) -> None:
        if isinstance(message, wire.Reply):
            self.settle(message)
        elif isinstance(message, wire.Question):
            self._begin(self._answer(message))
        elif isinstance(message, wire.Update):
            self._report(message)
        else:
            self._backlog.put(message)
            self._heard.set()

    def _report(self, update: wire.Update) -> None:
        call = self._calls.get(update.token)
        if not call or not call.progress:
            return
        try:
            call.progress(update.progress)
        except Exception as error:  # An error of the handler is the caller's, and ends the call.
            fail(call, error)

    def settle(self, reply: wire.Reply) -> None:
        numbers = [reply.id] if reply.id is not None else self._refused(reply)
        for number in numbers:
            call = self._calls.pop(number, None)
            if call is None:
                continue
            if reply.error:
                fail(call, reply.error)
            elif not call.reply.done():
                call.reply.set_result(reply.result)

    def _refused(self, reply: wire.Reply) -> List[int]:
        refused = reply.error and wire.refused(reply.error, [call.message for call in self._calls.values()])
        return [number for number, call in self._calls.items() if call.message is refused]

    def end(self, lost: ConnectionLost) -> None:
        if self.lost:
            return
        self.lost = lost
        waiting, self._calls = self._calls, {}
        for call in waiting.values():
            fail(call, ConnectionLost(lost.reason, lost.exit_code, lost.last_lines))
        self._heard.set()

    async def _answer(self, question: wire.Question) -> None:
        try:
            try:
                answer, argument = wire.handler(self.host, question)
                reply = wire.result_reply(question, await answer(argument))
            except MambridgeError as error:
                reply = wire.error_reply(question, error)
        except asyncio.CancelledError:
            reply = wire.failure_reply(question)
        except Exception as error:
            reply = wire.failure_reply(question)
            report(error)
        with contextlib.suppress(ConnectionLost):
            self._put(reply)

    # Events

    async def listen(self, timeout: Optional[float]) -> AsyncIterator[Event]:
        from ..events import read as read_event
        limit = limit_of(timeout)
        while True:
            deadline = None if limit is None else time.monotonic() + limit
            while not (found := self._backlog.take()):
                if self.lost:
                    return
                self._heard.clear()
                if not await is_set(self._heard, None if deadline is None else remaining(deadline)):
                    raise TimeoutError(f"no event within {timeout} s")
            yield read_event(found.method, found.params)

    async def _handle_events(self, handle: EventHandler) -> None:
        async for event in self.listen(None):
            await asyncio.wait([self._begin(self._handle(handle, event))])  # Its cancellation must not end this task.

    async def _handle(self, handle: EventHandler, event: Event) -> None:
        try:
            result = handle(event)
            if inspect.isawaitable(result):
                await result
        except (ConnectionLost, asyncio.CancelledError):
            pass
        except Exception as error:  # An error in a handler must not stop other events.
            report(error)

    # The end

    async def close(self) -> None:
        """Ends the input, waits for the server's remaining answers, and ends a child that does not exit.

        That goes on when the caller is cancelled. When the loop ends, too, a child is killed.
        """
        if self.lost and self.lost.reason == forks.REASON:
            return
        if not self._closing:
            self._closed = True
            self._closing = asyncio.ensure_future(self._close(asyncio.current_task()))
        await asyncio.shield(self._closing)

    async def _close(self, caller: "Optional[asyncio.Task[Any]]") -> None:
        try:
            self.stream.finish()
            await self.stream.close(FINISH)
            if self._tasks and caller not in self._tasks:
                await asyncio.wait(list(self._tasks), timeout=5)
        except BaseException:
            self.stream.abort()
            raise
        for task in self._tasks - {caller}:
            task.cancel()


def expire(call: Call, limit: float) -> None:
    if not call.reply.done():
        call.reply.set_exception(late(call.method, limit))


def fail(call: Call, error: Exception) -> None:
    if not call.reply.done():
        call.reply.set_exception(error)
        call.reply.exception()  # Nobody may wait for it any more, which is no mistake.


def report(error: Exception) -> None:
    """Hands an error of a handler to the handler of the loop, which logs it."""
    asyncio.get_running_loop().call_exception_handler(
        {"message": "an error in a handler of mambridge", "exception": error})
