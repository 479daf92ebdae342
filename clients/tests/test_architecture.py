"""docs/architecture.md shows the house as it is."""

import re
import shutil
import subprocess

import pytest
from conftest import ROOT

DOCUMENT = ROOT / "docs" / "architecture.md"


def test_diagrams_and_imports_in_architecture_md_match_the_sources():
    outcome = subprocess.run([ROOT / "scripts" / "architecture", "--check"], capture_output=True, text=True)
    assert outcome.returncode == 0, outcome.stderr


@pytest.mark.parametrize(("line", "problem"), [
    ("struct Probe { let core: Core }", "Probe.swift stores a core"),
    ("func probe(_ core: Core) {}", "Probe.swift names the core"),
    ("struct Probe { let parts: Parts }", "Probe.swift stores all parts of a core"),
    ("enum Probe { @TaskLocal static var word = 1 }", "a task-local beside the context of a call is in Probe.swift"),
])
def test_the_check_of_the_architecture_names_what_breaks_a_rule(tmp_path, line, problem):
    for name in ("Sources", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name)
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "architecture", tmp_path / "scripts")
    shutil.copy(ROOT / "Package.swift", tmp_path)
    (tmp_path / "Sources" / "Core" / "MAM" / "Wipe" / "Probe.swift").write_text(f"{line}\n")
    outcome = subprocess.run([tmp_path / "scripts" / "architecture", "--check"], capture_output=True, text=True)
    assert outcome.returncode == 1 and problem in outcome.stderr, outcome.stderr


def test_every_file_and_folder_named_in_architecture_md_exists():
    named = re.findall(r"`((?:Sources|Tests|clients|scripts|schema|Benchmarks)(?:/[\w+./-]+)?)`", DOCUMENT.read_text())
    assert len(named) > 30
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_architecture_md_describes_every_folder_and_target_in_sources():
    lines = re.findall(r"^\| (.*) \|.*?\|$", DOCUMENT.read_text(), re.M)
    described = {name for line in lines for name in re.findall(r"`([\w-]+)`", line)}
    folders = [*(ROOT / "Sources").glob("*"), *(ROOT / "Sources").glob("*/*"), *(ROOT / "Sources/Core/MAM").iterdir()]
    assert {folder.name for folder in folders} - described == set()


def test_every_target_has_a_file_that_begins_with_a_comment_on_its_purpose():
    targets = [folder for folder in (ROOT / "Sources").glob("*/*") if any(folder.glob("**/*.swift"))]
    assert len(targets) > 20
    assert [target.name for target in targets
            if not any(file.read_text().startswith(f"// {target.name} ") for file in target.glob("**/*.swift"))] == []


def test_every_symbol_named_in_architecture_md_and_concurrency_md_is_in_its_file():
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
