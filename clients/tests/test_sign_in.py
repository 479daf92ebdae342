"""Sign-in with a real identity provider: login, the policy source, refresh tokens, and what is accepted by the service."""
from __future__ import annotations

import base64
import json
import os
import queue
import random
import re
import signal
import ssl
import subprocess
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path
from typing import Any, Iterator

import pytest
from conftest import ALICE
from fake_entra import FakeEntra
from fake_graph import CLIENT as GRAPH_CLIENT
from fake_graph import TENANT as DIRECTORY
from fake_graph import FakeGraph
from identity_provider import CLIENT, RESOURCE, SCOPE, IdentityProvider
from sources import Source
from tenants import ALICE_ID, AUDIENCE, TENANT_ID, Authority, Issuer, Service, TenantFolder, base64url, openssl, wait_for

ROUNDS = int(os.environ.get("MAMBRIDGE_LOGIN_ROUNDS", "6"))
ACCOUNT = {"accountId": None, "identity": ALICE}


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


@pytest.fixture
def person(tenant_program: str, tmp_path: Path, provider: IdentityProvider, service: Service) -> ServedPerson:
    return ServedPerson(tenant_program, tmp_path, provider, service)


def acquire(source: Source, silent: bool = True, **more: Any) -> int:
    return source.begin("source.acquireToken", account=ACCOUNT, silent=silent, **more)


def check_in(source: Source, token: "str | None") -> "dict[str, Any]":
    return source.call(
        "source.checkIn", reason="enroll", registration={"id": str(uuid.uuid4()), "secret": base64.b64encode(os.urandom(32)).decode()},
        account=ACCOUNT, app={"id": "com.contoso.app", "version": "1", "sdkVersion": "21.7.1"},
        device={"tag": str(uuid.uuid4()), "name": "laptop", "platform": "ios", "osVersion": None, "manufacturer": None, "model": None,
                "jailbroken": False}, etag=None, applied=[], health=[], token=token)


def test_login_leads_to_tokens_that_the_service_accepts(person: ServedPerson) -> None:
    code, out, err = person.login()
    assert (code, out) == (0, f"signed in as {ALICE} for {person.service.url}\n"), err
    assert {path.name: path.stat().st_mode & 0o777 for path in [person.cache.parent, *person.cache.parent.iterdir()]} == {
        "state": 0o700, "sign-ins": 0o600, "sign-ins.key": 0o600, "sign-ins.lock": 0o600}

    source = person.source()
    assert source.open()["signIn"] is True
    tokens = []
    # The provider takes a refresh token once, so each of these needs the one that came before.
    for _ in range(3):
        result = source.reply(acquire(source))["result"]
        assert result["expires"] > time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() + 3000))
        tokens.append(result["accessToken"])
    answer = check_in(source, tokens[-1])["result"]
    assert answer["outcome"] == "delivered" and answer["user"]["id"] == ALICE_ID
    assert source.close() == 0
    for file in person.cache.parent.iterdir():
        assert not any(token.encode() in file.read_bytes() for token in tokens)


def test_a_source_signs_in_when_a_person_is_there(person: ServedPerson) -> None:
    source = person.source()
    source.open()
    error = source.reply(acquire(source))["error"]
    assert error["code"] == -32050 and f"mambridge-tenant login {person.service.url}" in error["message"]

    number = acquire(source, silent=False)
    prompt = source.asked.get(timeout=30)
    assert prompt["method"] == "source.prompt" and set(prompt["params"]) == {"verificationUri", "userCode", "message", "expires"}
    person.provider.approve(prompt["params"]["userCode"])
    token = source.reply(number)["result"]["accessToken"]
    assert check_in(source, token)["result"]["outcome"] == "delivered"
    assert "result" in source.reply(acquire(source))
    assert source.close() == 0


def test_a_canceled_sign_in_keeps_nothing_and_the_source_goes_on(person: ServedPerson) -> None:
    source = person.source()
    source.open()
    number = acquire(source, silent=False)
    code = source.asked.get(timeout=30)["params"]["userCode"]
    source.cancel(number)
    assert "error" in source.reply(number, 5)
    person.provider.approve(code)
    assert source.reply(acquire(source))["error"]["code"] == -32050
    with pytest.raises(queue.Empty):
        source.asked.get(timeout=0.1)
    assert source.close() == 0


def test_a_source_may_be_told_never_to_sign_in(person: ServedPerson) -> None:
    source = person.source("--no-sign-in")
    assert source.open()["signIn"] is False
    assert source.reply(acquire(source))["error"]["code"] == -32601
    assert source.close() == 0


def test_somebody_else_signs_in(person: ServedPerson) -> None:
    code, _, err = person.login("--account", ALICE, person="bob")
    assert code == 77 and "signed in, and not alice@contoso.example" in err
    assert not person.cache.exists()


