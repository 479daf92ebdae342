"""A company for the tests of mambridge-tenant: its tenant folder, certificates, tokens, and the service itself."""
from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Iterator

import pytest
from conftest import ALICE
from mambridge import Client, Host, events, types
from processes import pid_of

TENANT_ID = "6babcaad-604b-40ac-a9d7-9fd97c0b779f"
ALICE_ID = "87d349ed-44d7-43e1-9a83-5f2406dee5bd"
AUDIENCE = "api://mambridge"
WIPED = "policyManager.wipeDidComplete"
CHANGED = "policyManager.policyDidChange"
JSON = "dict[str, Any]"


def openssl(*arguments: str, folder: Path, text: bytes = b"") -> bytes:
    if not shutil.which("openssl"):
        pytest.skip("the program openssl is not installed")
    done = subprocess.run(["openssl", *arguments], cwd=folder, input=text, capture_output=True, timeout=30)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


class TenantFolder:
    """A tenant with one user and one policy."""

    def __init__(self, path: Path):
        self.path = path
        path.mkdir()
        self.tenant: JSON = {
            "tenantId": TENANT_ID, "displayName": "Contoso",
            "users": [{"id": ALICE_ID, "userPrincipalName": ALICE, "displayName": "Alice Adams", "groups": ["staff"]}],
            "assignments": [{"policy": "policy.json", "groups": ["staff"], "apps": ["*"]}],
            "operations": [],
        }
        self.write_policy(6)
        self.write()

    def write(self) -> None:
        self._replace("tenant.json", self.tenant)

    def write_policy(self, pin_length: int) -> None:
        self._replace("policy.json", {
            "@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_1", "displayName": "Contoso",
            "version": str(pin_length), "pinRequired": True, "minimumPinLength": pin_length, "periodOfflineBeforeAccessCheck": "PT12H",
            "periodOfflineBeforeWipeIsEnforced": "P90D"})

    def order(self, kind: str = "wipe") -> None:
        self.tenant["operations"].append(
            {"type": kind, "user": ALICE, "app": "*", "requestedDateTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())})
        self.write()

    def _replace(self, name: str, content: JSON) -> None:
        new = self.path.parent / f"{name}.new"
        new.write_text(json.dumps(content))
        new.replace(self.path / name)


class Authority:
    """A certificate authority, and the certificates that it signs."""

    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir()
        self.path = folder / "ca.pem"
        openssl(*"req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=Test -keyout ca.key "
                "-out ca.pem".split(), folder=folder)
        (folder / "index").write_text("")
        (folder / "ca.conf").write_text(
            "[ca]\ndefault_ca=d\n[d]\ndatabase=index\nnew_certs_dir=.\nserial=serial\ndefault_md=sha256\npolicy=p\n"
            "unique_subject=no\nx509_extensions=e\n[p]\ncommonName=supplied\n[e]\nsubjectAltName=$ENV::NAMES\n")
        (folder / "serial").write_text("01")

    def sign(self, name: str, names: str = "IP:127.0.0.1,DNS:localhost", start: float = -3600, end: float = 86400) -> "tuple[Path, Path]":
        """A certificate and its key, valid from now plus `start` until now plus `end` seconds."""
        def moment(offset: float) -> str:
            return time.strftime("%Y%m%d%H%M%SZ", time.gmtime(time.time() + offset))

        os.environ["NAMES"] = names
        openssl(*f"req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN={name} -keyout {name}.key "
                f"-out {name}.csr".split(), folder=self.folder)
        openssl(*f"ca -batch -config ca.conf -cert ca.pem -keyfile ca.key -in {name}.csr -out {name}.pem -notext "
                f"-startdate {moment(start)} -enddate {moment(end)}".split(), folder=self.folder)
        return self.folder / f"{name}.pem", self.folder / f"{name}.key"


def base64_text(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Issuer:
    """An OpenID provider with one key, as far as the service asks it."""

    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir()
        openssl("genrsa", "-out", "key.pem", "2048", folder=folder)
        modulus = openssl("rsa", "-in", "key.pem", "-noout", "-modulus", folder=folder).decode().strip().split("=")[1]
        self.keys = {"keys": [{"kty": "RSA", "use": "sig", "kid": "1", "alg": "RS256", "e": "AQAB", "n": base64url(bytes.fromhex(modulus))}]}
        #: What it publishes, by path.
        documents = self.documents = {}

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = json.dumps(documents.get(self.path, {})).encode()
                self.send_response(200 if self.path in documents else 404)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        documents["/.well-known/openid-configuration"] = {"issuer": self.url, "jwks_uri": self.url + "/keys"}
        documents["/keys"] = self.keys
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def token(self, start: float = 0, lifetime: float = 3600, **claims: Any) -> str:
        """A token of Alice, issued at now plus `start` seconds."""
        issued = int(time.time() + start)
        payload = {"iss": self.url, "aud": AUDIENCE, "sub": "alice", "oid": ALICE_ID, "tid": TENANT_ID, "iat": issued, "nbf": issued,
                   "exp": issued + int(lifetime), **claims}
        head = {"alg": "RS256", "kid": "1", "typ": "JWT"}
        signed = ".".join(base64url(json.dumps(part).encode()) for part in (head, payload))
        signature = openssl("dgst", "-sha256", "-sign", "key.pem", folder=self.folder, text=signed.encode())
        return f"{signed}.{base64url(signature)}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@dataclass
class Service:
    """`mambridge-tenant serve`, which can be stopped and started again at its port."""

    program: str
    folder: TenantFolder
    issuer: Issuer
    certificate: "tuple[Path, Path]"
    store: Path
    options: "list[str]" = field(default_factory=list)
    port: int = 0
    metrics: str = ""
    process: "subprocess.Popen[bytes] | None" = None
    lines: "list[str]" = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    @property
    def command(self) -> "list[str]":
        return [
            self.program, "serve", str(self.folder.path), "--listen", self.url, "--certificate", str(self.certificate[0]),
            "--private-key", str(self.certificate[1]), "--issuer", self.issuer.url, "--audience", AUDIENCE, "--store", f"sqlite:{self.store}",
            "--metrics", "http://127.0.0.1:0", "--limit", "spread=0", *self.options]

    def start(self) -> "Service":
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        ready = threading.Event()
        threading.Thread(target=self._read, args=(self.process, ready), daemon=True).start()
        assert ready.wait(20) and self.process.poll() is None, "\n".join(self.lines)
        return self

    def _read(self, process: "subprocess.Popen[bytes]", ready: threading.Event) -> None:
        assert process.stderr
        with process.stderr:
            for line in process.stderr:
                self.lines.append(line.decode())
                if line.startswith(b'{"listening"'):
                    said = json.loads(line)
                    self.port = int(said["listening"].rsplit(":", 1)[1])
                    self.metrics = said["metrics"]
                    ready.set()
        ready.set()

    def end(self, number: int = signal.SIGTERM, status: "int | None" = 0) -> None:
        if self.process:
            self.process.send_signal(number)
            code = self.process.wait(40)
            assert status is None or code == status, "\n".join(self.lines)
            self.process = None

    def kill(self) -> None:
        self.end(signal.SIGKILL, None)

    def operations(self) -> "list[tuple[str, str | None]]":
        """The state of each operation in each registration, and what was last reported of it."""
        store = sqlite3.connect(f"file:{self.store}?mode=ro", uri=True, timeout=10)
        try:
            return store.execute("SELECT state, outcome FROM operation_target ORDER BY operation_id").fetchall()
        finally:
            store.close()


@pytest.fixture
def service(tenant_program: str, tmp_path: Path) -> Iterator[Service]:
    """A tenant's service with an issuer of its own. A test module imports it."""
    issuer = Issuer(tmp_path / "issuer")
    certificate = Authority(tmp_path / "ca").sign("service")
    made = Service(tenant_program, TenantFolder(tmp_path / "tenant"), issuer, certificate, tmp_path / "store")
    yield made.start()
    made.kill()
    issuer.close()


class Device:
    """mambridge with one state folder, and a program that prints the text of a file as its token."""

    def __init__(self, binary: str, program: str, authority: Path, folder: Path, url: str):
        folder.mkdir()
        self.binary, self.url, self.state, self.token_file = binary, url, folder / "state", folder / "token"
        self.environment = {"MAMBRIDGE_LIBEXEC": str(Path(program).parent), "SSL_CERT_FILE": str(authority),
                            "NO_PROXY": "127.0.0.1"}
        self.heard: "list[tuple[float, events.Event]]" = []
        self.client: "Client | None" = None
        self.host: "Host | None" = None

    def start(self, token: "str | None" = None, *options: str) -> Client:
        """Starts mambridge. Without any token, it has no token command."""
        if token is not None:
            self.token_file.write_text(token)
        command = ["--token-command", f"cat {self.token_file}"] if self.token_file.exists() else []
        self.client = Client.spawn(
            self.binary, "--tenant", self.url, "--state", str(self.state), *command, *options,
            environment=self.environment, timeout=60, host=self.host,
            on_event=lambda event: self.heard.append((time.monotonic(), event)))
        self.client.initialize(client=types.ClientInfo("device"), events=[WIPED, CHANGED])
        return self.client

    def count(self, name: str) -> int:
        return sum(event.event == name for _, event in self.heard)

    def sources(self) -> "Iterator[int]":
        """The sources that mambridge has started."""
        assert self.client
        pid = self.client.pid
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            try:
                yield from map(int, children.read_text().split())
            except OSError:
                pass

    def end(self) -> None:
        if self.client:
            self.client.close()
            self.client = None

    def kill(self) -> None:
        if self.client:
            with contextlib.suppress(ProcessLookupError):  # It may be dead already.
                os.kill(pid_of(self.client), signal.SIGKILL)
            try:
                self.client.close()
            except Exception:
                pass
            self.client = None
