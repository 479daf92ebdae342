"""Requests and replies over stdio compared with a C program on the same JSON library, and the memory afterwards."""
from __future__ import annotations

import subprocess
import sys

from measuring import BUILT, COUNT, METHODS, PIN, Row, in_turns, load, memory_of, request


def speed(command: list[str], runs: int) -> list[Row]:
    rows = []
    for method in METHODS:
        for window, title, limit in ((1, "ping-pong", 0.8), (64, "window 64", 0.9)):
            echo, ours = in_turns(
                runs, lambda: load(method, window, [], [str(BUILT / "echo_jansson")]),
                lambda: load(method, window, [], command))
            rows.append(Row(f"{method}, {title}", ours[1] / echo[1], at_least=limit,
                            detail=f"{ours[1]:,.0f} / {echo[1]:,.0f} requests per second"))
            if method == "versionInfo.sdkVersion" and window == 1:
                first = Row("first reply", ours[0] / echo[0], at_most=6, detail=f"{ours[0]:.1f} / {echo[0]:.1f} ms")
    return [*rows, first]


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
    return [Row(f"RssAnon after {2 * COUNT:,} requests", figures["RssAnon"], " MB", at_most=6),
            Row("VmHWM", figures["VmHWM"], " MB")]
