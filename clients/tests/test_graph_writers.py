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
from test_tenant_dev_libraries import python_with

HERE = Path(__file__).parent
MANAGEMENT = "/beta/deviceAppManagement"
JSON = {"Content-Type": "application/json"}


class Administrator:
    """A person who may write, without a library."""

    def __init__(self, dev: DevTenant):
        self.dev = dev
        self.token: str = dev.access_token("erin").json["access_token"]

    def ask(self, method: str, path: str, body: Any = None) -> Answer:
        """Asks again as often as the answer says when."""
        while True:
            answer = self.dev.ask(
                method, path, None if body is None else json.dumps(body), Authorization=f"Bearer {self.token}", **JSON)
            if answer.status != 503:
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


def target(group: str, *, excluded: bool = False) -> "dict[str, Any]":
    kind = "exclusionGroup" if excluded else "group"
    return {"target": {"@odata.type": f"#microsoft.graph.{kind}AssignmentTarget", "groupId": group}}


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


GROUPS = pytest.mark.xfail(strict=True, reason=(
    "IntuneCD reads groups/{id}?$select=displayName,id,groupTypes,membershipRule in a batch, and without the answer saves no "
    "groups; the answer is 400: there is no property groupTypes of group here"))


@pytest.fixture
def intunecd(administrator: Administrator, tmp_path: Path) -> IntuneCD:
    """Over a tenant with one policy of each kind, assigned to a group and not to another."""
    made = IntuneCD(administrator, tmp_path)
    members = [target("sales"), target("administrators", excluded=True)]
    for collection, more in [
        ("iosManagedAppProtections", {"appGroupType": "allApps", "minimumPinLength": 6}),
        ("androidManagedAppProtections", {"appGroupType": "allMicrosoftApps"}),
        ("targetedManagedAppConfigurations", {"appGroupType": "allApps", "customSettings": [{"name": "a", "value": "1"}]}),
    ]:
        policy = administrator.create(collection, **more)
        assert administrator.ask("POST", f"{MANAGEMENT}/{collection}/{policy}/assign", {"assignments": members}).status == 204
    administrator.create("defaultManagedAppProtections", minimumPinLength=5)
    return made


@GROUPS
def test_intunecd_finds_no_drift_in_what_it_has_just_saved(intunecd: IntuneCD) -> None:
    folder, writes = intunecd.backup("saved")
    texts = [path.read_text() for path in folder.glob("App Protection/*.json")]
    assert (len(texts), sum('"groupName": "sales"' in text for text in texts), writes) == (4, 3, [])
    assert intunecd.update(folder) == []


@GROUPS
def test_intunecd_repairs_what_has_drifted(intunecd: IntuneCD) -> None:
    folder, _ = intunecd.backup("saved")
    [ios] = [policy for policy in intunecd.administrator.policies() if policy["@odata.type"].endswith("iosManagedAppProtection")]
    path = f"{MANAGEMENT}/iosManagedAppProtections/{ios['id']}"
    assert intunecd.administrator.ask("PATCH", path, {"minimumPinLength": 4, "pinRequired": False}).status == 204
    assert intunecd.administrator.ask("POST", f"{path}/assign", {"assignments": [target("administrators", excluded=True)]}).status == 204
    assert intunecd.update(folder) == [
        ("PATCH", "iosManagedAppProtections/ID", 204), ("POST", "iosManagedAppProtections/ID/assign", 204)]
    again, _ = intunecd.backup("again")
    assert differences(folder, again) == ""


@GROUPS
def test_what_intunecd_imports_into_an_empty_tenant_exports_again_byte_for_byte(intunecd: IntuneCD) -> None:
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


# Microsoft's SDKs

SDKS = {"msgraph": ("msgraph-sdk", "v1.0"), "msgraph_beta": ("msgraph-beta-sdk", "beta")}
# By type: the number of members that the SDKs know, and the id of the app that the policy gets.
TYPES = {
    "iosManagedAppProtection": ({"msgraph": 33, "msgraph_beta": 75}, "com.example.mail.ios"),
    "androidManagedAppProtection": ({"msgraph": 36, "msgraph_beta": 96}, "com.example.mail.android"),
    "windowsManagedAppProtection": ({"msgraph_beta": 23}, "com.example.mail.windows"),
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
def test_a_policy_of_microsofts_sdk_comes_back_as_it_was_sent(written: "tuple[str, Any]", type: str) -> None:
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


