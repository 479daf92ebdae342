"""The part of scripts/demo-tenant that is not the build: BINARY PROGRAM."""
from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import glewlwyd
import replicas
from mambridge import Client, MambridgeError, events, types

ROOT = Path(__file__).resolve().parent.parent
TENANT_ID = "72f988bf-0000-4000-8000-2d7cd011db47"
ROLE = "DeviceManagementApps.ReadWrite.All"
IDS = {"alice": "a11ce000-0000-4000-8000-000000000001", "bob": "b0b00000-0000-4000-8000-000000000002",
       "carol": "ca501000-0000-4000-8000-000000000003"}
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


class Program:
    """A program whose lines are kept, and which is ended with SIGTERM."""

    def __init__(self, *command: "str | Path") -> None:
        self.name = str(command[0])
        self.process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)
        self.lines: list[str] = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    def wait_for_line(self, pattern: str) -> "re.Match[str]":
        def find() -> "re.Match[str] | None":
            found = [match for line in list(self.lines) if (match := re.search(pattern, line))]
            if not found and self.process.poll() is not None:
                self.reader.join(timeout=5)
                fail(f"{self.name} has ended: {self.lines[-3:]}")
            return found[0] if found else None

        found: "re.Match[str]" = wait_for(find, f"a line with {pattern}")
        return found

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        expect(self.process.wait(timeout=40) == 0, f"{self.name} has failed: {self.lines[-3:]}")


class SignInProvider(glewlwyd.Glewlwyd):
    """A real OpenID provider, at which users sign in by the authorization code with PKCE."""

    name = "Glewlwyd, a real OpenID provider"
    audience = glewlwyd.RESOURCE

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, [
            glewlwyd.User(f"{name}@contoso.example", identifier, TENANT_ID, ROLE if name == "carol" else "")
            for name, identifier in IDS.items()])
        self.issuer = self.url

    def token(self, user: str) -> str:
        """Does what the pages of the provider do in a browser."""
        verifier = secrets.token_urlsafe(48)
        digest = hashlib.sha256(verifier.encode()).digest()
        state = secrets.token_urlsafe(16)
        common = {"client_id": glewlwyd.CLIENT, "redirect_uri": glewlwyd.REDIRECT, "resource": glewlwyd.RESOURCE}
        query = urllib.parse.urlencode({
            **common, "response_type": "code", "scope": f"openid {glewlwyd.SCOPE}", "state": state, "nonce": "1",
            "g_continue": "", "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256"})
        headers, _ = self.must("GET", f"/api/oidc/auth?{query}", person=user)
        answer = urllib.parse.parse_qs(urllib.parse.urlsplit(headers["Location"]).query)
        expect(answer["state"] == [state] and answer["iss"] == [self.issuer], f"{user} is not signed in: {answer}")
        form = {**common, "grant_type": "authorization_code", "code": answer["code"][0], "code_verifier": verifier}
        _, body = self.must("POST", "/api/oidc/token", urllib.parse.urlencode(form), person="")
        return str(json.loads(body)["access_token"])


class SmallProvider:
    """Discovery and keys, and tokens for everybody who asks, without any sign-in."""

    name = "a small provider of the demo's own, without sign-in, because glewlwyd and sqlite3 are not installed"

    def __init__(self, folder: Path) -> None:
        self.provider = replicas.Issuer(folder)
        self.issuer, self.audience = self.provider.url, replicas.AUDIENCE

    def token(self, user: str) -> str:
        roles = [ROLE] if user == "carol" else []
        return self.provider.token(IDS[user], roles=roles, tenant=TENANT_ID)

    def stop(self) -> None:
        self.provider.close()


def make_tenant(folder: Path) -> None:
    folder.mkdir()
    shutil.copy(ROOT / "docs" / "example-policy.json", folder / "policy.json")
    users = [{"id": IDS[name], "userPrincipalName": f"{name}@contoso.example", "displayName": name.title(),
              "groups": ["staff"]} for name in ("alice", "bob")]
    (folder / "tenant.json").write_text(json.dumps({
        "tenantId": TENANT_ID, "displayName": "Contoso", "users": users,
        "assignments": [{"policy": "policy.json", "groups": ["staff"], "apps": ["*"]}]}))


class Service:
    """`mambridge-tenant serve` over HTTPS with a SQLite store."""

    def __init__(self, program: str, folder: Path, provider: Any) -> None:
        self.certificate, key = folder / "service.pem", folder / "service.key"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", "/CN=demo", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", self.certificate],
            check=True, capture_output=True)
        self.program = Program(
            program, "serve", folder / "tenant", "--listen", "https://127.0.0.1:0", "--certificate", self.certificate,
            "--private-key", key, "--issuer", provider.issuer, "--audience", provider.audience,
            "--store", f"sqlite:{folder / 'store.sqlite'}", "--metrics", "http://127.0.0.1:0")
        said = json.loads(self.program.wait_for_line(r'^\{"listening".*')[0])
        self.url, self.metrics = str(said["listening"]), str(said["metrics"])

    def open_polls(self) -> int:
        with urllib.request.urlopen(f"{self.metrics}/metrics", timeout=10) as response:
            found = re.search(r"^mambridge_open_polls (\d+)", response.read().decode(), re.MULTILINE)
        return int(found[1]) if found else 0

    def curl(self, token_file: Path, path: str, body: Any = None) -> Any:
        """Asks Graph's way with curl. The token goes through a file, because everybody can read arguments."""
        command = ["curl", "-sS", "--fail-with-body", "--cacert", str(self.certificate), "-H", f"@{token_file}"]
        if body is not None:
            command += ["-H", "Content-Type: application/json", "-d", json.dumps(body)]
        run = subprocess.run([*command, self.url + path], capture_output=True, text=True, timeout=30)
        expect(run.returncode == 0, f"curl {path}: {run.stdout}{run.stderr}")
        return json.loads(run.stdout) if run.stdout else None


