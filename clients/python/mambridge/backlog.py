"""Events that wait for a reader."""
from __future__ import annotations

import collections
import queue
import threading
from typing import Deque, List, Optional, Tuple

from .wire import Notice

# The event that takes the place of events that were dropped.
GAP = "events.gap"

# How many events are kept for a reader.
LIMIT = 10_000


class Backlog:
    """Keeps the newest events. For the older ones, a reader gets one `events.gap`, as from the server.

    Lines of the log and telemetry have no number, so they are dropped without a trace, as the server does.

    Putting an event never waits: a signal handler may interrupt the reader of events anywhere, and make a call whose
    reply comes after the event.
    """

    def __init__(self) -> None:
        self._arrived: Deque[Notice] = collections.deque()
        self._events: Deque[Notice] = collections.deque()
        self._missing: Optional[Tuple[int, int]] = None
        self._turn = threading.RLock()
        self._waiting: "List[queue.SimpleQueue[None]]" = []
        self._ended = False

    def put(self, event: Notice) -> None:
        self._arrived.append(event)
        if self._turn.acquire(blocking=False):  # Else who has the turn, or the next event, sorts this one in.
            try:
                self._sort_in()
            finally:
                self._turn.release()
        self._wake()

    def end(self) -> None:
        """Ends the waits. What came before can still be taken."""
        self._ended = True
        self._wake()

    def _wake(self) -> None:
        for waiting in list(self._waiting):
            waiting.put(None)

    def wait(self, limit: Optional[float]) -> bool:
        """Waits for an event or the end."""
        waiting: "queue.SimpleQueue[None]" = queue.SimpleQueue()
        self._waiting.append(waiting)
        try:
            if not (self or self._ended):
                waiting.get(timeout=limit)
        except queue.Empty:
            return False
        finally:
            self._waiting.remove(waiting)
        return True

    def _sort_in(self) -> None:
        while self._arrived:
            self._events.append(self._arrived.popleft())
            if len(self._events) > LIMIT:
                self._drop(self._events.popleft())

    def _drop(self, event: Notice) -> None:
        dropped = numbers(event)
        if dropped and self._missing:
            self._missing = min(dropped[0], self._missing[0]), max(dropped[1], self._missing[1])
        else:
            self._missing = dropped or self._missing

    def take(self) -> Optional[Notice]:
        """The oldest event, or None if there is none."""
        with self._turn:
            self._sort_in()
            if missing := self._missing:
                self._missing = None
                return Notice(GAP, {"after": missing[0], "to": missing[1]})
            try:
                return self._events.popleft()
            except IndexError:  # Nothing is there, or a signal handler took it.
                return None

    def __len__(self) -> int:
        return len(self._arrived) + len(self._events) + (self._missing is not None)


def numbers(event: Notice) -> Optional[Tuple[int, int]]:
    """The number before an event, and its own. Another gap covers several."""
    params = event.params if isinstance(event.params, dict) else {}
    if event.method == GAP:
        after, to = params.get("after"), params.get("to")
    else:
        to = params.get("seq")
        after = to - 1 if isinstance(to, int) else None
    return (after, to) if isinstance(after, int) and isinstance(to, int) else None
