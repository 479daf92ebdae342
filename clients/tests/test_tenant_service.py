"""A host with mambridge, its policy source, and a tenant service over HTTPS."""
from __future__ import annotations

import base64
import os
import re
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Iterator

import pytest
from conftest import ALICE
from mambridge import Client, Host, MambridgeError, requests
from tenant_front import Front
from tenants import WIPED, Authority, Device, Issuer, Service, TenantFolder
from waiting import SOON, wait_for

ENROLL = "enrollmentManager.registerAndEnrollAccount"
TEXT = base64.b64encode(b"work data").decode()


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority") / "ca")


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Issuer]:
    made = Issuer(tmp_path_factory.mktemp("issuer") / "issuer")
    yield made
    made.close()


@pytest.fixture
def service(tenant_program: str, authority: Authority, issuer: Issuer, tmp_path: Path) -> Iterator[Service]:
    made = Service(tenant_program, TenantFolder(tmp_path / "tenant"), issuer, authority.sign("service"), tmp_path / "store")
    yield made.start()
    made.kill()


@pytest.fixture
def device(binary: str, tenant_program: str, authority: Authority, service: Service, tmp_path: Path) -> Iterator[Device]:
    made = Device(binary, tenant_program, authority.path, tmp_path / "device", service.url)
    yield made
    made.kill()


def check_in(client: Client) -> int:
    return int(client.call("tenant.checkIn")[0]["statusCode"])


def pin_length(client: Client) -> int:
    return int(client.call("policyManager.policy", account=ALICE)["settings"]["minimumPinLength"]["value"])


def unprotect(client: Client, secret: str) -> str:
    return str(client.call("dataProtectionManager.unprotect", data=secret))


def assert_hidden(token: str, device: Device, service: Service) -> None:
    """The token is in no log, and in nothing that mambridge stores."""
    assert token not in "".join(service.lines)
    for path in device.state.rglob("*"):
        assert not path.is_file() or token.encode() not in path.read_bytes(), path


def test_a_host_enrolls_follows_policies_and_is_wiped_at_once(device: Device, service: Service, issuer: Issuer) -> None:
    token = issuer.token()
    client = device.start(token)
    assert client.call(ENROLL, account=ALICE)["statusCode"] == 100
    assert pin_length(client) == 6
    assert check_in(client) == 101
    secret = client.call("dataProtectionManager.protect", data=TEXT, account=ALICE)
    assert unprotect(client, secret) == TEXT

    service.folder.write_policy(8)
    wait_for(lambda: pin_length(client) == 8, "the pushed policy")

    service.folder.order()
    # The next check-in that is due would come in hours.
    wait_for(lambda: device.count(WIPED), "the wipe")
    with pytest.raises(MambridgeError):
        unprotect(client, secret)
    wait_for(lambda: service.operations() == [("completed", "done")], "the report")
    assert device.count(WIPED) == 1
    assert_hidden(token, device, service)


NETWORK = ["down", "wrong name", "expired certificate", "unknown authority", "cut", 429, 500, 503]
SIGN_IN = ["wrong audience", "expired token", "token from the future", "token without an account", "forged token", "other user"]


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("stranger") / "ca")


@pytest.fixture
def front(authority: Authority, service: Service) -> Iterator[Front]:
    made = Front(service.port, authority.sign("front"), authority.path)
    yield made
    made.close()


@pytest.fixture
def faults(front: Front, device: Device, authority: Authority, stranger: Authority, issuer: Issuer) -> Faults:
    device.url = front.url
    return Faults(front, device, authority, stranger, issuer)


class Forgetful(Host):
    """Cannot remove what it keeps of an account."""

    def wipe_auxiliary_data_for_account(self, request: requests.WipeAuxiliaryDataForAccount) -> bool:
        return False


