"""From the start of the program to its first answer: time, memory, size and instructions.

A script that makes one call pays for all of this. Times and memory are compared with a C program on the same JSON
library. Instructions, counted by callgrind, are the same on a busy machine, so that CI checks them.
"""
from __future__ import annotations

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from measuring import ALICE, BUILT, PIN, ROOT, Row, compile_tool, in_turns

MEGABYTE = 1_000_000
# As a multiple of the time of a server with a new state.
SANDBOX_AT_MOST = 1.2
# As a multiple of the start of a sandbox.
KEPT_AT_MOST = 0.5
# Where sandboxes put their folders.
SANDBOXES = next((path for path in (os.environ.get("XDG_RUNTIME_DIR"), "/dev/shm") if path and os.path.isdir(path)), None)


@dataclass
class Start:
    """A first request, its limits as a multiple of the C program's time and in megabytes, and its millions of instructions."""

    title: str
    method: str
    time_at_most: float | None
    memory_at_most: float
    # None: the number varies, because work goes on after the answer.
    instructions: float | None = None
    params: str = ""
    makes_state: bool = True
    needs_account: bool = False

    @property
    def line(self) -> str:
        return f'{{"jsonrpc":"2.0","id":1,"method":"{self.method}"{self.params}}}'

    def command(self, enrolled: list[str]) -> list[str]:
        """With the state of an enrolled account, or with one without accounts."""
        return enrolled if self.needs_account else [*enrolled[:-1], f"{enrolled[-1]}-without-account"]


STARTS = [
    Start("first reply", "versionInfo.sdkVersion", 2.2, 9, 0.8, makes_state=False),
    Start("first initialize", "initialize", 5, 12),
    # The launch of an app: opens challenges and stores an event, so it waits for the disk.
    Start("first initialize, enrolled", "initialize", None, 14, needs_account=True),
    Start(
        "first policy answer", "policy.isPINRequired", 4, 12, 5.5, f',"params":{{"account":"{ALICE}"}}',
        needs_account=True),
]


def rows(command: list[str], runs: int) -> list[Row]:
    """Starts take a few milliseconds each, so there are ten times as many as runs."""
    compile_tool(ROOT / "Benchmarks" / "firstreply.c")
    echo = [str(BUILT / "echo_jansson")]
    table = []
    for start in STARTS:
        (our_time, our_peak), (time, _) = in_turns(
            10 * runs, lambda: first_reply(start, start.command(command)), lambda: first_reply(start, echo))
        table += [
            Row(start.title, our_time / time, at_most=start.time_at_most, detail=f"{our_time:.2f} / {time:.2f} ms"),
            Row(f"{start.title}, peak RSS", our_peak, " MB", at_most=start.memory_at_most)]
    table += sandbox_rows(command[0], 10 * runs)
    # 5 MB of it describe stack frames, which pthread_exit reads.
    return [*table, Row("size", os.path.getsize(command[0]) / MEGABYTE, " MB", at_most=34.5)]


def sandbox_rows(binary: str, runs: int) -> list[Row]:
    """A sandbox beside a server that makes a new state on the same file system."""
    table = []
    for start in STARTS[:2]:
        with tempfile.TemporaryDirectory(dir=SANDBOXES) as folder:
            numbers = count()

            def new_state() -> tuple[float, float]:
                state = f"{folder}/{next(numbers)}"
                return first_reply(start, [binary, "--state", state, "--tenant", "sample"])

            (ours, _), (plain, _) = in_turns(runs, lambda: first_reply(start, [binary, "sandbox"]), new_state)
        # A reply that needs no state has no limit: a server answers it before it makes a state, a sandbox after.
        table.append(Row(
            f"{start.title}, sandbox beside a new state", ours / plain,
            at_most=SANDBOX_AT_MOST if start.makes_state else None, detail=f"{ours:.2f} / {plain:.2f} ms"))
    # The last start is that of a sandbox with a state.
    for method, took in kept(binary, runs).items():
        table.append(Row(
            f"{method}, beside the start of a sandbox", took / ours, at_most=KEPT_AT_MOST,
            detail=f"{took:.2f} / {ours:.2f} ms"))
    return table


def kept(binary: str, runs: int) -> dict[str, float]:
    """The milliseconds of each method that keeps a sandbox with an enrolled account, or brings it back."""
    name = ',"params":{"name":"enrolled"}'
    methods = {"sandbox.save": name, "sandbox.restore": name, "sandbox.reset": ""}
    taken: dict[str, list[float]] = {method: [] for method in methods}
    with subprocess.Popen([*PIN, binary, "sandbox"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin and process.stdout
        requests, replies = process.stdin, process.stdout

        def call(method: str, params: str) -> float:
            begin = time.perf_counter()
            requests.write(f'{{"jsonrpc":"2.0","id":1,"method":"{method}"{params}}}\n'.encode())
            requests.flush()
            line = next(line for line in replies if b'"id":1' in line)
            if b'"result"' not in line:
                sys.exit(f"run: no result from {method}: {line!r}")
            return (time.perf_counter() - begin) * 1000

        for _ in range(runs):
            call("enrollmentManager.registerAndEnrollAccount", f',"params":{{"account":"{ALICE}"}}')
            for method, params in methods.items():
                taken[method].append(call(method, params))
        requests.close()
    return {method: statistics.median(times) for method, times in taken.items()}


def first_reply(start: Start, command: list[str]) -> tuple[float, float]:
    """The milliseconds to the first reply, and the peak RSS in MB."""
    line = [*PIN, str(BUILT / "firstreply"), start.line, *command]
    run = subprocess.run(line, check=True, stdout=subprocess.PIPE, text=True, timeout=60)
    milliseconds, kilobytes = map(float, run.stdout.split())
    return milliseconds, kilobytes / 1024


def instructions(command: list[str]) -> list[Row]:
    """Millions of instructions in user space, to the end of input. 5 % above the stated figure are too many."""
    if not shutil.which("valgrind"):
        print("run: valgrind is missing: not counting instructions", file=sys.stderr)
        return []
    table = []
    for start in STARTS:
        if start.instructions is not None:
            table.append(Row(
                f"{start.title}, million instructions", counted(start, start.command(command)),
                at_most=round(1.05 * start.instructions, 3), detail=f"stated: {start.instructions}"))
    return table


def counted(start: Start, command: list[str]) -> float:
    """An environment of its own, and hashing without random seeds, make runs equal."""
    with tempfile.TemporaryDirectory() as folder:
        counter = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={Path(folder) / 'calls'}"]
        run = subprocess.run(
            [*counter, *command], input=start.line + "\n", capture_output=True, text=True, timeout=300,
            env={"PATH": os.environ["PATH"], "SWIFT_DETERMINISTIC_HASHING": "1"})
    total = re.search(r"Collected : (\d+)", run.stderr)
    if not total or '"result"' not in run.stdout:
        sys.exit(f"run: callgrind failed with {command[0]}: {run.stdout}{run.stderr}")
    return int(total[1]) / 1_000_000
