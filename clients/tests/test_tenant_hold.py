"""`mambridge-tenant hold`: no data is wiped until that is lifted, and hosts block instead."""
from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import subprocess
import time
from pathlib import Path
from typing import Any, Iterator

import pytest
from conftest import ALICE
from mambridge import Client, MambridgeError
from tenants import CHANGED, WIPED, Device, Service, base64_text, service  # noqa: F401
from waiting import SOON, wait_for

ENROLL = "enrollmentManager.registerAndEnrollAccount"
TEXT = base64_text("work data")
WHY = "ticket 4711: wrong OS version"


@pytest.fixture
def device(binary: str, service: Service, tmp_path: Path) -> Iterator[Device]:
    made = Device(binary, service.program, tmp_path / "ca" / "ca.pem", tmp_path / "device", service.url)
    yield made
    made.kill()


def hold(service: Service, *words: str) -> "subprocess.CompletedProcess[str]":
    command = [service.program, "hold", *words, "--store", f"sqlite:{service.store}"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)


def hold_wipes(service: Service) -> None:
    done = hold(service, "wipes", "--why", WHY)
    assert done.returncode == 0 and WHY in done.stdout, done


def lift(service: Service) -> None:
    done = hold(service, "lift")
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "wipes are no longer on hold"), done


def enrolled(device: Device, service: Service) -> "tuple[Client, str]":
    """The client, and protected data of Alice. The host waits for changes when this returns."""
    client = device.start(service.issuer.token())
    assert client.call(ENROLL, account=ALICE)["didSucceed"]
    wait_for(lambda: polls(service) > 0, "mambridge waits for changes")
    return client, client.call("dataProtectionManager.protect", data=TEXT, account=ALICE)


def polls(service: Service) -> int:
    return int(metric(service, "mambridge_open_polls"))


def metric(service: Service, name: str) -> float:
    url = service.metrics + "/metrics"
    text = subprocess.run(["curl", "-sS", "--noproxy", "*", url], capture_output=True, text=True, timeout=30).stdout
    return float(next(line.split()[1] for line in text.splitlines() if line.startswith(name + " ")))


def explanation(client: Client) -> str:
    return str(client.call("tenant.status")["accounts"][0]["explanation"])


def is_blocked(client: Client) -> bool:
    return WHY in explanation(client) and "blocked instead of being wiped" in explanation(client)


def assert_blocked(client: Client, data: str) -> None:
    launch = client.call("conditionalLaunch.evaluate", account=ALICE)
    assert launch["verdict"] == "block" and any(WHY in rule["text"] for rule in launch["rules"]), launch
    account = client.call("tenant.status")["accounts"][0]
    assert account["access"] == "block" and account["isEnrolled"], account
    with pytest.raises(MambridgeError):
        client.call("dataProtectionManager.unprotect", data=data)
    assert WIPED not in [event["type"] for event in client.call("events.list")["events"]]
    blocked = client.call("policyManager.blockedAccounts")
    assert [entry["identity"] for entry in blocked] == [ALICE], blocked


