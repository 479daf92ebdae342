"""The client alone, against a peer that does what a network and a bad day do."""
from __future__ import annotations

import asyncio
import itertools
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any, Iterator

import pytest
from mambridge import session, streams
from mambridge import CancelToken, Client, ConnectionLost, Host, MambridgeError, Progress, UnexpectedReply, errors
from mambridge.aio import AsyncClient
from mambridge.events import Event, EventsGap, LoggerLog, PolicyDidChange, UnknownEvent
from mambridge.requests import AddIdentity, IsExternalURL, PromptForCredentials, ShowAlert
from mambridge.types import AlertAnswer, Credentials
from waiting import SOON, wait_for

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


def test_a_batch_out_of_time_is_cancelled_whole() -> None:
    with Client.spawn(sys.executable, "-c", "import sys; sys.stdin.read()") as silent:
        started = time.monotonic()
        with pytest.raises(TimeoutError):
            silent.batch([("a", None)] * 3, timeout=0.2)
        assert time.monotonic() - started < SOON and not silent._session._calls


def test_a_notification_has_no_id_and_waits_for_nothing(peer: Client) -> None:
    peer.notify("exit", why="because")
    assert peer.call("seen")[0] == {"jsonrpc": "2.0", "method": "exit", "params": {"why": "because"}}


NEWS = {"method": "policyManager.policyDidChange", "params": {"seq": 1, "time": "2026-02-02T02:40:00.000Z"}}
ALERT = {"method": "ui.showAlert", "params": {"title": "t", "message": "m", "actions": ["OK"]}}


def test_an_event_reaches_the_handler_which_may_call_back() -> None:
    got: list[Any] = []
    arrived = threading.Event()

    def on_event(event: Event) -> None:
        got.append((event, client.call("echo", inside=True)))
        arrived.set()

    with fake(on_event=on_event) as client:
        client.call("afterwards", [NEWS])
        assert arrived.wait(10)
    [(event, echo)] = got
    assert isinstance(event, PolicyDidChange) and (event.seq, event.time.year, event.identity) == (1, 2026, None)
    assert echo == {"inside": True}


def test_the_handler_of_an_event_may_make_a_call_that_makes_the_server_ask() -> None:
    arrived = threading.Event()

    class Alerts(Host):
        def show_alert(self, request: ShowAlert) -> AlertAnswer:
            return AlertAnswer(request.actions[0])

    def on_event(event: Event) -> None:
        assert answer_to(client, ALERT)["result"] == {"action": "OK"}
        arrived.set()

    with fake(on_event=on_event, host=Alerts()) as client:
        client.call("afterwards", [NEWS])
        assert arrived.wait(10)


def test_events_can_be_read_one_by_one_until_the_end(peer: Client) -> None:
    peer.call("afterwards", [NEWS, {"method": "news.ofTomorrow", "params": {"seq": 2}}])
    events = peer.listen(timeout=10)
    assert isinstance(next(events), PolicyDidChange)
    assert next(events) == UnknownEvent("news.ofTomorrow", {"seq": 2})
    with pytest.raises(TimeoutError):
        next(peer.listen(timeout=0.01))
    peer.close()
    assert list(peer.listen(timeout=10)) == []


def news(number: int) -> dict[str, Any]:
    return {"method": "policyManager.policyDidChange", "params": {**NEWS["params"], "seq": number}}


