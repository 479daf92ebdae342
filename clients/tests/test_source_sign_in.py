"""Users sign in through a policy source that is a program: a host shows the prompt, or a challenge does, or nobody."""
from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import threading
from pathlib import Path
from typing import Iterator

import pytest
from conftest import ALICE
from mambridge import Client, Host, MambridgeError, requests, types
from prompting_source import PromptingSource
from waiting import wait_for


class World(PromptingSource):
    def __init__(self, binary: str, folder: Path) -> None:
        super().__init__(folder)
        self.arguments = ["--tenant", self.tenant, "--state", str(folder / "state")]
        self.binary = binary

    def client(self, host: Host | None = None) -> Client:
        return Client.spawn(self.binary, *self.arguments, timeout=60, host=host)

    def call(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [self.binary, "call", *self.arguments, *words], capture_output=True, text=True, timeout=60,
            stdin=subprocess.DEVNULL)


@pytest.fixture
def world(binary: str, tmp_path: Path) -> Iterator[World]:
    yield World(binary, tmp_path)


class ShowingHost(Host):
    def __init__(self, world: World) -> None:
        self.world = world
        self.shown: list[requests.PromptForCredentials] = []

    def prompt_for_credentials(self, request: requests.PromptForCredentials) -> types.Credentials:
        self.shown.append(request)
        self.world.sign_in()
        return types.Credentials(user_principal_name=ALICE, access_token="")


def test_a_host_that_shows_sign_in_prompts_gets_the_address_and_the_code(world: World) -> None:
    host = ShowingHost(world)
    with world.client(host) as client:
        client.initialize()
        assert client.enrollment_manager.register_and_enroll_account(ALICE).status_code == 100
        assert client.tenant.check_in()[0].status_code == 101
    request, = host.shown
    assert (request.verification_uri, request.user_code) == ("https://login.contoso.example/device", "VEUY-27HC")
    assert request.message.startswith("Sign in, please.") and "VEUY-27HC" in request.message and request.expires
    assert world.notes() == ["silent", "prompt"]


def test_an_enrollment_without_a_host_for_sign_ins_fails_with_a_challenge(world: World) -> None:
    with world.client() as client:
        client.initialize()
        with pytest.raises(MambridgeError) as raised:
            client.enrollment_manager.register_and_enroll_account(ALICE)
        assert raised.value.code == 8001 and "VEUY-27HC" in raised.value.message
        world.sign_in()

        def enrolls() -> bool:
            try:
                return client.enrollment_manager.register_and_enroll_account(ALICE).status_code == 100
            except MambridgeError as error:
                assert error.code == 8001
                return False

        wait_for(enrolls, "the account is enrolled")
    assert world.notes()[:2] == ["silent", "prompt"] and world.notes().count("prompt") == 1


def test_a_call_that_times_out_cancels_the_sign_in_at_the_source(world: World) -> None:
    class SlowHost(Host):
        asked = threading.Event()

        def prompt_for_credentials(self, request: requests.PromptForCredentials) -> types.Credentials:
            self.asked.set()
            return types.Credentials(user_principal_name=ALICE, access_token="")

    with world.client(SlowHost()) as client:
        client.initialize()
        with pytest.raises(MambridgeError) as raised:
            client.call("enrollmentManager.registerAndEnrollAccount", {
                "account": ALICE, "_meta": {"timeoutMilliseconds": 2000}})
        assert raised.value.code == -32003 and SlowHost.asked.is_set()
        wait_for(lambda: "canceled" in world.notes(), "the source ends the sign-in")
        assert client.enrollment_manager.registered_accounts() == []


def test_mambridge_call_on_a_terminal_prints_where_to_sign_in(world: World) -> None:
    terminal, end = pty.openpty()
    command = [world.binary, "call", *world.arguments, "enrollmentManager.registerAndEnrollAccount", f"account={ALICE}"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=end) as process:
        os.close(end)
        try:
            said = ""
            while "VEUY-27HC" not in said:
                assert select.select([terminal], [], [], 30)[0], said
                said += os.read(terminal, 4096).decode()
            assert "https://login.contoso.example/device" in said
            world.sign_in()
            out, _ = process.communicate(timeout=30)
        finally:
            process.kill()
            os.close(terminal)
    assert json.loads(out)["statusCode"] == 100


def test_mambridge_call_without_a_terminal_returns_the_sign_in_command(world: World) -> None:
    # Without it, the second call may find that the account is due, and check in by itself first.
    still = ("--clock", "manual")
    done = world.call(*still, "enrollmentManager.registerAndEnrollAccount", f"account={ALICE}")
    status = json.loads(done.stdout)
    assert status["statusCode"] == 203 and "Sign in with: touch signed-in." in status["errorString"]
    world.sign_in()
    assert json.loads(world.call(*still, "tenant.checkIn").stdout)[0]["statusCode"] == 100
    assert world.notes() == ["silent", "silent"]