def test_an_incomplete_wipe_shows_its_reason_and_is_retried(device: Device, service: Service, issuer: Issuer) -> None:
    device.host = Forgetful()
    client = device.start(issuer.token())
    assert client.call(ENROLL, account=ALICE)["statusCode"] == 100
    service.folder.order()
    reason = "1 item of the account could not be removed. mambridge tries again."
    wait_for(lambda: service.operations() == [("pending", reason)], "the reason")
    assert device.count(WIPED) == 0
    device.end()
    device.host = None
    device.start().call("tenant.checkIn")
    wait_for(lambda: service.operations() == [("completed", "done")], "the report")
    assert device.count(WIPED) == 1


def test_a_second_service_with_the_same_store_is_refused_until_the_first_ends(service: Service) -> None:
    link = service.store.with_name("link")
    link.symlink_to(service.store)
    second = replace(service, store=link, port=0, process=None, lines=[])
    refused = subprocess.run(second.command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20)
    assert service.process and refused.returncode == os.EX_UNAVAILABLE
    assert f"process {service.process.pid} " in refused.stderr and f"already serves the store {link}." in refused.stderr
    service.kill()
    second.start().end()


def test_the_service_leaves_no_core_dump(service: Service) -> None:
    assert service.process
    limits = Path(f"/proc/{service.process.pid}/limits").read_text()
    assert re.findall(r"^Max core file size +(\S+) +(\S+)", limits, re.M) == [("0", "0")]


LIMITS = {"connections": 100_000, "address": 100_000, "polls": 100_000, "registrations": 100_000, "body": 1 << 26,
          "burst": 1_000_000, "rate": 100_000, "spread": 86_400, "unseen": 3650}
LEAST = {"body": 1024, "spread": 0}


