"""mambridge-tenant pull against a Graph of the test, with its faults."""
from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import threading
import time
import urllib.request
from pathlib import Path

import pytest

from fake_graph import ALICE, BOB, CLIENT, GUESTS, MANAGEMENT, STAFF, TENANT, FakeGraph, cut, link, policy, status, target

PROGRAM = os.environ.get("MAMBRIDGE_TENANT_PROGRAM", "")
MAMBRIDGE = os.environ.get("MAMBRIDGE", "")
pytestmark = pytest.mark.skipif(not PROGRAM, reason="MAMBRIDGE_TENANT_PROGRAM names no mambridge-tenant")

IOS = f"{MANAGEMENT}/iosManagedAppProtections"
USERS = "/v1.0/users"


def command(graph: FakeGraph, folder: Path, *options: str) -> list[str]:
    secret = folder.parent / "secret"
    if not secret.exists():
        secret.write_text("right\n")
    sign_in = [] if "--token-command" in options or "--certificate" in options else ["--client-secret-file", str(secret)]
    return [PROGRAM, "pull", str(folder), "--graph", graph.url, "--authority", graph.url, "--client-id", CLIENT,
            "--directory-id", TENANT, *sign_in, *options]


def pull(graph: FakeGraph, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(graph, folder, *options), capture_output=True, text=True, timeout=60)


