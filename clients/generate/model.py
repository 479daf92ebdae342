"""What the schema says, in plain values that belong to no language. `schema.read` makes a Model."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Optional, Union

# Types, as a field, a parameter or a result uses them.

Kind = Literal[
    "string", "bytes", "integer", "number", "boolean",
    "time",  # a point in time, with its zone
    "duration",
    "object",  # a JSON object whose members the schema does not describe
    "any",  # any JSON value
    "null",  # no value: the result of a method that returns nothing
]


@dataclass(frozen=True)
class Basic:
    """A type that most languages have. Integers fit in 64 bits with sign."""

    kind: Kind


@dataclass(frozen=True)
class Nullable:
    """The inner type or null, and nothing else. `Basic("any")` is never wrapped, because null is one of its values."""

    inner: "Type"


@dataclass(frozen=True)
class ListOf:
    item: "Type"


@dataclass(frozen=True)
class MapOf:
    """An object all of whose values have one type. Its names are the values of the enum `names`, or any if that is None."""

    value: "Type"
    names: Optional[str] = None


@dataclass(frozen=True)
class Choice:
    """One of a few values, where the schema gives the set no name. A language may use a plain string or integer."""

    values: tuple[Any, ...]


@dataclass(frozen=True)
class Named:
    """A declaration, by its name in `Model.types`."""

    name: str


Type = Union[Basic, Nullable, ListOf, MapOf, Choice, Named]


# Declarations


@dataclass(frozen=True)
class Field:
    """A member of a record, a parameter, or a key of a dictionary.

    A member that is not required may be absent, which means the same as null. `default` is the value that the server
    uses for an absent parameter, or None if the documentation alone describes it. A secret must not show up in a log,
    an error text, or whatever the language prints for debugging.
    """

    name: str
    type: Type
    required: bool
    doc: str
    secret: bool = False
    default: Any = None


@dataclass(frozen=True)
class Enum:
    """A set of values: all strings or all integers. A newer server may send others, which a client passes through."""

    name: str
    doc: str
    values: tuple[Any, ...]
    sdk_name: Optional[str] = None


@dataclass(frozen=True)
class EnumInput:
    """What a caller may send for an enum: one of its values, or of another enum's, whose values mean the same.

    The other enum holds the SDK's integers, or older names. A language may offer the first enum alone.
    """

    name: str
    enum: str
    other: str


@dataclass(frozen=True)
class Record:
    """An object with known members. A newer server may send others, which a client ignores."""

    name: str
    doc: str
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Dictionary:
    """An object whose keys are names of settings, partly no identifiers of any language (`SplashIconFile~ipad`).

    An absent key leaves a setting as it is; null unsets it. An open dictionary takes other keys, too.
    """

    name: str
    doc: str
    entries: tuple[Field, ...]
    open: bool


@dataclass(frozen=True)
class Alias:
    """Another name for a type, for its documentation."""

    name: str
    doc: str
    type: Type


Declaration = Union[Enum, EnumInput, Record, Dictionary, Alias]


# What goes over the wire


@dataclass(frozen=True)
class Example:
    params: dict[str, Any]
    result: Any


@dataclass(frozen=True)
class Method:
    """A method that the host calls. `short` is its name without the namespace, which is empty for initialize."""

    name: str
    namespace: str
    short: str
    summary: str
    description: str
    params: tuple[Field, ...]
    result: Type
    result_doc: str
    result_secret: bool
    errors: tuple[str, ...]
    examples: tuple[Example, ...]
    sdk_members: tuple[str, ...]


@dataclass(frozen=True)
class HostRequest:
    """A request of the server that a host may answer. `title` is unique among host requests."""

    name: str
    title: str
    summary: str
    description: str
    params: tuple[Field, ...]
    result: Type
    result_doc: str
    default: str
    errors: tuple[str, ...]


@dataclass(frozen=True)
class Event:
    """A notification of the server. `title` is unique among events and types."""

    name: str
    title: str
    summary: str
    description: str
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Error:
    """An error by its name. `domain` and `sdk_code` are the SDK's, if the SDK has the error."""

    name: str
    code: int
    message: str
    domain: Optional[str]
    sdk_code: Optional[int]


@dataclass(frozen=True)
class Model:
    """`types` holds what methods, events and host requests use, sorted by name. `sent` and `received` are the names of
    the types that a client writes and reads; some are in both. Every request can end with a common error."""

    version: str
    types: dict[str, Declaration]
    sent: frozenset[str]
    received: frozenset[str]
    methods: tuple[Method, ...]
    events: tuple[Event, ...]
    host_requests: tuple[HostRequest, ...]
    errors: dict[str, Error]
    common_errors: tuple[str, ...]
    limits: dict[str, int]

    def namespaces(self) -> dict[str, list[Method]]:
        """The methods by namespace, in the order of the schema, and the methods without one under the empty name."""
        found: dict[str, list[Method]] = {}
        for method in self.methods:
            found.setdefault(method.namespace, []).append(method)
        return found
