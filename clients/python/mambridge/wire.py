"""Messages: how they are framed, written and read. Knows no thread, no loop and no stream."""
from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union

from . import errors
from .failures import MambridgeError, UnexpectedReply
from .options import Progress
from .requests import BY_NAME
from .values import to_json

T = TypeVar("T")

Params = Union[Mapping[str, Any], Sequence[Any], None]
Message = Dict[str, Any]


class Lines:
    """Cuts a stream of bytes into lines."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, chunk: bytes) -> List[bytes]:
        start = len(self._rest)
        self._rest += chunk
        end = self._rest.rfind(b"\n", start)
        if end < 0:
            return []
        lines = bytes(self._rest[:end]).split(b"\n")
        del self._rest[:end + 1]
        return lines


@dataclass(frozen=True)
class Reply:
    id: Any
    result: Any
    error: Optional[MambridgeError]

    def value(self) -> Any:
        if self.error:
            raise self.error
        return self.result


@dataclass(frozen=True)
class Question:
    """A request of the server."""

    id: Any
    method: str
    params: Any


@dataclass(frozen=True)
class Notice:
    """A notification of the server: an event."""

    method: str
    params: Any


@dataclass(frozen=True)
class Update:
    """Progress of the request that gave the token."""

    token: Any
    progress: Progress


Incoming = Union[Reply, Question, Notice, Update]


def parse(line: bytes) -> Iterator[Incoming]:
    """Reads a line, which may hold the replies to a batch. Raises UnexpectedReply if it is no message."""
    if not line.strip():
        return
    try:
        found = json.loads(line)
    except ValueError:
        raise UnexpectedReply("the server sent a line that is not JSON") from None
    for message in found if isinstance(found, list) else [found]:
        if not isinstance(message, dict):
            raise UnexpectedReply("the server sent JSON that is no message")
        yield parse_one(message)


def parse_one(message: Message) -> Incoming:
    if "method" not in message:
        error = message.get("error")
        return Reply(message.get("id"), message.get("result"), None if error is None else errors.from_wire(error))
    if "id" in message:
        return Question(message["id"], message["method"], message.get("params"))
    if message["method"] != "$/progress":
        return Notice(message["method"], message.get("params"))
    try:
        return Update(message["params"]["token"], Progress.from_wire(message["params"]["value"]))
    except (AttributeError, KeyError, TypeError):
        raise UnexpectedReply("the server sent progress that this client cannot read") from None


def line(message: Any) -> bytes:
    return json.dumps(message, allow_nan=False, separators=(",", ":"), default=to_json).encode() + b"\n"


def request(number: int, method: str, params: Params) -> Message:
    return {"jsonrpc": "2.0", "id": number, **notification(method, params)}


def notification(method: str, params: Params) -> Message:
    message: Message = {"jsonrpc": "2.0", "method": method}
    return message if params is None else {**message, "params": params}


def with_options(params: Dict[str, Any], number: int, timeout: Optional[float], progress: bool) -> Dict[str, Any]:
    """Adds the deadline, and asks for progress under the number of the request."""
    meta: Dict[str, Any] = {"progressToken": number} if progress else {}
    if timeout is not None:
        meta["timeoutMilliseconds"] = min(max(1, round(timeout * 1000)), 86_400_000)
    return {**params, "_meta": meta} if meta else params


def merge(params: Params, named: Dict[str, Any]) -> Params:
    if not named:
        return params
    if params is not None and not isinstance(params, Mapping):
        raise TypeError("params by position and by name cannot be mixed")
    return {**(params or {}), **named}


def read_result(method: str, read: Callable[[Any], T], result: Any) -> T:
    try:
        return read(result)
    except KeyError as error:
        raise UnexpectedReply(f"the result of {method} has no member {error}") from None
    except (AttributeError, TypeError, ValueError):
        raise UnexpectedReply(f"the result of {method} has a member of the wrong type") from None


# Requests of the server


def declared(host: object, base: type) -> List[str]:
    """The requests whose methods a host overrides."""
    return [
        name for name, found in BY_NAME.items()
        if getattr(type(host), found.handler) is not getattr(base, found.handler)]


def handler(host: Optional[object], question: Question) -> Tuple[Callable[[Any], Any], Any]:
    """The method of the host that answers a question, and its argument."""
    found = BY_NAME.get(question.method)
    if host is None or found is None:
        raise errors.MethodNotFound(f"this host does not answer {question.method}")
    try:
        return getattr(host, found.handler), found.read(question.params or {})
    except (AttributeError, KeyError, TypeError, ValueError):
        raise errors.InvalidParams(f"this host cannot read the params of {question.method}") from None


def result_reply(question: Question, result: Any) -> bytes:
    return line({"jsonrpc": "2.0", "id": question.id, "result": result})


def error_reply(question: Question, error: Exception) -> bytes:
    """An error that is not for the wire is reduced to its place."""
    if not isinstance(error, MambridgeError):
        error = errors.InternalError(f"the host failed to answer {question.method}")
    return line({"jsonrpc": "2.0", "id": question.id, "error": error.to_wire()})
