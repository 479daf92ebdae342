"""Requests and replies over stdio compared with a C program on the same JSON library, and the memory afterwards."""
from __future__ import annotations

import subprocess
import sys
from functools import partial

from measuring import (
    BUILT, COUNT, EXPLAIN, METHODS, PIN, PROTECT, SAVE_TO, UNPINNED, Row, in_turns, load, memory_of, request)

ECHO = [str(BUILT / "echo_jansson")]
# Multiples of the C program's requests per second, with one request at a time and with 64.
LIMITS = {"versionInfo.sdkVersion": (1.0, 2.3), SAVE_TO: (1.0, 1.3), PROTECT: (0.6, None)}


def speed(command: list[str], runs: int) -> list[Row]:
    rows = []
    for method, limits in LIMITS.items():
        for window, title, limit in zip((1, 64), ("ping-pong", "window 64"), limits):
            echo, ours = in_turns(
                runs, lambda: load(method, window, [], ECHO), lambda: load(method, window, [], command))
            rows.append(compared(f"{method}, {title}", ours[1], echo[1], limit))
    return [*rows, explained(command, runs), *unpinned(command, runs)]


def explained(command: list[str], runs: int) -> Row:
    (_, plain), (_, explained) = in_turns(
        runs, *(partial(load, method, 1, [], command) for method in (SAVE_TO, EXPLAIN)))
    return Row(f"{EXPLAIN}, time of a plain answer", plain / explained, at_most=2,
               detail=f"{1e6 / explained:.1f} / {1e6 / plain:.1f} us")


def unpinned(command: list[str], runs: int) -> list[Row]:
    """On several cores, an answer that changes threads costs more than on one."""
    def each(*requests: tuple[str, list[str]]) -> list[float]:
        return [rate for _, rate in in_turns(
            runs, *(partial(load, method, 1, [], line, UNPINNED) for method, line in requests))]

    echo, policy, protect = each((SAVE_TO, ECHO), (SAVE_TO, command), (PROTECT, command))
    return [compared(f"{SAVE_TO}, unpinned", policy, echo, None),
            compared(f"{PROTECT}, unpinned, to that", protect, policy, 0.5)]


def compared(title: str, ours: float, theirs: float, at_least: float | None) -> Row:
    return Row(title, ours / theirs, at_least=at_least, detail=f"{ours:,.0f} / {theirs:,.0f} requests per second")


def memory(command: list[str]) -> list[Row]:
    """RssAnon and VmHWM of a running server that has answered COUNT requests of each method."""
    with subprocess.Popen([*PIN, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin and process.stdout
        for method in METHODS:
            for begin in range(0, COUNT, 64):
                numbers = range(begin, min(begin + 64, COUNT))
                process.stdin.write("".join(request(method, str(number)) + "\n" for number in numbers).encode())
                process.stdin.flush()
                for _ in numbers:
                    if b'"result"' not in (line := process.stdout.readline()):
                        sys.exit(f"run: no result from {method}: {line!r}")
        figures = memory_of(process.pid)
        process.stdin.close()
    return [Row(f"RssAnon after {len(METHODS) * COUNT:,} requests", figures["RssAnon"], " MB", at_most=6),
            Row("VmHWM", figures["VmHWM"], " MB")]
