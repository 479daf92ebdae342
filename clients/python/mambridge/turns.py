"""Rights that one thread has at a time, and that a signal handler can take from the frame that it interrupts."""
from __future__ import annotations

from threading import get_ident
from typing import Any, List

# How long a thread waits, in seconds, before it takes a right from a holder that does not use it.
TICK = 0.02


class Holder:
    """Who asks for a right. Whoever removes the permit decides whether the holder may use the right, which it does once.

    The call that uses the right removes the permit itself, without Python code between, so that no signal handler runs
    there. `used` is set after it.
    """

    used = False

    def __init__(self, permit: Any) -> None:
        self.permit = [permit]
        self.thread = get_ident()

    def revoke(self) -> bool:
        """Whether the holder cannot be using the right, now or later."""
        try:
            self.permit.pop()
        except IndexError:
            return self.used
        return True


class Turn:
    """The right. The first of those who ask has it. There is no lock: each change of the list is atomic."""

    def __init__(self) -> None:
        self.holders: List[Any] = []

    def take(self, holder: Any) -> bool:
        """Whether the right was free."""
        holders = self.holders
        holders.append(holder)
        try:
            if holders[0] is holder:
                return True
        except IndexError:  # A signal handler took the right.
            pass
        self.leave(holder)
        return False

    def is_with(self, holder: Any) -> bool:
        try:
            return self.holders[0] is holder
        except IndexError:
            return False

    def leave(self, holder: Any) -> None:
        """Gives the right back, unless that was done."""
        try:
            self.holders.remove(holder)
        except ValueError:
            pass

    def interrupted(self) -> Any:
        """The holder whose frame the caller, a signal handler, interrupts."""
        thread = get_ident()
        return next((found for found in list(self.holders) if found.thread == thread), None)
