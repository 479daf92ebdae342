"""mambridge-tenant serve with 50,000 registrations: check-ins with a token of each user, memory, open polls, a wipe.

Each store is measured in one run with what it can do alone. A check-in here delivers the whole policy and is durable
when it is answered. Users, registrations and hosts are simulated by tenantload.c.
"""
from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from measuring import BUILT, ROOT, Row, compile_tool, memory_of

sys.path.append(str(ROOT / "clients" / "tests"))

from replicas import AUDIENCE, Device, Issuer, PostgreSQL, Replica, postgresql_programs  # noqa: E402

TENANT_ID = "00000000-0000-4000-9000-000000000000"  # as in tenantload.c
FEW, MANY = 1_000, 50_000
CHECK_INS = 10_000
CONNECTIONS = 32
POLLS = 1_000
WIPES = 7
STORE_SECONDS = 3


def rows(runs: int) -> list[Row]:
    if not shutil.which("openssl"):
        print("run: openssl is missing: skipping the tenant service", file=sys.stderr)
        return []
    compile_tool(ROOT / "Benchmarks" / "tenantload.c", "-lcrypto")
    program = tenant_program()
    # Not in memory: a commit must wait for a disk.
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        write_tenant(folder / "tenant")
        issuer = Issuer(folder / "issuer")
        try:
            table = sqlite_rows(program, issuer, folder, runs)
            if postgresql_programs():
                table += postgresql_rows(program, issuer, folder, runs)
            else:
                print("run: PostgreSQL is missing: skipping it", file=sys.stderr)
        finally:
            issuer.close()
    return table


def tenant_program() -> str:
    if named := os.environ.get("MAMBRIDGE_TENANT_PROGRAM"):
        return named
    build = [ROOT / "scripts" / "build", "release", "tenant"]
    return subprocess.run(build, check=True, stdout=subprocess.PIPE, text=True).stdout.split("\n")[-2]


def write_tenant(folder: Path) -> None:
    """As many users as there will be registrations, and the policies of three levels."""
    (folder / "policies").mkdir(parents=True)
    users = [
        {"id": f"00000000-0000-4000-8000-{number:012x}", "userPrincipalName": f"user{number}@contoso.example",
         "groups": ["staff"]} for number in range(MANY)]
    (folder / "tenant.json").write_text(json.dumps({"tenantId": TENANT_ID, "displayName": "Contoso", "users": users}))
    policy = {
        "@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_policy", "displayName": "Data protection",
        "version": "1", "pinRequired": True, "allowedOutboundDataTransferDestinations": "managedApps",
        "saveAsBlocked": True, "periodOfflineBeforeWipeIsEnforced": "P90D", "apps": [
            {"mobileAppIdentifier": {"@odata.type": "#microsoft.graph.iosMobileAppIdentifier", "bundleId": bundle}}
            for bundle in ("com.contoso.mail", "com.contoso.notes")]}
    (folder / "policies" / "ios.json").write_text(json.dumps(policy))


def sqlite_rows(program: str, issuer: Issuer, folder: Path, runs: int) -> list[Row]:
    store = folder / "service.sqlite"
    with serving(program, f"sqlite:{store}", issuer, folder / "sqlite.log", str(folder / "tenant")) as replica:
        return measured("SQLite", replica, issuer, runs, sqlite_commits(folder))


def postgresql_rows(program: str, issuer: Issuer, folder: Path, runs: int) -> list[Row]:
    server = PostgreSQL(folder / "postgresql", fsync=True)
    try:
        url = server.make_database("mam")
        subprocess.run(
            [program, "publish", folder / "tenant", "--store", url], check=True, stdout=subprocess.DEVNULL)
        with serving(program, url, issuer, folder / "postgresql-serve.log") as replica:
            return measured("PostgreSQL", replica, issuer, runs, postgresql_commits(server))
    finally:
        server.stop()


@contextmanager
def serving(program: str, store: str, issuer: Issuer, log: Path, *arguments: str) -> Iterator[Replica]:
    replica = Replica(program, store, issuer, log, *arguments).ready()
    try:
        deadline = time.monotonic() + 60
        while replica.request("GET", "/health/ready").status != 200:
            if time.monotonic() > deadline:
                sys.exit(f"run: the service has no tenant: {replica.text}")
            time.sleep(0.1)
        yield replica
    finally:
        replica.stop()


