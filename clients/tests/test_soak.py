"""The soak of scripts/soak, for a few seconds."""
from __future__ import annotations

import random
import sys
from pathlib import Path

from conftest import ROOT
from mambridge import Client

sys.path.insert(0, str(ROOT / "Tests" / "Soak"))
from kills import HandleWrites  # noqa: E402
from soak import TORN, soak  # noqa: E402
from walk import content  # noqa: E402


def test_two_concurrent_servers_and_repeated_kills_lose_no_data(binary: str, tmp_path: Path) -> None:
    said: list[str] = []
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    soak(binary, 8, seed, tmp_path, said.append)
    assert "nothing was lost" in said[-1]


def test_the_faulty_test_server_writes_correctly_if_it_is_not_killed(tmp_path: Path) -> None:
    work = HandleWrites(tmp_path, random.Random(1))
    with Client.spawn(*TORN, timeout=60) as client:
        work.prepare(client)
        for method, params in work.requests()[1:]:
            client.call(method, params)
        assert content(client, 1) == work.states[-1]
