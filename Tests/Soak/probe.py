"""probe.py COMMAND ECHO SECONDS: asks a server and an echo program in turns, and prints how long the answers took.

COMMAND and ECHO are JSON lists of words. Prints a JSON line every SECONDS: the process id of the server, and percentiles of
both in milliseconds. After the end of input, prints those of all answers. A process of its own, so that nothing else in it
delays what is measured.
"""
from __future__ import annotations

import json
import select
import subprocess
import sys
import time
from array import array
from typing import Any

ALICE = "alice@contoso.example"
# In seconds, before each pair of questions, so that the load is that of a host and not of a benchmark.
PAUSE = 0.005


class Asked:
    def __init__(self, command: "list[str]") -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.times, self.recent, self.count = array("d"), array("d"), 0

    def ask(self, method: str, measured: bool = True, **params: Any) -> "dict[str, Any]":
        assert self.process.stdin and self.process.stdout
        self.count += 1
        request = {"jsonrpc": "2.0", "id": self.count, "method": method, "params": params}
        line = json.dumps(request).encode() + b"\n"
        begin = time.perf_counter()
        self.process.stdin.write(line)
        self.process.stdin.flush()
        answer: "dict[str, Any]" = {}
        while answer.get("id") != self.count:
            answer = json.loads(self.process.stdout.readline())
        if measured:
            self.recent.append((time.perf_counter() - begin) * 1000)
        return answer

    def figures(self, times: "array[float]") -> "dict[str, float]":
        """Zeros if nothing was asked."""
        ordered = sorted(times) or [0.0]

        def at(part: float) -> float:
            return round(ordered[min(len(ordered) - 1, int(len(ordered) * part))], 4)

        return {"p50": at(0.5), "p99": at(0.99), "p999": at(0.999), "most": at(1), "count": len(times)}

    def take(self) -> "dict[str, float]":
        found = self.figures(self.recent)
        self.times.extend(self.recent)
        del self.recent[:]
        return found


def main(command: "list[str]", echo: "list[str]", seconds: float) -> None:
    server, other = Asked(command), Asked(echo)
    enrolled = server.ask("enrollmentManager.registerAndEnrollAccount", False, account=ALICE)
    assert "result" in enrolled, enrolled
    next_line = time.monotonic() + seconds
    # The first question comes after a pause, which slows its answer, so both ask first by turns.
    turn = [server, other]
    while not select.select([sys.stdin], [], [], PAUSE)[0]:
        turn.reverse()
        for asked in turn:
            answer = asked.ask("policy.isPINRequired", account=ALICE)
            assert "error" not in answer, answer
        if time.monotonic() >= next_line:
            next_line += seconds
            print(json.dumps({"pid": server.process.pid, "server": server.take(), "echo": other.take()}), flush=True)
    server.take(), other.take()
    print(json.dumps({"all": {"server": server.figures(server.times), "echo": other.figures(other.times)}}), flush=True)
    for asked in (server, other):
        assert asked.process.stdin
        asked.process.stdin.close()
        assert asked.process.wait(60) == 0


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), json.loads(sys.argv[2]), float(sys.argv[3]))
