"""A wipe that an administrator orders is carried out once, whatever is killed on the way."""
from __future__ import annotations

import base64
import os
import random
import signal
import time
from pathlib import Path
from typing import Iterator

import pytest
from conftest import ALICE
from mambridge import MambridgeError
from tenants import WIPED, Authority, Device, Issuer, Service, TenantFolder, wait_for

ROUNDS = int(os.environ.get("MAMBRIDGE_WIPE_ROUNDS", "6"))
TEXT = base64.b64encode(b"work data").decode()
VICTIMS = ["bridge", "source", "service"]
# A wipe and its report usually take less time than this, in seconds.
LONGEST_WIPE = 0.8


@pytest.fixture
def company(tenant_program: str, tmp_path: Path) -> Iterator[Service]:
    authority, issuer = Authority(tmp_path / "ca"), Issuer(tmp_path / "issuer")
    tenant = TenantFolder(tmp_path / "tenant")
    service = Service(tenant_program, tenant, issuer, authority.sign("service"), tmp_path / "store")
    yield service.start()
    service.kill()
    issuer.close()


@pytest.fixture
def device(binary: str, tenant_program: str, company: Service, tmp_path: Path) -> Iterator[Device]:
    authority = company.certificate[0].with_name("ca.pem")
    made = Device(binary, tenant_program, authority, tmp_path / "device", company.url)
    yield made
    made.kill()


def strike(victim: str, device: Device, service: Service) -> None:
    """Kills one of the three, and starts again what nothing else starts."""
    if victim == "service":
        service.kill()
        service.start()
    elif victim == "source":
        for source in device.sources():
            os.kill(source, signal.SIGKILL)
    else:
        device.kill()
        device.start()


@pytest.mark.parametrize("number", range(ROUNDS))
def test_a_wipe_happens_once_whatever_is_killed(number: int, device: Device, company: Service) -> None:
    chance = random.Random(number)
    kills = [(chance.choice(VICTIMS), chance.uniform(0, LONGEST_WIPE)) for _ in range(1 + number % 3)]
    kills[0] = (VICTIMS[number % 3], kills[0][1])
    print(number, [f"{victim} after {pause:.3f} s" for victim, pause in kills])
    client = device.start(company.issuer.token())
    assert client.call("enrollmentManager.registerAndEnrollAccount", account=ALICE)["didSucceed"]
    secret = client.call("dataProtectionManager.protect", data=TEXT, account=ALICE)

    # mambridge watches after two seconds: some wipes are pushed between the kills, the others come afterwards.
    time.sleep(2.5 if number % 4 != 2 else 0)
    company.folder.order()
    for victim, pause in kills:
        time.sleep(pause)
        strike(victim, device, company)

    last = time.monotonic()
    wait_for(lambda: [state for _, state in company.operations()] == ["completed"], "the report of the operation", 60)
    print(f"reported within {time.monotonic() - last:.1f} s of the last kill")
    client = device.client
    assert client
    with pytest.raises(MambridgeError):
        client.call("dataProtectionManager.unprotect", data=secret)
    wiped = [event for event in client.call("events.list")["events"] if event["type"] == WIPED]
    assert len(wiped) == 1
