"""What the tests of several replicas start: a PostgreSQL server, an issuer of tokens, and mambridge-tenant serve."""
from __future__ import annotations

import base64
import http.client
import json
import os
import pwd
import re
import signal
import socket
import subprocess
import threading
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from waiting import wait_for

TENANT_ID = "11111111-1111-4111-8111-111111111111"
ALICE_ID = "aaaaaaaa-1111-4111-8111-aaaaaaaaaaaa"
AUDIENCE = "api://mam"
APP = "com.contoso.mail"


def postgresql_programs() -> "Path | None":
    """The folder of the newest installed server; None if there is none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
    return found[-1].parent if found else None


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class PostgreSQL:
    """A server in a folder of the test, on 127.0.0.1 only. Runs as the user postgres if the tests run as root."""

    def __init__(self, folder: Path, fsync: bool = False) -> None:
        programs = postgresql_programs()
        assert programs
        self.programs, self.folder, self.port, self.fsync = programs, folder, free_port(), fsync
        self.process: "subprocess.Popen[bytes] | None" = None
        folder.mkdir(parents=True)
        self.owner: list[str] = []
        if os.geteuid() == 0:
            entry = pwd.getpwnam("postgres")
            os.chown(folder, entry.pw_uid, entry.pw_gid)
            self.owner = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        self._run("initdb", "-D", self.data, "-A", "trust", "-U", "mam", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        self.start()

    @property
    def data(self) -> str:
        return str(self.folder / "data")

    def _run(self, program: str, *arguments: str) -> str:
        command = [*self.owner, str(self.programs / program), *arguments]
        done = subprocess.run(command, cwd="/", capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self, *options: str) -> None:
        settings = [f"port={self.port}", "listen_addresses=127.0.0.1", "max_connections=60", *options]
        settings += [] if self.fsync else ["fsync=off"]
        with open(os.open(self.folder.parent / "postgresql.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND), "wb") as log:
            self.process = subprocess.Popen(
                [*self.owner, str(self.programs / "postgres"), "-D", self.data, "-k", str(self.folder),
                 *(word for setting in settings for word in ("-c", setting))], cwd="/", stdout=log, stderr=log)
        ready = [str(self.programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        wait_for(lambda: subprocess.run(ready).returncode == 0, "PostgreSQL accepts connections")

    def stop(self) -> None:
        """Ends all connections."""
        if self.process:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(timeout=60)
        self.process = None

    def make_database(self, name: str) -> str:
        self.query(f"CREATE DATABASE {name}", "postgres")
        return self.url(name)

    def url(self, name: str) -> str:
        return f"postgresql://mam@127.0.0.1:{self.port}/{name}"

    def query(self, sql: str, database: str) -> str:
        command = [str(self.programs / "psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", sql, self.url(database)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


class Issuer:
    """A provider of tokens on loopback: discovery, a key set with one RSA key, and no sign-in."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.key = folder / "issuer.pem"
        command = ["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", str(self.key)]
        subprocess.run(command, check=True, capture_output=True)
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = json.dumps(issuer.keys() if self.path == "/keys" else issuer.discovery()).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def discovery(self) -> dict[str, Any]:
        return {"issuer": self.url, "jwks_uri": f"{self.url}/keys", "token_endpoint": f"{self.url}/token",
                "authorization_endpoint": f"{self.url}/authorize", "response_types_supported": ["code"],
                "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"]}

    def keys(self) -> dict[str, Any]:
        command = ["openssl", "rsa", "-in", str(self.key), "-noout", "-modulus"]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        modulus = bytes.fromhex(text.strip().split("=")[1])
        return {"keys": [{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "k1", "n": encoded(modulus), "e": "AQAB"}]}

    def token(self, user: str = ALICE_ID, roles: Sequence[str] = (), tenant: str = TENANT_ID) -> str:
        now = int(time.time())
        claims = {"iss": self.url, "aud": AUDIENCE, "iat": now, "nbf": now, "exp": now + 3600, "oid": user,
                  "tid": tenant, "scp": "mam", "roles": list(roles)}
        header = {"alg": "RS256", "kid": "k1", "typ": "JWT"}
        signed = ".".join(encoded(json.dumps(part).encode()) for part in (header, claims))
        command = ["openssl", "dgst", "-sha256", "-sign", str(self.key)]
        signature = subprocess.run(command, check=True, capture_output=True, input=signed.encode()).stdout
        return f"{signed}.{encoded(signature)}"


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@dataclass
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: Any


