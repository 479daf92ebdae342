"""An identity provider of the test with the shapes of Microsoft Entra, whose answers the test chooses."""
from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

from fake_graph import TENANT

Answer = "tuple[int, dict[str, Any]]"


class FakeEntra:
    """`answers` are the next ones of the token endpoint; then each request gets tokens. A refresh token is good once."""

    def __init__(self) -> None:
        self.answers: "list[Answer]" = []
        self.forms: "list[tuple[str, dict[str, str]]]" = []
        self.revoked: "list[str]" = []
        self.tokens = 0
        entra = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: object) -> None:
                pass

            def answer(self, status: int, value: "dict[str, Any]") -> None:
                body = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self) -> None:
                self.answer(*((200, entra.document) if self.path.endswith("/.well-known/openid-configuration") else (404, {})))

            def do_POST(self) -> None:
                fields = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
                form = {name: values[0] for name, values in fields.items()}
                endpoint = self.path.rsplit("/", 1)[-1]
                entra.forms.append((endpoint, form))
                self.answer(*entra.answer(endpoint, form))

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.issuer = f"{self.url}/{TENANT}/v2.0"
        base = f"{self.url}/{TENANT}/oauth2/v2.0"
        self.document = {
            "issuer": self.issuer, "token_endpoint": f"{base}/token", "device_authorization_endpoint": f"{base}/devicecode",
            "revocation_endpoint": f"{base}/revoke", "scopes_supported": ["openid", "profile", "email", "offline_access"]}
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, endpoint: str, form: "dict[str, str]") -> "Answer":
        if endpoint == "devicecode":
            return 200, {
                "device_code": "device", "user_code": "ABC123", "verification_uri": f"{self.url}/devicelogin", "expires_in": 900,
                "interval": 1, "message": f"Open {self.url}/devicelogin, and enter ABC123."}
        if endpoint == "revoke":
            self.revoked.append(form["token"])
            return 200, {}
        if self.answers:
            return self.answers.pop(0)
        if "refresh_token" in form and form["refresh_token"] != f"refresh{self.tokens}":
            return 400, {"error": "invalid_grant", "error_description": "AADSTS70000: the refresh token was used before"}
        self.tokens += 1
        return 200, {"access_token": f"token{self.tokens}", "refresh_token": f"refresh{self.tokens}", "expires_in": 3600,
                     "token_type": "Bearer"}

    def __enter__(self) -> FakeEntra:
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()
