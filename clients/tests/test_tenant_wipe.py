"""A wipe that an administrator orders is carried out once, whatever is killed on the way.

MAMBRIDGE_WIPE_ROUNDS is the number of kills before system calls, MAMBRIDGE_WIPE_LANES that of rounds at a time.
"""
from __future__ import annotations

import os
import queue
import time
import traceback
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from math import gcd
from pathlib import Path
from typing import Iterable, Iterator

import pytest
from system_calls import can_trace
from tenants import Authority, Issuer
from wipe_rounds import Lane, Round

ROUNDS = int(os.environ.get("MAMBRIDGE_WIPE_ROUNDS", "12"))
LANES = int(os.environ.get("MAMBRIDGE_WIPE_LANES", "4"))
VICTIMS = ["bridge", "service", "source"]
MOMENTS = [("poll", "answered"), ("check-in", "asked"), ("check-in", "answered"), ("report", "asked"), ("report", "answered")]
# Successive multiples of it, without their whole part, are spread evenly, however many there are.
GOLDEN = 0.618034


@pytest.fixture(scope="module")
def lanes(binary: str, tenant_program: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator["list[Lane]"]:
    folder = tmp_path_factory.mktemp("wipes")
    authority, issuer = Authority(folder / "ca"), Issuer(folder / "issuer")
    made = [
        Lane(binary, tenant_program, folder / f"lane-{number}", authority, authority.sign(f"service-{number}"), issuer)
        for number in range(LANES)]
    try:
        with ThreadPoolExecutor(LANES) as threads:
            list(threads.map(Lane.start, made))
        yield made
    finally:
        for lane in made:
            lane.close()
        issuer.close()


def run_all(lanes: "list[Lane]", rounds: Iterable[Round]) -> "list[tuple[Round, list[list[str]]]]":
    """Runs the rounds, one at a time in each lane. Returns the system calls of each."""
    waiting: "queue.SimpleQueue[Round]" = queue.SimpleQueue()
    for plan in rounds:
        waiting.put(plan)
    done: "list[tuple[Round, list[list[str]]]]" = []
    failures: "list[str]" = []

    def work(lane: Lane) -> None:
        while not waiting.empty():
            try:
                plan = waiting.get_nowait()
            except queue.Empty:
                return
            begin = time.monotonic()
            try:
                done.append((plan, lane.run(plan)))
                print(f"{plan}: {time.monotonic() - begin:.1f} s")
            except Exception:
                failures.append(f"{plan}: {traceback.format_exc(limit=-3)}")

    with ThreadPoolExecutor(len(lanes)) as threads:
        list(threads.map(work, lanes))
    assert not failures, "\n".join(failures)
    for lane in lanes:
        lane.assert_nobody_else_was_touched()
    return done


def test_a_wipe_is_done_once_despite_a_kill_at_any_step(lanes: "list[Lane]") -> None:
    steps = [None, *MOMENTS]
    rounds = [Round(victim, moment) for moment in steps for victim in VICTIMS]
    lost = [Round("network", moment) for moment in MOMENTS if moment[1] == "answered"]
    run_all(lanes, rounds + lost)


def plan_calls(number: int, counts: "dict[str, int]") -> Round:
    """As many kills as there are calls come before each call once; fewer are spread evenly. Half of them are followed by
    a second kill, during the recovery."""
    places = [(victim, call) for victim, count in counts.items() for call in range(1, count + 1)]
    total = len(places)
    step = next(step for step in range(int(total * GOLDEN), total) if gcd(step, total) == 1)
    victim, first = places[number * step % total]
    second = 1 + first * step % counts[victim]
    has_two = (number + number // total) % 2 == 1
    return Round(victim, calls=(first, second) if has_two else (first,), is_pushed=number % 4 == 0)


def test_a_wipe_is_done_once_despite_a_kill_before_any_system_call(lanes: "list[Lane]") -> None:
    if not can_trace():
        pytest.skip("this system lets no process trace another one, or is not x86-64")
    beyond = 1_000_000
    watched = run_all(lanes, [Round(victim, calls=(beyond,), is_pushed=False) for victim in VICTIMS])
    counts = {plan.victim: len(calls[0]) for plan, calls in watched}
    done = run_all(lanes, (plan_calls(number, counts) for number in range(ROUNDS)))
    kills = [(plan.victim, piece[-1]) for plan, calls in done for piece, last in zip(calls, plan.calls) if len(piece) == last]
    print(f"{len(kills)} kills in {ROUNDS} rounds, before calls out of {counts}: {Counter(kills).most_common()}")
    assert len(kills) > ROUNDS / 2
