"""OAuth libraries and Microsoft's Graph client at mambridge-tenant dev, with the code that docs/tenant/dev.md shows."""
from __future__ import annotations

import importlib
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import webbrowser
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Callable, Iterator
from urllib.parse import urlsplit

import pytest
from conftest import ALICE, ROOT
from console_browser import browser
from dev_tenant import CHALLENGE, CLIENT, REDIRECT, RESOURCE, SCOPE, VERIFIER, DevTenant, claims_of
from test_documents import blocks_of

PAGE = (ROOT / "docs" / "tenant" / "dev.md").read_text()
GO_LIBRARY = Path("/usr/share/gocode/src/golang.org/x/oauth2")
MSGRAPH = ROOT / ".build" / "msgraph" / "bin" / "python"


def constructors() -> "list[tuple[str, str]]":
    """The library and the constructor of each row; "the same" is the library of a row above."""
    found: "list[tuple[str, str]]" = []
    library = ""
    for name, code in re.findall(r"^\| ([^|`]+) \| `(.+)` \|$", PAGE.split("## Libraries")[1], re.MULTILINE):
        library = name.split(",")[0] if not name.startswith("the same") else library
        found.append((name.replace("the same", library), code))
    return found


ROWS = dict(constructors())


@pytest.fixture(scope="module")
def dev(tenant_program: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DevTenant]:
    made = DevTenant(tenant_program, tmp_path_factory.mktemp("dev") / "run")
    yield made
    made.end()


