"""mambridge-tenant dev: its commands work as printed, its provider speaks as Entra does, and nobody else gets anything."""
from __future__ import annotations

import json
import os
import re
import shutil
import signal
import ssl
import stat
import subprocess
import threading
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Callable, Iterator
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from conftest import ALICE
from console_browser import browser
from dev_tenant import CLIENT, REDIRECT, RESOURCE, SCOPE, DevTenant, claims_of, header_of
from tenants import Authority, Device, Service, TenantFolder
from waiting import wait_for

PAGE = "http://localhost:3000/signed-in"


@pytest.fixture(scope="module")
def dev(tenant_program: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DevTenant]:
    made = DevTenant(tenant_program, tmp_path_factory.mktemp("dev") / "run", "--ephemeral", "--redirect-uri", PAGE)
    yield made
    made.end()


@pytest.fixture
def shell(binary: str, tenant_program: str, tmp_path: Path) -> Path:
    """A folder with the two programs, for PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "mambridge").symlink_to(binary)
    (folder / "mambridge-tenant").symlink_to(tenant_program)
    return folder


def run(command: str, shell: Path, dev: DevTenant) -> str:
    variables = {**dev.environment, "PATH": f"{shell}:{os.environ['PATH']}", "HOME": str(shell.parent)}
    for name in ("MAMBRIDGE", "MAMBRIDGE_TENANT_PROGRAM"):
        variables.pop(name, None)
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          env=variables, timeout=120)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}\n{''.join(dev.lines)}"
    return done.stdout


# What a newcomer does


def test_the_printed_commands_enroll_alice_and_wipe_her(tenant_program: str, tmp_path: Path, shell: Path) -> None:
    dev = DevTenant(tenant_program, tmp_path / "run", "--ephemeral", json_line=False)
    try:
        printed = dev.read_summary()
        assert "bob: licensed, no policy   carol: disabled   erin: administrator" in dev.summary
        assert '"statusCode": 100' in pretty(run(f"{printed['Begin']}; {printed['Enroll']}", shell, dev))
        assert run(f"{printed['Begin']}; {printed['Wipe']} --yes", shell, dev) == "ordered the wipe of 1 app\n"
        run(f"{printed['Begin']}; {printed['Check in']}", shell, dev)
        accounts = run(f"{printed['Begin']}; mambridge call enrollmentManager.registeredAccounts", shell, dev)
        assert ALICE not in accounts
        if shutil.which("curl"):
            users = json.loads(run(f"{printed['Begin']}; {printed['Graph'].replace('curl', 'curl -sS', 1)}", shell, dev))
            assert {user["displayName"] for user in users["value"]} == {"Alice Adams", "Bob Brown", "Carol Clark", "Erin Evans"}
        # The link has the secret, so it is shown to a person alone.
        assert "/#" not in dev.summary and all("development: " in line for line in dev.lines)
    finally:
        assert dev.end() == 0
    # Nothing is left: neither the tenant nor the state of the bridge, nor the secret.
    assert list((tmp_path / "run" / "mambridge-tenant-dev").iterdir()) == []


def pretty(text: str) -> str:
    return json.dumps(json.loads(text))


def test_the_first_answer_takes_less_than_a_second(tenant_program: str, tmp_path: Path) -> None:
    dev = DevTenant(tenant_program, tmp_path / "run")
    try:
        assert dev.ask("GET", "/mam/v1/").status == 200
        # The time of the processor, so that other work on the machine does not count.
        fields = Path(f"/proc/{dev.process.pid}/stat").read_text().rpartition(") ")[2].split()
        assert sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK") < 1
    finally:
        dev.end()


def test_wipe_without_device_tag_needs_a_user_with_one_device(dev: DevTenant, shell: Path, tmp_path: Path) -> None:
    trust = f"export SSL_CERT_FILE={dev.said['certificate']}"
    service, token = f"--service {dev.url}", "--token-command 'mambridge-tenant dev-token"
    wipe = f"{trust}; mambridge-tenant wipe {dev.url} bob --yes {token} erin {service}'"
    with pytest.raises(AssertionError, match="bob@contoso.example has no app that is enrolled"):
        run(wipe.replace("bob", "bob@contoso.example"), shell, dev)
    for name in ("one", "two"):
        (tmp_path / name).mkdir(mode=0o700)
        (tmp_path / name / "development").touch(mode=0o600)
        run(f"{trust} MAMBRIDGE_STATE={tmp_path / name}; mambridge --tenant {dev.url} {token} bob {service}' call "
            "enrollmentManager.registerAndEnrollAccount account=bob@contoso.example", shell, dev)
    with pytest.raises(AssertionError, match="bob@contoso.example has 2 devices. Name one with --device-tag"):
        run(wipe.replace("bob", "bob@contoso.example"), shell, dev)


def test_login_signs_in_at_the_dev_tenant_by_device_code(dev: DevTenant, shell: Path, tmp_path: Path) -> None:
    environment = {**dev.environment, "SSL_CERT_FILE": dev.said["certificate"], "MAMBRIDGE_TOKEN_CACHE": str(tmp_path / "cache" / "sign-ins")}
    login = subprocess.Popen([str(shell / "mambridge-tenant"), "login", dev.url], env=environment, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert login.stderr
    line = login.stderr.readline()
    code = re.search(r"enter the code ([A-Z]{8})", line)
    assert code, line + login.stderr.read()
    page = dev.ask("POST", "/devicelogin", {"otc": code[1].lower(), "user": ALICE, "secret": dev.secret}, Origin=dev.url)
    assert page.status == 200 and "goes on as alice@contoso.example" in page.text
    out, err = login.communicate(timeout=60)
    assert out == f"signed in as {ALICE} for {dev.url}\n", err


def test_dev_keeps_the_ids_of_a_folder_and_refuses_a_second_process(tenant_program: str, tmp_path: Path) -> None:
    folder = tmp_path / "contoso dev"
    listen = [str(folder), "--listen", "https://127.0.0.1:0"]
    first = DevTenant(tenant_program, tmp_path / "run", *listen)
    try:
        second = subprocess.run([tenant_program, "dev", *listen], env=first.environment, capture_output=True, text=True, timeout=60)
        assert second.returncode == os.EX_UNAVAILABLE and f"process {first.process.pid} " in second.stderr
    finally:
        first.end()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    # The state of the bridge begins anew.
    shutil.rmtree(folder / "device")
    again = DevTenant(tenant_program, tmp_path / "run", *listen)
    try:
        assert again.said["tenantId"] == first.said["tenantId"] and again.secret != first.secret
        assert (folder / "device" / "development").exists()
    finally:
        again.end()


def test_dev_applies_a_changed_folder_even_if_it_removes_users(tenant_program: str, tmp_path: Path) -> None:
    dev = DevTenant(tenant_program, tmp_path / "run")
    try:
        path = Path(dev.said["tenant"]) / "tenant.json"
        tenant = json.loads(path.read_text())
        tenant["users"] = [user for user in tenant["users"] if user["displayName"] == "Erin Evans"]
        path.with_suffix(".new").write_text(json.dumps(tenant))
        path.with_suffix(".new").replace(path)
        wait_for(lambda: dev.access_token("alice").status == 400, "the new tenant")
        assert dev.access_token("erin").status == 200
    finally:
        dev.end()


def test_dev_removes_the_folders_that_a_killed_process_left(tenant_program: str, tmp_path: Path) -> None:
    killed = DevTenant(tenant_program, tmp_path / "run")
    killed.end(signal.SIGKILL)
    left = set((tmp_path / "run" / "mambridge-tenant-dev").iterdir())
    assert len(left) == 2
    wait_for(lambda: all(is_old(path) for path in left), "that it may be removed")
    DevTenant(tenant_program, tmp_path / "run").end()
    assert list((tmp_path / "run" / "mambridge-tenant-dev").iterdir()) == []


def half_tenant(folder: Path) -> None:
    (folder / "development.json").rename(folder / "unfinished.json")
    (folder / "tenant").rename(folder / "tenant.new")
    (folder / "tenant.new" / "tenant.json").write_text('{"tenantId": ')


def first_mark(folder: Path) -> None:
    shutil.rmtree(folder / "tenant")
    shutil.rmtree(folder / "device")
    (folder / "development.json").rename(folder / "unfinished.json")
    (folder / "unfinished.json.new").touch()


def last_step(folder: Path) -> None:
    (folder / "development.json").rename(folder / "unfinished.json")


def half_certificate(folder: Path) -> None:
    (folder / "certificate.key.new").write_text("-----BEGIN")
    (folder / "certificate.pem").unlink()


def half_store(folder: Path) -> None:
    for path in folder.glob("store.sqlite*"):
        path.unlink()
    (folder / "store.sqlite").touch(mode=0o600)


def half_state(folder: Path) -> None:
    (folder / "device" / "development").unlink()
    (folder / "device" / "development.new").touch()


@pytest.mark.parametrize("leave", [half_tenant, first_mark, last_step, half_certificate, half_store, half_state])
def test_dev_completes_a_folder_that_a_killed_process_left_unfinished(
    tenant_program: str, binary: str, tmp_path: Path, shell: Path, leave: "Callable[[Path], None]"
) -> None:
    folder = tmp_path / "kept"
    listen = [str(folder), "--listen", "https://127.0.0.1:0"]
    DevTenant(tenant_program, tmp_path / "run", *listen).end(signal.SIGKILL)
    leave(folder)
    dev = DevTenant(tenant_program, tmp_path / "run", *listen)
    try:
        works(dev, shell)
        assert not list(folder.rglob("*.new")) and not (folder / "unfinished.json").exists()
    finally:
        dev.end()


def works(dev: DevTenant, shell: Path) -> None:
    """Alice enrolls."""
    trust = f"export SSL_CERT_FILE='{dev.said['certificate']}' MAMBRIDGE_STATE='{dev.said['state']}'"
    token = f"--token-command 'mambridge-tenant dev-token alice --service {dev.url}'"
    assert '"statusCode":100' in run(
        f"{trust}; mambridge --tenant {dev.url} {token} call enrollmentManager.registerAndEnrollAccount account={ALICE}",
        shell, dev).replace(" ", "")


def test_dev_can_use_a_folder_after_a_kill_at_any_moment(tenant_program: str, tmp_path: Path, shell: Path) -> None:
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path / "run")}
    (tmp_path / "run").mkdir(mode=0o700)
    appears = ["unfinished.json", "device", "tenant.new", "tenant", "development.json", "store.sqlite", "store.sqlite-wal", "certificate.key"]
    for number, name in enumerate(appears):
        folder = tmp_path / str(number)
        listen = [str(folder), "--listen", "https://127.0.0.1:0"]
        first = subprocess.Popen([tenant_program, "dev", *listen], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # What has come and gone already leads to the same: the kill then hits a later step.
        while not (folder / name).exists() and not (folder / "certificate.pem").exists() and first.poll() is None:
            pass
        first.kill()
        first.wait()
        dev = DevTenant(tenant_program, tmp_path / "run", *listen)
        works(dev, shell)
        assert dev.end() == 0


@pytest.mark.parametrize("break_it,reason", [
    (lambda folder: shutil.rmtree(folder / "tenant"), "Bring it back, or remove the folder"),
    (lambda folder: (folder / "store.sqlite").write_bytes(b"no database" * 1000), "or remove the file to begin without registrations"),
    (lambda folder: (folder / "development.json").unlink(), "has other files"),
], ids=["tenant", "store", "mark"])
def test_dev_refuses_a_folder_with_missing_or_damaged_files_and_says_what_to_do(
    tenant_program: str, tmp_path: Path, break_it: "Callable[[Path], object]", reason: str
) -> None:
    folder = tmp_path / "kept"
    listen = [str(folder), "--listen", "https://127.0.0.1:0"]
    dev = DevTenant(tenant_program, tmp_path / "run", *listen)
    dev.end()
    for log in folder.glob("store.sqlite-*"):
        log.unlink()
    break_it(folder)
    done = subprocess.run([tenant_program, "dev", *listen], env=dev.environment, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=60)
    assert done.returncode not in (0, 1) and reason in done.stderr, (done.returncode, done.stderr)


def is_old(path: Path) -> bool:
    return time.time() - path.stat().st_ctime >= 3


@pytest.mark.parametrize(("options", "status", "reason"), [
    (["--listen", "https://0.0.0.0:8480"], os.EX_USAGE, "listens on loopback only"),
    (["--listen", "https://192.0.2.1:8480"], os.EX_USAGE, "listens on loopback only"),
    (["--listen", "http://127.0.0.1:0"], os.EX_USAGE, "use --http with http://"),
    (["--ephemeral", "folder"], os.EX_USAGE, "takes neither a folder nor --listen"),
    (["--redirect-uri", "https://app.contoso.example/"], os.EX_USAGE, "must be an address of this machine"),
    (["/usr"], os.EX_CONFIG, "the folder /usr has other files"),
])
def test_dev_refuses_unsafe_options(tenant_program: str, tmp_path: Path, options: "list[str]", status: int, reason: str) -> None:
    (tmp_path / "run").mkdir(mode=0o700)
    done = subprocess.run([tenant_program, "dev", *options], env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path / "run")},
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert (done.returncode, reason in done.stderr) == (status, True), done.stderr


@pytest.mark.parametrize("plant,reason", [
    (lambda place, other: place.symlink_to(other), "Remove it if it exists, or set XDG_RUNTIME_DIR"),
    (lambda place, other: place.write_text("planted"), "Remove it if it exists, or set XDG_RUNTIME_DIR"),
    (lambda place, other: (place.mkdir(), place.chmod(0o777)), "Run: chmod 700 "),
], ids=["link", "file", "open"])
def test_dev_refuses_an_unsafe_runtime_folder_and_says_what_to_do(
    tenant_program: str, tmp_path: Path, plant: "Callable[[Path, Path], object]", reason: str
) -> None:
    run, other = tmp_path / "run", tmp_path / "other"
    for folder in (run, other):
        folder.mkdir(mode=0o700)
    plant(run / "mambridge-tenant-dev", other)
    for command in ("dev", "--listen", "https://127.0.0.1:0"), ("dev-token", "alice"):
        done = subprocess.run(
            [tenant_program, *command], env={**os.environ, "XDG_RUNTIME_DIR": str(run)}, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=60)
        assert done.returncode == 78 and reason in done.stderr, done.stderr
    assert not list(other.iterdir())


def test_dev_token_reports_why_it_cannot_return_a_token(dev: DevTenant, tenant_program: str, tmp_path: Path) -> None:
    def dev_token(user: str, **more: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([tenant_program, "dev-token", user], env={**dev.environment, **more}, capture_output=True, text=True, timeout=60)

    assert claims_of(dev_token("erin").stdout.strip())["roles"] == ["DeviceManagementApps.ReadWrite.All"]
    carol = dev_token("carol")
    assert carol.returncode == os.EX_NOPERM and "AADSTS50057" in carol.stderr
    nothing = dev_token("erin", XDG_RUNTIME_DIR=str(tmp_path))
    assert nothing.returncode == os.EX_UNAVAILABLE and "mambridge-tenant dev" in nothing.stderr


# The shapes of Entra


def test_the_dev_provider_publishes_its_metadata_in_the_format_of_entra(dev: DevTenant) -> None:
    tenant = dev.said["tenantId"]
    own = dev.ask("GET", f"/{tenant}/v2.0/.well-known/openid-configuration").json
    assert own["issuer"] == dev.said["authority"] == f"{dev.url}/{tenant}/v2.0"
    assert own["mambridge_development"] is True
    common = dev.ask("GET", "/common/v2.0/.well-known/openid-configuration").json
    assert common["issuer"] == f"{dev.url}/{{tenantid}}/v2.0"
    keys = dev.ask("GET", own["jwks_uri"].removeprefix(dev.url)).json["keys"]
    assert [key["kid"].startswith("development-") for key in keys] == [True]
    instance = dev.ask("GET", "/common/discovery/instance?api-version=1.1").json
    assert instance["tenant_discovery_endpoint"].startswith(dev.url)
    assert dev.ask("GET", "/00000000-0000-4000-8000-000000000000/v2.0/.well-known/openid-configuration").json["error"] == "invalid_tenant"


def test_dev_tokens_have_the_claims_of_version_2_and_are_marked_as_development(dev: DevTenant) -> None:
    tokens = dev.sign_in()
    access, identity = claims_of(tokens["access_token"]), claims_of(tokens["id_token"])
    assert header_of(tokens["access_token"])["kid"].startswith("development-")
    assert (access["aud"], access["iss"], access["upn"], access["scp"], access["ver"]) == (
        RESOURCE, dev.said["authority"], ALICE, "user_impersonation", "2.0")
    assert access["tid"] == identity["tid"] == dev.said["tenantId"] and access["oid"] == identity["oid"]
    assert (identity["aud"], identity["nonce"], identity["preferred_username"]) == (CLIENT, "n", ALICE)
    assert access["mambridge_development"] is True and identity["mambridge_development"] is True
    assert "roles" not in access and tokens["token_type"] == "Bearer"
    app = claims_of(dev.token(grant_type="client_credentials", client_secret=dev.secret, scope=SCOPE).json["access_token"])
    assert app["roles"] == ["DeviceManagementApps.ReadWrite.All"] and "scp" not in app


@pytest.mark.parametrize(("mode", "mark"), [("query", "?code="), ("fragment", "#code="), ("form_post", "")])
def test_the_code_is_returned_in_the_requested_response_mode(dev: DevTenant, mode: str, mark: str) -> None:
    answer = dev.choose(response_mode=mode)
    if mark:
        assert answer.headers["Location"].startswith(REDIRECT + mark) and "state=s%20t" in answer.headers["Location"]
    else:
        assert answer.status == 200 and f'action="{REDIRECT}"' in answer.text and 'name="state" value="s t"' in answer.text
        assert f"form-action {REDIRECT}" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize(("changes", "error"), [
    ({"response_type": "token"}, "unsupported_response_type"), ({"prompt": "none"}, "login_required"),
    ({"scope": "api://other/.default"}, "invalid_resource"), ({"scope": f"{SCOPE} User.Read"}, "invalid_scope"),
    ({"code_challenge": ""}, "invalid_request"), ({"code_challenge_method": "plain"}, "invalid_request")])
def test_an_invalid_authorize_request_returns_its_error(dev: DevTenant, changes: "dict[str, str]", error: str) -> None:
    assert dev.choose(**changes).led["error"] == error


def test_a_user_who_declines_or_is_disabled_is_not_signed_in(dev: DevTenant) -> None:
    assert dev.choose(decline="1").led["error"] == "access_denied"
    carol = dev.choose("carol@contoso.example")
    assert carol.status == 400 and "AADSTS50057" in carol.text and "Location" not in carol.headers
    code = dev.ask("POST", f"{dev.base}/devicecode", {"client_id": CLIENT, "scope": SCOPE}).json
    poll = {"grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": code["device_code"]}
    assert dev.token(**poll).json["error"] == "authorization_pending"
    dev.ask("POST", "/devicelogin", {"otc": code["user_code"], "decline": "1", "secret": dev.secret}, Origin=dev.url)
    assert dev.token(**poll).json["error"] == "authorization_declined"


class App:
    """A program at a port of localhost that waits for the browser to come back."""

    def __init__(self) -> None:
        app, self.came = self, []  # type: ignore

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                text = self.rfile.read(length).decode() if length else urlsplit(self.path).query
                if text:
                    app.came.append({name: values[0] for name, values in parse_qs(text).items()})  # type: ignore
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b"<!doctype html><title>app</title>signed in")

            do_POST = do_GET

            def log_message(self, *_: object) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://localhost:{self.server.server_port}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def app() -> Iterator[App]:
    made = App()
    yield made
    made.close()


@pytest.mark.parametrize("mode", ["query", "fragment", "form_post"])
def test_chromium_signs_in_only_after_opening_the_link_with_the_secret(dev: DevTenant, app: App, mode: str) -> None:
    with browser("--ignore-certificate-errors") as page:
        asked = f"{dev.url}{dev.base}/authorize?" + urlencode(dev.request(redirect_uri=app.url, response_mode=mode))
        page.driver.get(asked)
        page.driver.find_element("css selector", "button").click()
        page.see("The secret is missing or wrong")
        assert not app.came
        page.driver.get(f"{dev.url}/#{dev.secret}")
        page.see("This browser now has the secret")
        assert dev.secret not in page.driver.current_url
        page.driver.get(asked)
        page.driver.find_element("css selector", "input[value='bob@contoso.example']").click()
        assert not page.driver.find_element("id", "secret").is_displayed()
        page.driver.find_element("css selector", "button").click()
        page.see("signed in")
        came = parse_qs(urlsplit(page.driver.current_url).fragment) if mode == "fragment" else None
        answer = {name: values[0] for name, values in came.items()} if came else app.came[0]
        assert answer["state"] == "s t"
        tokens = dev.redeem(answer["code"], redirect_uri=app.url).json
        assert claims_of(tokens["access_token"])["upn"] == "bob@contoso.example"


# Attacks


@pytest.mark.parametrize("host", ["attacker.example", "attacker.example:8480", "127.0.0.1", "127.0.0.1.nip.io:8480", "localhost:1"])
@pytest.mark.parametrize("path", ["/", "/mam/v1/", "/v1.0/users", "/common/v2.0/.well-known/openid-configuration"])
def test_requests_with_another_host_header_are_refused(dev: DevTenant, host: str, path: str) -> None:
    assert dev.ask("GET", path, Host=host).status == 403


@pytest.mark.parametrize("headers", [
    {"Origin": "https://attacker.example"}, {"Origin": "null"}, {"Origin": "https://127.0.0.1:1"},
    {"Origin": PAGE.rsplit("/", 1)[0]}, {"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"}])
def test_a_page_from_another_origin_cannot_sign_in_a_user(dev: DevTenant, headers: "dict[str, str]") -> None:
    form = {**dev.request(), "user": ALICE, "secret": dev.secret}
    assert dev.ask("POST", f"{dev.base}/authorize", form, **headers).status == 403
    assert dev.ask("POST", "/devicelogin", {"otc": "X", "user": ALICE, "secret": dev.secret}, **headers).status == 403


@pytest.mark.parametrize("path", ["/token", "/devicecode", "/mam/v1/check-in", "/v1.0/users/a/wipeManagedAppRegistrationsByDeviceTag"])
def test_a_page_from_another_origin_cannot_send_changes(dev: DevTenant, path: str) -> None:
    full = path if path.startswith(("/mam", "/v1.0")) else dev.base + path
    refused = dev.ask("POST", full, {"client_id": CLIENT}, Origin="https://attacker.example")
    assert refused.status == 403 and "another origin" in refused.text and "Access-Control-Allow-Origin" not in refused.headers


def test_only_pages_of_registered_origins_may_read_answers(dev: DevTenant) -> None:
    for origin, allowed in [("http://localhost:3000", "http://localhost:3000"), ("https://attacker.example", None)]:
        for path in ("/common/v2.0/.well-known/openid-configuration", "/v1.0/users"):
            assert dev.ask("GET", path, Origin=origin).headers.get("Access-Control-Allow-Origin") == allowed
            asked = dev.ask("OPTIONS", path, Origin=origin, Access_Control_Request_Headers="authorization")
            assert asked.headers.get("Access-Control-Allow-Origin") == allowed
    assert "Access-Control-Allow-Origin" not in dev.ask("GET", "/", Origin="http://localhost:3000").headers


@pytest.mark.parametrize("redirect", [
    "https://attacker.example/", "http://localhost.attacker.example/", "http://localhost@attacker.example/", "http://localhost:43210/else",
    "http://localhost:3000/other", "http://localhost:43210#", "https://localhost:43210", "javascript:alert(1)", "//localhost",
    "http://127.0.0.1:43210/?next=https://attacker.example"])
def test_dev_never_redirects_to_an_unregistered_address(dev: DevTenant, redirect: str) -> None:
    for answer in (dev.choose(redirect_uri=redirect), dev.choose(redirect_uri=redirect, decline="1")):
        assert answer.status == 400 and "Location" not in answer.headers and "AADSTS50011" in answer.text
    assert dev.ask("GET", f"{dev.base}/logout?post_logout_redirect_uri={redirect.replace('#', '%23')}").status == 400


@pytest.mark.parametrize("secret", ["", "wrong", "A" * 43])
def test_nobody_can_sign_in_without_the_secret(dev: DevTenant, secret: str) -> None:
    page = dev.choose(secret=secret)
    assert page.status == 403 and "Location" not in page.headers
    code = dev.ask("POST", f"{dev.base}/devicecode", {"client_id": CLIENT, "scope": SCOPE}).json
    form = {"otc": code["user_code"], "user": ALICE, "secret": secret}
    assert dev.ask("POST", "/devicelogin", form, Origin=dev.url).status == 403
    assert dev.token(grant_type="device_code", device_code=code["device_code"]).json["error"] == "authorization_pending"
    assert dev.token(grant_type="client_credentials", client_secret=secret, scope=SCOPE).status == 401
    assert dev.token(grant_type="password", username=ALICE, password=secret, scope=SCOPE).json["error"] == "invalid_grant"


def test_a_code_works_once_and_reusing_it_revokes_its_refresh_token(dev: DevTenant) -> None:
    code = dev.choose().led["code"]
    tokens = dev.redeem(code).json
    assert "AADSTS54005" in dev.redeem(code).json["error_description"]
    assert dev.token(grant_type="refresh_token", refresh_token=tokens["refresh_token"]).json["error"] == "invalid_grant"


def test_a_code_needs_its_verifier_redirect_address_and_client(dev: DevTenant) -> None:
    for changes, number in [({"code_verifier": "w" * 43}, 501481), ({"redirect_uri": "http://localhost:1"}, 500112), ({"client_id": "other"}, 700016),
                            ({"client_secret": "wrong"}, 7000215)]:
        assert dev.redeem(dev.choose().led["code"], **changes).json["error_codes"] == [number]


def test_a_refresh_token_is_replaced_and_reusing_an_old_one_ends_the_sign_in(dev: DevTenant) -> None:
    first = dev.sign_in()["refresh_token"]
    second = dev.token(grant_type="refresh_token", refresh_token=first).json["refresh_token"]
    third = dev.token(grant_type="refresh_token", refresh_token=second).json["refresh_token"]
    for token in (first, third):
        assert dev.token(grant_type="refresh_token", refresh_token=token).json["error"] == "invalid_grant"


def test_dev_pages_cannot_be_framed_load_nothing_and_escape_request_parameters(dev: DevTenant) -> None:
    page = dev.ask("GET", f"{dev.base}/authorize?client_id={CLIENT}&response_type=code&redirect_uri={REDIRECT}&scope={SCOPE}"
                   "&code_challenge=x&code_challenge_method=S256&state=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&login_hint=bob@contoso.example")
    assert page.status == 200 and "<script>alert" not in page.text and "&quot;&gt;&lt;script&gt;" in page.text
    assert 'value="bob@contoso.example" checked' in page.text and "development" in page.text
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and page.headers["X-Frame-Options"] == "DENY"
    for path in ("/", "/devicelogin", "/mam/v1/", "/health/live"):
        assert dev.ask("GET", path).headers["X-Frame-Options"] == "DENY"
    assert "Set-Cookie" not in page.headers


def test_another_user_of_the_machine_can_read_neither_the_secret_nor_the_key(dev: DevTenant) -> None:
    secret, key = Path(dev.said["secretFile"]), Path(dev.said["certificate"]).with_suffix(".key")
    for path, mode in [(secret, 0o600), (key, 0o600), (secret.parent, 0o700), (key.parent, 0o700)]:
        assert stat.S_IMODE(path.stat().st_mode) == mode
    if os.geteuid() == 0 and shutil.which("setpriv"):
        for path in (secret, key):
            other = subprocess.run(["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "cat", path], capture_output=True)
            assert other.returncode != 0 and not other.stdout
    # Nor on its command line, in its environment or in its log.
    for name in ("cmdline", "environ"):
        assert dev.secret.encode() not in Path(f"/proc/{dev.process.pid}/{name}").read_bytes()
    assert dev.secret not in "".join(dev.lines)


def test_the_certificate_is_for_loopback_alone_and_for_seven_days(dev: DevTenant) -> None:
    def said(*options: str) -> str:
        command = ["openssl", "x509", "-in", dev.said["certificate"], "-noout", *options]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    extensions = said("-ext", "basicConstraints,subjectAltName")
    assert "CA:FALSE" in extensions
    names = re.findall(r"(?:DNS|IP Address):([^,\s]+)", extensions)
    assert sorted(names) == ["0:0:0:0:0:0:0:1", "127.0.0.1", "localhost"]
    begin, end = (time.mktime(time.strptime(line.split("=", 1)[1], "%b %d %H:%M:%S %Y GMT")) for line in said("-dates").splitlines())
    assert 7 * 86400 <= end - begin < 8 * 86400


def test_dev_over_plain_http_refuses_hosts(tenant_program: str, binary: str, tmp_path: Path) -> None:
    dev = DevTenant(tenant_program, tmp_path / "run", "--ephemeral", "--http")
    try:
        assert dev.url.startswith("http://127.0.0.1:") and dev.said["certificate"] is None
        for path in ("/mam/v1/", "/mam/v1/check-in"):
            assert dev.ask("GET", path).status == 403
        token = dev.access_token("erin").json["access_token"]
        assert dev.ask("GET", "/v1.0/users", Authorization=f"Bearer {token}").status == 200
        url = f"exec:{tenant_program} source {dev.url}"
        authority = Authority(tmp_path / "ca")
        assert enroll(binary, tenant_program, authority.path, tmp_path / "device", url, marked=True) == (205, "Hosts need https")
    finally:
        dev.end()


# A bridge with real accounts


def enroll(binary: str, program: str, authority: Path, folder: Path, url: str, marked: bool) -> "tuple[int, str]":
    """The status of Alice's enrollment, and what the log says about the source, up to 16 characters of it."""
    device = Device(binary, program, authority, folder, url)
    if marked:
        device.state.mkdir(mode=0o700)
        (device.state / "development").touch(mode=0o600)
    client = device.start("a.token.without-any-worth")
    try:
        status = client.call("enrollmentManager.registerAndEnrollAccount", account=ALICE)["statusCode"]
    finally:
        device.end()
    log = "".join(path.read_text(errors="replace") for path in device.state.rglob("*.log"))
    reasons = ["Hosts need https", "The tenant is for development", "This state is for a development tenant alone"]
    return status, next((reason for reason in reasons if reason in log), "")


