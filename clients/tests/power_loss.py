"""power_loss.py [WORKLOAD…] [--states N] [--records FOLDER] [--syncs]: cuts the power where it hurts.

Runs each workload once under the recorder, builds the states in which the disk may be after a cut (disk_states.py), and
opens each with the real program: nothing that was acknowledged is missing, what was under way happened or did not, and
nothing of a wiped account is back. Prints each kind of failure once, reduced to the fewest operations that must be lost.

With --records, goes on where an earlier run was stopped. With --syncs, tells which syncs no state needs: each is taken as
never called, and a state must fail that does not fail otherwise.
"""
from __future__ import annotations

import argparse
import base64
import itertools
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Callable, Iterator

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import fake_graph
from disk_recorder import Operation, Recording
from disk_states import Disk, State

ALICE = "alice@contoso.example"
WIPED = "policyManager.wipeDidComplete"
ENROLL = "enrollmentManager.registerAndEnrollAccount"
PATIENCE = 60
# A wipe that was interrupted goes on by itself after a start; so long a state may still become what it must be.
SETTLING = 3


class CallError(Exception):
    def __init__(self, error: "dict[str, Any]"):
        super().__init__(f"{error['code']}: {error['message']}")
        self.code = error["code"]


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
    """Values of which a fact may have any: nothing was promised."""

    values: "tuple[Any, ...]"


@dataclass
class Step:
    """A call, and what is true from its answer on."""

    method: str
    params: "dict[str, Any] | Callable[[dict[str, Any]], dict[str, Any]]"
    sets: "dict[str, Any]" = field(default_factory=dict)
    # The result is kept by this name, for later calls and checks.
    keep: str = ""
    # What may be true besides until the answer.
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
    # Whether the program is started to read the facts. Else it is not asked anything.
    asks: bool = True


@dataclass
class Failure:
    state: State
    text: str


