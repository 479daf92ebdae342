"""schemathesis tries what schema/tenant.openapi.json permits and forbids against mambridge-tenant serve."""
from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from administrators import WRITER, Company
from conftest import ROOT
from replicas import Device
from tenants import ALICE_ID

PROGRAM = os.environ.get("MAMBRIDGE_TENANT_PROGRAM", "")
pytestmark = [
    pytest.mark.skipif(not PROGRAM, reason="MAMBRIDGE_TENANT_PROGRAM names no mambridge-tenant"),
    pytest.mark.skipif(
        find_spec("schemathesis") is None, reason="schemathesis is not installed: run scripts/python"),
]


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    made = Company(
        PROGRAM, tmp_path_factory.mktemp("company"), ["--limit", "burst=1000000", "--limit", "rate=100000"])
    yield made
    made.close()


def document() -> Any:
    return json.loads((ROOT / "schema/tenant.openapi.json").read_text())


def try_document(company: Company, folder: Path, document: Any, authorization: "str | None" = None) -> str:
    file = folder / "document.json"
    file.write_text(json.dumps(document))
    command = [
        sys.executable, "-m", "schemathesis.cli", "run", str(file), "--url", company.url,
        "--tls-verify", str(company.authority.path), "--seed", "1", "--max-examples", "30", "--no-shrink",
        "--phases", "examples,coverage,fuzzing", "--request-timeout", "30", "--generation-database", "none"]
    if authorization:
        command += ["-H", f"Authorization: {authorization}"]
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": "json_limits", "PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert company.service.process and company.service.process.poll() is None
    return done.stdout


def test_strangers_are_answered_as_documented(company: Company, tmp_path: Path) -> None:
    device = company.enroll()
    try_document(company, tmp_path, document())
    assert company.check_in(device).status == 200


def test_users_are_answered_as_documented(company: Company, tmp_path: Path) -> None:
    """Check-ins of the user whose token it is, so that policies are delivered."""
    narrowed = document()
    del narrowed["paths"]["/mam/v1/registrations/{id}"], narrowed["paths"]["/mam/v1/changes"]
    narrowed["components"]["schemas"]["Account"]["properties"]["accountId"] = {"enum": [ALICE_ID, None]}
    try_document(company, tmp_path, narrowed, f"Bearer {company.issuer.token()}")
    assert company.all(f"/v1.0/users/{ALICE_ID}/managedAppRegistrations?$top=100")


def with_constants(document: Any, constants: "dict[str, str]") -> Any:
    for path in document["paths"].values():
        for parameter in path.get("parameters", []):
            if parameter["name"] in constants:
                parameter["schema"] = {"const": constants[parameter["name"]]}
    return document


def test_holders_of_a_secret_are_answered_as_documented(company: Company, tmp_path: Path) -> None:
    """Reports of a wipe, and then the end of the registration."""
    device = Device(user=ALICE_ID)
    company.check_in(device)
    assert company.order_wipe(device, company.token(WRITER)).status == 204
    [operation] = company.check_in(device).body["operations"]
    narrowed = with_constants(document(), {"id": device.registration, "operation": operation["id"]})
    polled = narrowed["components"]["schemas"]["PolledRegistration"]["properties"]
    polled["id"], polled["secret"] = {"const": device.registration}, {"const": device.secret}
    narrowed["components"]["schemas"]["ChangesRequest"]["properties"]["wait"] = {"type": "integer", "enum": [0, 1]}
    leave = {"/mam/v1/registrations/{id}": narrowed["paths"].pop("/mam/v1/registrations/{id}")}
    try_document(company, tmp_path, narrowed, f"Registration {device.secret}")
    assert company.states(device) in (["completed"], ["pending"])
    try_document(company, tmp_path, {**narrowed, "paths": leave}, f"Registration {device.secret}")
    assert company.request(
        "DELETE", f"/mam/v1/registrations/{device.registration}", f"Registration {device.secret}").status == 204
