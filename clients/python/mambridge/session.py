"""One connection and its threads: a reader, a writer, one for each request of the server, and one for events if there is
a handler. Any thread may make calls, and so may a signal handler: what a call passes through has no lock, and each change
of it is atomic."""
from __future__ import annotations

import contextlib
import itertools
import queue
import threading
import time
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, Sequence, Union

from . import forks, wire
from .backlog import Backlog
from .failures import ConnectionLost, MambridgeError, UnexpectedReply
from .options import CancelToken, ProgressHandler, late, limit_of
from .outbox import Outbox
from .reader import QUICK, Reader
from .streams import EXIT, FINISH, Stream, remaining
from .values import lazy

if TYPE_CHECKING:
    from .events import Event
    from .host import Host


class Once(List[None]):
    """True until it is taken, which only one thread can do, and no signal handler a second time."""

    def __init__(self) -> None:
        super().__init__([None])

    def take(self) -> bool:
        try:
            self.pop()
        except IndexError:
            return False
        return True


class Call:
    """A request that waits for its reply. Its progress comes by the same queue, so it is heard before the reply."""

    message: wire.Outgoing

    def __init__(self, number: int, method: str, progress: Optional[ProgressHandler] = None) -> None:
        self.number = number
        self.method = method
        self.progress = progress

    @lazy
    def inbox(self) -> "queue.SimpleQueue[Union[wire.Reply, wire.Update, ConnectionLost]]":
        return SimpleQueue()


