"""Builds the TypeScript and Go blocks of a page, all of one language in one run of its compiler.

The page shows a frame for each language: a program with the line `// The example.`, which each block replaces. If a
block begins with a `host`, that replaces the frame's `host`.
"""
from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Callable, Mapping

from conftest import ROOT

GO = ROOT / "clients" / "go"
TYPESCRIPT = ROOT / "clients" / "typescript"
PLACE = "// The example.\n"
FRAMES_HOST = re.compile(r"^(?:const|var) host\b.*\n", re.MULTILINE)
OWN_HOST = re.compile(r"(?:const|var) host\b.*?^};?\n", re.MULTILINE | re.DOTALL)
GO_IMPORT = re.compile(r'^\t"(?:\w+/)*(\w+)"\n', re.MULTILINE)

# The text of each block, and the command that runs it, by the line of the block on the page.
Texts = Mapping[int, str]
Commands = dict[int, list[str]]


def in_frame(frame: str, text: str, line: int) -> str:
    """The program of a block. Below the host, its lines have their numbers on the page, which compilers name."""
    host = OWN_HOST.match(text)
    lines_of_host = 0
    if host:
        frame = FRAMES_HOST.sub(lambda _: host[0], frame, count=1)
        text = text[host.end():]
        lines_of_host = host[0].count("\n")
    before, after = frame.split(PLACE)
    return before + "\n" * (line + lines_of_host - before.count("\n")) + text + after


def build_typescript(frame: str, blocks: Texts, folder: Path) -> Commands:
    for line, text in blocks.items():
        (folder / f"line-{line}.mts").write_text(in_frame(frame, text, line), encoding="utf-8")
    shutil.copy(TYPESCRIPT / "tests" / "node.d.ts", folder)
    options = json.loads((TYPESCRIPT / "tests" / "typing" / "tsconfig.json").read_text())["compilerOptions"]
    options |= {"noEmit": False, "lib": ["es2022"], "paths": {}}
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": options}))
    (folder / "node_modules").mkdir()
    (folder / "node_modules" / "mambridge").symlink_to(TYPESCRIPT)
    run(["tsc", "--pretty", "false"], folder)
    return {line: ["node", str(folder / f"line-{line}.mjs")] for line in blocks}


def build_go(frame: str, blocks: Texts, folder: Path) -> Commands:
    for line, text in blocks.items():
        assert run(["gofmt"], folder, text) == text, f"line {line}: gofmt changes the block"
        (folder / f"line-{line}").mkdir()
        program = without_unused_imports(in_frame(frame, text, line))
        (folder / f"line-{line}" / "main.go").write_text(program, encoding="utf-8")
    (folder / "go.mod").write_text(
        f"module page\n\ngo 1.19\n\nrequire mambridge v0.0.0\n\nreplace mambridge => {GO}\n", encoding="utf-8")
    run(["go", "build", "-ldflags=-s -w", "-o", "programs/", "./..."], folder)
    return {line: [str(folder / "programs" / f"line-{line}")] for line in blocks}


def without_unused_imports(program: str) -> str:
    return GO_IMPORT.sub(lambda found: found[0] if re.search(rf"\b{found[1]}\.", program) else "\n", program)


def run(command: list[str], folder: Path, text: str = "") -> str:
    environment = {**os.environ, "GOFLAGS": "-mod=readonly", "GOPROXY": "off"}
    done = subprocess.run(command, cwd=folder, env=environment, input=text, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{' '.join(command)}:\n{done.stdout}{done.stderr}"
    return done.stdout


BUILDERS: dict[str, Callable[[str, Texts, Path], Commands]] = {"ts": build_typescript, "go": build_go}
TOOLS = {"ts": ["node", "tsc"], "go": ["go", "gofmt"]}
