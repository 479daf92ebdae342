"""When a call may hold up the loop to read its own answer, which saves two turns of the loop."""
from __future__ import annotations

from time import monotonic

# How long calls in a row may hold up the loop, and how long one may wait for its answer in it, in seconds.
MOMENT = 0.002
QUICK = 0.001

# How long no call holds up the loop after one that did so in vain: longer each time, in seconds.
SHORTEST_PAUSE = 0.001
LONGEST_PAUSE = 1.0


class Pace:
    """Calls hold up the loop only for a moment after it has run, so other tasks go on, and only as long as answers come
    at once."""

    def __init__(self) -> None:
        self._begin = 0.0
        self._end = 0.0
        self._pause = 0.0

    def is_free(self) -> bool:
        return self._begin <= monotonic() < self._end

    def judge(self, at_once: bool) -> None:
        """Whether the answer came at once."""
        if at_once:
            self._pause = 0.0
        else:
            self._pause = min(2 * self._pause + SHORTEST_PAUSE, LONGEST_PAUSE)
            self._begin = monotonic() + self._pause

    def loop_ran(self) -> None:
        self._end = monotonic() + MOMENT
