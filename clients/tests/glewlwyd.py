"""A real identity provider on this machine: Glewlwyd (Debian: glewlwyd, sqlite3)."""
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
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import Any

from waiting import wait_for

SCHEMA = Path("/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3")
SAMPLE = Path("/usr/share/doc/glewlwyd/glewlwyd.conf.sample.gz")
CLIENT = "mambridge"
SCOPE = "mam"
RESOURCE = "https://mam.contoso.example"
REDIRECT = "http://127.0.0.1:8400/"
PASSWORD = "password"
OURS = ("port", "bind_address", "external_url", "cookie_secure", "log_mode", "log_file", "log_level", "use_secure_connection",
        "secure_connection_key_file", "secure_connection_pem_file", "secure_connection_ca_file")
CLAIMS = {"email": "upn", "oid": "oid", "tid": "tid", "roles": "roles"}


@dataclass(frozen=True)
class User:
    mail: str
    object_id: str
    tenant_id: str
    role: str = ""

    @property
    def name(self) -> str:
        return self.mail.split("@")[0]


@dataclass(frozen=True)
class Certificate:
    """PEM files: of the server with its key, and of the authority that clients trust."""

    server: Path
    key: Path
    authority: Path


def missing_program() -> "str | None":
    """The first program that is not installed."""
    for program in ("glewlwyd", "sqlite3"):
        if not shutil.which(program) or not SCHEMA.exists() or not SAMPLE.exists():
            return program
    return None


