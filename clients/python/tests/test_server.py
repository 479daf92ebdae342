"""The client against the real server: over stdio, over TCP, and at the edges of a server's life."""
from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Iterator

import pytest
from conftest import ALICE, ROOT, Server, first_line
from mambridge import Client, ConnectionLost, MambridgeError
from mambridge.aio import AsyncClient
from processes import pid_of
from waiting import SOON, wait_for


def enroll_and_ask(client: Client) -> None:
    assert client.enrollment_manager.register_and_enroll_account(ALICE).did_succeed
    assert [account.identity for account in client.enrollment_manager.enrolled_accounts()] == [ALICE]
    sealed = client.data_protection_manager.protect(b"\x00plain\xff", account=ALICE)
    owner = client.data_protection_manager.protection_info(sealed)
    assert owner and owner.identity == ALICE
    assert client.data_protection_manager.unprotect(sealed) == b"\x00plain\xff"


def test_enrolls_asks_and_protects_over_stdio(client: Client) -> None:
    enroll_and_ask(client)


def test_enrolls_asks_and_protects_over_tcp(server: Server) -> None:
    with Client.connect(server.address, token_file=server.token_file, timeout=60) as client:
        enroll_and_ask(client)


def test_host_and_port_serve_as_address(server: Server) -> None:
    with Client.connect(server.address.replace("tcp://", ""), token_file=server.token_file, timeout=60) as client:
        assert client.version_info.sdk_version() == "21.7.1"


def test_asyncio_connects_over_tcp(server: Server) -> None:
    async def connect() -> str:
        async with AsyncClient.connect(server.address, token_file=server.token_file, timeout=60) as client:
            return await client.version_info.sdk_version()

    assert asyncio.run(connect()) == "21.7.1"


def test_both_clients_connect_over_a_unix_socket(binary: str, state: str, tmp_path: Path) -> None:
    address = f"unix://{tmp_path / 'run' / 'socket'}"
    server = subprocess.Popen([binary, "--state", state, "--listen", address], stderr=subprocess.PIPE)
    try:
        first_line(server, 30)
        with Client.connect(address, timeout=60) as client:
            assert client.version_info.sdk_version() == "21.7.1"

        async def connect() -> str:
            async with AsyncClient.connect(address, timeout=60) as client:
                return await client.version_info.sdk_version()

        assert asyncio.run(connect()) == "21.7.1"
    finally:
        server.terminate()
        server.communicate(timeout=40)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1", "127.0.0.1", "http:/x"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match="no address"):
        Client.connect(address)


def test_connections_share_one_core(server: Server) -> None:
    first = Client.connect(server.address, token_file=server.token_file, timeout=60)
    second = Client.connect(server.address, token_file=server.token_file, timeout=60)
    with first, second:
        first.call("enrollmentManager.registerAndEnrollAccount", account=ALICE)
        assert len(second.call("enrollmentManager.enrolledAccounts")) == 1


def test_handles_close_with_their_connection(server: Server, tmp_path: Path) -> None:
    document = str(tmp_path / "document")
    first = Client.connect(server.address, token_file=server.token_file, timeout=60)
    with Client.connect(server.address, token_file=server.token_file, timeout=60) as second:
        with first:
            first.call("enrollmentManager.registerAndEnrollAccount", account=ALICE)
            first.call("file.create", path=document, account=ALICE)
            kept = second.call("file.create", path=f"{document}2", account=ALICE)["handle"]
            with pytest.raises(MambridgeError) as caught:
                second.call("fileProtectionManager.encryptFile", path=document, account=ALICE)
            assert caught.value.code == 5003
            assert document in files_open_in(server.process.pid)
        wait_for(lambda: document not in files_open_in(server.process.pid), "the server closes the file")
        assert second.call("fileProtectionManager.encryptFile", path=document, account=ALICE) is True
        second.call("file.write", handle=kept, data=b"goes on")
        assert second.call("file.size", handle=kept) == 7