@dataclass
class Device:
    """An app of a user on a device, as the bridge registers it."""

    user: str = ALICE_ID
    registration: str = field(default_factory=lambda: str(uuid.uuid4()))
    secret: str = field(default_factory=lambda: base64.b64encode(os.urandom(32)).decode())
    tag: str = field(default_factory=lambda: str(uuid.uuid4()))

    @property
    def credentials(self) -> dict[str, str]:
        return {"id": self.registration, "secret": self.secret}

    def check_in(self) -> dict[str, Any]:
        return {
            "version": 1, "reason": "checkIn", "registration": self.credentials,
            "account": {"accountId": self.user, "identity": "alice@contoso.example"},
            "app": {"id": APP, "version": "1.0", "sdkVersion": "21.7.1"},
            "device": {"tag": self.tag, "name": "phone", "platform": "ios", "osVersion": "17.0", "manufacturer": "",
                       "model": "", "jailbroken": False},
            "etag": None, "applied": [], "health": []}


class Replica:
    """A running mambridge-tenant serve."""

    def __init__(self, program: str, store: str, issuer: Issuer, log: Path, *options: str) -> None:
        self.log, self.address = log, ("", 0)
        command = [program, "serve", "--listen", "http://127.0.0.1:0", "--issuer", issuer.url, "--audience", AUDIENCE,
                   "--store", store, *options]
        with open(log, "ab") as errors:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors)

    def ready(self) -> "Replica":
        """Waits for the line that names the address."""
        wait_for(lambda: self.find_address() or self.process.poll() is not None, "the replica listens")
        assert self.address[1], self.text
        return self

    def find_address(self) -> bool:
        found = re.search(r'"listening": ?"http://([\d.]+):(\d+)', self.text)
        if found:
            self.address = (found[1], int(found[2]))
        return found is not None

    @property
    def text(self) -> str:
        return self.log.read_text(errors="replace")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(timeout=30)

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(timeout=40)
        except subprocess.TimeoutExpired:
            self.kill()

    def request(
        self, method: str, path: str, body: Any = None, authorization: "str | None" = None, seconds: float = 40
    ) -> Answer:
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if authorization:
            headers["Authorization"] = authorization
        connection = http.client.HTTPConnection(*self.address, timeout=seconds)
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            text = response.read()
            is_json = "json" in (response.getheader("Content-Type") or "")
            return Answer(response.status, response.headers, json.loads(text) if text and is_json else text.decode())
        finally:
            connection.close()

    def check_in(self, device: Device, token: str) -> Answer:
        return self.request("POST", "/mam/v1/check-in", device.check_in(), f"Bearer {token}")

    def report(self, device: Device, operation: str) -> Answer:
        path = f"/mam/v1/registrations/{device.registration}/operations/{operation}"
        body = {"outcome": "done", "time": "2026-01-01T00:00:00.000Z"}
        return self.request("POST", path, body, f"Registration {device.secret}")

    def poll(self, device: Device, revision: "int | None", seconds: int = 25) -> Answer:
        body = {"registrations": [{**device.credentials, "revision": revision}], "wait": seconds}
        return self.request("POST", "/mam/v1/changes", body)

    def order_wipe(self, device: Device, token: str) -> Answer:
        path = f"/v1.0/users/{device.user}/wipeManagedAppRegistrationsByDeviceTag"
        return self.request("POST", path, {"deviceTag": device.tag}, f"Bearer {token}")


def write_tenant(folder: Path, pin_required: bool = True, operations: Sequence[dict[str, str]] = ()) -> Path:
    """A tenant with one user and one policy."""
    (folder / "policies").mkdir(parents=True, exist_ok=True)
    user = {"id": ALICE_ID, "userPrincipalName": "alice@contoso.example", "groups": ["staff"]}
    (folder / "tenant.json").write_text(json.dumps(
        {"tenantId": TENANT_ID, "displayName": "Contoso", "users": [user], "operations": list(operations)}))
    policy = {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_policy",
              "displayName": "Data protection", "version": "1", "pinRequired": pin_required,
              "targetedAppManagementLevels": "unspecified",
              "apps": [{"mobileAppIdentifier": {
                  "@odata.type": "#microsoft.graph.iosMobileAppIdentifier", "bundleId": APP}}]}
    (folder / "policies" / "ios.json").write_text(json.dumps(policy))
    return folder
