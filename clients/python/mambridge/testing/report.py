"""What the server says about a test: as errors of Python, and as the text that a failure has."""
from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Type, TypeVar, Union

from .. import events

if TYPE_CHECKING:
    from ..aio.client import AsyncClient
    from ..client import Client
    from ..types import AwaitedEvent, EnrollmentStatus, EventName, Expectation

E = TypeVar("E", bound="events.Event")

HEADING = "--- what happened in the sandbox\n"
LOST = "The story is lost: "
# How mambridge begins the text about a user whom the tenant does not list.
UNLISTED = "The tenant does not list this user."


def check(found: Expectation) -> None:
    if not found.is_met:
        raise AssertionError(found.text)


def enrolled(found: EnrollmentStatus) -> EnrollmentStatus:
    """Fails for a user whom the tenant does not list, which is a mistake of the test."""
    if (found.error_string or "").startswith(UNLISTED):
        raise AssertionError(f"{found.identity} is not enrolled: {found.error_string}")
    return found


def ordered(found: Sequence[EnrollmentStatus]) -> None:
    """Fails for a wipe of an account that is not enrolled."""
    for status in found:
        if status.status in ("appNotEnrolled", "notEnrolledAccount"):
            raise AssertionError(f"{status.identity} is not enrolled: {status.error_string}")


def name_of(kind: Type[E]) -> EventName:
    name: Any = getattr(kind, "event", None)
    if name not in events.READERS:
        raise TypeError(f"{kind!r} is no event: pass a class of mambridge.events, such as events.PolicyDidChange")
    return name  # type: ignore[no-any-return]


def event_of(found: AwaitedEvent, kind: Type[E]) -> E:
    if found.entry is None:
        raise AssertionError(found.text)
    event = events.read(found.entry.type, found.entry.params)
    assert isinstance(event, kind)
    return event


def summary(error: Optional[BaseException], test: Optional[str] = None) -> str:
    """What a report is about. Empty for an error that fails no test, such as a skip."""
    from unittest import SkipTest
    if not isinstance(error, Exception) or isinstance(error, SkipTest):
        return ""
    return f"{test or 'the calls of a test'}\n{type(error).__name__}: {error}"


def lost(client: Union[Client, AsyncClient], error: Exception) -> str:
    end_if_stuck(client, error)
    return f"{LOST}{error}"


def end_if_stuck(client: Union[Client, AsyncClient], error: Exception) -> None:
    """A sandbox has nothing to finish: one that does not answer is ended at once."""
    if type(error) is TimeoutError and client.pid:
        with suppress(ProcessLookupError):
            os.kill(client.pid, signal.SIGKILL)


def add_note(error: Optional[BaseException], report: str) -> None:
    if sys.version_info >= (3, 11) and error is not None:
        error.add_note(report)
    else:
        print(report, file=sys.stderr)


def take_notes(error: BaseException) -> List[str]:
    """Takes the reports out of the notes of a failure, and returns them."""
    notes: List[str] = getattr(error, "__notes__", [])
    reports = [note for note in notes if note.startswith((HEADING, LOST))]
    notes[:] = [note for note in notes if note not in reports]
    return reports
