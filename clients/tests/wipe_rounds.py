"""Rounds of a wipe, in each of which something is killed: what must be true at the end is the same for all."""
from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import sqlite3
import ssl
import threading
import time
import urllib.request
import uuid
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from conftest import ALICE
from mambridge import Client, MambridgeError
from system_calls import Tracer
from tenant_front import Cut, Exchange, Front
from tenants import ALICE_ID, WIPED, Authority, Device, Issuer, Service, TenantFolder, base64_text
from waiting import wait_for

BOB, BOB_ID = "bob@contoso.example", "b0b00000-44d7-43e1-9a83-5f2406dee5bd"
TEXT = base64_text("work data")
ENROLL = "enrollmentManager.registerAndEnrollAccount"
PATIENCE = 60
# A wipe is over when it is reported, and nothing that leaves a trace has happened for so many seconds.
QUIET = 0.3


@dataclass(frozen=True)
class Round:
    """What is killed, and when: at a moment of an exchange with the service, or before system calls of the victim, one
    after another. Without a moment and calls, right after the order. The victim "network" loses the answer."""

    victim: str
    moment: "tuple[str, str] | None" = None
    calls: "tuple[int, ...]" = ()
    # Whether the service pushes the wipe; else the host checks in.
    is_pushed: bool = True

    def __str__(self) -> str:
        when = f"before call {' and '.join(map(str, self.calls))}" if self.calls else " ".join(self.moment or ("order", "stored"))
        return f"{self.victim} {when}"


@dataclass
class Attempt:
    """A device, and what its exchanges with the service have shown so far."""

    plan: Round
    device: Device
    registration: str = ""
    tag: str = ""
    is_polling: threading.Event = field(default_factory=threading.Event)
    is_ordered: threading.Event = field(default_factory=threading.Event)
    is_struck: threading.Event = field(default_factory=threading.Event)

    def is_due(self, exchange: Exchange) -> bool:
        """Whether the exchange is at the moment of the plan. A poll counts when it brings the change."""
        if not self.is_ordered.is_set() or self.is_struck.is_set() or (exchange.kind, exchange.moment) != self.plan.moment:
            return False
        return exchange.kind != "poll" or bool(exchange.answer["changed"])


