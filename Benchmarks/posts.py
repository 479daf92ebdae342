"""HTTP: questions sent as POST /rpc by wrk over 16 connections, with the token of the server."""
from __future__ import annotations

import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from measuring import ALICE, UNPINNED, Row
from sockets import listening

CONNECTIONS = 16
SECONDS = 3
SCRIPT = """
wrk.method, wrk.path = "POST", "/rpc"
wrk.headers["Content-Type"], wrk.headers["Authorization"] = "application/json", "Bearer TOKEN"
wrk.body = '{"jsonrpc":"2.0","id":1,"method":"policy.isPINRequired","params":{"account":"ALICE"}}'
"""


def rows(command: list[str], runs: int) -> list[Row]:
    if not shutil.which("wrk"):
        print("run: wrk is missing: skipping HTTP", file=sys.stderr)
        return []
    with listening(command, "http://127.0.0.1:0", UNPINNED) as listener, tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "post.lua"
        script.write_text(SCRIPT.replace("TOKEN", listener.token).replace("ALICE", ALICE))
        url = f"http://{listener.host}:{listener.port}/"
        rates, delays = zip(*(wrk(script, url) for _ in range(runs)))
    title = f"POST /rpc, {CONNECTIONS} connections"
    return [Row(f"{title}, per second", statistics.median(rates), at_least=12_000),
            Row(f"{title}, p99", statistics.median(delays), " ms", at_most=5)]


def wrk(script: Path, url: str) -> tuple[float, float]:
    """Answers per second, and the 99th percentile of the milliseconds to an answer."""
    line = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}", "--latency", "-s", str(script), url]
    text = subprocess.run(line, check=True, stdout=subprocess.PIPE, text=True, timeout=60).stdout
    rate, delay = re.search(r"Requests/sec: +([\d.]+)", text), re.search(r"99% +([\d.]+)(us|ms|s)\n", text)
    if not rate or not delay or "Non-2xx" in text or "Socket errors" in text:
        sys.exit(f"run: wrk failed: {text}")
    return float(rate[1]), float(delay[1]) * {"us": 0.001, "ms": 1, "s": 1000}[delay[2]]
