"""The Go client: its own tests, its format, the mistakes that the compiler rejects, and the programs of its page."""
from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT
from test_documents import blocks_of

GO = ROOT / "clients" / "go"
DRIVER = ROOT / "clients" / "conformance" / "go"
TYPOS = GO / "testdata" / "typos" / "typos.go"
ENVIRONMENT = {**os.environ, "GOFLAGS": "-mod=readonly", "GOPROXY": "off"}

pytestmark = pytest.mark.skipif(shutil.which("go") is None, reason="go is not installed")


def go(folder: Path, *arguments: str, **more: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["go", *arguments], cwd=folder, env={**ENVIRONMENT, **more}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=300)


def test_the_go_client_passes_its_own_tests(binary: str) -> None:
    done = go(GO, "test", "./...", MAMBRIDGE=binary)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("folder", [GO, DRIVER], ids=["client", "driver"])
def test_go_vet_finds_nothing(folder: Path) -> None:
    done = go(folder, "vet", "./...")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(shutil.which("gofmt") is None, reason="gofmt is not installed")
def test_gofmt_changes_nothing() -> None:
    done = subprocess.run(["gofmt", "-l", GO, DRIVER], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_the_go_compiler_rejects_exactly_the_lines_marked_as_wrong(tmp_path: Path) -> None:
    lines = TYPOS.read_text(encoding="utf-8").splitlines()
    planted = {number for number, line in enumerate(lines, 1) if line.endswith("// wrong")}
    assert len(planted) > 30
    done = go(GO, "build", "-gcflags=-e", "-o", str(tmp_path / "typos"), "./testdata/typos")
    assert {int(line) for line in re.findall(r"typos\.go:(\d+):", done.stderr)} == planted, done.stderr


def test_the_go_example_runs(binary: str) -> None:
    done = go(GO, "run", "./example", binary)
    assert done.returncode == 0 and "refused: " in done.stdout and not done.stderr, done.stdout + done.stderr
    assert done.stdout.startswith("enrollment: newPoliciesReceived\nsave to localDrive: ")


def test_the_programs_in_the_go_readme_run(binary: str, tmp_path: Path) -> None:
    printed = [run_program(block.text, binary, tmp_path / f"line-{block.line}")
               for block in blocks_of((GO / "README.md").read_text(encoding="utf-8")) if block.language == "go"]
    assert printed == [
        "Saving to Dropbox is blocked.\nThere is nothing to protect.\n", "new policy for alice@contoso.example\n"]


def run_program(text: str, binary: str, folder: Path) -> str:
    folder.mkdir()
    (folder / "main.go").write_text(text, encoding="utf-8")
    (folder / "mambridge").symlink_to(binary)
    (folder / "go.mod").write_text(
        f"module page\n\ngo 1.19\n\nrequire mambridge v0.0.0\n\nreplace mambridge => {GO}\n", encoding="utf-8")
    assert go(folder, "build", "-o", "page").returncode == 0
    done = subprocess.run(
        [folder / "page"], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
        env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "XDG_STATE_HOME": str(folder / "state")})
    assert done.returncode == 0 and not done.stderr, done.stdout + done.stderr
    return done.stdout
