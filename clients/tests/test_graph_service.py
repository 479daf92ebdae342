"""What administrators get from mambridge-tenant serve: Graph's shapes, the commands, and Microsoft's client."""
from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import subprocess
import threading
import time
import uuid
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from administrators import BOB, BOB_ID, READER, WRITER, Company
from conftest import ALICE
from replicas import APP, Answer, Device
from tenants import ALICE_ID, TENANT_ID
from waiting import SOON, wait_for

PROGRAM = os.environ.get("MAMBRIDGE_TENANT_PROGRAM", "")
pytestmark = pytest.mark.skipif(not PROGRAM, reason="MAMBRIDGE_TENANT_PROGRAM names no mambridge-tenant")
MANAGEMENT = "/v1.0/deviceAppManagement"
REGISTRATIONS = f"{MANAGEMENT}/managedAppRegistrations"


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    made = Company(PROGRAM, tmp_path_factory.mktemp("company"))
    yield made
    made.close()


def ids(items: "list[dict[str, Any]]") -> "list[str]":
    return [item["id"] for item in items]


LISTS = [
    ("iosManagedAppProtections", ["T_1"]),
    ("androidManagedAppProtections", ["T_android"]),
    ("defaultManagedAppProtections", ["T_default"]),
    ("targetedManagedAppConfigurations", []),
    ("managedAppPolicies", ["T_1", "T_android", "T_default"]),
]


@pytest.mark.parametrize(("name", "expected"), LISTS, ids=[row[0] for row in LISTS])
@pytest.mark.parametrize("version", ["v1.0", "beta"])
def test_policies_are_listed_and_read_one_by_one(company: Company, version: str, name: str, expected: list) -> None:
    path = f"/{version}/deviceAppManagement/{name}"
    listed = company.all(path)
    assert ids(listed) == expected
    for policy in listed:
        answer = company.get(f"{path}/{policy['id']}")
        context = answer.body.pop("@odata.context")
        assert answer.status == 200 and answer.body == policy
        # In the list of all, the type of the policy comes after it.
        cast = "/" + policy["@odata.type"].lstrip("#") if name == "managedAppPolicies" else ""
        assert context == f"{company.url}/{version}/$metadata#deviceAppManagement/{name}{cast}/$entity"


def test_expand_adds_apps_and_assignments_to_a_policy(company: Company) -> None:
    path = f"{MANAGEMENT}/iosManagedAppProtections/T_1"
    plain, expanded = company.get(path).body, company.get(f"{path}?$expand=apps,assignments").body
    assert "assignments" not in plain and plain["minimumPinLength"] == 6
    assert [assignment["target"]["groupId"] for assignment in expanded["assignments"]] == ["staff"]
    assert company.all(f"{path}/assignments") == expanded["assignments"]
    assert company.all(f"{path}/apps") == expanded["apps"]
    selected = company.get(f"{path}?%24select=displayName").body
    assert set(selected) == {"@odata.context", "@odata.type", "id", "displayName"}


def test_next_links_lead_through_all_pages_at_the_actual_port(company: Company) -> None:
    for path in (f"{MANAGEMENT}/managedAppPolicies", "/v1.0/users", "/v1.0/groups"):
        whole = company.all(path)
        pages = list(company.pages(f"{path}?$top=1&$count=true"))
        assert [len(page) for page in pages] == [1] * len(whole) and sum(pages, []) == whole
        first = company.get(f"{path}?$top=1").body["@odata.nextLink"]
        assert first.startswith(f"{company.url}{path}?"), first
    assert not company.url.endswith(":0")


def test_next_links_ignore_the_host_header(company: Company) -> None:
    answer = company.request(
        "GET", "/v1.0/users?$top=1", f"Bearer {company.token(READER)}", headers={"Host": "evil.example"})
    assert answer.status == 200 and "evil" not in json.dumps(answer.body)


