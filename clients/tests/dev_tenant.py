"""`mambridge-tenant dev`, and a person with the secret of its run."""
from __future__ import annotations

import base64
import hashlib
import html
import http.client
import json
import os
import re
import signal
import ssl
import subprocess
import threading
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

CLIENT = "de5c11e7-0000-4000-8000-000000000001"
SCOPE = "api://mambridge/.default"
# The client id of the resource, as in the tokens.
RESOURCE = "de5c11e7-0000-4000-8000-000000000003"
REDIRECT = "http://localhost:43210"
VERIFIER = "v" * 43
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
FORM = "application/x-www-form-urlencoded"


class Answer:
    def __init__(self, response: http.client.HTTPResponse):
        self.status, self.headers, self.text = response.status, response.headers, response.read().decode()

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def fields(self) -> "dict[str, str]":
        """The hidden fields of the form on a page."""
        found = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', self.text)
        return {html.unescape(name): html.unescape(value) for name, value in found}

    @property
    def led(self) -> "dict[str, str]":
        """What a redirect says to the app."""
        assert self.status == 303, self.text
        return {name: values[0] for name, values in parse_qs(urlsplit(self.headers["Location"]).query).items()}


class DevTenant:
    """The process. `runtime` is the XDG_RUNTIME_DIR of its user."""

    def __init__(self, program: str, runtime: Path, *options: str, json_line: bool = True):
        runtime.mkdir(mode=0o700, exist_ok=True)
        self.program = program
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": str(runtime), "NO_PROXY": "127.0.0.1,localhost"}
        command = [program, "dev", *(["--json"] if json_line else []), *(options or ["--ephemeral"])]
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
        self.lines: "list[str]" = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        assert self.process.stdout
        self.said: "dict[str, Any]" = {}
        self.summary = ""
        if json_line:
            line = self.process.stdout.readline()
            assert line, "".join(self.lines)
            self.said = json.loads(line)
            self.url: str = self.said["service"]
            self.secret: str = json.loads(Path(self.said["secretFile"]).read_text())["secret"]
            self.base = f"/{self.said['tenantId']}/oauth2/v2.0"

    def read_summary(self) -> "dict[str, str]":
        """The printed commands by their label."""
        assert self.process.stdout
        while not re.search(r"^  Files ", self.summary, re.MULTILINE):
            line = self.process.stdout.readline()
            assert line, "".join(self.lines)
            self.summary += line
        return dict(re.findall(r"^  ([A-Z][a-z ]+?) {2,}(\S.*)$", self.summary, re.MULTILINE))

    def _read(self) -> None:
        assert self.process.stderr
        with self.process.stderr:
            for line in self.process.stderr:
                self.lines.append(line)

    def end(self, number: int = signal.SIGTERM) -> int:
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(60)
        self.reader.join()
        if self.process.stdout:
            self.process.stdout.close()
        return code

    def ask(self, method: str, path: str, body: "dict[str, str] | str | None" = None, **headers: str) -> Answer:
        place = urlsplit(self.url)
        if place.scheme == "https":
            trusted = ssl.create_default_context(cafile=self.said["certificate"])
            connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                place.hostname or "", place.port, timeout=40, context=trusted)
        else:
            connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=40)
        try:
            sent = {name.replace("_", "-"): value for name, value in headers.items()}
            if isinstance(body, dict):
                body, sent = urlencode(body), {"Content-Type": FORM, **sent}
            connection.request(method, path, body, sent)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    # A browser, and an app.

    def request(self, **changes: str) -> "dict[str, str]":
        """What an app asks for; an empty text leaves a parameter out."""
        all = {
            "client_id": CLIENT, "response_type": "code", "redirect_uri": REDIRECT, "state": "s t", "nonce": "n",
            "scope": f"{SCOPE} openid profile offline_access", "code_challenge": CHALLENGE, "code_challenge_method": "S256", **changes}
        return {name: value for name, value in all.items() if value}

    def choose(self, user: str = "alice@contoso.example", secret: "str | None" = None, headers: "dict[str, str] | None" = None,
               **changes: str) -> Answer:
        """A person chooses a user on the page."""
        form = {**self.request(**changes), "user": user, "secret": self.secret if secret is None else secret}
        return self.ask("POST", f"{self.base}/authorize", form, **{"Origin": self.url, **(headers or {})})

    def token(self, **fields: str) -> Answer:
        return self.ask("POST", f"{self.base}/token", {"client_id": CLIENT, **fields})

    def redeem(self, code: str, **changes: str) -> Answer:
        return self.token(**{"grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT, "code_verifier": VERIFIER, **changes})

    def sign_in(self, user: str = "alice@contoso.example") -> "dict[str, Any]":
        answer = self.redeem(self.choose(user).led["code"])
        assert answer.status == 200, answer.text
        return answer.json  # type: ignore[no-any-return]

    def control(self, method: str, path: str, body: Any = None) -> Answer:
        """A request to /dev with the secret of the run."""
        return self.ask(method, f"/dev/{path}", None if body is None else json.dumps(body), Authorization=f"Bearer {self.secret}")

    def plant(self, at: str, kind: str, **more: Any) -> None:
        answer = self.control("POST", "faults", {"at": at, "kind": kind, **more})
        assert answer.status == 204, answer.text

    def access_token(self, user: str) -> Answer:
        return self.token(grant_type="password", username=user, password=self.secret, scope=SCOPE)


def claims_of(token: str) -> "dict[str, Any]":
    return json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))  # type: ignore[no-any-return]


def header_of(token: str) -> "dict[str, Any]":
    return json.loads(base64.urlsafe_b64decode(token.split(".")[0] + "=="))  # type: ignore[no-any-return]