def test_processes_that_refresh_at_once_share_the_refresh_token(person: ServedPerson) -> None:
    assert person.login()[0] == 0
    sources = [person.source() for _ in range(4)]
    for source in sources:
        source.open()
    for _ in range(5):
        numbers = [acquire(source) for source in sources]
        replies = [source.reply(number) for source, number in zip(sources, numbers)]
        assert all("result" in reply for reply in replies), replies
    for source in sources:
        assert source.close() == 0


@pytest.mark.parametrize("step", ["before the code", "with the code", "after the approval"])
def test_a_login_that_is_killed_leaves_nothing_in_the_way(person: ServedPerson, step: str) -> None:
    for _ in range(ROUNDS if step == "after the approval" else 1):
        if step == "before the code":
            process = person.start("login", person.service.url, "--resource", RESOURCE)
            time.sleep(random.uniform(0, 0.1))
        else:
            process, code = person.begin_login()
        if step == "after the approval":
            person.provider.approve(code)
            time.sleep(random.uniform(0.6, 1.3))
        process.kill()
        process.communicate(timeout=20)
    assert person.login()[0] == 0
    source = person.source()
    source.open()
    assert "result" in source.reply(acquire(source))
    source.kill()
    # The next one finds whole files after that, too.
    source = person.source()
    source.open()
    assert "result" in source.reply(acquire(source))
    assert source.close() == 0


def test_a_login_ends_at_a_signal(person: ServedPerson) -> None:
    process, _ = person.begin_login()
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=10)[1] == "mambridge-tenant: The sign-in was canceled.\n"
    assert process.returncode == 130


def test_a_provider_that_is_down_or_slow(person: ServedPerson) -> None:
    assert person.login()[0] == 0
    source = person.source()
    source.open()
    assert "result" in source.reply(acquire(source))
    person.provider.stop()
    try:
        error = source.reply(acquire(source))["error"]
        assert error["code"] == -32051 and "Cannot ask the identity provider" in error["message"]
        down = person.run("login", person.service.url)
        assert down.returncode == 69 and "Cannot ask the identity provider" in down.stderr
    finally:
        person.provider.start()
    assert "result" in source.reply(acquire(source))
    person.provider.pause()
    try:
        start = time.monotonic()
        error = source.reply(acquire(source))["error"]
        assert error["code"] == -32051 and time.monotonic() - start < 15
    finally:
        person.provider.go_on()
    # The provider may have used the refresh token up for the request whose answer nobody took.
    assert source.reply(acquire(source)).get("error", {"code": -32050})["code"] == -32050
    assert source.close() == 0


def test_commands_of_an_administrator_use_the_sign_in(person: ServedPerson) -> None:
    nobody = person.run("registrations", person.service.url, "--resource", RESOURCE)
    assert nobody.returncode == 77 and f"mambridge-tenant login {person.service.url}" in nobody.stderr
    assert person.login()[0] == 0
    listed = person.run("registrations", person.service.url)
    assert listed.returncode == 0, listed.stderr


def test_logout_removes_the_sign_in_and_says_what_the_provider_did(person: ServedPerson) -> None:
    assert person.run("logout").stdout == "nobody was signed in\n"
    assert person.login()[0] == 0
    assert person.login(person="bob")[0] == 0
    several = person.run("logout", person.service.url)
    assert several.returncode == 77 and "alice@contoso.example, bob@contoso.example" in several.stderr
    done = person.run("logout", person.service.url, "--account", ALICE)
    # This provider revokes tokens of clients with a secret only.
    assert done.returncode == 69 and "may still be valid" in done.stderr and "status 401" in done.stderr
    assert done.stdout == f"signed out {ALICE} of {person.service.url}\n"
    assert person.run("logout", "--all").stdout.startswith("signed out bob@")
    assert not person.cache.exists()


def test_a_full_disk_is_noticed_before_the_refresh_token_is_used(person: ServedPerson, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir(mode=0o700)
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k,mode=700", "tmpfs", str(disk)], capture_output=True)
    if mount.returncode:
        pytest.skip(f"no small disk can be mounted here: {mount.stderr.decode().strip()}")
    try:
        person.environment["MAMBRIDGE_TOKEN_CACHE"] = str(disk / "sign-ins")
        assert person.login()[0] == 0
        source = person.source()
        source.open()
        space = os.statvfs(disk)
        (disk / "filling").write_bytes(bytes(space.f_bavail * space.f_frsize))
        error = source.reply(acquire(source))["error"]
        assert error["code"] == -32051 and "No space is left" in error["message"] and str(disk) in error["message"]
        (disk / "filling").unlink()
        assert "result" in source.reply(acquire(source))
        assert source.close() == 0
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


# MARK: With the shapes of Entra


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


def test_what_entra_refuses_is_said_with_the_way_out(lone: Person) -> None:
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


# MARK: What others say


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


def test_pyjwt_comes_to_the_same_verdicts(tenant_program: str, authority: Authority, tmp_path: Path) -> None:
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
