"""The two ways of an answer: read by the thread that asked, or by the thread of the client that reads."""
from __future__ import annotations

import signal
import sys
import threading
from typing import Any, Callable, Iterator

import pytest
from mambridge import Client, Host, streams, wire
from mambridge.events import PolicyDidChange
from mambridge.requests import ShowAlert
from mambridge.session import Session
from mambridge.types import AlertAnswer
from peer import NEWS, fake, on_signal
from waiting import wait_for

ALERT = {"method": "ui.showAlert", "params": {"title": "t", "message": "m", "actions": ["OK"]}}


@pytest.fixture
def peer() -> Iterator[Client]:
    with fake(timeout=30) as client:
        yield client


@pytest.fixture(autouse=True)
def default_signal() -> Any:
    yield
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)


def answers(client: Client) -> int:
    """How many calls read their own answers."""
    return client._session._reader.answers


def news(number: int) -> dict[str, Any]:
    return {**NEWS, "params": {**NEWS["params"], "seq": number}}


def call_until(client: Client, done: Callable[[], bool]) -> None:
    for number in range(10_000):
        assert client.call("echo", [number]) == [number]
        if done():
            return
    pytest.fail("it never became true")


def test_calls_one_after_the_other_read_their_own_answers(peer: Client) -> None:
    call_until(peer, lambda: answers(peer) > 100)


def test_a_program_that_replaces_the_sockets_has_calls_that_leave_all_to_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams.Socket, "direct", lambda self: None)
    with fake(timeout=30) as client:
        for number in range(100):
            assert client.call("echo", [number]) == [number]
        assert answers(client) == 0


def test_threads_that_call_at_once_get_their_own_answers_and_all_events_in_order(peer: Client) -> None:
    wrong: list[Any] = []

    def use(thread: int) -> None:
        for number in range(200):
            text = [f"{thread} {number}", "x" * (number % 7 * 5000)]
            if peer.call("echo", text) != text:
                wrong.append(text)

    threads = [threading.Thread(target=use, args=(thread,)) for thread in range(4)]
    for thread in threads:
        thread.start()
    for number in range(200):
        peer.call("afterwards", [news(2 * number), news(2 * number + 1)])
    for thread in threads:
        thread.join()
    seen = [next(peer.listen(30)) for _ in range(400)]
    assert not wrong
    assert [event.seq for event in seen if isinstance(event, PolicyDidChange)] == list(range(400))


def test_an_event_after_calls_that_read_for_themselves_needs_no_other_call(peer: Client) -> None:
    for _ in range(20):
        call_until(peer, lambda: answers(peer) > 0)
        peer.call("afterwards", [NEWS])
        assert next(peer.listen(30)).event == NEWS["method"]


def test_a_request_of_the_server_within_a_call_that_reads_for_itself_is_answered() -> None:
    class Alerts(Host):
        def show_alert(self, request: ShowAlert) -> AlertAnswer:
            return AlertAnswer(request.actions[0])

    with fake(timeout=30, host=Alerts()) as client:
        call_until(client, lambda: answers(client) > 10)
        client.call("ask", ALERT)
        wait_for(lambda: [seen for seen in client.call("seen") if "method" not in seen], "the request is answered")


def test_an_answer_in_pieces_or_longer_than_a_caller_reads_is_whole(peer: Client) -> None:
    for size in (1, streams.READ_SIZE - 100, streams.READ_SIZE, streams.READ_SIZE + 1, 300_000):
        text = ["x" * size]
        before = answers(peer)
        call_until(peer, lambda: answers(peer) > before)
        assert peer.call("echo", text) == text
        assert peer.call("torn") == "whole ü"


def test_an_exception_in_a_signal_handler_ends_the_call_and_passes_the_right_to_read_on(peer: Client) -> None:
    class Stop(Exception):
        pass

    def stop() -> None:
        frame: Any = sys._getframe()
        while frame and frame.f_code is not Session._reply.__code__:
            frame = frame.f_back
        if frame and not stopped.is_set():  # Within the call, and not where the exception has passed.
            stopped.set()
            raise Stop

    def interrupt() -> None:
        while not stopped.wait(0.01):
            signal.pthread_kill(main, signal.SIGUSR1)

    main = threading.main_thread().ident or 0
    on_signal(stop)
    for _ in range(5):
        call_until(peer, lambda: answers(peer) > 0)
        stopped = threading.Event()
        interrupting = threading.Thread(target=interrupt)
        call = peer._session.new_call("hold")
        peer._session.send([call], wire.request(call.number, "hold", {"value": "late"}))
        interrupting.start()
        with pytest.raises(Stop):
            peer._session.wait(call, 30)
        interrupting.join()
        peer.call("afterwards", [NEWS])
        assert next(peer.listen(30)).event == NEWS["method"]
    assert peer.call("release", value="mine") == "mine"
    assert not peer._session._calls


def test_a_signal_handler_that_takes_long_stops_the_calls_of_no_other_thread(peer: Client) -> None:
    """The handler interrupts a call that reads for itself, and returns when another thread has had an answer."""
    answered = threading.Event()
    main = threading.main_thread().ident or 0
    handled: list[bool] = []

    def other() -> None:
        assert peer.call("echo", ["other"]) == ["other"]
        answered.set()

    def handle() -> None:
        thread = threading.Thread(target=other)
        thread.start()
        handled.append(answered.wait(30))
        thread.join()
        peer.call("release", value="mine")

    on_signal(handle)
    call_until(peer, lambda: answers(peer) > 0)
    call = peer._session.new_call("hold")
    peer._session.send([call], wire.request(call.number, "hold", {"value": "late"}))
    threading.Timer(0.01, lambda: signal.pthread_kill(main, signal.SIGUSR1)).start()
    assert peer._session.wait(call, 30) == "late"
    assert handled == [True]


def test_a_limit_that_passes_while_a_call_reads_for_itself_ends_it(peer: Client) -> None:
    for limit in (0, 0.001, 0.01, 0.06):
        call_until(peer, lambda: answers(peer) > 0)
        with pytest.raises(TimeoutError):
            peer.call("hold", value="late", timeout=limit)
    assert peer.call("release", value="mine") == "mine"


def test_a_message_of_which_the_system_takes_a_part_is_whole_and_in_order(peer: Client) -> None:
    for number in range(20):
        peer.notify("ignored", number=number, text="x" * (number * 30_000))
    seen = [request.get("params") for request in peer.call("seen")]
    assert [(params["number"], len(params["text"])) for params in seen if params] == [
        (number, number * 30_000) for number in range(20)]
