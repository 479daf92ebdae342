"""One workload of power_loss.py: its recording, and the check of a disk by the real program."""
from __future__ import annotations

import json
import pickle
import sqlite3
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Callable

from disk_recorder import Operation, Recording
from disk_states import Disk, State

# In seconds.
PATIENCE = 60
# How long an interrupted wipe may go on after a start, in seconds.
SETTLING = 3


class CallError(Exception):
    def __init__(self, error: "dict[str, Any]"):
        super().__init__(f"{error['code']}: {error['message']}")
        self.code = error["code"]


# What `Workload.read` raises if a file is missing or damaged.
UNREADABLE = (AssertionError, CallError, OSError, ValueError, sqlite3.Error)


class Session:
    """The program, asked one question after another."""

    def __init__(self, command: "list[str]"):
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors)
        self.count = 0

    def call(self, method: str, **params: Any) -> Any:
        assert self.process.stdin and self.process.stdout
        self.count += 1
        request = {"jsonrpc": "2.0", "id": self.count, "method": method, "params": params}
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        for line in self.process.stdout:
            reply = json.loads(line)
            if reply.get("id") == self.count and "method" not in reply:
                if "error" in reply:
                    raise CallError(reply["error"])
                return reply["result"]
        raise AssertionError(f"no answer to {method}: {self.end()}")

    def end(self) -> str:
        """What went wrong, or nothing."""
        assert self.process.stdin and self.process.stdout
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        self.process.stdout.close()
        self.errors.seek(0)
        said = self.errors.read().decode(errors="replace").strip()
        self.errors.close()
        return "" if status == 0 else f"status {status}: {said}"


@dataclass(frozen=True)
class OneOf:
    """The values that a fact may have where none is promised."""

    values: "tuple[Any, ...]"


@dataclass
class Step:
    """A call, and what is true from its answer on."""

    method: str
    params: "dict[str, Any] | Callable[[dict[str, Any]], dict[str, Any]]"
    sets: "dict[str, Any]" = field(default_factory=dict)
    # The result is kept by this name, for later calls and checks.
    keep: str = ""
    # What else may be true until the answer.
    during: "dict[str, Any]" = field(default_factory=dict)


@dataclass
class Workload:
    name: str
    # What is true at the beginning.
    facts: "dict[str, Any]"
    steps: "list[Step]"
    # Reads each fact from a disk. Gets what steps have kept, and the values that it may have, the likely ones first.
    read: "Callable[[Bench, Any, dict[str, list[Any]]], dict[str, Any]]"
    # Makes the disk that the workload begins with; returns what it keeps.
    prepare: "Callable[[Bench], dict[str, Any]]" = lambda bench: {}
    # What must hold for the files of any disk once its facts are right.
    inspect: "Callable[[Bench, dict[str, Any]], None]" = lambda bench, facts: None
    # Whether work that was interrupted goes on after a start, so that the facts may become right a little later.
    settles: bool = False
    # A command to run instead of calls; it acknowledges its one step by ending well.
    command: "Callable[[Bench], list[str]] | None" = None
    # Takes the steps by itself: starts the program after the words of the recorder, ends it, and returns the monotonic
    # nanoseconds at which each step was acknowledged.
    drive: "Callable[[Bench, list[str]], list[int]] | None" = None
    # Whether the program is started to read the facts, with these options. Else `read` starts what it needs.
    asks: bool = True
    options: "Callable[[Bench], list[str]]" = lambda bench: ["--tenant", "sample", "--state", str(bench.root / "state")]


@dataclass
class Failure:
    state: State
    text: str


