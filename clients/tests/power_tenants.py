"""The workloads of mambridge-tenant for power_loss.py: pull, the service with its store, and commands on the store."""
from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Callable, Iterator

import fake_graph
from power_bench import PATIENCE, Bench, OneOf, Step, Workload, contents
from power_upkeep import TENANT_ID, child, write_tenant
from replicas import Device, Issuer

AUDIENCE = "api://mam"
ALICE_ID = "87d349ed-44d7-43e1-9a83-5f2406dee5bd"
EDITOR, WRITER = "Policy.Write", "DeviceManagementApps.ReadWrite.All"
POLICIES = "/v1.0/deviceAppManagement/iosManagedAppProtections"


def program() -> str:
    return os.environ["MAMBRIDGE_TENANT_PROGRAM"]


def pull(bench: Bench) -> "list[str]":
    """With the Graph that `prepare_pull` has started."""
    return [program(), "pull", str(bench.root / "tenant"), "--graph", bench.server.url,
            "--authority", bench.server.url, "--client-id", fake_graph.CLIENT, "--directory-id", fake_graph.TENANT,
            "--client-secret-file", str(bench.root / "secret")]


def prepare_pull(bench: Bench) -> "dict[str, Any]":
    bench.server = fake_graph.FakeGraph()
    (bench.root / "secret").write_text("right\n")
    subprocess.run(pull(bench), check=True, capture_output=True)
    kept = {"begin": contents(bench.root)}
    policies = bench.server.lists[f"{fake_graph.MANAGEMENT}/iosManagedAppProtections"]
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


# The service

def prepare_service(bench: Bench) -> "dict[str, Any]":
    """A folder and a store that the service has used, and an issuer of tokens that lasts as long as the recording."""
    write_tenant(bench.root / "tenant", 6)
    bench.server = Issuer(bench.root.parent / "issuer")
    # The service may end while it asks for keys.
    bench.server.server.handle_error = lambda *_: None
    bench.kept["issuer"] = bench.server.url
    with served(bench):
        pass
    return {"issuer": bench.server.url, "device": Device(user=ALICE_ID), "other": Device(user=ALICE_ID)}


def store(bench: Bench) -> "list[str]":
    return ["--store", f"sqlite:{bench.root / 'store'}"]


