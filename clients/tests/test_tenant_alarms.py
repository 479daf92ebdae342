"""Each row of the table of alarms in docs/tenant-service.md names a test here, which makes the alarm ring."""
from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import resource
import signal
import socket
import sqlite3
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import replicas
from administrators import READER, Company
from conftest import ROOT
from processes import take_descriptors
from replicas import Device, PostgreSQL, Replica
from tenants import ALICE_ID, Authority, Issuer, Service, TenantFolder, base64url
from test_full_disk import disk, fill  # noqa: F401
from test_tenant_replicas import database, folder, issuer, program, server  # noqa: F401
from waiting import SECONDS, wait_for

PAGE = (ROOT / "docs" / "tenant-service.md").read_text()
TABLE = PAGE.partition("## Watch it")[2].partition("\n## ")[0]
ROWS = [line for line in TABLE.splitlines() if line.startswith("| ") and not line.startswith("| alarm |")]
TESTS = "\n".join((Path(__file__).parent / name).read_text() for name in (Path(__file__).name, "test_open_files.py", "test_pull.py"))
WEEK = 7 * 86400 * 1000


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split(" | ")[0].strip("| "))
def test_every_row_of_the_alarm_table_names_an_existing_test(row: str) -> None:
    [name] = re.findall(r"`(test_\w+)`", row.rstrip("| ").rpartition(" | ")[2])
    assert f"def {name}(" in TESTS


def request(service: Service, path: str, seconds: float = 30) -> "tuple[int, dict[str, Any]]":
    """Does not look at the certificate."""
    connection = http.client.HTTPSConnection(
        "127.0.0.1", service.port, timeout=seconds, context=ssl._create_unverified_context())
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


class Metrics:
    """The metrics of a service; inside a `with`, over one connection."""

    def __init__(self, service: Service) -> None:
        self.connection = http.client.HTTPConnection(service.metrics.rpartition("/")[2], timeout=30)
        self.stays = False

    def __enter__(self) -> "Metrics":
        self.stays = True
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def __call__(self) -> "dict[str, float]":
        self.connection.request("GET", "/metrics")
        lines = self.connection.getresponse().read().decode().splitlines()
        if not self.stays:
            self.connection.close()
        return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if line[0] != "#")}

    def wait(self, name: str, condition: "Callable[[float], bool]") -> None:
        wait_for(lambda: condition(self()[name]), name)


Start = Callable[..., Service]


@pytest.fixture
def start(tenant_program: str, tmp_path: Path) -> Iterator[Start]:
    """Starts the service of a new company, with options, and with its store at another place if one is named."""
    made: "list[Service]" = []
    issuers: "list[Issuer]" = []

    def begin(*options: str, store: "Path | None" = None, runs: bool = True, **certificate: float) -> Service:
        home = tmp_path / str(len(made))
        home.mkdir()
        issuers.append(Issuer(home / "issuer"))
        made.append(Service(
            tenant_program, TenantFolder(home / "tenant"), issuers[-1],
            Authority(home / "ca").sign("service", **certificate), store or home / "store", list(options)))
        return made[-1].start() if runs else made[-1]

    yield begin
    for service in made:
        service.kill()
    for provider in issuers:
        provider.close()


@pytest.fixture
def company(tenant_program: str, tmp_path: Path) -> Iterator[Company]:
    made = Company(tenant_program, tmp_path, ["--limit", "registrations=1", "--limit", "burst=9"])
    yield made
    made.close()


def test_every_counter_is_exported_as_0_before_its_first_event(start: Start) -> None:
    metrics = Metrics(start())()
    counters = {name for name in metrics if name.partition("{")[0].endswith("_total")}
    named = {name for name in re.findall(r"`(mambridge_\w+_total)", TABLE) if "pull" not in name}
    assert named <= {name.partition("{")[0] for name in counters}
    assert {"mambridge_check_ins_total{outcome=\"delivered\"}",
            "mambridge_requests_total{route=\"/mam/v1/check-in\",status=\"429\"}"} <= counters
    assert {name: metrics[name] for name in counters if metrics[name]} == {}
    gauges = set(re.findall(r"`(mambridge_\w+)`", TABLE)) - {name for name in named}
    assert {name for name in gauges if "pull" not in name and not name.endswith("_total")} <= set(metrics)