def test_a_state_without_the_development_mark_sends_no_token_to_a_development_tenant(
    dev: DevTenant, binary: str, tenant_program: str, tmp_path: Path
) -> None:
    before = len(dev.lines)
    certificate = Path(dev.said["certificate"])
    assert enroll(binary, tenant_program, certificate, tmp_path / "real", dev.url, marked=False) == (204, "The tenant is for development")
    # It was asked what it is, and nothing else: no registration and no token has left the bridge.
    wait_for(lambda: len(dev.lines) > before, "the question")
    assert all("path=/mam/v1/ " in line for line in dev.lines[before:])


def test_a_state_for_development_refuses_a_real_tenant(
    tenant_program: str, binary: str, tmp_path: Path
) -> None:
    authority = Authority(tmp_path / "ca")
    service = Service(tenant_program, TenantFolder(tmp_path / "tenant"), NamedIssuer("https://login.contoso.example"),  # type: ignore
                      authority.sign("service"), tmp_path / "store")
    service.start()
    try:
        status = enroll(binary, tenant_program, authority.path, tmp_path / "device", service.url, marked=True)
        assert status == (204, "This state is for a development tenant alone")
    finally:
        service.kill()
    state = tmp_path / "device" / "state"
    folder = subprocess.run([binary, "--tenant", "sample", "--state", state, "call", "tenant.status"], capture_output=True, text=True, timeout=60)
    assert folder.returncode == os.EX_CONFIG and "is for a development tenant alone" in folder.stderr


