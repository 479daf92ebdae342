"""An identity provider, a tenant service that trusts it, and users of this machine who sign in."""
from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Iterator

import pytest
from identity_provider import CLIENT, RESOURCE, SCOPE, IdentityProvider
from sources import Source
from tenants import Authority, Service, TenantFolder


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority") / "ca")


@pytest.fixture(scope="module")
def provider(tmp_path_factory: pytest.TempPathFactory, authority: Authority) -> Iterator[IdentityProvider]:
    made = IdentityProvider(tmp_path_factory.mktemp("provider") / "glewlwyd", authority)
    yield made
    made.stop()


@pytest.fixture(scope="module")
def service(
    tenant_program: str, authority: Authority, provider: IdentityProvider, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("service")
    options = ["--audience", RESOURCE, "--scope", SCOPE, "--client-id", CLIENT, "--admin-scope", SCOPE, "--ca", str(authority.path)]
    made = Service(
        tenant_program, TenantFolder(folder / "tenant"), provider, authority.sign("service"), folder / "store", options)  # type: ignore
    yield made.start()
    made.kill()


class Person:
    """A user of this machine, with a token cache."""

    def __init__(self, program: str, environment: "dict[str, str]") -> None:
        self.program, self.environment = program, {"NO_PROXY": "127.0.0.1,localhost", **environment}

    def start(self, *command: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [self.program, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **self.environment})

    def run(self, *command: str) -> "subprocess.CompletedProcess[str]":
        process = self.start(*command)
        out, err = process.communicate(timeout=60)
        return subprocess.CompletedProcess(command, process.returncode, out, err)


class ServedPerson(Person):
    """A user of a service, with a browser."""

    def __init__(self, program: str, folder: Path, provider: IdentityProvider, service: Service) -> None:
        self.provider, self.service, self.cache = provider, service, folder / "state" / "sign-ins"
        super().__init__(
            program, {"MAMBRIDGE_TOKEN_CACHE": str(self.cache), "SSL_CERT_FILE": str(provider.authority.path)})

    def begin_login(self, *options: str) -> "tuple[subprocess.Popen[str], str]":
        """The process, and the code that it shows."""
        process = self.start("login", self.service.url, "--resource", RESOURCE, *options)
        assert process.stderr
        line = process.stderr.readline()
        found = re.search(r"enter the code ([A-Z0-9-]+)", line)
        assert found, line + process.stderr.read()
        return process, found[1]

    def login(self, *options: str, person: str = "alice") -> "tuple[int, str, str]":
        process, code = self.begin_login(*options)
        self.provider.approve(code, person)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def source(self, *options: str) -> Source:
        return Source([self.program, "source", self.service.url, "--resource", RESOURCE, *options], self.environment)