class Lane:
    """A company with its own service, in which one device after another is wiped. Another device of the same user, and
    one of another user, must not notice."""

    def __init__(
        self, binary: str, program: str, folder: Path, authority: Authority, certificate: "tuple[Path, Path]", issuer: Issuer
    ):
        folder.mkdir()
        self.binary, self.program, self.folder, self.authority, self.issuer = binary, program, folder, authority, issuer
        tenant = TenantFolder(folder / "tenant")
        tenant.tenant["users"].append({"id": BOB_ID, "userPrincipalName": BOB, "displayName": "Bob Brown", "groups": ["staff"]})
        tenant.write()
        limits = ["--limit", "burst=100000", "--limit", "rate=10000"]
        self.service = Service(program, tenant, issuer, certificate, folder / "store", limits)
        self.tokens = {ALICE: issuer.token(), BOB: issuer.token(oid=BOB_ID)}
        self.administrator = issuer.token(oid=str(uuid.uuid4()), roles=["DeviceManagementApps.ReadWrite.All"])
        self.trust = ssl.create_default_context(cafile=str(authority.path))
        self.front = Front(0, certificate, authority.path)
        self.count = 0
        self.bystanders: "list[tuple[Device, str, str]]" = []

    def start(self) -> None:
        self.service.start()
        self.front.upstream = self.service.port
        self.bystanders = [self._bystander(user) for user in (ALICE, BOB)]

    def close(self) -> None:
        self.front.close()
        self.service.kill()

    def query(self, sql: str, *values: str) -> "list[tuple[str, ...]]":
        with contextlib.closing(sqlite3.connect(f"file:{self.service.store}?mode=ro", uri=True, timeout=10)) as store:
            return store.execute(sql, values).fetchall()

    def device(self) -> Device:
        self.count += 1
        return Device(self.binary, self.program, self.authority.path, self.folder / f"device-{self.count}", self.front.url)

    # Bystanders

    def _bystander(self, user: str) -> "tuple[Device, str, str]":
        device = self.device()
        client = device.start(self.tokens[user])
        assert client.call(ENROLL, account=user)["didSucceed"]
        secret = client.call("dataProtectionManager.protect", data=TEXT, account=user)
        device.end()
        return device, user, secret

    def assert_nobody_else_was_touched(self) -> None:
        """The devices check in once more, so that a wipe that was meant for them by mistake would arrive."""
        self.front.watcher = lambda _: None
        for device, user, secret in self.bystanders:
            client = device.start(self.tokens[user])
            assert client.call("tenant.checkIn")[0]["statusCode"] in (100, 101)
            assert client.call("dataProtectionManager.unprotect", data=secret) == TEXT
            assert client.call("policyManager.policy", account=user)["managed"] is True
            assert WIPED not in [event["type"] for event in client.call("events.list")["events"]]
            device.end()

    # A round

    def run(self, plan: Round) -> "list[list[str]]":
        """Returns the system calls of the victim, up to each kill."""
        attempt = Attempt(plan, self.device())
        self.front.watcher = lambda exchange: self._watch(exchange, attempt)
        try:
            return self._run(attempt)
        finally:
            attempt.device.kill()

    def _run(self, attempt: Attempt) -> "list[list[str]]":
        device, plan = attempt.device, attempt.plan
        client = device.start(self.tokens[ALICE])
        assert client.call(ENROLL, account=ALICE)["didSucceed"]
        secret = client.call("dataProtectionManager.protect", data=TEXT, account=ALICE)
        file = device.state.with_name("report.txt")
        file.write_text("work data")
        client.call("fileProtectionManager.protect", path=str(file), account=ALICE)
        if plan.is_pushed:
            assert attempt.is_polling.wait(PATIENCE), "mambridge does not wait for changes"
        traced = self._kill_before_calls(attempt) if plan.calls else self._kill_at_moment(attempt)
        wait_for(lambda: self._state(attempt) == "completed", "the report of the operation", PATIENCE)
        self._check(attempt, secret, file)
        return traced

    def _watch(self, exchange: Exchange, attempt: Attempt) -> None:
        if (exchange.kind, exchange.moment) == ("check-in", "asked") and not attempt.registration:
            attempt.registration = exchange.body["registration"]["id"]
            attempt.tag = exchange.body["device"]["tag"]
        if exchange.kind == "poll" and exchange.body["wait"]:
            attempt.is_polling.set()
        if attempt.is_due(exchange):
            self._strike(attempt)

    def _strike(self, attempt: Attempt) -> None:
        victim = attempt.plan.victim
        if victim == "network":
            attempt.is_struck.set()
            raise Cut
        for process in self._processes(attempt):
            os.kill(process, signal.SIGKILL)
        attempt.is_struck.set()

    def _processes(self, attempt: Attempt) -> "list[int]":
        if attempt.plan.victim == "source":
            return list(attempt.device.sources())
        running = self.service.process if attempt.plan.victim == "service" else attempt.device.client
        return [running.pid] if running and running.pid else []

    def _recover(self, attempt: Attempt) -> None:
        """Starts again what nothing else starts."""
        if attempt.plan.victim == "service":
            self.service.kill()
            self.service.start()
        elif attempt.plan.victim == "bridge":
            attempt.device.kill()
            attempt.device.start()

    def _kill_at_moment(self, attempt: Attempt) -> "list[list[str]]":
        self._order(attempt)
        if not attempt.plan.moment:
            self._strike(attempt)
        assert attempt.is_struck.wait(PATIENCE), "the moment does not come"
        self._recover(attempt)
        return []

    def _kill_before_calls(self, attempt: Attempt) -> "list[list[str]]":
        traced = []
        for number in attempt.plan.calls:
            process = wait_for(lambda: self._processes(attempt), "there is a victim", PATIENCE)[0]
            tracer = Tracer(process, number)
            try:
                if not attempt.is_ordered.is_set():
                    self._order(attempt)
                if not attempt.plan.is_pushed:
                    threading.Thread(target=self._check_in, args=(attempt.device.client,), daemon=True).start()
                self._wait_until_killed_or_over(attempt, tracer)
            finally:
                tracer.end()
            traced.append(tracer.calls)
            if tracer.has_killed:
                self._recover(attempt)
                # The administrator looks whether the order has arrived, and repeats it if not.
                self._order(attempt)
        return traced

    @staticmethod
    def _check_in(client: Client) -> None:
        with contextlib.suppress(MambridgeError, OSError, ValueError):
            client.call("tenant.checkIn")

    def _wait_until_killed_or_over(self, attempt: Attempt, tracer: Tracer) -> None:
        seen, since = -1, time.monotonic()

        def is_over() -> bool:
            nonlocal seen, since
            if seen != len(tracer.calls):
                seen, since = len(tracer.calls), time.monotonic()
            return tracer.has_killed or time.monotonic() > since + QUIET and self._state(attempt) == "completed"

        wait_for(is_over, "the victim is killed, or the wipe is over", PATIENCE)

    # The administrator

    def _order(self, attempt: Attempt) -> None:
        attempt.is_ordered.set()
        if not self._operations(attempt):
            url = f"{self.service.url}/v1.0/users/{ALICE_ID}/wipeManagedAppRegistrationsByDeviceTag"
            headers = {"Authorization": f"Bearer {self.administrator}", "Content-Type": "application/json"}
            request = urllib.request.Request(url, json.dumps({"deviceTag": attempt.tag}).encode(), headers)
            # A service that is killed does not answer.
            faults = (OSError, http.client.HTTPException) if attempt.plan.victim == "service" else ()
            with contextlib.suppress(*faults):
                urllib.request.urlopen(request, context=self.trust, timeout=30).close()

    def _operations(self, attempt: Attempt) -> "list[tuple[str, ...]]":
        return self.query(
            "SELECT operation_id, state FROM operation_target WHERE registration_id = ?", attempt.registration)

    def _state(self, attempt: Attempt) -> "str | None":
        operations = self._operations(attempt)
        assert len(operations) <= 1, operations
        return operations[0][1] if operations else None

    # What must be true at the end

    def _check(self, attempt: Attempt, secret: str, file: Path) -> None:
        [(operation, _)] = self._operations(attempt)
        subject = f"{operation} in {attempt.registration}"
        noted = self.query("SELECT outcome FROM audit WHERE action = 'complete' AND subject = ?", subject)
        assert noted == [("done",)], f"the service has noted {noted}"
        targets = self.query("SELECT registration_id FROM operation_target WHERE operation_id = ?", operation)
        assert targets == [(attempt.registration,)], f"the operation has the targets {targets}"
        client = attempt.device.client
        assert client
        with pytest.raises(MambridgeError):
            client.call("dataProtectionManager.unprotect", data=secret)
        assert not file.exists(), "the file is still there"
        accounts = client.call("enrollmentManager.registeredAccounts")
        assert accounts == [], f"these accounts are still registered: {accounts}"
        count = [event["type"] for event in client.call("events.list")["events"]].count(WIPED)
        assert count == 1, f"{WIPED} was sent {count} times"
