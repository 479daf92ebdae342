"""The images as containers without an engine, with the command lines of docs/containers.md: as the user of the image, with
a read-only root, and with volumes as Docker and Kubernetes make them."""
from __future__ import annotations

import json
import os
import shutil
import ssl
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Iterator

import pytest
from conftest import ALICE, ROOT
from containers import USER, Container, Image, unpacked_image, volume
from packages import dist_folder, service_dist_folder
from replicas import AUDIENCE, Issuer, PostgreSQL, free_port, postgresql_programs
from tenants import Authority
from test_documents import blocks_of
from waiting import wait_for

PAGE = {name: block.text for block in blocks_of((ROOT / "docs/containers.md").read_text()) for name in block.values("file")}
ENROLL = ["call", "enrollmentManager.registerAndEnrollAccount", f"account={ALICE}"]
DATABASE = "postgresql.contoso.example"
HOSTS = f"127.0.0.1 localhost {DATABASE} postgresql\n"


@pytest.fixture(scope="module")
def mambridge(tmp_path_factory: pytest.TempPathFactory) -> Image:
    return unpacked_image(dist_folder(), "mambridge", tmp_path_factory.mktemp("images") / "mambridge")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Image:
    return unpacked_image(service_dist_folder(), "mambridge-tenant", tmp_path_factory.mktemp("images") / "service")


def documents(name: str) -> "list[Any]":
    yaml = pytest.importorskip("yaml")
    return list(yaml.safe_load_all(PAGE[name]))


def resource(kind: str, *pages: str) -> Any:
    return next(each for page in pages for each in documents(page) if each["kind"] == kind)


class Cluster:
    """What Kubernetes makes of the volumes and the variables of a pod."""

    def __init__(self, folder: Path, secrets: "dict[str, Any]", configurations: "dict[str, Any]") -> None:
        self.folder, self.secrets, self.configurations = folder, secrets, configurations
        folder.mkdir()

    def volumes(self, pod: Any, container: Any) -> "dict[str, Path]":
        sources = {each["name"]: each for each in pod["volumes"]}
        return {each["mountPath"]: self.volume(each["name"], sources.get(each["name"], {}))
                for each in container["volumeMounts"]}

    def volume(self, name: str, source: Any) -> Path:
        place = self.folder / name
        if place.exists():
            return place
        volume(place, owner=0, mode=0o2777)
        if "configMap" in source:
            data = self.configurations[source["configMap"]["name"]]
            items = source["configMap"].get("items", [{"key": key, "path": key} for key in data])
            self.publish(place, {item["path"]: data[item["key"]] for item in items}, 0o644)
        if "secret" in source:
            self.publish(place, self.secrets[source["secret"]["secretName"]], 0o640)
        return place

    def publish(self, place: Path, files: "dict[str, str]", mode: int) -> None:
        """Links lead to the files, by a link that is replaced in one step when they change."""
        version = f"..{time.time_ns()}"
        for name, text in files.items():
            path = place / version / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            os.chown(path, 0, USER)
            path.chmod(mode)
            top = place / Path(name).parts[0]
            if not top.is_symlink():
                top.symlink_to(Path("..data") / top.name)
        (place / "..new").symlink_to(version)
        (place / "..new").replace(place / "..data")

    def environment(self, container: Any) -> "dict[str, str]":
        found = {}
        for each in container.get("env", []):
            secret = each.get("valueFrom", {}).get("secretKeyRef")
            found[each["name"]] = self.secrets[secret["name"]][secret["key"]] if secret else each["value"]
        return found

    def arguments(self, container: Any) -> "list[str]":
        words = list(container["args"])
        for name, value in self.environment(container).items():
            words = [word.replace(f"$({name})", value) for word in words]
        return words


# A command

def test_a_container_stores_its_state_in_the_volume_and_changes_no_other_file(mambridge: Image, tmp_path: Path) -> None:
    volumes = {"/state": volume(tmp_path / "state")}
    told = mambridge.run(tmp_path / "first", ["--tenant", "sample", *ENROLL], volumes)
    assert json.loads(told)["status"] == "newPoliciesReceived"
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "policy.isPINRequired", "params": {"account": ALICE}})
    told = mambridge.run(tmp_path / "second", ["--tenant", "sample"], volumes, text=f"{request}\n")
    assert json.loads(told)["result"] is True
    # Where something is mounted, an engine makes empty files.
    changes = tmp_path / "second" / "changes"
    left = {str(path.relative_to(changes)) for path in changes.rglob("*") if path.is_file()}
    assert left == {"dev/null", "dev/urandom", "etc/hosts"}