def test_an_ordered_wipe_waits_and_the_host_blocks_until_the_hold_is_lifted(device: Device, service: Service) -> None:
    client, data = enrolled(device, service)
    hold_wipes(service)
    wait_for(lambda: WHY in explanation(client), "the host hears of the hold", SOON)
    assert client.call("dataProtectionManager.unprotect", data=data) == TEXT
    service.folder.order()
    wait_for(lambda: is_blocked(client), "the host blocks", SOON)
    assert_blocked(client, data)
    status = client.call("tenant.status")["accounts"][0]["lastStatus"]
    assert status["status"] == "deviceBlockedEnrollment" and WHY in status["errorString"], status
    assert device.count(CHANGED) > 0
    assert service.operations() == [("pending", None)]
    assert "apps with an ordered wipe: 1" in hold(service).stdout
    assert metric(service, "mambridge_wipes_held") == 1
    check = subprocess.run(
        [service.program, "check", service.url, "--ca", str(device.environment["SSL_CERT_FILE"])], capture_output=True, text=True,
        timeout=60, check=False)
    assert check.returncode == 1 and "wipes have been on hold since" in check.stdout, check
    began = time.monotonic()
    lift(service)
    wait_for(lambda: device.count(WIPED) == 1, "the wipe after the hold", SOON)
    passed = time.monotonic() - began
    print(f"wiped {passed:.2f} s after the command began")
    wait_for(lambda: service.operations() == [("completed", "done")], "the report", SOON)
    with pytest.raises(MambridgeError):
        client.call("dataProtectionManager.unprotect", data=data)
    assert metric(service, "mambridge_wipes_held") == 0
    logged = [line for line in service.lines if "on hold" in line]
    assert len(logged) == 2 and WHY in logged[0] and "no longer" in logged[1], logged


def test_a_hold_survives_kills_of_the_service_and_the_bridge(device: Device, service: Service) -> None:
    client, data = enrolled(device, service)
    hold_wipes(service)
    service.folder.order()
    wait_for(lambda: is_blocked(client), "the host blocks", SOON)
    service.kill()
    device.kill()
    client = device.start()
    assert is_blocked(client)
    assert_blocked(client, data)
    assert not client.call("tenant.checkIn")[0]["didSucceed"]
    # No answer is no end of the hold.
    assert is_blocked(client)
    service.start()
    wait_for(lambda: any(WHY in line for line in service.lines), "the log says so at the start")
    client.call("tenant.checkIn")
    assert_blocked(client, data)
    device.kill()
    lift(service)
    service.kill()
    service.start()
    client = device.start()
    client.call("tenant.checkIn")
    wait_for(lambda: device.count(WIPED) == 1, "the wipe after the hold", SOON)
    wait_for(lambda: service.operations() == [("completed", "done")], "the report", SOON)


def test_under_a_hold_a_wipe_rule_of_the_policy_blocks_instead_of_wiping(device: Device, service: Service) -> None:
    client, data = enrolled(device, service)
    client.call("device.set", osVersion="16.0")
    hold_wipes(service)
    wait_for(lambda: WHY in explanation(client), "the host hears of the hold", SOON)
    policy = json.loads((service.folder.path / "policy.json").read_text())
    (service.folder.path / "new").write_text(json.dumps({**policy, "minimumWipeOsVersion": "17.0", "version": "9"}))
    os.replace(service.folder.path / "new", service.folder.path / "policy.json")

    def verdict() -> "tuple[str, Any]":
        client.call("tenant.checkIn")
        launch = client.call("conditionalLaunch.evaluate", account=ALICE)
        return launch["verdict"], [rule for rule in launch["rules"] if rule["setting"] == "minimumWipeOsVersion"]

    [rule] = wait_for(lambda: verdict()[1], "the policy with the new rule")
    assert verdict()[0] == "block" and rule["outcome"] == "block" and WHY in rule["text"], rule
    with pytest.raises(MambridgeError):
        client.call("dataProtectionManager.unprotect", data=data)
    # A user who signs out still removes the data.
    assert client.call("enrollmentManager.deRegisterAndUnenrollAccount", account=ALICE, withWipe=True)["statusCode"] == 104
    wait_for(lambda: device.count(WIPED) == 1, "the host is told of the wipe", SOON)


