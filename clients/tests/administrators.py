"""Administrators of a tenant service, and the apps that check in with it, as its tests need them."""
from __future__ import annotations

import json
import ssl
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from replicas import Answer, Device
from tenants import ALICE_ID, Authority, Issuer, Service, TenantFolder

READER = "DeviceManagementApps.Read.All"
WRITER = "DeviceManagementApps.ReadWrite.All"
BOB_ID = "b0b00000-44d7-43e1-9a83-5f2406dee5bd"
BOB = "bob@contoso.example"


class Company:
    """A tenant with two users and three policies, its service over HTTPS, and what its administrators may ask."""

    def __init__(self, program: str, folder: Path, options: Sequence[str] = ()) -> None:
        self.authority, self.issuer = Authority(folder / "ca"), Issuer(folder / "issuer")
        self.tenant = TenantFolder(folder / "tenant")
        self.tenant.tenant["users"].append(
            {"id": BOB_ID, "userPrincipalName": BOB, "displayName": "Bob Brown", "groups": ["staff", "guests"]})
        self.tenant.write()
        for name, kind in (("android", "android"), ("default", "default")):
            self.write_policy(f"T_{name}", kind)
        certificate = self.authority.sign("service")
        self.service = Service(
            program, self.tenant, self.issuer, certificate, folder / "store.sqlite", list(options)).start()
        self.trust = ssl.create_default_context(cafile=str(self.authority.path))

    def write_policy(self, identifier: str, kind: str) -> None:
        folder = self.tenant.path / "policies"
        folder.mkdir(exist_ok=True)
        (folder / f"{identifier}.json").write_text(json.dumps({
            "@odata.type": f"#microsoft.graph.{kind}ManagedAppProtection", "id": identifier, "version": "1",
            "displayName": f"Contoso {kind}", "pinRequired": True}))

    @property
    def url(self) -> str:
        return self.service.url

    def close(self) -> None:
        self.service.end()
        self.issuer.close()

    def token(self, *roles: str, person: "str | None" = None) -> str:
        """A token of an administrator, who is a new one unless the person is named."""
        return self.issuer.token(oid=person or str(uuid.uuid4()), roles=list(roles))

    def request(
        self, method: str, path: str, authorization: "str | None" = None, body: Any = None,
        headers: "dict[str, str] | None" = None
    ) -> Answer:
        headers = dict(headers or {})
        if body is not None:
            headers["Content-Type"] = "application/json"
        if authorization:
            headers["Authorization"] = authorization
        url = path if path.startswith("https://") else self.url + path
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, context=self.trust, timeout=30) as response:
                status, received, text = response.status, response.headers, response.read()
        except urllib.error.HTTPError as error:
            with error:
                status, received, text = error.code, error.headers, error.read()
        return Answer(status, received, json.loads(text) if text else None)

    def get(self, path: str, token: "str | None" = None) -> Answer:
        return self.request("GET", path, f"Bearer {token or self.token(READER)}")

    def pages(self, path: str) -> "Iterator[list[dict[str, Any]]]":
        """The pages of a list, over the links to the end."""
        token, next_page = self.token(READER), path
        for _ in range(100):
            answer = self.get(next_page, token)
            assert answer.status == 200, answer
            yield answer.body["value"]
            if "@odata.nextLink" not in answer.body:
                return
            next_page = answer.body["@odata.nextLink"]
        raise AssertionError("the links do not end")

    def all(self, path: str) -> "list[dict[str, Any]]":
        return [item for page in self.pages(path) for item in page]

    def enroll(self, user: str = ALICE_ID) -> Device:
        device = Device(user=user)
        answer = self.check_in(device)
        assert answer.status == 200 and answer.body["outcome"] == "delivered", answer
        return device

    def check_in(self, device: Device) -> Answer:
        body = device.check_in()
        body["account"] = {"accountId": device.user}
        body["applied"] = [{"id": "T_1", "version": "6"}]
        return self.request("POST", "/mam/v1/check-in", f"Bearer {self.issuer.token(oid=device.user)}", body)

    def report(self, device: Device, operation: str, outcome: str = "done", reason: "str | None" = None) -> Answer:
        path = f"/mam/v1/registrations/{device.registration}/operations/{operation}"
        body = {"outcome": outcome, "time": "2026-01-01T00:00:00.000Z", "reason": reason}
        return self.request("POST", path, f"Registration {device.secret}", body)

    def order_wipe(self, device: Device, token: str) -> Answer:
        path = f"/v1.0/users/{device.user}/wipeManagedAppRegistrationsByDeviceTag"
        return self.request("POST", path, f"Bearer {token}", {"deviceTag": device.tag})

    def states(self, device: Device) -> "list[str]":
        operations = f"/v1.0/deviceAppManagement/managedAppRegistrations/{device.registration}/operations"
        return [operation["state"] for operation in self.all(operations)]