@pytest.mark.parametrize("name", LIMITS)
def test_serve_refuses_a_limit_out_of_its_range_and_names_the_range(tenant_program: str, name: str) -> None:
    for value in (LEAST.get(name, 1) - 1, LIMITS[name] + 1):
        command = [tenant_program, "serve", "nowhere", "--listen", "http://127.0.0.1:0", "--issuer", "https://id.example",
                   "--audience", "mam", "--limit", f"{name}={value}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=20)
        assert done.returncode == os.EX_USAGE, done
        assert f"the limit {name} must be a whole number from {LEAST.get(name, 1)} to {LIMITS[name]}" in done.stderr


def test_a_service_without_proc_says_that_proc_is_not_mounted(service: Service) -> None:
    # With a store that has served before, the service would go on with the last good tenant.
    new = replace(service, store=service.store.with_name("new"), port=0, process=None, lines=[])
    without = ["unshare", "-m", "sh", "-c", 'umount -l /proc && exec "$@"', "sh"]
    if subprocess.run([*without, "true"], capture_output=True).returncode:
        pytest.skip("/proc cannot be unmounted here")
    refused = subprocess.run([*without, *new.command], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert refused.returncode == os.EX_CONFIG and "/proc is not mounted" in refused.stderr, refused.stderr
    assert "Create the folder" not in refused.stderr


class Faults:
    """Makes a fault, and mends it."""

    def __init__(self, front: Front, device: Device, authority: Authority, stranger: Authority, issuer: Issuer):
        self.front, self.device, self.authority, self.stranger, self.issuer = front, device, authority, stranger, issuer
        # mambridge keeps a token until five minutes before its end: this one is asked for each time.
        self.good = issuer.token(lifetime=240)

    def make(self, fault: "str | int") -> None:
        if fault in SIGN_IN:
            self.device.token_file.write_text(self._token(str(fault)))
        elif fault in ("down", "wrong name", "expired certificate", "unknown authority"):
            self.front.stop()
            if fault == "wrong name":
                self.front.start(self.authority.sign("wrong", "DNS:other.example"))
            elif fault == "expired certificate":
                self.front.start(self.authority.sign("expired", start=-7200, end=-3600))
            elif fault == "unknown authority":
                self.front.start(self.stranger.sign("stranger"))
        else:
            self.front.fault = fault

    def _token(self, fault: str) -> str:
        if fault == "forged token":
            head, payload, signature = self.good.split(".")
            return ".".join((head, payload, signature[::-1]))
        if fault == "expired token":
            return self.issuer.token(start=-3600, lifetime=3000)
        if fault == "token from the future":
            return self.issuer.token(start=3600)
        claims = {"wrong audience": {"aud": "api://other"}, "token without an account": {"oid": None},
                  "other user": {"oid": "99d349ed-44d7-43e1-9a83-5f2406dee5bd"}}
        return self.issuer.token(lifetime=240, **claims[fault])

    def mend(self) -> None:
        self.device.token_file.write_text(self.good)
        self.front.fault = None
        self.front.stop()
        self.front.start(self.authority.sign("front"))


@pytest.mark.parametrize("fault", [*NETWORK, *SIGN_IN])
def test_a_fault_at_the_enrollment_leaves_the_account_registered(fault: "str | int", faults: Faults) -> None:
    device = faults.device
    client = device.start(faults.good)
    faults.make(fault)
    status = client.call(ENROLL, account=ALICE)
    assert (status["didSucceed"], status["statusCode"]) == (False, 203 if fault in SIGN_IN else 205), status
    assert status["errorString"]
    assert len(client.call("enrollmentManager.registeredAccounts")) == 1
    assert client.call("enrollmentManager.enrolledAccounts") == []
    faults.mend()
    wait_for(lambda: check_in(client) in (100, 101), "the enrollment after the fault")
    assert pin_length(client) == 6


@pytest.mark.parametrize("fault", [*NETWORK, *SIGN_IN])
def test_a_fault_at_a_check_in_leaves_the_policy_in_force(fault: "str | int", faults: Faults, service: Service) -> None:
    device = faults.device
    client = device.start(faults.good)
    assert client.call(ENROLL, account=ALICE)["statusCode"] == 100
    secret = client.call("dataProtectionManager.protect", data=TEXT, account=ALICE)
    faults.make(fault)
    status = client.call("tenant.checkIn")[0]
    assert status["statusCode"] == (203 if fault in SIGN_IN else 212), status
    assert status["errorString"]
    assert_in_force(client, device, secret)
    faults.mend()
    wait_for(lambda: check_in(client) in (100, 101), "the check-in after the fault")
    assert_hidden(faults.good, device, service)


def assert_in_force(client: Client, device: Device, secret: str) -> None:
    assert pin_length(client) == 6
    assert unprotect(client, secret) == TEXT
    assert len(client.call("enrollmentManager.enrolledAccounts")) == 1
    assert device.count(WIPED) == 0


def enroll(client: Client) -> str:
    """Returns something that is protected for the account."""
    assert client.call(ENROLL, account=ALICE)["statusCode"] == 100
    return str(client.call("dataProtectionManager.protect", data=TEXT, account=ALICE))


def assert_registered_only(client: Client) -> None:
    assert len(client.call("enrollmentManager.registeredAccounts")) == 1
    assert client.call("enrollmentManager.enrolledAccounts") == []


def test_an_enrollment_without_a_token_fails_with_auth_required(device: Device) -> None:
    client = device.start()
    assert client.call(ENROLL, account=ALICE)["statusCode"] == 203
    assert client.call("enrollmentManager.enrolledAccounts") == []


def test_a_check_in_without_a_token_leaves_the_policy_in_force(device: Device, issuer: Issuer) -> None:
    secret = enroll(device.start(issuer.token()))
    device.end()
    device.token_file.unlink()
    client = device.start()
    assert check_in(client) == 203
    assert_in_force(client, device, secret)


def test_a_token_command_that_fails_at_the_enrollment_is_reported(device: Device, issuer: Issuer) -> None:
    client = device.start(issuer.token(lifetime=240))
    device.token_file.unlink()
    assert client.call(ENROLL, account=ALICE)["statusCode"] == 217
    assert_registered_only(client)
    device.token_file.write_text(issuer.token())
    wait_for(lambda: check_in(client) in (100, 101), "the enrollment after the fault")


def test_a_token_command_that_fails_at_a_check_in_is_reported(device: Device, issuer: Issuer) -> None:
    client = device.start(issuer.token(lifetime=240))
    secret = enroll(client)
    device.token_file.unlink()
    assert check_in(client) == 217
    assert_in_force(client, device, secret)


def test_an_expired_token_is_refused_until_there_is_a_new_one(device: Device, issuer: Issuer) -> None:
    # The service takes a token for a minute longer, because clocks differ.
    end = int(time.time()) - 56
    client = device.start(issuer.token(start=end - 3600 - time.time(), lifetime=3600))
    secret = enroll(client)
    wait_for(lambda: time.time() > end + 61, "the token expires")
    assert check_in(client) == 203
    assert_in_force(client, device, secret)
    device.token_file.write_text(issuer.token())
    assert check_in(client) == 101


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_host_whose_clock_is_wrong_by_an_hour_enrolls_checks_in_and_is_wiped(
    hours: int, device: Device, service: Service, issuer: Issuer
) -> None:
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + hours * 3600))
    client = device.start(issuer.token(), "--clock", f"manual={moment}")
    secret = enroll(client)
    assert check_in(client) == 101
    service.folder.order()
    wait_for(lambda: service.operations(), "the order is stored")
    check_in(client)
    # On a manual clock, what is due waits for the clock.
    client.call("debug.advanceClock", by="PT1S")
    wait_for(lambda: service.operations() == [("completed", "done")], "the report")
    with pytest.raises(MambridgeError):
        unprotect(client, secret)
    assert device.count(WIPED) == 1


