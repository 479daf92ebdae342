"""A server in front of mambridge-tenant that passes requests on, or spoils the answers."""
from __future__ import annotations

import http.client
import json
import socket
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Callable

CHECK_IN = "/mam/v1/check-in"
CHANGES = "/mam/v1/changes"


class Cut(Exception):
    """Raised by a watcher: the connection ends without an answer, or without the rest of it."""


class Exchange:
    """A request, and what came back for it. `moment` is "asked", "answered" (the answer is not passed on yet) or
    "delivered"."""

    def __init__(self, path: str, body: bytes):
        self.path, self.body = path, json.loads(body or b"{}")
        self.moment = "asked"
        self.status = 0
        self.answer: Any = None

    @property
    def kind(self) -> str:
        return {CHECK_IN: "check-in", CHANGES: "poll"}.get(self.path, "report" if "/operations/" in self.path else "other")

    def did_come(self, status: int, content: bytes) -> None:
        self.moment, self.status, self.answer = "answered", status, json.loads(content or b"null")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    context: ssl.SSLContext

    def finish_request(self, request: socket.socket, address: object) -> None:  # type: ignore
        """The handshake runs on the thread of its connection. A client may refuse it, or leave at any time."""
        try:
            with self.context.wrap_socket(request, server_side=True) as secured:
                super().finish_request(secured, address)  # type: ignore
        except OSError:
            pass


class Front:
    """`fault` is `None`, a status, "slow" or "cut"; it concerns check-ins alone. `watcher` sees each moment of an exchange,
    which waits until the watcher returns."""

    def __init__(self, upstream: int, certificate: "tuple[Path, Path]", authority: Path):
        self.upstream, self.authority = upstream, authority
        self.fault: "int | str | None" = None
        self.watcher: "Callable[[Exchange], None]" = lambda _: None
        self.asked = threading.Event()
        self.over = threading.Event()
        self.port = 0
        self.server: "_Server | None" = None
        self.start(certificate)

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    def start(self, certificate: "tuple[Path, Path]") -> None:
        """Begins to listen, at the same port each time."""
        front = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                front.answer(self)

            do_POST = do_DELETE = do_GET

            def log_message(self, *_: object) -> None:
                pass

        self.server = _Server(("127.0.0.1", self.port), Handler)
        self.server.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.server.context.load_cert_chain(*certificate)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        if self.server:
            self.server.shutdown()
            self.server.server_close()
            self.server = None

    def close(self) -> None:
        self.over.set()
        self.stop()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        fault = self.fault if request.path == CHECK_IN else None
        request.close_connection = True
        self.asked.set()
        if isinstance(fault, int):
            head = [("Retry-After", "1")] if fault in (429, 503) else []
            self._send(request, fault, head, b'{"title":"a fault of the test"}')
            return
        if fault is None:
            self._pass_through(request, body)
            return
        status, content = self._pass_on(request, body)
        self._send(request, status, [], content[:10], len(content))
        if fault == "slow":
            self.over.wait(60)

    def _pass_through(self, request: BaseHTTPRequestHandler, body: bytes) -> None:
        exchange = Exchange(request.path, body)
        try:
            self.watcher(exchange)
            status, content = self._pass_on(request, body)
            exchange.did_come(status, content)
            self.watcher(exchange)
            self._send(request, status, [], content)
            exchange.moment = "delivered"
            self.watcher(exchange)
        except (Cut, http.client.HTTPException):
            pass

    def _send(
        self, request: BaseHTTPRequestHandler, status: int, head: "list[tuple[str, str]]", body: bytes, length: int = -1
    ) -> None:
        request.send_response(status)
        for name, value in [("Content-Type", "application/json"), ("Connection", "close"), *head]:
            request.send_header(name, value)
        if status != 204:
            request.send_header("Content-Length", str(len(body) if length < 0 else length))
        request.end_headers()
        request.wfile.write(body)
        request.wfile.flush()

    def _pass_on(self, request: BaseHTTPRequestHandler, body: bytes) -> "tuple[int, bytes]":
        trusted = ssl.create_default_context(cafile=str(self.authority))
        connection = http.client.HTTPSConnection("127.0.0.1", self.upstream, timeout=40, context=trusted)
        try:
            names = ("Authorization", "Content-Type")
            head = {name: value for name in names if (value := request.headers.get(name))}
            connection.request(request.command, request.path, body or None, head)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()