def test_users_can_be_read_by_id_or_name_and_with_their_groups(company: Company) -> None:
    assert [user["userPrincipalName"] for user in company.all("/v1.0/users")] == [ALICE, BOB]
    for key in (ALICE_ID, ALICE, ALICE.upper()):
        assert company.get(f"/v1.0/users/{key}").body["displayName"] == "Alice Adams"
    assert ids(company.all(f"/v1.0/users/{BOB}/transitiveMemberOf/microsoft.graph.group")) == ["guests", "staff"]
    assert ids(company.all("/v1.0/groups/guests/members")) == [BOB_ID]
    filtered = company.all(f"/v1.0/users?$filter=userPrincipalName%20eq%20'{BOB}'")
    assert ids(filtered) == [BOB_ID]
    me = company.get("/v1.0/me", company.token(READER, person=ALICE_ID))
    assert me.status == 200 and me.body["id"] == ALICE_ID
    assert company.get("/v1.0/organization").body["value"][0]["id"] == TENANT_ID


def test_check_ins_appear_as_managed_app_registrations(company: Company) -> None:
    devices = [company.enroll(BOB_ID) for _ in range(3)]
    expected = sorted(device.registration for device in devices)
    assert ids(company.all(f"/v1.0/users/{BOB}/managedAppRegistrations?$top=2")) == expected
    assert set(expected) <= set(ids(company.all(f"{REGISTRATIONS}?$top=1")))
    assert ids(company.all(f"{REGISTRATIONS}?$filter=deviceTag%20eq%20'{devices[0].tag}'")) == [devices[0].registration]
    shown = company.get(f"{REGISTRATIONS}/{devices[0].registration}").body
    assert shown["@odata.type"] == "#microsoft.graph.iosManagedAppRegistration"
    assert (shown["deviceTag"], shown["userId"]) == (devices[0].tag, BOB_ID)
    assert shown["appIdentifier"]["bundleId"] == APP and shown["managementSdkVersion"] == "21.7.1"
    for part, policies in (("appliedPolicies", ["T_1"]), ("intendedPolicies", ["T_1"]), ("operations", [])):
        assert ids(company.all(f"{REGISTRATIONS}/{devices[0].registration}/{part}")) == policies
    status = company.get(f"{MANAGEMENT}/managedAppStatuses('userstatus')?userId={BOB_ID}").body["content"]
    assert sorted(row["ApplicationInstanceId"] for row in status["Applications"]) == expected
    beta = company.get(f"/beta/deviceAppManagement/managedAppRegistrations/{devices[0].registration}").body
    assert "deviceModel" in beta and "deviceModel" not in shown


def test_a_wipe_stays_pending_until_the_app_reports_it_as_done(company: Company) -> None:
    device, other, bystander = company.enroll(), company.enroll(), company.enroll(BOB_ID)
    answer = company.order_wipe(device, company.token(WRITER))
    assert (answer.status, answer.body) == (204, None)
    assert company.states(device) == ["pending"]
    [operation] = company.check_in(device).body["operations"]
    assert operation["type"] == "wipe"
    assert company.report(device, operation["id"], "failed", "disk full").status == 200
    assert company.states(device) == ["pending: disk full"]
    for _ in range(2):
        assert company.report(device, operation["id"]).status == 200
    assert company.states(device) == ["completed"]
    for untouched in (other, bystander):
        assert company.states(untouched) == [] and company.check_in(untouched).body["operations"] == []
    assert company.report(other, operation["id"]).status == 404
    beta = f"/beta/users/{ALICE}/wipeManagedAppRegistrationsByDeviceTag"
    answer = company.request("POST", beta, f"Bearer {company.token(WRITER)}", {"deviceTag": other.tag})
    assert answer.status == 204 and company.states(other) == ["pending"]


def is_graph_error(answer: Answer, status: int, code: str) -> None:
    assert answer.status == status, answer
    assert set(answer.body) == {"error"} and set(answer.body["error"]) == {"code", "message", "innerError"}
    message = answer.body["error"]["message"]
    # Intune's own refusals have a JSON text as their message.
    text = json.loads(message)["Message"].partition(" - Operation ID")[0] if message.startswith("{") else message
    assert answer.body["error"]["code"] == code and text.endswith("."), answer
    assert answer.body["error"]["innerError"]["request-id"] == answer.headers["request-id"]


