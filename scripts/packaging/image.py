#!/usr/bin/env python3
"""image.py PROGRAM REVISION ARCHIVE ARCHITECTURE=FOLDER…: writes the container image of PROGRAM, an OCI layout in a tar
archive: one index with an image for each architecture. FOLDER has a folder for each program, with `binary`, `about.json`,
`NOTICES` and `sbom.json`, and with `system`, a link to the Debian that the program was linked in, if that is another one.

The image of mambridge contains nothing else. That of mambridge-tenant contains both programs, as a host of a tenant service
needs both, and what runtime.py takes from this Debian. The same input makes the same bytes: the time in the image is
SOURCE_DATE_EPOCH.
"""
from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import sys
import tarfile
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from runtime import Files, records_of, runtime_of
from wheel import license_expression

LICENSE = Path(__file__).resolve().parent.parent.parent / "LICENSE"
# A number, in which Kubernetes sees that the user is not root.
USER = 65532
STATE = "state"
# Docker and Podman give a new volume the owner and the mode of the folder in the image.
PRIVATE = frozenset({STATE, "run/mambridge"})
PROGRAMS = {"mambridge": ["mambridge"], "mambridge-tenant": ["mambridge", "mambridge-tenant"]}
DESCRIPTIONS = {
    "mambridge": "Intune App SDK for every language, as a JSON-RPC server",
    "mambridge-tenant": "Intune app protection policies for many hosts, over HTTPS",
}
INDEX, MANIFEST, CONFIG, LAYER = (
    f"application/vnd.oci.image.{kind}"
    for kind in ("index.v1+json", "manifest.v1+json", "config.v1+json", "layer.v1.tar+gzip"))
EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])
CREATED = datetime.fromtimestamp(EPOCH, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")

Descriptor = dict[str, Any]


class Layout:
    """An OCI image layout: blobs by their digest, and the index that names the image."""

    def __init__(self) -> None:
        self.files: Files = {"oci-layout": encoded({"imageLayoutVersion": "1.0.0"})}

    def add(self, kind: str, content: bytes) -> Descriptor:
        digest = hashlib.sha256(content).hexdigest()
        self.files[f"blobs/sha256/{digest}"] = content
        return {"mediaType": kind, "digest": f"sha256:{digest}", "size": len(content)}

    def add_image(self, program: str, labels: "dict[str, str]", layers: "list[bytes]", architecture: str) -> Descriptor:
        config = self.add(CONFIG, encoded({
            "architecture": architecture, "os": "linux", "created": CREATED, "config": settings(program, labels),
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}" for layer in layers]},
            "history": [{"created": CREATED, "created_by": "scripts/release"} for _ in layers]}))
        packed = [self.add(LAYER, gzip.compress(layer, 9, mtime=0)) for layer in layers]
        return self.add(MANIFEST, encoded({
            "schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": packed, "annotations": labels}))


def main(program: str, revision: str, archive: str, *platforms: str) -> None:
    layout, images, version = Layout(), [], ""
    for architecture, folder in (platform.split("=", 1) for platform in platforms):
        described = [json.loads(Path(folder, name, "about.json").read_text()) for name in PROGRAMS[program]]
        version = described[0]["version"]
        labels = labels_of(program, version, revision, [work for about in described for work in about["works"]])
        image = layout.add_image(program, labels, layers_of(program, Path(folder), architecture), architecture)
        images.append({**image, "platform": {"architecture": architecture, "os": "linux"}})
    index = layout.add(INDEX, encoded({"schemaVersion": 2, "mediaType": INDEX, "manifests": images}))
    index["annotations"] = {"org.opencontainers.image.ref.name": version}
    layout.files["index.json"] = encoded({"schemaVersion": 2, "mediaType": INDEX, "manifests": [index]})
    Path(archive).write_bytes(packed_tar(layout.files))


def labels_of(program: str, version: str, revision: str, works: "list[dict[str, str]]") -> "dict[str, str]":
    return {f"org.opencontainers.image.{name}": value for name, value in {
        "title": program, "description": DESCRIPTIONS[program], "version": version, "revision": revision,
        "created": CREATED, "licenses": license_expression(works)}.items()}


def layers_of(program: str, folder: Path, architecture: str) -> "list[bytes]":
    """The layer of mambridge is the same in both images, so a registry and a machine keep it once."""
    layers = [program_files(folder / name, name) for name in PROGRAMS[program]]
    if program == "mambridge-tenant":
        layers.insert(0, runtime_of(folder / program / "binary", architecture))
    return [packed_tar(files, PRIVATE) for files in layers]


def program_files(folder: Path, name: str) -> Files:
    sbom = (folder / "sbom.json").read_bytes()
    properties = [each for work in json.loads(sbom)["components"] for each in work.get("properties", [])]
    linked = {each["value"].split()[0] for each in properties if each["name"] == "debian:package"}
    system = folder / "system" if (folder / "system").exists() else "/"
    return records_of(system, sorted(linked)) | {
        f"usr/bin/{name}": (folder / "binary").read_bytes(), f"usr/share/doc/{name}/LICENSE": LICENSE.read_bytes(),
        f"usr/share/doc/{name}/NOTICES": (folder / "NOTICES").read_bytes(),
        # A name that Syft looks for, with an end that Trivy looks for.
        f"usr/share/sbom/{name}.sbom.cdx.json": sbom,
    }


def settings(program: str, labels: "dict[str, str]") -> "dict[str, Any]":
    return {
        "User": f"{USER}:{USER}", "Entrypoint": [f"/usr/bin/{program}"], "WorkingDir": "/",
        "Env": ["PATH=/usr/bin", f"MAMBRIDGE_STATE=/{STATE}", f"STATE_DIRECTORY=/{STATE}"], "Volumes": {f"/{STATE}": {}},
        "StopSignal": "SIGTERM", "Labels": labels,
    }


def packed_tar(files: Files, private: "frozenset[str]" = frozenset()) -> bytes:
    """An archive of these files and their folders; of private folders, too, which are the user's."""
    packed = io.BytesIO()
    folders = {str(parent) for path in [*files, *private] for parent in Path(path).parents} - {"."} | private
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in sorted(folders | files.keys()):
            entry, content = tarfile.TarInfo(path), files.get(path, b"")
            entry.mtime, entry.mode = EPOCH, 0o644
            if path in folders:
                entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            if path in private:
                entry.uid, entry.gid, entry.mode = USER, USER, 0o700
            if isinstance(content, str):
                entry.type, entry.linkname, content = tarfile.SYMTYPE, content, b""
            if content.startswith(b"\x7fELF"):
                entry.mode = 0o755
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def encoded(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


if __name__ == "__main__":
    main(*sys.argv[1:])
