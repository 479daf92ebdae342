"""Tools of administrators write to mambridge-tenant dev through Graph: IntuneCD and Microsoft's SDKs as they are installed, and
the requests of tools that cannot run here."""
from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Iterator

import pytest
from dev_tenant import Answer, DevTenant
from graph_requests import ANDROID, EXCLUDED, IOS, MISSING, SALES, TOOLS, Asked, batch
from test_tenant_dev_libraries import python_with

HERE = Path(__file__).parent
MANAGEMENT = "/beta/deviceAppManagement"
JSON = {"Content-Type": "application/json"}


class Administrator:
    """A person who may write, without a library."""

    def __init__(self, dev: DevTenant, name: str = "erin@contoso.example"):
        self.dev = dev
        self.token: str = dev.access_token(name).json["access_token"]

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Asks again when the answer says when."""
        while True:
            answer = self.dev.ask(
                method, path, None if body is None else json.dumps(body), Authorization=f"Bearer {self.token}", **JSON, **headers)
            if answer.status not in (429, 503):
                return answer
            time.sleep(int(answer.headers["Retry-After"]))

    def create(self, collection: str, **members: Any) -> str:
        answer = self.ask("POST", f"{MANAGEMENT}/{collection}", {"displayName": f"New of {collection}", **members})
        assert answer.status == 201, answer.text
        return str(answer.json["id"])

    def policies(self) -> "list[dict[str, Any]]":
        return self.ask("GET", f"{MANAGEMENT}/managedAppPolicies").json["value"]  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def served(tenant_program: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Administrator]:
    """Without TLS, which other tests try."""
    dev = DevTenant(tenant_program, tmp_path_factory.mktemp("dev") / "run", "--ephemeral", "--http")
    yield Administrator(dev)
    dev.end()


@pytest.fixture
def administrator(served: Administrator) -> Administrator:
    """In a tenant without policies."""
    for policy in served.policies():
        assert served.ask("DELETE", f"{MANAGEMENT}/managedAppPolicies/{policy['id']}").status == 204
    return served


def test_a_user_added_to_the_administrators_group_by_its_id_may_create_policies(served: Administrator) -> None:
    [group] = served.ask("GET", "/v1.0/groups?$filter=displayName%20eq%20'Administrators'").json["value"]
    name = "frank@contoso.example"
    made = served.ask("POST", "/v1.0/users", {"userPrincipalName": name, "displayName": "Frank", "accountEnabled": True})
    assert made.status == 201, made.text
    member = {"@odata.id": f"{served.dev.url}/v1.0/directoryObjects/{made.json['id']}"}
    assert served.ask("POST", f"/v1.0/groups/{group['id']}/members/$ref", member).status == 204
    Administrator(served.dev, name).create("iosManagedAppProtections")


# IntuneCD


def differences(first: Path, second: Path) -> str:
    return subprocess.run(["diff", "-r", str(first), str(second)], capture_output=True, text=True, timeout=60).stdout


class IntuneCD:
    def __init__(self, administrator: Administrator, folder: Path):
        pytest.importorskip("IntuneCD", reason="IntuneCD is not installed: run scripts/python")
        self.administrator, self.folder = administrator, folder

    def run(self, command: str, folder: Path, *options: str) -> "list[tuple[str, str, int]]":
        """Returns its writes: method, path without ids, and status. What it asks in a batch are reads."""
        dev = self.administrator.dev
        folder.mkdir(exist_ok=True)
        last = dev.control("GET", "requests").json["last"]
        done = subprocess.run(
            [sys.executable, str(HERE / "redirected_intunecd.py"), dev.url, command, "-t", self.administrator.token, "-p", str(folder),
             "--exit-on-error", *options],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, env=dev.environment)
        assert done.returncode == 0 and "rror" not in done.stdout + done.stderr, f"{done.stdout}\n{done.stderr}"
        entries = dev.control("GET", f"requests?since={last}").json["requests"]
        assert entries, done.stdout
        return [(entry["method"], self.without_ids(entry["path"]), entry["status"]) for entry in entries
                if entry["method"] not in ("GET", "HEAD") and not entry["path"].endswith("$batch")]

    @staticmethod
    def without_ids(path: str) -> str:
        return "/".join("ID" if part[1:2] == "_" else part for part in path.removeprefix(MANAGEMENT).strip("/").split("/"))

    def backup(self, name: str) -> "tuple[Path, list[tuple[str, str, int]]]":
        folder = self.folder / name
        return folder, self.run("backup", folder, "-o", "json")

    def update(self, folder: Path, *options: str) -> "list[tuple[str, str, int]]":
        return self.run("update", folder, "-u", *options)


@pytest.fixture
def intunecd(administrator: Administrator, tmp_path: Path) -> IntuneCD:
    """Over a tenant with one policy of each kind, assigned to a group and not to another."""
    made = IntuneCD(administrator, tmp_path)
    for collection, more in [
        ("iosManagedAppProtections", {"appGroupType": "allApps", "minimumPinLength": 6}),
        ("androidManagedAppProtections", {"appGroupType": "allMicrosoftApps"}),
        ("targetedManagedAppConfigurations", {"appGroupType": "allApps", "customSettings": [{"name": "a", "value": "1"}]}),
    ]:
        policy = administrator.create(collection, **more)
        assert administrator.ask("POST", f"{MANAGEMENT}/{collection}/{policy}/assign", {"assignments": [SALES, EXCLUDED]}).status == 204
    administrator.create("defaultManagedAppProtections", minimumPinLength=5)
    return made


def test_intunecd_finds_no_drift_right_after_a_backup(intunecd: IntuneCD) -> None:
    folder, writes = intunecd.backup("saved")
    texts = [path.read_text() for path in folder.glob("App Protection/*.json")]
    assert (len(texts), sum('"groupName": "sales"' in text for text in texts), writes) == (4, 3, [])
    assert intunecd.update(folder) == []


def test_intunecd_repairs_a_policy_that_has_drifted(intunecd: IntuneCD) -> None:
    folder, _ = intunecd.backup("saved")
    [ios] = [policy for policy in intunecd.administrator.policies() if policy["@odata.type"].endswith("iosManagedAppProtection")]
    path = f"{MANAGEMENT}/iosManagedAppProtections/{ios['id']}"
    assert intunecd.administrator.ask("PATCH", path, {"minimumPinLength": 4, "pinRequired": False}).status == 204
    assert intunecd.administrator.ask("POST", f"{path}/assign", {"assignments": [EXCLUDED]}).status == 204
    assert intunecd.update(folder) == [
        ("PATCH", "iosManagedAppProtections/ID", 204), ("POST", "iosManagedAppProtections/ID/assign", 204)]
    again, _ = intunecd.backup("again")
    assert differences(folder, again) == ""


def test_an_intunecd_import_into_an_empty_tenant_exports_again_byte_for_byte(intunecd: IntuneCD) -> None:
    folder, _ = intunecd.backup("saved")
    nothing = intunecd.folder / "nothing"
    (nothing / "App Protection").mkdir(parents=True)
    assert intunecd.update(nothing, "--remove") == [("DELETE", "managedAppPolicies/ID", 204)] * 4
    assert intunecd.administrator.policies() == []
    assigned = ["androidManagedAppProtections", "iosManagedAppProtections", "targetedManagedAppConfigurations"]
    assert sorted(intunecd.update(folder)) == sorted(
        [*(("POST", name, 201) for name in [*assigned, "defaultManagedAppProtections"]),
         *(("POST", f"{name}/ID/assign", 204) for name in assigned)])
    again, _ = intunecd.backup("again")
    assert differences(folder, again) == ""


def test_intunecd_creates_a_group_that_is_missing(administrator: Administrator, tmp_path: Path) -> None:
    intunecd = IntuneCD(administrator, tmp_path)
    policy = administrator.create("iosManagedAppProtections")
    group = {"target": {**SALES["target"], "groupId": "visitors"}}
    assert administrator.ask("POST", f"/beta/{IOS}/{policy}/assign", {"assignments": [group]}).status == 204
    folder, _ = intunecd.backup("saved")
    assert administrator.ask("DELETE", f"/beta/{IOS}/{policy}").status == 204
    # Only that policy was for the group, which is gone with it.
    assert administrator.ask("GET", "/beta/groups?$filter=displayName%20eq%20'visitors'").json["value"] == []
    assert intunecd.update(folder, "-g") == [
        ("POST", "iosManagedAppProtections", 201), ("POST", "beta/groups", 201), ("POST", "iosManagedAppProtections/ID/assign", 204)]
    again, _ = intunecd.backup("again")
    assert differences(folder, again) == ""


def test_intunecd_saves_filters_by_name_and_finds_them_again(administrator: Administrator, tmp_path: Path) -> None:
    intunecd = IntuneCD(administrator, tmp_path)
    file = Path(administrator.dev.said["tenant"]) / "filters" / "all.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({
        "id": "f0000000-0000-4000-8000-000000000001", "displayName": "Own phones", "platform": "iOSMobileApplicationManagement",
        "rule": '(app.deviceModel -contains "iPhone")'}))
    assert administrator.dev.control("POST", "reload").status == 204
    policy = administrator.create("iosManagedAppProtections")
    target = {**SALES["target"], "deviceAndAppManagementAssignmentFilterId": "f0000000-0000-4000-8000-000000000001",
              "deviceAndAppManagementAssignmentFilterType": "include"}
    assert administrator.ask("POST", f"/beta/{IOS}/{policy}/assign", {"assignments": [{"target": target}]}).status == 204
    folder, _ = intunecd.backup("saved")
    [saved] = [json.loads(path.read_text()) for path in folder.glob("App Protection/*.json")]
    assert saved["assignments"][0]["target"]["deviceAndAppManagementAssignmentFilterId"] == "Own phones"
    assert administrator.ask("DELETE", f"/beta/{IOS}/{policy}").status == 204
    assert len(intunecd.update(folder)) == 2
    [made] = administrator.ask("GET", f"/beta/{IOS}?$expand=assignments").json["value"]
    assert made["assignments"][0]["target"] == target
    again, _ = intunecd.backup("again")
    assert differences(folder, again) == ""


# Microsoft's SDKs

SDKS = {"msgraph": ("msgraph-sdk", "v1.0"), "msgraph_beta": ("msgraph-beta-sdk", "beta")}
# By type: the number of members that the SDKs know, and the id of the app that the policy gets.
TYPES = {
    "iosManagedAppProtection": ({"msgraph": 33, "msgraph_beta": 75}, "com.example.mail.ios"),
    "androidManagedAppProtection": ({"msgraph": 36, "msgraph_beta": 96}, "com.example.mail.android"),
    "windowsManagedAppProtection": ({"msgraph_beta": 25}, "com.example.mail.windows"),
    "defaultManagedAppProtection": ({"msgraph": 38, "msgraph_beta": 107}, "com.example.mail.ios"),
    "targetedManagedAppConfiguration": ({"msgraph": 3, "msgraph_beta": 6}, "com.example.mail.android"),
}


@pytest.fixture(scope="module", params=SDKS)
def written(served: Administrator, request: pytest.FixtureRequest) -> "tuple[str, Any]":
    """An SDK, and what it has written and read by type."""
    package, version = SDKS[request.param]
    python = python_with(request.param, package)
    done = subprocess.run(
        [python, str(HERE / "write_with_msgraph.py"), request.param, f"{served.dev.url}/{version}", served.token],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, env=served.dev.environment)
    assert done.returncode == 0, done.stderr
    return request.param, json.loads(done.stdout)


@pytest.mark.parametrize("type", TYPES)
def test_a_policy_sent_by_microsofts_sdk_is_returned_unchanged(written: "tuple[str, Any]", type: str) -> None:
    counts, app = TYPES[type]
    sdk, types = written
    if sdk not in counts:
        assert type not in types
        return
    told = types[type]
    assert "failure" not in told, told["failure"]
    sent, made, read = told["created"]
    # A newer SDK may have more.
    assert len(sent) >= counts[sdk]
    assert (made, read) == (sent, sent)
    changed, read = told["changed"]
    assert read == changed
    assert [name for name in sent if sent[name] == changed[name]] in ([], ["managed_browser_to_open_links_required"])
    assert told["expanded"]["apps"] == [app]
    assert told["expanded"].get("assignments", ["sales"]) == ["sales"] and told["expanded"].get("settings", ["0"]) == ["0"]
    # An update and a deletion answer nothing; Graph gives lists paths of their own.
    assert (told["patched"], told["deleted"]) == (None, None)
    assert told["refused"][:2] == [400, "ModelValidationFailure"] and "'apps'" in told["refused"][2]
    assert told["gone"][:2] == [404, "ResourceNotFound"]


# Tools that cannot run here


def member(answer: Answer, path: str) -> Any:
    if answer.headers.get_content_type() == "application/xml":
        return path if path in answer.text else None
    found: Any = answer.json
    for part in path.split("/"):
        if isinstance(found, list):
            if int(part) >= len(found):
                return MISSING
            found = found[int(part)]
        else:
            if part not in found:
                return MISSING
            found = found[part]
    return found


def replay(administrator: Administrator, requests: "list[Asked]") -> None:
    id = ""
    for asked in requests:
        body = json.loads(json.dumps(asked.body).replace("{id}", id))
        answer = administrator.ask(asked.method, "/" + asked.path.replace("{id}", id).replace(" ", "%20"), body, **asked.headers)
        assert answer.status == asked.status, f"{asked.method} {asked.path}: {answer.status} {answer.text}"
        assert asked.status != 204 or not answer.text
        found = {path: member(answer, path) for path in asked.read}
        assert found == asked.read, f"{asked.method} {asked.path}: {answer.text}"
        if answer.status == 201:
            id = answer.json["id"]


@pytest.mark.parametrize("tool", TOOLS)
def test_the_answers_to_the_requests_of_a_tool_contain_what_it_reads(administrator: Administrator, tool: str) -> None:
    replay(administrator, TOOLS[tool])


def test_a_batch_of_intunecd_gets_headers_and_the_policy_in_its_context(administrator: Administrator) -> None:
    """Its ids are numbers, its URLs begin with a slash or not, and it reads the headers of each answer without asking for them."""
    policy = administrator.create("iosManagedAppProtections")
    assert administrator.ask("POST", f"/beta/{IOS}/{policy}/assign", {"assignments": [SALES]}).status == 204
    urls = [f"/deviceAppManagement/iosManagedAppProtections/{policy}/assignments", f"{IOS}/{policy}/assignments",
            "groups/sales?$select=displayName,id", "/groups/sales?$select=displayName,id",
            "deviceManagement/assignmentFilters/none?$select=displayName", f"{ANDROID}/{policy}/assignments"]
    answers = administrator.ask("POST", "/beta/$batch", batch(*enumerate(urls, 1))).json["responses"]
    assert [(answer["id"], answer["status"]) for answer in answers] == [(1, 200), (2, 200), (3, 200), (4, 200), (5, 404), (6, 404)]
    assert all(isinstance(answer["headers"], dict) for answer in answers)
    for answer in answers[:2]:
        assert policy in answer["body"]["@odata.context"]
        assert [assigned["target"]["groupId"] for assigned in answer["body"]["value"]] == ["sales"]
    assert {answer["body"]["displayName"] for answer in answers[2:4]} == {"sales"}


@pytest.mark.parametrize("requests,said", [
    (batch((1, "/users"), (1, "/groups")), "id 1 is given to several"), (batch(("a", "/users"), ("A", "/groups")), "is given to several"),
    (batch((None, "/users")), "requests/0/id"), (batch((1, "https://graph.microsoft.com/beta/users")), "must be relative"),
    (batch(*((number, "/users") for number in range(21))), "1 to 20 requests, not 21"), (batch(), "1 to 20 requests, not 0"),
])
def test_an_invalid_batch_is_refused_as_a_whole(served: Administrator, requests: Any, said: str) -> None:
    answer = served.ask("POST", "/beta/$batch", requests)
    assert (answer.status, answer.json["error"]["code"]) == (400, "BadRequest") and said in answer.json["error"]["message"], answer.text


def test_a_batch_can_neither_contain_a_batch_nor_control_the_development_tenant(served: Administrator) -> None:
    parts = [{"id": 1, "method": "POST", "url": "/$batch", "headers": JSON, "body": batch((1, "/users"))},
             {"id": 2, "method": "POST", "url": "/dev/reset"}, {"id": 3, "method": "POST", "url": "/../dev/reset"},
             {"id": 4, "method": "POST", "url": f"/{IOS}", "body": {"displayName": "Without a type of content"}}]
    answers = served.ask("POST", "/beta/$batch", {"requests": parts}).json["responses"]
    assert [answer["status"] for answer in answers[:1]] == [400] and all(answer["status"] in (400, 404) for answer in answers)
