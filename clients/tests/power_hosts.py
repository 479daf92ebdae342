"""The workloads of power_loss.py in which a host calls mambridge: accounts, files, a PIN and settings."""
from __future__ import annotations

import base64
import sqlite3
import subprocess
from pathlib import Path
from typing import Any, Callable

from power_bench import Bench, CallError, OneOf, Session, Step, Workload

ALICE = "alice@contoso.example"
WIPED = "policyManager.wipeDidComplete"
ENROLL = "enrollmentManager.registerAndEnrollAccount"


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
    tried, and there are fewer than a user may get wrong. A PIN takes long to try, so it is tried once for all disks that
    have the same keys and hashes."""
    found: "dict[str, Any]" = {"enrolled": enrolled(session), "pin": None}
    if session.call("pin.status", account=ALICE)["isSet"]:
        hashes = stored_hashes(bench.root / "state")
        if hashes not in bench.learned:
            bench.learned[hashes] = tried_pin(session, likely["pin"])
        found["pin"] = bench.learned[hashes]
    return found


def tried_pin(session: Session, likely: "list[Any]") -> str:
    for pin in dict.fromkeys([*likely, "2580", "1397", "8264"]):
        if pin is None:
            continue
        try:
            session.call("pin.change", pin=pin, newPin=pin, account=ALICE)
        except CallError as error:
            if error.code == 8013:
                continue
        return str(pin)
    return "another"


def stored_hashes(state: Path) -> "tuple[Any, ...]":
    """What decides which PIN is right: the rows, and the keys that open them."""
    database = sqlite3.connect(f"file:{next((state / 'apps').glob('*/state.db'))}?mode=ro", uri=True)
    if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'pin_hashes'").fetchone():
        database.close()
        database = sqlite3.connect(f"file:{state / 'device.db'}?mode=ro", uri=True)
    pins = database.execute("SELECT id, salt, cost, block_size, parallelism FROM pins ORDER BY id").fetchall()
    rows = database.execute("SELECT position, pin, sealed FROM pin_hashes ORDER BY position").fetchall()
    database.close()
    keys = [(str(path), path.read_bytes()) for path in sorted((state / "keys").rglob("*.key"))]
    return tuple(pins), tuple(rows), tuple(keys)


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

HOSTS = (ENROLLMENT, FILES, WIPE, PIN, SETTINGS)
