"""The asyncio client alone, against the peer that does what a network and a bad day do."""
from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path
from typing import Any, Awaitable, Callable, Optional

import pytest
from mambridge import ConnectionLost, MambridgeError, Progress, errors
from mambridge.aio import AsyncClient, AsyncHost, session, streams
from mambridge.events import Event, EventsGap, PolicyDidChange
from mambridge.requests import AddIdentity, IsExternalURL, PromptForCredentials
from mambridge.types import Credentials

FAKE = str(Path(__file__).parent / "fake.py")
NEWS: dict[str, Any] = {"method": "policyManager.policyDidChange", "params": {"seq": 1, "time": "2026-02-02T02:40:00.000Z"}}


def with_peer(test: Callable[[AsyncClient], Awaitable[None]], **options: Any) -> None:
    async def run() -> None:
        async with AsyncClient.spawn(sys.executable, FAKE, timeout=20, **options) as peer:
            await test(peer)

    asyncio.run(run())


def test_calls_run_at_once_and_replies_find_their_callers() -> None:
    async def test(peer: AsyncClient) -> None:
        assert await peer.call("torn") == "whole ü"
        calls = [asyncio.ensure_future(peer.call("hold", value=number)) for number in range(50)]
        await asyncio.sleep(0)
        await peer.call("release", value="all")
        assert await asyncio.gather(*calls) == list(range(50))

    with_peer(test)


def test_a_message_larger_than_any_pipe_arrives_whole() -> None:
    async def test(peer: AsyncClient) -> None:
        long = "x" * 3_000_000
        results = await asyncio.gather(*(peer.call("echo", [number, long]) for number in range(4)))
        assert results == [[number, long] for number in range(4)]

    with_peer(test)


def test_cancelling_the_task_cancels_the_request() -> None:
    async def test(peer: AsyncClient) -> None:
        task = asyncio.ensure_future(peer.call("hold", value=1))
        await peer.call("echo")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await has_cancelled_once(peer)

    with_peer(test)


def test_a_deadline_cancels_and_a_late_reply_is_dropped() -> None:
    async def test(peer: AsyncClient) -> None:
        with pytest.raises(TimeoutError):
            await peer.call("hold", value="late", timeout=0.05)
        await has_cancelled_once(peer)
        assert await peer.call("release", value="mine") == "mine"

    with_peer(test)


async def has_cancelled_once(peer: AsyncClient) -> None:
    seen = await peer.call("seen")
    assert [request["method"] for request in seen if "id" not in request] == ["$/cancelRequest"]


def test_a_batch_returns_results_and_errors_in_the_order_asked() -> None:
    async def test(peer: AsyncClient) -> None:
        first, second, third = await peer.batch([("a", None), ("bad", {"x": 1}), ("c", [1])])
        assert (first, third) == ("a", "c") and isinstance(second, MambridgeError)
        assert await peer.batch([]) == []
        with pytest.raises(errors.PolicyRequired):
            await peer.call("refuse")

    with_peer(test)


def test_progress_is_heard() -> None:
    heard: list[Progress] = []

    async def test(peer: AsyncClient) -> None:
        await peer.call("progress", _meta={"progressToken": 1})  # the number of this request, so that it has a call
        call = peer._session.new_call("progress", heard.append)
        request = {"jsonrpc": "2.0", "id": call.number, "method": "progress",
                   "params": {"_meta": {"progressToken": call.number}}}
        peer._session.send([call], request)
        await peer._session.wait(call, 10)

    with_peer(test)
    assert heard == [Progress("report", 50, "half"), Progress("report", 100, "")]


def test_an_error_of_the_handler_of_progress_ends_the_call_alone() -> None:
    def fail(progress: Progress) -> None:
        raise ZeroDivisionError

    async def test(peer: AsyncClient) -> None:
        call = peer._session.new_call("progress", fail)
        request = {"jsonrpc": "2.0", "id": call.number, "method": "progress",
                   "params": {"_meta": {"progressToken": call.number}}}
        peer._session.send([call], request)
        with pytest.raises(ZeroDivisionError):
            await peer._session.wait(call, 10)
        assert await peer.call("echo", still="here") == {"still": "here"}

    with_peer(test)