class Glewlwyd:
    """Some users, who have agreed to the public client `mambridge` with codes and device codes. A refresh token is good once.

    Over HTTPS with a certificate, else over HTTP.
    """

    def __init__(self, folder: Path, users: "list[User]", certificate: "Certificate | None" = None) -> None:
        folder.mkdir()
        self.folder, self.users, self.certificate = folder, users, certificate
        self.trust = ssl.create_default_context(cafile=str(certificate.authority)) if certificate else None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process: "subprocess.Popen[bytes] | None" = None
        self.cookies: "dict[str, str]" = {}
        self._configure()
        subprocess.run(["sqlite3", "provider.db"], input=SCHEMA.read_bytes(), cwd=folder, check=True, timeout=60)
        try:
            self.start()
            self._set_up()
        except BaseException:
            self.stop()
            raise

    @property
    def root(self) -> str:
        return f"http{'s' if self.certificate else ''}://localhost:{self.port}"

    @property
    def url(self) -> str:
        """The issuer."""
        return f"{self.root}/api/oidc"

    def _configure(self) -> None:
        sample = gzip.decompress(SAMPLE.read_bytes()).decode()
        sample = re.sub(r"(?ms)^database *=.*?^\}", "", sample)
        lines = [line for line in sample.splitlines() if not re.match(rf" *({'|'.join(OURS)}) *=", line)]
        lines += [
            f"port={self.port}", 'bind_address="127.0.0.1"', f'external_url="{self.root}"',
            f"cookie_secure={1 if self.certificate else 0}",
            'log_mode="file"', f'log_file="{self.folder}/log"', 'log_level="WARNING"',
            f'database = {{ type = "sqlite3"; path = "{self.folder}/provider.db"; }};']
        if self.certificate:
            lines += [
                "use_secure_connection=true", f'secure_connection_key_file="{self.certificate.key}"',
                f'secure_connection_pem_file="{self.certificate.server}"']
        (self.folder / "provider.conf").write_text("\n".join(lines) + "\n")

    def start(self) -> None:
        with (self.folder / "output").open("ab") as output:
            self.process = subprocess.Popen(
                ["glewlwyd", "--config-file=provider.conf"], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        wait_for(self._answers, "Glewlwyd answers", said=(self.folder / "output").read_text)

    def _answers(self) -> bool:
        assert self.process and self.process.poll() is None, (self.folder / "output").read_text()
        try:
            return self.request("GET", "/config")[0] == 200
        except OSError:
            return False

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

    def request(self, method: str, path: str, body: Any = None, person: str = "") -> "tuple[int, Message, bytes]":
        """Sends a request with the session of a person. A text is sent as a form, anything else as JSON."""
        connection = (
            http.client.HTTPSConnection("localhost", self.port, context=self.trust, timeout=10)
            if self.trust else http.client.HTTPConnection("localhost", self.port, timeout=10))
        headers = {}
        if body is not None:
            is_form = isinstance(body, str)
            headers["Content-Type"] = "application/x-www-form-urlencoded" if is_form else "application/json"
            body = body if is_form else json.dumps(body)
        if person in self.cookies:
            headers["Cookie"] = self.cookies[person]
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            text = response.read()
        finally:
            connection.close()
        if person and (cookie := response.headers["Set-Cookie"]):
            self.cookies[person] = cookie.split(";")[0]
        return response.status, response.headers, text

    def must(self, method: str, path: str, body: Any = None, person: str = "admin") -> "tuple[Message, bytes]":
        """Sends a request that succeeds or redirects."""
        status, headers, text = self.request(method, path, body, person)
        assert status in (200, 302), f"{method} {path}: {status} {text!r}"
        return headers, text

    def _log_in(self, person: str) -> None:
        self.must("POST", "/api/auth/", {"username": person, "password": PASSWORD}, person)

    def _set_up(self) -> None:
        self._log_in("admin")
        self.must("POST", "/api/scope/", {
            "name": SCOPE, "display_name": SCOPE, "description": SCOPE, "password_required": True, "password_max_age": 0, "scheme": {}})
        self.must("POST", "/api/mod/plugin/", {"module": "oidc", "name": "oidc", "display_name": "OIDC", "parameters": self._parameters()})
        module = json.loads(self.must("GET", "/api/mod/user/")[1])[0]
        field = {"multiple": False, "read": True, "write": True, "profile-read": True, "profile-write": False}
        module["parameters"].setdefault("data-format", {}).update({name: field for name in CLAIMS if name != "email"})
        self.must("PUT", "/api/mod/user/database", module)
        # The users' module takes new fields when it starts.
        self.stop()
        self.start()
        for user in self.users:
            self.must("POST", "/api/user/", {
                "username": user.name, "name": user.name, "email": user.mail, "password": PASSWORD, "enabled": True,
                "oid": user.object_id, "tid": user.tenant_id, "scope": ["openid", SCOPE, "g_profile"],
                **({"roles": user.role} if user.role else {})})
        self.must("POST", "/api/client/", {
            "client_id": CLIENT, "name": CLIENT, "enabled": True, "confidential": False, "redirect_uri": [REDIRECT],
            "authorization_type": ["code", "device_authorization", "refresh_token"], "scope": ["openid", SCOPE], "sector_identifier_uri": ""})
        for user in self.users:
            self._log_in(user.name)
            self.must("PUT", f"/api/auth/grant/{CLIENT}", {"scope": f"openid {SCOPE}"}, user.name)

    def _key(self) -> "tuple[str, str]":
        """A new key of signatures, and its public part."""
        for words in ("genrsa -out sign.key 2048", "rsa -in sign.key -pubout -out sign.pub"):
            subprocess.run(["openssl", *words.split()], cwd=self.folder, check=True, capture_output=True, timeout=60)
        return (self.folder / "sign.key").read_text(), (self.folder / "sign.pub").read_text()

    def _parameters(self) -> "dict[str, Any]":
        key, public = self._key()
        claims = [{"user-parameter": mine, "token-parameter": theirs} for mine, theirs in CLAIMS.items()]
        on = ["allow-non-oidc", "auth-type-code-enabled", "auth-type-id-token-enabled", "auth-type-client-enabled",
              "auth-type-device-enabled", "auth-type-refresh-enabled", "jwks-show", "pkce-allowed", "pkce-required-public-client",
              "introspection-revocation-allowed", "introspection-revocation-allow-target-client", "resource-allowed",
              "refresh-token-rolling", "oauth-as-iss-id"]
        off = ["auth-type-token-enabled", "auth-type-none-enabled", "auth-type-password-enabled", "pkce-method-plain-allowed", "pkce-required"]
        return {
            "iss": self.url, "jwt-type": "rsa", "jwt-key-size": "256", "key": key, "cert": public,
            "access-token-duration": 3600, "refresh-token-duration": 1209600,
            "code-duration": 600, "refresh-token-one-use": "always", "device-authorization-expiration": 600,
            "device-authorization-interval": 1, "resource-scope": {SCOPE: [RESOURCE]}, "subject-type": "public",
            "allowed-scope": ["openid", SCOPE], "additional-parameters": claims, "claims": [], "email-claim": "mandatory",
            "name-claim": "mandatory", **{name: True for name in on}, **{name: False for name in off}}

    def approve(self, code: str, person: str = "alice") -> None:
        """What a person does in a browser: enters the code, and says yes."""
        self.must("GET", f"/api/oidc/device?code={code}&g_continue", person=person)
