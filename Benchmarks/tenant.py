"""mambridge-tenant serve with 50,000 registrations: check-ins with a token of each user, memory, open polls, wipes.

Each store is measured in one run with what it can do alone. A check-in here delivers the whole policy and is durable
when it is answered. Users, registrations and hosts are simulated by tenantload.c; the wipes reach real mambridges. The
load and PostgreSQL take their share of the same processors.
"""
from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from measuring import BUILT, ROOT, Row, compile_tool, memory_of

sys.path += [str(ROOT / "clients"), str(ROOT / "clients" / "tests"), str(ROOT / "clients" / "python")]

from mambridge import Client, types  # noqa: E402
from replicas import APP, AUDIENCE, Issuer, PostgreSQL, Replica, postgresql_programs  # noqa: E402
from waiting import wait_for  # noqa: E402

TENANT_ID = "00000000-0000-4000-9000-000000000000"  # as in tenantload.c
FEW, MANY = 1_000, 50_000
CHECK_INS = 10_000
CONNECTIONS = 32
POLLS = 1_000
WIPES = 7
WIPED = "policyManager.wipeDidComplete"
ADMINISTRATOR = "DeviceManagementApps.ReadWrite.All"
STORE_SECONDS = 3


def rows(mambridge: str, runs: int) -> list[Row]:
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
            bench = Bench(program, mambridge, issuer, folder, runs, sign_tokens(issuer, folder))
            table = sqlite_rows(bench)
            if postgresql_programs():
                table += postgresql_rows(bench)
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


def sign_tokens(issuer: Issuer, folder: Path) -> Path:
    """The file with a token of each user."""
    command = [BUILT / "tenantload", "tokens", issuer.key, issuer.url, AUDIENCE, str(MANY)]
    with open(folder / "tokens", "wb") as file:
        subprocess.run(command, check=True, stdout=file)
    return folder / "tokens"


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


@dataclass
class Bench:
    """What all measurements need."""

    program: str
    mambridge: str
    issuer: Issuer
    folder: Path
    runs: int
    tokens: Path


def sqlite_rows(bench: Bench) -> list[Row]:
    commits = sqlite_commits(bench.folder)
    store = f"sqlite:{bench.folder / 'service.sqlite'}"
    with serving(bench, store, "sqlite", str(bench.folder / "tenant")) as replica:
        return measured("SQLite", replica, bench, commits)


def postgresql_rows(bench: Bench) -> list[Row]:
    server = PostgreSQL(bench.folder / "postgresql", fsync=True)
    try:
        commits, url = postgresql_commits(server), server.make_database("mam")
        subprocess.run(
            [bench.program, "publish", bench.folder / "tenant", "--store", url], check=True, stdout=subprocess.DEVNULL)
        with serving(bench, url, "postgresql") as replica:
            return measured("PostgreSQL", replica, bench, commits)
    finally:
        server.stop()


@contextmanager
def serving(bench: Bench, store: str, name: str, *arguments: str) -> Iterator[Replica]:
    log = bench.folder / f"{name}-serve.log"
    options = [*arguments, "--metrics", "http://127.0.0.1:0", "--limit", f"polls={2 * POLLS}"]
    replica = Replica(bench.program, store, bench.issuer, log, *options).ready()
    try:
        wait_for(lambda: replica.request("GET", "/health/ready").status == 200, "the service has a tenant", 60)
        yield replica
    finally:
        replica.stop()


def measured(store: str, replica: Replica, bench: Bench, commits: float) -> list[Row]:
    check_ins(replica, bench, 0, FEW)
    time.sleep(2)  # until the service has returned what it freed
    few = resident(replica)
    enrolled = check_ins(replica, bench, FEW, MANY - FEW)
    many = resident(replica)
    firsts = range(0, MANY, CHECK_INS)[:bench.runs]
    taken = [check_ins(replica, bench, first, CHECK_INS) for first in firsts]

    def median(name: str) -> float:
        return statistics.median(run[name] for run in taken)

    memory, wipe_time = polling(replica, bench)
    return [
        Row(f"{store}, single commits a second, without the service", commits),
        Row(f"{store}, enrollments a second", enrolled["rate"], detail=f"{enrolled['cpu']:.0f} us of processor each"),
        Row(f"{store}, check-ins a second", median("rate"), at_least=1_000,
            detail=f"{median('rate') / commits:.1f} for a single commit"),
        Row(f"{store}, processor time of the service for a check-in", median("cpu"), " us"),
        Row(f"{store}, check-ins, p99", median("p99"), " ms", at_most=100,
            detail=f"{CONNECTIONS} connections, median {median('median'):.1f} ms"),
        Row(f"{store}, memory for {FEW} to {MANY} registrations", max(0, many - few), " MB", at_most=10,
            detail=f"{few:.0f} to {many:.0f}, of which the tenant's {MANY} users are in both"),
        Row(f"{store}, memory with {POLLS} open polls", memory, " MB", at_most=120),
        Row(f"{store}, from a wipe's order to wipeDidComplete", wipe_time, " ms", at_most=1_000,
            detail=f"{WIPES} wipes, {POLLS} other hosts wait"),
    ]


