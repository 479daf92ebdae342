"""What grows with users, policies and accounts, compared with parsing the same files, or with a tenth of the same.

A cost must not grow with what is not asked about. Tenant folders are generated; the reference is a C program that reads
and parses the files with jansson (parsefiles.c), or the same operation in a small tenant or with few accounts.
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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from measuring import BUILT, PIN, ROOT, SAVE_TO, Row, compile_tool, memory_of

FEW, SOME, MANY = 10, 100, 1_000
USERS, POLICIES = 10_000, 500
MOST_USERS = 100_000
CALLS = 500
QUESTIONS = 20_000
WINDOW = 64
GROUPS = 500
STAFF = "staff"
# A folder that changed up to three seconds ago may change again within the same mark, so it is read at each check-in.
SETTLED = 3.1
SECONDS = 600
NEVER = float("inf")


def rows(binary: str, runs: int) -> list[Row]:
    compile_tool(ROOT / "Benchmarks" / "parsefiles.c", "-ljansson")
    # Not in memory: a commit must wait for a disk.
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        folder = Path(name)
        people, large, huge, excluding, shared = (
            folder / name for name in ("people", "large", "huge", "excluding", "shared"))
        write_tenant(people, MANY, 1)
        write_tenant(large, USERS, POLICIES)
        write_tenant(huge, MOST_USERS, 1)
        write_tenant(excluding, USERS, POLICIES, excludes=True)
        write_tenant(shared, USERS, POLICIES, group=STAFF)
        return [
            *account_rows(binary, people, runs, folder), *enroll_rows(binary, huge, runs, folder),
            *check_in_rows(binary, large, runs, folder), *check_rows(binary, large, runs, "tenant check"),
            *check_rows(binary, excluding, runs, f"tenant check, {POLICIES} excluded groups"),
            *check_rows(binary, shared, runs, f"tenant check, {POLICIES} policies for one group"),
            *diff_rows(binary, large, runs, folder / "changed")]


def name_of(number: int) -> str:
    return f"user{number}@contoso.example"


def write_tenant(folder: Path, users: int, policies: int, *, excludes: bool = False, group: str | None = None) -> None:
    """Users are in three groups each, and in `group`. The first policy is for everybody, the others for `group` or else
    for a group each; or all policies are for everybody except a group. Written line by line, so that this process stays
    smaller than those that it measures."""
    (folder / "policies").mkdir(parents=True)
    with open(folder / "tenant.json", "w", encoding="ascii") as file:
        file.write('{"tenantId": "6babcaad-604b-40ac-a9d7-9fd97c0b779f", "displayName": "Contoso", "users": [')
        for number in range(users):
            groups = [f"group{number * step % GROUPS}" for step in (1, 7, 31)] + ([group] if group else [])
            user = {
                "id": f"00000000-0000-4000-8000-{number:012x}", "userPrincipalName": name_of(number),
                "displayName": f"User {number}", "mail": f"first.last{number}@contoso.example", "groups": groups}
            file.write(("," if number else "") + "\n" + json.dumps(user))
        file.write("\n]}\n")
    for number in range(policies):
        (folder / "policies" / f"{number:03}.json").write_text(policy(number, excludes=excludes, group=group))


def policy(
    number: int, name: str = "Data protection", *, excludes: bool = False, group: str | None = None
) -> str:
    everybody = {"@odata.type": "#microsoft.graph.allLicensedUsersAssignmentTarget"}
    kind = "exclusionGroupAssignmentTarget" if excludes else "groupAssignmentTarget"
    target = {"@odata.type": f"#microsoft.graph.{kind}", "groupId": group or f"group{number}"}
    targets = [everybody, target] if excludes else [target if number else everybody]
    return json.dumps({
        "@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": f"T_{number:03}",
        "displayName": f"{name} {number}", "version": "1", "pinRequired": True, "minimumPinLength": 4 + number % 3,
        "saveAsBlocked": True, "allowedOutboundDataTransferDestinations": "managedApps",
        "allowedDataStorageLocations": ["oneDriveForBusiness", "sharePoint"], "printBlocked": number % 2 == 0,
        "periodOfflineBeforeAccessCheck": "PT12H", "periodOfflineBeforeWipeIsEnforced": "P90D",
        "maximumPinRetries": 5, "contactSyncBlocked": False, "managedBrowser": "microsoftEdge",
        "appGroupType": "allApps", "assignments": [{"target": each} for each in targets]})


def files_of(folder: Path) -> list[str]:
    return [str(path) for path in sorted(folder.rglob("*.json"))]


def parse(folder: Path) -> float:
    """The milliseconds to read and parse all files."""
    line = [*PIN, str(BUILT / "parsefiles"), *files_of(folder)]
    return float(subprocess.run(line, check=True, stdout=subprocess.PIPE, text=True, timeout=60).stdout.split()[0])


class Server:
    """A server on stdin and stdout."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.count = 0

    def request(self, method: str, params: dict[str, Any] | None = None) -> bytes:
        self.count += 1
        line = {"jsonrpc": "2.0", "id": self.count, "method": method, "params": params or {}}
        return json.dumps(line).encode() + b"\n"

    def call(self, method: str, params: dict[str, Any] | None = None) -> Any:
        """The result; None if the server ended or answered with an error."""
        self.send(self.request(method, params))
        assert self.process.stdout
        reply = self.process.stdout.readline()
        return json.loads(reply).get("result") if reply else None

    def send(self, lines: bytes) -> None:
        assert self.process.stdin
        try:
            self.process.stdin.write(lines)
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def milliseconds(self, method: str, params: dict[str, Any] | None = None) -> float:
        begin = time.perf_counter()
        if self.call(method, params) is None:
            return NEVER
        return (time.perf_counter() - begin) * 1e3

    def each(self, method: str, params: dict[str, Any], count: int) -> float:
        """The milliseconds of one of many calls that are sent WINDOW at a time."""
        assert self.process.stdout
        windows = [min(WINDOW, count - begin) for begin in range(0, count, WINDOW)]
        lines = [b"".join(self.request(method, params) for _ in range(size)) for size in windows]
        begin = time.perf_counter()
        for size, text in zip(windows, lines):
            self.send(text)
            for _ in range(size):
                if b'"result"' not in (line := self.process.stdout.readline()):
                    sys.exit(f"run: no result from {method}: {line[:500]!r}")
        return (time.perf_counter() - begin) * 1e3 / count

    def enroll(self, number: int) -> bool:
        status = self.call("enrollmentManager.registerAndEnrollAccount", {"account": name_of(number)})
        return bool(status and status["didSucceed"])


