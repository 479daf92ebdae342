"""Whether the verbs of a sandbox in asyncio were awaited. A test that forgets one would pass."""
from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, Coroutine, List, Tuple

# Methods that need not be awaited by the test.
_ENDS = {"close", "report"}


class Awaited:
    """Remembers the calls of all verbs of an object that nothing has awaited yet."""

    def __init__(self, verbs: object) -> None:
        self._calls: List[Tuple[str, Coroutine[Any, Any, Any]]] = []
        for name, verb in inspect.getmembers(verbs, inspect.iscoroutinefunction):
            if name not in _ENDS and not name.startswith("_"):
                setattr(verbs, name, self._remembered(name, verb))

    def _remembered(self, name: str, verb: Callable[..., Coroutine[Any, Any, Any]]) -> Callable[..., Any]:
        @functools.wraps(verb)
        def call(*arguments: Any, **named: Any) -> Coroutine[Any, Any, Any]:
            begun = verb(*arguments, **named)
            self._calls = [*self._waiting(), (name, begun)]
            return begun

        return call

    def _waiting(self) -> List[Tuple[str, Coroutine[Any, Any, Any]]]:
        return [call for call in self._calls if inspect.getcoroutinestate(call[1]) == inspect.CORO_CREATED]

    def forgotten(self) -> str:
        """What to write in the test for the calls that nothing has awaited. Forgets them."""
        waiting, self._calls = self._waiting(), []
        for _, call in waiting:
            call.close()
        return "; ".join(f"{name} was never awaited: write `await mam.{name}(…)`" for name, _ in waiting)
