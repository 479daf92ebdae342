"""What a caller can give with any call."""
from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Protocol, TypeVar

from .records import Record

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from . import records
    dataclass = records.record

T = TypeVar("T")

# How long after a deadline the client still waits for the server to say that the deadline passed.
GRACE = 5.0

# The longest time in seconds that a thread can wait for, with the times that are added to a limit.
LONGEST = threading.TIMEOUT_MAX / 2


@dataclass(frozen=True, repr=False, eq=False)
class Progress(Record):
    """How far long work is. `percentage` is 0 to 100, or None if unknown."""

    kind: str
    percentage: Optional[float] = None
    message: Optional[str] = None

    __match_args__ = ("kind", "percentage", "message")

    def __init__(self, kind: str, percentage: Optional[float] = None, message: Optional[str] = None) -> None:
        self.__dict__.update(kind=kind, percentage=percentage, message=message)

    @classmethod
    def from_wire(cls, wire: Dict[str, Any]) -> "Progress":
        return cls(wire.get("kind", "report"), wire.get("percentage"), wire.get("message"))


ProgressHandler = Callable[[Progress], None]


class CancelToken:
    """Cancels calls from another thread, or from a signal handler. One token may serve several calls, one after the other
    or at once.

    A canceled call ends with `errors.Cancelled` if nothing was changed. If it was too late, the call ends as usual.
    """

    # There is no lock, because a signal handler may cancel while its own thread is anywhere in here: whoever takes a
    # hook out of the list calls it, and each change of the list is atomic.

    def __init__(self) -> None:
        self._canceled = False
        self._hooks: List[Callable[[], None]] = []

    @property
    def canceled(self) -> bool:
        return self._canceled

    def cancel(self) -> None:
        self._canceled = True
        for hook in list(self._hooks):
            if self.remove(hook):
                hook()

    def add(self, hook: Callable[[], None]) -> None:
        """Calls the hook on cancel: at once if that was before."""
        self._hooks.append(hook)
        if self._canceled and self.remove(hook):
            hook()

    def remove(self, hook: Callable[[], None]) -> bool:
        """Whether the hook was there."""
        try:
            self._hooks.remove(hook)
        except ValueError:
            return False
        return True


def limit_of(timeout: Optional[float]) -> Optional[float]:
    """A time limit in seconds. None is no limit, and so is a time that nobody lives to see, such as infinity."""
    if timeout is None:
        return None
    if timeout != timeout:
        raise ValueError("the timeout is not a number: pass seconds, or None for no limit")
    return None if timeout > LONGEST else max(0.0, timeout)


def late(method: str, limit: Optional[float]) -> TimeoutError:
    """The error of a call without an answer: in whole seconds if they are, such as 3 s, or else as 250 ms."""
    milliseconds = round((limit or 0) * 1000)
    length = f"{milliseconds} ms" if milliseconds % 1000 else f"{milliseconds // 1000} s"
    return TimeoutError(f"{method}: no answer within {length}")


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
