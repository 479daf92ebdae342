"""The tenant of a sandbox over the network, as the kit for pytest serves it."""
from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
import urllib.parse
from pathlib import Path
from typing import Callable, Iterator

import pytest
from conftest import ALICE
from mambridge import errors
from mambridge.testing import AsyncSandbox, Sandbox
from processes import is_gone
from waiting import wait_for


@pytest.fixture
def mam(binary: str, tenant_program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setenv("MAMBRIDGE_TENANT_PROGRAM", tenant_program)
    with Sandbox(binary=binary) as sandbox:
        yield sandbox
    assert list((tmp_path / "tmp").iterdir()) == []


def service_of(sandbox: "int | None") -> int:
    """The process that a sandbox has started."""
    [child] = "".join(path.read_text() for path in Path(f"/proc/{sandbox}/task").glob("*/children")).split()
    return int(child)


def test_the_pytest_kit_serves_the_tenant_of_the_sandbox_over_the_network(mam: Sandbox) -> None:
    network = mam.network()
    assert network is mam.network()
    alice = network.join("alice")
    assert alice.enrollment_manager.register_and_enroll_account(ALICE).status_code == 100
    # A change of the sandbox counts at the next check-in.
    mam.policy("alice", saveAsBlocked=False, check_in=False)
    mam.policy("alice", {"saveAsBlocked": True}, name="blocked", check_in=False)
    alice.tenant.check_in()
    assert alice.policy.is_save_to_allowed_for_location("dropbox", account=ALICE) is False
    # An app of Graph, and of the identity provider.
    form = urllib.parse.urlencode({"grant_type": "password"})
    assert network.send("POST", "/common/oauth2/v2.0/token", None, form)[0] == 400
    assert network.send("GET", "/v1.0/users", network.token("alice"))[0] == 403
    assert network.authority.startswith(network.url) and Path(network.certificate).exists()
    assert any(entry.path == "/mam/v1/check-in" and entry.who == ALICE for entry in network.requests())


def test_a_network_fault_affects_check_ins_and_tokens_until_it_is_cleared(mam: Sandbox) -> None:
    network = mam.network()
    alice = network.join("alice")
    alice.enrollment_manager.register_and_enroll_account(ALICE)
    network.fault("checkIn", "serviceUnavailable", times=1, delay="PT1.5S")
    assert alice.tenant.check_in()[0].status_code == 212
    network.fault("token", "mfaRequired")
    with pytest.raises(errors.NetworkFailed, match="AADSTS50076"):
        network.token("alice")
    network.clear_faults()
    assert network.token("alice")
    with pytest.raises(errors.NetworkFailed, match="checkIn has no fault nextLinkLoop"):
        network.fault("checkIn", "nextLinkLoop")


def test_a_report_contains_the_last_requests_or_the_log_of_a_killed_service(mam: Sandbox) -> None:
    network = mam.network()
    network.join("alice").enrollment_manager.register_and_enroll_account(ALICE)
    story, _, rest = mam.report().partition("\n--- the last requests to the network\n")
    requests, _, script = rest.partition("\n--- a script that replays it\n")
    assert "Nothing happened." in story and script.startswith("#!")
    assert f"POST /mam/v1/check-in by {ALICE}: 200" in requests.splitlines() and "/dev/" not in requests
    os.kill(service_of(mam.client.pid), signal.SIGKILL)
    with pytest.raises(errors.NetworkFailed, match="the program was ended by signal 9"):
        network.requests()
    mam.set_user("zoe")
    lost = mam.report()
    assert "The requests are lost: " in lost and "path=/mam/v1/check-in" in lost


def test_a_report_of_a_sandbox_whose_network_is_stopped_has_the_story_in_time(mam: Sandbox) -> None:
    network = mam.network()
    mam.enroll("alice")
    network.token("alice")
    service = service_of(mam.client.pid)
    os.kill(service, signal.SIGSTOP)
    report = mam.report()
    os.kill(service, signal.SIGKILL)
    assert "enrollmentManager.registerAndEnrollAccount" in report
    assert "The requests are lost: it did not answer within 2 s" in report and f"signed in {ALICE}" in report


def test_async_sandbox_supports_network(binary: str, tenant_program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAMBRIDGE_TENANT_PROGRAM", tenant_program)

    async def run() -> None:
        async with AsyncSandbox(binary=binary) as mam:
            network = await mam.network()
            service = service_of(mam.client.pid)
            assert network is await mam.network()
            alice = await network.join("alice")
            assert (await alice.enrollment_manager.register_and_enroll_account(ALICE)).status_code == 100
            await network.fault("checkIn", "serviceUnavailable", times=1, delay="PT1.5S")
            assert (await alice.tenant.check_in())[0].status_code == 212
            await network.clear_faults()
            await mam.set_user("zoe@contoso.example", groups=["Administrators"])
            token = await network.token("zoe@contoso.example")
            assert (await network.send("GET", "/v1.0/users", token))[0] == 200
            assert [entry.path for entry in await network.requests()][-1] == "/v1.0/users"
        assert "by zoe@contoso.example: 200\n--- a script" in mam.told
        assert is_gone(service)

    asyncio.run(run())


@pytest.mark.parametrize(("script", "reason"), [
    ("#!/bin/sh\necho 'built without its network code' >&2\nexit 78\n",
     "mambridge-tenant does not serve a development tenant: the program ended with status 78; its last words: "
     "built without its network code"),
    ("#!/bin/sh\necho rubbish\nsleep 100\n",
     "it printed something other than a JSON object. "
     "Name the mambridge-tenant of this release with MAMBRIDGE_TENANT_PROGRAM"),
    ("", "cannot start .*/mambridge-tenant: there is no such program. Install mambridge-tenant"),
], ids=["useless", "another program", "missing"])
def test_network_says_why_its_program_does_not_serve(
    binary: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, reason: str,
) -> None:
    program = tmp_path / "mambridge-tenant"
    if script:
        program.write_text(script)
        program.chmod(0o755)
    monkeypatch.setenv("MAMBRIDGE_TENANT_PROGRAM", str(program))
    with Sandbox(binary=binary) as mam, pytest.raises(errors.NetworkFailed, match=reason):
        mam.network()


def test_a_failed_start_of_the_network_does_not_end_the_sandbox_where_proc_is_missing(binary: str) -> None:
    # On an empty /tmp, the sandbox ends at once: then a thread of libdispatch would end it with a signal in every second try.
    without_proc = 'mount -t tmpfs none /proc && mount -t tmpfs none /tmp && exec "$@"'
    variables = {name: value for name, value in os.environ.items() if name not in ("XDG_RUNTIME_DIR", "TMPDIR")}
    for _ in range(10):
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-c", without_proc, "sh", binary, "sandbox"], input='{"jsonrpc":"2.0","id":1,"method":"sandbox.network"}\n',
            capture_output=True, text=True, timeout=60, cwd="/", env={**variables, "MAMBRIDGE_TENANT_PROGRAM": "true"})
        if "unshare" in done.stderr or "mount" in done.stderr:
            pytest.skip(f"no folder can be mounted here: {done.stderr.strip()}")
        assert done.returncode == 0 and "the program ended with status 0" in json.loads(done.stdout)["error"]["message"], done


# Ends neither with its input nor with SIGTERM.
SILENT = "#!/bin/sh\ntrap '' TERM\necho $$ >>'{folder}/started'\necho 'waits for a disk' >&2\nwhile :; do sleep 1; done\n"


def silent_program(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], "list[int]"]:
    """Makes a program that says nothing the program of networks. Returns what tells its processes, the oldest first."""
    program = folder / "silent"
    program.write_text(SILENT.format(folder=folder))
    program.chmod(0o755)
    monkeypatch.setenv("MAMBRIDGE_TENANT_PROGRAM", str(program))
    return lambda: [int(line) for line in (folder / "started").read_text().split()]


