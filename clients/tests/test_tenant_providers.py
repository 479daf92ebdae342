"""The commands of docs/tenant/providers.md and network.md start a service, which tells hosts how to sign in."""
from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from administrators import WRITER, Company
from conftest import ROOT
from replicas import Device
from tenants import ALICE_ID, TENANT_ID, Authority, TenantFolder
from test_documents import blocks_of
from waiting import wait_for

PAGES = [ROOT / "docs" / "tenant" / name for name in ("providers.md", "network.md")]
COMMANDS = {f"{page.name}:{block.line}": block.text.split("\nmambridge-tenant login")[0].replace("\\\n", "") for page in PAGES
            for block in blocks_of(page.read_text()) if block.text.startswith("mambridge-tenant serve") and "by-hand" in block.words}
TOLD = {
    "https://login.microsoftonline.com/TENANT_ID/v2.0": ("SERVICE_ID", ["api://SERVICE_ID/user_impersonation"], "CLIENT_ID"),
    "https://sso.contoso.example/realms/contoso": ("https://mam.contoso.example", ["mam"], "mambridge"),
    "https://login.contoso.example/api/oidc": ("https://mam.contoso.example", ["mam"], "mambridge"),
    "https://login.contoso.example": ("https://mam.contoso.example", ["mam"], "mambridge")}
GUID = {name: f"0000000{number}-0000-4000-8000-000000000000" for number, name in enumerate(("TENANT_ID", "SERVICE_ID", "CLIENT_ID"), 1)}


def with_ids(value: Any) -> Any:
    text = json.dumps(value)
    for name, guid in GUID.items():
        text = text.replace(name, guid)
    return json.loads(text)


@pytest.mark.parametrize("place", COMMANDS)
def test_the_documented_service_tells_hosts_how_to_sign_in(place: str, tenant_program: str, tmp_path: Path) -> None:
    certificate, key = Authority(tmp_path / "ca").sign("service")
    words = with_ids(shlex.split(COMMANDS[place]))
    replaced = {"/srv/tenant": str(TenantFolder(tmp_path / "tenant").path), "server.pem": str(certificate), "server.key": str(key),
                "sqlite:/var/lib/mambridge-tenant/store.sqlite": f"sqlite:{tmp_path / 'store'}"}
    command = [tenant_program, *(replaced.get(word, word) for word in words[1:])]
    listen = command.index("--listen") + 1
    # Whatever the page listens at, without TLS for the question below.
    command[listen] = "http://127.0.0.1:0"
    command = [word for at, word in enumerate(command) if not {command[at - 1], word} & {"--certificate", "--private-key"}]
    log = tmp_path / "log"
    with log.open("wb") as errors:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=errors)
    try:
        wait_for(lambda: "listening" in log.read_text() or process.poll() is not None, "the service listens")
        found = re.search(r'"listening":"([^"]+)"', log.read_text())
        assert found, log.read_text()
        with urllib.request.urlopen(f"{found[1]}/mam/v1/", timeout=30) as answer:
            told = json.load(answer)["authentication"]
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(40)
    issuer = words[words.index("--issuer") + 1]
    [(_, (resource, scopes, client))] = [row for row in TOLD.items() if with_ids(row[0]) == issuer]
    assert told == with_ids({"authority": issuer, "resource": resource, "scopes": scopes, "clientId": client})


def test_every_provider_has_a_documented_command() -> None:
    assert len(COMMANDS) == len(TOLD)


# What each provider writes into the access token of an administrator, besides iss, oid and the times.
SHAPES: "dict[str, dict[str, Any]]" = {
    "Entra": {"aud": GUID["SERVICE_ID"], "tid": TENANT_ID, "ver": "2.0", "scp": "user_impersonation", "azp": GUID["CLIENT_ID"], "idtyp": "user",
              "preferred_username": "alice@contoso.example", "sub": "pairwise", "roles": [WRITER]},
    "Keycloak": {"aud": ["https://mam.contoso.example", "account"], "tid": TENANT_ID, "typ": "Bearer", "azp": "mambridge", "acr": "1",
                 "scope": "openid mam offline_access profile", "sub": ALICE_ID, "upn": "alice@contoso.example",
                 "realm_access": {"roles": ["offline_access", WRITER]}, "roles": ["offline_access", WRITER]},
    "Glewlwyd": {"aud": "https://mam.contoso.example", "tid": TENANT_ID, "client_id": "mambridge", "scope": "openid mam", "type": "access_token",
                 "upn": "alice@contoso.example", "roles": WRITER}}


@pytest.mark.parametrize("provider", SHAPES)
def test_a_token_of_a_provider_enrolls_and_orders_a_wipe(provider: str, tenant_program: str, tmp_path: Path) -> None:
    claims = SHAPES[provider]
    audience = claims["aud"][0] if isinstance(claims["aud"], list) else claims["aud"]
    company = Company(tenant_program, tmp_path, ["--audience", audience, "--tenant-id", TENANT_ID])
    try:
        token = company.issuer.token(oid=ALICE_ID, **claims)
        device = Device(user=ALICE_ID)
        answer = company.request("POST", "/mam/v1/check-in", f"Bearer {token}", {**device.check_in(), "account": {"accountId": ALICE_ID}})
        assert answer.status == 200 and answer.body["outcome"] == "delivered", answer
        assert company.order_wipe(device, token).status == 204
        for other in ({"aud": "api://other"}, {"tid": GUID["TENANT_ID"]}):
            refused = company.issuer.token(oid=ALICE_ID, **{**claims, **other})
            assert company.get("/v1.0/users", refused).status == 401
    finally:
        company.close()
