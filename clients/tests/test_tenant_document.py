"""schemathesis tries what schema/tenant.openapi.json permits and forbids against mambridge-tenant serve."""
from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from administrators import BOB_ID, WRITER, Company
from conftest import ROOT
from dev_tenant import DevTenant
from replicas import Device
from tenants import ALICE_ID

PROGRAM = os.environ.get("MAMBRIDGE_TENANT_PROGRAM", "")
pytestmark = [
    pytest.mark.skipif(not PROGRAM, reason="MAMBRIDGE_TENANT_PROGRAM names no mambridge-tenant"),
    pytest.mark.skipif(
        find_spec("schemathesis") is None, reason="schemathesis is not installed: run scripts/python"),
]

USUAL = ["--seed", "1", "--max-examples", "30", "--phases", "examples,coverage,fuzzing"]


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    made = Company(
        PROGRAM, tmp_path_factory.mktemp("company"), ["--limit", "burst=1000000", "--limit", "rate=100000"])
    yield made
    made.close()


def document() -> Any:
    return json.loads((ROOT / "schema/tenant.openapi.json").read_text())


def try_document(
    company: Company, folder: Path, document: Any, authorization: "str | None" = None, options: "Sequence[str]" = USUAL
) -> str:
    output = run_schemathesis(company.url, company.authority.path, folder, document, authorization, options)
    assert company.service.process and company.service.process.poll() is None
    return output


def run_schemathesis(
    url: str, trusted: "Path | str", folder: Path, document: Any, authorization: "str | None", options: "Sequence[str]"
) -> str:
    file = folder / "document.json"
    file.write_text(json.dumps(document))
    command = [
        sys.executable, "-m", "schemathesis.cli", "run", str(file), "--url", url, "--tls-verify", str(trusted),
        "--no-shrink", "--request-timeout", "30", "--generation-database", "none", *options]
    if authorization:
        command += ["-H", f"Authorization: {authorization}"]
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": "json_limits", "PYTHONPATH": str(Path(__file__).parent)}
    timeout = 120 if options is USUAL else 3600
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_requests_without_a_token_are_answered_as_the_openapi_document_says(company: Company, tmp_path: Path) -> None:
    device = company.enroll()
    try_document(company, tmp_path, document())
    assert company.check_in(device).status == 200


def test_requests_of_a_user_are_answered_as_the_openapi_document_says(company: Company, tmp_path: Path) -> None:
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


def test_requests_with_a_registration_secret_are_answered_as_documented(company: Company, tmp_path: Path) -> None:
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


AUDITOR, EDITOR = "Audit.Read", "Policy.Write"
# How many requests are tried for each operation of an administrator. .ci/nightly tries more, also the edges of each
# value, and both versions.
EXAMPLES = int(os.environ.get("MAMBRIDGE_DOCUMENT_EXAMPLES", "2"))
IS_LONG = EXAMPLES > 5
ADMINISTRATORS = [
    "--seed", str(EXAMPLES), "--max-examples", str(EXAMPLES), "--phases", "coverage,fuzzing" if IS_LONG else "fuzzing",
    "--mode", "all", "--checks",
    "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"]
POLICIES = "/beta/deviceAppManagement/managedAppPolicies"


def administrators(
    methods: "set[str]", policies: "list[str]", users: "list[str]", prefixes: "tuple[str, ...]" = ("/",)
) -> Any:
    """The document with these methods and paths alone, and with keys of what there is."""
    document = json.loads((ROOT / "schema/administrators.openapi.json").read_text())
    keys = {
        "deviceAppManagement": policies, "users": users, "groups": ["staff", "guests"], "mambridge": ["1", "2", "3"],
        "deviceManagement": ["0"],
    }
    for path, item in document["paths"].items():
        for name in set(item) & {"get", "post", "patch", "delete"} - methods:
            del item[name]
        for parameter in item.get("parameters", []):
            known = keys[path.split("/")[1]] if parameter["name"] == "id" else users
            parameter["schema"] = {"enum": [*known, "nobody"]}
    document["paths"] = {
        path: item for path, item in document["paths"].items()
        if set(item) - {"parameters"} and path.startswith(prefixes)}
    return document


def ids(elements: "list[dict[str, Any]]") -> "list[str]":
    return [element["id"] for element in elements]


@pytest.mark.parametrize("version", ["beta", "v1.0"] if IS_LONG else ["beta"])
def test_administrators_are_answered_as_documented(tmp_path: Path, version: str) -> None:
    """Reads and writes with a token that may do everything. No write leaves what cannot be read or served."""
    company = Company(
        PROGRAM, tmp_path, [
            "--limit", "burst=1000000", "--limit", "rate=100000", "--writable", "--write-role", EDITOR,
            "--audit-role", AUDITOR])
    try:
        company.enroll()
        for methods in [{"get", "post", "patch"}, {"delete"}]:
            document = administrators(methods, ids(company.all(POLICIES)), [ALICE_ID, BOB_ID])
            token = company.token(WRITER, EDITOR, AUDITOR, person=ALICE_ID)
            run_schemathesis(
                f"{company.url}/{version}", company.authority.path, tmp_path, document, f"Bearer {token}", ADMINISTRATORS)
            policies = company.all(POLICIES)
            assert company.request("GET", "/health/ready").body["isCurrent"]
            # Another process reads the folder.
            company.service.end()
            company.service.start()
            assert company.all(POLICIES) == policies
        editions = company.get("/v1.0/mambridge/editions?$top=999", company.token(AUDITOR)).body["value"]
        assert {edition["actor"] for edition in editions} == {"folder", ALICE_ID}
    finally:
        company.close()


def test_a_development_tenant_is_changed_as_documented(tmp_path: Path) -> None:
    """Users and groups, which no other tenant lets an administrator change."""
    dev = DevTenant(PROGRAM, tmp_path / "run", "--ephemeral")
    try:
        token = f"Bearer {dev.access_token('erin@contoso.example').json['access_token']}"
        listed = dev.ask("GET", "/beta/users", Authorization=token).json["value"]
        users = [user["id"] for user in listed if not user["userPrincipalName"].startswith("erin")]
        for methods in [{"get", "post", "patch"}, {"delete"}]:
            document = administrators(methods, [], users, ("/users", "/groups", "/me"))
            run_schemathesis(
                f"{dev.url}/beta", dev.said["certificate"], tmp_path, document, token, ADMINISTRATORS)
            assert json.loads(dev.ask("GET", "/health/ready").text)["isCurrent"]
            assert dev.ask("GET", "/beta/users", Authorization=token).status == 200
    finally:
        dev.end()
