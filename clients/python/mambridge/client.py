"""The client for programs with threads, or with none."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple, TypeVar

from . import program, wire
from .methods import Methods
from .options import GRACE, CancelToken, ProgressHandler, limit_of
from .session import Session
from .streams import Pipes, Socket, Stream, open_socket, read_token
from .values import as_is

if TYPE_CHECKING:
    from .events import Event
    from .host import Host

T = TypeVar("T")


class Client(Methods):
    """A connection to a server, which any thread may use.

    `host` answers the requests of the server, each on a thread of its own. `on_event` gets the events, one at a time;
    without it, `listen` returns them. Both may make calls. `initialize` declares what the host answers and which events
    it wants. `timeout` applies to calls without a timeout of their own.
    """

    def __init__(
        self, stream: Stream, *, host: Optional[Host] = None, on_event: Optional[Callable[[Event], None]] = None,
        timeout: Optional[float] = None,
    ) -> None:
        super().__init__(self._invoke_method)
        self._stream = stream
        self._timeout = timeout
        self._session = Session(stream, host, on_event)

    @classmethod
    def spawn(
        cls, executable: str = "mambridge", *arguments: str, environment: Optional[Dict[str, str]] = None,
        folder: Optional[str] = None, host: Optional[Host] = None, on_event: Optional[Callable[[Event], None]] = None,
        timeout: Optional[float] = None, own_process_group: bool = True,
    ) -> "Client":
        """Starts a server as a child process. `environment` is added to ours; `folder` is its working directory.

        The executable `mambridge` is the one that was installed with this package, or else the one on PATH. In a process
        group of its own, the server gets no signal that Ctrl-C or a service manager sends to the group of this program.
        """
        pipes = Pipes([program.find(executable), *map(str, arguments)], environment, folder, own_process_group)
        return cls(pipes, host=host, on_event=on_event, timeout=timeout)

    @classmethod
    def connect(
        cls, address: str, *, token_file: Optional[str] = None, host: Optional[Host] = None,
        on_event: Optional[Callable[[Event], None]] = None, timeout: Optional[float] = None,
    ) -> "Client":
        """Connects to `unix:///PATH`, or to `tcp://HOST:PORT` with the file of the token that the server names."""
        client = cls(Socket(open_socket(address)), host=host, on_event=on_event, timeout=timeout)
        try:
            if token_file is not None:
                client.authenticate(read_token(token_file), timeout=10)
        except BaseException:
            client.close()
            raise
        return client

    # Any method

    def call(self, method: str, params: wire.Params = None, /, *, timeout: Optional[float] = None, **named: Any) -> Any:
        """Makes a call without types: the params go out as they are, and the result comes back as parsed JSON.

        Pass params by name, or as one dict or list. After `timeout` seconds, cancels and raises TimeoutError.
        """
        call = self._session.new_call(method)
        self._session.send((call,), wire.request_line(call.number, method, wire.merge(params, named)))
        return self._session.wait(call, self._limit(timeout))

    def batch(self, calls: Iterable[Tuple[str, wire.Params]], timeout: Optional[float] = None) -> List[Any]:
        """Makes many calls in one message. In the list of results, a failed call is its MambridgeError."""
        requests = [(self._session.new_call(method), method, params) for method, params in calls]
        if not requests:
            return []
        sent = [call for call, _, _ in requests]
        self._session.send(sent, [wire.request(call.number, method, params) for call, method, params in requests])
        return self._session.wait_all(sent, self._limit(timeout))

    def notify(self, method: str, params: wire.Params = None, /, **named: Any) -> None:
        """Sends a notification. The server does not reply, not even to report a failure.

        Waits until the messages before it are written: TimeoutError after the time limit of the client.
        """
        self._session.notify(wire.notification(method, wire.merge(params, named)), self._limit(None))

    def _invoke_method(
        self, method: str, params: Dict[str, Any], read: Callable[[Any], T], timeout: Optional[float],
        cancel: Optional[CancelToken], progress: Optional[ProgressHandler],
    ) -> T:
        if cancel and cancel.canceled:
            from . import errors
            raise errors.Cancelled()
        if method == "initialize" and self._session.host:
            from .host import Host
            params.setdefault("delegates", wire.declared(self._session.host, Host))
        call = self._session.new_call(method, progress)
        limit = None if timeout is None and self._timeout is None else self._limit(timeout)
        if limit is not None or progress is not None:
            params = wire.with_options(params, call.number, limit, progress is not None)
        self._session.send((call,), wire.request_line(call.number, method, params or None))
        result = self._session.wait(call, limit, cancel, GRACE)
        return result if read is as_is else wire.read_result(method, read, result)

    def _limit(self, timeout: Optional[float]) -> Optional[float]:
        return limit_of(self._timeout if timeout is None else timeout)

    # Events and the end

    def listen(self, timeout: Optional[float] = None) -> Iterator[Event]:
        """The events as they come, until the connection ends. TimeoutError if none comes within `timeout` seconds.

        The 10,000 newest events are kept; an EventsGap takes the place of older ones.
        """
        return self._session.listen(timeout)

    def close(self) -> None:
        """Ends the connection: running calls are answered first. A child that does not exit within 35 seconds is
        ended with SIGTERM, then with SIGKILL."""
        self._session.close()

    @property
    def pid(self) -> Optional[int]:
        """The process id of the child; None for a socket."""
        return self._stream.child.pid if isinstance(self._stream, Pipes) else None

    @property
    def exit_code(self) -> Optional[int]:
        """The exit code of the child once it has ended, negative for a signal.

        None if this program ignores SIGCHLD or waits for any child, and so lost the code.
        """
        child = self._stream.child if isinstance(self._stream, Pipes) else None
        return child.exit_code if child and child.has_ended() else None

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
