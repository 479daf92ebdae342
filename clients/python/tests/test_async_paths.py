"""The two ways of an answer with asyncio: read by the call itself, which holds up the loop for it, or by the loop."""
from __future__ import annotations

import asyncio
import sys
from time import monotonic
from typing import Any, Awaitable, Callable

import pytest
from mambridge import ConnectionLost
from mambridge.aio import AsyncClient, AsyncHost, streams
from mambridge.aio.pace import LONGEST_PAUSE, Pace
from mambridge.events import PolicyDidChange
from mambridge.requests import ShowAlert
from mambridge.types import AlertAnswer
from peer import FAKE, NEWS

ALERT = {"method": "ui.showAlert", "params": {"title": "t", "message": "m", "actions": ["OK"]}}


def with_peer(test: Callable[[AsyncClient], Awaitable[None]], **options: Any) -> None:
    async def run() -> None:
        async with AsyncClient.spawn(sys.executable, FAKE, timeout=30, **options) as peer:
            await test(peer)

    asyncio.run(run())


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call that may reads its answer itself, however slow the machine is."""
    monkeypatch.setattr(Pace, "is_free", lambda self: True)
    monkeypatch.setattr(streams, "QUICK", 1.0)


def answers(client: AsyncClient) -> int:
    """How many calls read their own answers."""
    return client._session.answers


async def call_until(client: AsyncClient, done: Callable[[], bool]) -> None:
    for number in range(20_000):
        assert await client.call("echo", [number]) == [number]
        if done():
            return
    pytest.fail("it never became true")


def test_calls_one_after_the_other_read_their_own_answers() -> None:
    with_peer(lambda peer: call_until(peer, lambda: answers(peer) > 20))


def test_other_tasks_go_on_while_one_makes_calls_without_a_pause() -> None:
    async def test(peer: AsyncClient) -> None:
        turns = 0

        async def count() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        task = asyncio.ensure_future(count())
        await call_until(peer, lambda: answers(peer) > 20 and turns > 20)
        task.cancel()

    with_peer(test)


def test_a_task_that_makes_calls_without_a_pause_can_be_cancelled() -> None:
    async def test(peer: AsyncClient) -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(call_until(peer, lambda: False), 0.2)
        assert await peer.call("echo", [1]) == [1]

    with_peer(test)


def test_another_loop_than_that_of_the_selectors_reads_all_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams.asyncio, "SelectorEventLoop", type(None))

    async def test(peer: AsyncClient) -> None:
        for number in range(100):
            assert await peer.call("echo", [number]) == [number]
        assert answers(peer) == 0

    with_peer(test)


@pytest.mark.usefixtures("always")
def test_events_around_answers_arrive_in_order() -> None:
    async def test(peer: AsyncClient) -> None:
        for number in range(200):
            await peer.call("afterwards", [{**NEWS, "params": {**NEWS["params"], "seq": number}}])
        events = peer.listen(30)
        seen = [await events.__anext__() for _ in range(200)]
        assert [event.seq for event in seen if isinstance(event, PolicyDidChange)] == list(range(200))
        # On a busy machine, each event may arrive together with its answer, and then the loop reads both.
        await call_until(peer, lambda: answers(peer) > 0)

    with_peer(test)


@pytest.mark.usefixtures("always")
def test_a_request_of_the_server_within_a_call_that_reads_for_itself_is_answered() -> None:
    class Alerts(AsyncHost):
        async def show_alert(self, request: ShowAlert) -> AlertAnswer:
            return AlertAnswer(request.actions[0])

    async def test(peer: AsyncClient) -> None:
        await peer.call("ask", ALERT)
        end = monotonic() + 30
        while not [seen for seen in await peer.call("seen") if "method" not in seen]:
            assert monotonic() < end
            await asyncio.sleep(0.01)

    with_peer(test, host=Alerts())


@pytest.mark.usefixtures("always")
def test_an_answer_in_pieces_or_longer_than_a_call_reads_is_whole() -> None:
    async def test(peer: AsyncClient) -> None:
        for size in (1, streams.READ_SIZE - 100, streams.READ_SIZE, streams.READ_SIZE + 1, 3_000_000):
            text = ["x" * size]
            assert await peer.call("echo", text) == text
            assert await peer.call("torn") == "whole ü"

    with_peer(test)


@pytest.mark.usefixtures("always")
def test_a_server_that_dies_during_a_call_that_reads_for_itself_ends_the_call() -> None:
    async def test(peer: AsyncClient) -> None:
        with pytest.raises(ConnectionLost) as lost:
            await peer.call("die")
        assert lost.value.exit_code == 74

    with_peer(test)


def test_a_call_that_waited_in_vain_lets_the_loop_read_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("mambridge.aio.pace.monotonic", lambda: now)
    pace, pauses = Pace(), []
    assert not pace.is_free()
    for _ in range(12):
        pace.judge(at_once=False)
        start = now
        while not pace.is_free():
            now += 0.001
            pace.loop_ran()
        pauses.append(now - start)
    assert pauses == sorted(pauses) and pauses[0] < 0.02 and LONGEST_PAUSE <= pauses[-1] < LONGEST_PAUSE + 0.01
    pace.judge(at_once=True)
    assert pace.is_free()
    now += 0.003
    assert not pace.is_free()