def test_a_hanging_process_does_not_answer_health_live(start: Start) -> None:
    service = start()
    assert request(service, "/health/live")[0] == 200 and service.process
    service.process.send_signal(signal.SIGSTOP)
    with pytest.raises(OSError):
        request(service, "/health/live", seconds=1)
    service.process.send_signal(signal.SIGCONT)
    assert request(service, "/health/live")[0] == 200


def test_a_full_disk_counts_as_a_store_failure_and_health_ready_is_503(start: Start, disk: Path) -> None:  # noqa: F811
    service = start(store=disk / "store")
    metrics = Metrics(service)
    assert request(service, "/health/ready")[0] == 200
    filling = fill(disk)
    wait_for(lambda: request(service, "/health/ready")[0] == 503, "not ready")
    assert request(service, "/health/ready")[1]["store"] is False
    metrics.wait("mambridge_store_failures_total", lambda value: value > 0)
    assert any("the store failed: " in line and "full" in line for line in service.lines), service.lines
    filling.unlink()
    wait_for(lambda: request(service, "/health/ready")[0] == 200, "ready again")


def test_health_ready_is_503_while_the_store_cannot_be_written(start: Start) -> None:
    service = start()
    other = sqlite3.connect(service.store, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    status, body = request(service, "/health/ready")
    assert (status, body["status"], body["store"]) == (503, "notReady", False)
    assert request(service, "/health/live")[0] == 200
    other.execute("ROLLBACK")
    other.close()
    wait_for(lambda: request(service, "/health/ready")[0] == 200, "ready again")


def signal_all(process: "subprocess.Popen[bytes]", number: int) -> None:
    """To the server of a database, and to the processes of its connections."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    for identifier in [process.pid, *map(int, children)]:
        os.kill(identifier, number)


def test_health_ready_is_503_while_the_database_does_not_answer(
    server: PostgreSQL, database: str, program: str, issuer: replicas.Issuer, tmp_path: Path  # noqa: F811
) -> None:
    tenant = replicas.write_tenant(tmp_path / "tenant")
    subprocess.run([program, "publish", str(tenant), "--store", server.url(database)], check=True, capture_output=True, timeout=60)
    replica = Replica(program, server.url(database), issuer, tmp_path / "log").ready()
    assert server.process
    try:
        wait_for(lambda: replica.request("GET", "/health/ready").status == 200, "ready")
        signal_all(server.process, signal.SIGSTOP)
        wait_for(lambda: replica.request("GET", "/health/ready").status == 503, "not ready")
        assert replica.request("GET", "/health/live").status == 200
    finally:
        signal_all(server.process, signal.SIGCONT)
    wait_for(lambda: replica.request("GET", "/health/ready").status == 200, "ready again")
    replica.stop()


def test_health_ready_is_503_for_a_replica_without_a_tenant(
    server: PostgreSQL, database: str, program: str, issuer: replicas.Issuer, tmp_path: Path  # noqa: F811
) -> None:
    replica = Replica(program, server.url(database), issuer, tmp_path / "log").ready()
    answer = replica.request("GET", "/health/ready")
    assert (answer.status, answer.body["store"], answer.body["generation"]) == (503, True, None)
    replica.stop()


def test_health_ready_is_503_with_an_expired_certificate(start: Start) -> None:
    service = start(start=-7200, end=-3600)
    status, body = request(service, "/health/ready")
    assert (status, body["store"]) == (503, True) and body["certificateEnd"] < time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    assert Metrics(service)()["mambridge_certificate_end_seconds"] < time.time()


def test_a_metric_shows_when_the_certificate_expires(start: Start) -> None:
    rest = Metrics(start(end=86400))()["mambridge_certificate_end_seconds"] - time.time()
    assert 86400 - 120 < rest <= 86400


def test_an_unreadable_tenant_sets_the_metric_mambridge_tenant_problem(start: Start) -> None:
    service = start()
    metrics = Metrics(service)
    assert metrics()["mambridge_tenant_problem"] == 0
    (service.folder.path / "tenant.json").write_text("{")
    metrics.wait("mambridge_tenant_problem", lambda value: value == 1)
    service.folder.write()
    metrics.wait("mambridge_tenant_problem", lambda value: value == 0)


def test_a_service_without_file_descriptors_sets_a_metric_and_logs_its_limit(start: Start) -> None:
    service = start()
    assert service.process
    pid = service.process.pid
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    with Metrics(service) as metrics:
        assert metrics()["mambridge_tenant_problem"] == 0
        # Some are left, for the libraries: libdispatch would end the process without any. The service may have the folder
        # open just now, so more than one look may be needed.
        wait_for(lambda: take_descriptors(pid, 4) and metrics()["mambridge_tenant_problem"], "no descriptor is to be had")
        wait_for(lambda: any("Raise its limit of open files" in line for line in service.lines), "the log names the limit")
        assert not any("Create the folder" in line for line in service.lines)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
        metrics.wait("mambridge_tenant_problem", lambda value: value == 0)


def test_missing_users_set_the_metric_mambridge_held_removals(start: Start) -> None:
    service = start()
    metrics = Metrics(service)
    assert metrics()["mambridge_held_removals"] == 0
    service.folder.tenant["users"] = []
    service.folder.write()
    metrics.wait("mambridge_held_removals", lambda value: value > 0)


def test_a_hold_of_wipes_sets_the_metric_mambridge_wipes_held(start: Start) -> None:
    service = start()
    metrics = Metrics(service)
    assert metrics()["mambridge_wipes_held"] == 0
    command = [service.program, "hold", "--store", f"sqlite:{service.store}"]
    subprocess.run([*command, "wipes", "--why", "ticket 4711"], check=True, timeout=60)
    metrics.wait("mambridge_wipes_held", lambda value: value == 1)
    assert metrics()["mambridge_wipes_held_since_seconds"] > 0
    subprocess.run([*command, "lift"], check=True, timeout=60)
    metrics.wait("mambridge_wipes_held", lambda value: value == 0)


def test_an_operation_for_an_unknown_user_is_ignored_and_counted(start: Start) -> None:
    service = start()
    service.folder.tenant["operations"].append(
        {"type": "wipe", "user": "nobody@contoso.example", "app": "*", "requestedDateTime": "2026-01-01T00:00:00Z"})
    service.folder.write()
    Metrics(service).wait("mambridge_ignored_operations", lambda value: value == 1)


def test_an_unreachable_provider_sets_mambridge_provider_problem_until_it_answers(start: Start) -> None:
    service = start(runs=False)
    documents = service.issuer.documents
    known = dict(documents)
    documents.clear()
    metrics = Metrics(service.start())
    metrics.wait("mambridge_provider_failures_total", lambda value: value > 0)
    assert metrics()["mambridge_provider_problem"] == 1
    assert any("identity provider" in line for line in service.lines)
    documents.update(known)
    metrics.wait("mambridge_provider_problem", lambda value: value == 0)


def with_key(token: str, name: str) -> str:
    _, payload, signature = token.split(".")
    head = base64url(json.dumps({"alg": "RS256", "kid": name, "typ": "JWT"}).encode())
    return ".".join((head, payload, signature))


def test_tokens_with_unknown_signing_keys_are_counted(company: Company) -> None:
    metrics = Metrics(company.service)
    assert company.get("/v1.0/users").status == 200
    token = company.token(READER)
    for number in range(3):
        assert company.get("/v1.0/users", with_key(token, f"guess-{number}")).status in (401, 503)
    assert metrics()["mambridge_unknown_keys_total"] == 3


def test_refused_tokens_are_counted(company: Company) -> None:
    metrics = Metrics(company.service)
    for token in (company.issuer.token(aud="api://other", roles=[READER]), company.issuer.token(oid="alice", roles=[READER])):
        assert company.get("/v1.0/users", token).status == 401
    assert metrics()["mambridge_refused_tokens_total"] == 2
    wait_for(lambda: any("oid is no GUID" in line for line in company.service.lines), "the log has the reason")


def test_requests_refused_with_429_are_counted(company: Company) -> None:
    metrics, token = Metrics(company.service), company.token(READER)
    wait_for(lambda: company.get("/v1.0/users", token).status == 429, "too many requests")
    assert metrics()['mambridge_requests_total{route="graph",status="429"}'] > 0


def test_enrollments_over_the_limit_of_a_user_are_refused_and_counted(company: Company) -> None:
    metrics = Metrics(company.service)
    company.enroll()
    answer = company.check_in(Device(user=ALICE_ID))
    assert answer.status == 403 and "has 1 registrations already" in answer.body["error"]["message"]
    assert metrics()["mambridge_refused_enrollments_total"] == 1


def test_maintenance_is_held_after_the_clock_jumps(start: Start) -> None:
    service = start()
    Metrics(service).wait("mambridge_maintenance_held", lambda value: value == 0)
    service.end()
    store = sqlite3.connect(service.store)
    store.execute("UPDATE meta SET value = CAST(CAST(value AS INTEGER) - ? AS TEXT) WHERE key = 'maintained'", (WEEK,))
    store.commit()
    store.close()
    metrics = Metrics(service.start())
    metrics.wait("mambridge_clock_alarm_seconds", lambda value: value > 0)
    assert metrics()["mambridge_maintenance_held"] == 1


def poll(company: Company, device: Device, seconds: int = 25) -> http.client.HTTPSConnection:
    """A request that waits for changes, for as long as the service allows."""
    connection = http.client.HTTPSConnection("127.0.0.1", company.service.port, timeout=SECONDS, context=company.trust)
    body = {"registrations": [{**device.credentials, "revision": None}], "wait": seconds}
    connection.request("POST", "/mam/v1/changes", json.dumps(body), {"Content-Type": "application/json"})
    return connection


def test_unauthenticated_connections_are_counted(start: Start) -> None:
    service = start()
    metrics = Metrics(service)
    strangers = [socket.create_connection(("127.0.0.1", service.port)) for _ in range(5)]
    metrics.wait("mambridge_unauthenticated_connections", lambda value: value >= 5)
    metrics.wait("mambridge_connections", lambda value: value >= 5)
    for stranger in strangers:
        stranger.close()
    metrics.wait("mambridge_unauthenticated_connections", lambda value: value == 0)


def test_metrics_show_the_open_polls_and_their_limit(tenant_program: str, tmp_path: Path) -> None:
    company = Company(tenant_program, tmp_path, ["--limit", "polls=1"])
    metrics = Metrics(company.service)
    waiting = poll(company, company.enroll())
    wait_for(lambda: metrics()["mambridge_open_polls"] == metrics()["mambridge_open_polls_limit"] == 1, "the limit")
    waiting.close()
    company.close()


def test_displaced_polls_are_answered_and_counted(company: Company) -> None:
    metrics, device = Metrics(company.service), company.enroll()
    waiting = [poll(company, device) for _ in range(5)]
    metrics.wait("mambridge_displaced_polls_total", lambda value: value == 3)
    heard = {connection: b"" for connection in waiting}
    wait_for(lambda: hear(heard) or sum(map(bool, heard.values())) == 3, "the displaced polls are answered")
    assert {said[:12] for said in heard.values()} == {b"", b"HTTP/1.1 200"} and metrics()["mambridge_open_polls"] == 2
    for connection in waiting:
        connection.close()


def hear(heard: "dict[http.client.HTTPSConnection, bytes]") -> None:
    """Adds what the service has said on each connection until now."""
    for connection in heard:
        connection.sock.settimeout(0)
        with contextlib.suppress(ssl.SSLWantReadError):
            heard[connection] += connection.sock.recv(1000)


def test_many_polls_with_one_secret_never_delay_the_wipe_of_another_device(tenant_program: str, tmp_path: Path) -> None:
    company = Company(tenant_program, tmp_path)
    stolen, mine = company.enroll(), company.enroll()
    # A host of the user waits for one device, and a thief with one secret for another.
    waiting = poll(company, mine)
    thieves = [poll(company, stolen) for _ in range(55)]
    late = poll(company, mine)
    answer = company.order_wipe(mine, company.token("DeviceManagementApps.ReadWrite.All"))
    assert answer.status == 204
    start = time.monotonic()
    for connection in (waiting, late):
        response = connection.getresponse()
        assert response.status == 200 and json.loads(response.read())["changed"] == [mine.registration]
    assert time.monotonic() - start < 20
    for connection in (*thieves, waiting, late):
        connection.close()
    company.close()