def measured(store: str, replica: Replica, issuer: Issuer, runs: int, commits: float) -> list[Row]:
    check_ins(replica, issuer, 0, FEW)
    few = resident(replica)
    enrolled = check_ins(replica, issuer, FEW, MANY - FEW)
    many = resident(replica)
    firsts = range(0, MANY, CHECK_INS)[:runs]
    taken = [check_ins(replica, issuer, first, CHECK_INS) for first in firsts]
    rates = [CHECK_INS / run["seconds"] for run in taken]
    rate = statistics.median(rates)
    memory, wipe_time = polling(replica, issuer)
    return [
        Row(f"{store}, single commits a second, without the service", commits),
        Row(f"{store}, enrollments a second", (MANY - FEW) / enrolled["seconds"]),
        Row(f"{store}, check-ins a second", rate, at_least=1_000, detail=f"{rate / commits:.1f} for a single commit"),
        Row(f"{store}, check-ins, p99", statistics.median(run["p99"] for run in taken), " ms", at_most=100,
            detail=f"{CONNECTIONS} connections"),
        Row(f"{store}, memory for {FEW} to {MANY} registrations", many - few, " MB", at_most=10,
            detail=f"{few:.0f} to {many:.0f}"),
        Row(f"{store}, memory with {POLLS} open polls", memory, " MB", at_most=120),
        Row(f"{store}, from a wipe's order to the host's poll", wipe_time, " ms", at_most=1_000),
    ]


def check_ins(replica: Replica, issuer: Issuer, first: int, count: int) -> dict[str, float]:
    line = [str(BUILT / "tenantload"), "check-in", str(replica.address[1]), str(issuer.key), issuer.url, AUDIENCE,
            str(first), str(count), str(CONNECTIONS)]
    run = subprocess.run(line, capture_output=True, text=True, timeout=900)
    figures: dict[str, float] = json.loads(run.stdout) if run.returncode == 0 else {}
    if not figures or figures["failed"]:
        sys.exit(f"run: check-ins failed: {run.stdout}{run.stderr}{replica.text[-2000:]}")
    return figures


def resident(replica: Replica) -> float:
    return memory_of(replica.process.pid)["VmRSS"]


def polling(replica: Replica, issuer: Issuer) -> tuple[float, float]:
    """Megabytes with all polls open, and the milliseconds from the order of a wipe to the answer of a poll."""
    line = [str(BUILT / "tenantload"), "polls", str(replica.address[1]), "0", str(POLLS)]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as hosts:
        assert hosts.stdout
        if hosts.stdout.readline() != "open\n":
            sys.exit("run: the polls were not opened")
        time.sleep(2)  # until the service has looked at each of them
        memory = resident(replica)
        times = [wipe(replica, issuer, POLLS + number) for number in range(WIPES)]
        hosts.communicate(timeout=60)
    return memory, statistics.median(times)


def wipe(replica: Replica, issuer: Issuer, user: int) -> float:
    """The milliseconds from the order to the answer."""
    device = device_of(user)
    answered: list[float] = []

    def poll() -> None:
        if replica.poll(device, None).body["changed"] == [device.registration]:
            answered.append(time.monotonic())

    token = issuer.token("administrator", roles=["DeviceManagementApps.ReadWrite.All"], tenant=TENANT_ID)
    waiting = threading.Thread(target=poll)
    waiting.start()
    time.sleep(0.2)  # until it waits
    ordered = time.monotonic()
    answer = replica.order_wipe(device, token)
    waiting.join(timeout=40)
    if answer.status not in (200, 204) or not answered:
        sys.exit(f"run: the wipe was not delivered: {answer}")
    return (answered[0] - ordered) * 1000


def device_of(user: int) -> Device:
    """As tenantload.c makes it."""
    secret = base64.b64encode(hashlib.sha256(f"secret {user}".encode()).digest()).decode()
    return Device(
        f"00000000-0000-4000-8000-{user:012x}", f"00000000-0000-4000-a000-{user:012x}", secret,
        f"00000000-0000-4000-b000-{user:012x}")


def sqlite_commits(folder: Path) -> float:
    """Commits a second of one change each, as durable as the service's."""
    with sqlite3.connect(folder / "alone.sqlite", isolation_level=None) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        database.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
        database.executemany("INSERT INTO item VALUES (?, ?)", ((number, "x" * 500) for number in range(1000)))
        count, start = 0, time.monotonic()
        while time.monotonic() - start < STORE_SECONDS:
            database.execute("UPDATE item SET text = ? WHERE id = ?", ("y" * 500, count % 1000))
            count += 1
        return count / (time.monotonic() - start)


def postgresql_commits(server: PostgreSQL) -> float:
    """The same by pgbench with 8 clients."""
    url = server.make_database("alone")
    server.query(
        "CREATE TABLE item (id BIGINT PRIMARY KEY, text TEXT NOT NULL);"
        "INSERT INTO item SELECT number, repeat('x', 500) FROM generate_series(0, 999) number", "alone")
    script = server.folder.parent / "commit.sql"
    script.write_text("\\set id random(0, 999)\nUPDATE item SET text = repeat('y', 500) WHERE id = :id;\n")
    program, seconds = str(server.programs / "pgbench"), f"-T{STORE_SECONDS}"
    line = [program, "-n", "-c8", "-j2", seconds, "-Mprepared", "-f", str(script), url]
    text = subprocess.run(line, check=True, capture_output=True, text=True).stdout
    found = re.search(r"tps = ([\d.]+)", text)
    if not found:
        sys.exit(f"run: pgbench failed: {text}")
    return float(found[1])