def test_a_state_that_was_enrolled_elsewhere_is_refused_although_somebody_marks_it(
    dev: DevTenant, binary: str, tenant_program: str, tmp_path: Path
) -> None:
    state = tmp_path / "state"
    environment = {**dev.environment, "SSL_CERT_FILE": dev.said["certificate"], "MAMBRIDGE_LIBEXEC": str(Path(tenant_program).parent)}

    def call(tenant: str, method: str, app: str = "com.example.one") -> "subprocess.CompletedProcess[str]":
        command = [binary, "--tenant", tenant, "--state", str(state), "--app-id", app, "--token-command",
                   f"'{tenant_program}' dev-token alice --service {dev.url}", "call", method, f"account={ALICE}"]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)

    assert '"statusCode": 100' in pretty(call("sample", "enrollmentManager.registerAndEnrollAccount").stdout)
    # Not the account that is there, but that there was one, in any app.
    assert '"statusCode": 104' in pretty(call("sample", "enrollmentManager.deRegisterAndUnenrollAccount").stdout)
    before = len(dev.lines)
    (state / "development").touch(mode=0o600)
    for app in ("com.example.one", "com.example.two"):
        refused = call(dev.url, "enrollmentManager.registerAndEnrollAccount", app)
        assert refused.returncode == os.EX_CONFIG and refused.stdout == "", refused
        assert "accounts of the app com.example.one were enrolled in it elsewhere" in refused.stderr
        assert "Use the state that mambridge-tenant dev prints as MAMBRIDGE_STATE" in refused.stderr and "remove its file development" in refused.stderr
    assert len(dev.lines) == before
    (state / "development").unlink()
    assert '"statusCode": 100' in pretty(call("sample", "enrollmentManager.registerAndEnrollAccount").stdout)


