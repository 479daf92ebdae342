"""Messages on their way to the server."""
from __future__ import annotations

import collections
import threading
from typing import Callable, Deque, Optional

from . import wire
from .streams import Stream


class Outbox:
    """Writes messages on a thread of its own, so that a server that does not read holds up no caller.

    A caller that gives up takes its message back, so the messages that wait never outnumber the callers that wait.
    """

    def __init__(self, stream: Stream, failed: Callable[[], None]) -> None:
        self._stream = stream
        self._failed = failed
        self._messages: Deque[wire.Outgoing] = collections.deque()
        self._changed = threading.Condition()
        self._finished = False
        self.writer = threading.Thread(target=self._write, name="mambridge writer", daemon=True)

    def put(self, message: wire.Outgoing) -> None:
        with self._changed:
            self._messages.append(message)
            self._changed.notify_all()

    def take_back(self, message: wire.Outgoing) -> bool:
        """Whether the message will never be written. A message that was begun will be."""
        with self._changed:
            if not message.begun and message in self._messages:
                self._messages.remove(message)
            return not message.begun

    def wait(self, message: wire.Outgoing, limit: Optional[float]) -> bool:
        """Waits until the message is begun, or never will be."""
        with self._changed:
            return self._changed.wait_for(lambda: message.begun or message not in self._messages, limit)

    def finish(self) -> None:
        """Ends the input after the messages that wait."""
        with self._changed:
            self._finished = True
            self._changed.notify_all()

    def stop(self) -> None:
        """Ends the input without the messages that wait."""
        with self._changed:
            self._messages.clear()
        self.finish()

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
        with self._changed:
            self._changed.wait_for(lambda: self._messages or self._finished)
            if not self._messages:
                return b""
            self._changed.notify_all()
            return self._messages.popleft().begin()
