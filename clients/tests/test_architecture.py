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
    assert len(named) > 30
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_every_room_and_target_has_its_line():
    lines = re.findall(r"^\| (.*) \|.*?\|$", DOCUMENT.read_text(), re.M)
    described = {name for line in lines for name in re.findall(r"`([\w-]+)`", line)}
    folders = [*(ROOT / "Sources").glob("*"), *(ROOT / "Sources").glob("*/*"), *(ROOT / "Sources/Core/MAM").iterdir()]
    assert {folder.name for folder in folders} - described == set()


def test_a_file_of_every_target_begins_with_what_the_target_is_for():
    targets = [folder for folder in (ROOT / "Sources").glob("*/*") if any(folder.glob("**/*.swift"))]
    assert len(targets) > 20
    assert [target.name for target in targets
            if not any(file.read_text().startswith(f"// {target.name} ") for file in target.glob("**/*.swift"))] == []


def test_every_symbol_of_the_walks_is_in_its_file():
    named = [(page, *symbol) for page in ("architecture", "concurrency")
             for symbol in re.findall(r"`([\w.]+)`\s+in\s+`([\w+]+\.swift)`", (ROOT / "docs" / f"{page}.md").read_text())]
    assert len(named) > 30
    missing = []
    for page, symbol, name in named:
        [file] = (ROOT / "Sources").glob(f"**/{name}")
        *owner, member = symbol.split(".")
        kinds = r"(?:func|var|let|case)" if member[0].islower() else r"(?:class|struct|enum|protocol|extension)"
        if not re.search(rf"\b{kinds} {member}\b", file.read_text()) or owner and not re.search(rf"\b{owner[0]}\b", file.read_text()):
            missing.append(f"{page}.md: {symbol} in {name}")
    assert missing == []
