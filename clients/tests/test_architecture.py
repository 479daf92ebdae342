"""docs/architecture.md shows the house as it is."""

import re
import subprocess

from conftest import ROOT

DOCUMENT = ROOT / "docs" / "architecture.md"


def test_the_pictures_and_the_imports_are_those_of_the_sources():
    outcome = subprocess.run([ROOT / "scripts" / "architecture", "--check"], capture_output=True, text=True)
    assert outcome.returncode == 0, outcome.stderr


def test_every_file_and_folder_that_the_page_names_exists():
    named = re.findall(r"`((?:Sources|Tests|clients|scripts|schema|Benchmarks)(?:/[\w+./-]+)?)`", DOCUMENT.read_text())
    assert len(named) > 40
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_every_room_and_target_has_its_line():
    lines = re.findall(r"^\| (.*) \|.*?\|$", DOCUMENT.read_text(), re.M)
    described = {name for line in lines for name in re.findall(r"`([\w-]+)`", line)}
    folders = [*(ROOT / "Sources").glob("*"), *(ROOT / "Sources").glob("*/*"), *(ROOT / "Sources/Core/MAM").iterdir()]
    assert {folder.name for folder in folders} - described == set()
