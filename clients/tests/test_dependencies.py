"""Package.swift fixes the version of every Swift package, also of those that others need."""
from __future__ import annotations

import json
import re

import pytest
from conftest import ROOT

PACKAGE = re.compile(r'\.package\(url: "[^"]+/(?P<name>[\w-]+?)(\.git)?", (?P<rule>\w+): "(?P<version>[^"]+)"\)')


def test_the_versions_that_are_built_are_those_of_the_manifest() -> None:
    state = ROOT / ".build" / "workspace-state.json"
    if not state.exists():
        pytest.skip("no build in .build: run scripts/build")
    packages = json.loads(state.read_text())["object"]["dependencies"]
    built = {one["packageRef"]["identity"]: one["state"]["checkoutState"]["version"] for one in packages}
    assert built == {match["name"]: match["version"] for match in PACKAGE.finditer(manifest())}


def test_the_manifest_leaves_no_choice() -> None:
    rules = [match["rule"] for match in PACKAGE.finditer(manifest())]
    assert rules == ["exact"] * manifest().count(".package(url:")


def manifest() -> str:
    return (ROOT / "Package.swift").read_text()
