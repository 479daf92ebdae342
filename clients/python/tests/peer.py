"""The peer of fake.py as a server, what it can say, and signals to this program."""
from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Any, Callable

from mambridge import Client

FAKE = str(Path(__file__).parent / "fake.py")
NEWS: dict[str, Any] = {"method": "policyManager.policyDidChange", "params": {"seq": 1, "time": "2026-02-02T02:40:00.000Z"}}


def fake(**options: Any) -> Client:
    return Client.spawn(sys.executable, FAKE, **options)


def on_signal(handle: Callable[[], object]) -> Callable[[], None]:
    """Handles SIGUSR1 like that until the test has ended. Returns what sends it to this thread."""
    signal.signal(signal.SIGUSR1, lambda *_: handle() and None)
    return lambda: signal.raise_signal(signal.SIGUSR1)