class Bench:
    """One workload: its recording, and a folder that becomes one disk after another."""

    def __init__(self, workload: Workload, binary: str, folder: Path, recording_in: "Path | None" = None):
        self.workload, self.binary = workload, binary
        self.root: Path = folder / "disk"
        self.kept: dict[str, Any] = {}
        self.recording: "Recording | None" = None
        self.log = folder / "recording"
        # A server that the recording needs.
        self.server: Any = None
        # What the check has learned from other disks.
        self.learned: dict[Any, Any] = {}
        # Paths are in the state: a disk must be where it was recorded.
        if recording_in and recording_in.exists():
            self.root, self.kept, self.recording = pickle.loads(recording_in.read_bytes())
            self.root.mkdir(parents=True, exist_ok=True)
            return
        self.root.mkdir()
        self.kept = workload.prepare(self)
        self._record()
        if recording_in:
            recording_in.write_bytes(pickle.dumps((self.root, self.kept, self.recording)))

    @property
    def command(self) -> "list[str]":
        return [self.binary, *self.workload.options(self)]

    def session(self) -> Session:
        return Session(self.command)

    def placed(self, params: "dict[str, Any]") -> "dict[str, Any]":
        """Paths that begin with @ are those of files on the disk."""
        return {name: str(self.root / value[1:]) if str(value)[:1] == "@" else value for name, value in params.items()}

    def _record(self) -> None:
        recorder = Path(__file__).with_name("disk_recorder.py")
        record = [sys.executable, str(recorder), str(self.root), str(self.log)]
        if self.workload.drive:
            times = self.workload.drive(self, record)
            self.recording = pickle.loads(self.log.read_bytes())
            acknowledge(self.recording, times)
        elif self.workload.command:
            self._record_command(record)
        else:
            self._record_session(record)

    def _record_command(self, record: "list[str]") -> None:
        assert self.workload.command
        done = subprocess.run([*record, *self.workload.command(self)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        self.kept["end"] = contents(self.root)
        if self.server:
            self.server.__exit__()
        recording: Recording = pickle.loads(self.log.read_bytes())
        # What it prints is for people.
        for each in recording.operations:
            each.data = b"" if each.kind == "reply" else each.data
        end = len(recording.operations)
        recording.operations.append(Operation("reply", end, data=b'{"id":1}\n'))
        self.recording = recording

    def _record_session(self, record: "list[str]") -> None:
        session = Session([*record, *self.command])
        for step in self.workload.steps:
            params = step.params(self.kept) if callable(step.params) else step.params
            result = session.call(step.method, **self.placed(params))
            if step.keep:
                self.kept[step.keep] = result
        assert (wrong := session.end()) == "", wrong
        self.recording = pickle.loads(self.log.read_bytes())

    # Checking

    def acknowledged(self, state: State) -> int:
        """How many steps the client knew to be done."""
        assert self.recording
        told = b"".join(each.data or b"" for each in self.recording.operations[:state.cut] if each.kind == "reply")
        replies = [json.loads(line) for line in told.split(b"\n")[:-1]]
        return max([reply["id"] for reply in replies if "id" in reply and "method" not in reply], default=0)

    def expected(self, done: int) -> "list[dict[str, Any]]":
        """The facts after so many steps, and those if the next one has begun or happened."""
        facts = dict(self.workload.facts)
        for step in self.workload.steps[:done]:
            facts.update(step.sets)
        return [facts, *(
            {**facts, **sets} for step in self.workload.steps[done:done + 1] for sets in (step.during, step.sets))]

    def check(self, disk: Disk, state: State) -> "str | None":
        """What is wrong with the state."""
        disk.write(state, self.root)
        expected = self.expected(self.acknowledged(state))
        likely = {fact: [value for each in reversed(expected) for value in values(each[fact])] for fact in expected[0]}
        if not self.workload.asks:
            try:
                found = self.workload.read(self, None, likely)
            except UNREADABLE as error:
                return f"{type(error).__name__} {error}"
        else:
            session = self.session()
            try:
                found = self._read(session, expected, likely)
            except UNREADABLE as error:
                return f"{type(error).__name__} {error}; {session.end()}"
            if wrong := session.end():
                return wrong
        if not any(matches(facts, found) for facts in expected):
            return f"found {differences(expected, found)}"
        try:
            self.workload.inspect(self, found)
        except AssertionError as error:
            return str(error)
        return None

    def _read(
        self, session: Session, expected: "list[dict[str, Any]]", likely: "dict[str, list[Any]]"
    ) -> "dict[str, Any]":
        """The facts, as they are in the end."""
        end = time.monotonic() + (SETTLING if self.workload.settles else 0)
        while True:
            found = self.workload.read(self, session, likely)
            if any(matches(facts, found) for facts in expected) or time.monotonic() >= end:
                return found
            time.sleep(0.1)

    def reduce(self, disk: Disk, failure: Failure) -> Failure:
        """The failure with the fewest losses and torn writes that still cause one."""
        best = failure
        for number in sorted(failure.state.lost):
            best = self._smaller(disk, best, replace(best.state, lost=best.state.lost - {number}))
        for each in failure.state.torn:
            best = self._smaller(disk, best, replace(best.state, torn=tuple(t for t in best.state.torn if t != each)))
        return self._smaller(disk, best, replace(best.state, noise=0))

    def _smaller(self, disk: Disk, failure: Failure, state: State) -> Failure:
        text = self.check(disk, state) if state != failure.state else None
        return Failure(state, text) if text else failure


def acknowledge(recording: Recording, times: "list[int]") -> None:
    """Makes the last message before each time the acknowledgement of that step."""
    sent = [each for each in recording.operations if each.kind == "sent"]
    for number, moment in enumerate(times, start=1):
        before = [each for each in sent if each.offset <= moment]
        assert before and before[-1].kind == "sent", f"nothing was sent before step {number} was acknowledged"
        before[-1].kind, before[-1].data = "reply", b'{"id":%d}\n' % number


def contents(folder: Path) -> "dict[str, bytes]":
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def values(value: Any) -> "tuple[Any, ...]":
    return value.values if isinstance(value, OneOf) else (value,)


def matches(expected: "dict[str, Any]", found: "dict[str, Any]") -> bool:
    return all(any(is_fit(each, found[fact]) for each in values(value)) for fact, value in expected.items())


def is_fit(expected: Any, found: Any) -> bool:
    """A text that ends with … stands for all that begin so."""
    if isinstance(expected, str) and expected.endswith("…"):
        return isinstance(found, str) and found.startswith(expected[:-1])
    return bool(expected == found)


def differences(expected: "list[dict[str, Any]]", found: "dict[str, Any]") -> str:
    lines = []
    for fact, value in found.items():
        allowed = [each for facts in expected for each in values(facts[fact])]
        if value not in allowed or len(set(map(repr, allowed))) > 1:
            lines.append(f"{fact} = {value!r} where {' or '.join(sorted(set(map(repr, allowed))))} was expected")
    return "; ".join(lines)
