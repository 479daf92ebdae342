"""Who reads what the server sends: a thread for that or, as long as answers come at once, the thread of the caller."""
from __future__ import annotations

import collections
import queue
import threading
from itertools import islice
from typing import Any, Callable, Deque, Dict, Optional

from . import wire
from .streams import FLAGS, READ_SIZE, Stream
from .turns import TICK, Holder, Turn

# How long a caller reads, in seconds. A longer wait is left to the thread of the reader.
QUICK = 0.05


class Reader:
    """A call that waits for its answer reads it on its own thread, which saves two changes of threads, if no other
    thread reads, and if the next bytes are the whole answer and nothing else.

    In any other case, it leaves what it has read to the thread of the reader, which reads as long as calls wait. That
    thread also reads while there are no calls: an event, or a request of the server, waits for two ticks at most. The
    bytes are never in a frame alone, so a signal handler or an exception may interrupt a caller anywhere.
    """

    def __init__(self, stream: Stream, calls: Dict[Any, Any], run: Callable[[], None]) -> None:
        self._stream = stream
        self._calls = calls
        self._direct = stream.direct()
        self._chunks: Deque[bytes] = collections.deque()
        self._turn = Turn()
        self._woken: "queue.SimpleQueue[None]" = queue.SimpleQueue()
        self._resting = False
        # Whether a call has needed the thread of the reader since that last let callers read.
        self._wanted = self._direct is not None
        self._stopped = False
        # How many calls read their answers on their own threads.
        self.answers = 0
        self.thread = threading.Thread(target=run, name="mambridge reader", daemon=True)

    # On the thread of a caller

    def answer(self, number: int, seconds: float) -> Optional[wire.Reply]:
        """The answer to a request, if it comes at once and on this thread. Otherwise, it is left to the reader."""
        direct = self._direct
        if direct is None:
            return None
        holder = Holder(READ_SIZE)
        if not self._turn.take(holder):
            if interrupted := self._turn.interrupted():
                interrupted.revoke()
                self._turn.leave(interrupted)
            return None
        chunks = self._chunks
        try:
            if number in self._calls and not chunks and direct.poll(seconds * 1000 if seconds < QUICK else QUICK * 1000):
                chunks.extend(islice(map(direct.receive, iter(holder.permit.pop, None), FLAGS), 1))
                return self._claim(number)
        except (IndexError, OSError, RuntimeError):
            pass  # The right was revoked, there is nothing to read after all, or an interrupted frame uses the poll.
        finally:
            holder.used = True
            self._turn.leave(holder)
            if self._turn.holders:
                self._woken.put(None)
        return None

    def _claim(self, number: int) -> Optional[wire.Reply]:
        """Takes what was read, if it is the answer and nothing else."""
        chunk = self._chunks[0]
        reply = wire.read_answer(chunk)
        if reply is None or reply.id != number:
            return None
        try:
            self._chunks.remove(chunk)
        except ValueError:  # The thread of the reader has taken it, and hands it over.
            return None
        self.answers += 1
        return reply

    def need(self) -> None:
        """A call waits for the thread of the reader, which then lets callers read again."""
        self._wanted = self._direct is not None
        if self._resting and self._woken.empty():
            self._woken.put(None)

    def stop(self) -> None:
        """From now on, the thread of the reader reads to the end."""
        self._stopped = True
        self._woken.put(None)

    # On the thread of the reader

    def read(self, between: bool) -> bytes:
        """Waits for the next bytes. `between` says that no line has begun, so that a caller may read the next one."""
        if between and self._wanted and not self._calls:
            self._rest()
        self._lead()
        try:
            return self._chunks.popleft()
        except IndexError:
            return self._stream.read()

    def _rest(self) -> None:
        """Leaves reading to callers, until one needs this thread or there is no call for a tick."""
        self._wanted = False
        self._resting = True
        self._turn.leave(self)
        seen = None
        # A call that began before may count on this thread.
        while not self._stopped and seen != self.answers and (seen is not None or not self._calls):
            seen = self.answers
            try:
                self._woken.get(timeout=TICK)
                break
            except queue.Empty:
                pass
        self._resting = False

    def _lead(self) -> None:
        if self._turn.is_with(self):
            return
        self._turn.holders.append(self)
        while not self._turn.is_with(self):
            try:
                self._woken.get(timeout=TICK)
            except queue.Empty:
                self._overtake()

    def _overtake(self) -> None:
        """Takes the right to read from a caller that was interrupted, or that waits while others do, too."""
        holder = self._turn.holders[0]
        if holder is not self and (holder.revoke() or self._chunks):
            self._turn.leave(holder)