class Session:
    def __init__(self, stream: Stream, host: Optional[Host], on_event: Optional[Callable[[Event], None]]) -> None:
        self.stream = stream
        self.host = host
        self.lost: Optional[ConnectionLost] = None
        self._numbers = itertools.count(1)
        self._calls: Dict[Any, Call] = {}
        self._open = Once()
        self._alive = Once()
        self._backlog = Backlog()
        self._outbox = Outbox(stream, self._fail)
        self._reader = Reader(stream, self._calls, self._read)
        self._threads = [self._reader.thread, self._outbox.thread]
        if on_event:
            self._threads.append(
                threading.Thread(target=self._handle_events, args=(on_event,), name="mambridge events", daemon=True))
        self._start()
        forks.watch(self)

    def _start(self) -> None:
        """Starts all threads, or ends the server: no thread can start at a limit of processes or of memory."""
        started: List[threading.Thread] = []
        try:
            for thread in self._threads:
                thread.start()
                started.append(thread)
        except BaseException:
            self._threads = started
            self._reader.stop()
            self._outbox.stop()
            self.stream.finish()
            self.stream.close(EXIT)
            for thread in started:
                thread.join(EXIT)
            self.stream.release()
            raise

    # Calls

    def new_call(self, method: str, progress: Optional[ProgressHandler] = None) -> Call:
        return Call(next(self._numbers), method, progress)

    def send(self, calls: Sequence[Call], message: Any) -> None:
        """Sends one message for all calls, without waiting until it is written."""
        self._put(wire.Outgoing(message, len(calls)), calls)

    def notify(self, message: Any, limit: Optional[float]) -> None:
        """Waits for the messages before this one, so that a burst does not fill the memory."""
        outgoing = wire.Outgoing(message)
        self._check()
        try:
            if not self._outbox.write(outgoing, limit):
                raise TimeoutError(f"mambridge did not read for {limit} s")
        finally:
            self._outbox.take_back(outgoing)
        if not outgoing.begun:
            self._check()

    def wait(self, call: Call, limit: Optional[float], cancel: Optional[CancelToken] = None, grace: float = 0.0) -> Any:
        """Returns the result, or raises its error. After the limit and the grace in seconds, cancels and raises
        TimeoutError."""
        deadline = None if limit is None else time.monotonic() + limit + grace
        try:
            reply = self._reply(call, limit, deadline) if cancel is None else self._canceled_by(cancel, call, limit, deadline)
        finally:
            if call.number in self._calls:
                self._give_up(call)  # Without a reply, the caller no longer waits for it, for example after Ctrl-C.
        if reply.error is not None:
            raise reply.error
        return reply.result

    def _canceled_by(self, token: CancelToken, call: Call, limit: Optional[float], deadline: Optional[float]) -> wire.Reply:
        def hook() -> None:
            from . import errors
            if self._cancel(call) and self._forget(call):
                call.inbox.put(wire.Reply(call.number, None, errors.Cancelled()))

        try:
            token.add(hook)
            return self._reply(call, limit, deadline)
        finally:
            token.remove(hook)

    def wait_all(self, calls: Sequence[Call], limit: Optional[float]) -> List[Any]:
        """Returns the results of a batch. The error of a call is its result."""
        deadline = None if limit is None else time.monotonic() + limit
        try:
            replies = [self._reply(call, limit, deadline) for call in calls]
        finally:
            for call in calls:
                self._give_up(call)
        return [reply.error or reply.result for reply in replies]

    def _reply(self, call: Call, limit: Optional[float], deadline: Optional[float]) -> wire.Reply:
        if call.message.written:
            number = call.number
            reply = self._reader.answer(number, QUICK if deadline is None else remaining(deadline))
            if reply is not None:
                self._calls.pop(number, None)
                return reply
        self._reader.need()
        while True:
            try:
                found = call.inbox.get(timeout=None if deadline is None else remaining(deadline))
            except queue.Empty:
                if self._give_up(call):
                    raise late(call.method, limit) from None
                deadline = None  # The reader has just taken it.
                continue
            if isinstance(found, ConnectionLost):
                raise found.with_traceback(None)
            if isinstance(found, wire.Reply):
                return found
            if call.progress:
                call.progress(found.progress)

    def _give_up(self, call: Call) -> bool:
        """Whether the call still waited."""
        waited = self._forget(call)
        if waited:
            self._cancel(call)
        return waited

    def _cancel(self, call: Call) -> bool:
        """Whether the request will never be sent. Asks the server to cancel it if it was."""
        unsent = self._outbox.take_back(call.message)
        if not unsent:
            with contextlib.suppress(ConnectionLost):
                self._put(wire.Outgoing(wire.notification("$/cancelRequest", {"id": call.number})))
        return unsent

    def _put(self, message: wire.Outgoing, calls: Sequence[Call] = ()) -> None:
        if self.lost or not self._open:
            self._check()
        for call in calls:
            call.message = message
            self._calls[call.number] = call
        self._outbox.put(message)
        if self.lost:  # Meanwhile, and perhaps too late for these calls to hear of it.
            for call in calls:
                self._forget(call)
            self._check()

    def _check(self) -> None:
        if self.lost:
            raise again(self.lost)
        if not self._open:
            raise ConnectionLost("this client is closed")

    def _forget(self, call: Call) -> bool:
        return self._calls.pop(call.number, None) is not None

    # What the server sends

    def _read(self) -> None:
        lines = wire.Lines()
        try:
            while chunk := self._reader.read(lines.is_between):
                for line in lines.feed(chunk):
                    for message in wire.parse(line):
                        self._receive(message)
        except UnexpectedReply as error:
            self._end(ConnectionLost(str(error)))
            with contextlib.suppress(OSError):
                while self._reader.read(False):  # A server that can write can exit.
                    pass
        except OSError:
            pass
        except BaseException as error:
            self._end(ConnectionLost(f"the reader of this client failed: {error!r}"))
            raise
        self._end(self.stream.end_of_life())

    def _receive(self, message: wire.Incoming) -> None:
        if isinstance(message, wire.Reply):
            for call in self._take(message):
                call.inbox.put(message)
        elif isinstance(message, wire.Question):
            self._begin_answer(message)
        elif isinstance(message, wire.Update):
            waiting = self._calls.get(message.token)
            if waiting:
                waiting.inbox.put(message)
        else:
            self._backlog.put(message)

    def _begin_answer(self, question: wire.Question) -> None:
        thread = threading.Thread(target=self._answer, args=(question,), name="mambridge request", daemon=True)
        try:
            thread.start()
        except (MemoryError, RuntimeError):  # The limit of processes is reached, or the interpreter ends.
            with contextlib.suppress(ConnectionLost):
                self._put(wire.failure_reply(question))

    def _take(self, reply: wire.Reply) -> List[Call]:
        if reply.id is not None:
            numbers = [reply.id]
        else:
            calls = list(self._calls.values())
            refused = reply.error and wire.refused(reply.error, [call.message for call in calls])
            numbers = [call.number for call in calls if call.message is refused]
        taken = [self._calls.pop(number, None) for number in numbers]
        return [call for call in taken if call]

    def _fail(self) -> None:
        """The server does not read any more. Usually the reader notices the end, too, and knows the reason."""
        self._reader.stop()
        self._reader.thread.join(2 * EXIT)
        self._end(ConnectionLost("mambridge does not read any more"))

    def _end(self, lost: ConnectionLost) -> None:
        if not self._alive.take():
            return
        self.lost = lost
        self._end_calls(lost)
        self._reader.stop()
        self._outbox.stop()
        self._backlog.end()

    def _end_calls(self, lost: ConnectionLost) -> None:
        while self._calls:
            with contextlib.suppress(KeyError):  # Another thread took the last one.
                _, call = self._calls.popitem()
                call.inbox.put(again(lost))

    def after_fork(self) -> None:
        self.lost = ConnectionLost(forks.REASON)
        self._alive.take()
        self._open.take()
        self._backlog.end()  # A signal handler may have forked while this thread waits for one of them.
        self._outbox.stop()
        self._backlog = Backlog()
        self._backlog.end()
        self.stream.after_fork()
        self._end_calls(self.lost)

    def _answer(self, question: wire.Question) -> None:
        try:
            try:
                answer, argument = wire.handler(self.host, question)
                reply = wire.result_reply(question, answer(argument))
            except MambridgeError as error:
                reply = wire.error_reply(question, error)
        except BaseException as error:  # Even sys.exit ends this thread alone, so the server must not wait for it.
            reply = wire.failure_reply(question)
            report(error)
        with contextlib.suppress(ConnectionLost):
            self._put(reply)

    # Events

    def listen(self, timeout: Optional[float]) -> Iterator[Event]:
        from .events import read as read_event
        limit = limit_of(timeout)
        while True:
            deadline = None if limit is None else time.monotonic() + limit
            while not (found := self._backlog.take()):
                if self.lost and not self._backlog:
                    return
                if not self._backlog.wait(None if deadline is None else remaining(deadline)):
                    raise TimeoutError(f"no event within {timeout} s")
            yield read_event(found.method, found.params)

    def _handle_events(self, handle: Callable[[Event], None]) -> None:
        for event in self.listen(None):
            try:
                handle(event)
            except ConnectionLost:
                pass
            except BaseException as error:  # An error in a handler must not stop other events.
                report(error)

    # The end

    def close(self) -> None:
        """Sends what waits, ends the input, waits for the server's remaining answers, and ends a child that stays."""
        if not self._open.take():
            return
        deadline = time.monotonic() + FINISH
        self._outbox.finish()
        self._reader.stop()
        self._join(self._reader.thread, FINISH)
        self.stream.close(remaining(deadline))
        for thread in self._threads:
            self._join(thread, EXIT)
        self._end(ConnectionLost("this client is closed"))
        if not any(thread.is_alive() for thread in (self._reader.thread, self._outbox.thread)):
            self.stream.release()

    @staticmethod
    def _join(thread: threading.Thread, timeout: float) -> None:
        if thread is not threading.current_thread():
            thread.join(timeout)


def again(lost: ConnectionLost) -> ConnectionLost:
    """A copy, because each call that ends with it adds its own traceback."""
    return ConnectionLost(lost.reason, lost.exit_code, lost.last_lines)


def report(error: BaseException) -> None:
    """Shows an error of a handler as Python shows one that ends a thread."""
    arguments = (type(error), error, error.__traceback__, threading.current_thread())
    threading.excepthook(threading.ExceptHookArgs(arguments))
