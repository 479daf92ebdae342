"""What a caller can give with any call."""
from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Protocol, TypeVar

T = TypeVar("T")

# How long after a deadline the client still waits for the server to say that the deadline passed.
GRACE = 5.0


@dataclass(frozen=True)
class Progress:
    """How far long work is. `percentage` is 0 to 100, or None if unknown."""

    kind: str
    percentage: Optional[float] = None
    message: Optional[str] = None

    @classmethod
    def from_wire(cls, wire: Dict[str, Any]) -> "Progress":
        return cls(wire.get("kind", "report"), wire.get("percentage"), wire.get("message"))


ProgressHandler = Callable[[Progress], None]


class CancelToken:
    """Cancels calls from another thread. One token may serve several calls, one after the other or at once.

    A canceled call ends with `errors.Cancelled` if nothing was changed. If it was too late, the call ends as usual.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._canceled = False
        self._hooks: List[Callable[[], None]] = []

    @property
    def canceled(self) -> bool:
        return self._canceled

    def cancel(self) -> None:
        with self._lock:
            self._canceled = True
            hooks, self._hooks = self._hooks, []
        for hook in hooks:
            hook()

    def add(self, hook: Callable[[], None]) -> None:
        """Calls the hook on cancel: at once if that was before."""
        with self._lock:
            if not self._canceled:
                self._hooks.append(hook)
                return
        hook()

    def remove(self, hook: Callable[[], None]) -> None:
        with self._lock:
            if hook in self._hooks:
                self._hooks.remove(hook)


class Invoke(Protocol):
    """Makes a call: `read` turns the result into a value."""

    def __call__(
        self, method: str, params: Dict[str, Any], read: Callable[[Any], T], timeout: Optional[float],
        cancel: Optional[CancelToken], progress: Optional[ProgressHandler],
    ) -> T: ...


class AsyncInvoke(Protocol):
    async def __call__(
        self, method: str, params: Dict[str, Any], read: Callable[[Any], T], timeout: Optional[float],
        progress: Optional[ProgressHandler],
    ) -> T: ...
