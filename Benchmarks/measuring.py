"""Shared by all groups: rows of the table, requests, the load generator, memory of a process."""
from __future__ import annotations

import re
import statistics
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BENCH = ROOT.parent / "shared" / "bench"
BUILT = ROOT / ".build" / "bench"
PIN = ["taskset", "-c", "0"]
UNPINNED: list[str] = []
ALICE = "alice@contoso.example"
COUNT = 20_000
SAVE_TO = "policy.isSaveToAllowedForLocation"
EXPLAIN = "policy.explain"
PROTECT = "dataProtectionManager.protect"
LOCATION = f'"params":{{"location":"localDrive","account":"{ALICE}","locationAccount":"{ALICE}"}}'
METHODS = {
    "versionInfo.sdkVersion": "",
    SAVE_TO: f",{LOCATION}",
    EXPLAIN: f',"params":{{"query":"{SAVE_TO}",{LOCATION}}}',
    PROTECT: f',"params":{{"data":"cXVhcnRlcmx5IGZpZ3VyZXM=","account":"{ALICE}"}}',
}
FIGURES = re.compile(r"start ([\d.]+) ms, ([\d.]+) req/s, p50 ([\d.]+) us")


@dataclass
class Row:
    """One line of the table. A row without a limit is for information."""

    title: str
    value: float
    unit: str = ""
    at_least: float | None = None
    at_most: float | None = None
    detail: str = ""

    @property
    def verdict(self) -> str:
        if self.at_least is None and self.at_most is None:
            return ""
        low, high = self.at_least or 0, float("inf") if self.at_most is None else self.at_most
        return "pass" if low <= self.value <= high else "SHORT"

    def __str__(self) -> str:
        limit = f">= {self.at_least:g}" if self.at_least is not None else ""
        limit = f"<= {self.at_most:g}" if self.at_most is not None else limit
        value = f"{self.value:.2f}{self.unit}"
        return f"{self.title:<52}{value:>11}  {limit:<8}{self.verdict:<6} {self.detail}"


def request(method: str, number: str) -> str:
    return f'{{"jsonrpc":"2.0","id":{number},"method":"{method}"{METHODS[method]}}}'


def compile_tool(source: Path, *libraries: str) -> None:
    BUILT.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cc", "-O2", "-w", "-o", BUILT / source.stem, source, *libraries], check=True)


def load(
    method: str, window: int, options: list[str], command: list[str], pin: list[str] = PIN
) -> tuple[float, float]:
    """The milliseconds to the first reply, and the requests per second, as measured by rpcbench."""
    line = [*pin, str(BUILT / "rpcbench"), *options, "-r", "1", request(method, "%d"), str(COUNT), str(window), "--"]
    run = subprocess.run([*line, *command], capture_output=True, text=True, timeout=300)
    figures = FIGURES.search(run.stdout)
    if run.returncode or not figures:
        sys.exit(f"run: rpcbench failed with {command[0]}: {run.stdout}{run.stderr}")
    return float(figures[1]), float(figures[2])


def in_turns(runs: int, *measurements: Callable[[], tuple[float, ...]]) -> list[list[float]]:
    """The medians of the measurements, which take turns."""
    taken: list[list[tuple[float, ...]]] = [[] for _ in measurements]
    for _ in range(runs):
        for results, measure in zip(taken, measurements):
            results.append(measure())
    return [[statistics.median(column) for column in zip(*results)] for results in taken]


def memory_of(process: int) -> dict[str, float]:
    """Megabytes, by the names in /proc/PID/status."""
    status = Path(f"/proc/{process}/status").read_text()
    return {name: int(kilobytes) / 1024 for name, kilobytes in re.findall(r"^(\w+):\s+(\d+) kB$", status, re.MULTILINE)}
