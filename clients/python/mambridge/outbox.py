"""Messages on their way to the server."""
from __future__ import annotations

import collections
import queue
import threading
from itertools import islice
from typing import Callable, Deque, List, Optional, Union

from . import wire
from .streams import FLAGS, Stream
from .turns import TICK, Holder, Turn


class Pen(Holder):
    """The right of a caller to write its message. If the system takes a part of it, the pen stands for the rest."""

    def __init__(self, message: wire.Outgoing) -> None:
        # As in Holder.__init__, without its call: each call of a method makes a pen.
        line = message.line
        self.permit = [line]
        self.thread = threading.get_ident()
        self._line = line
        self.message = message
        self.sent: List[int] = []

    def begin(self) -> bytes:
        """Returns the rest, the first time."""
        found, self._line = self._line[self.sent[0]:], b""
        return found

    def drop(self) -> None:
        pass  # Its message was begun.


class Outbox:
    """Writes messages: at once, as much as the system takes. The rest waits for a thread that writes, so that a server
    that does not read holds up no caller.

    A caller that gives up takes its message back, so the messages that wait never outnumber the callers that wait.

    There is no lock, because a signal handler may call while its own thread is anywhere in here. Each change of the
    messages is atomic: whoever takes one out decides whether it is written.
    """

    def __init__(self, stream: Stream, failed: Callable[[], None]) -> None:
        self._stream = stream
        self._direct = stream.direct()
        self._failed = failed
        self._messages: Deque[Union[wire.Outgoing, Pen]] = collections.deque()
        self._turn = Turn()
        self._changed: "queue.SimpleQueue[None]" = queue.SimpleQueue()
        self._finished = False
        self._stopped = False
        self.thread = threading.Thread(target=self._write, name="mambridge writer", daemon=True)

    def put(self, message: wire.Outgoing) -> None:
        if self._write_now(message) or message.withdrawn:
            return
        self._messages.append(message)
        self._wake()
        if self._stopped:
            self._drop()

    def _write_now(self, message: wire.Outgoing) -> bool:
        """Whether the message was begun."""
        if self._direct is None or self._messages or self._finished:
            return False
        pen = Pen(message)
        if not self._turn.take(pen):
            if interrupted := self._turn.interrupted():
                self._put_down(interrupted)
            return False
        try:
            if not self._messages:
                pen.sent.extend(islice(map(self._direct.send, iter(pen.permit.pop, None), FLAGS), 1))
        except (IndexError, OSError):
            pass  # The right was revoked, or the system takes nothing: the thread that writes learns why.
        finally:
            pen.used = True
            self._put_down(pen)
        return bool(pen.sent)

    def _put_down(self, pen: Pen) -> None:
        """Ends the right of a pen. If a signal handler does it, too, it is as if it were done once."""
        pen.permit.clear()
        if pen.sent:
            message = pen.message
            if pen.sent[0] == message.size:
                message.written = True
            else:
                self._messages.appendleft(pen)
            if not message.begun:
                message.begin()
        self._turn.leave(pen)
        if self._messages or self._turn.holders:
            self._wake()

    def _wake(self) -> None:
        if self._changed.empty():
            self._changed.put(None)

    def take_back(self, message: wire.Outgoing) -> bool:
        """Whether the message will never be written. A message that was begun will be."""
        try:
            self._messages.remove(message)
            message.withdrawn = True
        except ValueError:
            for pen in list(self._turn.holders):
                if pen is not self and pen.message is message and pen.thread == threading.get_ident():
                    self._put_down(pen)  # A signal handler takes the message from its own thread.
                    message.withdrawn = not pen.sent
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
            message.drop()

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
            self._take_turn()
            finished = self._finished
            if message := self._take():
                line = message.begin()
                if line:
                    return line
            elif finished:
                return b""
            else:
                self._turn.leave(self)
                self._changed.get()

    def _take_turn(self) -> None:
        """Waits until no caller writes. A caller whose frame is interrupted loses its right."""
        if self._turn.is_with(self):
            return
        self._turn.holders.append(self)
        while not self._turn.is_with(self):
            try:
                self._changed.get(timeout=TICK)
            except queue.Empty:
                pen = self._turn.holders[0]
                if pen is not self and (pen.revoke() or pen.sent):
                    self._put_down(pen)

    def _take(self) -> Union[wire.Outgoing, Pen, None]:
        try:
            return self._messages.popleft()
        except IndexError:
            return None