def files_open_in(process: int) -> list[str]:
    found: list[str] = []
    for descriptor in Path(f"/proc/{process}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            found.append(os.readlink(descriptor))
    return found


def test_a_wrong_token_is_a_typed_error(server: Server, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("0" * 64)
    with pytest.raises(MambridgeError) as caught:
        Client.connect(server.address, token_file=str(token), timeout=60)
    assert caught.value.code == -32001


@pytest.mark.parametrize(("method", "params", "code"), [
    ("policy.nothing", None, -32601),
    ("policy.isSaveToAllowedForLocation", {"location": "mars"}, -32602),
    ("policy.isSaveToAllowedForLocation", {}, -32602),
    ("dataProtectionManager.protectString", {"string": "", "account": ALICE}, 1105),
])
def test_errors_carry_code_and_name(client: Client, method: str, params: dict[str, str] | None, code: int) -> None:
    client.call("enrollmentManager.registerAndEnrollAccount", account=ALICE)
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
    client.call("enrollmentManager.registerAndEnrollAccount", account=ALICE)

    def round_trip(number: int) -> str:
        secret = client.call("dataProtectionManager.protectString", string=f"text {number}", account=ALICE)
        return client.call("dataProtectionManager.unprotectString", string=secret)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(round_trip, range(64))) == [f"text {number}" for number in range(64)]


def test_state_outlives_the_server(binary: str, state: str) -> None:
    arguments = ("--tenant", "sample", "--state", state)
    with Client.spawn(binary, *arguments, timeout=60) as client:
        client.call("enrollmentManager.registerAndEnrollAccount", account=ALICE)
        secret = client.call("dataProtectionManager.protectString", string="kept", account=ALICE)
        os.kill(pid_of(client), signal.SIGKILL)
        with pytest.raises(ConnectionLost, match=r"signal 9 \(SIGKILL\)"):
            client.call("versionInfo.sdkVersion")
    with Client.spawn(binary, *arguments, timeout=60) as client:
        assert client.call("dataProtectionManager.unprotectString", string=secret) == "kept"


MEBIBYTE = "x" * (1 << 20)


def test_a_stopped_server_holds_a_caller_no_longer_than_its_time_limit(
    binary: str, state: str, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("mambridge.client.GRACE", 0.5)
    with Client.spawn(binary, "--tenant", "sample", "--state", state, timeout=60) as client:
        client.enrollment_manager.register_and_enroll_account(ALICE)
        with stopped(client.pid):
            for typed in (False, True):
                started = time.monotonic()
                with pytest.raises(TimeoutError):
                    if typed:
                        client.data_protection_manager.protect_string(MEBIBYTE, ALICE, timeout=1)
                    else:
                        client.call("dataProtectionManager.protectString", string=MEBIBYTE, account=ALICE, timeout=1)
                assert time.monotonic() - started < SOON
        sealed = client.data_protection_manager.protect_string("goes on", ALICE)
        assert client.data_protection_manager.unprotect_string(sealed) == "goes on"


def test_a_stopped_server_holds_a_task_no_longer_than_its_time_limit(
    binary: str, state: str, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("mambridge.aio.client.GRACE", 0.5)

    async def ask() -> str:
        async with AsyncClient.spawn(binary, "--tenant", "sample", "--state", state, timeout=60) as client:
            await client.enrollment_manager.register_and_enroll_account(ALICE)
            protect = client.data_protection_manager.protect_string
            with stopped(client.pid):
                for _ in range(3):
                    started = time.monotonic()
                    calls = [asyncio.ensure_future(protect(MEBIBYTE, ALICE, timeout=1)) for _ in range(3)]
                    ends = await asyncio.gather(*calls, return_exceptions=True)
                    assert [type(end) for end in ends] == [TimeoutError] * 3 and time.monotonic() - started < SOON
                assert len(client._session.stream._outbox) <= 1  # the cancel of the call that was begun
            return await client.data_protection_manager.unprotect_string(await protect("goes on", ALICE))

    assert asyncio.run(ask()) == "goes on"


@pytest.mark.parametrize("asynchronous", [False, True])
def test_close_ends_a_stopped_server_with_a_full_pipe(
    binary: str, state: str, asynchronous: bool, monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in ("session", "streams", "aio.session", "aio.streams"):
        monkeypatch.setattr(f"mambridge.{module}.{'FINISH' if 'session' in module else 'EXIT'}", 0.3)
    arguments = (binary, "--tenant", "sample", "--state", state)

    def end() -> int | None:
        client = Client.spawn(*arguments, timeout=60)
        client.version_info.sdk_version()
        os.kill(pid_of(client), signal.SIGSTOP)
        with pytest.raises(TimeoutError):
            client.call("dataProtectionManager.protectString", string=MEBIBYTE, timeout=0.1)
        client.close()
        return client.exit_code

    async def end_in_loop() -> int | None:
        client = await AsyncClient.spawn(*arguments, timeout=60)
        await client.version_info.sdk_version()
        os.kill(pid_of(client), signal.SIGSTOP)
        with pytest.raises(TimeoutError):
            await client.call("dataProtectionManager.protectString", string=MEBIBYTE, timeout=0.1)
        await client.close()
        return client.exit_code

    started = time.monotonic()
    assert (asyncio.run(end_in_loop()) if asynchronous else end()) == -signal.SIGKILL
    assert time.monotonic() - started < SOON


@contextlib.contextmanager
def stopped(process: int | None) -> Iterator[None]:
    os.kill(process or 0, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process or 0, signal.SIGCONT)


def test_the_death_of_a_stopped_server_reaches_a_caller_whose_message_was_not_written(binary: str, state: str) -> None:
    with Client.spawn(binary, "--tenant", "sample", "--state", state, timeout=60) as client:
        client.version_info.sdk_version()
        os.kill(pid_of(client), signal.SIGSTOP)
        with ThreadPoolExecutor(3) as pool:
            calls = [pool.submit(client.data_protection_manager.protect_string, MEBIBYTE, ALICE) for _ in range(3)]
            wait_for(lambda: len(client._session._outbox._messages) == 2, "two messages wait")
            os.kill(pid_of(client), signal.SIGKILL)
            for call in calls:
                with pytest.raises(ConnectionLost, match=r"signal 9 \(SIGKILL\)"):
                    call.result(20)


def test_a_notification_waits_for_a_stopped_server_only_as_long_as_the_client_waits(binary: str, state: str) -> None:
    with Client.spawn(binary, "--tenant", "sample", "--state", state, timeout=0.5) as client:
        client.call("versionInfo.sdkVersion", timeout=60)
        with stopped(client.pid):
            client.notify("ignored", text=MEBIBYTE)
            with pytest.raises(TimeoutError, match="did not read"):
                client.notify("ignored", text=MEBIBYTE)
        assert client.call("versionInfo.sdkVersion", timeout=60) == "21.7.1"


@pytest.mark.parametrize("asynchronous", [False, True])
def test_every_call_of_a_batch_that_is_too_long_fails_and_no_other(
    binary: str, state: str, asynchronous: bool,
) -> None:
    async def ask() -> list[object]:
        async with AsyncClient.spawn(binary, "--state", state, timeout=60) as client:
            return await client.batch([("versionInfo.sdkVersion", None)] * 1001)

    if asynchronous:
        results = asyncio.run(ask())
    else:
        with Client.spawn(binary, "--state", state, timeout=60) as client:
            client.initialize()
            with ThreadPoolExecutor(1) as pool:
                other = pool.submit(client.call, "events.list", {"waitMilliseconds": 2000})
                wait_for(lambda: client._session._calls, "the call is on its way")
                client.notify("ignored", text="x" * (65 << 20))
                results = client.batch([("versionInfo.sdkVersion", None)] * 1001)
                assert other.result(20)["events"] == []
    assert len(results) == 1001 and {getattr(result, "code", None) for result in results} == {-32004}


def test_a_server_that_cannot_start_says_why(binary: str) -> None:
    with Client.spawn(binary, "--no-such-option", timeout=60) as client:
        with pytest.raises(ConnectionLost, match="no-such-option"):
            client.call("versionInfo.sdkVersion")


def test_the_example_runs(binary: str) -> None:
    example = ROOT / "clients" / "python" / "example.py"
    run = subprocess.run([sys.executable, str(example), binary], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    assert "enrollment: newPoliciesReceived" in run.stdout
    assert "unprotected: quarterly figures" in run.stdout
    assert "refused: " in run.stdout
