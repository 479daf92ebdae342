"""nginx with the configuration of docs/tenant/network.md in front of mambridge-tenant."""
from __future__ import annotations

import http.client
import json
import re
import shutil
import ssl
import subprocess
from pathlib import Path
from typing import Any, Iterator

import pytest
from administrators import READER, WRITER
from conftest import ALICE, ROOT
from packages import system
from replicas import APP, Answer, Issuer, PostgreSQL, Replica, free_port
from replicas import Device as App
from tenants import WIPED, Authority, Device
from test_documents import blocks_of
from test_tenant_replicas import database, folder, issuer, program, publish, server, tenant  # noqa: F401
from waiting import wait_for

PAGE = blocks_of((ROOT / "docs" / "tenant" / "network.md").read_text())
[PROXY] = [block.text for block in PAGE if block.values("file") == ["mambridge.conf"]]
[HAPROXY] = [block.text for block in PAGE if block.values("file") == ["haproxy.cfg"]]
[UPSTREAM] = [block.text for block in PAGE if block.language == "nginx" and not block.words]
NGINX = """
daemon off;
master_process off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log {folder}/access.log;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
{site}
}}
"""


class Nginx:
    """The configuration of the page, with ports and a certificate of the test."""

    def __init__(self, folder: Path, authority: Authority, upstream: str = ""):
        folder.mkdir()
        self.folder, self.port, self.plain_port = folder, free_port(), free_port()
        self.certificate, self.key = authority.sign("nginx", "DNS:localhost,DNS:mam.contoso.example,IP:127.0.0.1")
        self.trust = ssl.create_default_context(cafile=str(authority.path))
        self.site = re.sub(r"upstream mambridge \{.*?\n\}\n", upstream, PROXY, flags=re.S) if upstream else PROXY
        self.process: "subprocess.Popen[bytes] | None" = None

    @property
    def url(self) -> str:
        return f"https://localhost:{self.port}"

    def start(self, *services: Replica) -> None:
        site = self.site
        for number, service in enumerate(services, 8081):
            site = site.replace(f"127.0.0.1:{number}", f"127.0.0.1:{service.address[1]}")
        site = site.replace("listen 443 ssl", f"listen 127.0.0.1:{self.port} ssl").replace("listen 80;", f"listen 127.0.0.1:{self.plain_port};")
        site = re.sub(r"/etc/letsencrypt/\S+fullchain.pem", str(self.certificate), site)
        site = re.sub(r"/etc/letsencrypt/\S+privkey.pem", str(self.key), site)
        assert "letsencrypt/live" not in site and not re.search(r"127\.0\.0\.1:808\d\b", site)
        (self.folder / "nginx.conf").write_text(NGINX.format(folder=self.folder, site=site))
        self.process = subprocess.Popen(
            ["nginx", "-c", str(self.folder / "nginx.conf"), "-p", str(self.folder), "-e", str(self.folder / "error.log")],
            stdin=subprocess.DEVNULL)
        wait_for(self._answers, "nginx listens", said=lambda: (self.folder / "error.log").read_text())

    def _answers(self) -> bool:
        assert self.process and self.process.poll() is None, (self.folder / "error.log").read_text()
        try:
            return self.request("GET", "/health/live").status > 0
        except OSError:
            return False

    def stop(self) -> None:
        if self.process:
            self.process.terminate()
            self.process.wait(20)

    def request(self, method: str, path: str, body: Any = None, authorization: str = "", seconds: float = 40) -> Answer:
        connection = http.client.HTTPSConnection("localhost", self.port, timeout=seconds, context=self.trust)
        try:
            headers = {"Content-Type": "application/json"} if body is not None else {}
            headers |= {"Authorization": authorization} if authorization else {}
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            text = response.read()
            is_json = "json" in (response.getheader("Content-Type") or "")
            return Answer(response.status, response.headers, json.loads(text) if text and is_json else text.decode())
        finally:
            connection.close()

    @property
    def log(self) -> str:
        return (self.folder / "access.log").read_text()


