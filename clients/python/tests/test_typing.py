"""Type checkers accept the client and right programs, and reject planted mistakes."""
from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

PYTHON = Path(__file__).resolve().parents[1]
TYPING = PYTHON / "tests" / "typing"
PAGES = [ROOT / name for name in ("README.md", "clients/python/README.md", "docs/several-accounts.md", "docs/test-your-app.md")]
PAGES += sorted((ROOT / "docs" / "host").glob("*.md"))
PROGRAMS = ("clients/python/example.py", "clients/python/two_inboxes.py", "clients/conformance/python/driver.py",
            "clients/conformance/python/async_driver.py", "clients/conformance/python/threads_driver.py",
            "clients/conformance/python/kit_driver.py")


def mypy(*paths: Path) -> set[tuple[str, int]]:
    """The file and line of each error."""
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--cache-dir", "/dev/null", *map(str, paths)]
    run = subprocess.run(
        command, cwd=PYTHON, env={"MYPYPATH": str(PYTHON)}, capture_output=True, text=True, timeout=300)
    assert run.returncode in (0, 1), run.stdout + run.stderr
    return {(Path(name).name, int(line)) for name, line in re.findall(r"^(.+?):(\d+): error:", run.stdout, re.MULTILINE)}


def pyright(*paths: Path) -> set[tuple[str, int]]:
    pytest.importorskip("pyright")
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonversion", "3.9", *map(str, paths)]
    run = subprocess.run(command, cwd=PYTHON, capture_output=True, text=True, timeout=300)
    if run.returncode not in (0, 1):
        pytest.skip(f"pyright cannot run: {run.stderr}")
    found = json.loads(run.stdout)["generalDiagnostics"]
    return {
        (Path(error["file"]).name, error["range"]["start"]["line"] + 1) for error in found if error["severity"] == "error"}


@pytest.mark.parametrize("check", [mypy, pyright])
def test_a_type_checker_accepts_what_is_right_and_rejects_each_mistake(check: object) -> None:
    assert callable(check)
    lines = (TYPING / "typos.py").read_text(encoding="utf-8").splitlines()
    planted = {("typos.py", number) for number, line in enumerate(lines, 1) if line.endswith("# wrong")}
    assert len(planted) > 30
    assert check(PYTHON / "mambridge", TYPING / "right.py", TYPING / "typos.py") == planted


def test_a_type_checker_accepts_the_programs_and_the_examples_in_the_documents(tmp_path: Path) -> None:
    blocks = [text for page in PAGES for text in re.findall(
        r"^```python[^\n`]*\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)]
    assert len(blocks) > 20
    for number, text in enumerate(blocks):
        (tmp_path / f"block{number}.py").write_text(text, encoding="utf-8")
    assert mypy(*sorted(tmp_path.glob("*.py")), *(ROOT / program for program in PROGRAMS)) == set()