def read(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_pulled_folder_gives_users_the_same_policies_as_graph(tmp_path: Path) -> None:
    with FakeGraph() as graph:
        done = pull(graph, tmp_path / "tenant")
        assert done.returncode == 0, done.stderr
    assert "added: Contoso ios 1" in done.stdout and "users: 2 added" in done.stdout
    tenant = json.loads((tmp_path / "tenant/tenant.json").read_text())
    assert [user["groups"] for user in tenant["users"]] == [[STAFF, GUESTS], [STAFF]]
    if not MAMBRIDGE:
        return
    report = json.loads(subprocess.run(
        [MAMBRIDGE, "tenant", "check", str(tmp_path / "tenant"), "--platform", "ios", "--json"],
        capture_output=True, text=True, timeout=60).stdout)
    assert not [finding for finding in report["findings"] if finding["kind"] in ("unreadable", "ignored", "fileNotRead")]
    policies = {user["identity"]: [policy["id"] for policy in user["policies"]] for user in report["users"]}
    assert policies == {"alice@contoso.example": ["T_ios1", "T_ios2", "T_ios3"], "bob@contoso.example": ["T_ios2", "T_ios3"]}


FAULTS = [
    ("429 with whole seconds", IOS, [status(429, "1")], 1.0),
    ("429 with a fraction", IOS, [status(429, "0.3")], 0.3),
    ("429 without a time", USERS, [status(429)], 0.5),
    ("503", USERS, [status(503)], 0.5),
    ("502 and 504", IOS, [status(502), status(504)], 1.5),
    ("a body that is cut off", IOS, [cut], 0.5),
    ("a token that ends in the middle", USERS, [status(401, code="InvalidAuthenticationToken")], 0.0),
]


@pytest.mark.parametrize(("path", "faults", "least"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS])
def test_pull_succeeds_despite_temporary_faults(tmp_path: Path, path: str, faults: list, least: float) -> None:
    with FakeGraph() as graph:
        graph.faults[path] += faults
        start = time.monotonic()
        done = pull(graph, tmp_path / "tenant")
        assert done.returncode == 0, done.stderr
        assert time.monotonic() - start >= least
        assert graph.tokens == (2 if "InvalidAuthenticationToken" in str(faults) or least == 0.0 else 1)
    assert len(json.loads((tmp_path / "tenant/policies/ios.json").read_text())) == 3


INTUNE = json.dumps({"_version": 3, "Message": "An error has occurred - Activity ID 5", "RetryAfter": None})
ENDS = [
    ("a missing permission", USERS, [status(403, code="Authorization_RequestDenied")], 77, "Grant User.Read.All"),
    ("a missing permission for Windows", f"{MANAGEMENT}/windowsManagedAppProtections", [status(403)], 77,
     "--without-windows"),
    ("an error inside of the message", IOS, [status(400, code="BadRequest", message=INTUNE)], 1,
     "BadRequest: An error has occurred - Activity ID 5 (request request-7)"),
    ("a link to elsewhere", IOS, [link("http://127.0.0.1:9/beta/x")], 1, "continues at another address"),
    ("a link that leads back", IOS, [], 1, "leads back"),
    ("a wait of an hour", IOS, [status(429, "3600")], 69, "status 429"),
    ("a token that is never accepted", USERS, [status(401), status(401)], 77, "refuses the token"),
    ("a redirect", IOS, [lambda handler: handler.answer(302, None, {"Location": "http://127.0.0.1:9/"})], 1,
     "redirects are not followed"),
]


@pytest.mark.parametrize(
    ("path", "faults", "code", "text"), [row[1:] for row in ENDS], ids=[row[0] for row in ENDS])
def test_a_failed_pull_changes_nothing(tmp_path: Path, path: str, faults: list, code: int, text: str) -> None:
    folder = tmp_path / "tenant"
    with FakeGraph() as graph:
        assert pull(graph, folder).returncode == 0
        before = read(folder)
        if text == "leads back":
            faults = [link(f"{graph.url}{IOS}?again")] * 2
        graph.faults[path] += faults
        graph.lists[IOS][0]["pinRequired"] = False
        done = pull(graph, folder)
    assert done.returncode == code and text in done.stderr, (done.returncode, done.stderr)
    assert read(folder) == before
    assert sorted(os.listdir(tmp_path)) == ["secret", "tenant"]


def test_pull_lists_the_changes_and_keeps_the_operations_of_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "tenant"
    with FakeGraph() as graph:
        assert pull(graph, folder).returncode == 0
        file = json.loads((folder / "tenant.json").read_text())
        file["operations"] = [{"type": "wipe", "user": BOB, "app": "*", "requestedDateTime": "2026-01-01T00:00:00Z"}]
        (folder / "tenant.json").write_text(json.dumps(file))
        graph.lists[IOS][0]["pinRequired"] = False
        graph.lists[IOS].append(policy("ios", 4, assignments=[
            target(STAFF, deviceAndAppManagementAssignmentFilterId="5c1c2cf5-3c4b-4bb5-9b0a-ec05a7d1a6a8",
                   deviceAndAppManagementAssignmentFilterType="include")]))
        done = pull(graph, folder, "--json")
        assert done.returncode == 0 and "finding: Contoso ios 4" in done.stderr
        changes = json.loads(done.stdout)
        assert changes["settings"] == [{"policy": "Contoso ios 1", "setting": "pinRequired", "old": True, "new": False}]
        assert changes["policiesAdded"] == ["Contoso ios 4"]
        assert json.loads((folder / "tenant.json").read_text())["operations"] == file["operations"]
        inode = folder.stat().st_ino
        assert "nothing changed" in pull(graph, folder).stdout
        assert folder.stat().st_ino == inode


def test_pull_uses_a_token_command_and_reports_a_wrong_secret(tmp_path: Path) -> None:
    with FakeGraph() as graph:
        done = pull(graph, tmp_path / "tenant", "--token-command", "echo mine")
        assert done.returncode == 0 and graph.tokens == 0, done.stderr
        done = pull(graph, tmp_path / "tenant", "--token-command", "false")
        assert done.returncode == 77 and "ended with status 1" in done.stderr
        (tmp_path / "secret").write_text("wrong")
        done = pull(graph, tmp_path / "tenant")
        assert done.returncode == 77 and "AADSTS7000215" in done.stderr and "wrong\n" not in done.stderr


def test_pull_signs_in_with_an_assertion_signed_by_its_certificate(tmp_path: Path) -> None:
    key, certificate, both = (str(tmp_path / name) for name in ("key.pem", "certificate.pem", "both.pem"))
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate,
                    "-subj", "/CN=app", "-days", "2"], check=True, capture_output=True, timeout=60)
    Path(both).write_text(Path(certificate).read_text() + Path(key).read_text())
    with FakeGraph() as graph:
        done = pull(graph, tmp_path / "tenant", "--certificate", both)
        assert done.returncode == 0, done.stderr
        form = graph.forms[0]
        assert form["client_assertion_type"].endswith(":jwt-bearer") and form["scope"] == graph.url + "/.default"
        done = pull(graph, tmp_path / "tenant", "--certificate", certificate)
        assert done.returncode == 78 and "its RSA key" in done.stderr
    header, claims, signature = form["client_assertion"].split(".")
    (tmp_path / "signed").write_text(f"{header}.{claims}")
    (tmp_path / "signature").write_bytes(decoded(signature))
    public = tmp_path / "public.pem"
    public.write_bytes(subprocess.run(
        ["openssl", "x509", "-in", certificate, "-pubkey", "-noout"], check=True, capture_output=True).stdout)
    subprocess.run(["openssl", "dgst", "-sha256", "-verify", str(public), "-signature", str(tmp_path / "signature"),
                    "-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:32", str(tmp_path / "signed")],
                   check=True, capture_output=True, timeout=60)
    assert json.loads(decoded(header))["alg"] == "PS256"
    assert json.loads(decoded(claims))["iss"] == CLIENT


def decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def test_pull_watch_announces_its_next_try_after_a_failure_and_exits_on_sigterm(tmp_path: Path) -> None:
    with FakeGraph() as graph:
        graph.faults[IOS].append(status(403))
        with subprocess.Popen(command(graph, tmp_path / "tenant", "--watch", "PT1M"), stderr=subprocess.PIPE,
                              stdout=subprocess.DEVNULL, text=True) as process:
            timer = threading.Timer(30, process.kill)
            timer.start()
            assert process.stderr is not None
            line = process.stderr.readline()
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=10) == 0
            timer.cancel()
    assert "the next try is in 1 minute" in line


def test_a_killed_pull_leaves_a_complete_folder(tmp_path: Path) -> None:
    folder = tmp_path / "tenant"
    with FakeGraph() as graph:
        assert pull(graph, folder).returncode == 0
        for delay in (0.02, 0.05, 0.1, 0.2):
            graph.lists[IOS][0]["pinRequired"] = not graph.lists[IOS][0]["pinRequired"]
            process = subprocess.Popen(command(graph, folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                process.wait(delay)
            except subprocess.TimeoutExpired:
                process.kill()
            process.wait(10)
            assert len(json.loads((folder / "policies/ios.json").read_text())) == 3
        done = pull(graph, folder)
        assert done.returncode == 0, done.stderr
    assert sorted(os.listdir(tmp_path)) == ["secret", "tenant"]


@pytest.mark.parametrize(("options", "text"), [
    ([], "--client-id and --directory-id"), (["--token-command", "'"], "each quote closed"),
    (["--client-secret-file", "x"], "--client-id"),
    (["--token-command", "x", "--graph", "http://graph.example"], "--graph must be an address with https"),
    (["--token-command", "x", "--watch", "PT5S"], "at least a minute"),
])
def test_pull_reports_what_is_wrong_in_its_command_line(options: list[str], text: str, tmp_path: Path) -> None:
    done = subprocess.run([PROGRAM, "pull", str(tmp_path / "t"), *options], capture_output=True, text=True, timeout=30)
    assert done.returncode == 64 and text in done.stderr


def test_a_pull_that_removes_too_much_changes_nothing_unless_graph_confirms_the_deletions(tmp_path: Path) -> None:
    folder = tmp_path / "tenant"
    with FakeGraph() as graph:
        done = pull(graph, folder)
        assert done.returncode == 0 and "Contoso ios 1: applies to 1 of 2 users" in done.stdout
        before = read(folder)
        graph.objects = {f"{USERS}/{user['id']}": user for user in graph.lists[USERS]}
        graph.lists[USERS] = []
        held = pull(graph, folder)
        assert held.returncode == 65 and "2 of 2 users" in held.stderr and "--allow-removals" in held.stderr
        assert read(folder) == before
        # What Graph itself calls deleted is no loss.
        graph.objects = {}
        deleted = pull(graph, folder)
        assert deleted.returncode == 0 and deleted.stderr.count("marked as deleted") == 2, deleted.stderr
        users = json.loads((folder / "tenant.json").read_text())["users"]
        assert [user["deleted"] for user in users] == [True, True]


def test_pull_needs_allow_removals_for_removals_that_graph_does_not_confirm(tmp_path: Path) -> None:
    folder = tmp_path / "tenant"
    with FakeGraph() as graph:
        assert pull(graph, folder).returncode == 0
        members = f"/v1.0/groups/{STAFF}/transitiveMembers/microsoft.graph.user"
        graph.lists[members] = []
        assert pull(graph, folder).returncode == 65
        assert pull(graph, folder, "--allow-removals").returncode == 0
        assert '"deleted"' not in (folder / "tenant.json").read_text()
        assert pull(graph, folder, "--most-removals", "101").returncode == 64


def test_pull_watch_keeps_running_and_sets_a_metric_when_removals_are_held(tmp_path: Path) -> None:
    folder = tmp_path / "tenant"
    with FakeGraph() as graph:
        assert pull(graph, folder).returncode == 0
        before = read(folder)
        graph.lists[f"/v1.0/groups/{STAFF}/transitiveMembers/microsoft.graph.user"] = []
        words = command(graph, folder, "--watch", "PT1M", "--metrics", "http://127.0.0.1:0")
        with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as watch:
            try:
                lines = [watch.stderr.readline(), watch.stderr.readline()]
                url = next(json.loads(line)["metrics"] for line in lines if line.startswith("{"))
                assert any("assigned groups" in line for line in lines), lines
                text = urllib.request.urlopen(f"{url}/metrics", timeout=10).read().decode()
                assert "\nmambridge_pull_held_removals 0\n" not in text and "\nmambridge_pull_problem 1\n" in text
                assert watch.poll() is None and read(folder) == before
            finally:
                watch.terminate()
            assert watch.wait(30) == 0


@pytest.mark.parametrize(("code", "message"), [
    ("BadRequest", "Resource not found for the segment 'users'."), ("NotFound", ""),
    ("Request_ResourceNotFound", f"Resource '{ALICE}' does not exist."),
])
def test_an_unexpected_404_for_a_user_fails_pull_and_deletes_nobody(code: str, message: str, tmp_path: Path) -> None:
    folder = tmp_path / "tenant"
    with FakeGraph() as graph:
        assert pull(graph, folder).returncode == 0
        before = read(folder)
        graph.lists[USERS] = [user for user in graph.lists[USERS] if user["id"] != BOB]
        graph.faults[f"{USERS}/{BOB}"].append(status(404, code=code, message=message))
        failed = pull(graph, folder)
        assert failed.returncode == 1 and "nobody knows whether the user" in failed.stderr, failed.stderr
        assert read(folder) == before


def test_pull_watch_exits_before_pulling_if_the_metrics_port_is_in_use(tmp_path: Path) -> None:
    with FakeGraph() as graph:
        options = ["--watch", "PT1M", "--metrics", graph.url]
        done = subprocess.run(command(graph, tmp_path / "tenant", *options), capture_output=True, text=True, timeout=60)
        assert done.returncode == 69 and "another program listens there" in done.stderr, done.stderr
        assert not graph.requests and not (tmp_path / "tenant").exists()
