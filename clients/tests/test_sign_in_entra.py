"""Sign-in with the shapes of Entra: a policy is pulled as a person, and refusals name the way out."""
from __future__ import annotations

import re
from pathlib import Path

import pytest
from fake_entra import FakeEntra
from fake_graph import CLIENT as GRAPH_CLIENT
from fake_graph import TENANT as DIRECTORY
from fake_graph import FakeGraph
from identity_provider import CLIENT
from sign_in import Person


@pytest.fixture
def lone(tenant_program: str, tmp_path: Path) -> Person:
    """A person without a service."""
    environment = {"MAMBRIDGE_TOKEN_CACHE": str(tmp_path / "state" / "sign-ins")}
    return Person(tenant_program, environment)


def test_pull_signs_in_as_a_person(lone: Person, tmp_path: Path) -> None:
    with FakeEntra() as entra, FakeGraph() as graph:
        pull = ["pull", str(tmp_path / "tenant"), "--graph", graph.url, "--authority", entra.url, "--client-id", GRAPH_CLIENT,
                "--directory-id", DIRECTORY]
        nobody = lone.run(*pull)
        assert nobody.returncode == 77, nobody.stderr
        command = re.search(r"Sign in with: mambridge-tenant (login .*)", nobody.stderr)
        assert command
        done = lone.run(*command[1].split())
        assert done.returncode == 0, done.stderr
        assert done.stderr == f"Open {entra.url}/devicelogin, and enter ABC123.\n"
        for _ in range(2):
            pulled = lone.run(*pull)
            assert pulled.returncode == 0, pulled.stderr
        forms = [form for endpoint, form in entra.forms if endpoint == "token"]
        assert [form.get("refresh_token") for form in forms] == [None, "refresh1", "refresh2"]
        assert all(form["scope"] == f"{graph.url}/.default openid profile offline_access" for form in forms[1:])
        assert "resource" not in str(entra.forms)

        assert lone.run("logout").returncode == 0
        assert entra.revoked == ["refresh3"]


def test_login_shows_a_refusal_by_entra_with_advice(lone: Person) -> None:
    with FakeEntra() as entra:
        login = ["login", "--issuer", entra.issuer, "--client-id", CLIENT, "--scope", "api://mam/.default"]
        for code, text, kind, advice in [
            ("unauthorized_client", "AADSTS53005: the app needs a policy", 77, "Exclude the app of the tenant service"),
            ("invalid_client", "AADSTS7000218: a secret is missing", 77, "Allow public client flows"),
            ("authorization_declined", "AADSTS70006: no", 1, "was declined"),
        ]:
            entra.answers = [(400, {"error": code, "error_description": text})]
            refused = lone.run(*login)
            assert refused.returncode == kind and text in refused.stderr and advice in refused.stderr, refused.stderr
