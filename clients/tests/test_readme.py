"""The README's commands, run in their order in a temporary folder that looks like the checkout.

A code block whose info string has the word `test` is run. A block with the word `output` after it is what it prints;
`…` in it stands for any text.
"""
from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import ROOT

FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass
class Block:
    language: str
    text: str
    line: int
    expected: str | None = None


def runnable_blocks(readme: str) -> list[Block]:
    blocks: list[Block] = []
    for match in FENCE.finditer(readme):
        language, *words = match["info"].split() or [""]
        if "test" in words:
            blocks.append(Block(language, match["text"], readme[:match.start()].count("\n") + 1))
        elif "output" in words:
            blocks[-1].expected = match["text"]
    return blocks


def matches(expected: str, actual: str) -> bool:
    parts = (re.escape(part) for part in expected.strip().split("…"))
    return re.fullmatch(".*".join(parts), actual.strip(), re.DOTALL) is not None


def test_the_commands_of_the_readme_run_and_print_what_it_says(binary: str, tmp_path: Path) -> None:
    folder = checkout_like(tmp_path, binary)
    environment = {
        **os.environ, "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state"), "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": str(folder / "clients" / "python"), "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    environment.pop("MAMBRIDGE", None)
    blocks = runnable_blocks((ROOT / "README.md").read_text())
    assert len(blocks) > 3
    for block in blocks:
        command = {"sh": ["bash", "-euo", "pipefail", "-c"], "python": [sys.executable, "-c"]}[block.language]
        run = subprocess.run([*command, block.text], cwd=folder, env=environment, capture_output=True, text=True,
                             stdin=subprocess.DEVNULL, timeout=120)
        place = f"README.md:{block.line}"
        assert run.returncode == 0, f"{place}: status {run.returncode}\n{run.stdout}\n{run.stderr}"
        if block.expected is not None and not matches(block.expected, run.stdout):
            pytest.fail(f"{place} printed\n{run.stdout}\nbut the README says\n{block.expected}", pytrace=False)


def checkout_like(tmp_path: Path, binary: str) -> Path:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "mambridge").symlink_to(binary)
    folder = tmp_path / "checkout"
    folder.mkdir()
    for name in ("clients", "docs"):
        (folder / name).symlink_to(ROOT / name)
    return folder


@pytest.mark.parametrize(("expected", "actual", "same"), [
    ("a\n", "a\n", True), ("a", "b", False), ("a … c", "a b\nb c", True), ("a.c", "abc", False)])
def test_an_ellipsis_stands_for_any_text(expected: str, actual: str, same: bool) -> None:
    assert matches(expected, actual) is same