def command(binary: str, tenant: Path | str, state: Path) -> list[str]:
    return [binary, "serve", "--tenant", str(tenant), "--state", str(state), "--set", "MultiManagedIdentities=true"]


@contextmanager
def serving(binary: str, tenant: Path | str, state: Path, *before: str) -> Iterator[Server]:
    line = [*PIN, *before, *command(binary, tenant, state)]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        try:
            yield Server(process)
        finally:
            process.communicate(timeout=SECONDS)


def enroll_all(binary: str, tenant: Path, state: Path, count: int) -> float:
    """Enrolls accounts one after the other. Returns the milliseconds of all but the first, which makes the keys."""
    with serving(binary, tenant, state) as server:
        if not server.enroll(0):
            sys.exit(f"run: {name_of(0)} was not enrolled")
        begin = time.perf_counter()
        for number in range(1, count):
            if not server.enroll(number):
                sys.exit(f"run: {name_of(number)} was not enrolled")
        return (time.perf_counter() - begin) * 1e3


def account_rows(binary: str, tenant: Path, runs: int, folder: Path) -> list[Row]:
    states = {count: folder / f"accounts-{count}" for count in (FEW, SOME, MANY)}
    # A server keeps what it has read of a folder only once the folder has settled.
    time.sleep(SETTLED)
    enrolled = {count: enroll_all(binary, tenant, state, count) for count, state in states.items()}
    commits, folders = syncs_of_an_enrollment(binary, tenant, folder)
    writes = statistics.median(
        writes_alone(states[MANY], folder / f"alone-{run}", commits, folders) for run in range(runs))
    lines, questions, check_ins = measured_accounts(binary, tenant, states, runs)
    return [
        compared(f"log line, {MANY:,} accounts / {FEW}", lines[MANY], lines[FEW], 2),
        compared(f"policy question, {MANY:,} accounts / {FEW}", questions[MANY], questions[FEW], 1.5),
        compared(f"check-in of {MANY:,} accounts / of {SOME}", check_ins[MANY], check_ins[SOME], 12),
        compared(f"enrollment of {MANY:,} accounts / its writes alone", enrolled[MANY], writes, 2,
                 f"{commits} commits and {folders} folders synced each"),
        Row(f"one of {MANY:,} enrollments / one of {SOME}", enrolled[MANY] / (MANY - 1) / enrolled[SOME] * (SOME - 1),
            detail=f"{enrolled[MANY] / (MANY - 1):.2f} / {enrolled[SOME] / (SOME - 1):.2f} ms"),
    ]


