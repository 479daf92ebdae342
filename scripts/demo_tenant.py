"""The part of scripts/demo-tenant that is not the build: BINARY PROGRAM."""
from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from dev_tenant import DevTenant
from mambridge import Client, MambridgeError, events, types

TEXT = b"Quarterly figures: 42\n"
WIPED = "policyManager.wipeDidComplete"


def fail(what: str) -> None:
    raise SystemExit(f"demo-tenant: FAILED: {what}")


def expect(condition: object, what: str) -> None:
    if not condition:
        fail(what)


@contextlib.contextmanager
def step() -> Iterator[Callable[[str], None]]:
    """Times what is done inside. The function that it gives takes the line to print."""
    lines: list[str] = []
    start = time.monotonic()
    yield lines.append
    print(f"{time.monotonic() - start:7.2f} s  {lines[-1]}", flush=True)


def wait_for(condition: Callable[[], Any], what: str, seconds: float = 30) -> Any:
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        expect(time.monotonic() < deadline, f"not within {seconds:g} s: {what}")
        time.sleep(0.01)
    return found


class Service:
    """`mambridge-tenant dev`: a tenant service, Graph, and an identity provider with users to choose."""

    def __init__(self, program: str, folder: Path) -> None:
        self.dev = DevTenant(program, folder / "run", str(folder / "contoso"), "--listen", "https://127.0.0.1:0")
        self.url, self.certificate = self.dev.url, self.dev.said["certificate"]

    def sign_in(self, user: str) -> str:
        """Does what a person does in a browser: the authorization code with PKCE. Returns an access token."""
        return str(self.dev.sign_in(f"{user}@contoso.example")["access_token"])

    def add_to_sales(self, name: str) -> None:
        """Changes the file of the tenant, as an administrator with an editor."""
        path = Path(self.dev.said["tenant"]) / "tenant.json"
        tenant = json.loads(path.read_text())
        for user in tenant["users"]:
            if user["userPrincipalName"] == f"{name}@contoso.example":
                user["groups"] = ["Sales"]
        path.with_suffix(".new").write_text(json.dumps(tenant))
        path.with_suffix(".new").replace(path)

    def curl(self, token_file: Path, path: str, body: Any = None) -> Any:
        """Asks Graph's way with curl. The token goes through a file, because everybody can read arguments."""
        command = ["curl", "-sS", "--fail-with-body", "--cacert", str(self.certificate), "-H", f"@{token_file}"]
        if body is not None:
            command += ["-H", "Content-Type: application/json", "-d", json.dumps(body)]
        run = subprocess.run([*command, self.url + path], capture_output=True, text=True, timeout=30)
        expect(run.returncode == 0, f"curl {path}: {run.stdout}{run.stderr}")
        return json.loads(run.stdout) if run.stdout else None

    def end(self) -> None:
        expect(self.dev.end() == 0, f"mambridge-tenant dev has failed: {self.dev.lines[-3:]}")


class Bridge:
    """mambridge of one user, with a state folder and files of its own."""

    def __init__(self, user: str, binary: str, program: str, folder: Path, service: Service, token: str) -> None:
        self.account, self.folder = f"{user}@contoso.example", folder / user
        self.folder.mkdir()
        token_file = self.folder / "token"
        token_file.write_text(token)
        # Only a state that is marked for development takes a development tenant.
        (self.folder / "state").mkdir()
        (self.folder / "state" / "development").touch()
        self.heard: list[tuple[float, events.Event]] = []
        self.client = Client.spawn(
            binary, "--tenant", service.url, "--state", str(self.folder / "state"), "--token-command",
            f"cat {token_file}", timeout=60, on_event=lambda event: self.heard.append((time.monotonic(), event)),
            environment={"SSL_CERT_FILE": str(service.certificate), "MAMBRIDGE_LIBEXEC": str(Path(program).parent)})
        self.client.initialize(client=types.ClientInfo("demo"), events=[WIPED])
        self.file = self.folder / "figures.txt"

    def call(self, method: str, **params: Any) -> Any:
        return self.client.call(method, **params)

    def has_policy(self) -> bool:
        [status] = self.call("tenant.checkIn")
        return status["statusCode"] in (100, 101)

    def enroll(self) -> "dict[str, Any]":
        return self.call("enrollmentManager.registerAndEnrollAccount", account=self.account)  # type: ignore[no-any-return]

    def protect(self) -> None:
        self.file.write_bytes(TEXT)
        self.call("fileProtectionManager.encryptFile", path=str(self.file), account=self.account)
        expect(TEXT not in self.file.read_bytes(), f"{self.file} is not encrypted")
        expect(self.read() == TEXT, "the protected file has another content")

    def read(self) -> "bytes | None":
        """The content of the protected file; None if it cannot be read."""
        if not self.file.exists():
            return None
        plain = self.folder / "plain"
        try:
            self.call("fileProtectionManager.decryptFile", path=str(self.file), toPath=str(plain))
        except MambridgeError:
            return None
        content = plain.read_bytes()
        plain.unlink()
        return content

    def wiped(self) -> "float | None":
        return next((at for at, event in self.heard if event.event == WIPED), None)