WIPE = f"/v1.0/users/{ALICE_ID}/wipeManagedAppRegistrationsByDeviceTag"
TAG = {"deviceTag": "no such tag"}
REFUSALS = [
    ("no token", None, "GET", "/v1.0/users", None, 401, "InvalidAuthenticationToken"),
    ("another token", "Bearer x.y.z", "GET", "/v1.0/users", None, 401, "InvalidAuthenticationToken"),
    ("another scheme", "Basic YTpi", "POST", WIPE, TAG, 401, "InvalidAuthenticationToken"),
    ("no role", [], "GET", "/v1.0/users", None, 403, "Forbidden"),
    ("no role, and no such path", [], "GET", "/v1.0/elsewhere", None, 403, "Forbidden"),
    ("a reader who wipes", [READER], "POST", WIPE, TAG, 403, "Forbidden"),
    ("no such user", [READER], "GET", "/v1.0/users/nobody@contoso.example", None, 404, "ResourceNotFound"),
    ("no such policy", [READER], "GET", f"{MANAGEMENT}/iosManagedAppProtections/T_2", None, 404, "ResourceNotFound"),
    ("no such path", [READER], "GET", "/v1.0/elsewhere", None, 404, "ResourceNotFound"),
    ("no such registration", [READER], "GET", f"{REGISTRATIONS}/1", None, 404, "ResourceNotFound"),
    ("a wipe of nobody", [WRITER], "POST", WIPE.replace(ALICE_ID, "nobody"), TAG, 404, "ResourceNotFound"),
    ("a wipe of another device", [WRITER], "POST", WIPE, TAG, 400, "BadRequest"),
    ("a wipe without a tag", [WRITER], "POST", WIPE, {}, 400, "BadRequest"),
    ("an option that is not served", [READER], "GET", "/v1.0/users?$search=x", None, 400, "BadRequest"),
    ("a page of nothing", [READER], "GET", "/v1.0/users?$top=0", None, 400, "BadRequest"),
    ("a foreign token of a page", [READER], "GET", "/v1.0/users?$skiptoken=%00", None, 400, "BadRequest"),
    ("a path that is not UTF-8", [READER], "GET", "/v1.0/users/%ff", None, 400, "BadRequest"),
    ("a new policy", [WRITER], "POST", f"{MANAGEMENT}/managedAppPolicies", {}, 405, "MethodNotAllowed"),
    ("a changed policy", [WRITER], "PATCH", f"{MANAGEMENT}/managedAppPolicies/T_1", {}, 405, "MethodNotAllowed"),
    ("a deleted user", [WRITER], "DELETE", f"/v1.0/users/{ALICE_ID}", None, 405, "MethodNotAllowed"),
    ("a wipe that is read", [WRITER], "GET", WIPE, None, 405, "MethodNotAllowed"),
]


@pytest.mark.parametrize(
    ("who", "method", "path", "body", "status", "code"), [row[1:] for row in REFUSALS],
    ids=[row[0] for row in REFUSALS])
def test_refused_requests_get_errors_in_the_format_of_graph(
    company: Company, who: Any, method: str, path: str, body: Any, status: int, code: str
) -> None:
    authorization = f"Bearer {company.token(*who)}" if isinstance(who, list) else who
    answer = company.request(method, path, authorization, body)
    is_graph_error(answer, status, code)
    assert ("WWW-Authenticate" in answer.headers) == (status == 401)
    assert ("Allow" in answer.headers) == (status == 405)


def test_a_body_that_is_too_large_gets_a_413_in_the_format_of_its_api(company: Company) -> None:
    body = {"deviceTag": "x" * (1 << 20)}
    is_graph_error(company.request("POST", WIPE, f"Bearer {company.token(WRITER)}", body), 413, "RequestEntityTooLarge")
    answer = company.request("POST", "/mam/v1/check-in", None, body)
    assert answer.status == 413 and answer.body["error"]["code"] == "tooLarge" and answer.headers["request-id"]
    identifier = answer.headers["request-id"]
    wait_for(lambda: any(identifier in line and "status=413" in line for line in company.service.lines), "it is logged")


