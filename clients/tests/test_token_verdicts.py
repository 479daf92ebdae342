"""Which tokens the tenant service accepts, beside what Microsoft's MSAL gets and what PyJWT accepts."""
from __future__ import annotations

import json
import ssl
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from identity_provider import CLIENT, RESOURCE, SCOPE, IdentityProvider
from sign_in import authority, provider, service  # noqa: F401
from tenants import ALICE_ID, AUDIENCE, TENANT_ID, Authority, Issuer, Service, TenantFolder, base64url, openssl


def ask(service: Service, trust: ssl.SSLContext, token: str) -> int:
    """The status of a request that needs a token and nothing else."""
    request = urllib.request.Request(
        f"{service.url}/v1.0/deviceAppManagement/managedAppPolicies", headers={"Authorization": f"Bearer {token}"})
    try:
        with urllib.request.urlopen(request, context=trust, timeout=30) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_microsofts_msal_signs_in_and_the_service_accepts_its_token(provider: IdentityProvider, service: Service) -> None:
    msal = pytest.importorskip("msal", reason="msal is not installed: run scripts/python")
    requests = pytest.importorskip("requests")

    class Session(requests.Session):  # type: ignore
        """Asks for our audience. MSAL itself sends no resource, because Entra knows it from the scope."""

        def post(self, url: str, data: Any = None, **more: Any) -> Any:
            return super().post(url, {**(data or {}), "resource": RESOURCE}, **more)

    with Session() as session:
        session.verify, session.trust_env = str(provider.authority.path), False
        app = msal.PublicClientApplication(CLIENT, oidc_authority=provider.url, instance_discovery=False, http_client=session)
        flow = app.initiate_device_flow([SCOPE])
        provider.approve(flow["user_code"])
        result = app.acquire_token_by_device_flow(flow)
    assert "access_token" in result, result
    assert ask(service, provider.trust, result["access_token"]) == 200


def sign(issuer: Issuer, head: "dict[str, Any]", payload: "dict[str, Any]", digest: str = "-sha256", *options: str) -> str:
    signed = ".".join(base64url(json.dumps(part).encode()) for part in (head, payload))
    signature = openssl("dgst", digest, "-sign", "key.pem", *options, folder=issuer.folder, text=signed.encode())
    return f"{signed}.{base64url(signature)}"


def verdicts(issuer: Issuer) -> "dict[str, tuple[str, int]]":
    """Tokens, and the status of a request with each of them."""
    now = int(time.time())
    head = {"alg": "RS256", "kid": "1", "typ": "JWT"}
    good = {"iss": issuer.url, "aud": AUDIENCE, "oid": ALICE_ID, "tid": TENANT_ID, "scp": SCOPE, "iat": now, "nbf": now, "exp": now + 3600}

    def changed(**claims: Any) -> "dict[str, Any]":
        return {name: value for name, value in {**good, **claims}.items() if value is not None}

    token = sign(issuer, head, good)
    start, payload, signature = token.split(".")
    none = base64url(json.dumps({**head, "alg": "none"}).encode())
    other = base64url(json.dumps(changed(oid="someone else")).encode())
    return {
        "good": (token, 200), "a list of audiences": (sign(issuer, head, changed(aud=["x", AUDIENCE])), 200),
        "at+jwt": (sign(issuer, {**head, "typ": "at+jwt"}, good), 200),
        "just expired": (sign(issuer, head, changed(exp=now - 20)), 200), "expired": (sign(issuer, head, changed(exp=now - 120)), 401),
        "not yet": (sign(issuer, head, changed(nbf=now + 300)), 401), "soon": (sign(issuer, head, changed(nbf=now + 20)), 200),
        "without an end": (sign(issuer, head, changed(exp=None)), 401),
        "another issuer": (sign(issuer, head, changed(iss=issuer.url + "/")), 401),
        "without an issuer": (sign(issuer, head, changed(iss=None)), 401),
        "another audience": (sign(issuer, head, changed(aud="api://other")), 401),
        "no audience": (sign(issuer, head, changed(aud=None)), 401),
        "alg none": (f"{none}.{payload}.", 401), "no signature": (f"{start}.{payload}.", 401),
        "changed claims": (f"{start}.{other}.{signature}", 401), "changed signature": (f"{start}.{payload}.{signature[:-6]}AAAAAA", 401),
        "a digest of another kind": (sign(issuer, head, good, "-sha512"), 401),
        "RS512 said and done": (sign(issuer, {**head, "alg": "RS512"}, good, "-sha512"), 401),
        "no key name": (sign(issuer, {"alg": "RS256"}, good), 401), "another key name": (sign(issuer, {**head, "kid": "2"}, good), 503),
        "a critical extension": (sign(issuer, {**head, "crit": ["b64"], "b64": False}, good), 401),
        "two parts": (f"{start}.{payload}", 401), "padded": (f"{start}.{payload}.{signature}==", 401),
    }


# Where we are stricter than PyJWT: it reads base64 with padding, and leaves the choice of the key to the caller. The keys of
# the provider are asked for once a minute; until then, nobody knows whether there is another key.
STRICTER = {"padded", "no key name", "another key name"}


def test_service_and_pyjwt_accept_the_same_tokens(tenant_program: str, authority: Authority, tmp_path: Path) -> None:
    jwt = pytest.importorskip("jwt", reason="PyJWT is not installed: run scripts/python")
    issuer = Issuer(tmp_path / "issuer")
    key = jwt.PyJWK(issuer.keys["keys"][0])
    service = Service(
        tenant_program, TenantFolder(tmp_path / "tenant"), issuer, authority.sign("verdicts"), tmp_path / "store",
        ["--admin-scope", SCOPE]).start()
    trust = ssl.create_default_context(cafile=str(authority.path))

    def theirs(token: str) -> bool:
        try:
            jwt.decode(
                token, key.key, algorithms=["RS256", "PS256", "ES256"], audience=AUDIENCE, issuer=issuer.url, leeway=60,
                options={"require": ["exp", "iss", "aud"]})
            return True
        except jwt.InvalidTokenError:
            return False

    try:
        for name, (token, expected) in verdicts(issuer).items():
            assert (name, ask(service, trust, token)) == (name, expected)
            assert (name, theirs(token)) == (name, expected == 200 or name in STRICTER)
    finally:
        service.kill()
        issuer.close()
