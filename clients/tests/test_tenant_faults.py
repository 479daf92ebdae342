"""Each row of docs/tenant-faults.md names a test, and each test exists."""
from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import ROOT

DOCUMENT = (ROOT / "docs" / "tenant-faults.md").read_text()
# The introduction of the table about sign-in names the files that prove its rows.
TABLES = re.sub(r"\n## The sign-in\n.*?(?=\n## )", "", DOCUMENT, flags=re.DOTALL)
ROWS = [line for line in TABLES.splitlines() if line.startswith("| ") and not line.startswith("| fault |")]
PYTHON = "\n".join(path.read_text() for path in Path(__file__).parent.glob("test_tenant_*.py"))


def swift_suite(name: str) -> str:
    [path] = (ROOT / "Tests").glob(f"*/**/{name}.swift")
    return path.read_text()


def exists(name: str) -> bool:
    if name.startswith("["):
        parameter = name.strip("[]")
        text = PYTHON + swift_suite("SourceFaultTests")
        return f'"{parameter}"' in text or parameter.isdigit() and re.search(rf"\b{parameter}\b", PYTHON) is not None
    if name.startswith("test_"):
        return f"def {name}(" in PYTHON
    suite, function = name.split(".")
    return f"func {function}(" in swift_suite(suite)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip())
def test_every_row_of_tenant_faults_md_names_existing_tests(row: str) -> None:
    last = row.rstrip("| ").rpartition(" | ")[2]
    names = re.findall(r"`([^`]+)`", last)
    assert names or last in ("both tests below", "the first test below"), "the row names no test"
    assert [name for name in names if not exists(name)] == []


def test_the_text_of_tenant_faults_md_names_only_existing_tests() -> None:
    names = re.findall(r"`((?:test_\w+|\w+Tests\.\w+))`", DOCUMENT)
    assert names and [name for name in names if not exists(name)] == []