def exhaust(company: Company, token: str) -> Answer:
    """Asks until the service says to wait."""
    for _ in range(500):
        answer = company.get("/v1.0/users?$top=1", token)
        if answer.status != 200:
            return answer
    raise AssertionError("there is no limit")


def test_an_administrator_over_the_request_limit_gets_a_429_and_others_do_not(company: Company) -> None:
    token = company.token(READER)
    answer = exhaust(company, token)
    is_graph_error(answer, 429, "TooManyRequests")
    assert int(answer.headers["Retry-After"]) >= 1
    assert company.get("/v1.0/users").status == 200
    time.sleep(int(answer.headers["Retry-After"]))
    assert company.get("/v1.0/users", token).status == 200


def run(company: Company, folder: Path, token: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """A command of an administrator. The service's address comes after its name."""
    file = folder / "token"
    file.write_text(token)
    command = [PROGRAM, arguments[0], company.url, *arguments[1:], "--token-command", f"cat {shlex.quote(str(file))}",
               "--ca", str(company.authority.path)]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)


def test_registrations_lists_devices_and_wipe_orders_a_wipe(company: Company, tmp_path: Path) -> None:
    device, reader, writer = company.enroll(), company.token(READER), company.token(WRITER)
    table = run(company, tmp_path, reader, "registrations", "--user", ALICE)
    assert table.returncode == 0, table.stderr
    head, *rows = table.stdout.splitlines()
    assert head.split()[:3] == ["USER", "APP", "VERSION"]
    [row] = [row for row in rows if device.tag in row]
    assert ALICE in row and APP in row and "phone" in row and "iOS 17.0" in row
    done = run(company, tmp_path, writer, "wipe", ALICE, "--device-tag", device.tag)
    assert done.returncode == 64 and "--yes" in done.stderr and company.states(device) == []
    other = company.enroll()
    done = run(company, tmp_path, writer, "wipe", ALICE, "--yes")
    assert done.returncode == 1 and "Name one with --device-tag" in done.stderr, done
    assert company.states(device) == company.states(other) == []
    done = run(company, tmp_path, writer, "wipe", ALICE, "--device-tag", device.tag, "--yes")
    assert (done.returncode, done.stdout) == (0, "ordered the wipe of 1 app\n"), done.stderr
    listed = json.loads(run(company, tmp_path, reader, "registrations", "--json", "--operations").stdout)
    [shown] = [registration for registration in listed if registration["id"] == device.registration]
    assert shown["userPrincipalName"] == ALICE
    states = [(operation["displayName"], operation["state"]) for operation in shown["operations"]]
    assert states == [("wipe", "pending")]
    [operation] = company.check_in(device).body["operations"]
    company.report(device, operation["id"])
    editions = run(company, tmp_path, reader, "registrations", "--user", ALICE, "--editions").stdout.splitlines()
    assert editions[0].endswith("  EDITION") and re.search(r"  \d+$", editions[1]), editions
    table = run(company, tmp_path, reader, "registrations", "--user", ALICE, "--operations").stdout
    assert [row.endswith("wipe completed") for row in table.splitlines() if device.tag in row] == [True]


def audited(company: Company, actor: str) -> "list[str]":
    command = [PROGRAM, "audit", "--store", f"sqlite:{company.service.store}", "--json", "--action", "read"]
    lines = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout.splitlines()
    return [entry["subject"] for entry in map(json.loads, lines) if entry["actor"] == actor]


