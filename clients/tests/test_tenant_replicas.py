"""Several replicas of mambridge-tenant serve that share a PostgreSQL database, which the tests start."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from replicas import Answer, Device, Issuer, PostgreSQL, Replica, postgresql_programs, write_tenant
from waiting import SOON, wait_for

ROOT = Path(__file__).resolve().parent.parent.parent
WRITER = "DeviceManagementApps.ReadWrite.All"
Start = Callable[..., Replica]


@pytest.fixture(scope="module")
def program() -> str:
    named = os.environ.get("MAMBRIDGE_TENANT_PROGRAM") or str(ROOT / ".build" / "debug" / "mambridge-tenant")
    if not Path(named).exists():
        pytest.skip("mambridge-tenant is not built: run scripts/build debug tenant")
    if not postgresql_programs():
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed")
    if subprocess.run([named, "publish", "--help"], capture_output=True).returncode:
        pytest.skip("mambridge-tenant is built without its network code: run scripts/build debug tenant")
    return named


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Not below pytest's folder, which the user of the server cannot enter."""
    with tempfile.TemporaryDirectory(prefix="replicas-") as made:
        Path(made).chmod(0o711)
        yield Path(made)


@pytest.fixture(scope="module")
def server(program: str, folder: Path) -> Iterator[PostgreSQL]:
    made = PostgreSQL(folder / "postgresql")
    yield made
    made.stop()


@pytest.fixture(scope="module")
def issuer(folder: Path) -> Iterator[Issuer]:
    made = Issuer(folder / "issuer")
    yield made
    made.close()


@pytest.fixture
def database(server: PostgreSQL, request: pytest.FixtureRequest) -> str:
    """The name of a new database."""
    name = "".join(letter for letter in request.node.name.lower() if letter.isalnum())[:40]
    server.make_database(name)
    return name


@pytest.fixture
def tenant(tmp_path: Path) -> Path:
    return write_tenant(tmp_path / "tenant")