def test_an_enrollment_and_a_check_in_end_at_their_time_limit_if_the_answer_is_slow(
    faults: Faults, binary: str, tenant_program: str, authority: Authority, tmp_path: Path
) -> None:
    client = faults.device.start(faults.good)
    secret = enroll(client)
    other = Device(binary, tenant_program, authority.path, tmp_path / "other", faults.front.url)
    newcomer = other.start(faults.good)
    faults.make("slow")
    begin = time.monotonic()
    with ThreadPoolExecutor() as threads:
        enrollment = threads.submit(lambda: newcomer.call(ENROLL, account=ALICE)["statusCode"])
        assert check_in(client) in (212, 216)
        assert enrollment.result() in (205, 216)
    assert time.monotonic() - begin < 15 + SOON
    assert_in_force(client, faults.device, secret)
    assert_registered_only(newcomer)
    other.kill()


def kill_sources_when_asked(faults: Faults) -> threading.Thread:
    """Kills the source of the device while its request is under way."""
    faults.make("slow")
    faults.front.asked.clear()

    def kill() -> None:
        faults.front.asked.wait(20)
        for source in faults.device.sources():
            os.kill(source, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    return killer


def test_a_source_that_is_killed_in_an_enrollment_is_started_again(faults: Faults) -> None:
    client = faults.device.start(faults.good)
    killer = kill_sources_when_asked(faults)
    assert client.call(ENROLL, account=ALICE)["statusCode"] == 206
    killer.join()
    assert_registered_only(client)
    faults.mend()
    wait_for(lambda: check_in(client) in (100, 101), "the enrollment with another source")


def test_a_source_that_is_killed_in_a_check_in_is_started_again(faults: Faults) -> None:
    client = faults.device.start(faults.good)
    secret = enroll(client)
    killer = kill_sources_when_asked(faults)
    assert check_in(client) == 206
    killer.join()
    assert_in_force(client, faults.device, secret)
    faults.mend()
    wait_for(lambda: check_in(client) in (100, 101), "the check-in with another source")
