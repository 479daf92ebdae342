"""Values between Python and JSON: bytes as base64, times in RFC 3339, durations in ISO 8601."""
from __future__ import annotations

import base64
import dataclasses
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any, Callable, Dict, List, Optional, TypeVar

T = TypeVar("T")

_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)", re.IGNORECASE)
_DURATION = re.compile(r"P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")


class Record:
    """What all generated dataclasses share, so that Python need not make it for each of them at import."""

    def __repr__(self) -> str:
        shown = (found for found in dataclasses.fields(self) if found.repr)  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(f'{found.name}={getattr(self, found.name)!r}' for found in shown)})"

    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other) if type(self) is type(other) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(vars(self).values()))


def as_is(value: Any) -> Any:
    return value


def as_bytes(value: str) -> bytes:
    return base64.b64decode(value, validate=True)


def as_time(value: str) -> datetime:
    found = _TIME.fullmatch(value)
    if not found:
        raise ValueError("not a time")
    seconds, fraction, zone = found.groups()
    return datetime.fromisoformat(f"{seconds}.{(fraction or '0')[:6]:0<6}{'+00:00' if zone in 'Zz' else zone}")


def as_duration(value: str) -> timedelta:
    found = _DURATION.fullmatch(value)
    if not found or value.endswith(("P", "T")):
        raise ValueError("not a duration in weeks, days, hours, minutes and seconds")
    weeks, days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)


def optional(read: Callable[[Any], T]) -> Callable[[Any], Optional[T]]:
    return lambda value: None if value is None else read(value)


def list_of(read: Callable[[Any], T]) -> Callable[[Any], List[T]]:
    return lambda values: [read(value) for value in values]


def map_of(read: Callable[[Any], T]) -> Callable[[Any], Dict[str, T]]:
    return lambda values: {name: read(value) for name, value in values.items()}


def given(members: Dict[str, Any]) -> Dict[str, Any]:
    """The members that are not None: an optional parameter that the caller left out is not sent."""
    return {name: value for name, value in members.items() if value is not None}


def to_json(value: Any) -> Any:
    """The JSON form of a value that the json module does not know."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode()
    if isinstance(value, datetime):
        return time_text(value)
    if isinstance(value, timedelta):
        return duration_text(value)
    if hasattr(value, "to_wire"):
        return value.to_wire()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence):
        return list(value)
    raise TypeError(f"{type(value).__name__} cannot be sent as JSON")


def time_text(time: datetime) -> str:
    if time.tzinfo is None:
        raise ValueError("a time without a time zone cannot be sent; use datetime.now(timezone.utc) or astimezone()")
    return time.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def duration_text(length: timedelta) -> str:
    if length.microseconds or length < timedelta(0):
        raise ValueError("a duration must be in whole seconds and not negative")
    return f"P{length.days}DT{length.seconds}S"