def test_registrations_with_operations_sends_one_list_request_and_shows_ended_registrations(
    company: Company, tmp_path: Path
) -> None:
    devices = [company.enroll(BOB_ID) for _ in range(20)]
    person = str(uuid.uuid4())
    for device in devices[:2]:
        assert company.order_wipe(device, company.token(WRITER)).status == 204
        [operation] = company.check_in(device).body["operations"]
        assert company.report(device, operation["id"]).status == 200
    gone = devices[0]
    path = f"/mam/v1/registrations/{gone.registration}"
    assert company.request("DELETE", path, f"Registration {gone.secret}").status == 204
    token = company.token(READER, person=person)
    listed = json.loads(run(company, tmp_path, token, "registrations", "--user", BOB, "--json", "--operations").stdout)
    shown = {registration["id"]: registration for registration in listed}
    assert set(shown) >= {device.registration for device in devices}
    assert [operation["state"] for operation in shown[gone.registration]["operations"]] == ["completed"]
    assert shown[gone.registration]["endReason"] == "left" and shown[gone.registration]["userPrincipalName"] == BOB
    assert "endReason" not in shown[devices[1].registration] and shown[devices[2].registration]["operations"] == []
    assert audited(company, person) == [f"GET /v1.0/users/{BOB}/managedAppRegistrations", f"GET /v1.0/users/{BOB_ID}"]
    table = run(company, tmp_path, token, "registrations", "--user", BOB, "--operations").stdout.splitlines()
    [row] = [row for row in table if gone.tag in row]
    assert row.split()[-4:-2] == ["left", shown[gone.registration]["endedDateTime"][:10]] and row.endswith("wipe completed")
    plain = json.loads(run(company, tmp_path, token, "registrations", "--user", BOB, "--json").stdout)
    assert gone.registration not in {registration["id"] for registration in plain}


class Stranger:
    """A server that answers every request alike."""

    def __init__(self, status: int, kind: str, body: str) -> None:
        stranger = self
        self.requests: "list[str]" = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                stranger.requests.append(self.path)
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self) -> "Stranger":
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        command = [PROGRAM, arguments[0], self.url, *arguments[1:]]
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)


def test_registrations_with_operations_at_an_older_service_suggests_omitting_the_option() -> None:
    error = {"error": {"code": "BadRequest", "message": "The query option $expand is not supported here."}}
    with Stranger(400, "application/json", json.dumps(error)) as old:
        done = old.run("registrations", "--operations", "--token-command", "echo token")
        assert done.returncode == 1 and "is an older service" in done.stderr and "$expand" in done.stderr, done.stderr
        assert "without --operations" in done.stderr and len(old.requests) == 1


@pytest.mark.parametrize("arguments", [["registrations", "--token-command", "echo token"], ["check"], ["login"]])
def test_commands_report_at_once_that_the_service_answered_with_a_web_page(arguments: list, tmp_path: Path) -> None:
    with Stranger(200, "text/html; charset=utf-8", "<!DOCTYPE html><title>Sign in</title>") as portal:
        done = portal.run(*arguments)
        assert done.returncode != 0 and "answered with a web page (status 200)" in done.stderr + done.stdout, done
        assert len(portal.requests) <= 2


FAILURES = [
    ("no such user", [WRITER], ["registrations", "--user", "nobody@contoso.example"], 1, "There is no user"),
    ("a wipe of no such user", [WRITER], ["wipe", "nobody@contoso.example", "--device-tag", "1", "--yes"], 1,
     "There is no user"),
    ("a wipe of no such device", [WRITER], ["wipe", ALICE, "--device-tag", "1", "--yes"], 1, "no app on a device"),
    ("no permission", [], ["registrations"], 77, READER),
]


@pytest.mark.parametrize(
    ("roles", "arguments", "status", "text"), [row[1:] for row in FAILURES], ids=[row[0] for row in FAILURES])
def test_the_commands_report_why_they_fail(
    company: Company, tmp_path: Path, roles: list, arguments: list, status: int, text: str
) -> None:
    done = run(company, tmp_path, company.token(*roles), *arguments)
    assert done.returncode == status and text in done.stderr and done.stdout == "", (done.returncode, done.stderr)


def test_a_reader_cannot_order_a_wipe_with_the_command(company: Company, tmp_path: Path) -> None:
    device = company.enroll()
    done = run(company, tmp_path, company.token(READER), "wipe", ALICE, "--device-tag", device.tag, "--yes")
    assert done.returncode == 77 and WRITER in done.stderr, done.stderr
    assert company.states(device) == []