def test_a_silent_network_program_is_given_up_and_killed_and_the_next_call_starts_it_again(
    binary: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    started = silent_program(tmp_path, monkeypatch)
    with Sandbox(binary=binary) as mam:
        with pytest.raises(errors.NetworkFailed) as failed:
            mam.network()
        said = "silent does not serve a development tenant: the program did not answer within 30 s. It said:\nwaits for a disk"
        assert said in str(failed.value)
        assert len(started()) == 1 and is_gone(started()[0])
        mam.client.initialize()
        # The call ends in time, although the program is killed only later. Other calls are answered meanwhile.
        with pytest.raises(errors.DeadlineExceeded):
            mam.client.sandbox.network(timeout=1)
        assert len(started()) == 2 and mam.client.sandbox.contents().users
        wait_for(lambda: is_gone(started()[1]), "the program of the call that was given up has ended")


def test_a_sandbox_that_is_terminated_twice_while_its_network_starts_leaves_nothing(
    binary: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    started = silent_program(tmp_path, monkeypatch)
    runtime = tmp_path / "run"
    runtime.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    script = subprocess.Popen([binary, "sandbox"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    try:
        assert script.stdin
        with script.stdin:
            script.stdin.write('{"jsonrpc":"2.0","id":1,"method":"sandbox.network"}\n')
            script.stdin.flush()
            wait_for((tmp_path / "started").exists, "the network starts")
            for _ in range(2):
                script.terminate()
                time.sleep(0.2)
            assert script.wait(60) == 143
    finally:
        script.kill()
        script.wait()
    assert all(map(is_gone, started())) and list(runtime.iterdir()) == []


def test_a_killed_network_is_reported_until_sandbox_network_starts_another_one(mam: Sandbox) -> None:
    calls = mam.client.sandbox
    first = calls.network()
    os.kill(service_of(mam.client.pid), signal.SIGKILL)
    with pytest.raises(errors.NetworkFailed, match="the network has ended: the program was ended by signal 9"):
        calls.network_token(ALICE)
    with pytest.raises(errors.NetworkFailed, match="the network has ended"):
        calls.network_app(ALICE)
    assert "serving version 1" in calls.network_log()
    second = calls.network()
    assert second.secret != first.secret and calls.network_token(ALICE)
    assert [entry.path.rpartition("/")[2] for entry in calls.network_requests()] == ["token"]


def test_the_service_ends_when_the_test_process_is_killed(binary: str, tenant_program: str, tmp_path: Path) -> None:
    script = (
        "import sys\nfrom mambridge.testing import Sandbox\nmam = Sandbox(binary=sys.argv[1])\n"
        "mam.network()\nprint(mam.client.pid, flush=True)\nimport time\ntime.sleep(600)\n")
    test = subprocess.Popen(
        [sys.executable, "-c", script, binary], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "MAMBRIDGE_TENANT_PROGRAM": tenant_program, "TMPDIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)})
    assert test.stdout
    with test.stdout:
        child = service_of(int(test.stdout.readline()))
        test.send_signal(signal.SIGKILL)
        test.wait()
    wait_for(lambda: is_gone(child), "the service has ended")


def test_dev_until_stdin_ends_exits_on_closed_stdin_and_leaves_no_files(tenant_program: str, tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    done = subprocess.run(
        [tenant_program, "dev", "--ephemeral", "--json", "--until-stdin-ends"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=60, env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)})
    assert done.returncode == 0 and json.loads(done.stdout)["service"], done
    assert [path for path in tmp_path.rglob("*") if path.name != "mambridge-tenant-dev"] == []


def test_dev_answers_requests_on_stdin_and_ends_with_it(tenant_program: str, tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    lines = [{"jsonrpc": "2.0", "id": 1, "method": "development.open"}, {"jsonrpc": "2.0", "id": 2, "method": "development.close"}]
    done = subprocess.run(
        [tenant_program, "dev", "--ephemeral", "--requests"], input="\n".join(map(json.dumps, lines)) + "\n", capture_output=True,
        text=True, timeout=60, env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)})
    opened, unknown = map(json.loads, done.stdout.splitlines())
    assert done.returncode == 0 and opened["result"]["service"].startswith("https://127.0.0.1:"), done
    assert unknown["error"]["code"] == -32601
    wrong = subprocess.run([tenant_program, "dev", "--requests"], capture_output=True, text=True, timeout=60)
    assert wrong.returncode == 64 and "--requests needs --ephemeral" in wrong.stderr


def test_dev_serves_a_given_tenant_folder_and_leaves_it_in_place(tenant_program: str, tmp_path: Path) -> None:
    from dev_tenant import DevTenant
    folder = tmp_path / "own"
    folder.mkdir()
    users = [{"id": "a11ce000-0000-4000-8000-000000000001", "userPrincipalName": ALICE}]
    (folder / "tenant.json").write_text(json.dumps({"tenantId": "72f988bf-0000-4000-8000-2d7cd011db47", "users": users}))
    dev = DevTenant(tenant_program, tmp_path / "run", "--ephemeral", "--tenant", str(folder))
    try:
        assert dev.said["tenant"] == str(folder) and dev.access_token("alice").status == 200
        dev.control("PUT", "snapshots/before")
        (folder / "tenant.json").write_text(json.dumps({"tenantId": "72f988bf-0000-4000-8000-2d7cd011db47", "users": []}))
        assert dev.control("POST", "reload").status == 204 and dev.access_token("alice").status == 400
        assert dev.control("POST", "snapshots/before").status == 204
        assert dev.access_token("alice").status == 200
    finally:
        dev.end()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("own")] == ["own"]
    assert json.loads((folder / "tenant.json").read_text())["users"] == users
    for options, reason in [(["--tenant", str(tmp_path)], "tenant.json is missing"), (["--tenant", str(tmp_path / "none")], "cannot find the tenant"),
                            (["kept", "--tenant", str(folder)], "--tenant does not go with a folder")]:
        done = subprocess.run([tenant_program, "dev", *options], env=dev.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        assert done.returncode in (64, 78) and reason in done.stderr, done.stderr


def test_reset_restores_only_the_tenant_files_of_a_given_folder(tenant_program: str, tmp_path: Path) -> None:
    from dev_tenant import DevTenant
    folder = tmp_path / "own"
    (folder / "policies").mkdir(parents=True)
    text = json.dumps({"tenantId": "72f988bf-0000-4000-8000-2d7cd011db47", "users": []})
    (folder / "tenant.json").write_text(text)
    (folder / "tenant.json").chmod(0o640)
    folder.chmod(0o750)
    policy = json.dumps({"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_1", "minimumPinLength": 4})
    (folder / "policies" / "ios.json").write_text(policy)
    (tmp_path / "shared.json").write_text(policy.replace("T_1", "T_2"))
    (folder / "policies" / "linked.json").symlink_to("../../shared.json")
    sibling = tmp_path / "own.new"
    sibling.mkdir()
    (sibling / "precious").touch()
    dev = DevTenant(tenant_program, tmp_path / "run", "--ephemeral", "--tenant", str(folder))
    try:
        # What somebody adds meanwhile is not the tenant's.
        (folder / ".git" / "objects").mkdir(parents=True)
        (folder / ".git" / "objects" / "commit").touch()
        (folder / "notes.txt").touch()
        (folder / "policies" / "ios.json").write_text(policy.replace("4", "8"))
        (folder / "policies" / "added.json").write_text(policy.replace("T_1", "T_3"))
        assert dev.control("POST", "reset").status == 204
        assert sorted(path.name for path in (folder / "policies").glob("*.json")) == ["ios.json", "linked.json"]
        assert (folder / "policies" / "ios.json").read_text() == policy and (folder / "tenant.json").read_text() == text
        assert (folder / "policies" / "linked.json").is_symlink()
        # A link is not replaced, so a change behind it is not taken back, and nothing else is either.
        (tmp_path / "shared.json").write_text(policy.replace("T_1", "T_4"))
        (folder / "policies" / "ios.json").write_text(policy.replace("4", "8"))
        refused = dev.control("POST", "reset")
        assert refused.status == 409 and "symbolic link" in refused.text
        assert json.loads((folder / "policies" / "ios.json").read_text())["minimumPinLength"] == 8
    finally:
        dev.end()
    assert (folder / ".git" / "objects" / "commit").exists() and (folder / "notes.txt").exists() and (sibling / "precious").exists()
    assert folder.stat().st_mode & 0o777 == 0o750 and (folder / "tenant.json").stat().st_mode & 0o777 == 0o640


def test_the_tenant_of_a_sandbox_is_written_saved_and_brought_back_over_the_network(mam: Sandbox) -> None:
    mam.set_user("erin@contoso.example", groups=["Administrators"])
    network = mam.network()
    token = network.token("erin@contoso.example")
    alice = network.join("alice")
    assert alice.enrollment_manager.register_and_enroll_account(ALICE).status_code == 100

    def registered() -> "list[str]":
        found = json.loads(network.send("GET", "/v1.0/deviceAppManagement/managedAppRegistrations", token)[1])
        return [entry["userId"] for entry in found["value"]]

    def policies() -> "list[str]":
        found = json.loads(network.send("GET", "/v1.0/deviceAppManagement/managedAppPolicies", token)[1])
        return sorted(entry["displayName"] for entry in found["value"])

    before = policies()
    assert len(registered()) == 1
    assert network.send("PUT", "/dev/snapshots/enrolled", network.secret)[0] == 204
    body = json.dumps({"@odata.type": "#microsoft.graph.iosManagedAppProtection", "displayName": "Added"})
    status, text = network.send("POST", "/v1.0/deviceAppManagement/iosManagedAppProtections", token, body)
    assert status == 201, text
    assert policies() == sorted([*before, "Added"])
    # The sandbox sees what Graph has written, and its own saves go on.
    mam.save("with")
    assert network.send("POST", "/dev/snapshots/enrolled", network.secret)[0] == 204
    assert policies() == before and len(registered()) == 1
    mam.restore("with")
    assert policies() == sorted([*before, "Added"])
    assert network.send("POST", "/dev/reset", network.secret)[0] == 204
    assert policies() == before and registered() == []


def test_what_a_killed_network_leaves_is_removed_by_the_next_sandbox(
    binary: str, tenant_program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    runs = tmp_path / "mambridge-tenant-dev"
    killed = subprocess.Popen(
        [tenant_program, "dev", "--ephemeral", "--json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True)
    used = subprocess.Popen(
        [tenant_program, "dev", "--ephemeral", "--json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True)
    try:
        for process in (killed, used):
            assert process.stdout and json.loads(process.stdout.readline())["service"]
        files = sorted(runs.iterdir())
        killed.kill()
        killed.wait()
        assert len(files) == 4

        def left() -> int:
            with Sandbox(binary=binary):
                return len(list(runs.iterdir()))

        # New files are spared for two seconds.
        wait_for(lambda: left() == 2, "the files of the killed process are gone")
        assert used.poll() is None and left() == 2
    finally:
        for process in (killed, used):
            process.kill()
            process.wait()
            if process.stdout:
                process.stdout.close()