# Services that are real


@dataclass
class NamedIssuer:
    url: str


def test_serve_refuses_tokens_from_a_development_tenant(dev: DevTenant, tenant_program: str, tmp_path: Path) -> None:
    authority = Authority(tmp_path / "ca")
    service = Service(
        tenant_program, TenantFolder(tmp_path / "tenant"), NamedIssuer(dev.said["authority"]), authority.sign("service"),  # type: ignore
        tmp_path / "store", ["--ca", dev.said["certificate"]])
    service.start()
    try:
        wait_for(lambda: any("is a development tenant" in line for line in service.lines), "the refusal of the issuer",
                 said=lambda: "".join(service.lines))
        token = dev.access_token("erin").json["access_token"]
        asked = subprocess.run(
            [tenant_program, "registrations", service.url, "--ca", str(authority.path), "--token-command", f"echo {token}"],
            env=dev.environment, capture_output=True, text=True, timeout=60)
        assert asked.returncode == os.EX_NOPERM, asked.stderr
        wait_for(lambda: any("refused a token: the token is from a development tenant" in line for line in service.lines), "the reason")
        # Nor is anything of it there.
        trust = ssl.create_default_context(cafile=authority.path)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=trust))
        for path in ("/", "/dev/reset", "/dev/faults", f"{dev.base}/token", "/common/v2.0/.well-known/openid-configuration", "/devicelogin"):
            for method in ("GET", "POST"):
                with pytest.raises(urllib.error.HTTPError) as refused:
                    opener.open(urllib.request.Request(service.url + path, method=method, headers={"Authorization": f"Bearer {dev.secret}"}))
                with refused.value as answer:
                    assert answer.status == 404, (method, path)
    finally:
        service.kill()


