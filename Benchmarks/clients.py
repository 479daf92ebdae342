"""Typed calls in each language, compared with the C load generator, which parses no JSON.

Each program in clients/ makes one call, CALLS calls to warm up, and CALLS calls that count, and prints a line after each
part. This module times the lines. The time to the first answer begins with the start of the program, so it includes the
start of the interpreter or Java virtual machine and of the server.
"""
from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from measuring import PIN, ROOT, Row, in_turns, load

sys.path.append(str(ROOT / "clients" / "tests"))
import programs  # noqa: E402
from programs import Program  # noqa: E402

HERE = ROOT / "Benchmarks" / "clients"
METHOD = "versionInfo.sdkVersion"
CALLS = 10_000


@dataclass
class Client:
    """A program, and limits as multiples of the generator's figures, which allow half the speed first measured."""

    program: Program
    rate_at_least: float
    first_at_most: float


CLIENTS = {
    "Python": Client(programs.python(HERE / "cost.py"), 0.18, 60),
    "Python asyncio": Client(programs.python(HERE / "async_cost.py"), 0.13, 140),
    "TypeScript": Client(Program(["node", str(HERE / "cost.mjs")], ["node"]), 0.2, 80),
    "Go": Client(programs.go(HERE / "go"), 0.3, 6),
    "Rust": Client(programs.rust(HERE / "rust", "cost", "/usr/bin/cargo", "--release"), 0.17, 5),
    "Java": Client(programs.java(HERE / "Cost.java"), 0.1, 110),
    "C": Client(programs.c(HERE / "cost.c"), 0.17, 5),
}


def cost(program: Program, command: list[str]) -> tuple[float, float]:
    """The milliseconds to the first answer, and the calls a second."""
    line = [*PIN, *program.command, str(CALLS), *command]
    begin = time.perf_counter()
    with subprocess.Popen(line, stdout=subprocess.PIPE, env=os.environ | program.environment) as process:
        limit = threading.Timer(300, process.kill)
        limit.daemon = True
        limit.start()
        assert process.stdout
        parts = [(time.perf_counter(), answer) for answer in process.stdout]
        process.wait()
        limit.cancel()
    if process.returncode or len(parts) != 3:
        sys.exit(f"run: {line} failed with status {process.returncode} after {len(parts)} of 3 parts")
    (first, _), (warm, _), (end, _) = parts
    return (first - begin) * 1000, CALLS / (end - warm)


def built(folder: Path) -> dict[str, Program]:
    found = {}
    for language, client in CLIENTS.items():
        if missing := client.program.missing():
            print(f"run: skipping {language}, which needs {' and '.join(missing)}", file=sys.stderr)
            continue
        (folder / language).mkdir()
        found[language] = client.program.built(folder / language)
    return found


def rows(command: list[str], runs: int, folder: Path) -> list[Row]:
    found = built(folder)
    (first, rate), *medians = in_turns(
        runs, lambda: load(METHOD, 1, [], command), *(partial(cost, program, command) for program in found.values()))
    table = []
    for language, (our_first, our_rate) in zip(found, medians):
        client = CLIENTS[language]
        table += [
            Row(f"{language}, typed calls", our_rate / rate, at_least=client.rate_at_least,
                detail=f"{our_rate:,.0f} / {rate:,.0f} calls per second"),
            Row(f"{language}, first answer", our_first / first, at_most=client.first_at_most,
                detail=f"{our_first:.1f} / {first:.1f} ms")]
    return table
