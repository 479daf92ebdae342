#!/usr/bin/env python3
"""sbom.py PROGRAM BINARY ABOUT LINKED: prints what BINARY contains, as a CycloneDX 1.5 document."""
from __future__ import annotations

import hashlib
import json
import os
import sys
import uuid
from datetime import datetime, timezone
from pathlib import Path
from typing import Any
from urllib.parse import quote

from linked import Release, Work

LICENSE = [{"expression": "Apache-2.0"}]


def main(program: str, binary: Path, about: Path, linked: Path) -> None:
    release = Release(about, linked)
    digest = hashlib.sha256(binary.read_bytes()).hexdigest()
    components = [component(work) for work in release.works]
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_OID, digest).urn,
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), timezone.utc).isoformat(),
            "component": {
                "type": "application", "bom-ref": program, "name": program, "version": release.version,
                "hashes": [{"alg": "SHA-256", "content": digest}], "licenses": LICENSE,
            },
        },
        "components": components,
        "dependencies": [{"ref": program, "dependsOn": [each["bom-ref"] for each in components]}],
    }
    json.dump(document, sys.stdout, indent=2)
    print()


def component(work: Work) -> "dict[str, Any]":
    packages = [{"name": "debian:package", "value": f"{one.name} {one.version}"} for one in sorted(work.packages)]
    found = {
        "type": "library", "bom-ref": work.name, "name": work.name, "version": work.version,
        "licenses": [{"expression": work.license}], "purl": package_url(work),
        "externalReferences": [{"type": "website", "url": work.url}],
    }
    return {**found, "properties": packages} if packages else found


def package_url(work: Work) -> str:
    """The source package of Debian, with the version that Debian's security advisories name, or else the repository."""
    if work.packages:
        package = min(work.packages)
        return f"pkg:deb/debian/{package.source}@{quote(package.source_version, safe='')}?arch=source"
    if work.url.startswith("https://github.com/"):
        return f"pkg:github/{work.url.removeprefix('https://github.com/').removesuffix('.git')}@{work.version}"
    return f"pkg:generic/{quote(work.name)}@{quote(work.version)}"


if __name__ == "__main__":
    main(sys.argv[1], *map(Path, sys.argv[2:]))