@pytest.mark.parametrize("coroutine", [False, True])
def test_events_reach_a_handler_which_may_call_back(coroutine: bool) -> None:
    got: list[Event] = []

    async def test(peer: AsyncClient) -> None:
        async def slow(event: Event) -> None:
            await peer.call("echo")
            got.append(event)

        peer._session._begin(peer._session._handle_events(slow if coroutine else got.append))
        await peer.call("afterwards", [NEWS])
        while not got:
            await asyncio.sleep(0.01)

    with_peer(test)
    assert isinstance(got[0], PolicyDidChange)


def test_events_can_be_read_one_by_one_until_the_end() -> None:
    async def test(peer: AsyncClient) -> None:
        await peer.call("afterwards", [NEWS])
        with pytest.raises(TimeoutError):
            [event async for event in peer.listen(timeout=0.1)]
        await peer.call("afterwards", [NEWS, NEWS])
        await peer.close()
        assert len([event async for event in peer.listen()]) == 2

    with_peer(test)


def test_events_past_the_bound_are_reported_as_a_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mambridge.backlog.LIMIT", 2)

    async def test(peer: AsyncClient) -> None:
        await peer.call("afterwards", [{**NEWS, "params": {**NEWS["params"], "seq": seq}} for seq in range(7, 12)])
        await peer.call("echo")
        await peer.close()
        gap, *kept = [event async for event in peer.listen()]
        assert gap == EventsGap(after=6, to=9) and [type(event) for event in kept] == [PolicyDidChange] * 2

    with_peer(test)


class Answering(AsyncHost):
    async def prompt_for_credentials(self, request: PromptForCredentials) -> Credentials:
        await asyncio.sleep(0)
        return Credentials(request.identity or "", "a token")

    async def add_identity(self, request: AddIdentity) -> str:  # type: ignore[override]
        raise errors.Canceled("not now")

    async def is_external_url(self, request: IsExternalURL) -> bool:
        raise ZeroDivisionError("a secret of the host")


@pytest.mark.parametrize(("method", "params", "expected"), [
    ("ui.promptForCredentials", {"identity": "a", "message": "m", "authorities": []},
     {"result": {"userPrincipalName": "a", "accessToken": "a token"}}),
    ("policyDelegate.addIdentity", {}, {"error": {"code": 7002, "message": "not now"}}),
    ("webViewPolicyDelegate.isExternalURL", {"webViewer": "w", "url": "u"},
     {"error": {"code": -32603, "message": "the host failed to answer webViewPolicyDelegate.isExternalURL"}}),
    ("ui.ofTomorrow", {}, {"error": {"code": -32601, "message": "this host does not answer ui.ofTomorrow"}}),
])
def test_the_host_answers_the_server(method: str, params: dict[str, Any], expected: dict[str, Any]) -> None:
    async def test(peer: AsyncClient) -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
        await peer.call("ask", {"method": method, "params": params})
        answers: list[Any] = []
        while not answers:
            answers = [message for message in await peer.call("seen") if "method" not in message]
        assert answers[0] == {"jsonrpc": "2.0", "id": "s1", **expected}

    with_peer(test, host=Answering())


def test_the_death_of_the_child_ends_all_calls_and_names_its_last_words() -> None:
    async def test(peer: AsyncClient) -> None:
        held = asyncio.ensure_future(peer.call("hold", value=1))
        with pytest.raises(ConnectionLost, match="exited with code 74; its last lines on stderr: disk full: make room"):
            await peer.call("die")
        with pytest.raises(ConnectionLost) as caught:
            await held
        assert (caught.value.exit_code, peer.exit_code) == (74, 74)
        with pytest.raises(ConnectionLost, match="code 74"):
            await peer.call("echo")

    with_peer(test)


def test_a_closed_client_refuses_calls() -> None:
    async def test(peer: AsyncClient) -> None:
        await peer.close()
        await peer.close()
        with pytest.raises(ConnectionLost):
            await peer.call("echo")

    with_peer(test)


def test_a_child_that_does_not_exit_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "FINISH", 0.2)
    monkeypatch.setattr(streams, "EXIT", 0.2)

    async def end(stubborn: bool) -> Optional[int]:
        peer = await AsyncClient.spawn(sys.executable, FAKE, timeout=20)
        await peer.call("stay", stubborn=stubborn)
        await peer.close()
        return peer.exit_code

    assert [asyncio.run(end(stubborn)) for stubborn in (False, True)] == [-signal.SIGTERM, -signal.SIGKILL]