pytestmark = pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed: run scripts/toolchains")


def test_the_certbot_hook_copies_the_certificate_for_the_user_of_the_service(tmp_path: Path) -> None:
    [hook] = [block.text for block in PAGE if block.values("file") == ["mambridge-certificate"]]
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "hook").write_text(hook)
    debian = system("debian", tmp_path / "system", packages=tmp_path / "files")
    printed = debian.run(
        "groupadd mambridge-tenant; mkdir /etc/mambridge-tenant /tmp/live; cd /tmp/live; echo K >privkey.pem; echo C >fullchain.pem\n"
        "RENEWED_LINEAGE=/tmp/live sh -e /dist/hook\n"
        "cd /etc/mambridge-tenant; stat -c '%n %a %U %G' *; cat server.key server.pem")
    assert printed == "server.key 640 root mambridge-tenant\nserver.pem 640 root mambridge-tenant\nK\nC\n"


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path / "ca")


@pytest.fixture
def nginx(tmp_path: Path, authority: Authority) -> Iterator[Nginx]:
    made = Nginx(tmp_path / "nginx", authority)
    yield made
    made.stop()


@pytest.fixture
def service(tenant_program: str, nginx: Nginx, issuer: Issuer, tmp_path: Path, tenant: Path) -> Iterator[Replica]:  # noqa: F811
    """Started as the page says."""
    options = [str(tenant), "--trusted-proxy", "127.0.0.1", "--public-url", nginx.url, "--limit", "spread=0"]
    made = Replica(tenant_program, f"sqlite:{tmp_path / 'store'}", issuer, tmp_path / "log", *options)
    yield made.ready()
    made.stop()


def test_a_host_enrolls_waits_and_is_wiped_through_nginx(
    nginx: Nginx, service: Replica, binary: str, tenant_program: str, authority: Authority, issuer: Issuer, tmp_path: Path  # noqa: F811
) -> None:
    nginx.start(service)
    device = Device(binary, tenant_program, authority.path, tmp_path / "device", nginx.url)
    try:
        client = device.start(issuer.token(), "--app-id", APP)
        status = client.call("enrollmentManager.registerAndEnrollAccount", account=ALICE)
        assert status["didSucceed"], f"{status}\n{nginx.log}\n{service.text}"
        path = "/v1.0/deviceAppManagement/managedAppRegistrations"
        [registration] = nginx.request("GET", path, authorization=f"Bearer {issuer.token(roles=[READER])}").body["value"]
        ordered = nginx.request(
            "POST", f"/v1.0/users/{ALICE}/wipeManagedAppRegistrationsByDeviceTag", {"deviceTag": registration["deviceTag"]},
            f"Bearer {issuer.token(roles=[WRITER])}")
        assert ordered.status == 204, ordered
        # Nobody has asked for it but the host that waits.
        wait_for(lambda: device.count(WIPED) == 1, "the wipe", said=lambda: nginx.log)
        wait_for(lambda: re.search(r'"POST /mam/v1/registrations/\S+ HTTP/1.1" 20', nginx.log), "the report", said=lambda: nginx.log)
    finally:
        device.end()
    assert '"POST /mam/v1/changes HTTP/1.1" 200' in nginx.log


def test_links_name_nginx_and_http_is_redirected(nginx: Nginx, service: Replica, issuer: Issuer) -> None:  # noqa: F811
    nginx.start(service)
    links = nginx.request("GET", "/v1.0/deviceAppManagement/managedAppPolicies?$top=1", authorization=f"Bearer {issuer.token(roles=[READER])}")
    assert links.body["@odata.context"].startswith(f"{nginx.url}/v1.0/"), links
    assert nginx.request("GET", "/health/ready").body["status"] == "ready"
    plain = http.client.HTTPConnection("127.0.0.1", nginx.plain_port, timeout=20)
    plain.request("GET", "/mam/v1/", headers={"Host": "mam.contoso.example"})
    answer = plain.getresponse()
    assert (answer.status, answer.headers["Location"]) == (308, "https://mam.contoso.example/mam/v1/")
    plain.close()


