"""The workloads of power_loss.py in which a state is kept up: its keys, policies, log, crash traces and schema."""
from __future__ import annotations

import base64
import hashlib
import json
import os
import signal
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any, Callable

from power_bench import PATIENCE, Bench, CallError, Session, Step, Workload
from power_hosts import (
    ALICE, PAGES, SECRET, document, enrolled, inspect_wipe, prepared, protect, secret, setting, wipes)

TENANT_ID = "6babcaad-604b-40ac-a9d7-9fd97c0b779f"
FIXTURES = Path(__file__).resolve().parents[2] / "Tests" / "Fixtures"


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


# A command that prints the root secret, in place of the file keys/root.key.

def new_secret(bench: Bench) -> "list[str]":
    return ["--key-command", f"cat {bench.root / 'secret'}"]


def prepare_key_command(bench: Bench) -> "dict[str, Any]":
    (bench.root / "secret").write_bytes(bytes(range(32)))
    return prepared(SECRET, protect("plan"), documents={"plan": b"a" * PAGES})(bench)


def read_key_command(bench: Bench, _: None, likely: "dict[str, list[Any]]") -> "dict[str, Any]":
    """Which secret opens the state; the likely one is tried first."""
    for word in dict.fromkeys([*likely["opens with"], "file", "command"]):
        session = Session([*bench.command, *(new_secret(bench) if word == "command" else [])])
        try:
            text = session.call("dataProtectionManager.unprotectString", string=bench.kept["results"][1])
            found = {"opens with": word, "secret": text, "plan": document(bench, session, "documents/plan")}
        except (AssertionError, CallError):
            session.end()
            continue
        assert (wrong := session.end()) == "", wrong
        return found
    return {"opens with": "neither", "secret": None, "plan": None}


COMMAND = Workload(
    "key-command", {"opens with": "file", "secret": "figures", "plan": f"encrypted a*{PAGES}"},
    [Step("keys change-secret", {}, {"opens with": "command"})], read_key_command, prepare_key_command, asks=False,
    command=lambda bench: [
        bench.binary, "keys", "change-secret", "--new-key-command", new_secret(bench)[1], *bench.command[1:]])


# A policy that has changed since the last check-in.

def write_tenant(folder: Path, length: int) -> None:
    folder.mkdir(exist_ok=True)
    policy = {
        "@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_1", "version": str(length),
        "displayName": "Contoso", "pinRequired": True, "minimumPinLength": length}
    tenant = {
        "tenantId": TENANT_ID, "displayName": "Contoso", "users": [
            {"id": "87d349ed-44d7-43e1-9a83-5f2406dee5bd", "userPrincipalName": ALICE, "groups": ["staff"]}],
        "assignments": [{"policy": "policy.json", "groups": ["staff"], "apps": ["*"]}]}
    for name, content in (("policy.json", policy), ("tenant.json", tenant)):
        (folder / name).write_text(json.dumps(content))


def with_length(length: int) -> "Callable[[dict[str, Any]], dict[str, Any]]":
    """Params of a check-in that finds a new policy. The recorded disk keeps the old one, which no start asks for."""
    def params(kept: "dict[str, Any]") -> "dict[str, Any]":
        write_tenant(Path(kept["tenant"]), length)
        return {}

    return params


def prepare_policy(bench: Bench) -> "dict[str, Any]":
    write_tenant(bench.root / "tenant", 4)
    return {**prepared()(bench), "tenant": str(bench.root / "tenant")}


def read_policy(bench: Bench, session: Session, likely: "dict[str, list[Any]]") -> "dict[str, Any]":
    settings = session.call("policyManager.policy", account=ALICE)["settings"]
    return {"enrolled": enrolled(session), "length": settings["minimumPinLength"]["value"]}


POLICY = Workload(
    "policy", {"enrolled": True, "length": 4}, [
        Step("tenant.checkIn", with_length(6), {"length": 6}), Step("tenant.checkIn", with_length(8), {"length": 8}),
        Step("tenant.checkIn", with_length(4), {"length": 4})], read_policy, prepare_policy,
    options=lambda bench: ["--tenant", str(bench.root / "tenant"), "--state", str(bench.root / "state")])


