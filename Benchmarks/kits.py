"""Tests in sandboxes of their own, with pytest-xdist: those of the kit for Python beside the same calls alone."""
from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from functools import cache, partial
from pathlib import Path

from measuring import ROOT, Row, in_turns

HERE = ROOT / "Benchmarks" / "clients"

COUNT = 200
PROCESSES = 2
# Seconds of two cores, and a multiple of what the same calls take.
SECONDS_AT_MOST, BARE_AT_MOST = 10, 1.5


def rows(binary: str, runs: int) -> list[Row]:
    # The first run writes bytecode.
    kit, bare = (partial(seconds, binary, HERE / name) for name in ("sandboxes.py", "bare_sandboxes.py"))
    kit()
    (ours, passed), (alone, _) = in_turns(runs, kit, bare)
    return [
        Row(f"Python, {COUNT} tests in sandboxes, two cores", ours, " s", at_most=SECONDS_AT_MOST,
            detail=f"{ours / COUNT * PROCESSES * 1000:.1f} ms each; {passed:.1f} s by the clock of this machine"),
        Row("Python, tests in sandboxes beside bare calls", ours / alone, at_most=BARE_AT_MOST,
            detail=f"{ours:.2f} / {alone:.2f} s")]


def seconds(binary: str, tests: Path) -> tuple[float, float]:
    """How long each of the cores works on the tests, with all that they start, and how much time passes."""
    cores = sorted(os.sched_getaffinity(0))[:PROCESSES]
    command = ["taskset", "-c", ",".join(map(str, cores)), python(), "-m", "pytest", "-q", "-p", "no:cacheprovider",
               "-p", "mambridge.testing.pytest_plugin", "-p", "xdist", "-n", str(PROCESSES), "-c", "/dev/null",
               "--rootdir", str(HERE), str(tests)]
    # Other plugins may be installed, and take seconds.
    environment = os.environ | {
        "PYTHONPATH": str(ROOT / "clients" / "python"), "MAMBRIDGE": binary, "COUNT": str(COUNT),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    begin, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode or f"{COUNT} passed" not in done.stdout:
        sys.exit(f"run: {tests} failed with status {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    spent = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    return spent / PROCESSES, time.perf_counter() - begin


@cache
def python() -> str:
    """One with pytest and pytest-xdist."""
    found = subprocess.run([ROOT / "scripts" / "python"], check=True, stdout=subprocess.PIPE, text=True)
    return found.stdout.strip()