def test_a_volume_owned_by_another_user_is_refused_with_a_chown_command(mambridge: Image, tmp_path: Path) -> None:
    volumes = {"/state": volume(tmp_path / "state", owner=1000)}
    done = mambridge.finish(tmp_path / "container", ["--tenant", "sample", *ENROLL], volumes)
    assert done.returncode == 78 and f"chown -R {USER}" in done.stderr, done


# Beside an app

def test_compose_starts_mambridge_beside_an_app(mambridge: Image, tmp_path: Path) -> None:
    [compose] = documents("compose.yaml")
    described = compose["services"]["mambridge"]
    assert described["read_only"] and described["cap_drop"] == ["ALL"]
    write_tenant(tmp_path / "tenant")
    # An engine gives a new volume the owner and the mode of the folder in the image.
    places = {source: tmp_path / "tenant" if source.startswith("./") else volume(tmp_path / source)
              for source in (each.split(":")[0] for each in described["volumes"])}
    volumes = {each.split(":")[1]: places[each.split(":")[0]] for each in described["volumes"]}
    container = Container(mambridge, tmp_path / "container", described["command"], volumes)
    try:
        container.wait_for("listening")
        kind, *command = described["healthcheck"]["test"]
        assert kind == "CMD"
        assert mambridge.run(tmp_path / "probe", command, volumes, entry_point=[])
        check_policy(mambridge, compose["services"]["mail"]["environment"]["MAIL_MAM_SOCKET"], volumes, tmp_path)
    finally:
        status = container.stop()
    assert status == 0, container.text


def write_tenant(folder: Path) -> Path:
    """The tenant that the manifests have, as a folder."""
    data = resource("ConfigMap", "sidecar.yaml")["data"]
    (folder / "policies").mkdir(parents=True)
    (folder / "tenant.json").write_text(data["tenant.json"])
    (folder / "policies/ios.json").write_text(data["ios.json"])
    return folder


def check_policy(image: Image, address: str, volumes: "dict[str, Path]", folder: Path) -> None:
    """As the app does over the socket."""
    def call(*words: str) -> str:
        return image.run(folder / "app", ["call", "--connect", address, *words], volumes, entry_point=["/usr/bin/mambridge"])

    assert json.loads(call(*ENROLL[1:]))["status"] == "newPoliciesReceived"
    assert call("policy.isPINRequired", f"account={ALICE}") == "true\n"


def test_kubernetes_starts_a_sidecar_which_reads_a_changed_tenant(mambridge: Image, tmp_path: Path) -> None:
    pod = resource("StatefulSet", "sidecar.yaml")["spec"]["template"]["spec"]
    [described], [app] = pod["initContainers"], pod["containers"]
    data = resource("ConfigMap", "sidecar.yaml")["data"]
    cluster = Cluster(tmp_path / "cluster", {}, {"mail-tenant": data})
    volumes = cluster.volumes(pod, described)
    assert pod["securityContext"]["runAsUser"] == USER and described["restartPolicy"] == "Always"
    container = Container(mambridge, tmp_path / "container", cluster.arguments(described), volumes)
    try:
        container.wait_for("listening")
        for probe in ("startupProbe", "livenessProbe"):
            assert mambridge.run(tmp_path / "probe", described[probe]["exec"]["command"], volumes, entry_point=[])
        address = cluster.environment(app)["MAIL_MAM_SOCKET"]
        check_policy(mambridge, address, volumes, tmp_path)
        changed = {"tenant.json": data["tenant.json"],
                   "policies/ios.json": data["ios.json"].replace('"pinRequired": true', '"pinRequired": false')}
        cluster.publish(volumes["/tenant"], changed, 0o644)

        def call(*words: str) -> str:
            return mambridge.run(tmp_path / "app", ["call", "--connect", address, *words], volumes)

        wait_for(lambda: call("tenant.checkIn") and call("policy.isPINRequired", f"account={ALICE}") == "false\n",
                 "the changed policy applies")
    finally:
        status = container.stop()
    assert status == 0, container.text


