"""mambridge tenant diff with a version that a tenant service serves, or that Graph has."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from administrators import READER, Company
from fake_graph import ALICE, GUESTS, MANAGEMENT, STAFF, FakeGraph, policy, status, target
from tenants import ALICE_ID

PROGRAM = os.environ.get("MAMBRIDGE_TENANT_PROGRAM", "")
MAMBRIDGE = os.environ.get("MAMBRIDGE", "")
pytestmark = pytest.mark.skipif(
    not PROGRAM or not MAMBRIDGE, reason="MAMBRIDGE or MAMBRIDGE_TENANT_PROGRAM names no program")
UNSAID = ["allowedAccounts", "certificatePins", "deviceManagement", "wipes", "unknownRestrictions", "deletedUsers", "filters"]
FILTER = "5c1c2cf5-3c4b-4bb5-9b0a-ec05a7d1a6a8"


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    made = Company(PROGRAM, tmp_path_factory.mktemp("company"))
    # All that a service does not say, or says in another form.
    tenant = made.tenant.tenant
    tenant["users"].append({"id": "c0c00000-44d7-43e1-9a83-5f2406dee5bd", "deleted": True, "userPrincipalName": "carol@contoso.example"})
    tenant["allowedAccounts"] = ["alice@contoso.example"]
    tenant["certificatePins"] = {"contoso.example": ["A" * 43 + "="]}
    tenant["mdm"] = {"user": "alice@contoso.example", "appConfig": {"server": "a"}}
    tenant["unknownRestrictions"] = "block"
    tenant["assignments"] += [
        {"policy": "policies/T_android.json", "groups": ["staff"], "apps": ["com.contoso.mail"]},
        {"policy": "policies/T_android.json", "groups": ["guests"], "apps": ["com.contoso.calc"]},
    ]
    (made.tenant.path / "filters").mkdir()
    (made.tenant.path / "filters" / "a.json").write_text(json.dumps(
        {"id": FILTER, "displayName": "Old", "rule": '(app.osVersion -startsWith "14")'}))
    (made.tenant.path / "policies" / "T_filtered.json").write_text(json.dumps(policy("ios", 9, **{
        "@odata.type": "#microsoft.graph.iosManagedAppProtection", "newDataBlocked": True, "assignments": [target(
            "staff", deviceAndAppManagementAssignmentFilterId=FILTER,
            deviceAndAppManagementAssignmentFilterType="include")]})))
    made.tenant.write()
    made.service.end()
    made.service.start()
    yield made
    made.close()


def diff(*words: str, trust: "Company | None" = None, path: str = "") -> "subprocess.CompletedProcess[str]":
    """Runs the comparison. Nothing that it pulled stays."""
    environment = {**os.environ, "MAMBRIDGE_LIBEXEC": str(Path(PROGRAM).parent), "NO_PROXY": "127.0.0.1"}
    environment.pop("COLUMNS", None)  # Nothing is wrapped.
    if trust:
        environment["SSL_CERT_FILE"] = str(trust.authority.path)
    with tempfile.TemporaryDirectory() as runtime:
        done = subprocess.run(
            [MAMBRIDGE, "tenant", "diff", *words], capture_output=True, text=True, timeout=120,
            env={**environment, "XDG_RUNTIME_DIR": runtime}, stdin=subprocess.DEVNULL)
        assert os.listdir(runtime) == []
    return done


def administrator(company: Company) -> "list[str]":
    return ["--token-command", f"printf %s {company.token(READER)}"]


def changed(company: Company, folder: Path) -> Path:
    """The folder of the company with one change that tightens, and one in what the service does not say."""
    shutil.copytree(company.tenant.path, folder)
    file = folder / "policy.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "printBlocked": True}, indent=1))
    tenant = json.loads((folder / "tenant.json").read_text())
    del tenant["allowedAccounts"], tenant["certificatePins"]
    (folder / "tenant.json").write_text(json.dumps(tenant))
    return folder


def test_diff_finds_no_difference_between_a_folder_and_the_service_that_serves_it(company: Company) -> None:
    for sides in ([str(company.tenant.path), company.url], [company.url, str(company.tenant.path)], [company.url] * 2):
        done = diff(*sides, *administrator(company), trust=company)
        assert done.returncode == 0, done
        assert "nothing differs" in done.stdout
        assert done.stdout.count("not compared: allowed accounts, certificate pins, ") == 1
        assert done.stdout.rstrip().endswith(f": {company.url} does not say them")


def test_diff_names_the_file_and_line_of_a_changed_setting(company: Company, tmp_path: Path) -> None:
    folder = changed(company, tmp_path / "next")
    done = diff(company.url, str(folder), "--json", *administrator(company), trust=company)
    assert done.returncode == 1, done
    report = json.loads(done.stdout)
    differences = [difference for group in report["groups"] for difference in group["differences"]]
    assert [difference["effect"] for difference in differences] == ["tighter"]
    cause = differences[0]["causes"][0]
    assert (cause["member"], cause["file"], cause["inOldVersion"]) == ("printBlocked", "policy.json", False)
    assert '"printBlocked"' in (folder / "policy.json").read_text().splitlines()[cause["line"] - 1]
    assert not report["users"] and report["certificatePins"] is None and report["notCompared"] == UNSAID
    back = diff(str(folder), company.url, "--fail-on", "destroys", *administrator(company), trust=company)
    assert back.returncode == 0 and "looser" in back.stdout and "policy.json:" in back.stdout, back


def test_diff_counts_users_that_became_disabled(company: Company, tmp_path: Path) -> None:
    folder = changed(company, tmp_path / "next")
    tenant = json.loads((folder / "tenant.json").read_text())
    tenant["users"] = [{**user, "accountEnabled": user["id"] != ALICE_ID} for user in tenant["users"][:2]]
    (folder / "tenant.json").write_text(json.dumps(tenant))
    done = diff(company.url, str(folder), "--json", *administrator(company), trust=company)
    assert [(row["kind"], row["count"]) for row in json.loads(done.stdout)["users"]] == [("disabled", 1)]


def test_diff_exits_with_2_and_the_reason_if_a_service_cannot_be_read(company: Company) -> None:
    folder, sign_in = str(company.tenant.path), administrator(company)
    cases = [
        ("https://127.0.0.1:1", sign_in, "127.0.0.1:1"),
        (company.url, ["--token-command", "printf nonsense"], "refuses the token"),
        (company.url, ["--token-command", f"printf %s {company.token('Other')}"], "DeviceManagementApps.Read.All"),
        (company.url, ["--token-command", "false"], "the token command ended with status 1"),
        (company.url, [*sign_in, "--pull-options", "--ca /nonexistent"], "/nonexistent"),
        (company.url, [*sign_in, "--pull-options", "--nonsense"], "nonsense"),
        ("http://contoso.example", sign_in, "http://contoso.example"),
    ]
    for url, options, sentence in cases:
        done = diff(folder, url, *options, trust=company)
        assert done.returncode == 2 and sentence in done.stderr and not done.stdout, (url, options, done)
        assert f"mambridge: {url} cannot be read: mambridge-tenant pull ended with status" in done.stderr
    untrusted = diff(folder, company.url, *sign_in)
    assert untrusted.returncode == 2 and "certificate" in untrusted.stderr.lower(), untrusted
    unsigned = diff(folder, company.url, "--pull-options", "--token-cache /nonexistent/cache", trust=company)
    assert unsigned.returncode == 2 and "mambridge-tenant" in unsigned.stderr, unsigned


def test_diff_refuses_pull_options_without_an_address_or_with_open_quotes(tmp_path: Path) -> None:
    for words, sentence in [
        (["sample", "sample", "--token-command", "x"], "--token-command and --pull-options are for a version"),
        (["sample", "https://a.example", "--pull-options", "'"], "--pull-options is empty, or has a quote"),
        (["sample", "https://a.example", "--pull-options", ""], "--pull-options is empty, or has a quote"),
    ]:
        done = diff(*words)
        assert done.returncode == 64 and sentence in done.stderr, done


def graph_folder(graph: FakeGraph, folder: Path, **tenant: Any) -> Path:
    """A folder that was pulled, and then got members of its own."""
    done = subprocess.run(
        [PROGRAM, "pull", str(folder), "--graph", graph.url, "--token-command", "echo mine"], capture_output=True,
        text=True, timeout=60)
    assert done.returncode == 0, done
    file = folder / "tenant.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **tenant}))
    return folder


def test_diff_finds_no_difference_between_a_pulled_folder_and_graph(tmp_path: Path) -> None:
    with FakeGraph() as graph:
        folder = graph_folder(graph, tmp_path / "tenant", allowedAccounts=["bob@contoso.example"])
        options = ["--token-command", "echo mine"]
        done = diff(str(folder), graph.url, *options)
        assert done.returncode == 0 and "nothing differs" in done.stdout, done
        graph.lists[f"{MANAGEMENT}/iosManagedAppProtections"][0]["printBlocked"] = True
        done = diff(str(folder), graph.url, *options)
        assert done.returncode == 1 and "1 tighter; asked" in done.stdout, done
        graph.faults["/v1.0/users"].append(status(403, code="Authorization_RequestDenied"))
        done = diff(str(folder), graph.url, *options)
        assert done.returncode == 2 and "Grant User.Read.All" in done.stderr, done
        assert GUESTS in (folder / "policies/ios.json").read_text()


def test_diff_with_graph_ignores_what_only_the_folder_contains(tmp_path: Path) -> None:
    with FakeGraph() as graph:
        folder = graph_folder(
            graph, tmp_path / "tenant", allowedAccounts=["bob@contoso.example"],
            assignments=[{"policy": "policies/ios.json", "groups": [GUESTS, "Named"], "apps": ["com.contoso.mail"]}])
        tenant = json.loads((folder / "tenant.json").read_text())
        for user in tenant["users"]:
            user["groups"] = [STAFF, "Named"] if user["id"] == ALICE else [STAFF, GUESTS]
        (folder / "tenant.json").write_text(json.dumps(tenant))
        # The last option counts: the Graph of the test in the place of Microsoft's.
        options = ["--token-command", "echo mine", "--pull-options", f"--graph {graph.url}"]
        done = diff("https://graph.microsoft.com", str(folder), *options)
        assert done.returncode == 0 and "assignments in tenant.json: https://graph.microsoft.com does" in done.stdout, done
        graph.lists[f"{MANAGEMENT}/iosManagedAppProtections"][0]["printBlocked"] = True
        done = diff(str(folder), "https://graph.microsoft.com", "--json", *options)
        groups = json.loads(done.stdout)["groups"]
        assert done.returncode == 1 and [group["count"] for group in groups] == [2], done
        assert all("com.contoso.mail" in group["apps"] for group in groups)
        assert "filters" not in json.loads(done.stdout)["notCompared"]
