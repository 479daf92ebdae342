"""Limits of time: which there are, and where they may be given."""
from __future__ import annotations

import asyncio
import sys

import pytest
from mambridge import wire
from mambridge.aio import AsyncClient
from mambridge.options import LONGEST, limit_of
from peer import FAKE, NEWS, fake


@pytest.mark.parametrize(("timeout", "limit"), [
    (None, None), (float("inf"), None), (1e10, None), (1e300, None), (0, 0), (-1, 0), (float("-inf"), 0), (2.5, 2.5),
    (LONGEST, LONGEST),
])
def test_a_time_limit_that_nobody_lives_to_see_is_none(timeout: float | None, limit: float | None) -> None:
    assert limit_of(timeout) == limit


def test_a_time_limit_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="not a number"):
        limit_of(float("nan"))


@pytest.mark.parametrize("timeout", [float("inf"), 1e10, LONGEST, 200_000])
def test_calls_events_and_notifications_take_any_time_limit(timeout: float) -> None:
    with fake(timeout=timeout) as client:
        assert client.call("echo", {"a": 1}) == {"a": 1}
        client.notify("ignored")
        assert client.policy_manager.mam_policy_source(timeout=timeout) == "aSourceOfTomorrow"
        client.call("afterwards", [NEWS])
        assert next(client.listen(timeout)).event == NEWS["method"]

    async def run() -> None:
        async with AsyncClient.spawn(sys.executable, FAKE, timeout=timeout) as client:
            assert await client.call("echo", {"a": 1}) == {"a": 1}
            await client.notify("ignored")
            await client.call("afterwards", [NEWS])
            async for event in client.listen(timeout):
                assert event.event == NEWS["method"]
                break

    asyncio.run(run())


def test_the_server_gets_a_deadline_of_a_day_at_most() -> None:
    assert wire.with_options({}, 1, 86_400, False) == {"_meta": {"timeoutMilliseconds": 86_400_000}}
    assert wire.with_options({}, 1, 86_401, False) == {}
