"""The kit of the Java client for tests of apps: in JUnit 5, and without it."""
from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT

JAVA = ROOT / "clients" / "java"
JARS = Path("/usr/share/java")
RUNNER = JARS / "junit-platform-console-standalone.jar"
FLAGS = ["-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
STORY, SCRIPT = "--- what happened in the sandbox", "--- a script that replays it\n"

pytestmark = pytest.mark.skipif(
    not (shutil.which("javac") and (JARS / "gson.jar").is_file() and RUNNER.is_file()),
    reason="needs javac, libgoogle-gson-java and junit5")


def build(folder: Path, source: str, **environment: str) -> str:
    command = [str(JAVA / "build"), str(folder), str(JAVA / "tests" / source)]
    subprocess.run(command, env={**os.environ, **environment}, check=True, timeout=300)
    return f"{folder}:{JARS / 'gson.jar'}"


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> str:
    return build(tmp_path_factory.mktemp("java"), "KitTest.java")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where sandboxes put their folders."""
    folder = tmp_path / "run"
    folder.mkdir(mode=0o700)
    return folder


def java(binary: str, place: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["java", *FLAGS, *words], env={**os.environ, "MAMBRIDGE": binary, "XDG_RUNTIME_DIR": str(place)},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)


def junit(classes: str, binary: str, place: Path, name: str) -> "subprocess.CompletedProcess[str]":
    options = ["--disable-banner", "--disable-ansi-colors", "--details=tree"]
    return java(binary, place, "-jar", str(RUNNER), "-cp", classes, *options, "--select-class", name)


@pytest.mark.parametrize("name", ["KitTest", "KitTest$WithOptions"])
def test_the_kit_does_what_it_promises(classes: str, binary: str, place: Path, name: str) -> None:
    done = junit(classes, binary, place, name)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert list(place.iterdir()) == []


def test_each_failure_prints_the_report_once_and_nothing_else_does(classes: str, binary: str, place: Path) -> None:
    done = junit(classes, binary, place, "KitTest$Failing")
    assert "3 tests failed" in done.stdout and "1 tests aborted" in done.stdout, done.stdout
    assert done.stderr.count(STORY) == done.stderr.count(SCRIPT) == 3 and STORY not in done.stdout
    assert done.stderr.count(f"{STORY} of ") == 3 and "The story is lost" not in done.stderr and list(place.iterdir()) == []
    assert "AssertionError: policy.isSaveToAllowedForLocation should be allowed, but is blocked\n" in done.stdout


def test_a_server_that_dies_in_a_test_says_how(classes: str, binary: str, place: Path) -> None:
    done = junit(classes, binary, place, "KitTest$Killed")
    assert "ConnectionException: mambridge was killed by signal 9 (SIGKILL)" in done.stdout
    assert done.stderr == "The story is lost: mambridge was killed by signal 9 (SIGKILL)\n"


def test_a_missing_program_fails_a_test_once(classes: str, place: Path) -> None:
    done = junit(classes, "/nowhere/mambridge", place, "KitTest$WithOptions")
    assert "cannot start /nowhere/mambridge: there is no such program" in done.stdout
    assert "Suppressed" not in done.stdout and done.stderr == ""


def test_a_constructor_gets_no_sandbox(classes: str, binary: str, place: Path) -> None:
    assert "a Sandbox is of one test" in junit(classes, binary, place, "KitTest$InConstructor").stdout


def test_a_failing_verb_has_the_report_without_junit(binary: str, tmp_path: Path, place: Path) -> None:
    classes = build(tmp_path / "classes", "WithoutJUnit.java", JUNIT="")
    done = java(binary, place, "-cp", classes, "WithoutJUnit")
    assert done.returncode == 1 and done.stderr.count(STORY) == 1, done.stderr
    assert list(place.iterdir()) == []
    script = tmp_path / "replay.sh"
    script.write_text(done.stderr.partition(SCRIPT)[2])
    replayed = subprocess.run(["bash", script], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert "Saving to Dropbox is blocked." in replayed.stdout, replayed.stderr


def test_code_of_users_compiles_without_warnings(classes: str, tmp_path: Path) -> None:
    """The code of the page and of tests, with all warnings as errors. Users need no Gson to compile."""
    page = (ROOT / "docs" / "test-your-app" / "java.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```java file=(\S+)\n(.*?)```", page, re.DOTALL)
    for name, text in blocks:
        (tmp_path / name).write_text(text, encoding="utf-8")
    sources = [*tmp_path.glob("*.java"), JAVA / "Example.java", *(JAVA / "tests" / f"{name}.java" for name in ["KitTest", "WithoutJUnit"])]
    done = subprocess.run(
        ["javac", "--release", "17", "-encoding", "UTF-8", "-Xlint:all", "-Werror", "-d", tmp_path / "out",
         "-cp", f"{classes.partition(':')[0]}:{JARS / 'junit-jupiter-api.jar'}", *sources],
        capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout + done.stderr) == (0, "") and len(blocks) == 4
