"""soak.py BINARY TENANT_PROGRAM SECONDS SEED OUT: works on files at random and kills servers for a sixth of the time, and
runs a company of ten hosts for the rest (longrun.py), until the time is over or something is lost.

First shows on a server that is wrong on purpose (torn.py) that each kill loop finds out what it is for.
"""
from __future__ import annotations

import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable

from kills import ALICE, SCENARIOS, KillLoop
from longrun import long_run
from mambridge import Client
from walk import Stripes, Walk, Wrong

TORN = [sys.executable, str(Path(__file__).with_name("torn.py"))]
ENOUGH_KILLS = 200
Say = Callable[[str], None]


def catch_torn_server(folder: Path, seed: int, say: Say) -> None:
    """Raises Wrong when a loop would let a torn file pass."""
    for kind in SCENARIOS:
        (folder / kind.__name__).mkdir()
        chance = random.Random(f"{seed} torn")
        loop = KillLoop(TORN, kind(folder / kind.__name__, chance), chance)
        kills = loop.kills_until_wrong(ENOUGH_KILLS)
        if kills is None:
            raise Wrong(f"the loop of {kind.name} did not catch the wrong server in {ENOUGH_KILLS} kills")
        say(f"{kind.name}: the loop catches the wrong server, here at kill {kills}")


def device(binary: str, state: Path) -> list[str]:
    """A server whose account is enrolled."""
    command = [binary, "--tenant", "sample", "--state", str(state)]
    with Client.spawn(*command, timeout=60) as client:
        client.call("enrollmentManager.registerAndEnrollAccount", account=ALICE)
    return command


def soak(binary: str, seconds: float, seed: int, folder: Path, say: Say) -> None:
    """Raises Wrong at the first thing that is lost."""
    deadline = time.monotonic() + seconds
    catch_torn_server(folder, seed, say)
    command = device(binary, folder / "state")
    chance = random.Random(seed)
    (folder / "killed").mkdir()
    loops = [KillLoop(device(binary, folder / f"state of {kind.__name__}"), kind(folder / "killed", chance), chance)
             for kind in SCENARIOS]
    rounds = steps = 0
    while rounds == 0 or time.monotonic() < deadline:
        rounds += 1
        with Client.spawn(*command, timeout=60) as one, Client.spawn(*command, timeout=60) as other:
            walk = Walk([one, other], folder, chance)
            walk.run(60)
            steps += walk.steps
            Stripes([one, other], folder, seed + rounds).run(40)
        for _ in range(5):
            for loop in loops:
                loop.round()
        if rounds % 20 == 0:
            say(f"{max(0, deadline - time.monotonic()):.0f} s to go, {rounds} rounds done")
    kills = ", ".join(f"{loop.kills} kills during {loop.scenario.name}" for loop in loops)
    say(f"{rounds} rounds: {steps} steps of two servers, {kills}; nothing was lost or torn")


def main() -> None:
    binary, program, seconds, seed, out = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4]), Path(sys.argv[5])
    # A stopped run still writes its page.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    folder = Path(tempfile.mkdtemp(prefix="mambridge-soak-"))

    def say(line: str) -> None:
        print(f"soak: {line}", flush=True)

    try:
        (folder / "files").mkdir()
        (folder / "company").mkdir()
        soak(binary, seconds / 6, seed, folder / "files", say)
        wrong = long_run(binary, program, seconds * 5 / 6, seed, folder / "company", out, say)
        if wrong:
            raise Wrong("\nsoak: ".join(wrong))
    except Wrong as failure:
        sys.exit(f"soak: {failure}\nsoak: seed {seed}; the files are kept in {folder}")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