# The service

@pytest.fixture
def database(tmp_path: Path) -> "Iterator[tuple[str, Path]]":
    """The address of PostgreSQL, which proves who it is, and its authority."""
    if postgresql_programs() is None:
        pytest.skip("PostgreSQL is not installed: run scripts/toolchains")
    authority = Authority(tmp_path / "authority")
    files = authority.sign("server", f"DNS:{DATABASE}")
    # Not below pytest's folder, which the user of the server cannot enter.
    with tempfile.TemporaryDirectory(prefix="containers-") as folder:
        Path(folder).chmod(0o711)
        server = PostgreSQL(Path(folder, "postgresql"))
        try:
            server.make_database("mam")
            server.stop()
            owner = Path(server.data).stat()
            for file, name in zip(files, ("server.crt", "server.key"), strict=True):
                placed = Path(server.data, name)
                placed.write_bytes(file.read_bytes())
                placed.chmod(0o600)
                os.chown(placed, owner.st_uid, owner.st_gid)
            server.start("ssl=on")
            yield f"{DATABASE}:{server.port}", authority.path
        finally:
            server.stop()


def health(port: int, probe: str) -> int:
    """As kubelet asks, which does not look at the certificate."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with urllib.request.urlopen(f"https://127.0.0.1:{port}{probe}", timeout=30, context=context) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


class Service:
    """The service with a database, before and after a tenant is published. What the page names is put in this machine's
    place: the port of the database, the port of the service, and the provider."""

    def __init__(self, image: Image, database: str, folder: Path) -> None:
        self.image, self.database, self.folder = image, database, folder
        self.port, self.issuer = free_port(), Issuer(folder / "issuer")
        self.certificate, self.key = Authority(folder / "tls").sign("service", "DNS:mam.contoso.example")

    def here(self, words: "list[str]") -> "list[str]":
        return [word.replace(":8443", f":{self.port}").replace("https://login.contoso.example", self.issuer.url)
                .replace("@postgresql/", f"@postgresql:{self.database.split(':')[1]}/") for word in words]

    def check(self, serve: "list[str]", publish: "list[str]", volumes: "dict[str, Path]",
              environment: "dict[str, str]", live: str, ready: str) -> None:
        options: "dict[str, Any]" = {"environment": environment, "hosts": HOSTS}
        container = Container(self.image, self.folder / "serve", self.here(serve), volumes, **options)
        try:
            container.wait_for("listening")
            assert (health(self.port, live), health(self.port, ready)) == (200, 503)
            self.image.run(self.folder / "publish", self.here(publish), volumes, **options)
            wait_for(lambda: health(self.port, ready) == 200, "the service is ready", said=lambda: container.text)
        finally:
            status = container.stop()
            self.issuer.close()
        assert status == 0, container.text


def test_kubernetes_publishes_a_tenant_and_starts_the_service(
        service: Image, database: "tuple[str, Path]", tmp_path: Path) -> None:
    made = Service(service, database[0], tmp_path)
    secrets = {"mam-store": dict(resource("Secret", "tenant-service.yaml")["stringData"]),
               "mam-tls": {"tls.crt": made.certificate.read_text(), "tls.key": made.key.read_text()}}
    secrets["mam-store"]["url"] = secrets["mam-store"]["url"].replace(DATABASE, database[0])
    cluster = Cluster(tmp_path / "cluster", secrets, {
        "mail-tenant": resource("ConfigMap", "sidecar.yaml")["data"], "postgresql-ca": {"ca.crt": database[1].read_text()}})
    pods = [resource(kind, "tenant-service.yaml")["spec"]["template"]["spec"] for kind in ("Deployment", "Job")]
    [serve], [publish] = (pod["containers"] for pod in pods)
    probes = [serve[name]["httpGet"] for name in ("livenessProbe", "readinessProbe")]
    assert [(probe["port"], probe["scheme"]) for probe in probes] == [("https", "HTTPS")] * 2
    made.check(cluster.arguments(serve), cluster.arguments(publish), cluster.volumes(pods[0], serve) |
               cluster.volumes(pods[1], publish), cluster.environment(serve), *(probe["path"] for probe in probes))


def test_compose_publishes_a_tenant_and_starts_the_service(
        service: Image, database: "tuple[str, Path]", tmp_path: Path) -> None:
    [compose] = documents("tenant-service.compose.yaml")
    made = Service(service, database[0], tmp_path)
    for name in ("publish", "serve"):
        assert compose["services"][name]["read_only"] and compose["services"][name]["environment"] == ["PGPASSWORD"]
    tls = volume(tmp_path / "files")
    for source, name in ((made.certificate, "tls.crt"), (made.key, "tls.key")):
        (tls / name).write_bytes(source.read_bytes())
    volumes = {"/tls": tls, "/tenant": write_tenant(tmp_path / "tenant")}
    mounted = {each.split(":")[1] for name in ("publish", "serve") for each in compose["services"][name]["volumes"]}
    assert mounted == volumes.keys()
    made.check(compose["services"]["serve"]["command"], compose["services"]["publish"]["command"], volumes,
               {"PGPASSWORD": "secret"}, "/health/live", "/health/ready")


def test_a_mambridge_sidecar_enrolls_at_a_service_with_a_sqlite_store(service: Image, tmp_path: Path) -> None:
    """Both from the image of the service, with volumes as Kubernetes makes them, and tokens of a command."""
    made = Service(service, "", tmp_path)
    data = resource("ConfigMap", "sidecar.yaml")["data"]
    tenant = json.loads(data["tenant.json"])
    cluster = Cluster(tmp_path / "cluster", {}, {"files": {
        "tls.crt": made.certificate.read_text(), "tls.key": made.key.read_text(),
        "ca.crt": (made.certificate.parent / "ca.pem").read_text(),
        "token": made.issuer.token(tenant["users"][0]["id"], tenant=tenant["tenantId"])}})
    files = cluster.volume("files", {"configMap": {"name": "files"}})
    shutil.copy("/bin/cat", files)
    volumes = {"/state": cluster.volume("store", {}), "/tenant": write_tenant(tmp_path / "tenant"), "/files": files}
    arguments = ["serve", "/tenant", f"--listen=https://127.0.0.1:{made.port}", "--certificate=/files/tls.crt",
                 "--private-key=/files/tls.key", f"--issuer={made.issuer.url}", f"--audience={AUDIENCE}"]
    containers = [Container(service, tmp_path / "service", arguments, volumes)]
    try:
        containers[0].wait_for("listening")
        assert (volumes["/state"] / "store.sqlite").stat().st_mode & 0o777 == 0o600
        volumes = {"/state": cluster.volume("state", {}), "/run/mambridge": cluster.volume("run", {}), "/files": files}
        address = "unix:///run/mambridge/private/socket"
        arguments = ["serve", f"--tenant=https://mam.contoso.example:{made.port}", "--state=/state/mambridge",
                     "--trust-parents", f"--listen={address}", "--token-command=/files/cat /files/token"]
        containers.append(Container(
            service, tmp_path / "sidecar", arguments, volumes, {"SSL_CERT_FILE": "/files/ca.crt"},
            entry_point=["/usr/bin/mambridge"], hosts="127.0.0.1 localhost mam.contoso.example\n"))
        containers[1].wait_for("listening")
        check_policy(service, address, volumes, tmp_path)
    finally:
        status = [container.stop() for container in containers[::-1]]
        made.issuer.close()
    assert status == [0, 0], [container.text for container in containers]


# The manifests

@pytest.mark.parametrize("page", ["sidecar.yaml", "tenant-service.yaml"])
def test_the_manifests_are_valid_for_kubernetes(page: str) -> None:
    kubernetes = pytest.importorskip("kubernetes_validate")
    for each in documents(page):
        kubernetes.validate(each, kubernetes.latest_version(), strict=True)


@pytest.mark.parametrize("page", ["compose.yaml", "sidecar.yaml", "tenant-service.compose.yaml", "tenant-service.yaml"])
def test_the_manifests_name_the_version_of_this_release(page: str) -> None:
    version = json.loads((ROOT / "schema/openrpc.json").read_text())["info"]["version"]
    named = {word.split(":")[1] for word in PAGE[page].split() if "mambridge" in word and ":0" in word or "mambridge:" in word}
    assert {name for name in named if name[:1].isdigit()} == {version}
