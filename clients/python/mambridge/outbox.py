"""Messages on their way to the server."""
from __future__ import annotations

import collections
import queue
import threading
from typing import Callable, Deque, Optional

from . import wire
from .streams import Stream


class Outbox:
    """Writes messages on a thread of its own, so that a server that does not read holds up no caller.

    A caller that gives up takes its message back, so the messages that wait never outnumber the callers that wait.

    There is no lock, because a signal handler may call while its own thread is anywhere in here. Each change of the
    messages is atomic: whoever takes one out decides whether it is written.
    """

    def __init__(self, stream: Stream, failed: Callable[[], None]) -> None:
        self._stream = stream
        self._failed = failed
        self._messages: Deque[wire.Outgoing] = collections.deque()
        self._changed: "queue.SimpleQueue[None]" = queue.SimpleQueue()
        self._finished = False
        self._stopped = False
        self.writer = threading.Thread(target=self._write, name="mambridge writer", daemon=True)

    def put(self, message: wire.Outgoing) -> None:
        self._messages.append(message)
        self._wake()
        if self._stopped:
            self._drop()

    def _wake(self) -> None:
        if self._changed.empty():
            self._changed.put(None)

    def take_back(self, message: wire.Outgoing) -> bool:
        """Whether the message will never be written. A message that was begun will be."""
        try:
            self._messages.remove(message)
            message.withdrawn = True
        except ValueError:
            pass
        return message.withdrawn

    def write(self, message: wire.Outgoing, limit: Optional[float]) -> bool:
        """Waits until the message is begun, or never will be."""
        settled: "queue.SimpleQueue[None]" = queue.SimpleQueue()
        message.settled = lambda: settled.put(None)
        self.put(message)
        try:
            settled.get(timeout=limit)
        except queue.Empty:
            return False
        return True

    def finish(self) -> None:
        """Ends the input after the messages that wait."""
        self._finished = True
        self._wake()

    def stop(self) -> None:
        """Ends the input without the messages that wait."""
        self._stopped = True
        self._drop()
        self.finish()

    def _drop(self) -> None:
        while message := self._take():
            message.settled()

    def _write(self) -> None:
        failed = False
        try:
            while line := self._next():
                self._stream.write(line)
        except OSError:
            failed = True
        self._stream.finish()
        if failed:
            self._failed()

    def _next(self) -> bytes:
        while True:
            finished = self._finished
            if message := self._take():
                line = message.begin()
                message.settled()
                return line
            if finished:
                return b""
            self._changed.get()

    def _take(self) -> Optional[wire.Outgoing]:
        try:
            return self._messages.popleft()
        except IndexError:
            return None
