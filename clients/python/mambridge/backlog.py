"""Events that wait for a reader."""
from __future__ import annotations

import collections
from typing import Deque, Optional

from .wire import Notice


class Backlog:
    def __init__(self) -> None:
        self._events: Deque[Notice] = collections.deque()

    def put(self, event: Notice) -> None:
        self._events.append(event)

    def take(self) -> Optional[Notice]:
        """The oldest event, or None if there is none."""
        return self._events.popleft() if self._events else None

    def __len__(self) -> int:
        return len(self._events)
