"""The calls of a test, as they were sent: to find the call behind an answer, and to replay them."""
from __future__ import annotations

from signal import SIGKILL
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple, TypeVar, Union

from .. import wire
from ..aio.client import AsyncClient
from ..client import Client
from ..options import CancelToken, ProgressHandler
from ..streams import Pipes
from ..wire import Params

T = TypeVar("T")

# Calls that a record keeps, and of the newest of them their answers.
MOST_CALLS = 5_000
MOST_ANSWERS = 100
_MISSING = object()
# Calls that only look, as the story of the server has them.
_UNTOLD = frozenset({"events.list", "sandbox.story"})


class Call:
    """A call: its params as JSON text, the result as it came, and the value that the test got."""

    def __init__(self, method: str, params: Any) -> None:
        self.method = method
        self.params = None if params is None else wire.line(params).decode().rstrip("\n")
        self.result: Any = None
        self.answer: Any = _MISSING
        self.error: Optional[BaseException] = None

    def keeping(self, read: Callable[[Any], T]) -> Callable[[Any], T]:
        """Reads a result, and keeps it as it came."""
        def keep(result: Any) -> T:
            self.result = result
            return read(result)

        return keep


class Record:
    """The calls of a connection, in order. Beyond the limit, only their number is known."""

    def __init__(self) -> None:
        self.calls: List[Call] = []
        self.left_out = 0
        # Whether a call was not answered even after its time limit.
        self.is_stuck = False
        self._newest: List[Call] = []

    def begin(self, method: str, params: Any) -> Call:
        call = Call(method, params)
        if method in _UNTOLD:
            return call
        if len(self.calls) < MOST_CALLS:
            self.calls.append(call)
        else:
            self.left_out += 1
        return call

    def end(self, call: Call, answer: T) -> T:
        call.answer = answer
        self._newest = [*self._newest[1 - MOST_ANSWERS:], call]
        return answer

    def fail(self, call: Call, error: BaseException) -> None:
        call.error = error
        self.is_stuck = self.is_stuck or type(error) is TimeoutError

    def calls_of(self, answer: object) -> List[Call]:
        """The calls with this very answer, the newest first. Only truth values are the answer of several."""
        found: Dict[Tuple[str, Optional[str]], Call] = {}
        for call in reversed(self._newest):
            if call.answer is answer:
                found.setdefault((call.method, call.params), call)
        return list(found.values())


class RecordingClient(Client):
    """A client that records its calls."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.record = Record()
        super().__init__(*arguments, **options)

    def call(self, method: str, params: Params = None, /, *, timeout: Optional[float] = None, **named: Any) -> Any:
        call = self.record.begin(method, wire.merge(params, named))
        try:
            call.result = super().call(method, params, timeout=timeout, **named)
        except BaseException as error:
            self.record.fail(call, error)
            raise
        return self.record.end(call, call.result)

    def batch(self, calls: Iterable[Tuple[str, Params]], timeout: Optional[float] = None) -> List[Any]:
        listed = list(calls)
        for method, params in listed:
            self.record.begin(method, params)
        return super().batch(listed, timeout)

    def _invoke_method(
        self, method: str, params: Dict[str, Any], read: Callable[[Any], T], timeout: Optional[float],
        cancel: Optional[CancelToken], progress: Optional[ProgressHandler],
    ) -> T:
        call = self.record.begin(method, params or None)
        try:
            answer = super()._invoke_method(method, params, call.keeping(read), timeout, cancel, progress)
        except BaseException as error:
            self.record.fail(call, error)
            raise
        return self.record.end(call, answer)


    def close(self) -> None:
        """A sandbox has nothing to finish: one that does not answer is ended at once."""
        if self.record.is_stuck and isinstance(self._stream, Pipes):
            self._stream.child.signal(SIGKILL)
        super().close()


class AsyncRecordingClient(AsyncClient):
    """A client for asyncio that records its calls."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.record = Record()
        super().__init__(*arguments, **options)

    async def call(
        self, method: str, params: Params = None, /, *, timeout: Optional[float] = None, **named: Any,
    ) -> Any:
        call = self.record.begin(method, wire.merge(params, named))
        try:
            call.result = await super().call(method, params, timeout=timeout, **named)
        except BaseException as error:
            self.record.fail(call, error)
            raise
        return self.record.end(call, call.result)

    async def batch(self, calls: Iterable[Tuple[str, Params]], timeout: Optional[float] = None) -> List[Any]:
        listed = list(calls)
        for method, params in listed:
            self.record.begin(method, params)
        return await super().batch(listed, timeout)

    async def _invoke_method(
        self, method: str, params: Dict[str, Any], read: Callable[[Any], T], timeout: Optional[float],
        progress: Optional[ProgressHandler],
    ) -> T:
        call = self.record.begin(method, params or None)
        try:
            answer = await super()._invoke_method(method, params, call.keeping(read), timeout, progress)
        except BaseException as error:
            self.record.fail(call, error)
            raise
        return self.record.end(call, answer)

    async def close(self) -> None:
        """A sandbox has nothing to finish: one that does not answer is ended at once."""
        if self.record.is_stuck:
            self._session.stream.abort()
        await super().close()


Recording = Union[RecordingClient, AsyncRecordingClient]
