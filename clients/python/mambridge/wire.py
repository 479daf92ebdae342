"""Messages: how they are framed, written and read. Knows no thread, no loop and no stream."""
from __future__ import annotations

import json
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union

from .failures import MambridgeError, UnexpectedReply
from .options import Progress
from .values import to_json

T = TypeVar("T")

Params = Union[Mapping[str, Any], Sequence[Any], None]
Message = Dict[str, Any]


# The server's limit of a reply can be raised to 1 GiB.
LONGEST_LINE = (1 << 30) + (1 << 20)


class Lines:
    """Cuts a stream of bytes into lines."""

    def __init__(self) -> None:
        self._rest = bytearray()

    @property
    def is_between(self) -> bool:
        """Whether no line has begun."""
        return not self._rest

    def feed(self, chunk: bytes) -> List[bytes]:
        start = len(self._rest)
        self._rest += chunk
        end = self._rest.rfind(b"\n", start)
        if end < 0:
            if len(self._rest) > LONGEST_LINE:
                self._rest.clear()
                raise UnexpectedReply(f"the server sent a line of more than {LONGEST_LINE} bytes")
            return []
        lines = bytes(self._rest[:end]).split(b"\n")
        del self._rest[:end + 1]
        return lines


_encoder = json.JSONEncoder(allow_nan=False, separators=(",", ":"), default=to_json)
_quote = json.encoder.encode_basestring_ascii
_scan = json.JSONDecoder().scan_once  # type: ignore[attr-defined]


def _with_one_encoder() -> Callable[[Any], str]:
    """Encodes with one encoder of the json module, which makes another for each message, at a third of the cost.

    A message that contains itself, or is nested too deeply, goes to the json module, which says so.
    """
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return _encoder.encode
    parts = make(None, to_json, _quote, None, ":", ",", False, False, False)

    def encode(message: Any) -> str:
        try:
            return "".join(parts(message, 0))
        except RecursionError:
            return _encoder.encode(message)

    return encode


_encode = _with_one_encoder()


class Outgoing:
    """A message to the server, given as such or as its line: `requests` of its parts will be answered.

    Once begun, it cannot be taken back.
    """

    begun = False
    withdrawn = False
    # Whether it was written as a whole when it was given to the outbox.
    written = False
    # Called when the message is begun, or never will be.
    settled: Optional[Callable[[], None]] = None

    def __init__(self, message: Any, requests: int = 0) -> None:
        self.line = message if isinstance(message, bytes) else line(message)
        self.size = len(self.line)
        self.requests = requests

    def begin(self) -> bytes:
        """Returns the line to write, and keeps it no longer."""
        self.begun = True
        found, self.line = self.line, b""
        if self.settled is not None:
            self.settled()
        return found

    def drop(self) -> None:
        """The message will never be written."""
        if self.settled is not None:
            self.settled()


class Reply:
    """Without an id, an error about a message that the server could not read."""

    def __init__(self, id: Optional[int], result: Any, error: Optional[MambridgeError]) -> None:
        self.id = id
        self.result = result
        self.error = error

    def value(self) -> Any:
        if self.error:
            raise self.error
        return self.result


class Question:
    """A request of the server."""

    def __init__(self, id: Any, method: str, params: Any) -> None:
        self.id = id
        self.method = method
        self.params = params


class Notice:
    """A notification of the server: an event."""

    def __init__(self, method: str, params: Any) -> None:
        self.method = method
        self.params = params


class Update:
    """Progress of the request that gave the token."""

    def __init__(self, token: Any, progress: Progress) -> None:
        self.token = token
        self.progress = progress


Incoming = Union[Reply, Question, Notice, Update]


def parse(line: bytes) -> Iterator[Incoming]:
    """Reads a line, which may hold the replies to a batch. Raises UnexpectedReply if it is no message."""
    if not line.strip():
        return
    try:
        found = json.loads(line)
    except ValueError:
        raise UnexpectedReply("the server sent a line that is not JSON") from None
    except RecursionError:
        raise UnexpectedReply("the server sent JSON that is nested too deeply") from None
    for message in found if isinstance(found, list) else [found]:
        if not isinstance(message, dict):
            raise UnexpectedReply("the server sent JSON that is no message")
        yield parse_one(message)