@pytest.fixture(autouse=True)
def no_other_certificates(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the page says: they would come before what a program names."""
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)


def names(dev: DevTenant) -> "dict[str, str]":
    """What the page calls it."""
    return {
        "CLIENT_ID": CLIENT, "TENANT_ID": dev.said["tenantId"], "HOST": dev.url, "AUTHORITY": f"{dev.url}/{dev.said['tenantId']}",
        "ISSUER": dev.said["authority"], "SCOPE": SCOPE, "REDIRECT": REDIRECT, "CERTIFICATE": dev.said["certificate"],
        "SECRET": dev.secret}


def enter(dev: DevTenant, code: str) -> None:
    """A person signs in with a device code."""
    dev.ask("POST", "/devicelogin", {"otc": code, "user": ALICE, "secret": dev.secret}, Origin=dev.url)


def visit(dev: DevTenant, address: str) -> str:
    """A person signs in on the page that an app has opened. Returns the code for the app."""
    place = urlsplit(address)
    page = dev.ask("GET", f"{place.path}?{place.query}")
    form = {**page.fields, "user": ALICE, "secret": dev.secret}
    return dev.ask("POST", place.path, form, Origin=dev.url).led["code"]


# What comes after the constructor. Each returns an access token.


def msal_person(app: Any, dev: DevTenant, **more: str) -> str:
    flow = app.initiate_device_flow([SCOPE])
    enter(dev, flow["user_code"])
    return app.acquire_token_by_device_flow(flow)["access_token"]  # type: ignore[no-any-return]


def msal_program(app: Any, dev: DevTenant) -> str:
    return app.acquire_token_for_client([SCOPE])["access_token"]  # type: ignore[no-any-return]


def azure_person(credential: Any, dev: DevTenant) -> str:
    # The option that programs use to show the code.
    credential._prompt_callback = lambda uri, code, expires: enter(dev, code)
    return credential.get_token(SCOPE).token  # type: ignore[no-any-return]


def azure_program(credential: Any, dev: DevTenant) -> str:
    return credential.get_token(SCOPE).token  # type: ignore[no-any-return]


def requests_person(session: Any, dev: DevTenant) -> str:
    session.verify = dev.said["certificate"]
    address, _ = session.authorization_url(f"{dev.url}{dev.base}/authorize")
    return session.fetch_token(f"{dev.url}{dev.base}/token", code=visit(dev, address), include_client_id=True)["access_token"]  # type: ignore


def requests_program(session: Any, dev: DevTenant) -> str:
    session.verify = dev.said["certificate"]
    token = session.fetch_token(f"{dev.url}{dev.base}/token", client_secret=dev.secret, include_client_id=True)
    return token["access_token"]  # type: ignore[no-any-return]


def authlib_person(session: Any, dev: DevTenant) -> str:
    session.verify = dev.said["certificate"]
    place = f"{dev.url}{dev.base}/token"
    address, _ = session.create_authorization_url(f"{dev.url}{dev.base}/authorize", code_verifier=VERIFIER)
    session.fetch_token(place, grant_type="authorization_code", code=visit(dev, address), code_verifier=VERIFIER)
    return session.refresh_token(place)["access_token"]  # type: ignore[no-any-return]


PYTHON: "dict[str, Callable[..., str]]" = {
    "MSAL for Python 1.39": msal_person, "MSAL for Python 1.39, with the issuer": msal_person,
    "MSAL for Python 1.39, without a person": msal_program,
    "azure-identity 1.27": azure_person, "azure-identity 1.27, without a person": azure_program,
    "requests-oauthlib 2.0": requests_person, "requests-oauthlib 2.0, without a person": requests_program,
    "Authlib 1.9": authlib_person}


@pytest.mark.parametrize("row", PYTHON)
def test_a_documented_python_library_signs_in_at_the_dev_tenant(dev: DevTenant, row: str) -> None:
    modules: "dict[str, Any]" = {}
    for name in re.findall(r"\b((?:[a-z_0-9]+\.)+)[A-Z]", ROWS[row]):
        module = name.rstrip(".")
        pytest.importorskip(module, reason=f"{row} is not installed: run scripts/python")
        modules[module.split(".")[0]] = importlib.import_module(module.split(".")[0])
    made = eval(ROWS[row], {**modules, **names(dev)})
    check(PYTHON[row](made, dev), dev, is_program="without a person" in row)


def check(token: str, dev: DevTenant, is_program: bool) -> None:
    claims = claims_of(token)
    assert claims["aud"] == RESOURCE and claims["iss"] == dev.said["authority"]
    assert ("upn" not in claims and claims["roles"]) if is_program else claims["upn"] == ALICE


def test_msal_signs_in_a_person_in_chromium(dev: DevTenant, monkeypatch: pytest.MonkeyPatch) -> None:
    """Authorization code with PKCE, as a desktop app does: MSAL listens at a port of localhost for the answer."""
    msal = pytest.importorskip("msal", reason="MSAL for Python is not installed: run scripts/python")
    opened: "queue.Queue[str]" = queue.Queue()
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.put(address) or True)  # type: ignore[func-returns-value]
    app = eval(ROWS["MSAL for Python 1.39"], {"msal": msal, **names(dev)})
    with browser("--ignore-certificate-errors") as page, ThreadPoolExecutor() as threads:
        page.driver.get(f"{dev.url}/#{dev.secret}")
        page.see("This browser now has the secret")
        asked = threads.submit(app.acquire_token_interactive, [SCOPE], timeout=120)
        page.driver.get(opened.get(timeout=60))
        page.driver.find_element("css selector", f"input[value='{ALICE}']").click()
        page.driver.find_element("css selector", "button").click()
        page.see("Authentication complete")
        tokens = asked.result(timeout=60)
    check(tokens["access_token"], dev, is_program=False)
    account, = app.get_accounts()
    again = app.acquire_token_silent([SCOPE], account, force_refresh=True)
    assert again["access_token"] != tokens["access_token"]


def constants(dev: DevTenant, form: str) -> str:
    return "\n".join(form.format(name, json.dumps(value)) for name, value in names(dev).items())


def run(command: "list[str]", dev: DevTenant, **variables: str) -> "subprocess.CompletedProcess[str]":
    environment = {**dev.environment, "SSL_CERT_FILE": dev.said["certificate"], **variables}
    return subprocess.run(command, env=environment, stdin=subprocess.PIPE, capture_output=True, text=True, timeout=120)


GO = """
package main

import (
\t"context"
\t"fmt"
\t"os"

\t"golang.org/x/oauth2"
\t"golang.org/x/oauth2/clientcredentials"
)

func main() {{
\tperson := {person}
\tprogram := {program}
\tif len(os.Args) == 1 {{
\t\tfmt.Println(person.AuthCodeURL("state", oauth2.SetAuthURLParam("code_challenge", "{challenge}"),
\t\t\toauth2.SetAuthURLParam("code_challenge_method", "S256")))
\t\treturn
\t}}
\ttoken, err := person.Exchange(context.Background(), os.Args[1], oauth2.SetAuthURLParam("code_verifier", "{verifier}"))
\tif err != nil {{
\t\tpanic(err)
\t}}
\tfmt.Println(token.AccessToken)
\tif token, err = program.Token(context.Background()); err != nil {{
\t\tpanic(err)
\t}}
\tfmt.Println(token.AccessToken)
}}

{constants}
"""


def test_the_go_oauth2_library_signs_in_at_the_dev_tenant(dev: DevTenant, tmp_path: Path) -> None:
    if not GO_LIBRARY.exists() or not shutil.which("go"):
        pytest.skip("golang.org/x/oauth2 is not installed: run scripts/toolchains")
    source, program = tmp_path / "main.go", tmp_path / "program"
    source.write_text(GO.format(
        person=ROWS["golang.org/x/oauth2 0.3"], program=ROWS["golang.org/x/oauth2 0.3, without a person"], challenge=CHALLENGE,
        verifier=VERIFIER, constants=constants(dev, "const {} = {}")))
    built = run(["go", "build", "-o", str(program), str(source)], dev, GO111MODULE="off", GOPATH="/usr/share/gocode",
                GOCACHE=os.environ.get("GOCACHE", str(Path.home() / ".cache" / "go-build")))
    assert built.returncode == 0, built.stderr
    code = visit(dev, run([str(program)], dev).stdout.strip())
    done = run([str(program), code], dev)
    assert done.returncode == 0, done.stderr
    for token, is_program in zip(done.stdout.split(), (False, True), strict=True):
        check(token, dev, is_program)


def test_the_ruby_oauth2_library_gets_a_token_for_a_program(dev: DevTenant) -> None:
    constructor = ROWS["Ruby oauth2 1.4, without a person"]
    if not shutil.which("ruby") or subprocess.run(["ruby", "-e", "require 'oauth2'"], capture_output=True).returncode:
        pytest.skip("ruby-oauth2 is not installed: run scripts/toolchains")
    program = f"require 'oauth2'\n{constants(dev, '{} = {}')}\nputs {constructor}.client_credentials.get_token(scope: SCOPE).token"
    done = run(["ruby", "-e", program], dev)
    assert done.returncode == 0, done.stderr
    check(done.stdout.strip(), dev, is_program=True)


def test_every_library_in_dev_md_has_a_test() -> None:
    others = {"golang.org/x/oauth2 0.3", "golang.org/x/oauth2 0.3, without a person", "Ruby oauth2 1.4, without a person"}
    assert set(ROWS) == set(PYTHON) | others


# Microsoft's Graph client


def python_with(module: str, package: str) -> str:
    """Its httpx is newer than the one of another package that the tests use, so it may have an environment of its own."""
    if find_spec(module):
        return sys.executable
    if not MSGRAPH.exists() or subprocess.run([MSGRAPH, "-c", f"import {module}"], capture_output=True, timeout=60).returncode:
        pytest.skip(f"{package} is not installed: python3 -m venv .build/msgraph && .build/msgraph/bin/pip install {package}")
    return str(MSGRAPH)


def test_the_documented_program_reads_and_wipes_with_microsofts_graph_client(
    tenant_program: str, binary: str, tmp_path: Path
) -> None:
    python = python_with("msgraph", "msgraph-sdk")
    [block] = [block for block in blocks_of(PAGE) if block.values("file") == ["read_and_wipe.py"]]
    (tmp_path / "program.py").write_text(block.text)
    dev = DevTenant(tenant_program, tmp_path / "run")
    try:
        (tmp_path / "dev.json").write_text(json.dumps(dev.said))
        bridge = [binary, "--state", dev.said["state"], "--tenant", dev.url]
        variables = {"MAMBRIDGE_LIBEXEC": str(Path(tenant_program).parent)}
        token = ["--token-command", f"{tenant_program} dev-token alice --service {dev.url}"]
        enrolled = run([*bridge, *token, "call", "enrollmentManager.registerAndEnrollAccount", f"account={ALICE}"], dev, **variables)
        assert json.loads(enrolled.stdout)["statusCode"] == 100, enrolled.stderr
        done = run([python, str(tmp_path / "program.py"), str(tmp_path / "dev.json")], dev)
        assert done.returncode == 0, done.stderr
        assert sorted(done.stdout.splitlines()) == [
            "policy Contoso data protection for Android", "policy Contoso data protection for iOS",
            *(f"user {name}@contoso.example" for name in ("alice", "bob", "carol", "erin")), "wipe pending"]
        run([*bridge, "call", "tenant.checkIn"], dev, **variables)
        left = run([*bridge, "call", "enrollmentManager.registeredAccounts"], dev, **variables)
        assert left.returncode == 0 and ALICE not in left.stdout, left.stderr
    finally:
        dev.end()