@pytest.fixture
def publish(program: str, server: PostgreSQL, database: str, tenant: Path) -> Callable[[], str]:
    def publish() -> str:
        command = [program, "publish", str(tenant), "--store", server.url(database)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return publish


@pytest.fixture
def start(program: str, server: PostgreSQL, database: str, issuer: Issuer, tmp_path: Path) -> Iterator[Start]:
    """Starts a replica; at the end all are stopped."""
    started: list[Replica] = []

    def start(waits: bool = True) -> Replica:
        log = tmp_path / f"replica-{len(started)}.log"
        started.append(Replica(program, server.url(database), issuer, log))
        return started[-1].ready() if waits else started[-1]

    yield start
    for replica in started:
        replica.stop()


def policy_of(answer: Answer) -> bool:
    assert answer.status == 200, answer
    return bool(answer.body["policies"][0]["pinRequired"])


def states(server: PostgreSQL, database: str) -> str:
    """What became of each operation, in order."""
    return server.query("SELECT state, outcome FROM operation_target ORDER BY changed", database)


def test_a_wipe_ordered_at_one_replica_wakes_a_poll_at_the_other(
    start: Start, publish: Callable[[], str], issuer: Issuer, server: PostgreSQL, database: str
) -> None:
    publish()
    first, second = start(), start()
    device, token = Device(), issuer.token()
    revision = first.check_in(device, token).body["revision"]
    woken: list[float] = []

    def poll() -> None:
        answer = first.poll(device, revision)
        woken.append(time.monotonic())
        assert answer.body["changed"] == [device.registration] and answer.body["spread"] == 0, answer

    with ThreadPoolExecutor() as threads:
        polling = threads.submit(poll)
        time.sleep(0.5)
        assert not woken
        ordered = time.monotonic()
        assert second.order_wipe(device, issuer.token(roles=[WRITER])).status in (200, 204)
        polling.result(timeout=30)
    assert woken[0] - ordered < 20, "the poll ended by its own time"
    [operation] = first.check_in(device, token).body["operations"]
    assert operation["type"] == "wipe"
    for replica in (second, first, second):
        assert replica.report(device, operation["id"]).status == 200
    assert states(server, database) == "completed|done"
    assert second.check_in(device, token).body["operations"] == []


def test_a_replica_killed_in_the_middle_of_a_wipe_loses_nothing(
    start: Start, publish: Callable[[], str], issuer: Issuer, server: PostgreSQL, database: str
) -> None:
    publish()
    survivor = start()
    token, administrator = issuer.token(), issuer.token(roles=[WRITER])
    for step in ("poll", "delivered", "reported"):
        victim, device = start(), Device()
        revision = victim.check_in(device, token).body["revision"]
        with ThreadPoolExecutor() as threads:
            polling = threads.submit(lambda: victim.poll(device, revision))
            assert survivor.order_wipe(device, administrator).status in (200, 204)
            if step != "poll":
                polling.result(timeout=30)
                [operation] = victim.check_in(device, token).body["operations"]
            if step == "reported":
                victim.report(device, operation["id"])
            victim.kill()
            if step == "poll":
                polling.exception(timeout=30)
        # The host asks the other replica, as if nothing had happened; it may report twice.
        operations = survivor.check_in(device, token).body["operations"]
        assert len(operations) == (0 if step == "reported" else 1)
        for left in operations or [operation]:
            assert survivor.report(device, left["id"]).status == 200
        assert survivor.check_in(device, token).body["operations"] == []
    assert states(server, database) == "\n".join(["completed|done"] * 3)
    assert server.query("SELECT count(*) FROM audit WHERE action = 'complete'", database) == "3"


def test_replicas_answer_503_while_the_database_is_stopped_and_recover_without_a_restart(
    start: Start, publish: Callable[[], str], issuer: Issuer, server: PostgreSQL
) -> None:
    publish()
    replicas = [start(), start()]
    device, token = Device(), issuer.token()
    revision = replicas[0].check_in(device, token).body["revision"]
    for replica in replicas:
        assert replica.request("GET", "/health/ready").status == 200
    with ThreadPoolExecutor() as threads:
        polling = threads.submit(lambda: replicas[0].poll(device, revision, seconds=25))
        server.stop()
        for replica in replicas:
            began = time.monotonic()
            answer = replica.check_in(device, token)
            assert answer.status == 503 and int(answer.headers["Retry-After"]) > 0, answer
            assert time.monotonic() - began < SOON
            assert replica.request("GET", "/health/ready").status == 503
            assert replica.request("GET", "/health/live").status == 200
        server.start()
        for replica in replicas:
            wait_for(lambda: replica.check_in(device, token).status == 200, "the replica heals")
            assert replica.request("GET", "/health/ready").status == 200
        # A notice that nobody could hear while the connection was down is made up for.
        assert replicas[1].order_wipe(device, issuer.token(roles=[WRITER])).status in (200, 204)
        assert polling.result(timeout=30).status in (200, 503)
    changed = [device.registration]
    wait_for(lambda: replicas[0].poll(device, revision, 0).body["changed"] == changed, "the wipe is seen")


def test_a_replica_starts_while_the_database_is_down_and_becomes_ready_later(
    start: Start, publish: Callable[[], str], issuer: Issuer, server: PostgreSQL
) -> None:
    publish()
    server.stop()
    try:
        replica, device, token = start(), Device(), issuer.token()
        assert replica.request("GET", "/health/live").status == 200
        assert replica.request("GET", "/health/ready").status == 503
        answer = replica.check_in(device, token)
        assert answer.status == 503 and int(answer.headers["Retry-After"]) > 0, answer
        assert "the store cannot be used yet: " in replica.text
        assert replica.process.poll() is None
    finally:
        server.start()
    wait_for(lambda: replica.request("GET", "/health/ready").status == 200, "the replica is ready")
    assert replica.check_in(device, token).status == 200
    assert "the store can be used" in replica.text


def test_publishing_reaches_all_replicas_while_they_serve(
    start: Start, publish: Callable[[], str], issuer: Issuer, tenant: Path
) -> None:
    publish()
    replicas = [start(), start()]
    devices, token = [Device(), Device()], issuer.token()
    failures: list[Answer] = []
    ends = threading.Event()

    def load(replica: Replica, device: Device) -> None:
        while not ends.wait(0.05):
            answer = replica.check_in(device, token)
            if answer.status not in (200, 429):
                failures.append(answer)

    with ThreadPoolExecutor() as threads:
        for replica, device in zip(replicas, devices):
            threads.submit(load, replica, device)
        try:
            for required in (False, True, False):
                write_tenant(tenant, pin_required=required)
                assert "pinRequired" in publish()
                assert "unchanged" in publish()
                for replica in replicas:
                    wait_for(
                        lambda: policy_of(replica.check_in(Device(), token)) == required, "the policy is delivered")
        finally:
            ends.set()
    assert not failures


def test_replicas_that_start_together_on_an_empty_database_create_one_schema(
    start: Start, publish: Callable[[], str], issuer: Issuer, server: PostgreSQL, database: str
) -> None:
    replicas = [start(waits=False) for _ in range(3)]
    for replica in replicas:
        replica.ready()
        assert replica.request("GET", "/health/ready").status == 503, "nothing is published"
    assert server.query("SELECT key, value FROM meta WHERE key IN ('compatibleFrom', 'schemaVersion') ORDER BY key", database) == (
        "compatibleFrom|1\nschemaVersion|4")
    publish()
    for replica in replicas:
        wait_for(lambda: replica.request("GET", "/health/ready").status == 200, "the publication is noticed")


def test_an_older_replica_serves_beside_a_newer_one_unless_it_is_too_old(
    start: Start, publish: Callable[[], str], issuer: Issuer, server: PostgreSQL, database: str
) -> None:
    publish()
    running, token = start(), issuer.token()
    # What a newer program does to the database.
    server.query(
        "ALTER TABLE registration ADD COLUMN newer TEXT DEFAULT 'x' NOT NULL; CREATE TABLE newest (id TEXT);"
        "UPDATE meta SET value = '5' WHERE key = 'schemaVersion'", database)
    for replica in (running, start()):
        device = Device()
        assert replica.check_in(device, token).status == 200
        assert running.check_in(device, token).status == 200
    server.query("UPDATE meta SET value = '5' WHERE key = 'compatibleFrom'", database)
    refused = start(waits=False)
    # A running one looks again every 30 seconds, and when its connection was lost.
    server.query(
        f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database}'", "postgres")
    for replica in (refused, running):
        assert replica.process.wait(timeout=40) == 78
        assert "schema version 5" in replica.text and "this program has version 4" in replica.text


def test_a_database_with_tls_is_used_only_with_a_trusted_certificate(
    program: str, server: PostgreSQL, database: str, tenant: Path, folder: Path
) -> None:
    def publish(options: str) -> "subprocess.CompletedProcess[str]":
        url = server.url(database).replace("127.0.0.1", "localhost") + f"?{options}"
        command = [program, "publish", str(tenant), "--store", url]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    refused = publish("sslmode=require")
    assert refused.returncode == 69 and "SSL" in refused.stderr
    data = Path(server.data)
    for name, subject in (("server", "localhost"), ("other", "elsewhere")):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={subject}",
             "-addext", f"subjectAltName=DNS:{subject}", "-keyout", data / f"{name}.key", "-out", data / f"{name}.crt"],
            check=True, capture_output=True)
        owner = data.stat()
        for suffix in ("key", "crt"):
            os.chown(data / f"{name}.{suffix}", owner.st_uid, owner.st_gid)
            (data / f"{name}.{suffix}").chmod(0o600)
    server.stop()
    server.start("ssl=on")
    try:
        assert publish(f"sslmode=verify-full&sslrootcert={data}/server.crt").returncode == 0
        untrusted = publish(f"sslmode=verify-full&sslrootcert={data}/other.crt")
        assert untrusted.returncode == 69 and "certificate verify failed" in untrusted.stderr
    finally:
        server.stop()
        server.start()