def test_the_command_hold_lists_replaces_and_lifts_a_hold(service: Service) -> None:
    assert hold(service).stdout == "nothing is on hold\n" and json.loads(hold(service, "--json").stdout) == []
    hold_wipes(service)
    [first] = json.loads(hold(service, "--json").stdout)
    assert first["held"] == "wipes" and first["why"] == WHY and first["waiting"] == 0
    assert first["by"].startswith(f"uid:{os.getuid()}@"), first
    assert hold(service, "wipes", "--why", "another reason").returncode == 0
    [second] = json.loads(hold(service, "--json").stdout)
    assert second == {**first, "why": "another reason"}
    lift(service)
    again = hold(service, "lift")
    assert (again.returncode, again.stdout) == (0, "nothing is on hold\n")
    command = [service.program, "audit", "--store", f"sqlite:{service.store}", "--action", "hold", "--action", "lift"]
    lines = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout.splitlines()
    assert [line.split("\t")[2] for line in lines] == ["hold", "hold", "lift"]
    assert WHY in lines[0] and all(f"uid:{os.getuid()}@" in line for line in lines)


@pytest.mark.parametrize("words, text", [
    (["wipes"], "hold wipes needs a reason"), (["lift", "--why", "x"], "hold wipes needs a reason"),
    (["--cancel-orders"], "--cancel-orders is for lift"),
    (["wipes", "--why", ""], "--why must be one line"), (["wipes", "--why", " "], "--why must be one line"),
    (["wipes", "--why", "a\nb"], "--why must be one line"), (["wipes", "--why", "x" * 501], "of 1 to 500 characters"),
    (["wipes", "--why", "x", "--json"], "--json is for the list"), (["everything"], "everything"),
])
def test_hold_with_a_wrong_command_line_changes_nothing(service: Service, words: "list[str]", text: str) -> None:
    done = hold(service, *words)
    assert (done.returncode, done.stdout) == (64, "") and text in done.stderr, done
    assert hold(service).stdout == "nothing is on hold\n"


def test_hold_reports_a_missing_locked_newer_or_older_store(service: Service, tmp_path: Path) -> None:
    missing = subprocess.run(
        [service.program, "hold", "wipes", "--why", "x", "--store", "sqlite:/none/store"], capture_output=True, text=True,
        timeout=30, check=False)
    assert missing.returncode == 78 and "cannot open the store /none/store: No such file" in missing.stderr, missing
    service.end()
    with contextlib.closing(sqlite3.connect(service.store, isolation_level=None)) as store:
        store.execute("BEGIN EXCLUSIVE")
        locked = hold(service, "wipes", "--why", "x")
        assert locked.returncode == 69 and "cannot use the store" in locked.stderr, locked
        store.execute("ROLLBACK")
        store.execute("UPDATE meta SET value = '999' WHERE key IN ('compatibleFrom', 'schemaVersion')")
        newer = hold(service, "wipes", "--why", "x")
        assert newer.returncode == 78 and "needs a program with version 999 or newer" in newer.stderr, newer
        store.execute("UPDATE meta SET value = '3' WHERE key = 'schemaVersion'")
        store.execute("UPDATE meta SET value = '1' WHERE key = 'compatibleFrom'")
        older = hold(service, "wipes", "--why", "x")
        assert older.returncode == 78 and "it is older than this program; start the service once" in older.stderr, older


def test_a_host_whose_token_is_refused_hears_of_a_hold_and_of_its_end(device: Device, service: Service) -> None:
    client, data = enrolled(device, service)
    device.kill()
    client = device.start("no.token.at-all")
    assert client.call("tenant.checkIn")[0]["statusCode"] == 203
    wait_for(lambda: polls(service) > 0, "mambridge waits for changes")
    hold_wipes(service)
    wait_for(lambda: WHY in explanation(client), "the host hears of the hold", SOON)
    assert client.call("dataProtectionManager.unprotect", data=data) == TEXT
    service.folder.order()
    wait_for(lambda: is_blocked(client), "the host blocks", SOON)
    assert_blocked(client, data)
    service.folder.tenant["operations"].clear()
    service.folder.write()
    wait_for(lambda: not is_blocked(client), "the order is gone", SOON)
    assert WHY in explanation(client)
    lift(service)
    wait_for(lambda: WHY not in explanation(client), "the host hears of the end", SOON)
    assert client.call("dataProtectionManager.unprotect", data=data) == TEXT
