"""The commands of the README and of the guides, those of each page in their order, in a folder like the checkout.

What stands behind the language of a code block says what becomes of it:

- `test`: it is run. `needs=TOOL`, once or more, leaves it out where TOOL is not installed, which the test tells.
- `output`: what the block before it prints; `…` stands for any text.
- `file=NAME`: it is written to NAME.
- `by-hand`: it is not run.
"""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from conftest import ROOT

FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
COMMANDS = {"sh": ["bash", "-euo", "pipefail", "-c"], "python": [sys.executable, "-c"]}
PAGES = ["README.md", "clients/python/README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]


@dataclass
class Block:
    language: str
    text: str
    line: int
    words: "list[str]" = field(default_factory=list)
    expected: "str | None" = None

    def values(self, name: str) -> "list[str]":
        """Of words like `needs=TOOL`."""
        return [word.partition("=")[2] for word in self.words if word.startswith(f"{name}=")]


def blocks_of(page: str) -> "list[Block]":
    blocks: "list[Block]" = []
    for match in FENCE.finditer(page):
        language, *words = match["info"].split() or [""]
        if "output" in words:
            blocks[-1].expected = match["text"]
        else:
            blocks.append(Block(language, match["text"], page[:match.start()].count("\n") + 1, words))
    return blocks


def matches(expected: str, actual: str) -> bool:
    parts = (re.escape(part) for part in expected.strip().split("…"))
    return re.fullmatch(".*".join(parts), actual.strip(), re.DOTALL) is not None


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_run_and_print_what_it_says(page: str, binary: str, tmp_path: Path) -> None:
    folder = checkout_like(tmp_path, binary)
    left_out: "list[str]" = []
    for block in blocks_of((ROOT / page).read_text()):
        missing = [tool for tool in block.values("needs") if shutil.which(tool) is None]
        if missing:
            left_out.append(f"{page}:{block.line} needs {' and '.join(missing)}")
        elif "test" in block.words:
            run(block, f"{page}:{block.line}", folder)
        for name in block.values("file"):
            (folder / name).write_text(block.text)
    if left_out:
        pytest.skip("all but this was run: " + ", ".join(left_out))


def run(block: Block, place: str, folder: Path) -> None:
    home = folder.parent
    environment = {
        **os.environ, "LC_ALL": "C.UTF-8", "HOME": str(home), "XDG_STATE_HOME": str(home / "state"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": str(folder / "clients" / "python"), "PATH": f"{home / 'bin'}:{os.environ['PATH']}",
        # A key of the test's own in the place of the machine's, which only root may read.
        "SYSTEMD_CREDENTIAL_SECRET": str(home / "credential.secret")}
    environment.pop("MAMBRIDGE", None)
    done = subprocess.run([*COMMANDS[block.language], block.text], cwd=folder, env=environment, capture_output=True,
                          text=True, stdin=subprocess.DEVNULL, timeout=120)
    assert done.returncode == 0, f"{place}: status {done.returncode}\n{done.stdout}\n{done.stderr}"
    if block.expected is not None and not matches(block.expected, done.stdout):
        pytest.fail(f"{place} printed\n{done.stdout}\nbut the page says\n{block.expected}", pytrace=False)


def checkout_like(tmp_path: Path, binary: str) -> Path:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "mambridge").symlink_to(binary)
    folder = tmp_path / "checkout"
    folder.mkdir()
    for name in ("clients", "docs"):
        (folder / name).symlink_to(ROOT / name)
    return folder


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_a_page_is_run_or_says_why_not(page: str) -> None:
    silent = [f"{page}:{block.line}" for block in blocks_of((ROOT / page).read_text())
              if block.language in COMMANDS and not {"test", "by-hand"} & set(block.words) and not block.values("file")]
    assert not silent


@pytest.mark.parametrize(("expected", "actual", "same"), [
    ("a\n", "a\n", True), ("a", "b", False), ("a … c", "a b\nb c", True), ("a.c", "abc", False)])
def test_an_ellipsis_stands_for_any_text(expected: str, actual: str, same: bool) -> None:
    assert matches(expected, actual) is same
