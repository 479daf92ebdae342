"""Values between Python and JSON: bytes as base64, times in RFC 3339, durations in ISO 8601."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Callable, Dict, Generic, List, Optional, TypeVar

from .records import Record, record

if TYPE_CHECKING:
    from datetime import datetime, timedelta

__all__ = [
    "Record", "as_bytes", "as_duration", "as_is", "as_time", "duration_text", "given", "lazy", "list_of", "map_of",
    "optional", "record", "time_text", "to_json",
]

T = TypeVar("T")

_TIME = r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)"
_DURATION = r"P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?"


class lazy(Generic[T]):
    """A member that is made when it is first used. If threads ask at once, all get the same one."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    def __get__(self, instance: Any, owner: Any = None) -> T:
        if instance is None:
            return self  # type: ignore[return-value]
        made: T = vars(instance).setdefault(self._name, self._make(instance))
        return made


def as_is(value: Any) -> Any:
    return value


def as_bytes(value: str) -> bytes:
    import base64
    return base64.b64decode(value, validate=True)


def as_time(value: str) -> datetime:
    import re
    from datetime import datetime
    found = re.fullmatch(_TIME, value, re.IGNORECASE)
    if not found:
        raise ValueError("not a time")
    seconds, fraction, zone = found.groups()
    return datetime.fromisoformat(f"{seconds}.{(fraction or '0')[:6]:0<6}{'+00:00' if zone in 'Zz' else zone}")


def as_duration(value: str) -> timedelta:
    import re
    from datetime import timedelta
    found = re.fullmatch(_DURATION, value)
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
    from datetime import datetime, timedelta
    if isinstance(value, (bytes, bytearray, memoryview)):
        import base64
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
    from datetime import timezone
    if time.tzinfo is None:
        raise ValueError("a time without a time zone cannot be sent; use datetime.now(timezone.utc) or astimezone()")
    return time.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def duration_text(length: timedelta) -> str:
    if length.microseconds or length.days < 0:
        raise ValueError("a duration must be in whole seconds and not negative")
    return f"P{length.days}DT{length.seconds}S"
