"""Package.swift fixes the version of every Swift package, also of those that others need."""
from __future__ import annotations

import json
import re

import pytest
from conftest import ROOT

PACKAGE = re.compile(r'\.package\(\s*url: "[^"]+/(?P<name>[\w-]+?)(\.git)?", (?P<rule>\w+): "(?P<version>[^"]+)"')
# What the tenant service needs: its URL, a product and the version.
NETWORK = re.compile(r'\("[^"]+/(?P<name>[\w-]+?)\.git", "\w+", "(?P<version>[^"]+)"\)')


def test_the_build_uses_the_package_versions_in_package_swift() -> None:
    state = ROOT / ".build" / "workspace-state.json"
    if not state.exists():
        pytest.skip("no build in .build: run scripts/build")
    packages = json.loads(state.read_text())["object"]["dependencies"]
    built = {one["packageRef"]["identity"]: one["state"]["checkoutState"]["version"] for one in packages}
    text = manifest()
    fixed = {match["name"]: match["version"] for match in PACKAGE.finditer(text)}
    network = {match["name"]: match["version"] for match in NETWORK.finditer(text)}
    assert len(built) > 3 and network
    assert built.items() <= (fixed | network).items()


def test_package_swift_fixes_every_package_to_an_exact_version() -> None:
    rules = [match["rule"] for match in PACKAGE.finditer(manifest())]
    assert set(rules) == {"exact"} and len(rules) == manifest().count(".package(url: \"")
    assert manifest().count(".package(url: $0.url, exact: $0.version") == manifest().count(".package(url: $0.url") > 0


def manifest() -> str:
    return (ROOT / "Package.swift").read_text()
