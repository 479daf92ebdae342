"""The client in programs whose signal handlers use it."""
from __future__ import annotations

import signal
import sys
import threading
from typing import Any, Callable

import pytest
from mambridge import CancelToken, Client, errors, wire
from peer import NEWS, fake, on_signal


@pytest.fixture(autouse=True)
def default_signal() -> Any:
    yield
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)


def test_a_signal_handler_may_cancel_the_call_that_it_interrupts() -> None:
    token = CancelToken()
    with fake(timeout=30) as client:
        on_signal(token.cancel)
        main = threading.main_thread().ident or 0
        threading.Timer(0.1, lambda: signal.pthread_kill(main, signal.SIGUSR1)).start()
        call = client._session.new_call("hold")
        client._session.send([call], wire.request(call.number, "hold", {"value": "end"}))
        threading.Timer(0.5, lambda: client.call("release", value="late")).start()
        assert client._session.wait(call, 20, token) == "end"
        assert "$/cancelRequest" in [request["method"] for request in client.call("seen")]
        with pytest.raises(errors.Cancelled):
            client.policy.is_pin_required(cancel=token)


def test_a_signal_handler_may_call_cancel_and_notify_wherever_it_interrupts() -> None:
    """The handler runs at each line of the client that the main thread reaches."""
    nested: list[Any] = []
    with fake(timeout=30) as client:
        def handle() -> None:
            sys.settrace(None)
            token = CancelToken()
            token.add(lambda: None)
            token.cancel()
            nested.append(client.call("echo", nested=True))
            client.notify("ignored")

        send = on_signal(handle)
        lines = count_lines(lambda: use(client))
        for line in range(lines):
            trace_to(line, send)
            try:
                use(client)
            finally:
                sys.settrace(None)
        assert client._session._reader.answers > 0
    # A call that finds the way of another call may have fewer lines.
    assert lines > 100 and len(nested) > lines * 0.5 and set(map(str, nested)) == {"{'nested': True}"}


def use(client: Client) -> None:
    token = CancelToken()
    call = client._session.new_call("echo")
    client._session.send([call], wire.request(call.number, "echo", {"outer": True}))
    assert client._session.wait(call, 30, token) == {"outer": True}
    token.cancel()
    client.notify("ignored")


def test_a_signal_handler_may_call_where_it_interrupts_the_wait_for_events() -> None:
    nested: list[Any] = []
    with fake(timeout=30) as client:
        def handle() -> None:
            sys.settrace(None)
            client.call("afterwards", [NEWS])
            nested.append(client.call("echo", nested=True))

        send = on_signal(handle)
        for line in range(60):
            client.call("afterwards", [NEWS])
            trace_to(line, send)
            try:
                assert next(client.listen(30)).event == NEWS["method"]
            finally:
                sys.settrace(None)
    assert len(nested) > 10


def trace_to(number: int, action: Callable[[], Any]) -> list[int]:
    """Calls the action at the line of the client with that number, counted in the order of execution."""
    count = [0]

    def trace(frame: Any, event: str, _: Any) -> Any:
        if "/mambridge/" not in frame.f_code.co_filename:
            return None
        if event == "line":
            count[0] += 1
            if count[0] == number + 1:
                action()
        return trace

    sys.settrace(trace)
    return count


def count_lines(work: Callable[[], None]) -> int:
    count = trace_to(-2, lambda: None)
    try:
        work()
    finally:
        sys.settrace(None)
    return count[0]
