"""scripts/plant: its table fits the sources, and its verdicts are right."""
from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT
from waiting import wait_for

TABLE = "Tests/Planted/faults.txt"
SWIFT = """#!/bin/sh
echo "$1" >>"$RUNS"
case $1 in
  build) ! grep -q broken Sources/a.swift ;;
  test) if grep -q slow Sources/a.swift; then echo slow >>"$RUNS"; sleep 600; fi
    echo "Test run with $(cat Tests/count) tests"; ! grep -q wrong Sources/a.swift && ! grep -q fails Tests/GoodTests.swift ;;
esac
"""
FAULT = """# A comment
fault one
file Sources/a.swift
kind wrong
tests GoodTests
- return right
+ return {value}
"""


def test_every_planted_fault_fits_the_sources_and_names_existing_tests() -> None:
    listed = subprocess.run([ROOT / "scripts" / "plant", "--list"], capture_output=True, text=True)
    assert listed.returncode == 0, listed.stderr
    assert len(listed.stdout.splitlines()) >= 30
    files = [(path.parts, path.read_text()) for path in (ROOT / "Tests").rglob("*.swift")]
    for name in re.findall(r"^tests (.+)$", (ROOT / TABLE).read_text(), re.MULTILINE):
        for test in name.split():
            if ".py" in test:
                file, _, function = test.partition("::")
                assert f"def {function.split('[')[0]}(" in (ROOT / "clients" / "tests" / file).read_text(), test
            else:
                target, suite, function = re.fullmatch(r"(?:(\w+)\.)?(\w+)(?:/(\w+))?", test).groups(default="")
                assert [parts for parts, text in files if not target or target in parts
                        if f"struct {suite}" in text and f"func {function}" in text], test


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "checkout"
    for folder in ("scripts", "Sources", "Tests/Planted"):
        (root / folder).mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "plant", root / "scripts")
    (root / "Sources" / "a.swift").write_text("func a() {\n  return right\n}\n")
    (root / "Tests" / "GoodTests.swift").write_text("passes\n")
    (root / "Tests" / "count").write_text("1")
    subprocess.run(["git", "init", "-q", root], check=True)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "swift").write_text(SWIFT)
    (tmp_path / "bin" / "swift").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setenv("RUNS", str(tmp_path / "runs"))
    return root


def plant(checkout: Path, *arguments: str, value: str = "wrong") -> "subprocess.CompletedProcess[str]":
    (checkout / TABLE).write_text(FAULT.format(value=value))
    # The copy is the checkout itself.
    return subprocess.run(["python3", checkout / "scripts" / "plant", "--copy", checkout, *arguments],
                          capture_output=True, text=True, cwd=checkout, timeout=60)


@pytest.mark.parametrize(("value", "verdict", "code"), [
    ("wrong", "caught", 0), ("another right", "lived", 1), ("broken", "does not build", 1)])
def test_plant_reports_whether_a_fault_is_caught(checkout: Path, value: str, verdict: str, code: int) -> None:
    run = plant(checkout, value=value)
    assert run.returncode == code and f"one: {verdict}" in run.stdout, run.stderr
    assert re.search(rf"^{verdict} +wrong +one$", run.stdout, re.MULTILINE)
    assert (checkout / "Sources" / "a.swift").read_text() == "func a() {\n  return right\n}\n"


def test_plant_keeps_a_verdict_until_the_faulty_file_or_its_tests_change(checkout: Path, tmp_path: Path) -> None:
    runs = lambda: (tmp_path / "runs").read_text().split()
    assert plant(checkout).returncode == 0 and runs() == ["build", "test", "build", "test"]
    assert plant(checkout).returncode == 0 and len(runs()) == 4, "nothing is run again"
    (checkout / "Tests" / "GoodTests.swift").write_text("passes still\n")
    assert plant(checkout).returncode == 0 and len(runs()) == 8
    (checkout / "Sources" / "a.swift").write_text("// new\nfunc a() {\n  return right\n}\n")
    assert plant(checkout).returncode == 0 and len(runs()) == 12


def test_plant_fails_if_the_tests_fail_without_a_fault(checkout: Path) -> None:
    (checkout / "Tests" / "GoodTests.swift").write_text("fails\n")
    run = plant(checkout)
    assert run.returncode == 2 and "the tests fail without a fault: see " in run.stderr


def test_plant_fails_if_no_test_has_the_given_name(checkout: Path) -> None:
    (checkout / "Tests" / "count").write_text("0")
    run = plant(checkout)
    assert run.returncode == 1 and "no test has the name GoodTests: see " in run.stderr


def test_plant_restores_the_source_when_it_is_terminated(checkout: Path, tmp_path: Path) -> None:
    (checkout / TABLE).write_text(FAULT.format(value="slow"))
    process = subprocess.Popen(["python3", checkout / "scripts" / "plant", "--copy", checkout], cwd=checkout)
    runs = tmp_path / "runs"
    wait_for(lambda: runs.exists() and "slow" in runs.read_text(), "the fault is not planted")
    process.terminate()
    assert process.wait(60) == 143
    assert (checkout / "Sources" / "a.swift").read_text() == "func a() {\n  return right\n}\n"


def test_plant_names_a_fault_that_no_longer_fits_the_sources(checkout: Path, tmp_path: Path) -> None:
    (checkout / "Sources" / "a.swift").write_text("return right\nreturn right\n")
    run = plant(checkout)
    assert run.returncode == 1 and not (tmp_path / "runs").exists()
    assert run.stderr == "one: the text to replace is 2 times in Sources/a.swift, and must be once\n"


def test_plant_names_an_unknown_fault(checkout: Path) -> None:
    run = plant(checkout, "two")
    assert run.returncode == 1 and run.stderr == "plant: there is no fault two\n"