def measured_accounts(
    binary: str, tenant: Path, states: dict[int, Path], runs: int
) -> tuple[dict[int, float], dict[int, float], dict[int, float]]:
    """By the number of accounts: the milliseconds of a log line, of a policy question and of a check-in of all."""
    line = {"level": "info", "message": "the document of user7@contoso.example was opened"}
    question = {"location": "localDrive", "account": name_of(7), "locationAccount": name_of(7)}
    lines: dict[int, list[float]] = {count: [] for count in states}
    questions: dict[int, list[float]] = {count: [] for count in states}
    check_ins: dict[int, list[float]] = {count: [] for count in states}
    for _ in range(runs):
        for count, state in states.items():
            with serving(binary, tenant, state) as server:
                server.call("versionInfo.sdkVersion")
                check_ins[count].append(server.milliseconds("tenant.checkIn"))
                lines[count].append(server.each("diagnosticsLog.write", line, CALLS))
                questions[count].append(server.each(SAVE_TO, question, QUESTIONS))
    return medians(lines), medians(questions), medians(check_ins)


def medians(taken: dict[int, list[float]]) -> dict[int, float]:
    return {count: statistics.median(times) for count, times in taken.items()}


def syncs_of_an_enrollment(binary: str, tenant: Path, folder: Path) -> tuple[int, int]:
    """How many commits of the store, and how many new entries of folders, are waited for: counted with strace between two
    numbers of enrollments."""
    if not shutil.which("strace"):
        print("run: strace is missing: one commit is taken for each enrollment", file=sys.stderr)
        return 1, 0

    def syncs(count: int) -> dict[str, int]:
        counts = folder / f"syncs-{count}"
        trace = ["strace", "-f", "-qq", "-c", "-o", str(counts), "-e", "trace=fsync,fdatasync"]
        with serving(binary, tenant, folder / f"traced-{count}", *trace) as server:
            for number in range(count):
                server.enroll(number)
        # Time in percent, seconds, microseconds a call, calls, errors if any, name.
        found = re.findall(r"^ *[\d.]+ +[\d.]+ +\d+ +(\d+) .*?(\w+)$", counts.read_text(), re.MULTILINE)
        return {name: int(calls) for calls, name in found}

    few, more = syncs(2), syncs(2 + FEW)
    # SQLite syncs its log with fdatasync, and the program the folders of keys with fsync.
    each = {name: round((more.get(name, 0) - few.get(name, 0)) / FEW) for name in ("fdatasync", "fsync")}
    return max(1, each["fdatasync"]), each["fsync"]


