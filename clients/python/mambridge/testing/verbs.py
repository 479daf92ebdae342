"""What the verbs of a sandbox do, step by step, for threads and for asyncio alike: each step is a call of the client,
or the awaitable of one, and gets its result back."""
from __future__ import annotations

import time
from typing import Any, Dict, Generator, List, Mapping, Optional, Type, TypeVar

from .. import errors, events
from ..options import GRACE
from . import checks
from .recording import Call, Recording
from .setup import full_name

T = TypeVar("T")
Steps = Generator[Any, Any, T]
E_co = TypeVar("E_co", bound=Any)

# How long `wait_for` waits, in seconds.
PATIENCE = 10.0


class Verbs:
    """The steps of one sandbox, and which of its events the test has waited for."""

    def __init__(self, client: Recording) -> None:
        self._client: Any = client
        self._record = client.record
        self._waiting: List[Any] = []
        self._after = 0
        self._stream: Optional[str] = None

    def policy(
        self, audience: str, settings: Mapping[str, Any], check_in: bool, options: Dict[str, Any],
    ) -> Steps[None]:
        yield self._client.sandbox.set_policy(full_name(audience), settings, **options)
        yield from self._check_in(check_in)

    def configuration(
        self, audience: str, settings: Mapping[str, str], check_in: bool, options: Dict[str, Any],
    ) -> Steps[None]:
        yield self._client.sandbox.set_configuration(full_name(audience), settings, **options)
        yield from self._check_in(check_in)

    def set_user(self, name: str, check_in: bool, options: Dict[str, Any]) -> Steps[None]:
        yield self._client.sandbox.set_user(full_name(name), **options)
        yield from self._check_in(check_in)

    def _check_in(self, wanted: bool) -> Steps[None]:
        if wanted:
            yield self._client.tenant.check_in()

    def wipe(self, user: str, app: Optional[str]) -> Steps[None]:
        """The account learns of the wipe at a check-in. Moving the clock by nothing runs what is due: the wipe."""
        from datetime import timedelta
        yield self._client.sandbox.wipe(full_name(user), app=app, push=True)
        yield self._client.debug.advance_clock(timedelta(0))

    # Events

    def begin_again(self) -> Steps[None]:
        """After a restored state, only what happens from now on is waited for."""
        self._waiting = []
        found = yield self._client.events.list(after=1 << 53, limit=1)
        self._after, self._stream = found.next, found.stream

    def wait_for(self, kind: Type[E_co], user: Optional[str], timeout: float) -> Steps[E_co]:
        __tracebackhide__ = True
        if getattr(kind, "event", None) not in events.READERS:
            raise TypeError(f"{kind!r} is no event: pass a class of mambridge.events, such as events.PolicyDidChange")
        identity = None if user is None else full_name(user)
        yield from self._hear(0.0, timeout)
        if (found := self._take(kind, identity)) is not None:
            return found
        deadline = time.monotonic() + timeout
        while (left := deadline - time.monotonic()) > 0:
            yield from self._hear(left, timeout)
            if (found := self._take(kind, identity)) is not None:
                return found
        heard = ", ".join(sorted({event.event for event in self._waiting})) or "no event"
        about = "" if identity is None else f" for {identity}"
        raise AssertionError(f"{kind.event}{about} did not happen within {timeout:g} s, but {heard} did")

    def _hear(self, seconds: float, limit: float) -> Steps[None]:
        """Takes the events that are stored, or waits for the next ones."""
        while True:
            page = yield self._client.events.list(
                after=self._after, stream=self._stream, limit=1000, wait_milliseconds=int(seconds * 1000),
                timeout=limit + GRACE)
            self._after, self._stream = page.next, page.stream
            self._waiting += [events.read(entry.type, entry.params) for entry in page.events]
            if len(page.events) < 1000:
                return

    def _take(self, kind: Type[E_co], identity: Optional[str]) -> Optional[E_co]:
        """The first event of the kind, which no later wait gets again."""
        for index, event in enumerate(self._waiting):
            if isinstance(event, kind) and identity in (None, getattr(event, "identity", None)):
                del self._waiting[index]
                return event
        return None

    # Answers

    def assert_blocked(self, answer: object, setting: Optional[str]) -> Steps[None]:
        __tracebackhide__ = True
        newest = None
        for call in self._questions(answer):
            judged = yield from self._judged(answer, call, None if setting else "blocked")
            if judged.outcome == "blocked" and (setting is None or setting in judged.settings):
                return
            newest = newest or judged
        assert newest is not None
        by = f" by {setting}" if setting else ""
        if newest.outcome != "blocked":
            raise AssertionError(newest.text(f"should be blocked{by}, but is {newest.outcome}"))
        others = " and ".join(newest.settings) or "no setting"
        raise AssertionError(newest.text(f"should be blocked{by}, but is blocked by {others}"))

    def assert_allowed(self, answer: object) -> Steps[None]:
        __tracebackhide__ = True
        judged = yield from self._judged(answer, self._questions(answer)[0], "allowed")
        if judged.outcome != "allowed":
            raise AssertionError(judged.text(f"should be allowed, but is {judged.outcome}"))

    def _questions(self, answer: object) -> List[Optional[Call]]:
        """What the answer may be the answer of, the newest first: truth values are all the same."""
        calls = self._record.calls_of(answer)
        return [*calls[:1], *(call for call in calls[1:] if checks.is_permission(call.method))] or [None]

    def _judged(self, answer: object, call: Optional[Call], wanted: Optional[str]) -> Steps[checks.Judged]:
        """Asks why, unless the answer says so itself or is the wanted one."""
        raw, name = checks.raw_answer(answer, call)
        if (judged := checks.judged_by_itself(raw, name)) is not None:
            return judged
        outcome = checks.outcome_of(raw, name)
        if call is None or outcome == wanted:
            return checks.Judged(name, outcome, [], [])
        try:
            why = yield self._client.policy.explain(call.method, params=checks.params_of(call))
        except errors.InvalidParams:
            return checks.Judged(name, outcome, [], [])
        return checks.judged_with(why, outcome, name)
