"""The program uses no generic string algorithm or regular expression of the standard library.

They are slow, compare characters where rules mean bytes, and look for conformances at run time. Support/ByteSearch.swift
has what is needed instead.
"""
from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT

# How names of Swift's _StringProcessing module begin in symbols of objects that refer to it.
MARK = "17_StringProcessing"


def targets() -> "list[str]":
    """The targets of the picture of docs/architecture.md that `mambridge` leads to."""
    arrows = re.findall(r"^  ([\w-]+) --> (\w+)$", (ROOT / "docs" / "architecture.md").read_text(), re.M)
    found, left = set(), {"mambridge"}
    while left:
        found |= left
        left = {used for user, used in arrows if user in left} - found
    return sorted(found)


def test_the_program_uses_no_generic_string_algorithm_of_the_standard_library(binary: str) -> None:
    if not shutil.which("nm"):
        pytest.skip("nm is not installed: install binutils")
    folder = Path(binary).resolve().parent
    objects = [path for target in targets() for path in (folder / f"{target}.build").rglob("*.o")]
    if not objects:
        pytest.skip(f"{folder} has no objects: run scripts/build")
    assert len(objects) > 10 and "Support" in targets()
    told = subprocess.run(["nm", "-uA", *objects], check=True, capture_output=True, text=True, timeout=120).stdout
    # Every object names the libraries of its imports in symbols of this form.
    lines = [line for line in told.splitlines() if MARK in line and "_swift_FORCE_LOAD" not in line]
    assert not lines, "use firstPlace(of:), includes(_:) and splits by single characters:\n" + "\n".join(lines)