def writes_alone(state: Path, folder: Path, commits: int, folders: int) -> float:
    """The milliseconds to make what the enrollment of an account waits for, for all accounts of a state: as many durable
    commits each, of a row in the same table with the store's journal and synchronous modes, and as many new entries of
    folders, each in the one before, as the folder of an account's keys has them."""
    (folder / "keys").mkdir(parents=True)
    store = next(path for path in sorted(state.rglob("state.db")))
    copy = folder / "alone.db"
    with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as source:
        table = source.execute("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'accounts'").fetchone()[0]
        accounts = source.execute("SELECT * FROM accounts LIMIT ?", (MANY - 1,)).fetchall()
    database = sqlite3.connect(copy, isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.execute(table)
    database.execute("CREATE TABLE step (number INTEGER PRIMARY KEY, text TEXT NOT NULL)")
    places = ", ".join("?" * len(accounts[0]))
    begin = time.perf_counter()
    for number, account in enumerate(accounts):
        database.execute(f"INSERT INTO accounts VALUES ({places})", account)
        for _ in range(commits - 1):
            database.execute("INSERT INTO step (text) VALUES ('a step of an enrollment')")
        make_entries(folder / "keys", str(number), folders)
    end = time.perf_counter()
    database.close()
    return (end - begin) * 1e3


def make_entries(place: Path, name: str, count: int) -> None:
    """Folders, each in the one before, of which each is on the disk before the next is made."""
    for _ in range(count):
        (place / name).mkdir()
        descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
        os.fsync(descriptor)
        os.close(descriptor)
        place, name = place / name, "apps"


def enroll_rows(binary: str, tenant: Path, runs: int, folder: Path) -> list[Row]:
    """A first enrollment includes the start of the server and the making of its keys."""
    times, peaks, parses = [], [], []
    for number in range(runs):
        parses.append(parse(tenant))
        state = folder / f"enroll-{number}"
        begin = time.perf_counter()
        with serving(binary, tenant, state) as server:
            is_enrolled = server.enroll(MOST_USERS // 2)
            times.append((time.perf_counter() - begin) * 1e3 if is_enrolled else NEVER)
            peaks.append(memory_of(server.process.pid)["VmHWM"] if is_enrolled else NEVER)
    title = f"enrollment among {MOST_USERS:,} users"
    return [compared(f"{title} / parsing", statistics.median(times), statistics.median(parses), 3),
            Row(f"{title}, peak RSS", statistics.median(peaks), " MB", at_most=64)]


def check_in_rows(binary: str, tenant: Path, runs: int, folder: Path) -> list[Row]:
    changed, unchanged, samples, parses = [], [], [], []
    with serving(binary, tenant, folder / "large-state") as server, serving(
        binary, "sample", folder / "sample-state"
    ) as other:
        sample_user = {"account": "alice@contoso.example"}
        if not server.enroll(7) or not other.call("enrollmentManager.registerAndEnrollAccount", sample_user):
            sys.exit("run: an account was not enrolled")
        for number in range(runs):
            (tenant / "policies" / "007.json").write_text(policy(7, f"Edition {number} of"))
            parses.append(parse(tenant))
            changed.append(server.milliseconds("tenant.checkIn"))
        time.sleep(SETTLED)
        server.call("tenant.checkIn")
        for _ in range(3 * runs):
            unchanged.append(server.milliseconds("tenant.checkIn"))
            samples.append(other.milliseconds("tenant.checkIn"))
    size = f"{USERS:,} users, {POLICIES} policies"
    return [
        compared(f"check-in, {size} / parsing", statistics.median(changed), statistics.median(parses), 3),
        compared("check-in, unchanged / of the sample tenant", statistics.median(unchanged),
                 statistics.median(samples), 2)]


def diff_rows(binary: str, tenant: Path, runs: int, changed: Path) -> list[Row]:
    """The policy of everybody changes, so that what each user gets differs, and every tenth of the others does."""
    shutil.copytree(tenant, changed)
    for number in range(0, POLICIES, 10):
        path = changed / "policies" / f"{number:03}.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "periodOfflineBeforeWipeIsEnforced": "P30D"}))
    return command_rows(["tenant", "diff"], binary, [tenant, changed], runs, "tenant diff")


def check_rows(binary: str, tenant: Path, runs: int, title: str) -> list[Row]:
    return command_rows(["tenant", "check"], binary, [tenant], runs, title)


def command_rows(command: list[str], binary: str, tenants: list[Path], runs: int, title: str) -> list[Row]:
    line = [*PIN, binary, *command, *map(str, tenants)]
    times, peaks, parses = [], [], []
    for _ in range(runs):
        parses.append(sum(map(parse, tenants)))
        begin = time.perf_counter()
        with subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        has_ended = process.returncode in (0, 1)
        times.append((time.perf_counter() - begin) * 1e3 if has_ended else NEVER)
        peaks.append(usage.ru_maxrss / 1024 if has_ended else NEVER)
    return [compared(f"{title} / parsing", statistics.median(times), statistics.median(parses), 10),
            Row(f"{title}, peak RSS", statistics.median(peaks), " MB", at_most=100)]


def compared(title: str, ours: float, theirs: float, at_most: float, more: str = "") -> Row:
    """Times in milliseconds, and the limit of their ratio."""
    detail = f"{ours:.3g} / {theirs:.3g} ms" + (f", {more}" if more else "")
    return Row(title, ours / theirs, at_most=at_most, detail=detail)
