"""The TypeScript client: its types, its runtime, its page and its example."""
from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT

CLIENT = ROOT / "clients" / "typescript"
TYPING = CLIENT / "tests" / "typing"
BLOCKS = re.findall(r"^```ts\n(.*?)^```$", (CLIENT / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def needs(*tools: str) -> None:
    missing = [tool for tool in tools if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"needs {' and '.join(missing)}")


def run(command: list[str], folder: Path = CLIENT, **environment: str) -> str:
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def errors_of(project: Path) -> set[tuple[str, int]]:
    """The file and line of each error of the compiler."""
    needs("tsc")
    command = ["tsc", "--project", str(project), "--pretty", "false"]
    done = subprocess.run(command, cwd=CLIENT, capture_output=True, text=True, timeout=120)
    found = re.findall(r"^(\S.*?)\((\d+),\d+\): error", done.stdout, re.MULTILINE)
    assert bool(found) == bool(done.returncode), done.stdout + done.stderr
    return {(Path(name).name, int(line)) for name, line in found}


def test_the_compiler_accepts_what_is_right_and_rejects_each_mistake() -> None:
    lines = (TYPING / "typos.mts").read_text(encoding="utf-8").splitlines()
    planted = {("typos.mts", number) for number, line in enumerate(lines, 1) if line.endswith("// wrong")}
    assert len(planted) > 30
    assert errors_of(TYPING) == planted


@pytest.mark.parametrize("file", ["client.test.js", "edges.test.js", "testing.test.js"])
def test_the_tests_of_the_client(file: str, binary: str) -> None:
    needs("node", "python3")
    run(["node", "--test", f"tests/{file}"], MAMBRIDGE=binary)


def test_the_example(binary: str) -> None:
    needs("node")
    said = run(["node", "example.js", binary]).splitlines()
    assert said[0] == "enrollment: newPoliciesReceived" and said[-1].startswith("refused: ") and len(said) == 6


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A folder with the blocks of the page, compiled by their own project, and the client as a package."""
    needs("node", "tsc")
    for number, block in enumerate(BLOCKS, 1):
        (tmp_path / f"block{number}.mts").write_text(block, encoding="utf-8")
    shutil.copy(CLIENT / "tests" / "node.d.ts", tmp_path)
    options = json.loads((TYPING / "tsconfig.json").read_text())["compilerOptions"]
    options |= {"noEmit": False, "lib": ["es2022"], "paths": {}}  # The compiler finds the package as Node does.
    (tmp_path / "tsconfig.json").write_text(json.dumps({"compilerOptions": options}))
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "mambridge").symlink_to(CLIENT)
    assert not errors_of(tmp_path)
    return tmp_path


def test_the_page(page: Path, binary: str) -> None:
    (page / "mambridge").symlink_to(binary)
    expected = ["Saving to Dropbox is blocked.\n.+", "new policy for alice@contoso.example", "TimeoutError"]
    assert len(BLOCKS) == len(expected)
    for number, pattern in enumerate(expected, 1):
        said = run(
            ["node", f"block{number}.mjs"], page, PATH=f"{page}:{os.environ['PATH']}", HOME=str(page),
            XDG_STATE_HOME=str(page / f"state{number}"))
        assert re.fullmatch(pattern, said.strip()), said


def test_the_package_has_the_version_of_the_schema() -> None:
    schema = json.loads((ROOT / "schema" / "openrpc.json").read_text(encoding="utf-8"))
    assert json.loads((CLIENT / "package.json").read_text())["version"] == schema["info"]["version"]
