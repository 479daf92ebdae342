"""One connection and its threads: a reader, one for each request of the server, and one for events if there is a
handler. Any thread may make calls."""
from __future__ import annotations

import contextlib
import itertools
import queue
import threading
import time
from typing import Any, Callable, Dict, Iterator, Optional, Sequence, Union

from . import wire
from .events import Event, read as read_event
from .failures import ConnectionLost, MambridgeError, UnexpectedReply
from .host import Host
from .options import CancelToken, ProgressHandler
from .streams import FINISH, Stream, remaining

_END = object()


class Call:
    """A request that waits for its reply. Its progress comes by the same queue, so it is heard before the reply."""

    def __init__(self, number: int, progress: Optional[ProgressHandler] = None) -> None:
        self.number = number
        self.progress = progress
        self.size = 0
        self.inbox: "queue.SimpleQueue[Union[wire.Reply, wire.Update, ConnectionLost]]" = queue.SimpleQueue()


class Session:
    def __init__(self, stream: Stream, host: Optional[Host], on_event: Optional[Callable[[Event], None]]) -> None:
        self.stream = stream
        self.host = host
        self.lost: Optional[ConnectionLost] = None
        self._numbers = itertools.count(1)
        self._calls: Dict[Any, Call] = {}
        self._state = threading.Lock()
        self._writing = threading.Lock()
        self._closed = False
        self._events: "queue.SimpleQueue[Any]" = queue.SimpleQueue()
        self._threads = [threading.Thread(target=self._read, name="mambridge reader", daemon=True)]
        if on_event:
            self._threads.append(
                threading.Thread(target=self._handle_events, args=(on_event,), name="mambridge events", daemon=True))
        for thread in self._threads:
            thread.start()

    # Calls

    def new_call(self, progress: Optional[ProgressHandler] = None) -> Call:
        return Call(next(self._numbers), progress)

    def send(self, calls: Sequence[Call], message: Any) -> None:
        """Sends one message for all calls. If that fails, none of them waits."""
        line = wire.line(message)
        with self._state:
            self._check()
            for call in calls:
                call.size = len(line)
                self._calls[call.number] = call
        try:
            self.write(line)
        except BaseException:
            for call in calls:
                self._forget(call)
            raise

    def wait(self, call: Call, limit: Optional[float], cancel: Optional[CancelToken] = None) -> Any:
        """Returns the result, or raises its error. After the limit in seconds, cancels and raises TimeoutError."""
        def hook() -> None:
            self.cancel(call)

        try:
            if cancel:
                cancel.add(hook)
            return self._reply(call, limit).value()
        except BaseException:  # If there is no reply, the caller no longer waits for it, for example after Ctrl-C.
            if self._forget(call):
                self.cancel(call)
            raise
        finally:
            if cancel:
                cancel.remove(hook)

    def _reply(self, call: Call, limit: Optional[float]) -> wire.Reply:
        deadline = None if limit is None else time.monotonic() + limit
        while True:
            try:
                found = call.inbox.get(timeout=None if deadline is None else remaining(deadline))
            except queue.Empty:
                if self._forget(call):
                    self.cancel(call)
                    raise TimeoutError(f"no answer to request {call.number} within {limit} s") from None
                deadline = None  # The reader has just taken it.
                continue
            if isinstance(found, ConnectionLost):
                raise found.with_traceback(None)
            if isinstance(found, wire.Reply):
                return found
            if call.progress:
                call.progress(found.progress)

    def cancel(self, call: Call) -> None:
        with contextlib.suppress(ConnectionLost):
            self.write(wire.line(wire.notification("$/cancelRequest", {"id": call.number})))

    def write(self, line: bytes) -> None:
        with self._writing:
            self._check()
            try:
                self.stream.write(line)
                return
            except (OSError, ValueError):
                pass
        self._join(self._threads[0], 10)  # The reader notices the end, too, and knows the reason.
        self._check()
        raise ConnectionLost("mambridge does not read any more")

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
        broken: Optional[ConnectionLost] = None
        try:
            while chunk := self.stream.read():
                for line in lines.feed(chunk):
                    for message in wire.parse(line):
                        self._receive(message)
        except UnexpectedReply as error:
            broken = ConnectionLost(str(error))
        except OSError:
            pass
        finally:
            self._end(broken or self.stream.end_of_life())

    def _receive(self, message: wire.Incoming) -> None:
        if isinstance(message, wire.Reply):
            if call := self._take(message):
                call.inbox.put(message)
        elif isinstance(message, wire.Question):
            threading.Thread(target=self._answer, args=(message,), name="mambridge request", daemon=True).start()
        elif isinstance(message, wire.Update):
            with self._state:
                waiting = self._calls.get(message.token)
            if waiting:
                waiting.inbox.put(message)
        else:
            self._events.put(message)

    def _take(self, reply: wire.Reply) -> Optional[Call]:
        with self._state:
            number = reply.id
            if number is None and self._calls:
                # The server could not read a message, most likely because it was too long.
                number = max(self._calls.values(), key=lambda call: call.size).number
            return self._calls.pop(number, None)

    def _end(self, lost: ConnectionLost) -> None:
        with self._state:
            self.lost = lost
            waiting, self._calls = self._calls, {}
        for call in waiting.values():
            call.inbox.put(ConnectionLost(lost.reason, lost.exit_code, lost.last_lines))
        self._events.put(_END)

    def _answer(self, question: wire.Question) -> None:
        try:
            answer, argument = wire.handler(self.host, question)
            reply = wire.result_reply(question, answer(argument))
        except Exception as error:
            reply = wire.error_reply(question, error)
            if not isinstance(error, MambridgeError):
                report(error)
        with contextlib.suppress(ConnectionLost):
            self.write(reply)

    # Events

    def listen(self, timeout: Optional[float]) -> Iterator[Event]:
        while True:
            try:
                found = self._events.get(timeout=timeout)
            except queue.Empty:
                raise TimeoutError(f"no event within {timeout} s") from None
            if found is _END:
                self._events.put(_END)  # for others that listen
                return
            yield read_event(found.method, found.params)

    def _handle_events(self, handle: Callable[[Event], None]) -> None:
        for event in self.listen(None):
            try:
                handle(event)
            except ConnectionLost:
                pass
            except Exception as error:  # An error in a handler must not stop other events.
                report(error)

    # The end

    def close(self) -> None:
        """Ends the input, waits for the server's remaining answers, and ends a child that does not exit."""
        with self._state:
            if self._closed:
                return
            self._closed = True
        deadline = time.monotonic() + FINISH
        free = self._writing.acquire(timeout=FINISH)
        self.stream.finish()
        if free:
            self._writing.release()
        self._join(self._threads[0], remaining(deadline))
        self.stream.close(remaining(deadline))
        for thread in self._threads:
            self._join(thread, 5)

    @staticmethod
    def _join(thread: threading.Thread, timeout: float) -> None:
        if thread is not threading.current_thread():
            thread.join(timeout)


def report(error: Exception) -> None:
    """Shows an error of a handler as Python shows one that ends a thread."""
    arguments = (type(error), error, error.__traceback__, threading.current_thread())
    threading.excepthook(threading.ExceptHookArgs(arguments))
