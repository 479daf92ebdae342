"""The ways of asking the real program: a script, a host with `initialize`, two processes on one state, a process a call."""
from __future__ import annotations

import datetime
import json
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any

START = datetime.datetime(2026, 1, 31, 9, 30, tzinfo=datetime.timezone.utc)


class Ended(Exception):
    """The program ended, or said something that is no answer."""


def moment(minutes: float) -> str:
    return (START + datetime.timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


class Process:
    def __init__(self, command: "list[str]", initialize: bool) -> None:
        self.errors = tempfile.TemporaryFile()
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors)
        self.next = 0
        if initialize:
            self.ask([("initialize", {"client": {"name": "model", "version": "1"}})])

    def ask(self, calls: "list[tuple[str, dict[str, Any]]]") -> "list[Any]":
        # A program that hangs is ended, and has then not answered.
        timer = threading.Timer(120, self.child.kill)
        timer.start()
        try:
            return self.answers(calls)
        finally:
            timer.cancel()

    def answers(self, calls: "list[tuple[str, dict[str, Any]]]") -> "list[Any]":
        assert self.child.stdin and self.child.stdout
        first, self.next = self.next, self.next + len(calls)
        lines = [json.dumps({"jsonrpc": "2.0", "id": first + number, "method": method, "params": params})
                 for number, (method, params) in enumerate(calls)]
        answers: "dict[int, Any]" = {}
        # So few at a time that neither side waits for the other with a full pipe.
        for begin in range(0, len(lines), 40):
            part = lines[begin:begin + 40]
            try:
                self.child.stdin.write(("\n".join(part) + "\n").encode())
                self.child.stdin.flush()
            except OSError:
                raise Ended(self.why()) from None
            while len(answers) < begin + len(part):
                line = self.child.stdout.readline()
                if not line:
                    raise Ended(self.why())
                answer = json.loads(line)
                if "method" not in answer:
                    answers[answer["id"]] = answer
        return [answers[first + number] for number in range(len(calls))]

    def why(self) -> str:
        self.child.wait(timeout=60)
        self.errors.seek(0)
        return f"no answer in 120 s, or exit code {self.child.returncode}: {self.errors.read()[-2000:].decode(errors='replace')}"

    def end(self) -> None:
        assert self.child.stdin and self.child.stdout
        try:
            self.child.stdin.close()
        except OSError:
            pass
        code = self.child.wait(timeout=60)
        self.child.stdout.close()
        self.errors.close()
        if code:
            raise Ended(f"exit code {code}")

    def kill(self) -> None:
        if self.child.poll() is None:
            self.child.kill()
        self.child.wait()
        for stream in (self.child.stdin, self.child.stdout, self.errors):
            try:
                if stream:
                    stream.close()
            except OSError:
                pass


class Session:
    """A device with an app: one state, asked in one way."""

    def __init__(self, binary: str, folder: Path, way: str, several: bool) -> None:
        self.way, self.now = way, 0.0
        self.options = ["-q", "--tenant", str(folder / "tenant"), "--state", str(folder / "state"), "--trust-parents"]
        if several:
            self.options += ["--set", "MultiManagedIdentities=true", "--set", "MultiIdentity=true"]
        self.binary = binary
        self.open: "list[Process]" = []
        self.turn = 0

    def start(self) -> Process:
        command = [self.binary, "serve", *self.options, "--clock", f"manual={moment(self.now)}"]
        return Process(command, self.way == "initialized")

    def ask(self, calls: "list[tuple[str, dict[str, Any]]]") -> "list[Any]":
        if self.way == "calls":
            return [self.alone(call) for call in calls]
        while len(self.open) < (2 if self.way == "two" else 1):
            self.open.append(self.start())
            # It must have read the clock and the tenant before anything changes them.
            self.open[-1].ask([("versionInfo.sdkVersion", {})])
        self.turn += 1
        return self.open[self.turn % len(self.open)].ask(calls)

    def alone(self, call: "tuple[str, dict[str, Any]]") -> Any:
        process = self.start()
        try:
            answer = process.ask([call])[0]
            process.end()
            return answer
        finally:
            process.kill()

    def restart(self) -> None:
        open_, self.open = self.open, []
        for process in open_:
            try:
                process.end()
            finally:
                process.kill()

    def kill(self) -> None:
        for process in self.open:
            process.kill()
        self.open = []