class Bench:
    """One workload: its recording, and a folder that becomes one disk after another."""

    def __init__(self, workload: Workload, binary: str, folder: Path, recording_in: "Path | None" = None):
        self.workload, self.binary = workload, binary
        self.root = folder / "disk"
        self.kept: dict[str, Any] = {}
        self.recording: "Recording | None" = None
        self.log = folder / "recording"
        self.graph: Any = None
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
        return [self.binary, "--tenant", "sample", "--state", str(self.root / "state")]

    def session(self) -> Session:
        return Session(self.command)

    def placed(self, params: "dict[str, Any]") -> "dict[str, Any]":
        """Paths that begin with @ are those of files on the disk."""
        return {name: str(self.root / value[1:]) if str(value)[:1] == "@" else value for name, value in params.items()}

    def _record(self) -> None:
        recorder = Path(__file__).with_name("disk_recorder.py")
        record = [sys.executable, str(recorder), str(self.root), str(self.log)]
        if self.workload.command:
            done = subprocess.run([*record, *self.workload.command(self)], capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            self.kept["end"] = contents(self.root)
            if self.graph:
                self.graph.__exit__()
            self.recording = pickle.loads(self.log.read_bytes())
            # What it prints is for people.
            for each in self.recording.operations:
                each.data = b"" if each.kind == "reply" else each.data
            end = len(self.recording.operations)
            self.recording.operations.append(Operation("reply", end, data=b'{"id":1}\n'))
            return
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
            found = self.workload.read(self, None, likely)
        else:
            session = self.session()
            try:
                found = self._read(session, expected, likely)
            except (AssertionError, CallError) as error:
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
        """The same with as little lost as possible, and nothing torn that need not be."""
        best = failure
        for number in sorted(failure.state.lost):
            best = self._smaller(disk, best, replace(best.state, lost=best.state.lost - {number}))
        for each in failure.state.torn:
            best = self._smaller(disk, best, replace(best.state, torn=tuple(t for t in best.state.torn if t != each)))
        return self._smaller(disk, best, replace(best.state, noise=0))

    def _smaller(self, disk: Disk, failure: Failure, state: State) -> Failure:
        text = self.check(disk, state) if state != failure.state else None
        return Failure(state, text) if text else failure


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


# What a disk says

def enrolled(session: Session) -> bool:
    return any(account["identity"] == ALICE for account in session.call("enrollmentManager.enrolledAccounts"))


def wipes(session: Session) -> int:
    return len(session.call("events.list", types=[WIPED])["events"])


def secret(session: Session, text: "str | None") -> "str | None":
    """What protected text says; `None` if it cannot be opened."""
    if text is None:
        return None
    try:
        return str(session.call("dataProtectionManager.unprotectString", string=text))
    except CallError:
        return None


def document(bench: Bench, session: Session, name: str) -> str:
    """`missing`, `plain …`, `encrypted …` or `damaged`. What is damaged must be found by the check of the shell, too."""
    path = bench.root / name
    if not path.exists():
        return "missing"
    try:
        file = session.call("file.open", path=str(path))
    except CallError as error:
        return _damaged(bench, path, error)
    try:
        size = session.call("file.size", handle=file["handle"])
        data = session.call("file.pread", handle=file["handle"], offset=0, count=max(size, 1))
        return f"{'encrypted' if file['isEncrypted'] else 'plain'} {short(base64.b64decode(data))}"
    except CallError as error:
        return _damaged(bench, path, error)
    finally:
        session.call("file.close", handle=file["handle"])


def _damaged(bench: Bench, path: Path, error: CallError) -> str:
    command = [bench.binary, "files", "check", str(path), *bench.command[1:]]
    checked = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    said = checked.stdout + checked.stderr
    if checked.returncode != 1 or path.name not in said:
        return f"neither opened ({error}) nor found damaged ({checked.returncode}: {said.strip()})"
    return "damaged"


def short(data: bytes) -> str:
    """Names the content: its length, and each kind of bytes in it."""
    runs: "list[str]" = []
    for byte in dict.fromkeys(data):
        runs.append(f"{chr(byte) if 32 < byte < 127 else byte}*{data.count(byte)}")
    return " ".join(runs) if len(runs) < 4 else f"{len(data)} other bytes"


# The workloads

def prepared(
    *calls: "tuple[str, dict[str, Any]]", documents: "dict[str, bytes]" = {}
) -> "Callable[[Bench], dict[str, Any]]":
    """A disk with these documents, on which Alice is enrolled and has made these calls."""
    def prepare(bench: Bench) -> "dict[str, Any]":
        (bench.root / "documents").mkdir()
        for name, content in documents.items():
            (bench.root / "documents" / name).write_bytes(content)
        session = bench.session()
        calls_with_first = [(ENROLL, {"account": ALICE}), *calls]
        kept: dict[str, Any] = {
            "results": [session.call(method, **bench.placed(params)) for method, params in calls_with_first]}
        assert (wrong := session.end()) == "", wrong
        # The keys, as they are in files.
        kept["keys"] = [path.read_bytes() for path in (bench.root / "state" / "keys").glob("*/*.key")]
        kept["root key"] = (bench.root / "state" / "keys" / "root.key").read_bytes()
        return kept

    return prepare


SECRET = ("dataProtectionManager.protectString", {"string": "figures", "account": ALICE})


def protect(name: str, method: str = "fileProtectionManager.encryptFile") -> "tuple[str, dict[str, Any]]":
    return method, {"path": f"@documents/{name}", "account": ALICE}


def setting(session: Session, name: str) -> Any:
    return session.call("settings.get", names=[name])[name]["value"]


def read_enrollment(bench: Bench, session: Session, likely: "dict[str, list[Any]]") -> "dict[str, Any]":
    is_enrolled = enrolled(session)
    return {
        "enrolled": is_enrolled,
        "encrypts": session.call("policy.isFileEncryptionRequired", account=ALICE),
        "color": setting(session, "AccentColor"),
        "secret": secret(session, bench.kept.get("secret")) if "figures" in likely["secret"] else None,
    }


ENROLLMENT = Workload(
    "enroll", {"enrolled": False, "encrypts": False, "color": None, "secret": None}, [
        Step(ENROLL, {"account": ALICE}, {"enrolled": True, "encrypts": True}),
        Step(*SECRET, {"secret": OneOf(("figures", None))}, keep="secret"),
        Step("settings.set", {"values": {"AccentColor": "#FF9500"}}, {"color": "#FF9500", "secret": "figures"}),
        Step("enrollmentManager.deRegisterAndUnenrollAccount", {"account": ALICE, "withWipe": False},
             {"enrolled": False, "encrypts": False, "secret": OneOf(("figures", None))}),
        Step(ENROLL, {"account": ALICE}, {"enrolled": True, "encrypts": True}),
    ], read_enrollment)

# More than a page of the file format, so that a torn file shows.
PAGES = 4064 * 3


def read_documents(bench: Bench, session: Session, likely: "dict[str, list[Any]]") -> "dict[str, Any]":
    return {fact: document(bench, session, f"documents/{fact}") for fact in likely}


def of_new(**params: Any) -> "Callable[[dict[str, Any]], dict[str, Any]]":
    """Params of a call on the handle that the step `new` has made."""
    if "data" in params:
        params["data"] = base64.b64encode(params["data"].encode()).decode()
    return lambda kept: {"handle": kept["new"]["handle"], **params}


# What a new file may be until it is synced, and what it is after each change. While it is being created, it may have a
# part of its header.
UNSYNCED = ("missing", "plain ", "encrypted ", "damaged")
WRITTEN, CHANGED, CUT = f"encrypted d*{PAGES}", f"encrypted d*{PAGES - 4064} e*4064", "encrypted d*4064 e*936"

FILES = Workload(
    "files", {
        "plan": f"plain a*{PAGES}", "one": "plain b*5000", "two": "plain c*5000", "new": "missing", "copy": "missing"}, [
        Step(*protect("plan"), {"plan": f"encrypted a*{PAGES}"}),
        Step("file.create", {"path": "@documents/new", "account": ALICE}, {"new": OneOf(UNSYNCED)}, keep="new",
             during={"new": OneOf((*UNSYNCED, "plain …"))}),
        Step("file.write", of_new(data="d" * PAGES), {"new": OneOf((*UNSYNCED, WRITTEN))}),
        Step("file.sync", of_new(), {"new": WRITTEN}),
        Step("file.pwrite", of_new(offset=4064, data="e" * 4064), {"new": OneOf((WRITTEN, CHANGED, "damaged"))}),
        Step("file.sync", of_new(), {"new": CHANGED}),
        Step("file.truncate", of_new(length=5000), {"new": OneOf((CHANGED, CUT, "damaged"))}),
        Step("file.sync", of_new(), {"new": CUT}),
        Step("file.close", of_new()),
        Step("fileProtectionManager.decryptFile", {"path": "@documents/plan", "toPath": "@documents/copy"},
             {"copy": f"plain a*{PAGES}"}),
        Step(*protect("one", "fileProtectionManager.protect"), {"one": "encrypted b*5000"}),
        Step("fileProtectionManager.decryptFile", {"path": "@documents/plan"}, {"plan": f"plain a*{PAGES}"}),
    ], read_documents,
    prepared(documents={"plan": b"a" * PAGES, "one": b"b" * 5000, "two": b"c" * 5000}))


def read_wipe(bench: Bench, session: Session, likely: "dict[str, list[Any]]") -> "dict[str, Any]":
    return {
        "enrolled": enrolled(session), "wipes": wipes(session), "secret": secret(session, bench.kept["results"][1]),
        "plan": document(bench, session, "documents/plan"), "other": document(bench, session, "documents/other"),
    }


def inspect_wipe(bench: Bench, facts: "dict[str, Any]") -> None:
    """Once the account is wiped, no file has one of its keys or names it."""
    if facts["wipes"] == 0:
        return
    for path in bench.root.rglob("*"):
        if path.is_file() and not path.is_symlink():
            data = path.read_bytes()
            assert not any(key in data for key in bench.kept["keys"]), f"{path.name} has a key of the wiped account"
            assert b"aaaaaaaa" not in data, f"{path.name} has plain text of the wiped account"
    left = [str(path.relative_to(bench.root)) for path in (bench.root / "state" / "keys").glob("*/*.key*")]
    assert not left, f"keys are left: {left}"


WIPE = Workload(
    "wipe", {
        "enrolled": True, "wipes": 0, "secret": "figures", "plan": f"encrypted a*{PAGES}", "other": "plain b*5000"}, [
        Step("enrollmentManager.deRegisterAndUnenrollAccount", {"account": ALICE, "withWipe": True},
             {"enrolled": False, "wipes": 1, "secret": None, "plan": "missing"}),
        Step("settings.set", {"values": {"AccentColor": "#FF9500"}}),
    ], read_wipe,
    prepared(SECRET, protect("plan"), documents={"plan": b"a" * PAGES, "other": b"b" * 5000}), inspect_wipe, settles=True)


def read_pin(bench: Bench, session: Session, likely: "dict[str, list[Any]]") -> "dict[str, Any]":
    """A PIN is right if a change from it fails for another reason than a wrong PIN. Of the likely PINs, only those are
    tried, and there are fewer than a user may get wrong."""
    status = session.call("pin.status", account=ALICE)
    if not status["isSet"]:
        return {"enrolled": enrolled(session), "pin": None}
    for pin in dict.fromkeys([*likely["pin"], "2580", "1397", "8264"]):
        if pin is None:
            continue
        try:
            session.call("pin.change", pin=pin, newPin=pin, account=ALICE)
        except CallError as error:
            if error.code == 8013:
                continue
        return {"enrolled": enrolled(session), "pin": pin}
    return {"enrolled": enrolled(session), "pin": "another"}


PIN = Workload(
    "pin", {"enrolled": True, "pin": None}, [
        Step("pin.set", {"pin": "2580", "account": ALICE}, {"pin": "2580"}),
        Step("pin.change", {"pin": "2580", "newPin": "1397", "account": ALICE}, {"pin": "1397"}),
        Step("pin.reset", {"accessToken": "token", "account": ALICE}, {"pin": None}),
        Step("pin.set", {"pin": "8264", "account": ALICE}, {"pin": "8264"}),
    ], read_pin, prepared())


def read_settings(bench: Bench, session: Session, likely: "dict[str, list[Any]]") -> "dict[str, Any]":
    return {"color": setting(session, "AccentColor"), "background": setting(session, "BackgroundColor"),
            "enrolled": enrolled(session)}


SETTINGS = Workload(
    "settings", {"color": None, "background": None, "enrolled": True}, [
        Step("settings.set", {"values": {"AccentColor": "#FF9500"}}, {"color": "#FF9500"}),
        Step("settings.set", {"values": {"AccentColor": "#00FF00", "BackgroundColor": "#000000"}},
             {"color": "#00FF00", "background": "#000000"}),
        Step("diagnosticsLog.write", {"level": "info", "message": "between"}),
        Step("settings.set", {"values": {"AccentColor": None}}, {"color": None}),
        Step("settings.set", {"values": {"AccentColor": "#112233", "BackgroundColor": None}},
             {"color": "#112233", "background": None}),
    ], read_settings, prepared())

def read_keys(bench: Bench, session: Session, likely: "dict[str, list[Any]]") -> "dict[str, Any]":
    facts: dict[str, Any] = {
        "enrolled": enrolled(session), "secret": secret(session, bench.kept["results"][1]),
        "plan": document(bench, session, "documents/plan")}
    key, state = bench.kept["root key"], bench.root / "state"
    facts["has old root key"] = any(key in path.read_bytes() for path in state.rglob("*") if path.is_file())
    facts["keys"] = len(list((state / "keys").glob("*/*.key")))
    method, params = SECRET
    facts["protects"] = secret(session, session.call(method, **params)) == "figures"
    created = session.call("file.create", path=str(bench.root / "documents" / "created"), account=ALICE)
    facts["encrypts"] = created["isEncrypted"]
    return facts


KEYS = {
    "enrolled": True, "secret": "figures", "plan": f"encrypted a*{PAGES}", "has old root key": True, "keys": 1,
    "protects": True, "encrypts": True}
CHANGE = Workload(
    "change-secret", KEYS, [Step("keys change-secret", {}, {"has old root key": False})], read_keys,
    prepared(SECRET, protect("plan"), documents={"plan": b"a" * PAGES}),
    command=lambda bench: [bench.binary, "keys", "change-secret", *bench.command[1:]])
ROTATE = Workload(
    # A key for what the app shares, and one for its own files.
    "rotate", KEYS, [Step("keys rotate", {}, {"keys": 3}, during={"keys": 2})], read_keys,
    prepared(SECRET, protect("plan"), documents={"plan": b"a" * PAGES}),
    command=lambda bench: [bench.binary, "keys", "rotate", "--account", ALICE, *bench.command[1:]])


def pull(bench: Bench) -> "list[str]":
    """With the Graph that `prepare_pull` has started."""
    return [os.environ["MAMBRIDGE_TENANT_PROGRAM"], "pull", str(bench.root / "tenant"), "--graph", bench.graph.url,
            "--authority", bench.graph.url, "--client-id", fake_graph.CLIENT, "--directory-id", fake_graph.TENANT,
            "--client-secret-file", str(bench.root / "secret")]


def prepare_pull(bench: Bench) -> "dict[str, Any]":
    bench.graph = fake_graph.FakeGraph()
    (bench.root / "secret").write_text("right\n")
    subprocess.run(pull(bench), check=True, capture_output=True)
    kept = {"begin": contents(bench.root)}
    policies = bench.graph.lists[f"{fake_graph.MANAGEMENT}/iosManagedAppProtections"]
    policies[0]["pinRequired"] = False
    policies.append(fake_graph.policy("ios", 4))
    return kept


def read_pull(bench: Bench, _: None, likely: "dict[str, list[Any]]") -> "dict[str, Any]":
    found = {path: data for path, data in contents(bench.root).items() if path.startswith("tenant/")}
    for moment in ("begin", "end"):
        if found == {path: data for path, data in bench.kept[moment].items() if path.startswith("tenant/")}:
            return {"folder": moment}
    return {"folder": sorted(found)}


PULL = Workload(
    "pull", {"folder": "begin"}, [Step("pull", {}, {"folder": "end"})], read_pull, prepare_pull, command=pull, asks=False)

WORKLOADS = {each.name: each for each in (ENROLLMENT, FILES, WIPE, PIN, SETTINGS, CHANGE, ROTATE, PULL)}


# Runs

@dataclass
class Result:
    states: int = 0
    dropping: int = 0
    # How many were looked at; those after them are new.
    tried: int = 0
    keys: "set[bytes]" = field(default_factory=set)
    # By what must be lost.
    failures: "dict[str, Failure]" = field(default_factory=dict)


def run(bench: Bench, disk: Disk, count: int, result: Result, seed: str = "0", most: int = 10,
        told: Callable[[], None] = lambda: None) -> Result:
    """Opens so many different states in all, or fewer if no more turn up. Keeps one failure of a kind, reduced."""
    idle = 0
    states = itertools.islice(itertools.chain(disk.losses(), disk.states(seed)), result.tried, None)
    while result.states < count and idle < 2000 and len(result.failures) < most:
        state = next(states)
        result.tried += 1
        key = disk.key(state)
        if key in result.keys:
            idle += 1
            continue
        idle = 0
        result.keys.add(key)
        result.states += 1
        result.dropping += state.drops
        if text := bench.check(disk, state):
            failure = bench.reduce(disk, Failure(state, text))
            needed = [disk.labels[i] for i in sorted(failure.state.lost)]
            needed += [f"torn {disk.labels[i]}" for i, _ in failure.state.torn]
            result.failures.setdefault(" and ".join(needed) or f"nothing lost: {failure.text}", failure)
        if result.states % 100 == 0:
            told()
    told()
    return result


def idle_syncs(bench: Bench, most: int = 150) -> "list[str]":
    """The sites of syncs that no state needs: of those that are possible without it, and of which at most so many are
    opened, none fails."""
    assert bench.recording
    disk = Disk(bench.recording)
    return [site for site in disk.sites if not any(
        bench.check(without, state)
        for without in [Disk(bench.recording, [site])]
        for state in spread(list(without.losses(disk)), most))]


def spread(states: "list[State]", most: int) -> "list[State]":
    return states[::len(states) // most + 1]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n\n")[1], formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=", ".join(WORKLOADS))
    parser.add_argument("--states", type=int, default=20_000, help="how many different states of each workload to open")
    parser.add_argument("--records", type=Path, help="go on with the recordings and results in this folder")
    parser.add_argument("--syncs", action="store_true", help="name the syncs that no state needs")
    parser.add_argument("--seed", default="0")
    options = parser.parse_args()
    # So that the disks in memory are removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    binary = os.environ["MAMBRIDGE"]
    results = [run_one(WORKLOADS[name], binary, options) for name in options.workloads or WORKLOADS]
    return 0 if all(results) else 1


def run_one(workload: Workload, binary: str, options: argparse.Namespace) -> bool:
    records = options.records and options.records / workload.name
    if records:
        records.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(dir=memory()) as scratch:
        bench = Bench(workload, binary, Path(scratch), records and records / "recording")
        assert bench.recording
        if options.syncs:
            for site in idle_syncs(bench):
                print(f"{workload.name}: no state needs {site}", flush=True)
            return True
        disk = Disk(bench.recording)
        saved = records and records / "result"
        result = pickle.loads(saved.read_bytes()) if saved and saved.exists() else Result()

        def save() -> None:
            if saved:
                saved.with_suffix(".new").write_bytes(pickle.dumps(result))
                saved.with_suffix(".new").replace(saved)

        run(bench, disk, options.states, result, options.seed, told=save)
        print(f"{workload.name}: {len(disk.operations)} operations, {result.states} states, {result.dropping} drop or tear "
              f"something, {len(result.failures)} kinds of failure, {time.monotonic() - begin:.0f} s", flush=True)
        for failure in result.failures.values():
            print(explain(bench, disk, failure), flush=True)
        if bench.root.parent != Path(scratch):
            shutil.rmtree(bench.root.parent)
        return not result.failures


def explain(bench: Bench, disk: Disk, failure: Failure) -> str:
    done = bench.acknowledged(failure.state)
    last = bench.workload.steps[done - 1].method if done else "nothing"
    return f"\n{failure.text}\nacknowledged: {done} calls, the last {last}\n{disk.describe(failure.state)}\n"


def memory() -> "str | None":
    """A folder in memory, where a sync costs nothing; `None` if files there have no attributes, as in Linux before 6.6."""
    try:
        with tempfile.NamedTemporaryFile(dir="/dev/shm") as file:
            os.setxattr(file.fileno(), "user.word", b"value")
        return "/dev/shm"
    except OSError:
        return None


if __name__ == "__main__":
    # The pickles name the classes by this module.
    import power_loss
    sys.exit(power_loss.main())