def read_answer(chunk: bytes) -> Optional[Reply]:
    """The answer to a request, if these bytes are one line that holds it and nothing else."""
    if not chunk or chunk.find(b"\n") != len(chunk) - 1:
        return None
    try:
        text = chunk.decode()
        message, end = _scan(text, 0)
    except (RecursionError, StopIteration, ValueError):
        return None
    if end != len(text) - 1 or type(message) is not dict or "method" in message:
        return None
    number = message.get("id")
    if type(number) is not int:
        return None
    return parse_reply(message) if "error" in message else Reply(number, message.get("result"), None)


def parse_one(message: Message) -> Incoming:
    method = message.get("method")
    if method is None:
        return parse_reply(message)
    if not isinstance(method, str):
        raise UnexpectedReply("the server sent a method whose name is no string")
    if "id" in message:
        return Question(message["id"], method, message.get("params"))
    if method != "$/progress":
        return Notice(method, message.get("params"))
    try:
        token = message["params"]["token"]
        hash(token)
        return Update(token, Progress.from_wire(message["params"]["value"]))
    except (AttributeError, KeyError, TypeError):
        raise UnexpectedReply("the server sent progress that this client cannot read") from None


def parse_reply(message: Message) -> Reply:
    number, error = message.get("id"), message.get("error")
    if number is None and error is None:
        raise UnexpectedReply("the server sent JSON that is no message")
    if number is not None and type(number) is not int:
        raise UnexpectedReply("the server sent a reply to a request that this client never made")
    return Reply(number, message.get("result"), None if error is None else read_error(error))


def read_error(error: Any) -> MambridgeError:
    from . import errors
    return errors.from_wire(error)


def refused(error: MambridgeError, messages: Iterable[Outgoing]) -> Optional[Outgoing]:
    """The message that an error without an id is about.

    The server cannot tell the ids of a message that is too long, or of a batch that passes a limit.
    """
    data = error.data if isinstance(error.data, dict) else {}
    limit, value = data.get("limit"), data.get("value")
    if limit == "message" and isinstance(value, int):
        messages = [message for message in messages if message.size > value]
    elif limit is not None:
        messages = [message for message in messages if message.requests > 1]
    return max((message for message in messages if message.begun), key=lambda message: message.size, default=None)


def line(message: Any) -> bytes:
    return _encode(message).encode() + b"\n"


def request(number: int, method: str, params: Params) -> Message:
    if params is None:
        return {"jsonrpc": "2.0", "id": number, "method": method}
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def request_line(number: int, method: str, params: Params) -> bytes:
    """The line of a request. Only the params need the encoder, which costs as much as all else of a line."""
    given = "" if params is None else f',"params":{_encode(params)}'
    return f'{{"jsonrpc":"2.0","id":{number},"method":{_quote(method)}{given}}}\n'.encode()


def notification(method: str, params: Params) -> Message:
    message: Message = {"jsonrpc": "2.0", "method": method}
    return message if params is None else {**message, "params": params}


def with_options(params: Dict[str, Any], number: int, timeout: Optional[float], progress: bool) -> Dict[str, Any]:
    """Adds the deadline, and asks for progress under the number of the request. The server takes a day at most."""
    meta: Dict[str, Any] = {"progressToken": number} if progress else {}
    if timeout is not None and timeout <= 86_400:
        meta["timeoutMilliseconds"] = max(1, round(timeout * 1000))
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
    from .requests import BY_NAME
    return [
        name for name, found in BY_NAME.items()
        if getattr(type(host), found.handler) is not getattr(base, found.handler)]


def handler(host: Optional[object], question: Question) -> Tuple[Callable[[Any], Any], Any]:
    """The method of the host that answers a question, and its argument."""
    from . import errors
    from .requests import BY_NAME
    found = BY_NAME.get(question.method)
    if host is None or found is None:
        raise errors.MethodNotFound(f"this host does not answer {question.method}")
    try:
        return getattr(host, found.handler), found.read(question.params or {})
    except (AttributeError, KeyError, TypeError, ValueError):
        raise errors.InvalidParams(f"this host cannot read the params of {question.method}") from None


def result_reply(question: Question, result: Any) -> Outgoing:
    return Outgoing({"jsonrpc": "2.0", "id": question.id, "result": result})


def error_reply(question: Question, error: MambridgeError) -> Outgoing:
    return Outgoing({"jsonrpc": "2.0", "id": question.id, "error": error.to_wire()})


def failure_reply(question: Question) -> Outgoing:
    """An error that is not for the wire is reduced to its place."""
    from . import errors
    return error_reply(question, errors.InternalError(f"the host failed to answer {question.method}"))
