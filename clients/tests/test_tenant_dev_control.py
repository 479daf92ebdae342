"""/dev of mambridge-tenant dev: faults, outcomes of sign-ins, snapshots, reset and the last requests."""
from __future__ import annotations

import base64
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any, Iterator

import pytest
from conftest import ALICE
from dev_tenant import SCOPE, DevTenant, claims_of
from test_tenant_dev import run, shell  # noqa: F401
from waiting import wait_for

CUT = (http.client.RemoteDisconnected, ConnectionResetError, http.client.IncompleteRead)


@pytest.fixture(scope="module")
def served(tenant_program: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DevTenant]:
    made = DevTenant(tenant_program, tmp_path_factory.mktemp("dev") / "run")
    yield made
    made.end()


@pytest.fixture
def dev(served: DevTenant) -> Iterator[DevTenant]:
    yield served
    assert served.control("POST", "reset").status == 204


def graph(dev: DevTenant, path: str = "users") -> Any:
    token = dev.token(grant_type="client_credentials", client_secret=dev.secret, scope=SCOPE).json["access_token"]
    return dev.ask("GET", f"/v1.0/{path}", Authorization=f"Bearer {token}")


class Bridge:
    """mambridge and mambridge-tenant of a person, each call a process."""

    def __init__(self, dev: DevTenant, shell: Path, state: "Path | None" = None):
        self.dev, self.shell = dev, shell
        self.state = state or Path(dev.said["state"])

    def run(self, command: str) -> "subprocess.CompletedProcess[str]":
        variables = {**self.dev.environment, "PATH": f"{self.shell}:{os.environ['PATH']}", "SSL_CERT_FILE": self.dev.said["certificate"],
                     "MAMBRIDGE_STATE": str(self.state), "MAMBRIDGE_TOKEN_CACHE": str(self.shell.parent / "cache" / "sign-ins")}
        for name in ("MAMBRIDGE", "MAMBRIDGE_TENANT_PROGRAM"):
            variables.pop(name, None)
        return subprocess.run(["bash", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, text=True, env=variables, timeout=120)

    def call(self, text: str, user: str = "alice") -> Any:
        token = f"--token-command 'mambridge-tenant dev-token {user} --service {self.dev.url}'"
        done = self.run(f"mambridge --tenant {self.dev.url} {token} call {text}")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def enroll(self) -> int:
        return int(self.call(f"enrollmentManager.registerAndEnrollAccount account={ALICE}")["statusCode"])


@pytest.fixture
def bridge(dev: DevTenant, shell: Path, tmp_path: Path) -> Bridge:  # noqa: F811
    state = tmp_path / "device"
    state.mkdir(mode=0o700)
    (state / "development").touch(mode=0o600)
    return Bridge(dev, shell, state)


# Who may


@pytest.mark.parametrize("method,path", [
    ("GET", "faults"), ("PUT", "faults"), ("POST", "faults"), ("DELETE", "faults"), ("POST", "reset"), ("GET", "snapshots"),
    ("PUT", "snapshots/a"), ("POST", "snapshots/a"), ("DELETE", "snapshots/a"), ("GET", "requests"), ("GET", "sign-ins"), ("GET", "else")])
def test_the_control_api_needs_the_secret_of_the_run_and_its_own_origin(dev: DevTenant, method: str, path: str) -> None:
    good = {"Authorization": f"Bearer {dev.secret}"}
    for headers, status in [
        ({}, 401), ({"Authorization": "Bearer wrong"}, 401), ({"Authorization": f"Bearer {dev.access_token('erin').json['access_token']}"}, 401),
        ({**good, "Host": "attacker.example"}, 403),
        *([({**good, "Origin": "https://attacker.example"}, 403), ({**good, "Sec_Fetch_Site": "cross-site"}, 403)] if method != "GET" else []),
    ]:
        refused = dev.ask(method, f"/dev/{path}", "{}", **headers)
        assert refused.status == status, (headers, refused.text)
    if path == "else":
        assert dev.control(method, path).status == 404
    secret = subprocess.run([dev.program, "dev-token", "--secret", "--service", dev.url], env=dev.environment, capture_output=True, text=True)
    assert secret.stdout == dev.secret + "\n" and dev.secret not in "".join(dev.lines)


def test_the_control_api_refuses_invalid_requests_with_the_reason(dev: DevTenant) -> None:
    assert dev.control("PUT", "snapshots/before").status == 204
    for method, path, body, status, reason in [
        ("POST", "faults", {"at": "keys", "kind": "nextLinkLoop"}, 400, "/kind: keys has no fault nextLinkLoop. Use one of: unreachable, slow"),
        ("POST", "faults", {"at": "moon", "kind": "slow"}, 400, 'must be one of "checkIn", "graph", "token", "keys"'),
        ("POST", "faults", {"at": "graph", "kind": "cut", "delay": "PT1S"}, 400, "/delay: cut has no delay. Leave it out."),
        ("POST", "faults", {"at": "graph", "kind": "slow", "delay": "1 s"}, 400, "must be an ISO 8601 duration"),
        ("POST", "faults", {"at": "graph", "kind": "slow", "times": 0}, 400, "/times: must be 1 to 1000."),
        ("POST", "faults", {"at": "graph", "kind": "slow", "other": 0}, 400, "other"),
        ("PUT", "faults", {"faults": [{"at": "graph", "kind": "cut"}] * 2}, 400, "/faults/1/at: a place has one fault at a time."),
        ("PATCH", "faults", {}, 405, "Use GET or PUT or POST or DELETE."),
        ("POST", "snapshots/befor", None, 404, "There is no snapshot befor. Did you mean before?"),
        ("DELETE", "snapshots/other", None, 404, "PUT /dev/snapshots/other makes one."),
        ("PUT", "snapshots/..", None, 400, "1 to 100 letters, digits, - and _"),
        ("PUT", "snapshots/%2e%2e%2fx", None, 400, "1 to 100 letters, digits, - and _"),
        ("GET", "requests?since=x", None, 400, "since must be a number"),
    ]:
        refused = dev.control(method, path, body)
        assert (refused.status, reason in refused.json["error"]["message"]) == (status, True), (path, refused.text)
    assert dev.control("POST", "faults").status == 400
    assert dev.control("GET", "faults").json["faults"] == []
    dev.control("DELETE", "snapshots/before")


# Faults


@pytest.mark.parametrize("delay,header", [(None, None), ("PT30S", "30"), ("PT1.5S", "1.5"), ("PT0.25S", "0.25")])
@pytest.mark.parametrize("kind,status", [("tooManyRequests", 429), ("serviceUnavailable", 503)])
@pytest.mark.parametrize("place,method,path", [("graph", "GET", "/v1.0/users"), ("keys", "GET", "/common/discovery/v2.0/keys"),
                                               ("checkIn", "POST", "/mam/v1/check-in"), ("token", "POST", "/common/oauth2/v2.0/token")])
def test_a_planted_429_or_503_has_the_configured_retry_after(
    dev: DevTenant, place: str, method: str, path: str, kind: str, status: int, delay: "str | None", header: "str | None"
) -> None:
    dev.plant(place, kind, times=1, **({"delay": delay} if delay else {}))
    answer = dev.ask(method, path)
    assert (answer.status, answer.headers.get("Retry-After")) == (status, header)
    assert "error" in answer.json and dev.ask(method, path).status not in (429, 503)


@pytest.mark.parametrize("path,place", [("/v1.0/users", "graph"), ("/common/discovery/v2.0/keys", "keys")])
def test_planted_faults_drop_cut_corrupt_or_delay_an_answer(dev: DevTenant, path: str, place: str) -> None:
    dev.plant(place, "unreachable", times=1)
    with pytest.raises((http.client.RemoteDisconnected, ConnectionResetError)):
        dev.ask("GET", path)
    dev.plant(place, "cut", times=1)
    with pytest.raises(CUT):
        dev.ask("GET", path)
    dev.plant(place, "malformed", times=1)
    with pytest.raises(json.JSONDecodeError):
        dev.ask("GET", path).json  # noqa: B018
    dev.plant(place, "slow", times=1, delay="PT0.01S")
    assert dev.ask("GET", path).status in (200, 401)
    assert dev.control("GET", "faults").json["faults"] == []


def test_registrations_reports_a_list_whose_next_link_leads_back(dev: DevTenant, bridge: Bridge) -> None:
    dev.plant("graph", "nextLinkLoop")
    assert graph(dev, "users?$top=2").json["@odata.nextLink"] == f"{dev.url}/v1.0/users?$top=2"
    token = f"--token-command 'mambridge-tenant dev-token erin --service {dev.url}'"
    done = bridge.run(f"mambridge-tenant registrations {dev.url} {token}")
    assert done.returncode != 0 and "leads back to a page that it already had" in done.stderr


def test_planted_faults_refuse_a_token_as_expired_or_demand_more_claims(dev: DevTenant, bridge: Bridge) -> None:
    dev.plant("graph", "expired", times=1)
    assert graph(dev).status == 401
    wait_for(lambda: any("refused a token: the token has expired" in line for line in dev.lines), "the reason in the log")
    dev.plant("graph", "claimsChallenge", times=1)
    challenge = graph(dev).headers["WWW-Authenticate"]
    claims = re.search(r'error="insufficient_claims", claims="([^"]+)"', challenge)
    assert claims and json.loads(base64.b64decode(claims[1])) == {"access_token": {"acrs": {"essential": True, "value": "c1"}}}
    # One that is refused once is renewed; one that is refused again needs a person.
    dev.plant("graph", "claimsChallenge")
    token = f"--token-command 'mambridge-tenant dev-token erin --service {dev.url}'"
    done = bridge.run(f"mambridge-tenant registrations {dev.url} {token}")
    assert done.returncode == os.EX_NOPERM and "refuses the token, and a new one, too" in done.stderr


@pytest.mark.parametrize("kind,status", [
    ("unreachable", 212), ("tooManyRequests", 212), ("serviceUnavailable", 212), ("cut", 212), ("malformed", 212),
    ("expired", 203), ("refused", 203), ("claimsChallenge", 203)])
def test_a_host_keeps_its_policy_during_a_planted_fault_and_checks_in_again_afterwards(
    dev: DevTenant, bridge: Bridge, kind: str, status: int
) -> None:
    assert bridge.enroll() == 100
    dev.plant("checkIn", kind)
    found = bridge.call("tenant.checkIn")[0]["statusCode"]
    assert found == status
    assert bridge.call(f"policy.isSaveToAllowedForLocation location=localDrive account={ALICE}") is False
    assert dev.control("DELETE", "faults").status == 204
    assert bridge.call("tenant.checkIn")[0]["statusCode"] in (100, 101)


def test_the_log_and_the_list_of_requests_name_the_planted_fault(dev: DevTenant) -> None:
    last = dev.control("GET", "requests").json["last"]
    assert dev.control("PUT", "faults", {"faults": [{"at": "graph", "kind": "cut", "times": 1}, {"at": "keys", "kind": "slow", "delay": "PT0.01S"},
                                                    {"at": "token", "kind": "mfaRequired", "times": 2}]}).status == 204
    planted = dev.control("GET", "faults").json
    assert planted["faults"] == [{"at": "graph", "kind": "cut", "times": 1, "delay": None}, {"at": "token", "kind": "mfaRequired", "times": 2, "delay": None},
                                 {"at": "keys", "kind": "slow", "times": None, "delay": "PT0.01S"}]
    assert "claimsChallenge" in planted["kinds"]["checkIn"]
    with pytest.raises(CUT):
        graph(dev)
    dev.access_token("alice")
    dev.ask("GET", "/common/discovery/v2.0/keys")
    told = {entry["path"].split("/")[-1]: entry["fault"] for entry in dev.control("GET", f"requests?since={last}").json["requests"] if entry["fault"]}
    assert told == {"users": "the planted fault cut of the graph hits an answer, for the last time",
                    "token": "the planted fault mfaRequired of the token hits an answer, 1 more to come",
                    "keys": "the planted fault slow of the keys hits an answer"}
    for text in told.values():
        wait_for(lambda: any(line.endswith(f'fault="{text}"\n') for line in dev.lines), "the line of the log")


# Sign-ins that end otherwise


@pytest.mark.parametrize("outcome,said", [
    ("mfaRequired", "AADSTS50076: The user must use a second factor (multi-factor authentication) to get this token. (development) Sign in again"),
    ("consentRequired", "AADSTS65001: Neither the user nor an administrator has consented to what the app asks for. (development). "
                        "Consent when you sign in, or ask an administrator to consent for everybody. Sign in again"),
    ("expired", "AADSTS70019: Nobody entered the code in time. (development). Nobody signed in before the code expired."),
    ("disabled", "AADSTS50057: The user account is disabled. (development). The account is disabled. Ask an administrator to enable it."),
])
@pytest.mark.parametrize("chosen", ["on the page", "by control"])
def test_login_reports_why_sign_in_failed(dev: DevTenant, bridge: Bridge, outcome: str, said: str, chosen: str) -> None:
    if chosen == "by control":
        dev.plant("token", outcome)
    page = {"outcome": outcome} if chosen == "on the page" else {}
    code, _, err = log_in(dev, bridge, **page)
    assert code != 0 and said.replace("(development) ", "(development). ") in err, err


def log_in(dev: DevTenant, bridge: Bridge, user: str = ALICE, options: str = "", **page: str) -> "tuple[int, str, str]":
    environment = {**dev.environment, "SSL_CERT_FILE": dev.said["certificate"],
                   "MAMBRIDGE_TOKEN_CACHE": str(bridge.shell.parent / "cache" / "sign-ins")}
    login = subprocess.Popen([dev.program, "login", dev.url, *options.split()], env=environment, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert login.stderr
    line = login.stderr.readline()
    code = re.search(r"enter the code ([A-Z]{8})", line)
    assert code, line + login.stderr.read()
    assert code[1] in [entry["userCode"] for entry in dev.control("GET", "sign-ins").json["signIns"]]
    assert dev.ask("POST", "/devicelogin", {"otc": code[1], "user": user, "secret": dev.secret, **page}, Origin=dev.url).status == 200
    out, err = login.communicate(timeout=60)
    return login.returncode, out, err


@pytest.mark.parametrize("kind,said", [
    ("mfaRequired", "AADSTS50076"), ("consentRequired", "AADSTS65001"), ("expired", "AADSTS700082"), ("disabled", "AADSTS50057"),
    ("otherUser", "Nothing was kept"), ("serviceUnavailable", "status 503")])
def test_a_signed_in_bridge_logs_why_it_gets_no_new_token(dev: DevTenant, bridge: Bridge, kind: str, said: str) -> None:
    assert log_in(dev, bridge)[0] == 0
    source = f"mambridge --tenant {dev.url} call"
    enrolled = bridge.run(f"{source} enrollmentManager.registerAndEnrollAccount account={ALICE}")
    assert json.loads(enrolled.stdout)["statusCode"] == 100, enrolled.stdout + enrolled.stderr
    dev.plant("token", kind)
    done = bridge.run(f"{source} tenant.checkIn")
    assert json.loads(done.stdout)[0]["statusCode"] in (203, 212, 205), done.stdout
    log = "".join(path.read_text(errors="replace") for path in bridge.state.rglob("*.log"))
    assert said in log
    # The sign-in is used again when the fault is over; one of somebody else has ended it.
    dev.control("DELETE", "faults")
    again = json.loads(bridge.run(f"{source} tenant.checkIn").stdout)[0]["statusCode"]
    assert again == 203 if kind == "otherUser" else again in (100, 101)


def test_login_stores_no_sign_in_of_another_user_than_requested(dev: DevTenant, bridge: Bridge) -> None:
    code, _, err = log_in(dev, bridge, "bob@contoso.example", f"--account {ALICE}")
    assert code != 0 and f"bob@contoso.example signed in, and not {ALICE}. Nothing was kept." in err


@pytest.mark.parametrize("outcome,error,number", [("mfaRequired", "interaction_required", "50076"), ("consentRequired", "consent_required", "65001")])
def test_sign_in_page_returns_to_the_app_with_the_error(dev: DevTenant, outcome: str, error: str, number: str) -> None:
    led = dev.choose(outcome=outcome).led
    assert (led["error"], f"AADSTS{number}" in led["error_description"], led["state"]) == (error, True, "s t")
    assert "AADSTS90014" in dev.choose(outcome="otherUser").text


# Snapshots


def registered(dev: DevTenant) -> "list[str]":
    return [entry["id"] for entry in graph(dev, "deviceAppManagement/managedAppRegistrations").json["value"]]


def test_a_restored_snapshot_restores_the_tenant_and_its_registrations(dev: DevTenant, bridge: Bridge) -> None:
    assert dev.control("PUT", "snapshots/empty").status == 204
    assert bridge.enroll() == 100
    assert dev.control("PUT", "snapshots/enrolled").status == 204
    assert dev.control("GET", "snapshots").json == {"snapshots": ["empty", "enrolled"]}
    with_alice = registered(dev)
    path = Path(dev.said["tenant"]) / "tenant.json"
    before = path.read_text()
    path.with_suffix(".new").write_text(json.dumps({**json.loads(before), "displayName": "Other"}))
    path.with_suffix(".new").replace(path)
    dev.plant("graph", "cut")
    refresh = dev.sign_in()["refresh_token"]
    assert dev.control("POST", "snapshots/empty").status == 204
    # At once, and faults and sign-ins have ended.
    assert registered(dev) == [] and path.read_text() == before
    assert dev.token(grant_type="refresh_token", refresh_token=refresh).json["error_codes"] == [70000]
    assert dev.control("POST", "snapshots/enrolled").status == 204
    assert registered(dev) == with_alice != []
    assert bridge.call("tenant.checkIn")[0]["statusCode"] in (100, 101)
    for name in ("empty", "enrolled"):
        assert dev.control("DELETE", f"snapshots/{name}").status == 204
    assert dev.control("GET", "snapshots").json == {"snapshots": []}
    assert not list(Path(dev.said["tenant"]).parent.rglob("*.new"))


def test_reset_restores_the_original_tenant(tenant_program: str, tmp_path: Path, shell: Path) -> None:  # noqa: F811
    folder = tmp_path / "kept"
    dev = DevTenant(tenant_program, tmp_path / "run", str(folder), "--listen", "https://127.0.0.1:0")
    try:
        assert Bridge(dev, shell).enroll() == 100
        users = {user["displayName"] for user in graph(dev).json["value"]}
        path = folder / "tenant" / "tenant.json"
        tenant = json.loads(path.read_text())
        path.write_text(json.dumps({**tenant, "users": tenant["users"][:1] + tenant["users"][3:]}))
        wait_for(lambda: len(graph(dev).json["value"]) == 2, "the change")
        assert dev.control("POST", "reset").status == 204
        assert {user["displayName"] for user in graph(dev).json["value"]} == users and registered(dev) == []
        assert dev.control("PUT", "snapshots/kept").status == 204
    finally:
        dev.end()
    # A kept folder keeps its snapshots.
    again = DevTenant(tenant_program, tmp_path / "run", str(folder), "--listen", "https://127.0.0.1:0")
    try:
        assert again.control("GET", "snapshots").json == {"snapshots": ["kept"]}
        assert again.control("POST", "snapshots/kept").status == 204
    finally:
        again.end()


@pytest.mark.parametrize("exchanged", [False, True], ids=["before the tenant", "before the store"])
def test_the_next_start_completes_a_restore_that_was_killed(
    tenant_program: str, tmp_path: Path, shell: Path, exchanged: bool  # noqa: F811
) -> None:
    folder = tmp_path / "kept"
    listen = [str(folder), "--listen", "https://127.0.0.1:0"]
    dev = DevTenant(tenant_program, tmp_path / "run", *listen)
    dev.control("PUT", "snapshots/empty")
    assert Bridge(dev, shell).enroll() == 100 and registered(dev)
    tenant = json.loads((folder / "tenant" / "tenant.json").read_text())
    (folder / "tenant" / "tenant.json").write_text(json.dumps({**tenant, "displayName": "Other"}))
    dev.end(signal.SIGKILL)
    shutil.copytree(folder / "snapshots" / "empty", folder / "restoring")
    if exchanged:
        (folder / "tenant").rename(folder / "tenant.new")
        shutil.copytree(folder / "restoring" / "tenant", folder / "tenant")
    again = DevTenant(tenant_program, tmp_path / "run", *listen)
    try:
        assert registered(again) == [] and json.loads((folder / "tenant" / "tenant.json").read_text()) == tenant
        assert not (folder / "restoring").exists() and not list(folder.rglob("*.new"))
    finally:
        again.end()


def test_a_failed_restore_changes_nothing(dev: DevTenant, bridge: Bridge) -> None:
    folder = Path(dev.said["tenant"]).parent
    assert dev.control("PUT", "snapshots/broken").status == 204
    assert bridge.enroll() == 100
    (folder / "snapshots" / "broken" / "store.sqlite").write_bytes(b"no database" * 1000)
    before = (folder / "tenant" / "tenant.json").stat().st_ino, registered(dev)
    failed = dev.control("POST", "snapshots/broken")
    assert failed.status == 507 and failed.json["error"]["code"] == "storageFailed"
    assert ((folder / "tenant" / "tenant.json").stat().st_ino, registered(dev)) == before
    assert not (folder / "restoring").exists()
    dev.control("DELETE", "snapshots/broken")


# The last requests


def test_the_list_of_requests_shows_user_path_status_and_reason(dev: DevTenant) -> None:
    last = dev.control("GET", "requests").json["last"]
    token = dev.access_token("erin").json["access_token"]
    dev.ask("GET", "/v1.0/users?$top=1", Authorization=f"Bearer {token}")
    dev.ask("GET", "/v1.0/users", Authorization=f"Bearer {dev.access_token('bob').json['access_token']}")
    dev.ask("GET", "/v1.0/users", Authorization="Bearer wrong")
    dev.choose()
    entries = dev.control("GET", f"requests?since={last}").json["requests"]
    shown = [(entry["method"], entry["path"].replace(dev.said["tenantId"], "T"), entry["status"], entry["who"]) for entry in entries]
    assert shown == [
        ("POST", "/T/oauth2/v2.0/token", 200, None), ("GET", "/v1.0/users?$top=1", 200, "erin@contoso.example"),
        ("POST", "/T/oauth2/v2.0/token", 200, None), ("GET", "/v1.0/users", 403, "bob@contoso.example"),
        ("GET", "/v1.0/users", 401, None), ("POST", "/T/oauth2/v2.0/authorize", 303, None)]
    why = [entry["why"] or "" for entry in entries]
    assert why[0] == "signed in erin@contoso.example (secret of the run)" and "DeviceManagement" in why[3]
    assert "refused a token: the token does not have three parts" in why[4]
    assert [entry["number"] for entry in entries] == list(range(last + 1, last + 7))
    # Nothing of it is a secret, and there is a limit.
    assert dev.secret not in json.dumps(entries) and token not in json.dumps(entries)
    for _ in range(500):
        dev.ask("GET", "/health/live")
    assert len(dev.control("GET", "requests").json["requests"]) == 500
    assert claims_of(token)["upn"] == "erin@contoso.example"


def test_a_list_of_requests_with_wait_returns_the_next_request(tenant_program: str, tmp_path: Path) -> None:
    dev = DevTenant(tenant_program, tmp_path / "run")
    command = ["curl", "-sS", "--cacert", dev.said["certificate"], "-H", f"Authorization: Bearer {dev.secret}", f"{dev.url}/dev/requests?wait=25&since="]
    if not shutil.which("curl"):
        dev.end()
        pytest.skip("curl is not installed")
    first = subprocess.Popen([*command[:-1], command[-1] + "0"], stdout=subprocess.PIPE, text=True)
    dev.ask("GET", "/health/live")
    assert json.loads(first.communicate(timeout=20)[0])["requests"][0]["path"] == "/health/live"
    last = dev.control("GET", "requests").json["last"]
    second = subprocess.Popen([*command[:-1], command[-1] + str(last)], stdout=subprocess.PIPE, text=True)
    wait_for(lambda: dev.control("GET", "requests").status == 200, "that it answers")
    assert dev.end() == 0
    second.communicate(timeout=20)
