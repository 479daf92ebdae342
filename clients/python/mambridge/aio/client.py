"""The client for asyncio."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, AsyncIterator, Awaitable, Callable, Dict, Generator, Iterable, List, Optional
from typing import Tuple, TypeVar

from .. import program, wire
from ..options import GRACE, ProgressHandler, limit_of
from ..streams import read_token
from ..values import as_is
from .methods import Methods
from .session import EventHandler, Session
from .streams import Pipes, Receiver, Socket, Stream

if TYPE_CHECKING:
    from ..events import Event
    from .host import AsyncHost

T = TypeVar("T")


class AsyncClient(Methods):
    """A connection to a server in one event loop: use it with `async with`, or await it and close it.

    `host` answers the requests of the server, each in a task of its own. `on_event`, a function or a coroutine
    function, gets the events, one at a time; without it, `listen` returns them. Both may make calls. `initialize`
    declares what the host answers and which events it wants. `timeout` applies to calls without a timeout of their own.
    """

    def __init__(
        self, opening: Callable[[Receiver], Awaitable[Stream]], *, token_file: Optional[str] = None,
        host: Optional[AsyncHost] = None, on_event: Optional[EventHandler] = None, timeout: Optional[float] = None,
    ) -> None:
        super().__init__(self._invoke_method)
        self._opening = opening
        self._token_file = token_file
        self._host = host
        self._on_event = on_event
        self._timeout = timeout
        self._started: Optional[Session] = None

    @classmethod
    def spawn(
        cls, executable: str = "mambridge", *arguments: str, environment: Optional[Dict[str, str]] = None,
        folder: Optional[str] = None, host: Optional[AsyncHost] = None, on_event: Optional[EventHandler] = None,
        timeout: Optional[float] = None, own_process_group: bool = True,
    ) -> "AsyncClient":
        """Starts a server as a child process. `environment` is added to ours; `folder` is its working directory.

        The executable `mambridge` is the one that was installed with this package, or else the one on PATH. In a process
        group of its own, the server gets no signal that Ctrl-C or a service manager sends to the group of this program.
        """
        command = [program.find(executable), *map(str, arguments)]
        return cls(
            lambda receiver: Pipes.open(receiver, command, environment, folder, own_process_group), host=host,
            on_event=on_event, timeout=timeout)

    @classmethod
    def connect(
        cls, address: str, *, token_file: Optional[str] = None, host: Optional[AsyncHost] = None,
        on_event: Optional[EventHandler] = None, timeout: Optional[float] = None,
    ) -> "AsyncClient":
        """Connects to `unix:///PATH`, or to `tcp://HOST:PORT` with the file of the token that the server names."""
        return cls(
            lambda receiver: Socket.open(receiver, address), token_file=token_file, host=host, on_event=on_event,
            timeout=timeout)

    async def _start(self) -> "AsyncClient":
        if self._started:
            return self
        session = Session(self._host, self._on_event)
        session.start(await self._opening(session))
        self._started = session
        try:
            if self._token_file is not None:
                await self.authenticate(read_token(self._token_file), timeout=10)
        except BaseException:
            await self.close()
            raise
        return self

    def __await__(self) -> Generator[Any, None, "AsyncClient"]:
        return self._start().__await__()

    async def __aenter__(self) -> "AsyncClient":
        return await self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def _session(self) -> Session:
        if self._started is None:
            raise RuntimeError("await the client or use it with `async with` first")
        return self._started

    # Any method

    async def call(
        self, method: str, params: wire.Params = None, /, *, timeout: Optional[float] = None, **named: Any,
    ) -> Any:
        """Makes a call without types: the params go out as they are, and the result comes back as parsed JSON.

        Pass params by name, or as one dict or list. After `timeout` seconds, cancels and raises TimeoutError.
        """
        call = self._session.new_call(method)
        self._session.send((call,), wire.request_line(call.number, method, wire.merge(params, named)))
        return await self._session.wait(call, self._limit(timeout))

    async def batch(self, calls: Iterable[Tuple[str, wire.Params]], timeout: Optional[float] = None) -> List[Any]:
        """Makes many calls in one message. In the list of results, a failed call is its MambridgeError."""
        requests = [(self._session.new_call(method), method, params) for method, params in calls]
        if not requests:
            return []
        sent = [call for call, _, _ in requests]
        self._session.send(sent, [wire.request(call.number, method, params) for call, method, params in requests])
        return await self._session.wait_all(sent, self._limit(timeout))

    async def notify(self, method: str, params: wire.Params = None, /, **named: Any) -> None:
        """Sends a notification. The server does not reply, not even to report a failure.

        Waits until the server reads: TimeoutError after the time limit of the client.
        """
        await self._session.notify(wire.notification(method, wire.merge(params, named)), self._limit(None))

    async def _invoke_method(
        self, method: str, params: Dict[str, Any], read: Callable[[Any], T], timeout: Optional[float],
        progress: Optional[ProgressHandler],
    ) -> T:
        session = self._session
        if method == "initialize" and session.host:
            from .host import AsyncHost
            params.setdefault("delegates", wire.declared(session.host, AsyncHost))
        call = session.new_call(method, progress)
        limit = None if timeout is None and self._timeout is None else self._limit(timeout)
        if limit is not None or progress is not None:
            params = wire.with_options(params, call.number, limit, progress is not None)
        session.send((call,), wire.request_line(call.number, method, params or None))
        result = await session.wait(call, limit, GRACE)
        return result if read is as_is else wire.read_result(method, read, result)

    def _limit(self, timeout: Optional[float]) -> Optional[float]:
        return limit_of(self._timeout if timeout is None else timeout)

    # Events and the end

    def listen(self, timeout: Optional[float] = None) -> AsyncIterator[Event]:
        """The events as they come, until the connection ends. TimeoutError if none comes within `timeout` seconds.

        The 10,000 newest events are kept; an EventsGap takes the place of older ones.
        """
        return self._session.listen(timeout)

    async def close(self) -> None:
        """Ends the connection: running calls are answered first. A child that does not exit within 35 seconds is
        ended with SIGTERM, then with SIGKILL."""
        if self._started:
            await self._started.close()

    @property
    def pid(self) -> Optional[int]:
        """The process id of the child; None for a socket."""
        return self._session.stream.pid

    @property
    def exit_code(self) -> Optional[int]:
        """The exit code of the child once it has ended, negative for a signal.

        None if this program ignores SIGCHLD or waits for any child, and so lost the code.
        """
        return self._session.stream.exit_code