def test_nginx_does_not_cut_off_a_waiting_host(nginx: Nginx, service: Replica, issuer: Issuer) -> None:  # noqa: F811
    """A poll that nothing ends lasts as long as the service says, which is less than nginx's patience."""
    nginx.start(service)
    app = App()
    revision = nginx.request("POST", "/mam/v1/check-in", app.check_in(), f"Bearer {issuer.token()}").body["revision"]
    answer = nginx.request("POST", "/mam/v1/changes", {"registrations": [{**app.credentials, "revision": revision}], "wait": 25}, seconds=90)
    assert answer.status == 200 and answer.body["changed"] == [], answer


def test_nginx_sends_all_requests_to_the_other_replica_after_one_is_killed(
    authority: Authority, issuer: Issuer, server: PostgreSQL, database: str, publish: Any, program: str, tmp_path: Path  # noqa: F811
) -> None:
    publish()
    nginx = Nginx(tmp_path / "nginx", authority, UPSTREAM)
    replicas = [Replica(program, server.url(database), issuer, tmp_path / f"{number}.log", "--public-url", nginx.url) for number in range(2)]
    try:
        nginx.start(*(replica.ready() for replica in replicas))
        app, token = App(), f"Bearer {issuer.token()}"
        assert nginx.request("POST", "/mam/v1/check-in", app.check_in(), token).status == 200
        for replica in replicas:
            wait_for(lambda: nginx.request("GET", "/mam/v1/").status == 200 and "path=/mam/v1/ " in replica.text, "both are asked")
        replicas[0].kill()
        assert {nginx.request("POST", "/mam/v1/check-in", app.check_in(), token).status for _ in range(20)} == {200}
    finally:
        nginx.stop()
        for replica in replicas:
            replica.stop()


@pytest.mark.skipif(shutil.which("haproxy") is None, reason="haproxy is not installed: run scripts/toolchains")
def test_haproxy_sends_requests_only_to_the_replica_that_is_ready(
    authority: Authority, issuer: Issuer, server: PostgreSQL, database: str, publish: Any, program: str, tmp_path: Path  # noqa: F811
) -> None:
    publish()
    port, log = free_port(), tmp_path / "haproxy.log"
    certificate, key = authority.sign("haproxy", "DNS:localhost")
    (tmp_path / "both.pem").write_text(certificate.read_text() + key.read_text())
    # Nobody has published into the database of the second one.
    stores = [server.url(database), server.make_database(f"{database}none")]
    replicas = [Replica(program, store, issuer, tmp_path / f"{number}.log") for number, store in enumerate(stores)]
    process: "subprocess.Popen[bytes] | None" = None
    try:
        text = HAPROXY.replace("bind :443", f"bind 127.0.0.1:{port}").replace("/etc/haproxy/mambridge.pem", str(tmp_path / "both.pem"))
        for number, replica in enumerate(replicas, 8081):
            text = text.replace(f"127.0.0.1:{number}", f"127.0.0.1:{replica.ready().address[1]}")
        (tmp_path / "haproxy.cfg").write_text(text.replace("inter 5s", "inter 200ms"))
        with log.open("wb") as output:
            process = subprocess.Popen(["haproxy", "-f", str(tmp_path / "haproxy.cfg")], stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        wait_for(lambda: "Server replicas/two is DOWN" in log.read_text(), "the second replica is seen", said=log.read_text)
        trust = ssl.create_default_context(cafile=str(authority.path))
        statuses = set()
        for _ in range(20):
            connection = http.client.HTTPSConnection("localhost", port, timeout=40, context=trust)
            connection.request("POST", "/mam/v1/check-in", json.dumps(App().check_in()),
                               {"Content-Type": "application/json", "Authorization": f"Bearer {issuer.token()}"})
            statuses.add(connection.getresponse().status)
            connection.close()
        assert statuses == {200}
    finally:
        if process:
            process.terminate()
            process.wait(20)
        for replica in replicas:
            replica.stop()
