"""The reference is what scripts/reference makes of the schema, and every link in the documents leads somewhere."""
from __future__ import annotations

import importlib.machinery
import importlib.util
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest
from conftest import ROOT

SCRIPT = ROOT / "scripts" / "reference"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """What the script defines, without a file beside it."""
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    loader = importlib.machinery.SourceFileLoader("reference", str(SCRIPT))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    sys.dont_write_bytecode = before
    return module


def test_reference_md_and_sdk_members_md_match_the_output_of_scripts_reference(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(SCRIPT), str(tmp_path)], timeout=60, check=True)
    written = sorted(path.name for path in tmp_path.iterdir())
    assert written == ["reference.md", "sdk-members.md"]
    stale = [name for name in written if (ROOT / "docs" / name).read_text() != (tmp_path / name).read_text()]
    assert not stale, "mend it with: scripts/schema"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_in_the_documents_leads_to_a_heading_or_a_file(page: Path, script: ModuleType) -> None:
    prose = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    targets = re.findall(r"\]\(([^)\s]+)\)", prose)
    lost = [target for target in set(targets) if not target.startswith("https:") and not leads(page, target, script)]
    assert not lost


def leads(page: Path, target: str, script: ModuleType) -> bool:
    name, _, heading = target.partition("#")
    file = page.parent / name if name else page
    return file.exists() and (not heading or heading in headings(file, script))


def headings(page: Path, script: ModuleType) -> "set[str]":
    """The anchors of a page; of two equal headings neither."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    found = Counter(script.anchor(title) for title in re.findall(r"^#+ (.*)$", text, re.MULTILINE))
    return {title for title, count in found.items() if count == 1}
