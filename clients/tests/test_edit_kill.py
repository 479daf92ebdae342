"""A write of the tenant's folder that is killed leaves the old edition or the new one.

MAMBRIDGE_KILL_ROUNDS says how often it is killed: 200 take a minute for `history`, and ten for `serve`."""

import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import threading
import time
import urllib.error

import pytest
from administrators import READER, WRITER, Company

PROGRAM = os.environ.get("MAMBRIDGE_TENANT_PROGRAM")
ROUNDS = int(os.environ.get("MAMBRIDGE_KILL_ROUNDS", "15"))
pytestmark = pytest.mark.skipif(not PROGRAM, reason="MAMBRIDGE_TENANT_PROGRAM is not set")

TENANT = "11111111-1111-4111-8111-111111111111"


def policy(length: int) -> str:
    return json.dumps(
        {
            "@odata.type": "#microsoft.graph.iosManagedAppProtection",
            "id": "T_1",
            "minimumPinLength": length,
            "description": "x" * 200_000,
        },
        indent=2,
    )


def editions() -> list[dict[str, str]]:
    """One changes a file; the other takes a file away that tenant.json assigns."""
    assigned = {"policy": "policies/more.json", "groups": ["*"]}
    tenant = {"tenantId": TENANT, "users": []}
    whole = {
        "tenant.json": json.dumps({**tenant, "assignments": [assigned]}),
        "policies/ios.json": policy(4),
        "policies/more.json": policy(4).replace("T_1", "T_2"),
    }
    changed = {**whole, "policies/ios.json": policy(6)}
    without = {"tenant.json": json.dumps({**tenant, "assignments": []}), "policies/ios.json": policy(4)}
    return [whole, changed, without]


def content(folder: pathlib.Path) -> dict[str, str]:
    """What a check-in reads: no hidden files, and no files without objects."""
    files = {}
    for path in sorted(folder.rglob("*.json")):
        if not path.name.startswith("."):
            files[str(path.relative_to(folder))] = path.read_text()
    return files


def meaning(files: dict[str, str]) -> list[str]:
    """The policies, and a fault if tenant.json assigns a file that is not there."""
    policies = [text for name, text in files.items() if name != "tenant.json" and text.strip() != "[]"]
    for entry in json.loads(files["tenant.json"]).get("assignments", []):
        assert entry["policy"] in files
    return sorted(policies)


def fill(folder: pathlib.Path, files: dict[str, str]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def keep(store: pathlib.Path, all_files: list[dict[str, str]]) -> None:
    """Puts editions into the store, as the service keeps them."""
    with contextlib.closing(sqlite3.connect(store)) as database, database:
        for number, files in enumerate(all_files, 1):
            body = json.dumps({"files": files}).encode()
            database.execute(
                "INSERT OR REPLACE INTO edition (number, time, actor, digest, size, body)"
                " VALUES (?, 0, 'test', x'00', ?, ?)",
                (number, len(body), body),
            )


def make_store(path: pathlib.Path, folder: pathlib.Path) -> None:
    """A service that starts and ends has made it."""
    where = ["--store", f"sqlite:{path}", "--listen", "http://127.0.0.1:0"]
    whom = ["--issuer", "http://127.0.0.1:1", "--audience", "test"]
    with subprocess.Popen([PROGRAM, "serve", folder, *where, *whom], stderr=subprocess.PIPE) as service:
        assert any(b"listening" in line for line in service.stderr)
        service.send_signal(signal.SIGTERM)
        service.communicate(timeout=60)


def restore(store: pathlib.Path, folder: pathlib.Path, number: int) -> subprocess.Popen:
    return subprocess.Popen(
        [PROGRAM, "history", "--store", f"sqlite:{store}", "--folder", folder, "--restore", str(number), "--yes"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def finish(process: subprocess.Popen) -> None:
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors


def test_a_killed_restore_leaves_the_old_or_the_new_edition_of_the_tenant_folder(tmp_path: pathlib.Path) -> None:
    folder, store = tmp_path / "tenant", tmp_path / "store.sqlite"
    whole, changed, without = editions()
    fill(folder, whole)
    make_store(store, folder)
    keep(store, [whole, changed, without])
    start = time.monotonic()
    finish(restore(store, folder, 2))
    duration = time.monotonic() - start
    outcomes = {"old": 0, "new": 0}
    for number in range(ROUNDS):
        target = [2, 3][number % 2]
        wanted = [whole, changed, without][target - 1]
        fill(folder, whole)
        process = restore(store, folder, target)
        # No state can be waited for: any moment is one to be killed in.
        time.sleep(random.uniform(0, duration))
        process.kill()
        process.communicate()
        found = meaning(content(folder))
        assert found in (meaning(whole), meaning(wanted)), (number, target)
        outcomes["new" if found == meaning(wanted) else "old"] += 1
        # The next write ends what this one has begun.
        finish(restore(store, folder, target))
        assert content(folder) == wanted
        leftovers = [path.name for path in folder.rglob(".*") if path.name != ".mambridge-edited"]
        assert leftovers == []
    print(outcomes)


class Writer:
    """An administrator who changes a member of a policy, again and again, until the service does not answer."""

    PATH = "/v1.0/deviceAppManagement/iosManagedAppProtections/T_killed"

    def __init__(self, company: Company, first: int):
        self.company, self.token = company, f"Bearer {company.token(READER, WRITER, 'Policy.Write')}"
        self.tried = self.acknowledged = first
        self.has_begun = threading.Event()
        self.thread = threading.Thread(target=self.write)
        self.thread.start()

    @staticmethod
    def text(number: int) -> str:
        return f"{number} " + "x" * 200_000

    def write(self) -> None:
        with contextlib.suppress(OSError, urllib.error.URLError):
            while True:
                self.tried = self.acknowledged + 1
                body = {"description": self.text(self.tried)}
                answer = self.company.request("PATCH", self.PATH, self.token, body)
                if answer.status in (429, 503):
                    # Too often, or another process has changed the folder a moment ago.
                    time.sleep(0.2)
                    continue
                assert answer.status == 204, answer
                self.acknowledged = self.tried
                self.has_begun.set()


def test_a_killed_service_keeps_every_change_it_acknowledged(tenant_program: str, tmp_path: pathlib.Path) -> None:
    company = Company(tenant_program, tmp_path, ["--writable", "--write-role", "Policy.Write"])
    try:
        file = company.tenant.path / "policies" / "T_killed.json"
        file.write_text(policy(4).replace("T_1", "T_killed"))
        value = 0
        for _ in range(max(3, ROUNDS // 5)):
            writer = Writer(company, value)
            assert writer.has_begun.wait(60), company.service.lines
            # No state can be waited for: any moment is one to be killed in.
            time.sleep(random.uniform(0, 0.3))
            company.service.kill()
            writer.thread.join(60)
            description = json.loads(file.read_text())["description"]
            value = int(description.split()[0])
            assert value in (writer.acknowledged, writer.tried), (value, writer.acknowledged, writer.tried)
            company.service.start()
            assert company.get(Writer.PATH).body["description"] == description == Writer.text(value)
            # Nothing of the killed write is left in the way of the next one.
            assert [path.name for path in company.tenant.path.rglob("*.new*")] == []
    finally:
        company.close()
