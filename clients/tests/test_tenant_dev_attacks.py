"""Attacks on mambridge-tenant dev by another user of the machine, who takes its port, or asks at it."""
from __future__ import annotations

import base64
import http.server
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import threading
from pathlib import Path
from typing import Any, Iterator
from urllib.parse import urlsplit

import pytest
from conftest import ALICE
from dev_tenant import CLIENT, SCOPE, DevTenant
from tenants import Authority
from waiting import wait_for

TEXT = base64.b64encode(b"Quarterly figures: 42").decode()
NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]


class Impostor:
    """Whoever has taken the port of a tenant that ended. It says all that the tenant said, orders a wipe of everybody, and keeps
    what it gets."""

    def __init__(self, port: int, certificate: "tuple[Path, Path] | None"):
        self.got: "list[str]" = []
        self.connections = 0
        impostor = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                impostor.got.append(f"{self.command} {self.path} {self.headers.get('Authorization', '')} {body}")
                answer = json.dumps({
                    "name": "Contoso", "version": 1, "push": True, "development": True, "access_token": "stolen", "outcome": "delivered",
                    "revision": 99, "operations": [{"id": "0" * 8 + "-0000-4000-8000-" + "0" * 12, "type": "wipe"}]}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            do_POST = do_GET

            def log_message(self, *_: Any) -> None:
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def finish_request(self, request: socket.socket, address: object) -> None:  # type: ignore
                impostor.connections += 1
                try:
                    if certificate:
                        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                        context.load_cert_chain(*certificate)
                        request = context.wrap_socket(request, server_side=True)
                    super().finish_request(request, address)  # type: ignore
                except OSError:
                    pass

        self.server = Server(("127.0.0.1", port), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture(params=["its own certificate", "no TLS"])
def certificate(request: pytest.FixtureRequest, tmp_path: Path) -> "tuple[Path, Path] | None":
    return Authority(tmp_path / "attacker").sign("127.0.0.1") if request.param == "its own certificate" else None


def bridge(binary: str, program: str, dev: DevTenant, *command: str) -> "subprocess.CompletedProcess[str]":
    environment = {**dev.environment, "SSL_CERT_FILE": dev.said["certificate"], "MAMBRIDGE_LIBEXEC": str(Path(program).parent)}
    return subprocess.run([binary, "--state", dev.said["state"], "--tenant", dev.url, *command], env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=120)


def test_an_impostor_on_the_port_of_an_ended_dev_tenant_gets_no_request_and_wipes_nothing(
    tenant_program: str, binary: str, tmp_path: Path, certificate: "tuple[Path, Path] | None"
) -> None:
    dev = DevTenant(tenant_program, tmp_path / "run", str(tmp_path / "tenant"), "--listen", "https://127.0.0.1:0")
    impostor: "Impostor | None" = None
    token = ["--token-command", f"{tenant_program} dev-token alice --service {dev.url}"]
    try:
        enrolled = bridge(binary, tenant_program, dev, *token, "call", "enrollmentManager.registerAndEnrollAccount", f"account={ALICE}")
        assert json.loads(enrolled.stdout)["statusCode"] == 100, enrolled.stderr
        secret = bridge(binary, tenant_program, dev, "call", "dataProtectionManager.protect", f"data={TEXT}", f"account={ALICE}").stdout
        dev.end()
        impostor = Impostor(urlsplit(dev.url).port or 0, certificate)
        asked = bridge(binary, tenant_program, dev, *token, "call", "tenant.checkIn")
        [status] = json.loads(asked.stdout)
        assert status["didSucceed"] is False, status
        assert impostor.connections > 0 and impostor.got == []
        # The account and its data are as they were.
        kept = bridge(binary, tenant_program, dev, "call", "dataProtectionManager.unprotect", f"data={json.loads(secret)}")
        assert json.loads(kept.stdout) == TEXT, kept.stderr
    finally:
        dev.end()
        if impostor:
            impostor.close()


@pytest.mark.parametrize("scheme", ["https", "http"])
def test_dev_token_sends_no_secret_to_an_impostor_on_the_port_of_a_killed_run(
    tenant_program: str, tmp_path: Path, certificate: "tuple[Path, Path] | None", scheme: str
) -> None:
    options = ["--ephemeral"] if scheme == "https" else ["--ephemeral", "--http"]
    dev = DevTenant(tenant_program, tmp_path / "run", *options)
    dev.end(signal.SIGKILL)
    impostor = Impostor(urlsplit(dev.url).port or 0, certificate)
    try:
        asked = subprocess.run([tenant_program, "dev-token", "alice", "--service", dev.url], env=dev.environment, capture_output=True,
                               text=True, timeout=60)
        assert asked.returncode == os.EX_UNAVAILABLE and not asked.stdout, asked.stderr
        assert impostor.got == []
    finally:
        impostor.close()


def test_a_bridge_rejects_another_dev_tenant_on_the_same_port(
    tenant_program: str, binary: str, tmp_path: Path
) -> None:
    """Another user's own `dev`, whose certificate is as good as the first one's."""
    dev = DevTenant(tenant_program, tmp_path / "run", str(tmp_path / "tenant"), "--listen", "https://127.0.0.1:0")
    token = ["--token-command", f"{tenant_program} dev-token alice --service {dev.url}"]
    other: "DevTenant | None" = None
    try:
        bridge(binary, tenant_program, dev, *token, "call", "enrollmentManager.registerAndEnrollAccount", f"account={ALICE}")
        dev.end()
        other = DevTenant(tenant_program, tmp_path / "other", str(tmp_path / "else"), "--listen", dev.url)
        asked = bridge(binary, tenant_program, dev, "call", "tenant.checkIn")
        assert json.loads(asked.stdout)[0]["didSucceed"] is False
        assert not [line for line in other.lines if "path=/mam/" in line]
    finally:
        dev.end()
        if other:
            other.end()


@pytest.fixture
def dev(tenant_program: str, tmp_path: Path) -> Iterator[DevTenant]:
    made = DevTenant(tenant_program, tmp_path / "run")
    yield made
    made.end()


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv") or not shutil.which("curl"), reason="only root can be another user")
def test_another_user_of_the_machine_gets_no_token(dev: DevTenant, tenant_program: str, tmp_path: Path) -> None:
    """With the program, who finds no secret, and with guesses at the address, which everybody can reach."""
    for place in (dev.environment["XDG_RUNTIME_DIR"], "/tmp"):
        asked = subprocess.run([*NOBODY, tenant_program, "dev-token", "alice", "--service", dev.url],
                               env={"PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": place}, capture_output=True, text=True, timeout=60)
        assert asked.returncode not in (0, None) and not asked.stdout, asked.stderr
    anybody = [*NOBODY, "curl", "-sSk", "-o", "/dev/null", "-w", "%{http_code}"]
    form = ["-d", f"client_id={CLIENT}", "-d", f"scope={SCOPE}"]
    for body in (["-d", "grant_type=client_credentials", "-d", "client_secret=guess"],
                 ["-d", "grant_type=password", "-d", f"username={ALICE}", "-d", "password=guess"]):
        code = subprocess.run([*anybody, *form, *body, f"{dev.url}{dev.base}/token"], capture_output=True, text=True, timeout=60).stdout
        assert code in ("400", "401"), code
    for path in ("/v1.0/users", "/mam/v1/check-in"):
        code = subprocess.run([*anybody, *(["-d", "{}"] if "mam" in path else []), f"{dev.url}{path}"], capture_output=True, text=True).stdout
        assert code in ("400", "401", "403", "415"), (path, code)
    wait_for(lambda: any("status=401" in line for line in dev.lines), "the log of the refusals")
    assert dev.secret not in "".join(dev.lines)
