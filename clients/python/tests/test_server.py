"""The client against the real server: over stdio, over TCP, and at the edges of a server's life."""
from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable

import pytest
from conftest import ALICE, ROOT, Server
from mambridge import Client, ConnectionLost, MambridgeError


def enroll_and_ask(client: Client) -> None:
    assert client.enrollmentManager.registerAndEnrollAccount(account=ALICE)["didSucceed"] is True
    assert [account["identity"] for account in client.enrollmentManager.enrolledAccounts()] == [ALICE]
    secret = client.dataProtectionManager.protect(data=b"\x00plain\xff", account=ALICE)
    assert client.dataProtectionManager.protectionInfo(data=secret)["identity"] == ALICE
    assert client.dataProtectionManager.unprotect(data=secret) == "AHBsYWlu/w=="


def test_enrolls_asks_and_protects_over_stdio(client: Client) -> None:
    enroll_and_ask(client)


def test_enrolls_asks_and_protects_over_tcp(server: Server) -> None:
    with Client.connect(server.address, token_file=server.token_file, timeout=60) as client:
        enroll_and_ask(client)


def test_host_and_port_serve_as_address(server: Server) -> None:
    host, _, port = server.address.removeprefix("tcp://").rpartition(":")
    with Client.connect(host, int(port), server.token_file, timeout=60) as client:
        assert client.versionInfo.sdkVersion() == "21.7.1"


def test_connections_share_one_core(server: Server) -> None:
    first = Client.connect(server.address, token_file=server.token_file, timeout=60)
    second = Client.connect(server.address, token_file=server.token_file, timeout=60)
    with first, second:
        first.enrollmentManager.registerAndEnrollAccount(account=ALICE)
        assert len(second.enrollmentManager.enrolledAccounts()) == 1


def test_handles_close_with_their_connection(server: Server, tmp_path: Path) -> None:
    document = str(tmp_path / "document")
    first = Client.connect(server.address, token_file=server.token_file, timeout=60)
    with Client.connect(server.address, token_file=server.token_file, timeout=60) as second:
        with first:
            first.enrollmentManager.registerAndEnrollAccount(account=ALICE)
            first.file.create(path=document, account=ALICE)
            kept = second.file.create(path=f"{document}2", account=ALICE)["handle"]
            with pytest.raises(MambridgeError) as caught:
                second.fileProtectionManager.encryptFile(path=document, account=ALICE)
            assert caught.value.code == 5003
            assert document in files_open_in(server.process.pid)
        wait_until(lambda: document not in files_open_in(server.process.pid))
        assert second.fileProtectionManager.encryptFile(path=document, account=ALICE) is True
        second.file.write(handle=kept, data=b"goes on")
        assert second.file.size(handle=kept) == 7


def files_open_in(process: int) -> list[str]:
    found: list[str] = []
    for descriptor in Path(f"/proc/{process}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            found.append(os.readlink(descriptor))
    return found


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_wrong_token_is_a_typed_error(server: Server, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("0" * 64)
    with pytest.raises(MambridgeError) as caught:
        Client.connect(server.address, token_file=str(token), timeout=60)
    assert caught.value.code == -32001


def test_the_server_lists_its_methods_and_each_can_be_spelled(client: Client) -> None:
    methods = client.methods()
    assert methods.keys() >= {"policy.isSaveToAllowedForLocation", "rpc.discover", "tenant.checkIn"}
    assert all(part.isidentifier() for name in methods for part in name.split("."))


@pytest.mark.parametrize(("method", "params", "code"), [
    ("policy.nothing", None, -32601),
    ("policy.isSaveToAllowedForLocation", {"location": "mars"}, -32602),
    ("policy.isSaveToAllowedForLocation", {}, -32602),
    ("dataProtectionManager.protectString", {"string": "", "account": ALICE}, 1105),
])
def test_errors_carry_code_and_name(client: Client, method: str, params: dict[str, str] | None, code: int) -> None:
    client.enrollmentManager.registerAndEnrollAccount(account=ALICE)
    with pytest.raises(MambridgeError) as caught:
        client.call(method, params)
    assert caught.value.code == code
    assert caught.value.name and isinstance(caught.value.data["retryable"], bool)


def test_a_batch_is_answered_in_order(client: Client) -> None:
    version, unknown, accounts = client.batch([
        ("versionInfo.sdkVersion", None), ("no.method", None), ("enrollmentManager.registeredAccounts", None)])
    assert (version, accounts) == ("21.7.1", [])
    assert isinstance(unknown, MambridgeError) and unknown.code == -32601


def test_threads_share_one_connection(client: Client) -> None:
    client.enrollmentManager.registerAndEnrollAccount(account=ALICE)

    def round_trip(number: int) -> str:
        secret = client.dataProtectionManager.protectString(string=f"text {number}", account=ALICE)
        return client.dataProtectionManager.unprotectString(string=secret)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(round_trip, range(64))) == [f"text {number}" for number in range(64)]


def test_state_outlives_the_server(binary: str, state: str) -> None:
    arguments = ("--tenant", "sample", "--state", state)
    with Client.spawn(binary, *arguments, timeout=60) as client:
        client.enrollmentManager.registerAndEnrollAccount(account=ALICE)
        secret = client.dataProtectionManager.protectString(string="kept", account=ALICE)
        os.kill(client.pid or 0, signal.SIGKILL)
        with pytest.raises(ConnectionLost, match="code -9"):
            client.versionInfo.sdkVersion()
    with Client.spawn(binary, *arguments, timeout=60) as client:
        assert client.dataProtectionManager.unprotectString(string=secret) == "kept"


def test_a_server_that_cannot_start_says_why(binary: str) -> None:
    with Client.spawn(binary, "--no-such-option", timeout=60) as client:
        with pytest.raises(ConnectionLost, match="no-such-option"):
            client.versionInfo.sdkVersion()


def test_the_example_runs(binary: str) -> None:
    example = ROOT / "clients" / "python" / "example.py"
    run = subprocess.run([sys.executable, str(example), binary], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    assert "enrollment: newPoliciesReceived" in run.stdout
    assert "unprotected: quarterly figures" in run.stdout
    assert "refused: -32602" in run.stdout