def ask(bridge: Bridge) -> str:
    """What the policy of the group Sales allows."""
    for location, expected in (("dropbox", False), ("oneDriveForBusiness", True)):
        answer = bridge.call(
            "policy.isSaveToAllowedForLocation", location=location, account=bridge.account,
            locationAccount=bridge.account)
        expect(answer is expected, f"whether {bridge.account} may save to {location}: {answer}")
    expect(bridge.call("policy.isPINRequired", account=bridge.account) is True, "a PIN must be required")
    return "may not save to Dropbox, may save to OneDrive for Business, and needs a PIN"


def wipe(service: Service, header: Path, alice: Bridge, bob: Bridge) -> None:
    path = "/v1.0/deviceAppManagement/managedAppRegistrations"
    with step() as say:
        registrations = service.curl(header, path)["value"]
        expect(len(registrations) == 2, f"two registrations are expected: {registrations}")
        user = service.curl(header, f"/v1.0/users/{alice.account}")
        [mine] = [entry for entry in registrations if entry["userId"] == user["id"]]
        say(f"Erin lists the registrations with curl: Alice has {mine['deviceTag']}")
    with step() as say:
        body = {"deviceTag": mine["deviceTag"]}
        ordered = time.monotonic()
        service.curl(header, f"/v1.0/users/{alice.account}/wipeManagedAppRegistrationsByDeviceTag", body)
        say("Erin orders the wipe of Alice's device with Graph's action")
    with step() as say:
        at = wait_for(alice.wiped, "the wipe is carried out")
        seconds = max(0, at - ordered)
        expect(seconds < 5, f"the wipe took {seconds:.1f} s")
        say(f"the wipe has reached Alice's bridge by push, and is done {seconds * 1000:.0f} ms after the order")
    with step() as say:
        expect(alice.read() is None, "Alice's file can still be read")
        expect(alice.call("enrollmentManager.enrolledAccounts") == [], "Alice is still enrolled")
        expect(bob.wiped() is None and bob.read() == TEXT, "Bob's file must be as it was")
        say("Alice's file cannot be read any more; Bob's is as it was")
    with step() as say:
        operations = f"{path}('{mine['id']}')/operations"
        wait_for(
            lambda: [entry["state"] for entry in service.curl(header, operations)["value"]] == ["completed"],
            "the operation is completed")
        say("Alice's bridge has reported the wipe: the operation is completed")


def run(binary: str, program: str, folder: Path, stack: contextlib.ExitStack) -> None:
    with step() as say:
        service = Service(program, folder)
        stack.callback(service.end)
        say(f"mambridge-tenant dev serves Contoso, with an identity provider of its own, at {service.url}")
    with step() as say:
        tokens = {user: service.sign_in(user) for user in ("alice", "bob", "erin")}
        header = folder / "header"
        header.write_text(f"Authorization: Bearer {tokens['erin']}\n")
        say("Alice, Bob and the administrator Erin have signed in, with an authorization code and PKCE")
    bridges = {}
    for user in ("alice", "bob"):
        with step() as say:
            bridge = bridges[user] = Bridge(user, binary, program, folder, service, tokens[user])
            stack.callback(bridge.client.close)
            status = bridge.enroll()
            expect(status["statusCode"] == (100 if user == "alice" else 225), f"{user}: {status}")
            say(f"{user.title()}'s bridge has checked in, with a state folder of its own: {status['status']}")
    with step() as say:
        service.add_to_sales("bob")
        wait_for(bridges["bob"].has_policy, "Bob gets a policy")
        say("an administrator has added Bob to the group Sales in tenant.json: Bob is enrolled, too")
    for user, bridge in bridges.items():
        with step() as say:
            say(f"{user.title()} {ask(bridge)}")
        with step() as say:
            bridge.protect()
            say(f"{user.title()} has protected a file")
    wipe(service, header, *bridges.values())


def main() -> None:
    os.umask(0o077)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="demo-tenant-") as name, contextlib.ExitStack() as stack:
        run(sys.argv[1], sys.argv[2], Path(name), stack)
        with step() as say:
            stack.close()
            say("everything is stopped")
    print(f"demo-tenant: every result was as expected, in {time.monotonic() - start:.1f} s")


if __name__ == "__main__":
    main()