# Microsoft's own library


@pytest.fixture
def msal(dev: DevTenant, monkeypatch: pytest.MonkeyPatch) -> "Msal":
    # They would come before what a program asks for.
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    return Msal(dev)


class Msal:
    """MSAL for Python with two constructors."""

    def __init__(self, dev: DevTenant):
        library = pytest.importorskip("msal", reason="MSAL for Python is not installed: pip install msal")
        self.library, self.dev = library, dev

    def options(self) -> "dict[str, object]":
        return {"authority": f"{self.dev.url}/{self.dev.said['tenantId']}", "instance_discovery": False, "verify": self.dev.said["certificate"]}

    def public(self, **more: object) -> "object":
        return self.library.PublicClientApplication(CLIENT, **{**self.options(), **more})


def test_msal_signs_in_by_device_code_and_refreshes_silently(msal: Msal) -> None:
    app = msal.public()
    flow = app.initiate_device_flow([SCOPE])  # type: ignore[attr-defined]
    msal.dev.ask("POST", "/devicelogin", {"otc": flow["user_code"], "user": ALICE, "secret": msal.dev.secret}, Origin=msal.dev.url)
    tokens = app.acquire_token_by_device_flow(flow)  # type: ignore[attr-defined]
    assert "access_token" in tokens, tokens
    account, = app.get_accounts()  # type: ignore[attr-defined]
    assert account["username"] == ALICE
    assert account["home_account_id"] == f"{claims_of(tokens['access_token'])['oid']}.{msal.dev.said['tenantId']}"
    again = app.acquire_token_silent([SCOPE], account, force_refresh=True)  # type: ignore[attr-defined]
    assert again["access_token"] != tokens["access_token"]
    graph = app.acquire_token_silent([f"{msal.dev.url}/.default"], account)  # type: ignore[attr-defined]
    assert claims_of(graph["access_token"])["aud"] == msal.dev.url