def microsofts_client(company: Company, token: str) -> "tuple[Any, Any]":
    """Microsoft's client for Python, which takes the service for Graph, and its connections, which it leaves open."""
    pytest.importorskip("msgraph", reason="Microsoft's client is not installed: pip install msgraph-sdk")
    import httpx
    from kiota_abstractions.authentication import AccessTokenProvider, AllowedHostsValidator
    from kiota_abstractions.authentication import BaseBearerTokenAuthenticationProvider
    from msgraph import GraphRequestAdapter, GraphServiceClient
    from msgraph_core import GraphClientFactory

    class Tokens(AccessTokenProvider):
        async def get_authorization_token(self, uri: str, additional_authentication_context: Any = None) -> str:
            return token

        def get_allowed_hosts_validator(self) -> Any:
            return AllowedHostsValidator(["127.0.0.1"])

    connections = httpx.AsyncHTTPTransport(verify=company.trust)
    http = GraphClientFactory.create_with_default_middleware(client=httpx.AsyncClient(transport=connections))
    adapter = GraphRequestAdapter(BaseBearerTokenAuthenticationProvider(Tokens()), client=http)
    adapter.base_url = f"{company.url}/v1.0"
    return GraphServiceClient(request_adapter=adapter), connections


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_microsofts_graph_client_reads_policies_orders_wipes_and_obeys_retry_after(company: Company) -> None:
    token = company.token(WRITER)
    client, connections = microsofts_client(company, token)
    from kiota_abstractions.base_request_configuration import RequestConfiguration
    from msgraph.generated.device_app_management.managed_app_policies.managed_app_policies_request_builder import (
        ManagedAppPoliciesRequestBuilder as Policies)
    from msgraph.generated.models.ios_managed_app_protection import IosManagedAppProtection
    from msgraph.generated.models.ios_managed_app_registration import IosManagedAppRegistration
    from msgraph.generated.models.o_data_errors.o_data_error import ODataError
    from msgraph.generated.users.item.wipe_managed_app_registrations_by_device_tag \
        .wipe_managed_app_registrations_by_device_tag_post_request_body import (
            WipeManagedAppRegistrationsByDeviceTagPostRequestBody as WipeBody)

    device = company.enroll()

    async def use() -> None:
        management = client.device_app_management
        one = RequestConfiguration(query_parameters=Policies.ManagedAppPoliciesRequestBuilderGetQueryParameters(top=1))
        page, found = await management.managed_app_policies.get(request_configuration=one), []
        while page:
            found += page.value
            link = page.odata_next_link
            page = await management.managed_app_policies.with_url(link).get() if link else None
        assert [policy.id for policy in found] == ["T_1", "T_android", "T_default"]
        assert isinstance(found[0], IosManagedAppProtection)
        assert found[0].minimum_pin_length == 6 and found[0].period_offline_before_access_check.total_seconds() == 43200

        user = client.users.by_user_id(ALICE)
        assert (await user.get()).display_name == "Alice Adams"
        registrations = (await user.managed_app_registrations.get()).value
        [registration] = [each for each in registrations if each.device_tag == device.tag]
        assert isinstance(registration, IosManagedAppRegistration) and registration.last_sync_date_time
        assert registration.app_identifier.bundle_id == APP
        await user.wipe_managed_app_registrations_by_device_tag.post(WipeBody(device_tag=device.tag))
        operations = management.managed_app_registrations.by_managed_app_registration_id(device.registration).operations
        assert [operation.state for operation in (await operations.get()).value] == ["pending"]

        with pytest.raises(ODataError) as missing:
            await client.users.by_user_id("nobody@contoso.example").get()
        assert missing.value.response_status_code == 404 and missing.value.error.code == "ResourceNotFound"
        assert missing.value.error.inner_error.request_id

        wait = int(exhaust(company, token).headers["Retry-After"])
        start = time.monotonic()
        assert len((await client.users.get()).value) == 2
        assert wait <= time.monotonic() - start < wait + SOON
        await connections.aclose()

    asyncio.run(use())