def test_events_past_the_bound_are_reported_as_a_gap(peer: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mambridge.backlog.LIMIT", 3)
    line = {"method": "logger.log", "params": {"level": "info", "message": "m"}}
    gap = {"method": "events.gap", "params": {"after": 5, "to": 8, "from": 6}}
    peer.call("afterwards", [line, news(4), news(5), gap, news(9), line, news(11), news(12)])
    peer.call("echo")
    seen = list(itertools.islice(peer.listen(timeout=10), 4))
    assert seen[0] == EventsGap(after=3, to=9) and isinstance(seen[1], LoggerLog)
    assert [event.seq for event in seen[2:] if isinstance(event, PolicyDidChange)] == [11, 12]
    peer.call("afterwards", [line] * 5)
    peer.call("echo")
    peer.close()
    assert [type(event) for event in peer.listen(timeout=10)] == [LoggerLog] * 3


def test_a_handler_that_fails_and_an_event_that_cannot_be_read_stop_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    failures: list[Any] = []
    monkeypatch.setattr(threading, "excepthook", failures.append)
    seen: list[Event] = []

    def on_event(event: Event) -> None:
        seen.append(event)
        raise SystemExit(1)

    with fake(on_event=on_event) as client:
        client.call("afterwards", [{"method": "policyManager.policyDidChange", "params": {"seq": "one"}}, NEWS])
        wait_for(lambda: len(seen) == 2, "two events are seen")
    assert isinstance(seen[0], UnknownEvent) and isinstance(seen[1], PolicyDidChange)
    wait_for(lambda: len(failures) == 2, "two failures are told")


class Failing(Host):
    def show_alert(self, request: ShowAlert) -> AlertAnswer:
        raise SystemExit(1)

    def is_external_url(self, request: IsExternalURL) -> bool:
        raise errors.Canceled(data={"because": object()})

    def add_identity(self, request: AddIdentity) -> Any:
        return object()


@pytest.mark.parametrize("question", [
    ALERT, {"method": "policyDelegate.addIdentity", "params": {}},
    {"method": "webViewPolicyDelegate.isExternalURL", "params": {"webViewer": "w", "url": "u"}},
])
def test_a_host_that_fails_in_any_way_is_answered(question: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "excepthook", lambda failure: None)
    with fake(host=Failing()) as client:
        assert answer_to(client, question)["error"]["code"] == -32603


class Answering(Host):
    def prompt_for_credentials(self, request: PromptForCredentials) -> Credentials:
        return Credentials(request.identity or "", "a token")

    def add_identity(self, request: AddIdentity) -> str:  # type: ignore[override]
        raise errors.Canceled("not now")

    def is_external_url(self, request: IsExternalURL) -> bool:
        raise ZeroDivisionError("a secret of the host")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize(("method", "params", "expected"), [
    ("ui.promptForCredentials", {"identity": "a", "message": "m", "authorities": []},
     {"result": {"userPrincipalName": "a", "accessToken": "a token"}}),
    ("policyDelegate.addIdentity", {}, {"error": {"code": 7002, "message": "not now"}}),
    ("webViewPolicyDelegate.isExternalURL", {"webViewer": "w", "url": "u"},
     {"error": {"code": -32603, "message": "the host failed to answer webViewPolicyDelegate.isExternalURL"}}),
    ("webViewPolicyDelegate.isExternalURL", {},
     {"error": {"code": -32602, "message": "this host cannot read the params of webViewPolicyDelegate.isExternalURL"}}),
    ("ui.showAlert", ALERT["params"], {"error": {"code": -32601, "message": "this host does not answer ui.showAlert"}}),
    ("ui.ofTomorrow", {}, {"error": {"code": -32601, "message": "this host does not answer ui.ofTomorrow"}}),
])
def test_the_host_answers_the_server(method: str, params: dict[str, Any], expected: dict[str, Any]) -> None:
    with fake(host=Answering()) as client:
        assert answer_to(client, {"method": method, "params": params}) == {"jsonrpc": "2.0", "id": "s1", **expected}


def test_initialize_declares_what_the_host_overrides() -> None:
    with fake(host=Answering()) as client:
        with pytest.raises(UnexpectedReply):
            client.initialize(events=["policyManager.policyDidChange"])
        asked = next(request for request in client.call("seen") if request.get("method") == "initialize")
    assert asked["params"] == {
        "events": ["policyManager.policyDidChange"],
        "delegates": ["policyDelegate.addIdentity", "webViewPolicyDelegate.isExternalURL", "ui.promptForCredentials"]} | \
        {"_meta": {"timeoutMilliseconds": 20000}}


def test_a_question_without_host_is_answered_too(peer: Client) -> None:
    assert answer_to(peer, ALERT)["error"]["code"] == -32601


def answer_to(client: Client, question: dict[str, Any]) -> dict[str, Any]:
    """The client's answer, as the peer got it."""
    client.call("ask", question)
    while True:
        answers = [message for message in client.call("seen") if "method" not in message]
        if answers:
            return answers[0]


def test_progress_is_heard_before_the_call_returns(peer: Client) -> None:
    heard: list[Progress] = []
    call = peer._session.new_call("progress", heard.append)
    peer._session.send([call], {"jsonrpc": "2.0", "id": call.number, "method": "progress",
                                "params": {"_meta": {"progressToken": call.number}}})
    assert peer._session.wait(call, 10) is None
    assert heard == [Progress("report", 50, "half"), Progress("report", 100, "")]


def test_another_thread_may_cancel_a_call(peer: Client) -> None:
    token = CancelToken()
    ends: list[object] = []

    def hold() -> None:
        call = peer._session.new_call("hold")
        peer._session.send([call], {"jsonrpc": "2.0", "id": call.number, "method": "hold", "params": {"value": "end"}})
        ends.append(peer._session.wait(call, 10, token))

    thread = threading.Thread(target=hold)
    thread.start()
    while not any(request["method"] == "hold" for request in peer.call("seen")):
        pass
    token.cancel()
    seen = peer.call("seen")
    assert [request["method"] for request in seen if "id" not in request] == ["$/cancelRequest"]
    peer.call("release", value="late")
    thread.join(10)
    assert ends == ["end"]  # the reply of a server for which the cancel came too late is not lost
    with pytest.raises(errors.Cancelled):
        peer.policy.is_pin_required(cancel=token)


def test_what_a_newer_server_adds_is_no_error(peer: Client) -> None:
    assert peer.policy_manager.mam_policy_source() == "aSourceOfTomorrow"
    status = peer.user_status_manager.user_status()
    assert status and status.clock_status == "clockedIn"


def test_a_result_of_another_form_is_named_but_not_quoted(peer: Client) -> None:
    with pytest.raises(UnexpectedReply, match="enrollmentManager.enrolledAccount has a member of the wrong type"):
        peer.enrollment_manager.enrolled_account()
    with pytest.raises(UnexpectedReply, match="tenant.status has no member 'source'"):
        peer.tenant.status()


@pytest.mark.parametrize(("line", "said"), [
    ("noise", "a line that is not JSON"), ("\xff", "a line that is not JSON"), ("[" * 100_000, "nested too deeply"),
    ("3", "JSON that is no message"), ('{"id": null, "result": 1}', "JSON that is no message"),
    ('{"id": [1], "result": 1}', "a request that this client never made"),
    ('{"id": true, "result": 1}', "a request that this client never made"),
    ('{"method": []}', "a method whose name is no string"), ("x" * 2000, "a line of more than 1000 bytes"),
    ('{"method": "$/progress", "params": {"token": [], "value": {}}}', "progress that this client cannot read"),
], ids=range(10))
def test_a_line_that_cannot_be_read_ends_the_connection(
    line: str, said: str, monkeypatch: pytest.MonkeyPatch,
) -> None:
    if "1000 bytes" in said:
        monkeypatch.setattr("mambridge.wire.LONGEST_LINE", 1000)
    with fake() as peer:
        with pytest.raises(ConnectionLost, match=said):
            peer.call("noise", line + "\n" * ("1000 bytes" not in said))
    assert peer.exit_code == 0

    async def ask() -> None:
        async with AsyncClient.spawn(sys.executable, FAKE, timeout=20) as peer:
            with pytest.raises(ConnectionLost, match=said):
                await peer.call("noise", line + "\n" * ("1000 bytes" not in said))

    asyncio.run(ask())


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


def test_a_child_that_does_not_exit_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "FINISH", 0.2)
    monkeypatch.setattr(streams, "EXIT", 0.2)
    for stubborn, code in ((False, -signal.SIGTERM), (True, -signal.SIGKILL)):
        peer = fake()
        peer.call("stay", stubborn=stubborn)
        peer.close()
        assert peer.exit_code == code


def test_an_executable_that_is_missing_is_a_plain_error() -> None:
    with pytest.raises(FileNotFoundError):
        Client.spawn("/nowhere/mambridge")
