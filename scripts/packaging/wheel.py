#!/usr/bin/env python3
"""wheel.py PROGRAM BINARY ABOUT NOTICES SBOM FOLDER: writes the Python wheel with the binary to FOLDER. That of mambridge
has the typed client, too.

pip puts the binary beside Python, so the program starts without Python. The same input makes the same bytes: files are
in a fixed order and have the time SOURCE_DATE_EPOCH.
"""
from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import stat
import subprocess
import sys
import time
import tomllib
import zipfile
from pathlib import Path
from typing import Any

from linked import ROOT, processor_of

CLIENT = ROOT / "clients" / "python"
# A static executable runs with every C library; these are the oldest that pip still knows on most systems.
PLATFORMS = ["manylinux_2_17", "musllinux_1_1"]
SERVICE = {
    "name": "mambridge-tenant", "description": "Intune app protection policies for many hosts of mambridge, over HTTPS",
    "classifiers": ["Operating System :: POSIX :: Linux"],
}
README = """\
# mambridge-tenant

Serves one tenant to the hosts that run mambridge, over HTTPS, and is how mambridge reaches such a service: install it beside
mambridge, then `mambridge --tenant https://mam.contoso.example` finds it. `mambridge-tenant --help` lists the commands.
"""


def main(program: str, binary: Path, about: Path, notices: Path, sbom: Path, folder: Path) -> None:
    facts = json.loads(about.read_text())
    project: "dict[str, Any]" = tomllib.loads((CLIENT / "pyproject.toml").read_text())["project"]
    if program == "mambridge":
        platforms, readme = [f"{each}_{processor_of(binary)}" for each in PLATFORMS], (CLIENT / project["readme"]).read_text()
    else:
        platforms, readme = [oldest_platform(binary)], README
        project = {**project, **SERVICE}
    release = f"{project['name'].replace('-', '_')}-{facts['version']}"
    info = f"{release}.dist-info"
    files = {
        f"{release}.data/scripts/{program}": binary.read_bytes(),
        f"{info}/METADATA": metadata(project, facts, readme).encode(),
        f"{info}/WHEEL": wheel_description(platforms).encode(),
        f"{info}/licenses/LICENSE": (ROOT / "LICENSE").read_bytes(),
        f"{info}/licenses/NOTICES": notices.read_bytes(),
        f"{info}/sboms/{sbom.name}": sbom.read_bytes(),
    }
    if program == "mambridge":
        files |= {path.relative_to(CLIENT).as_posix(): path.read_bytes() for path in client_files()}
        files[f"{info}/entry_points.txt"] = entry_points(project["entry-points"]).encode()
    files[f"{info}/RECORD"] = record(files, f"{info}/RECORD").encode()
    write(folder / f"{release}-py3-none-{'.'.join(platforms)}.whl", files)


def oldest_platform(binary: Path) -> str:
    """That of the oldest glibc which has all that the binary uses."""
    needed = subprocess.run(["readelf", "--wide", "--version-info", binary], check=True, capture_output=True, text=True)
    return f"manylinux_2_{max(map(int, re.findall(r'GLIBC_2[.]([0-9]+)', needed.stdout)))}_{processor_of(binary)}"


def client_files() -> "list[Path]":
    package = CLIENT / "mambridge"
    return sorted([*package.rglob("*.py"), package / "py.typed"])


def metadata(project: "dict[str, Any]", about: "dict[str, Any]", readme: str) -> str:
    fields = [
        ("Metadata-Version", "2.4"), ("Name", project["name"]), ("Version", about["version"]),
        ("Summary", project["description"]), ("License-Expression", license_expression(about["works"])),
        ("License-File", "LICENSE"), ("License-File", "NOTICES"), ("Requires-Python", project["requires-python"]),
        *(("Classifier", classifier) for classifier in project["classifiers"]),
        ("Description-Content-Type", "text/markdown"),
    ]
    return "".join(f"{name}: {value}\n" for name, value in fields) + "\n" + readme


def license_expression(works: "list[dict[str, str]]") -> str:
    """The license of our own code, and those of the works in the binary."""
    own = "Apache-2.0"
    others = {term for work in works for term in work["license"].split(" AND ")}
    return " AND ".join([own, *sorted(others - {own})])


def wheel_description(platforms: "list[str]") -> str:
    tags = "".join(f"Tag: py3-none-{platform}\n" for platform in platforms)
    return f"Wheel-Version: 1.0\nGenerator: mambridge scripts/release\nRoot-Is-Purelib: false\n{tags}"


def entry_points(groups: "dict[str, dict[str, str]]") -> str:
    """What other programs find by itself: pytest finds the kit for tests."""
    return "\n".join(
        f"[{group}]\n" + "".join(f"{name} = {place}\n" for name, place in sorted(points.items()))
        for group, points in sorted(groups.items()))


def record(files: "dict[str, bytes]", own_name: str) -> str:
    def digest(content: bytes) -> str:
        return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")

    lines = [f"{name},sha256={digest(content)},{len(content)}\n" for name, content in sorted(files.items())]
    return "".join(lines) + f"{own_name},,\n"


def write(path: Path, files: "dict[str, bytes]") -> None:
    date = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, date)
            mode = 0o755 if "/scripts/" in name else 0o644
            entry.external_attr = (stat.S_IFREG | mode) << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)


if __name__ == "__main__":
    main(sys.argv[1], *map(Path, sys.argv[2:]))
