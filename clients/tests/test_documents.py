"""The commands of the README and of the guides, those of each page in their order, in a folder like the checkout.

The words after the language of a code block say how the block is used:

- `test`: it is run. `needs=TOOL` skips it where TOOL, a program or the path of a file, is not installed, and
  `needs='COMMAND: TEXT'` where the help of the command does not have the text; the test reports its line.
- `frame`: it is the program that the TypeScript or Go blocks of the page are put into, as snippets.py says. A page
  without frames takes those of the README.md in its folder.
- `args='…'`: the arguments of the program of a TypeScript or Go block.
- `env=NAME=VALUE`: the environment of the block has this variable.
- `output`: what the block before it prints; `…` stands for any text.
- `file=NAME`: it is written to NAME.
- `by-hand`: it is not run.
- `recorded`: `scripts/recording` draws a picture of it.
"""
from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import programs
import pytest
import snippets
from conftest import ROOT

FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
COMMANDS = {"sh": ["bash", "-euo", "pipefail", "-c"], "python": [sys.executable, "-c"]}
PAGES = ["README.md", "clients/python/README.md",
         *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))]
HOST_PAGES = [path for path in sorted((ROOT / "docs" / "host").glob("*.md")) if path.stem not in ("README", "porting")]


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
        language, *words = shlex.split(match["info"]) or [""]
        if "output" in words:
            blocks[-1].expected = match["text"]
        else:
            blocks.append(Block(language, match["text"], page[:match.start()].count("\n") + 1, words))
    return blocks


def matches(expected: str, actual: str) -> bool:
    parts = (re.escape(part) for part in expected.strip().split("…"))
    return re.fullmatch(".*".join(parts), actual.strip(), re.DOTALL) is not None


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_in_a_document_run_and_print_the_documented_output(
    page: str, binary: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    folder = checkout_like(tmp_path, binary)
    try:
        (tmp_path / "bin" / "mambridge-tenant").symlink_to(request.getfixturevalue("tenant_program"))
    except pytest.skip.Exception:
        pass  # Blocks that need it say so.
    blocks = blocks_of((ROOT / page).read_text())
    programs = programs_of(blocks, frames_of(page, blocks), folder)
    left_out: "dict[str, list[int]]" = {}
    for block in blocks:
        missing = missing_tools(block, folder)
        if missing and "frame" not in block.words:
            left_out.setdefault(" and ".join(missing), []).append(block.line)
        elif "test" in block.words:
            command = programs.get(block.line) or [*COMMANDS[block.language], block.text]
            run(command, block, f"{page}:{block.line}", folder)
        for name in block.values("file"):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(block.text)
    if left_out:
        reasons = (f"{page} needs {tools} in line {', '.join(map(str, lines))}" for tools, lines in left_out.items())
        pytest.skip("all but this was run: " + "; ".join(reasons))


def missing_tools(block: Block, folder: Path) -> "list[str]":
    needed = [*block.values("needs"), *snippets.TOOLS.get(block.language, [])]
    path = f"{folder.parent / 'bin'}:{os.environ['PATH']}"
    return [tool for tool in needed if not is_installed(tool, path)]


def is_installed(tool: str, path: str) -> bool:
    command, _, text = tool.partition(": ")
    program, *words = command.split(" ") if text else [tool]
    found = shutil.which(program, path=path)
    if not text or not found:
        return bool(found) or Path(tool).exists()
    # The help is broken into lines.
    said = subprocess.run([found, *words, "--help"], capture_output=True, text=True, timeout=60).stdout
    return text in " ".join(said.split())


def frames_of(page: str, blocks: "list[Block]") -> "list[Block]":
    frames = [block for block in blocks if "frame" in block.words]
    readme = (ROOT / page).parent / "README.md"
    if not frames and readme.exists():
        frames = [block for block in blocks_of(readme.read_text()) if "frame" in block.words]
    return frames


def programs_of(blocks: "list[Block]", frames: "list[Block]", folder: Path) -> "dict[int, list[str]]":
    """Builds the blocks that are a part of a program. Returns the command of each block, by its line."""
    commands: "dict[int, list[str]]" = {}
    home = folder.parent
    for frame in frames:
        language = frame.language
        parts = [block for block in blocks if block.language == language and "test" in block.words]
        if not parts or missing_tools(frame, folder):
            continue
        (home / language).mkdir()
        built = snippets.BUILDERS[language](frame.text, {block.line: block.text for block in parts}, home / language)
        for block in parts:
            arguments = [argument for value in block.values("args") for argument in value.split()]
            commands[block.line] = [*built[block.line], *arguments]
    return commands


def run(command: "list[str]", block: Block, place: str, folder: Path) -> None:
    home = folder.parent
    environment = {
        **os.environ, "LC_ALL": "C.UTF-8", "HOME": str(home), "XDG_STATE_HOME": str(home / "state"),
        "PYTHONDONTWRITEBYTECODE": "1",
        # In an installation, pytest finds this one by itself; others may be installed, and take seconds.
        "PYTEST_PLUGINS": "mambridge.testing.pytest_plugin", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONPATH": str(folder / "clients" / "python"), "PATH": f"{home / 'bin'}:{os.environ['PATH']}",
        "MAVEN_OPTS": f"-Duser.home={home}",
        "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(Path.home() / ".rustup")),
        # A key of the test's own in the place of the machine's, which only root may read.
        "SYSTEMD_CREDENTIAL_SECRET": str(home / "credential.secret")}
    for name in ("MAMBRIDGE", "COLUMNS", "LINES"):
        environment.pop(name, None)
    for variable in block.values("env"):
        name, _, environment[name] = variable.partition("=")
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=120)
    assert done.returncode == 0, f"{place}: status {done.returncode}\n{done.stdout}\n{done.stderr}"
    if block.expected is not None and not matches(block.expected, done.stdout):
        pytest.fail(f"{place} printed\n{done.stdout}\nbut the page says\n{block.expected}", pytrace=False)


