"""Protecting and unprotecting a megabyte, compared with moving its bytes and with the cryptography alone."""
from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import core
from measuring import ALICE, BUILT, PIN, ROOT, Row, compile_tool, in_turns, memory_of

SIZE = 1 << 20
CALLS = 60


def call(request: Path, command: list[str]) -> tuple[float, bytes]:
    """The median time of a call in milliseconds, and the last reply."""
    line = [*PIN, str(BUILT / "longcalls"), "time", str(request), str(CALLS), "--", *command]
    run = subprocess.run(line, capture_output=True, timeout=300, check=True)
    return float(run.stderr), run.stdout


def write_request(path: Path, method: str, **params: str) -> Path:
    line = {"jsonrpc": "2.0", "id": 1, "method": f"dataProtectionManager.{method}", "params": params}
    path.write_text(json.dumps(line, separators=(",", ":")) + "\n")
    return path


def speed(command: list[str], runs: int, folder: Path) -> list[Row]:
    compile_tool(ROOT / "Benchmarks" / "longcalls.c")
    data = base64.b64encode(os.urandom(SIZE)).decode()
    protect = write_request(folder / "protect", "protect", data=data, account=ALICE)
    protected = json.loads(call(protect, command)[1])["result"]
    unprotect = write_request(folder / "unprotect", "unprotect", data=protected)
    if json.loads(call(unprotect, command)[1])["result"] != data:
        sys.exit("run: the unprotected data differs from the protected data")

    def time_of(request: Path, line: list[str]) -> tuple[float, ...]:
        return (call(request, line)[0],)

    echo_line = [str(BUILT / "longcalls"), "echo"]
    (coding, encryption), (echo,), (protecting,), (unprotecting,) = in_turns(
        runs, core.primitives, lambda: time_of(protect, echo_line), lambda: time_of(protect, command),
        lambda: time_of(unprotect, command))
    limit = echo + 2 * (coding + encryption)
    detail = f"ms / (echo {echo:.2f} + 2 x (base64 {coding:.2f} + AES-256-GCM {encryption:.2f})) ms"
    return [Row("protect of 1 MiB", protecting / limit, at_most=1, detail=f"{protecting:.2f} {detail}"),
            Row("unprotect of 1 MiB", unprotecting / limit, at_most=1, detail=f"{unprotecting:.2f} {detail}")]


def memory(command: list[str], folder: Path) -> list[Row]:
    """RssAnon of a server that was idle for a while after long calls."""
    request = (folder / "protect").read_bytes()
    with subprocess.Popen([*PIN, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin and process.stdout
        for _ in range(CALLS):
            process.stdin.write(request)
            process.stdin.flush()
            process.stdout.readline()
        busy = memory_of(process.pid)["RssAnon"]
        # One second after the first long call of a burst, the server frees the memory of the burst.
        time.sleep(2.5)
        idle = memory_of(process.pid)["RssAnon"]
        process.stdin.close()
    return [Row(f"RssAnon after {CALLS} calls of 1 MiB, idle again", idle, " MB", at_most=6, detail=f"{busy:.1f} MB before")]
