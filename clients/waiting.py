"""Waits for a state, never for a time: the limit only ends a test that would fail anyway."""
from __future__ import annotations

import time
from typing import Any, Callable

SECONDS = 60
# What ends by itself takes less, on any machine: what is compared with this would otherwise wait for much longer.
SOON = 30


def wait_for(
    condition: Callable[[], Any], what: str, seconds: float = SECONDS, said: Callable[[], str] = lambda: ""
) -> Any:
    """The first true result of the condition. `said` is what the program has said meanwhile, for a failure."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}\n{said()}"
        time.sleep(0.02)
    return found
