"""Events that wait for a reader."""
from __future__ import annotations

import collections
from typing import Deque, Optional, Tuple

from .events import EventsGap
from .wire import Notice

# How many events are kept for a reader.
LIMIT = 10_000


class Backlog:
    """Keeps the newest events. For the older ones, a reader gets one `events.gap`, as from the server.

    Lines of the log and telemetry have no number, so they are dropped without a trace, as the server does.
    """

    def __init__(self) -> None:
        self._events: Deque[Notice] = collections.deque()
        self._missing: Optional[Tuple[int, int]] = None

    def put(self, event: Notice) -> None:
        self._events.append(event)
        if len(self._events) <= LIMIT:
            return
        dropped = numbers(self._events.popleft())
        if dropped and self._missing:
            self._missing = min(dropped[0], self._missing[0]), max(dropped[1], self._missing[1])
        else:
            self._missing = dropped or self._missing

    def take(self) -> Optional[Notice]:
        """The oldest event, or None if there is none."""
        if self._missing:
            (after, to), self._missing = self._missing, None
            return Notice(EventsGap.event, {"after": after, "to": to})
        return self._events.popleft() if self._events else None

    def __len__(self) -> int:
        return len(self._events) + (self._missing is not None)


def numbers(event: Notice) -> Optional[Tuple[int, int]]:
    """The number before an event, and its own. Another gap covers several."""
    params = event.params if isinstance(event.params, dict) else {}
    if event.method == EventsGap.event:
        after, to = params.get("after"), params.get("to")
    else:
        to = params.get("seq")
        after = to - 1 if isinstance(to, int) else None
    return (after, to) if isinstance(after, int) and isinstance(to, int) else None