@pytest.mark.parametrize("place", ["authority", "oidc_authority"])
def test_msal_signs_in_with_a_code_and_pkce(msal: Msal, place: str) -> None:
    issuer = msal.dev.said["authority"]
    more = {} if place == "authority" else {"authority": None, "oidc_authority": issuer}
    app = msal.public(**more)
    flow = app.initiate_auth_code_flow([SCOPE], redirect_uri=REDIRECT, response_mode="form_post")  # type: ignore
    place = urlsplit(flow["auth_uri"])
    page = msal.dev.ask("GET", f"{place.path}?{place.query}")
    form = {**page.fields, "user": ALICE, "secret": msal.dev.secret}
    answer = msal.dev.ask("POST", place.path, form, Origin=msal.dev.url)
    tokens = app.acquire_token_by_auth_code_flow(flow, answer.fields)  # type: ignore[attr-defined]
    assert tokens["id_token_claims"]["preferred_username"] == ALICE, tokens


def test_msal_gets_a_token_for_a_program(msal: Msal) -> None:
    app = msal.library.ConfidentialClientApplication(CLIENT, client_credential=msal.dev.secret, **msal.options())
    tokens = app.acquire_token_for_client([f"{msal.dev.url}/.default"])
    assert "access_token" in tokens, tokens
    users = msal.dev.ask("GET", "/v1.0/users", Authorization=f"Bearer {tokens['access_token']}")
    assert users.status == 200
