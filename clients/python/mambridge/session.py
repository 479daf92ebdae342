"""One connection and its threads: a reader, a writer, one for each request of the server, and one for events if there is
a handler. Any thread may make calls."""
from __future__ import annotations

import contextlib
import itertools
import queue
import threading
import time
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Union

from . import errors, wire
from .backlog import Backlog
from .events import Event, read as read_event
from .failures import ConnectionLost, MambridgeError, UnexpectedReply
from .host import Host
from .options import CancelToken, ProgressHandler
from .outbox import Outbox
from .streams import EXIT, FINISH, Stream, remaining


class Call:
    """A request that waits for its reply. Its progress comes by the same queue, so it is heard before the reply."""

    message: wire.Outgoing

    def __init__(self, number: int, progress: Optional[ProgressHandler] = None) -> None:
        self.number = number
        self.progress = progress
        self.inbox: "queue.SimpleQueue[Union[wire.Reply, wire.Update, ConnectionLost]]" = queue.SimpleQueue()


class Session:
    def __init__(self, stream: Stream, host: Optional[Host], on_event: Optional[Callable[[Event], None]]) -> None:
        self.stream = stream
        self.host = host
        self.lost: Optional[ConnectionLost] = None
        self._numbers = itertools.count(1)
        self._calls: Dict[Any, Call] = {}
        self._state = threading.Lock()
        self._closed = False
        self._backlog = Backlog()
        self._heard = threading.Condition()
        self._outbox = Outbox(stream, self._fail)
        self._reader = threading.Thread(target=self._read, name="mambridge reader", daemon=True)
        self._threads = [self._reader, self._outbox.writer]
        if on_event:
            self._threads.append(
                threading.Thread(target=self._handle_events, args=(on_event,), name="mambridge events", daemon=True))
        for thread in self._threads:
            thread.start()

    # Calls

    def new_call(self, progress: Optional[ProgressHandler] = None) -> Call:
        return Call(next(self._numbers), progress)

    def send(self, calls: Sequence[Call], message: Any) -> None:
        """Sends one message for all calls, without waiting until it is written."""
        self._put(wire.Outgoing(message, len(calls)), calls)

    def notify(self, message: Any, limit: Optional[float]) -> None:
        """Waits for the messages before this one, so that a burst does not fill the memory."""
        outgoing = wire.Outgoing(message)
        self._put(outgoing)
        try:
            if not self._outbox.wait(outgoing, limit):
                raise TimeoutError(f"mambridge did not read for {limit} s")
        finally:
            unsent = self._outbox.take_back(outgoing)
        if unsent:
            self._check()

    def wait(self, call: Call, limit: Optional[float], cancel: Optional[CancelToken] = None) -> Any:
        """Returns the result, or raises its error. After the limit in seconds, cancels and raises TimeoutError."""
        def hook() -> None:
            if self._cancel(call) and self._forget(call):
                call.inbox.put(wire.Reply(call.number, None, errors.Cancelled()))

        deadline = None if limit is None else time.monotonic() + limit
        try:
            if cancel:
                cancel.add(hook)
            return self._reply(call, limit, deadline).value()
        finally:
            self._give_up(call)  # Without a reply, the caller no longer waits for it, for example after Ctrl-C.
            if cancel:
                cancel.remove(hook)

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
        while True:
            try:
                found = call.inbox.get(timeout=None if deadline is None else remaining(deadline))
            except queue.Empty:
                if self._give_up(call):
                    raise TimeoutError(f"no answer to request {call.number} within {limit} s") from None
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
        with self._state:
            self._check()
            for call in calls:
                call.message = message
                self._calls[call.number] = call
            self._outbox.put(message)

    def _check(self) -> None:
        if self.lost:
            raise ConnectionLost(self.lost.reason, self.lost.exit_code, self.lost.last_lines)
        if self._closed:
            raise ConnectionLost("this client is closed")

    def _forget(self, call: Call) -> bool:
        with self._state:
            return self._calls.pop(call.number, None) is not None

    # What the server sends

    def _read(self) -> None:
        lines = wire.Lines()
        try:
            while chunk := self.stream.read():
                for line in lines.feed(chunk):
                    for message in wire.parse(line):
                        self._receive(message)
        except UnexpectedReply as error:
            self._end(ConnectionLost(str(error)))
            with contextlib.suppress(OSError):
                while self.stream.read():  # A server that can write can exit.
                    pass
        except OSError:
            pass
        self._end(self.stream.end_of_life())

    def _receive(self, message: wire.Incoming) -> None:
        if isinstance(message, wire.Reply):
            for call in self._take(message):
                call.inbox.put(message)
        elif isinstance(message, wire.Question):
            threading.Thread(target=self._answer, args=(message,), name="mambridge request", daemon=True).start()
        elif isinstance(message, wire.Update):
            with self._state:
                waiting = self._calls.get(message.token)
            if waiting:
                waiting.inbox.put(message)
        else:
            with self._heard:
                self._backlog.put(message)
                self._heard.notify_all()

    def _take(self, reply: wire.Reply) -> List[Call]:
        with self._state:
            if reply.id is not None:
                found = [self._calls[reply.id]] if reply.id in self._calls else []
            else:
                refused = reply.error and wire.refused(reply.error, [call.message for call in self._calls.values()])
                found = [call for call in self._calls.values() if call.message is refused]
            for call in found:
                del self._calls[call.number]
        return found

    def _fail(self) -> None:
        """The server does not read any more. Usually the reader notices the end, too, and knows the reason."""
        self._reader.join(2 * EXIT)
        self._end(ConnectionLost("mambridge does not read any more"))

    def _end(self, lost: ConnectionLost) -> None:
        with self._state:
            if self.lost:
                return
            self.lost = lost
            waiting, self._calls = self._calls, {}
        for call in waiting.values():
            call.inbox.put(ConnectionLost(lost.reason, lost.exit_code, lost.last_lines))
        self._outbox.stop()
        with self._heard:
            self._heard.notify_all()

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
        while True:
            with self._heard:
                if not self._heard.wait_for(lambda: self._backlog or self.lost, timeout):
                    raise TimeoutError(f"no event within {timeout} s")
                found = self._backlog.take()
            if not found:
                return
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
        with self._state:
            if self._closed:
                return
            self._closed = True
        deadline = time.monotonic() + FINISH
        self._outbox.finish()
        self._join(self._reader, FINISH)
        self.stream.close(remaining(deadline))
        for thread in self._threads:
            self._join(thread, EXIT)
        self._end(ConnectionLost("this client is closed"))
        if not self._reader.is_alive() and not self._outbox.writer.is_alive():
            self.stream.release()

    @staticmethod
    def _join(thread: threading.Thread, timeout: float) -> None:
        if thread is not threading.current_thread():
            thread.join(timeout)


def report(error: BaseException) -> None:
    """Shows an error of a handler as Python shows one that ends a thread."""
    arguments = (type(error), error, error.__traceback__, threading.current_thread())
    threading.excepthook(threading.ExceptHookArgs(arguments))
