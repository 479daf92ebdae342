"""The identity provider of the tests: Glewlwyd over HTTPS, with the users alice and bob."""
from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ALICE
from glewlwyd import CLIENT, RESOURCE, SCOPE, Certificate, Glewlwyd, User, missing_program
from tenants import ALICE_ID, TENANT_ID, Authority

__all__ = ["CLIENT", "RESOURCE", "SCOPE", "IdentityProvider"]

USERS = [User(ALICE, ALICE_ID, TENANT_ID), User("bob@contoso.example", "b0b00000-44d7-43e1-9a83-5f2406dee5bd", TENANT_ID)]


class IdentityProvider(Glewlwyd):
    def __init__(self, folder: Path, authority: Authority) -> None:
        if program := missing_program():
            pytest.skip(f"{program} is not installed: run scripts/toolchains")
        self.authority = authority
        server, key = authority.sign("provider", "DNS:localhost,IP:127.0.0.1")
        super().__init__(folder, USERS, Certificate(server, key, authority.path))
