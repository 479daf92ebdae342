"""Typed calls in each language, compared with a program of that language that writes a line, reads a line and parses it.

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

from measuring import PIN, ROOT, Row, in_turns

sys.path.append(str(ROOT / "clients" / "tests"))
import programs  # noqa: E402
from programs import Program  # noqa: E402

HERE = ROOT / "Benchmarks" / "clients"
CALLS = 10_000


@dataclass
class Client:
    """A program that calls through the client, one that does without, and limits as multiples of what that one reaches."""

    program: Program
    floor: Program
    rate_at_least: float = 0.6
    first_at_most: float = 1.4


# asyncio alone, with a protocol and a future a call, takes three times as long as the floor, which does not wait for
# events, and also to be imported. The client is faster than that, because most calls read their own answers.
PYTHON = programs.python(HERE / "floor.py")
CLIENTS = {
    # The group python has the limit of what a call of this client takes, 18 µs; the floor itself takes 11.
    "Python": Client(programs.python(HERE / "cost.py"), PYTHON, 0.5),
    "Python asyncio": Client(programs.python(HERE / "async_cost.py"), PYTHON, 0.5, 2.5),
    "TypeScript": Client(
        Program(["node", str(HERE / "cost.mjs")], ["node"]), Program(["node", str(HERE / "floor.mjs")], ["node"])),
    "Go": Client(programs.go(HERE / "go"), programs.go(HERE / "go" / "floor")),
    "Rust": Client(*(programs.rust(HERE / "rust", name, "/usr/bin/cargo", "--release") for name in ("cost", "floor"))),
    "Java": Client(programs.java(HERE / "Cost.java"), programs.java(HERE / "Floor.java")),
    "C": Client(programs.c(HERE / "cost.c"), programs.c(HERE / "floor.c")),
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


def built(folder: Path) -> dict[str, tuple[Program, Program]]:
    """The typed program and the floor of each language that is installed."""
    found = {}
    for language, client in CLIENTS.items():
        if missing := client.program.missing():
            print(f"run: skipping {language}, which needs {' and '.join(missing)}", file=sys.stderr)
            continue
        typed, floor = folder / language, folder / f"{language}-floor"
        typed.mkdir()
        floor.mkdir()
        found[language] = client.program.built(typed), client.floor.built(floor)
    return found


def rows(command: list[str], runs: int, folder: Path) -> list[Row]:
    table = []
    for language, programs_of in built(folder).items():
        client = CLIENTS[language]
        (first, rate), (floor_first, floor_rate) = in_turns(
            runs, *(partial(cost, program, command) for program in programs_of))
        table += [
            Row(f"{language}, typed calls beside its floor", rate / floor_rate, at_least=client.rate_at_least,
                detail=f"{rate:,.0f} / {floor_rate:,.0f} calls per second"),
            Row(f"{language}, first answer beside its floor", first / floor_first, at_most=client.first_at_most,
                detail=f"{first:.1f} / {floor_first:.1f} ms")]
    return table