class Bridge:
    """mambridge of one user, with a state folder and files of its own."""

    def __init__(self, user: str, binary: str, program: str, folder: Path, service: Service, token: str) -> None:
        self.account, self.folder = f"{user}@contoso.example", folder / user
        self.folder.mkdir()
        token_file = self.folder / "token"
        token_file.write_text(token)
        self.heard: list[tuple[float, events.Event]] = []
        self.client = Client.spawn(
            binary, "--tenant", service.url, "--state", str(self.folder / "state"), "--token-command",
            f"cat {token_file}", timeout=60, on_event=lambda event: self.heard.append((time.monotonic(), event)),
            environment={"SSL_CERT_FILE": str(service.certificate), "MAMBRIDGE_LIBEXEC": str(Path(program).parent)})
        self.client.initialize(client=types.ClientInfo("demo"), events=[WIPED])
        self.file = self.folder / "figures.txt"

    def call(self, method: str, **params: Any) -> Any:
        return self.client.call(method, **params)

    def enroll(self) -> None:
        status = self.call("enrollmentManager.registerAndEnrollAccount", account=self.account)
        expect(status["didSucceed"] and status["statusCode"] == 100, f"{self.account} is not enrolled: {status}")

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
    """What the policy of docs/example-policy.json allows."""
    for location, expected in (("dropbox", False), ("oneDriveForBusiness", True)):
        answer = bridge.call(
            "policy.isSaveToAllowedForLocation", location=location, account=bridge.account,
            locationAccount=bridge.account)
        expect(answer is expected, f"whether {bridge.account} may save to {location}: {answer}")
    expect(bridge.call("policy.isPINRequired", account=bridge.account) is True, "a PIN must be required")
    return "may not save to Dropbox, may save to OneDrive for Business, and needs a PIN"


def wipe(service: Service, header: Path, alice: Bridge, bob: Bridge) -> None:
    with step() as say:
        wait_for(lambda: service.open_polls() == 2, "both bridges wait for changes")
        say("both bridges wait for changes")
    path = "/v1.0/deviceAppManagement/managedAppRegistrations"
    with step() as say:
        registrations = service.curl(header, path)["value"]
        [mine] = [entry for entry in registrations if entry["userId"] == IDS["alice"]]
        expect(len(registrations) == 2, f"two registrations are expected: {registrations}")
        say(f"Carol lists the registrations with curl: Alice has {mine['deviceTag']}")
    with step() as say:
        body = {"deviceTag": mine["deviceTag"]}
        ordered = time.monotonic()
        service.curl(header, f"/v1.0/users/{IDS['alice']}/wipeManagedAppRegistrationsByDeviceTag", body)
        say("Carol orders the wipe of Alice's device with Graph's action")
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
        states = wait_for(
            lambda: [entry["state"] for entry in service.curl(header, operations)["value"]] == ["completed"],
            "the operation is completed")
        say("Alice's bridge has reported the wipe: the operation is completed")


def run(binary: str, program: str, folder: Path, stack: contextlib.ExitStack) -> None:
    with step() as say:
        provider: Any = (SmallProvider if glewlwyd.missing_program() else SignInProvider)(folder / "provider")
        stack.callback(provider.stop)
        say(f"the identity provider runs: {provider.name}, at {provider.issuer}")
    with step() as say:
        make_tenant(folder / "tenant")
        service = Service(program, folder, provider)
        stack.callback(service.program.end)
        say(f"mambridge-tenant serves two users and a policy at {service.url}")
    with step() as say:
        tokens = {user: provider.token(user) for user in ("alice", "bob", "carol")}
        header = folder / "header"
        header.write_text(f"Authorization: Bearer {tokens['carol']}\n")
        say("Alice, Bob and the administrator Carol have access tokens")
    bridges = []
    for user in ("alice", "bob"):
        with step() as say:
            bridge = Bridge(user, binary, program, folder, service, tokens[user])
            stack.callback(bridge.client.close)
            bridges.append(bridge)
            bridge.enroll()
            say(f"{user.title()}'s bridge has enrolled, with a state folder of its own")
        with step() as say:
            say(f"{user.title()} {ask(bridge)}")
        with step() as say:
            bridge.protect()
            say(f"{user.title()} has protected a file")
    wipe(service, header, *bridges)


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