class Served:
    """A running service, and what its hosts and administrators ask."""

    def __init__(self, bench: Bench, before: "list[str]"):
        self.bench = bench
        self.process = subprocess.Popen(
            [*before, program(), "serve", str(bench.root / "tenant"), *store(bench), "--listen", "http://127.0.0.1:0",
             "--issuer", bench.kept["issuer"], "--audience", AUDIENCE, "--writable", "--write-role", EDITOR],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.traced = bool(before)
        self.said, self.url = "", ""
        assert self.process.stderr
        for line in self.process.stderr:
            self.said += line
            if line.startswith('{"listening"'):
                self.url = json.loads(line)["listening"]
                break
        self.reader = threading.Thread(target=self._read)
        self.reader.start()
        assert self.url, self.end()

    def _read(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            self.said += line

    def end(self) -> str:
        """What went wrong, or nothing."""
        with contextlib.suppress(ProcessLookupError, ValueError):
            os.kill(child(self.process.pid) if self.traced else self.process.pid, signal.SIGTERM)
        status = self.process.wait(PATIENCE)
        self.reader.join()
        assert self.process.stderr
        self.process.stderr.close()
        return "" if status == 0 else f"status {status}: {self.said}"

    def ask(self, method: str, path: str, authorization: str, body: Any = None, status: int = 200) -> Any:
        headers = {"Content-Type": "application/json", "Authorization": authorization}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as response:
                found, text = response.status, response.read()
        except urllib.error.HTTPError as error:
            with error:
                found, text = error.code, error.read()
        assert found == status, (method, path, found, text)
        return json.loads(text) if text else None

    def edit(self, method: str, path: str, body: Any = None, status: int = 204) -> Any:
        for _ in range(PATIENCE):
            try:
                return self.ask(method, path, self.token(EDITOR, WRITER), body, status)
            except AssertionError as error:
                # The folder has just changed.
                if error.args[0][2] != 503:
                    raise
            time.sleep(1)
        raise AssertionError(f"the service takes no {method} {path}")

    def token(self, *roles: str) -> str:
        return f"Bearer {self.bench.server.token(ALICE_ID, roles, TENANT_ID)}"

    def check_in(self, device: Device) -> Any:
        body = {**device.check_in(), "account": {"accountId": ALICE_ID}}
        answer = self.ask("POST", "/mam/v1/check-in", self.token(), body)
        assert answer["outcome"] == "delivered", answer
        return answer


@contextlib.contextmanager
def served(bench: Bench, before: "list[str]" = []) -> "Iterator[Served]":
    service = Served(bench, before)
    try:
        yield service
    finally:
        wrong = service.end()
    assert not wrong, wrong


Act = Callable[[Served, "dict[str, Any]"], Any]


def driven(*acts: Act) -> "Callable[[Bench, list[str]], list[int]]":
    """Takes these steps at a service under the recorder."""
    def drive(bench: Bench, record: "list[str]") -> "list[int]":
        times = []
        with served(bench, record) as service:
            for act in acts:
                act(service, bench.kept)
                times.append(time.monotonic_ns())
        bench.server.close()
        return times

    return drive


@contextlib.contextmanager
def opened(bench: Bench) -> "Iterator[sqlite3.Connection]":
    """The store, after the service has begun with it and ended."""
    with served(bench):
        pass
    connection = sqlite3.connect(f"file:{bench.root / 'store'}?mode=ro", uri=True)
    try:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        yield connection
    finally:
        connection.close()


def audit(connection: sqlite3.Connection) -> "tuple[str, ...]":
    """The actions in the audit, after the folder's first version. None of them may be missing between others."""
    rows = connection.execute("SELECT seq, action FROM audit ORDER BY seq").fetchall()
    assert [number for number, _ in rows] == list(range(rows[0][0], rows[0][0] + len(rows))), rows
    return tuple(action for _, action in rows)[1:]


# Hosts enroll and leave.

def life(connection: sqlite3.Connection, device: Device) -> str:
    found = connection.execute("SELECT ended FROM registration WHERE id = ?", [device.registration.lower()]).fetchone() or \
        connection.execute("SELECT ended FROM registration WHERE id = ?", [device.registration.upper()]).fetchone()
    return "none" if found is None else "enrolled" if found[0] is None else "ended"


def read_registration(bench: Bench, _: None, likely: "dict[str, list[Any]]") -> "dict[str, Any]":
    with opened(bench) as connection:
        return {"first": life(connection, bench.kept["device"]), "second": life(connection, bench.kept["other"]),
                "audit": audit(connection)}


def leave(service: Served, kept: "dict[str, Any]") -> None:
    device = kept["device"]
    service.ask("DELETE", f"/mam/v1/registrations/{device.registration}", f"Registration {device.secret}", status=204)


REGISTRATION = Workload(
    "registration", {"first": "none", "second": "none", "audit": ()}, [
        Step("enroll", {}, {"first": "enrolled", "audit": ("enroll",)}),
        Step("enroll another", {}, {"second": "enrolled", "audit": ("enroll", "enroll")}),
        Step("leave", {}, {"first": "ended", "audit": ("enroll", "enroll", "leave")})],
    read_registration, prepare_service, asks=False, drive=driven(
        lambda service, kept: service.check_in(kept["device"]), lambda service, kept: service.check_in(kept["other"]),
        leave))


# An administrator orders a wipe, and the host reports it.

def prepare_order(bench: Bench) -> "dict[str, Any]":
    bench.kept = prepare_service(bench)
    with served(bench) as service:
        service.check_in(bench.kept["device"])
    return bench.kept


def order(service: Served, kept: "dict[str, Any]") -> None:
    path = f"/v1.0/users/{ALICE_ID}/wipeManagedAppRegistrationsByDeviceTag"
    service.ask("POST", path, service.token(WRITER), {"deviceTag": kept["device"].tag}, 204)


def report(service: Served, kept: "dict[str, Any]") -> None:
    device = kept["device"]
    [operation] = service.check_in(device)["operations"]
    path = f"/mam/v1/registrations/{device.registration}/operations/{operation['id']}"
    body = {"outcome": "done", "time": "2026-01-01T00:00:00.000Z", "reason": None}
    service.ask("POST", path, f"Registration {device.secret}", body)


def read_order(bench: Bench, _: None, likely: "dict[str, list[Any]]") -> "dict[str, Any]":
    with opened(bench) as connection:
        wipes = connection.execute("SELECT state, outcome FROM operation_target").fetchall()
        return {"wipes": tuple(wipes), "audit": audit(connection)}


ORDER = Workload(
    "wipe-order", {"wipes": (), "audit": ("enroll",)}, [
        Step("order", {}, {"wipes": (("pending", None),), "audit": ("enroll", "order")}),
        Step("report", {}, {"wipes": (("completed", "done"),), "audit": ("enroll", "order", "complete")})],
    read_order, prepare_order, asks=False, drive=driven(order, report))


# An administrator writes through Graph.

def read_edit(bench: Bench, _: None, likely: "dict[str, list[Any]]") -> "dict[str, Any]":
    with opened(bench) as connection:
        audit(connection)
        # An edit has an entry for each change in it.
        [edits] = connection.execute("SELECT count(DISTINCT subject) FROM audit WHERE action = 'edit'").fetchone()
        [editions] = connection.execute("SELECT count(*) FROM edition").fetchone()
    policies = [json.loads(path.read_bytes()) for path in (bench.root / "tenant").rglob("*.json")]
    names = {policy["id"]: policy["displayName"] for policy in policies if "@odata.type" in policy}
    tenant = json.loads((bench.root / "tenant" / "tenant.json").read_bytes())
    return {"name": names.pop("T_1", None), "new": tuple(names.values()), "groups": len(tenant["assignments"]),
            "edits": edits, "editions": editions,
            "marked": (bench.root / "tenant" / ".mambridge-edited").exists(), "left": left_over(bench.root / "tenant")}


def left_over(folder: Path) -> "list[str]":
    """What is in the folder besides policies, the mark of an edited folder, and what the next edit removes."""
    names = [path.name for path in folder.rglob("*") if path.is_file() and path.suffix not in (".json", ".mambridge-edit")]
    return sorted(name for name in names if name != ".mambridge-edited")


def create(service: Served, kept: "dict[str, Any]") -> None:
    body = {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "displayName": "new", "pinRequired": True,
            "minimumPinLength": 8}
    kept["created"] = service.edit("POST", POLICIES, body, 201)["id"]


def edit(method: str, edits: int, **sets: Any) -> Step:
    """The folder is marked as edited, and changes. After a cut before the end, its content is an edition of the folder,
    and none of the editor."""
    after = {**sets, "editions": edits + 1, "marked": True}
    return Step(method, {}, {**after, "edits": edits}, during={**after, "edits": edits - 1})


EDIT = Workload(
    "graph-write", {"name": "Contoso", "new": (), "groups": 1, "edits": 0, "editions": 1,
        "marked": OneOf((False, True)), "left": []}, [
        edit("change", 1, name="changed"), edit("create", 2, new=("new",)), edit("remove", 3, new=())],
    read_edit, prepare_service, asks=False, drive=driven(
        lambda service, kept: service.edit("PATCH", f"{POLICIES}/T_1", {"displayName": "changed"}), create,
        lambda service, kept: service.edit("DELETE", f"{POLICIES}/{kept['created']}")))


# Commands on the store

def read_hold(bench: Bench, _: None, likely: "dict[str, list[Any]]") -> "dict[str, Any]":
    with opened(bench) as connection:
        return {"hold": tuple(why for why, in connection.execute("SELECT why FROM wipe_hold")), "audit": audit(connection)}


def prepare_command(bench: Bench) -> "dict[str, Any]":
    kept = prepare_service(bench)
    bench.server.close()
    bench.server = None
    return kept


def hold_command(bench: Bench) -> "list[str]":
    return [program(), "hold", "wipes", "--why", "ticket", *store(bench)]


def prepare_lift(bench: Bench) -> "dict[str, Any]":
    kept = prepare_command(bench)
    subprocess.run(hold_command(bench), check=True, capture_output=True)
    return kept


HOLD = Workload(
    "hold", {"hold": (), "audit": ()}, [Step("hold wipes", {}, {"hold": ("ticket",), "audit": ("hold",)})], read_hold,
    prepare_command, asks=False, command=hold_command)
LIFT = Workload(
    "lift", {"hold": ("ticket",), "audit": ("hold",)}, [Step("hold lift", {}, {"hold": (), "audit": ("hold", "lift")})],
    read_hold, prepare_lift, asks=False, command=lambda bench: [program(), "hold", "lift", *store(bench)])


def prepare_restore(bench: Bench) -> "dict[str, Any]":
    """Two editions, of which the second has longer PINs."""
    kept = prepare_command(bench)
    write_tenant(bench.root / "tenant", 8)
    with served(bench):
        pass
    return kept


def read_restore(bench: Bench, _: None, likely: "dict[str, list[Any]]") -> "dict[str, Any]":
    with opened(bench):
        policy = json.loads((bench.root / "tenant" / "policy.json").read_bytes())
        names = left_over(bench.root / "tenant")
    listed = subprocess.run([program(), "history", "--json", *store(bench)], capture_output=True, text=True)
    assert listed.returncode == 0, listed.stderr
    editions = [json.loads(line) for line in listed.stdout.splitlines()]
    # The folder is the truth: its content is the newest edition, whatever the command got done.
    [first] = [each["digest"] for each in editions if each["edition"] == 1]
    newest = max(editions, key=lambda each: int(each["edition"]))
    return {"length": policy["minimumPinLength"], "served": 6 if newest["digest"] == first else 8, "left": names}


RESTORE = Workload(
    "restore", {"length": 8, "served": 8, "left": []}, [Step("history --restore", {}, {"length": 6, "served": 6})],
    read_restore, prepare_restore, asks=False, command=lambda bench: [
        program(), "history", *store(bench), "--folder", str(bench.root / "tenant"), "--restore", "1", "--yes"])


def read_backup(bench: Bench, _: None, likely: "dict[str, list[Any]]") -> "dict[str, Any]":
    with opened(bench) as connection:
        entries = len(connection.execute("SELECT * FROM audit").fetchall())
    copy = bench.root / "copy"
    if not copy.exists():
        return {"copy": "missing", "store": entries}
    with contextlib.closing(sqlite3.connect(f"file:{copy}?mode=ro", uri=True)) as connection:
        try:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            found = len(connection.execute("SELECT * FROM audit").fetchall())
        except (AssertionError, sqlite3.DatabaseError):
            return {"copy": "damaged", "store": entries}
    return {"copy": "whole" if found == entries else f"{found} entries", "store": entries}


BACKUP = Workload(
    "backup", {"copy": "missing", "store": 1}, [Step("backup", {}, {"copy": "whole"})], read_backup, prepare_command,
    asks=False, command=lambda bench: [program(), "backup", str(bench.root / "copy"), *store(bench)])


# The service removes what is older than it keeps.

OLD, DAY = 500, 86_400_000


def prepare_retention(bench: Bench) -> "dict[str, Any]":
    kept = prepare_order(bench)
    now = int(time.time() * 1000)
    with contextlib.closing(sqlite3.connect(bench.root / "store")) as connection, connection:
        connection.executemany(
            "INSERT INTO audit VALUES (?, ?, 'folder', 'publish', 'snapshot 0', 'done')",
            [(-number, now - 401 * DAY) for number in range(OLD)])
        connection.execute("UPDATE registration SET last_sync = ?", [now - 91 * DAY])
        connection.execute("UPDATE meta SET value = ? WHERE key = 'maintained'", [str(now - 7_200_000)])
    return kept


def drive_retention(bench: Bench, record: "list[str]") -> "list[int]":
    """Ends when the old entries are gone; nobody is told."""
    end = time.monotonic() + PATIENCE
    with served(bench, record):
        while old_entries(bench) and time.monotonic() < end:
            time.sleep(0.1)
    bench.server.close()
    return []


def old_entries(bench: Bench) -> int:
    with contextlib.closing(sqlite3.connect(f"file:{bench.root / 'store'}?mode=ro", uri=True)) as connection:
        return int(connection.execute("SELECT count(*) FROM audit WHERE seq <= 0").fetchone()[0])


def read_retention(bench: Bench, _: None, likely: "dict[str, list[Any]]") -> "dict[str, Any]":
    with opened(bench) as connection:
        kept = [action for action, in connection.execute("SELECT action FROM audit WHERE seq > 0 ORDER BY seq")]
        old = connection.execute("SELECT count(*) FROM audit WHERE seq <= 0").fetchone()[0]
        return {"old": old, "kept": tuple(kept[:2]), "device": life(connection, bench.kept["device"])}


RETENTION = Workload(
    "retention", {"old": OLD, "kept": ("publish", "enroll"), "device": "enrolled"},
    [Step("maintenance", {}, {"old": 0, "device": "ended"})], read_retention, prepare_retention, asks=False,
    drive=drive_retention)

TENANTS = (PULL, EDIT, ORDER, REGISTRATION, RETENTION, HOLD, LIFT, RESTORE, BACKUP)
