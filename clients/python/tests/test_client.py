"""The client alone, against a peer that does what a network and a bad day do."""
from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any, Iterator

import pytest
from mambridge import Client, ConnectionLost, MambridgeError

FAKE = str(Path(__file__).parent / "fake.py")


def fake(**options: Any) -> Client:
    return Client.spawn(sys.executable, FAKE, timeout=20, **options)


@pytest.fixture
def peer() -> Iterator[Client]:
    with fake() as client:
        yield client


@pytest.mark.parametrize("named", [{"a": 1}, {"timeout_": None, "key": 'quote " and ü and \n'}, {"list": [1.5, {}]}])
def test_named_params_arrive_as_they_are(peer: Client, named: dict[str, Any]) -> None:
    assert peer.call("echo", **named) == named


@pytest.mark.parametrize(("params", "expected"), [(None, None), ([1, "x"], [1, "x"]), ({"from": 1}, {"from": 1})])
def test_params_may_be_a_list_a_dict_or_absent(peer: Client, params: Any, expected: Any) -> None:
    assert peer.call("echo", params) == expected


def test_bytes_travel_as_base64(peer: Client) -> None:
    assert peer.call("echo", data=b"\x00\xff") == {"data": "AP8="}


@pytest.mark.parametrize(("value", "error"), [(float("nan"), ValueError), (object(), TypeError)])
def test_a_value_without_json_form_is_refused_before_it_is_sent(peer: Client, value: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        peer.call("echo", value=value)
    assert peer.call("echo", still="here") == {"still": "here"}


def test_attributes_spell_the_method(peer: Client) -> None:
    peer.policy.isPINRequired.sub
    with pytest.raises(TimeoutError):
        peer.policy.isPINRequired(account="a", timeout=0.05)
    assert {"method": "policy.isPINRequired", "params": {"account": "a"}}.items() <= peer.call("seen")[0].items()


def test_a_reply_torn_into_single_bytes_is_one_reply(peer: Client) -> None:
    assert peer.call("torn") == "whole ü"


def test_replies_in_one_read_and_out_of_order_find_their_callers(peer: Client) -> None:
    results: dict[int, Any] = {}
    threads = [threading.Thread(target=lambda n=n: results.update({n: peer.call("hold", value=n)})) for n in range(8)]
    for thread in threads:
        thread.start()
    while sum(request["method"] == "hold" for request in peer.call("seen")) < 8:
        pass
    peer.call("release", value="all")
    for thread in threads:
        thread.join(10)
    assert results == {n: n for n in range(8)}


def test_a_deadline_cancels_and_a_late_reply_is_dropped(peer: Client) -> None:
    with pytest.raises(TimeoutError):
        peer.call("hold", value="late", timeout=0.05)
    cancelled = peer.call("seen")[-2]
    assert cancelled["method"] == "$/cancelRequest" and "id" not in cancelled
    assert peer.call("release", value="mine") == "mine"


def test_an_error_says_code_name_hint_and_whether_to_retry(peer: Client) -> None:
    with pytest.raises(MambridgeError) as caught:
        peer.call("refuse")
    error = caught.value
    assert (error.code, error.message, error.name) == (4001, "no policy yet", "policyRequired")
    assert (error.hint, error.retryable) == ("enroll first", True)
    assert str(error) == "policyRequired (4001): no policy yet (enroll first)"


def test_an_error_without_id_answers_the_only_request(peer: Client) -> None:
    with pytest.raises(MambridgeError, match="limit"):
        peer.call("nameless")


def test_a_batch_returns_results_and_errors_in_the_order_asked(peer: Client) -> None:
    first, second, third = peer.batch([("a", None), ("bad", {"x": 1}), ("c", [1])])
    assert (first, third) == ("a", "c")
    assert isinstance(second, MambridgeError) and second.code == -32601
    assert peer.batch([]) == []


def test_a_notification_has_no_id_and_waits_for_nothing(peer: Client) -> None:
    peer.notify("exit", why="because")
    assert peer.call("seen")[0] == {"jsonrpc": "2.0", "method": "exit", "params": {"why": "because"}}


def test_events_reach_the_callback_which_may_call_back() -> None:
    got: list[Any] = []
    arrived = threading.Event()

    def on_event(method: str, params: Any) -> None:
        got.append((method, params, client.call("echo", inside=True)))
        arrived.set()

    with fake(on_event=on_event) as client:
        client.call("events")
        assert arrived.wait(10)
    assert got == [("policyManager.policyDidChange", {"seq": 1}, {"inside": True})]


@pytest.mark.parametrize(("method", "expected"), [
    ("double", {"result": 4}),
    ("cancel", {"error": {"code": 7002, "message": "canceled", "data": None}}),
    ("fail", {"error": {"code": -32603, "message": "ZeroDivisionError in the handler of fail"}}),
])
def test_a_question_of_the_server_is_answered_by_the_handler(method: str, expected: dict[str, Any]) -> None:
    def on_request(method: str, params: Any) -> Any:
        if method == "cancel":
            raise MambridgeError(7002, "canceled")
        return params["n"] * 2 if method == "double" else params["n"] // 0

    with fake(on_request=on_request) as client:
        assert answer_to(client, method) == {"jsonrpc": "2.0", "id": "s1", **expected}


def test_a_handler_may_make_a_call_that_leads_to_another_question() -> None:
    asked: list[str] = []

    def on_request(method: str, params: Any) -> Any:
        asked.append(method)
        return answer_to(client, "inner")["result"] if method == "outer" else "inner answer"

    with fake(on_request=on_request) as client:
        client.call("ask", method="outer")
        while len(answers := [message for message in client.call("seen") if "method" not in message]) < 2:
            pass
        assert asked == ["outer", "inner"] and [answer["result"] for answer in answers] == ["inner answer"] * 2


def test_a_question_without_handler_is_answered_too(peer: Client) -> None:
    assert answer_to(peer, "ui.showAlert")["error"]["code"] == -32601


def answer_to(client: Client, method: str) -> dict[str, Any]:
    client.call("ask", method=method)
    while True:
        answers = [message for message in client.call("seen") if "method" not in message]
        if answers:
            return answers[0]


def test_the_death_of_the_child_names_exit_code_and_last_words(peer: Client) -> None:
    with pytest.raises(ConnectionLost, match="exited with code 74; its last lines on stderr: disk full: make room"):
        peer.call("die")
    with pytest.raises(ConnectionLost, match="code 74"):
        peer.call("echo")


def test_the_death_of_the_child_ends_all_waiting_calls(peer: Client) -> None:
    errors: list[Exception] = []

    def hold() -> None:
        try:
            peer.call("hold", value=1)
        except ConnectionLost as error:
            errors.append(error)

    threads = [threading.Thread(target=hold) for _ in range(3)]
    for thread in threads:
        thread.start()
    while sum(request["method"] == "hold" for request in peer.call("seen")) < 3:
        pass
    peer.notify("ignored")
    with pytest.raises(ConnectionLost):
        peer.call("die")
    for thread in threads:
        thread.join(10)
    assert len(errors) == 3


def test_a_closed_client_refuses_calls(peer: Client) -> None:
    peer.close()
    peer.close()
    with pytest.raises(ConnectionLost):
        peer.call("echo")


def test_an_executable_that_is_missing_is_a_plain_error() -> None:
    with pytest.raises(FileNotFoundError):
        Client.spawn("/nowhere/mambridge")


def test_private_names_are_no_methods(peer: Client) -> None:
    with pytest.raises(AttributeError):
        peer._nothing
    with pytest.raises(AttributeError):
        peer.policy._nothing
