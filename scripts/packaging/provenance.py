#!/usr/bin/env python3
"""provenance.py DIST COMMIT REPOSITORY [PROGRAM ARCHITECTURE BINARY ABOUT LINKED]…: prints from what the files in DIST were
made, as an in-toto statement (v1) with a predicate of SLSA (provenance v1). REPOSITORY is the URL of the apt repository, or
empty; five arguments describe each executable.

The materials are the commit, the Swift packages with their commits, and the files of Debian's packages and of Swift that
were linked, with their SHA-256. MAMBRIDGE_BUILDER is a URI that names who made the release. Nothing of the machine or of the
time is in it, so the same commit with the same REPOSITORY and MAMBRIDGE_BUILDER makes the same bytes.
"""
from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote

from linked import OF_BUILD, ROOT, debian_packages, linked_files, system_of, works_of

BUILD_TYPE = "https://mambridge.example/docs/release.md#make-a-release"
UNNAMED_BUILDER = "urn:mambridge:builder:unnamed"
# The part of a path that is the same on each machine.
OF_SWIFT = re.compile(r"/(usr/lib/(?:swift_static|clang)/.*)")


def main(dist: str, commit: str, repository: str, *executables: str) -> None:
    if not executables or len(executables) % 5:
        sys.exit("usage: provenance.py DIST COMMIT REPOSITORY [PROGRAM ARCHITECTURE BINARY ABOUT LINKED]…")
    given = list(zip(*[iter(executables)] * 5))
    abouts = [json.loads(Path(about).read_text()) for _, _, _, about, _ in given]
    found = {descriptor["name"]: descriptor for (_, architecture, _, _, linked), about in zip(given, abouts)
             for descriptor in materials(architecture, about, Path(linked))}
    statement = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": path.relative_to(dist).as_posix(), "digest": {"sha256": sha256(path)}}
                    for path in sorted(Path(dist).rglob("*")) if path.is_file()],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD_TYPE,
                "externalParameters": {
                    **({"repository": repository} if repository else {}),
                    "executables": [{"program": program, "architecture": architecture, "sha256": sha256(Path(binary))}
                                    for program, architecture, binary, _, _ in given]},
                # Built before, so that only who set the variable knows from which commit.
                "internalParameters": {"givenExecutables": [name for name in (
                    "MAMBRIDGE", "MAMBRIDGE_TENANT_PROGRAM", "MAMBRIDGE_ARM64") if os.environ.get(name)]},
                "resolvedDependencies": [source(commit, abouts[0]["version"]), *(found[name] for name in sorted(found))],
            },
            "runDetails": {"builder": {"id": os.environ.get("MAMBRIDGE_BUILDER") or UNNAMED_BUILDER}},
        },
    }
    json.dump(statement, sys.stdout, indent=2)
    print()


def source(commit: str, version: str) -> "dict[str, Any]":
    found: "dict[str, Any]" = {
        "name": "mambridge", "uri": f"pkg:generic/mambridge@{version}", "digest": {"gitCommit": commit}}
    changed = subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, check=True, capture_output=True).stdout
    return {**found, "annotations": {"hasUncommittedChanges": True}} if changed else found


def materials(architecture: str, about: "dict[str, Any]", linked: Path) -> "list[dict[str, Any]]":
    files = linked_files(linked)
    packages = debian_packages(files)
    system = system_of(files)
    [swift] = [work["version"] for work in about["works"] if work["name"] == "Swift"]
    found = swift_packages(files, works_of(linked))
    for file in files:
        if package := packages.get(file):
            url = f"pkg:deb/debian/{package.name}@{quote(package.version, safe='')}?arch={architecture}"
            found.append(linked_file(file, f"{package.name}{file.removeprefix(system)}", url))
        elif part := OF_SWIFT.search(file):
            found.append(linked_file(file, f"swift/{architecture}/{part[1]}", f"pkg:generic/swift@{swift}"))
    return found


def linked_file(file: str, name: str, url: str) -> "dict[str, Any]":
    return {"name": name, "uri": url, "digest": {"sha256": sha256(Path(file))}}


def swift_packages(files: "list[str]", works: "set[str]") -> "list[dict[str, Any]]":
    """Those that were linked, with their commits."""
    folders = {match[1] for file in files if (match := OF_BUILD.match(file))}
    found = []
    for folder in sorted(folders):
        for each in json.loads(Path(folder, "workspace-state.json").read_text())["object"]["dependencies"]:
            package, state = each["packageRef"], each["state"]["checkoutState"]
            if package["identity"] in works:
                found.append({"name": package["identity"], "uri": f"git+{package['location']}@{state['version']}",
                              "digest": {"gitCommit": state["revision"]}})
    return found


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    main(*sys.argv[1:])
