"""The Java client: its page and its example run, and the compiler rejects planted mistakes."""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

JAVA = ROOT / "clients" / "java"
TESTS = JAVA / "tests"
FAKE = ROOT / "clients" / "python" / "tests" / "fake.py"
GSON = Path("/usr/share/java/gson.jar")
FLAGS = ["-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
PROGRAM = "{imports}\nfinal class Program {{\n    public static void main(String[] arguments) throws Exception {{\n{body}\n    }}\n}}\n"

pytestmark = pytest.mark.skipif(not (shutil.which("javac") and GSON.is_file()), reason=f"needs javac and {GSON}")


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The class path of the client and of the checks."""
    folder = tmp_path_factory.mktemp("java")
    sources = [TESTS / "Checks.java", TESTS / "Paths.java", JAVA / "Example.java"]
    subprocess.run([str(JAVA / "build"), str(folder), *map(str, sources)], check=True, timeout=300)
    return f"{folder}:{GSON}"


def java(classes: str, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["java", *FLAGS, "-cp", classes, *words], env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=120)


def test_the_compiler_rejects_each_mistake_and_nothing_else(classes: str, tmp_path: Path) -> None:
    lines = (TESTS / "Typos.java").read_text(encoding="utf-8").splitlines()
    planted = {number for number, line in enumerate(lines, 1) if line.endswith("// wrong")}
    assert len(planted) > 28
    source = str(TESTS / "Typos.java")
    command = ["javac", "--release", "17", "-Xmaxerrs", "1000", "-cp", classes, "-d", str(tmp_path), source]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert {int(line) for line in re.findall(r"Typos\.java:(\d+): error:", run.stderr)} == planted


def test_the_programs_of_the_page_run(classes: str, binary: str, tmp_path: Path) -> None:
    (tmp_path / "mambridge").symlink_to(binary)
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "XDG_STATE_HOME": str(tmp_path / "state"), "HOME": str(tmp_path)}
    blocks = re.findall(r"^```java\n(.*?)^```$", (JAVA / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    printed = [run_block(classes, block, tmp_path, environment) for block in blocks]
    assert printed[0].startswith("Saving to Dropbox is blocked.\n") and printed[2] == "true\n", printed


def run_block(classes: str, block: str, folder: Path, environment: dict[str, str]) -> str:
    lines = block.splitlines()
    imports = [line for line in lines if line.startswith("import ")]
    program = folder / "Program.java"
    body = "\n".join(line for line in lines if line not in imports)
    program.write_text(PROGRAM.format(imports="\n".join(imports), body=body), encoding="utf-8")
    run = java(classes, str(program), **environment)
    assert run.returncode == 0 and not run.stderr, run.stderr
    return run.stdout


def test_the_example_prints_the_same_as_the_python_example(classes: str, binary: str) -> None:
    run = java(classes, "Example", binary)
    expected = subprocess.run(
        [sys.executable, str(ROOT / "clients" / "python" / "example.py"), binary], capture_output=True, text=True, timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT / "clients" / "python")})
    assert (run.stdout, run.stderr, run.returncode) == (expected.stdout, "", 0)


@pytest.mark.parametrize("check", re.findall(r'case "([^"]+)"', (TESTS / "Checks.java").read_text(encoding="utf-8")))
def test_the_client_does_what_it_promises(classes: str, binary: str, tmp_path: Path, check: str) -> None:
    run = java(classes, "Checks", check, binary, str(tmp_path), sys.executable, str(FAKE))
    assert (run.stdout, run.returncode) == ("done\n", 0), run.stdout + run.stderr


@pytest.mark.parametrize("case", re.findall(r'case "([^"]+)"', (TESTS / "Paths.java").read_text(encoding="utf-8")))
def test_a_caller_reads_its_own_answer_and_leaves_the_rest_to_the_threads(
    classes: str, binary: str, tmp_path: Path, case: str,
) -> None:
    run = java(classes, "mambridge.Paths", case, binary, str(tmp_path / "state"), sys.executable)
    assert (run.stdout, run.returncode) == ("done\n", 0), run.stdout + run.stderr
