"""Sign-in with a real identity provider: login, the policy source, refresh tokens, and what is accepted by the service."""
from __future__ import annotations

import base64
import os
import queue
import random
import signal
import subprocess
import time
import uuid
from pathlib import Path
from typing import Any

import pytest
from conftest import ALICE
from identity_provider import RESOURCE, IdentityProvider
from sign_in import ServedPerson, authority, provider, service  # noqa: F401
from sources import Source
from tenants import ALICE_ID, Service
from waiting import SOON

ROUNDS = int(os.environ.get("MAMBRIDGE_LOGIN_ROUNDS", "6"))
ACCOUNT = {"accountId": None, "identity": ALICE}


@pytest.fixture
def person(tenant_program: str, tmp_path: Path, provider: IdentityProvider, service: Service) -> ServedPerson:
    return ServedPerson(tenant_program, tmp_path, provider, service)


def acquire(source: Source, silent: bool = True, **more: Any) -> int:
    return source.begin("source.acquireToken", account=ACCOUNT, silent=silent, **more)


def check_in(source: Source, token: "str | None") -> "dict[str, Any]":
    return source.call(
        "source.checkIn", reason="enroll", registration={"id": str(uuid.uuid4()), "secret": base64.b64encode(os.urandom(32)).decode()},
        account=ACCOUNT, app={"id": "com.contoso.app", "version": "1", "sdkVersion": "21.7.1"},
        device={"tag": str(uuid.uuid4()), "name": "laptop", "platform": "ios", "osVersion": None, "manufacturer": None, "model": None,
                "jailbroken": False}, etag=None, applied=[], health=[], token=token)


def test_after_login_the_source_gets_tokens_that_the_service_accepts(person: ServedPerson) -> None:
    code, out, err = person.login()
    assert (code, out) == (0, f"signed in as {ALICE} for {person.service.url}\n"), err
    assert {path.name: path.stat().st_mode & 0o777 for path in [person.cache.parent, *person.cache.parent.iterdir()]} == {
        "state": 0o700, "sign-ins": 0o600, "sign-ins.key": 0o600, "sign-ins.lock": 0o600}

    source = person.source()
    assert source.open()["signIn"] is True
    tokens = []
    # The provider takes a refresh token once, so each of these needs the one that came before.
    for _ in range(3):
        result = source.reply(acquire(source))["result"]
        assert result["expires"] > time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() + 3000))
        tokens.append(result["accessToken"])
    answer = check_in(source, tokens[-1])["result"]
    assert answer["outcome"] == "delivered" and answer["user"]["id"] == ALICE_ID
    assert source.close() == 0
    for file in person.cache.parent.iterdir():
        assert not any(token.encode() in file.read_bytes() for token in tokens)


def test_a_source_prompts_for_a_sign_in_unless_the_request_is_silent(person: ServedPerson) -> None:
    source = person.source()
    source.open()
    error = source.reply(acquire(source))["error"]
    assert error["code"] == -32050 and f"mambridge-tenant login {person.service.url}" in error["message"]

    number = acquire(source, silent=False)
    prompt = source.asked.get(timeout=30)
    assert prompt["method"] == "source.prompt" and set(prompt["params"]) == {"verificationUri", "userCode", "message", "expires"}
    person.provider.approve(prompt["params"]["userCode"])
    token = source.reply(number)["result"]["accessToken"]
    assert check_in(source, token)["result"]["outcome"] == "delivered"
    assert "result" in source.reply(acquire(source))
    assert source.close() == 0


def test_a_canceled_sign_in_stores_no_token_and_the_source_keeps_running(person: ServedPerson) -> None:
    source = person.source()
    source.open()
    number = acquire(source, silent=False)
    code = source.asked.get(timeout=30)["params"]["userCode"]
    source.cancel(number)
    assert "error" in source.reply(number, 5)
    person.provider.approve(code)
    assert source.reply(acquire(source))["error"]["code"] == -32050
    with pytest.raises(queue.Empty):
        source.asked.get(timeout=0.1)
    assert source.close() == 0


def test_a_source_started_with_no_sign_in_never_signs_in(person: ServedPerson) -> None:
    source = person.source("--no-sign-in")
    assert source.open()["signIn"] is False
    assert source.reply(acquire(source))["error"]["code"] == -32601
    assert source.close() == 0


def test_login_with_an_account_fails_if_another_user_signs_in(person: ServedPerson) -> None:
    code, _, err = person.login("--account", ALICE, person="bob")
    assert code == 77 and "signed in, and not alice@contoso.example" in err
    assert not person.cache.exists()