def check_ins(replica: Replica, bench: Bench, first: int, count: int) -> dict[str, float]:
    line = [str(BUILT / "tenantload"), "check-in", str(replica.address[1]), str(bench.tokens), str(first), str(count),
            str(CONNECTIONS)]
    before = processor_seconds(replica.process.pid)
    run = subprocess.run(line, capture_output=True, text=True, timeout=900)
    figures: dict[str, float] = json.loads(run.stdout) if run.returncode == 0 else {}
    if not figures or figures["failed"]:
        sys.exit(f"run: check-ins failed: {run.stdout}{run.stderr}{replica.text[-2000:]}")
    figures["cpu"] = (processor_seconds(replica.process.pid) - before) / count * 1e6
    figures["rate"] = count / figures["seconds"]
    return figures


def processor_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(replica: Replica) -> float:
    return memory_of(replica.process.pid)["VmRSS"]


def open_polls(replica: Replica) -> int:
    found = re.search(r'"metrics": ?"([^"]+)"', replica.text)
    if not found:
        sys.exit(f"run: the service has no metrics: {replica.text[:500]}")
    with urllib.request.urlopen(f"{found[1]}/metrics", timeout=30) as response:
        count = re.search(r"^mambridge_open_polls (\d+)", response.read().decode(), re.MULTILINE)
    return int(count[1]) if count else 0


def polling(replica: Replica, bench: Bench) -> tuple[float, float]:
    """Megabytes with all polls open, and the milliseconds from the order of a wipe to its end."""
    line = [str(BUILT / "tenantload"), "polls", str(replica.address[1]), "0", str(POLLS)]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as hosts:
        assert hosts.stdout
        if hosts.stdout.readline() != "open\n":
            sys.exit("run: the polls were not opened")
        wait_for(lambda: open_polls(replica) >= POLLS, "all polls are open", 20)
        memory = resident(replica)
        times = [wipe(replica, bench, POLLS + number) for number in range(WIPES)]
        hosts.communicate(timeout=60)
    return memory, statistics.median(times)


def wipe(replica: Replica, bench: Bench, number: int) -> float:
    """The milliseconds from the order to the event of a mambridge in which the user is enrolled."""
    user, account = f"00000000-0000-4000-8000-{number:012x}", f"user{number}@contoso.example"
    folder = bench.folder / f"mambridge-{replica.process.pid}-{number}"
    folder.mkdir()
    (folder / "token").write_text(bench.issuer.token(user, tenant=TENANT_ID))
    ended: list[float] = []
    source = f"exec:{bench.program} source http://127.0.0.1:{replica.address[1]}"
    command = ["--tenant", source, "--app-id", APP, "--state", str(folder / "state"), "--token-command",
               f"cat {folder / 'token'}"]
    with Client.spawn(
        bench.mambridge, *command, timeout=60, on_event=lambda _: ended.append(time.monotonic())
    ) as client:
        client.initialize(client=types.ClientInfo("benchmark"), events=[WIPED])
        status = client.call("enrollmentManager.registerAndEnrollAccount", account=account)
        if not status["didSucceed"]:
            sys.exit(f"run: {account} is not enrolled: {status}")
        wait_for(lambda: open_polls(replica) > POLLS, "mambridge waits for changes")
        token = f"Bearer {bench.issuer.token('administrator', roles=[ADMINISTRATOR], tenant=TENANT_ID)}"
        path = f"/v1.0/users/{user}/managedAppRegistrations"
        listed = replica.request("GET", path, authorization=token).body["value"]
        tag = next(entry["deviceTag"] for entry in listed if not entry["deviceTag"].endswith(f"{number:012x}"))
        ordered = time.monotonic()
        path = f"/v1.0/users/{user}/wipeManagedAppRegistrationsByDeviceTag"
        answer = replica.request("POST", path, {"deviceTag": tag}, token)
        if answer.status not in (200, 204):
            sys.exit(f"run: the wipe was not ordered: {answer}")
        wait_for(lambda: ended, "the wipe is carried out")
    return (ended[0] - ordered) * 1000


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
