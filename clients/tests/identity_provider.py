"""A real identity provider for tests: Glewlwyd (Debian: glewlwyd, sqlite3), over HTTPS on this machine."""
from __future__ import annotations

import gzip
import http.client
import json
import re
import shutil
import signal
import socket
import ssl
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import ALICE
from tenants import ALICE_ID, TENANT_ID, Authority, openssl

SCHEMA = Path("/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3")
SAMPLE = Path("/usr/share/doc/glewlwyd/glewlwyd.conf.sample.gz")
CLIENT = "mambridge"
SCOPE = "mam"
RESOURCE = "https://mam.contoso.example"
BOB = "bob@contoso.example"
BOB_ID = "b0b00000-44d7-43e1-9a83-5f2406dee5bd"
OURS = ("port", "bind_address", "external_url", "cookie_secure", "log_mode", "log_file", "log_level", "use_secure_connection",
        "secure_connection_key_file", "secure_connection_pem_file", "secure_connection_ca_file")


class IdentityProvider:
    """Users alice and bob, and the public client `mambridge` with device codes. A refresh token is good once."""

    def __init__(self, folder: Path, authority: Authority) -> None:
        for program in ("glewlwyd", "sqlite3"):
            if not shutil.which(program) or not SCHEMA.exists() or not SAMPLE.exists():
                pytest.skip(f"{program} is not installed: run scripts/toolchains")
        folder.mkdir()
        self.folder, self.authority = folder, authority
        self.trust = ssl.create_default_context(cafile=str(authority.path))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process: "subprocess.Popen[bytes] | None" = None
        self.cookies: "dict[str, str]" = {}
        self._configure(*authority.sign("provider", "DNS:localhost,IP:127.0.0.1"))
        subprocess.run(["sqlite3", "provider.db"], input=SCHEMA.read_bytes(), cwd=folder, check=True, timeout=60)
        try:
            self.start()
            self._set_up()
        except BaseException:
            self.stop()
            raise

    @property
    def url(self) -> str:
        return f"https://localhost:{self.port}/api/oidc"

    def _configure(self, certificate: Path, key: Path) -> None:
        sample = gzip.decompress(SAMPLE.read_bytes()).decode()
        sample = re.sub(r"(?ms)^database *=.*?^\}", "", sample)
        lines = [line for line in sample.splitlines() if not re.match(rf" *({'|'.join(OURS)}) *=", line)]
        lines += [
            f"port={self.port}", 'bind_address="127.0.0.1"', f'external_url="https://localhost:{self.port}"', "cookie_secure=1",
            'log_mode="file"', f'log_file="{self.folder}/log"', 'log_level="WARNING"', "use_secure_connection=true",
            f'secure_connection_key_file="{key}"', f'secure_connection_pem_file="{certificate}"',
            f'database = {{ type = "sqlite3"; path = "{self.folder}/provider.db"; }};']
        (self.folder / "provider.conf").write_text("\n".join(lines) + "\n")

    def start(self) -> None:
        with (self.folder / "output").open("ab") as output:
            self.process = subprocess.Popen(
                ["glewlwyd", "--config-file=provider.conf"], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        deadline = time.monotonic() + 20
        while True:
            try:
                if self.request("GET", "/config")[0] == 200:
                    return
            except OSError:
                pass
            assert self.process.poll() is None and time.monotonic() < deadline, (self.folder / "log").read_text()
            time.sleep(0.05)

    def stop(self) -> None:
        if self.process:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
            self.process.wait(20)
            self.process = None

    def pause(self) -> None:
        """Takes connections, but answers nothing."""
        assert self.process
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        assert self.process
        self.process.send_signal(signal.SIGCONT)

    def request(self, method: str, path: str, body: Any = None, person: str = "") -> "tuple[int, bytes]":
        """Sends a request with the session of a person."""
        connection = http.client.HTTPSConnection("localhost", self.port, context=self.trust, timeout=10)
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if person in self.cookies:
            headers["Cookie"] = self.cookies[person]
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            text = response.read()
        finally:
            connection.close()
        if person and (cookie := response.headers["Set-Cookie"]):
            self.cookies[person] = cookie.split(";")[0]
        return response.status, text

    def _must(self, method: str, path: str, body: Any = None, person: str = "admin") -> bytes:
        status, text = self.request(method, path, body, person)
        assert status in (200, 302), f"{method} {path}: {status} {text!r}"
        return text

    def _log_in(self, person: str) -> None:
        self._must("POST", "/api/auth/", {"username": person, "password": "password"}, person)

    def _set_up(self) -> None:
        self._log_in("admin")
        self._must("POST", "/api/scope/", {
            "name": SCOPE, "display_name": SCOPE, "description": SCOPE, "password_required": True, "password_max_age": 0, "scheme": {}})
        self._must("POST", "/api/mod/plugin/", {"module": "oidc", "name": "oidc", "display_name": "OIDC", "parameters": self._parameters()})
        users = json.loads(self._must("GET", "/api/mod/user/"))[0]
        field = {"multiple": False, "read": True, "write": True, "profile-read": True, "profile-write": False}
        users["parameters"].setdefault("data-format", {}).update({"oid": field, "tid": field})
        self._must("PUT", "/api/mod/user/database", users)
        # The users' module takes new fields when it starts.
        self.stop()
        self.start()
        for mail, identifier in ((ALICE, ALICE_ID), (BOB, BOB_ID)):
            name = mail.split("@")[0]
            self._must("POST", "/api/user/", {
                "username": name, "name": name, "email": mail, "password": "password", "enabled": True, "oid": identifier,
                "tid": TENANT_ID, "scope": ["openid", SCOPE, "g_profile"]})
        self._must("POST", "/api/client/", {
            "client_id": CLIENT, "name": CLIENT, "enabled": True, "confidential": False, "redirect_uri": ["http://127.0.0.1:8400/"],
            "authorization_type": ["code", "device_authorization", "refresh_token"], "scope": ["openid", SCOPE], "sector_identifier_uri": ""})
        for name in ("alice", "bob"):
            self._log_in(name)
            self._must("PUT", f"/api/auth/grant/{CLIENT}", {"scope": f"openid {SCOPE}"}, name)

    def _parameters(self) -> "dict[str, Any]":
        openssl("genrsa", "-out", "sign.key", "2048", folder=self.folder)
        openssl("rsa", "-in", "sign.key", "-pubout", "-out", "sign.pub", folder=self.folder)
        claims = [{"user-parameter": mine, "token-parameter": theirs} for mine, theirs in (("email", "upn"), ("oid", "oid"), ("tid", "tid"))]
        on = ["allow-non-oidc", "auth-type-code-enabled", "auth-type-id-token-enabled", "auth-type-client-enabled",
              "auth-type-device-enabled", "auth-type-refresh-enabled", "jwks-show", "pkce-allowed", "pkce-required-public-client",
              "introspection-revocation-allowed", "introspection-revocation-allow-target-client", "resource-allowed",
              "refresh-token-rolling", "oauth-as-iss-id"]
        off = ["auth-type-token-enabled", "auth-type-none-enabled", "auth-type-password-enabled", "pkce-method-plain-allowed", "pkce-required"]
        return {
            "iss": self.url, "jwt-type": "rsa", "jwt-key-size": "256", "key": (self.folder / "sign.key").read_text(),
            "cert": (self.folder / "sign.pub").read_text(), "access-token-duration": 3600, "refresh-token-duration": 1209600,
            "code-duration": 600, "refresh-token-one-use": "always", "device-authorization-expiration": 600,
            "device-authorization-interval": 1, "resource-scope": {SCOPE: [RESOURCE]}, "subject-type": "public",
            "allowed-scope": ["openid", SCOPE], "additional-parameters": claims, "claims": [], "email-claim": "mandatory",
            "name-claim": "mandatory", **{name: True for name in on}, **{name: False for name in off}}

    def approve(self, code: str, person: str = "alice") -> None:
        """What a person does in a browser: enters the code, and says yes."""
        self._must("GET", f"/api/oidc/device?code={code}&g_continue", person=person)
