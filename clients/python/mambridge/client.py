"""The connection: calls, replies, events, and requests from the server."""
from __future__ import annotations

import base64
import concurrent.futures
import contextlib
import itertools
import json
import queue
import threading
from typing import Any, Callable, Iterable, Optional, Sequence, Union

from .errors import ConnectionLost, MambridgeError
from .streams import Pipes, Socket, open_socket

Params = Union[dict[str, Any], Sequence[Any], None]
EventHandler = Callable[[str, Any], None]
RequestHandler = Callable[[str, Any], Any]

_STOP = object()


class _Method:
    """A callable method name such as `client.policy.isPINRequired`; each attribute appends to the name."""

    def __init__(self, client: "Client", name: str) -> None:
        self._client = client
        self._name = name

    def __getattr__(self, part: str) -> "_Method":
        if part.startswith("_"):
            raise AttributeError(part)
        return _Method(self._client, f"{self._name}.{part}")

    def __call__(self, *params: Any, timeout: Optional[float] = None, **named: Any) -> Any:
        return self._client.call(self._name, list(params) or None, timeout=timeout, **named)

    def __repr__(self) -> str:
        return f"<method {self._name}>"


class Client:
    """One connection, which any thread may use. `on_event` runs on a thread of its own, one event at a time. Each
    `on_request` runs on a new thread, so it may make calls that cause further requests."""

    def __init__(
        self, stream: Union[Pipes, Socket], *, on_event: Optional[EventHandler] = None,
        on_request: Optional[RequestHandler] = None, timeout: Optional[float] = None,
    ) -> None:
        self._stream = stream
        self._on_event = on_event
        self._on_request = on_request
        self._timeout = timeout
        self._ids = itertools.count(1)
        self._waiting: dict[int, "concurrent.futures.Future[Any]"] = {}
        self._state = threading.Lock()
        self._writing = threading.Lock()
        self._lost: Optional[str] = None
        self._closed = False
        self._methods: Optional[dict[str, Any]] = None
        self._incoming: "queue.Queue[Any]" = queue.Queue()
        self._reader = threading.Thread(target=self._read, name="mambridge reader", daemon=True)
        self._handler = threading.Thread(target=self._handle, name="mambridge events", daemon=True)
        self._reader.start()
        self._handler.start()

    @classmethod
    def spawn(
        cls, executable: str = "mambridge", *arguments: str, environment: Optional[dict[str, str]] = None,
        folder: Optional[str] = None, **options: Any,
    ) -> "Client":
        """Starts a server as a child process. `environment` is added to ours; `folder` is its working directory."""
        return cls(Pipes([executable, *map(str, arguments)], environment, folder), **options)

    @classmethod
    def connect(
        cls, address: str, port: Optional[int] = None, token_file: Optional[str] = None, **options: Any,
    ) -> "Client":
        """`connect("127.0.0.1", 4711, FILE)`, `connect("tcp://127.0.0.1:4711", token_file=FILE)` or `unix:///PATH`."""
        client = cls(Socket(open_socket(address, port)), **options)
        if token_file is None:
            return client
        try:
            with open(token_file, encoding="ascii") as file:
                client.call("authenticate", token=file.read().strip())
        except BaseException:
            client.close()
            raise
        return client

    def call(self, method: str, params: Params = None, /, *, timeout: Optional[float] = None, **named: Any) -> Any:
        """Calls a method and returns its result. Pass params by name, or as one dict or list; bytes are sent as base64.

        Raises MambridgeError, ConnectionLost, or TimeoutError. A timeout also cancels the request.
        """
        request = self._request(method, _merge(params, named))
        future = self._submit([request], request)[0]
        return self._wait(future, request["id"], timeout)

    def batch(self, calls: Iterable[tuple[str, Params]], timeout: Optional[float] = None) -> list[Any]:
        """Sends many calls in one message. In the list of results, a failed call is its MambridgeError."""
        requests = [self._request(method, params) for method, params in calls]
        if not requests:
            return []
        results: list[Any] = []
        for request, future in zip(requests, self._submit(requests, requests)):
            try:
                results.append(self._wait(future, request["id"], timeout))
            except MambridgeError as error:
                results.append(error)
        return results

    def notify(self, method: str, params: Params = None, /, **named: Any) -> None:
        """Sends a notification. The server does not reply, not even to report a failure."""
        message = self._request(method, _merge(params, named))
        del message["id"]
        self._send(message)

    def methods(self) -> dict[str, Any]:
        """The server's methods by name, from its OpenRPC document, which is requested once."""
        if self._methods is None:
            self._methods = {method["name"]: method for method in self.call("rpc.discover")["methods"]}
        return self._methods

    @property
    def pid(self) -> Optional[int]:
        """The process id of the child; None for a socket."""
        return self._stream.process.pid if isinstance(self._stream, Pipes) else None

    def close(self, timeout: float = 35) -> None:
        """Ends the input, waits for the server's remaining answers, and ends a child that does not exit."""
        with self._state:
            if self._closed:
                return
            self._closed = True
        free = self._writing.acquire(timeout=timeout)
        self._stream.finish()
        if free:
            self._writing.release()
        self._join(self._reader, timeout)
        self._stream.close(timeout)
        self._join(self._reader, timeout)
        self._incoming.put(_STOP)
        self._join(self._handler, timeout)

    def __getattr__(self, name: str) -> _Method:
        if name.startswith("_"):
            raise AttributeError(name)
        return _Method(self, name)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @staticmethod
    def _join(thread: threading.Thread, timeout: float) -> None:
        if thread is not threading.current_thread():
            thread.join(timeout)

    # Sending

    def _request(self, method: str, params: Params) -> dict[str, Any]:
        request: dict[str, Any] = {"jsonrpc": "2.0", "id": next(self._ids), "method": method}
        return request if params is None else {**request, "params": params}

    def _submit(self, requests: list[dict[str, Any]], message: Any) -> "list[concurrent.futures.Future[Any]]":
        futures: "list[concurrent.futures.Future[Any]]" = [concurrent.futures.Future() for _ in requests]
        with self._state:
            self._check()
            self._waiting.update((request["id"], future) for request, future in zip(requests, futures))
        try:
            self._send(message)
        except BaseException:
            self._forget(requests)
            raise
        return futures

    def _send(self, message: Any) -> None:
        line = json.dumps(message, allow_nan=False, separators=(",", ":"), default=_encode).encode() + b"\n"
        with self._writing:
            self._check()
            try:
                self._stream.write(line)
                return
            except (OSError, ValueError):
                pass
        # The reader notices the end, too, and knows the reason.
        self._join(self._reader, 10)
        raise ConnectionLost(self._lost or "mambridge does not read any more")

    def _check(self) -> None:
        if self._lost:
            raise ConnectionLost(self._lost)
        if self._closed:
            raise ConnectionLost("this client is closed")

    def _forget(self, requests: list[dict[str, Any]]) -> None:
        with self._state:
            for request in requests:
                self._waiting.pop(request["id"], None)

    def _wait(self, future: "concurrent.futures.Future[Any]", number: int, timeout: Optional[float]) -> Any:
        limit = self._timeout if timeout is None else timeout
        try:
            return future.result(limit)
        except concurrent.futures.TimeoutError:
            with self._state:
                late = self._waiting.pop(number, None)
        if late is None:  # The reader has just taken it.
            return future.result()
        try:
            self.notify("$/cancelRequest", id=number)
        except ConnectionLost:
            pass
        raise TimeoutError(f"no answer to request {number} within {limit} s")

    # Receiving

    def _read(self) -> None:
        buffer = bytearray()
        try:
            while chunk := self._stream.read():
                start = len(buffer)
                buffer += chunk
                if b"\n" not in chunk:
                    continue
                end = buffer.rindex(b"\n", start)
                for line in bytes(buffer[:end]).split(b"\n"):
                    self._receive(line)
                del buffer[:end + 1]
        except OSError:
            pass
        finally:
            self._end(self._stream.end_of_life())

    def _receive(self, line: bytes) -> None:
        if not line.strip():
            return
        try:
            message = json.loads(line)
        except ValueError:
            self._incoming.put(("$/unreadable", line.decode("utf-8", "replace"), None))
            return
        for element in message if isinstance(message, list) else [message]:
            if not isinstance(element, dict):
                self._incoming.put(("$/unreadable", element, None))
            elif "method" in element:
                self._incoming.put((element["method"], element.get("params"), element.get("id")))
            else:
                self._settle(element)

    def _settle(self, reply: dict[str, Any]) -> None:
        error = reply.get("error")
        failure = MambridgeError.of(error) if error is not None else None
        with self._state:
            number = reply.get("id")
            # If only one request is waiting, an error without id can only be about that request.
            if number is None and len(self._waiting) == 1:
                number = next(iter(self._waiting))
            future = None if number is None else self._waiting.pop(number, None)
        if future is None:
            if failure:
                self._incoming.put(("$/error", error, None))
        elif failure:
            future.set_exception(failure)
        else:
            future.set_result(reply.get("result"))

    def _end(self, reason: str) -> None:
        with self._state:
            self._lost = reason
            waiting, self._waiting = self._waiting, {}
        for future in waiting.values():
            future.set_exception(ConnectionLost(reason))

    def _handle(self) -> None:
        while (message := self._incoming.get()) is not _STOP:
            method, params, number = message
            try:
                if number is not None:
                    threading.Thread(
                        target=self._answer, args=message, name="mambridge request", daemon=True).start()
                elif self._on_event:
                    self._on_event(method, params)
            except ConnectionLost:
                pass
            except Exception as error:  # An error in a handler must not stop other events.
                threading.excepthook(threading.ExceptHookArgs((type(error), error, error.__traceback__, self._handler)))

    def _answer(self, method: str, params: Any, number: Any) -> None:
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": number}
        try:
            if self._on_request is None:
                raise MambridgeError(-32601, f"no handler for {method}")
            reply["result"] = self._on_request(method, params)
        except MambridgeError as error:
            reply["error"] = {"code": error.code, "message": error.message, "data": error.data}
        except Exception as error:
            reply["error"] = {"code": -32603, "message": f"{type(error).__name__} in the handler of {method}"}
        with contextlib.suppress(ConnectionLost):
            self._send(reply)


def _merge(params: Params, named: dict[str, Any]) -> Params:
    if params is None:
        return named or None
    if not named:
        return params
    if not isinstance(params, dict):
        raise TypeError("params by position and by name cannot be mixed")
    return {**params, **named}


def _encode(value: Any) -> str:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode()
    raise TypeError(f"{type(value).__name__} cannot be sent as JSON")
