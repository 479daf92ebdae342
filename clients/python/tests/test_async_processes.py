"""The asyncio client at the edges of its life: a start, a close and a handler that is cancelled."""
from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest
from mambridge.aio import AsyncClient
from mambridge.events import Event
from peer import FAKE, NEWS
from processes import is_gone, pid_of


@pytest.mark.parametrize("cancels", ["its task", "what it waits for", "by raising"])
def test_a_cancelled_handler_of_events_silences_no_other_event(cancels: str) -> None:
    async def run() -> None:
        heard = asyncio.Event()
        count = 0

        async def handle(event: Event) -> None:
            nonlocal count
            count += 1
            if count == 2:
                heard.set()
            elif cancels == "by raising":
                raise asyncio.CancelledError
            else:
                waiting = asyncio.ensure_future(asyncio.sleep(60))
                task: Any = asyncio.current_task() if cancels == "its task" else waiting
                asyncio.get_running_loop().call_soon(task.cancel)
                try:
                    await waiting
                finally:
                    waiting.cancel()

        async with AsyncClient.spawn(sys.executable, FAKE, timeout=20, on_event=handle) as client:
            await client.call("afterwards", [NEWS, NEWS])
            await asyncio.wait_for(heard.wait(), 20)

    asyncio.run(run())


def test_a_handler_of_events_may_close_the_client() -> None:
    async def run() -> None:
        closed = asyncio.Event()

        async def handle(event: Event) -> None:
            await client.close()
            closed.set()

        async with AsyncClient.spawn(sys.executable, FAKE, timeout=20, on_event=handle) as client:
            await client.call("afterwards", [NEWS])
            await asyncio.wait_for(closed.wait(), 20)

    asyncio.run(run())


@pytest.mark.parametrize("times", [1, 2, 3])
def test_a_cancel_during_close_leaves_no_server(times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often the task is cancelled, and although the loop ends then."""
    servers: list[int] = []

    async def close(client: AsyncClient) -> None:
        await client.close()

    async def run() -> None:
        client = await AsyncClient.spawn(sys.executable, FAKE, timeout=20)
        servers.append(pid_of(client))
        await client.call("stay", stubborn=True)
        for _ in range(times):
            closing = asyncio.ensure_future(close(client))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            closing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await closing

    asyncio.run(run())
    assert is_gone(servers[0])


def test_a_cancelled_close_goes_on_in_its_loop() -> None:
    async def run() -> None:
        client = await AsyncClient.spawn(sys.executable, FAKE, timeout=20)
        closing = asyncio.ensure_future(client.close())
        await asyncio.sleep(0)
        closing.cancel()
        await client.close()
        assert client.exit_code == 0

    asyncio.run(run())


@pytest.mark.parametrize("steps", range(1, 10))
def test_a_cancelled_start_harms_no_later_client(steps: int) -> None:
    """Wherever it is cancelled: the next client gets the numbers of its files."""
    async def spawn() -> AsyncClient:
        return await AsyncClient.spawn(sys.executable, FAKE, timeout=20)

    async def run() -> None:
        starting = asyncio.ensure_future(spawn())
        for _ in range(steps):
            await asyncio.sleep(0)
        if starting.cancel():
            with pytest.raises(asyncio.CancelledError):
                await starting
        else:
            await starting.result().close()
        async with AsyncClient.spawn(sys.executable, FAKE, timeout=20) as client:
            assert await client.call("echo", still="here") == {"still": "here"}

    asyncio.run(run())
