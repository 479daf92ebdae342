"""Compares many random lives: scripts/model, which says how to call it."""
from __future__ import annotations

import argparse
import json
import os
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from .compare import Report, run
from .generate import Generator
from .shrink import explain

BLOCK = 500


def way(number: int) -> str:
    """Half of the lives are scripts; a process a call takes long."""
    return "calls" if number % 200 == 7 else ["script", "initialized", "script", "two"][number % 4]


def case(seed: str, number: int) -> "dict[str, Any]":
    return Generator(f"{seed} {number}").life(way(number))


def compare(seed: str, numbers: range, binary: str, memory: "str | None", most: int = 3) -> "tuple[Report, list[str]]":
    """Runs the lives of these numbers, and explains the disagreements, at most so many."""
    report, differ = Report(), list[str]()

    def one(number: int) -> "tuple[int, Report, str]":
        found, runner = run(case(seed, number), binary, memory)
        return number, runner.report, found[0].text() if found else ""
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for number, part, text in pool.map(one, numbers):
            report.add(part)
            if text and len(differ) < most:
                differ.append(f"case {number} of the seed {seed}:\n{text}\n{explain(case(seed, number), binary, memory)}")
    return report, differ


def main() -> int:
    parser = argparse.ArgumentParser(prog="model")
    parser.add_argument("--cases", type=int, default=200_000)
    parser.add_argument("--seed", default="nightly")
    parser.add_argument("--records", type=Path)
    parser.add_argument("--case", type=Path)
    options = parser.parse_args()
    binary, memory = os.environ["MAMBRIDGE"], "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    if options.case:
        lone = json.loads(options.case.read_text())
        found, _ = run(lone, binary, memory)
        print(explain(lone, binary, memory) if found else "The program and the model agree.")
        return 1 if found else 0
    total, failed = Report(), False
    if options.records:
        options.records.mkdir(parents=True, exist_ok=True)
    for begin in range(0, options.cases, BLOCK):
        end = min(begin + BLOCK, options.cases)
        kept = options.records and options.records / f"{options.seed}-{begin}-{end}"
        if kept and kept.exists():
            total.add(pickle.loads(kept.read_bytes()))
            continue
        report, differ = compare(options.seed, range(begin, end), binary, memory)
        print(*differ, sep="\n", end="", flush=True)
        total.add(report)
        failed = failed or bool(differ)
        if kept and not differ:
            kept.write_bytes(pickle.dumps(report))
        print(f"{end} cases, {total.compared()} answers compared", file=sys.stderr, flush=True)
    print(total.table())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
