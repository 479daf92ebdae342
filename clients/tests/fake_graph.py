"""A Microsoft Graph of the test: lists with pages, a token endpoint, and faults on demand."""
from __future__ import annotations

import json
import threading
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable
from urllib.parse import parse_qs, urlsplit

TENANT = "6babcaad-604b-40ac-a9d7-9fd97c0b779f"
CLIENT = "11111111-2222-4333-8444-555555555555"
STAFF = "aaaaaaaa-0000-4000-8000-000000000001"
GUESTS = "aaaaaaaa-0000-4000-8000-000000000002"
ALICE = "87d349ed-44d7-43e1-9a83-5f2406dee5bd"
BOB = "5bde3e51-d13b-4db1-9948-fe4b109d11a7"
MANAGEMENT = "/beta/deviceAppManagement"

Fault = Callable[["Handler"], None]


def target(group: str, kind: str = "group", **more: Any) -> dict[str, Any]:
    target = {"@odata.type": f"#microsoft.graph.{kind}AssignmentTarget", "groupId": group}
    return {"id": f"{group}_{kind}", "target": {**target, **more}}


def policy(kind: str, number: int = 1, **members: Any) -> dict[str, Any]:
    return {"id": f"T_{kind}{number}", "displayName": f"Contoso {kind} {number}", "version": "1", "pinRequired": True,
            "appGroupType": "allApps", "apps": [], "assignments": [target(STAFF)], **members}


def user(identifier: str, name: str, licensed: bool = True) -> dict[str, Any]:
    plan = {"service": "SCO", "capabilityStatus": "Enabled", "servicePlanId": "c1ec4a95-1f05-45b3-a911-aa3fa01094f5"}
    return {"id": identifier, "userPrincipalName": f"{name}@contoso.example", "displayName": name.title(),
            "mail": None, "accountEnabled": True, "assignedPlans": [plan] if licensed else []}


class FakeGraph:
    """`lists` has the elements of each path, `objects` what single paths answer, `faults` what happens first at a path,
    each once."""

    def __init__(self, page: int = 2) -> None:
        self.page = page
        self.lists: dict[str, list[dict[str, Any]]] = {
            "/v1.0/organization": [{"id": TENANT, "displayName": "Contoso"}],
            f"{MANAGEMENT}/iosManagedAppProtections": [
                policy("ios", 1, assignments=[target(STAFF), target(GUESTS, "exclusionGroup")]), policy("ios", 2),
                policy("ios", 3)],
            f"{MANAGEMENT}/androidManagedAppProtections": [policy("android")],
            f"{MANAGEMENT}/windowsManagedAppProtections": [],
            f"{MANAGEMENT}/defaultManagedAppProtections": [],
            f"{MANAGEMENT}/targetedManagedAppConfigurations": [
                policy("configuration", customSettings=[{"name": "greeting", "value": "hello"}])],
            "/beta/deviceManagement/assignmentFilters": [],
            f"/v1.0/groups/{STAFF}/transitiveMembers/microsoft.graph.user": [{"id": ALICE}, {"id": BOB}],
            f"/v1.0/groups/{GUESTS}/transitiveMembers/microsoft.graph.user": [{"id": BOB}],
            "/v1.0/users": [user(ALICE, "alice"), user(BOB, "bob")],
        }
        self.objects: dict[str, dict[str, Any]] = {}
        self.faults: defaultdict[str, list[Fault]] = defaultdict(list)
        self.requests: list[str] = []
        self.forms: list[dict[str, str]] = []
        self.tokens = 0
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"graph": self}))
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self) -> FakeGraph:
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()


class Handler(BaseHTTPRequestHandler):
    graph: FakeGraph
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def answer(self, status: int, value: Any = None, headers: dict[str, str] | None = None) -> None:
        body = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        for name, text in {"Content-Type": "application/json", "Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, status: int, code: str, message: str, headers: dict[str, str] | None = None) -> None:
        error = {"code": code, "message": message, "innerError": {"request-id": "request-7"}}
        self.answer(status, {"error": error}, headers)

    def refuse_missing(self, path: str) -> None:
        """What Graph says of an object that does not exist, or else of a path."""
        parent, _, name = path.rpartition("/")
        if path.startswith(("/v1.0/users/", "/v1.0/groups/")):
            name = path.split("/")[3]
            return self.refuse(404, "Request_ResourceNotFound", f"Resource '{name}' does not exist or one of its queried "
                               "reference-property objects are not present.")
        if parent in self.graph.lists:
            return self.refuse(404, "ResourceNotFound", "An error has occurred")
        self.refuse(404, "BadRequest", f"Resource not found for the segment '{name}'.")

    def do_POST(self) -> None:
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.graph.forms.append({name: values[0] for name, values in form.items()})
        if not self.path.endswith("/oauth2/v2.0/token"):
            return self.refuse(404, "NotFound", "no such path")
        if self.graph.forms[-1].get("client_secret", "right") != "right":
            return self.answer(401, {"error": "invalid_client", "error_description": "AADSTS7000215: wrong secret"})
        self.graph.tokens += 1
        self.answer(200, {"access_token": f"token{self.graph.tokens}", "expires_in": 3600, "token_type": "Bearer"})

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        self.graph.requests.append(self.path)
        if self.graph.faults[parts.path]:
            return self.graph.faults[parts.path].pop(0)(self)
        if not self.headers.get("Authorization", "").startswith("Bearer "):
            return self.refuse(401, "InvalidAuthenticationToken", "no token")
        if parts.path in self.graph.objects:
            return self.answer(200, self.graph.objects[parts.path])
        if parts.path not in self.graph.lists:
            return self.refuse_missing(parts.path)
        elements = self.graph.lists[parts.path]
        start = int(parse_qs(parts.query).get("$skiptoken", ["0"])[0])
        page: dict[str, Any] = {"value": elements[start:start + self.graph.page]}
        if start + self.graph.page < len(elements):
            page["@odata.nextLink"] = f"{self.graph.url}{parts.path}?$skiptoken={start + self.graph.page}"
        self.answer(200, page)


def status(status: int, retry_after: str | None = None, code: str = "Fault", message: str = "on demand") -> Fault:
    return lambda handler: handler.refuse(status, code, message, {"Retry-After": retry_after} if retry_after else None)


def cut(handler: Handler) -> None:
    """Ends the connection in the middle of the body."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"value":[{"id"')
    handler.close_connection = True


def link(address: str) -> Fault:
    return lambda handler: handler.answer(200, {"value": [], "@odata.nextLink": address})