def checkout_like(tmp_path: Path, binary: str) -> Path:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "mambridge").symlink_to(binary)
    (tmp_path / "bin" / "pytest").write_text(f'#!/bin/sh\nexec {sys.executable} -m pytest -p no:cacheprovider "$@"\n')
    (tmp_path / "bin" / "pytest").chmod(0o755)
    folder = tmp_path / "checkout"
    folder.mkdir()
    for name in ("clients", "docs"):
        (folder / name).symlink_to(ROOT / name)
    (folder / ".cargo").mkdir()
    (folder / ".cargo" / "config.toml").write_text(
        f'source.crates-io.replace-with = "debian"\nsource.debian.directory = "{programs.CRATES}"\n')
    (folder / "node_modules").mkdir()
    (folder / "node_modules" / "mambridge").symlink_to(ROOT / "clients" / "typescript")
    (tmp_path / ".m2").mkdir()
    (tmp_path / ".m2" / "settings.xml").write_text(
        "<settings><mirrors><mirror><id>debian</id><mirrorOf>*</mirrorOf>"
        f"<url>file://{programs.MAVEN}</url></mirror></mirrors></settings>")
    return folder


@pytest.mark.parametrize("page", PAGES)
def test_every_code_block_in_a_document_is_tested_or_says_why_not(page: str) -> None:
    silent = [f"{page}:{block.line}" for block in blocks_of((ROOT / page).read_text())
              if block.language in {*COMMANDS, *snippets.BUILDERS}
              and not {"test", "by-hand", "frame"} & set(block.words) and not block.values("file")]
    assert not silent


def test_the_picture_of_the_first_commands_is_up_to_date(binary: str) -> None:
    done = subprocess.run([ROOT / "scripts" / "recording", "--check"], env=os.environ | {"MAMBRIDGE": binary},
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("expected", "actual", "same"), [
    ("a\n", "a\n", True), ("a", "b", False), ("a … c", "a b\nb c", True), ("a.c", "abc", False)])
def test_an_ellipsis_in_expected_output_matches_any_text(expected: str, actual: str, same: bool) -> None:
    assert matches(expected, actual) is same


@pytest.mark.parametrize("frame", [
    "var host Host\nfunc main() {\n\t// The example.\n}\n", "const host: Host = {};\n\n// The example.\nend();\n"])
def test_a_code_block_replaces_the_host_of_its_frame_and_keeps_its_line_numbers(frame: str) -> None:
    declaration = frame.split()[0]
    host = f"{declaration} host = {{\n  a: 1,\n}}"
    program = snippets.in_frame(frame, f"{host}\n\nrun()\n", line=8)
    assert program.startswith(f"{host}\n") and program.count("host") == 1
    assert program.splitlines()[12] == "run()"


@cache
def anchors(page: Path) -> "set[str]":
    """As GitHub makes them from the headings."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text()), re.MULTILINE)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", PAGES)
def test_every_link_in_a_document_leads_to_an_existing_file_or_heading(page: str) -> None:
    dead: "list[str]" = []
    for link in re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", (ROOT / page).read_text())):
        file, _, anchor = link.partition("#")
        target = (ROOT / page).parent / file if file else ROOT / page
        if re.match(r"[a-z]+:", link):
            continue
        if not target.exists() or anchor and target.suffix == ".md" and anchor not in anchors(target.resolve()):
            dead.append(link)
    assert not dead


@pytest.mark.parametrize("page", [page for page in PAGES if page != "docs/reference.md"])
def test_every_document_but_the_reference_has_at_most_500_lines(page: str) -> None:
    assert (ROOT / page).read_text().count("\n") <= 500


@pytest.mark.parametrize("page", HOST_PAGES, ids=lambda page: page.stem)
def test_the_host_guide_shows_each_task_in_shell_python_typescript_and_go(page: Path) -> None:
    before, *sections = page.read_text().split("\n## ")
    lacking = {section.split("\n")[0]: missing for section in sections or [before]
               if (missing := {"sh", "python", "ts", "go"} - {block.language for block in blocks_of(section)})}
    assert not lacking