# A log that is so long that a new file begins, and lines in both files.

LOG_LIMIT = 8 << 20
WORDS = ("one", "two", "three", "four", "five")


def prepare_log(bench: Bench) -> "dict[str, Any]":
    kept = prepared()(bench)
    [log] = (bench.root / "state" / "apps").glob("*/logs/intune.log")
    line = {"time": "2026-01-31T09:30:00.000Z", "level": "info", "category": "app", "message": "m" * 4000}
    text = json.dumps(line, separators=(",", ":")).encode() + b"\n"
    # The next three lines fit.
    log.write_bytes(text * ((LOG_LIMIT - 1000) // len(text)))
    return kept


def read_log(bench: Bench, session: Session, likely: "dict[str, list[Any]]") -> "dict[str, Any]":
    """The log may lose its end, but what it shows was written, and it takes new lines."""
    session.call("diagnosticsLog.write", level="info", message="afterwards")
    command = [bench.binary, "log", "--json", "-n", "50", "--state", str(bench.root / "state")]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert shown.returncode == 0, shown.stderr
    messages = [json.loads(line)["message"] for line in shown.stdout.splitlines()]
    strange = [text for text in messages if not text.startswith(("m" * 4000, *OWN_LINES, "afterwards", *LONG))]
    return {"color": setting(session, "AccentColor"), "enrolled": enrolled(session), "strange": strange,
            "takes lines": messages[-1:] == ["afterwards"]}


OWN_LINES = ("enroll", "first policy", "AccentColor is overridden")
LONG = tuple(f"{word} {'x' * 3000}" for word in WORDS)

LOG = Workload(
    "log", {"color": None, "enrolled": True, "strange": [], "takes lines": True}, [
        *(Step("diagnosticsLog.write", {"level": "info", "message": text}) for text in LONG),
        Step("settings.set", {"values": {"AccentColor": "#FF9500"}}, {"color": "#FF9500"}),
        Step("diagnosticsLog.write", {"level": "info", "message": LONG[0]})], read_log, prepare_log)


# A crash, which leaves a trace.

def drive_crash(bench: Bench, record: "list[str]") -> "list[int]":
    """The trace is what the recording is for; the call before it is acknowledged on standard output."""
    session = Session([*record, *bench.command])
    session.call("settings.set", values={"AccentColor": "#FF9500"})
    os.kill(child(session.process.pid), signal.SIGSEGV)
    session.end()
    return []


def child(process: int) -> int:
    """The only child of a process."""
    lists = [path.read_text().split() for path in Path(f"/proc/{process}/task").glob("*/children")]
    [found] = [int(number) for numbers in lists for number in numbers]
    return found


def read_crash(bench: Bench, session: Session, likely: "dict[str, list[Any]]") -> "dict[str, Any]":
    return {"color": setting(session, "AccentColor"), "enrolled": enrolled(session)}


CRASH = Workload(
    "crash", {"color": None, "enrolled": True}, [
        Step("settings.set", {"values": {"AccentColor": "#FF9500"}}, {"color": "#FF9500"})], read_crash, prepared(),
    drive=drive_crash)


# The first start with a state that version 0.2.0 has written.

UPGRADED = ("alice@contoso.example", "dora@contoso.example", "gina@contoso.example")
RELEASED = ("documents/small", "documents/dora", "documents/page")


def prepare_upgrade(bench: Bench) -> "dict[str, Any]":
    with tarfile.open(FIXTURES / "0.2.0.tar.gz") as archive:
        archive.extractall(bench.root, filter="data")
    answers = json.loads((bench.root / "answers.json").read_text())
    return {"hashes": {name: answers["files"][name]["sha256"] for name in RELEASED},
            "string": answers["strings"]["a string"]}


def upgrade_options(bench: Bench) -> "list[str]":
    return ["--tenant", str(bench.root / "tenant"), "--state", str(bench.root / "state"), "--key-file",
            str(bench.root / "test.key"), "--app-id", "com.example.mail", "--set", "MultiIdentity=true", "--set",
            "MultiManagedIdentities=true"]


def read_upgrade(bench: Bench, session: Session, likely: "dict[str, list[Any]]") -> "dict[str, Any]":
    lives = {each["identity"]: each["life"] for each in session.call("tenant.status")["accounts"]}
    files = {name: digest(session, bench.root / name) for name in RELEASED}
    return {
        "enrolled": tuple(name for name in UPGRADED if lives.get(name) == "enrolled"),
        "color": setting(session, "AccentColor"),
        "files": files == bench.kept["hashes"], "PIN": session.call("pin.status", account=ALICE)["isSet"]}


def digest(session: Session, path: Path) -> str:
    handle = session.call("file.open", path=str(path), flags=["readOnly"])["handle"]
    size = session.call("file.size", handle=handle)
    data = session.call("file.pread", handle=handle, offset=0, count=max(size, 1))
    return hashlib.sha256(base64.b64decode(data)).hexdigest()


UPGRADE = Workload(
    "upgrade", {"enrolled": UPGRADED, "color": "#0A84FF", "files": True, "PIN": True}, [
        Step("tenant.status", {}),
        Step("settings.set", {"values": {"AccentColor": "#FF9500"}}, {"color": "#FF9500"})],
    read_upgrade, prepare_upgrade, options=upgrade_options)

# A hold of wipes: the account is blocked while it lasts, and wiped when it ends.

SOURCE = '''
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    results = {"source.open": {"protocolVersion": 1}, "source.checkIn": json.load(open(sys.argv[1]))}
    if "id" in request:
        answer = {"jsonrpc": "2.0", "id": request["id"], "result": results.get(request.get("method"))}
        print(json.dumps(answer), flush=True)
'''
WHY = "ticket 4711"
WIPE_ORDER = {"id": "5f4e13dc-fdb8-49b6-be39-df2fc8b273e2", "type": "wipe"}


def write_answer(path: Path, **members: Any) -> None:
    user = {"id": "87d349ed-44d7-43e1-9a83-5f2406dee5bd", "tenantId": TENANT_ID, "userPrincipalName": ALICE}
    policy = {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_1", "pinRequired": True}
    path.write_text(json.dumps({"outcome": "delivered", "user": user, "policies": [policy], **members}))


def answering(**members: Any) -> "Callable[[dict[str, Any]], dict[str, Any]]":
    """Params of a check-in that gets this answer."""
    def params(kept: "dict[str, Any]") -> "dict[str, Any]":
        write_answer(Path(kept["answer"]), **members)
        return {}

    return params


def prepare_held(bench: Bench) -> "dict[str, Any]":
    (bench.root / "source.py").write_text(SOURCE)
    write_answer(bench.root / "answer.json")
    return {**prepared(SECRET)(bench), "answer": str(bench.root / "answer.json")}


def read_held(bench: Bench, session: Session, likely: "dict[str, list[Any]]") -> "dict[str, Any]":
    accounts = session.call("tenant.status")["accounts"]
    return {"enrolled": enrolled(session), "wipes": wipes(session), "secret": secret(session, bench.kept["results"][1]),
            "held": any(WHY in account["explanation"] for account in accounts)}


HELD = Workload(
    "held-wipe", {"enrolled": True, "wipes": 0, "secret": "figures", "held": False}, [
        Step("tenant.checkIn", answering(hold={"why": WHY, "since": "2026-01-31T09:30:00Z"}, operations=[WIPE_ORDER]),
             {"secret": None, "held": True}),
        Step("settings.set", {"values": {"AccentColor": "#FF9500"}}),
        Step("tenant.checkIn", answering(hold=None, operations=[WIPE_ORDER]),
             {"enrolled": False, "wipes": 1, "held": False}),
        Step("settings.set", {"values": {"AccentColor": None}})],
    read_held, prepare_held, inspect_wipe, settles=True, options=lambda bench: [
        "--tenant", f"exec:{sys.executable} {bench.root / 'source.py'} {bench.root / 'answer.json'}", "--state",
        str(bench.root / "state")])

UPKEEP = (CHANGE, COMMAND, ROTATE, POLICY, HELD, LOG, CRASH, UPGRADE)