def test_replicas_keep_a_missing_policy_until_an_administrator_accepts_its_removal(
    program: str, start: Start, publish: Callable[[], str], issuer: Issuer, server: PostgreSQL, database: str, tenant: Path
) -> None:
    publish()
    replicas, token = [start(), start()], issuer.token()
    (tenant / "policies/ios.json").unlink()
    assert 'held back: 1 policy ("T_policy")' in publish()
    assert "unchanged" in publish()

    def held() -> list[int]:
        return [replica.request("GET", "/health/ready").body["heldRemovals"] for replica in replicas]

    wait_for(lambda: held() == [1, 1], "all replicas say what is held")
    assert all(policy_of(replica.check_in(Device(), token)) for replica in replicas)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [program, *arguments, "--store", server.url(database)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    strict = run("publish", str(tenant), "--strict")
    assert strict.returncode == 1 and "nothing was published" in strict.stderr
    [kept, revision] = run("accept", "--dry-run").stdout.splitlines()
    assert kept == 'held back: 1 policy ("T_policy")'
    assert run("accept", "--revision", "00000000").returncode == 1
    assert run("accept", "--revision", revision.removeprefix("revision: ")).stdout == 'removed: 1 policy ("T_policy")\n'
    assert run("accept").stdout == "nothing is held back\n"
    wait_for(lambda: held() == [0, 0], "all replicas follow")
    assert all(replica.check_in(Device(), token).body["policies"] == [] for replica in replicas)
    write_tenant(tenant)
    publish()
    (tenant / "policies/ios.json").unlink()
    allowed = run("publish", str(tenant), "--allow-removals")
    assert allowed.returncode == 0 and "removed" in allowed.stdout and "held back" not in allowed.stdout


def test_publish_refuses_to_overwrite_changes_that_others_made(
    program: str, publish: Callable[[], str], server: PostgreSQL, database: str, tenant: Path
) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [program, *arguments, "--store", server.url(database)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)

    publish()
    write_tenant(tenant, pin_required=False)
    publish()
    assert run("history", "--restore", "1", "--yes").stdout == "edition 1 is back, as edition 3\n"
    for options in ([], ["--dry-run"]):
        refused = run("publish", str(tenant), *options)
        assert refused.returncode == 1 and not refused.stdout, refused
        assert "others have changed the tenant since edition 2" in refused.stderr and "policies/ios.json" in refused.stderr
        assert "history --restore 3 --folder" in refused.stderr and "--replace-edits" in refused.stderr
    # As the message says.
    brought = run("history", "--restore", "3", "--folder", str(tenant), "--yes")
    assert brought.returncode == 0, brought
    assert json.loads((tenant / "policies/ios.json").read_text())["pinRequired"] is True
    assert publish().splitlines()[-1] == "published version 4"
    write_tenant(tenant, pin_required=False)
    assert publish().splitlines()[-1] == "published version 5"
    run("history", "--restore", "1", "--yes")
    replaced = run("publish", str(tenant), "--replace-edits")
    assert replaced.returncode == 0 and replaced.stdout.splitlines()[-1] == "published version 7", replaced
