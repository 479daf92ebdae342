"""The Python client beside Python alone: a call beside the pipe, the import, and the first answer beside a bare program."""
from __future__ import annotations

import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import clients
from measuring import PIN, ROOT, SAVE_TO, Row, in_turns, load

sys.path.append(str(ROOT / "clients" / "tests"))
import programs  # noqa: E402

HERE = ROOT / "Benchmarks" / "clients"

# Microseconds of a call above those of the pipe, milliseconds of an import, and a multiple of a bare program's time.
CALL_AT_MOST, IMPORT_AT_MOST, FIRST_AT_MOST = 18, 30, 1.4


def rows(command: list[str], runs: int, folder: Path) -> list[Row]:
    # Python writes bytecode at the first import, wherever the client is.
    environment = os.environ | programs.python(HERE / "cost.py").environment
    environment |= {"PYTHONPYCACHEPREFIX": str(folder / "bytecode"), "PYTHONDONTWRITEBYTECODE": ""}
    first = partial(seconds_to_line, environment)
    python = partial(seconds_of, environment)
    imports = {"import mambridge": "import mambridge", "import of Client": "from mambridge import Client"}
    for code in imports.values():
        python(code)
    (_, raw), (_, ours), (bare,), *imported, (alone,), (answer,) = in_turns(
        runs, partial(load, SAVE_TO, 1, [], command),
        partial(clients.cost, programs.python(HERE / "policy.py"), command),
        partial(python, "pass"), *(partial(python, code) for code in imports.values()),
        partial(first, [sys.executable, str(HERE / "bare.py")], command),
        partial(first, [sys.executable, str(HERE / "cost.py"), "0"], command))
    above = 1_000_000 / ours - 1_000_000 / raw
    return [
        Row("Python, policy question above the raw pipe", above, " us", at_most=CALL_AT_MOST,
            detail=f"{ours:,.0f} / {raw:,.0f} calls per second"),
        *(Row(f"Python, {title} beyond bare Python", max(0, found[0] - bare) * 1000, " ms", at_most=IMPORT_AT_MOST)
          for title, found in zip(imports, imported)),
        Row("Python, first answer beside a bare program", answer / alone, at_most=FIRST_AT_MOST,
            detail=f"{answer * 1000:.1f} / {alone * 1000:.1f} ms")]


def seconds_of(environment: dict[str, str], code: str) -> tuple[float]:
    """The time that the processor spends on a program."""
    process = subprocess.Popen([*PIN, sys.executable, "-c", code], env=environment)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"run: {code} failed with status {process.returncode}")
    return (used.ru_utime + used.ru_stime,)


def seconds_to_line(environment: dict[str, str], program: list[str], arguments: list[str]) -> tuple[float]:
    """The time from the start of a program to its first line."""
    begin = time.perf_counter()
    with subprocess.Popen([*PIN, *program, *arguments], stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout
        line = process.stdout.readline()
        end = time.perf_counter()
        process.stdout.read()
    if process.returncode or not line:
        sys.exit(f"run: {program} failed with status {process.returncode}")
    return (end - begin,)