def test_processes_that_refresh_at_the_same_time_share_the_refresh_token(person: ServedPerson) -> None:
    assert person.login()[0] == 0
    sources = [person.source() for _ in range(4)]
    for source in sources:
        source.open()
    for _ in range(5):
        numbers = [acquire(source) for source in sources]
        replies = [source.reply(number) for source, number in zip(sources, numbers)]
        assert all("result" in reply for reply in replies), replies
    for source in sources:
        assert source.close() == 0


@pytest.mark.parametrize("step", ["before the code", "with the code", "after the approval"])
def test_a_killed_login_does_not_prevent_the_next_login(person: ServedPerson, step: str) -> None:
    for _ in range(ROUNDS if step == "after the approval" else 1):
        if step == "before the code":
            process = person.start("login", person.service.url, "--resource", RESOURCE)
            time.sleep(random.uniform(0, 0.1))
        else:
            process, code = person.begin_login()
        if step == "after the approval":
            person.provider.approve(code)
            time.sleep(random.uniform(0.6, 1.3))
        process.kill()
        process.communicate(timeout=20)
    assert person.login()[0] == 0
    source = person.source()
    source.open()
    assert "result" in source.reply(acquire(source))
    source.kill()
    # The next one finds whole files after that, too.
    source = person.source()
    source.open()
    assert "result" in source.reply(acquire(source))
    assert source.close() == 0


def test_login_exits_with_130_on_sigint(person: ServedPerson) -> None:
    process, _ = person.begin_login()
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=10)[1] == "mambridge-tenant: The sign-in was canceled.\n"
    assert process.returncode == 130


def test_a_source_reports_an_identity_provider_that_is_down_or_slow(person: ServedPerson) -> None:
    assert person.login()[0] == 0
    source = person.source()
    source.open()
    assert "result" in source.reply(acquire(source))
    person.provider.stop()
    try:
        error = source.reply(acquire(source))["error"]
        assert error["code"] == -32051 and "Cannot ask the identity provider" in error["message"]
        down = person.run("login", person.service.url)
        assert down.returncode == 69 and "Cannot ask the identity provider" in down.stderr
    finally:
        person.provider.start()
    assert "result" in source.reply(acquire(source))
    person.provider.pause()
    try:
        start = time.monotonic()
        error = source.reply(acquire(source))["error"]
        assert error["code"] == -32051 and time.monotonic() - start < SOON
    finally:
        person.provider.go_on()
    # The provider may have used the refresh token up for the request whose answer nobody took.
    assert source.reply(acquire(source)).get("error", {"code": -32050})["code"] == -32050
    assert source.close() == 0


def test_registrations_uses_the_stored_sign_in(person: ServedPerson) -> None:
    nobody = person.run("registrations", person.service.url, "--resource", RESOURCE)
    assert nobody.returncode == 77 and f"mambridge-tenant login {person.service.url}" in nobody.stderr
    assert person.login()[0] == 0
    listed = person.run("registrations", person.service.url)
    assert listed.returncode == 0, listed.stderr


def test_logout_removes_the_sign_in_and_reports_a_failed_revocation(person: ServedPerson) -> None:
    assert person.run("logout").stdout == "nobody was signed in\n"
    assert person.login()[0] == 0
    assert person.login(person="bob")[0] == 0
    several = person.run("logout", person.service.url)
    assert several.returncode == 77 and "alice@contoso.example, bob@contoso.example" in several.stderr
    done = person.run("logout", person.service.url, "--account", ALICE)
    # This provider revokes tokens of clients with a secret only.
    assert done.returncode == 69 and "may still be valid" in done.stderr and "status 401" in done.stderr
    assert done.stdout == f"signed out {ALICE} of {person.service.url}\n"
    assert person.run("logout", "--all").stdout.startswith("signed out bob@")
    assert not person.cache.exists()


def test_a_full_disk_is_noticed_before_the_refresh_token_is_used(person: ServedPerson, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir(mode=0o700)
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k,mode=700", "tmpfs", str(disk)], capture_output=True)
    if mount.returncode:
        pytest.skip(f"no small disk can be mounted here: {mount.stderr.decode().strip()}")
    try:
        person.environment["MAMBRIDGE_TOKEN_CACHE"] = str(disk / "sign-ins")
        assert person.login()[0] == 0
        source = person.source()
        source.open()
        space = os.statvfs(disk)
        (disk / "filling").write_bytes(bytes(space.f_bavail * space.f_frsize))
        error = source.reply(acquire(source))["error"]
        assert error["code"] == -32051 and "No space is left" in error["message"] and str(disk) in error["message"]
        (disk / "filling").unlink()
        assert "result" in source.reply(acquire(source))
        assert source.close() == 0
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)
