"""The C client: what the compiler accepts and rejects, its pages, and servers that misbehave."""
from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT, Server, first_line

pytest.importorskip("jinja2")

from generate import c  # noqa: E402

C = ROOT / "clients" / "c"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", str(C)]
WRAPPED = [f"-Wl,--wrap={name}" for name in ("malloc", "calloc", "realloc", "strdup", "pthread_create")]
SANITIZERS = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
CASES = [
    "newer-server", "wrong-values", "any-method", "garbage", "gone", "deaf", "talkative", "stray", "unblocked",
    "flood", "questions", "kept-arguments", "closed-input", "no-threads", "forked",
    "closed-by-handler", "no-memory",
]

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="the C client needs gcc")


def gcc(*arguments: object) -> "subprocess.CompletedProcess[str]":
    command = ["gcc", "-std=c11", *WARNINGS, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def build(program: Path, *sources: object) -> None:
    done = gcc("-O1", "-pthread", "-o", program, *sources, C / "mambridge.c", "-ljansson")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def edges(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("c") / "edges"
    build(program, *SANITIZERS, *WRAPPED, C / "tests" / "edges.c")
    return program


def run(*command: object) -> str:
    done = subprocess.run(
        [*map(str, command)], capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
    assert done.returncode == 0 and not done.stderr, f"status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_the_compiler_accepts_what_is_right_and_rejects_each_mistake() -> None:
    source = C / "tests" / "typos.c"
    lines = source.read_text(encoding="utf-8").splitlines()
    planted = {number for number, line in enumerate(lines, 1) if line.endswith("/* wrong */")}
    assert len(planted) > 30
    said = gcc("-fsyntax-only", "-fmax-errors=0", source).stderr
    assert {int(line) for line in re.findall(r"typos\.c:(\d+):\d+: error:", said)} == planted


@pytest.mark.parametrize(("name", "expected"), [
    ("isPINRequired", "is_pin_required"), ("default", "default_"), ("template", "template_"), ("params", "params"),
])
def test_a_name_is_no_keyword(name: str, expected: str) -> None:
    assert c.name(name) == expected


def test_a_comment_does_not_end_early() -> None:
    assert c.doc(["Any */* type."]) == "/** Any * / * type. */"


def test_a_cpp_program_can_include_the_header(tmp_path: Path) -> None:
    if shutil.which("g++") is None:
        pytest.skip("this needs g++")
    program = tmp_path / "program.cpp"
    program.write_text("#include <mambridge.h>\nint main() { mambridge_error_t error{}; mambridge_error_clear(&error); }\n")
    run("g++", "-std=c++11", *WARNINGS, "-fsyntax-only", program)


def test_the_programs_of_the_page_run(binary: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mambridge").symlink_to(binary)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    programs = re.findall(r"^```c\n(.*?)^```$", (C / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    printed = []
    for number, text in enumerate(programs):
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / f"state-{number}"))
        source = tmp_path / f"program-{number}.c"
        source.write_text(text, encoding="utf-8")
        build(source.with_suffix(""), source)
        printed.append(run(source.with_suffix("")))
    assert "Saving to Dropbox is blocked." in printed[0] and len(printed[0].splitlines()) == 2
    assert "new policy for alice@contoso.example" in printed[1]


def test_the_example_runs(binary: str, tmp_path: Path) -> None:
    build(tmp_path / "example", C / "example.c")
    assert "save to dropbox: no" in run(tmp_path / "example", binary)


@pytest.mark.parametrize("case", CASES)
def test_the_client_bears_a_server_that_misbehaves(edges: Path, case: str) -> None:
    assert run(edges, case) == ""


@pytest.fixture(scope="module", params=["thread", "address,undefined"])
def paths(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("paths") / "paths"
    done = gcc("-g", f"-fsanitize={request.param}", "-pthread", "-o", program, C / "tests" / "paths.c", "-ljansson")
    assert done.returncode == 0, done.stderr
    return program


@pytest.mark.parametrize("case", ["one-after-the-other", "together", "slow", "heard", "late", "ended"])
def test_a_caller_reads_its_own_answer_and_leaves_the_rest_to_the_reader(paths: Path, case: str) -> None:
    assert run(paths, case) == ""


def test_connects_over_tcp(edges: Path, server: Server) -> None:
    run(edges, "connection", server.address, server.token_file)


def test_connects_over_a_unix_socket(edges: Path, binary: str, state: str, tmp_path: Path) -> None:
    address = f"unix://{tmp_path}/socket"
    process = subprocess.Popen(
        [binary, "--tenant", "sample", "--state", state, "--listen", address], stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE)
    try:
        first_line(process, 30)
        run(edges, "connection", address, "")
    finally:
        process.terminate()
        process.communicate(timeout=40)
