"""scripts/plant: its table fits the sources, and its verdicts are right."""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT
from waiting import wait_for

TABLE = "Tests/Planted/faults.txt"
# Builds what has no syntax error, as the compiler reports one.
SWIFT = """#!/bin/sh
echo "$1" >>"$RUNS"
mkdir -p .build/debug
cp "$PROGRAM" .build/debug/mambridgePackageTests.xctest
line=$(grep -n broken Sources/a.swift | cut -d: -f1)
[ -z "$line" ] || { echo "$PWD/Sources/a.swift:$line:3: error: it is broken" >&2; exit 1; }
"""
# The tests fail for a process with a fault that says "wrong", and notice no place of a fault that says "unreached".
PROGRAM = """#!/bin/sh
echo test >>"$RUNS"
if [ -n "$MAMBRIDGE_PLANTED" ] && grep -q slow Sources/a.swift; then echo slow >>"$RUNS"; sleep 600; fi
if grep -q unreached Sources/a.swift; then head -c 1048576 /dev/zero >"${MAMBRIDGE_REACHED:-/dev/null}"; fi
echo "Test run with $(cat Tests/count) tests"
{ [ -z "$MAMBRIDGE_PLANTED" ] || ! grep -q wrong Sources/a.swift; } && ! grep -q fails Tests/GoodTests.swift
"""
FAULT = """# A comment
fault one
file Sources/a.swift
kind wrong
tests GoodTests
- return right
+ return {value}
"""
SOURCE = "func a() {\n  return right\n}\n"


MODULE_MAPS = {"Base/CJansson", "Base/COpenSSL", "Base/CSQLite", "Base/CZlib"}
BUILT_IN_PAGES = {"Base/CTexts", "Program/Console", "Service/DevelopmentPage"}


def targets() -> "set[str]":
    return {f"{path.parent.name}/{path.name}" for path in (ROOT / "Sources").glob("*/*") if path.is_dir()}


def test_every_planted_fault_fits_the_sources_and_names_existing_tests() -> None:
    listed = subprocess.run([ROOT / "scripts" / "plant", "--list"], capture_output=True, text=True)
    assert listed.returncode == 0, listed.stderr
    assert len(listed.stdout.splitlines()) >= 150
    planted = set(re.findall(r"^file Sources/(\w+/[\w-]+)/", (ROOT / TABLE).read_text(), re.MULTILINE))
    assert targets() - planted == MODULE_MAPS | BUILT_IN_PAGES
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
    for folder in ("scripts", "Sources/Base/CGlibc/include", "Tests/Planted"):
        (root / folder).mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "plant", root / "scripts")
    shutil.copy(ROOT / "Tests" / "Planted" / "faults.py", root / "Tests" / "Planted")
    for name in ("Package.swift", "Sources/Base/CGlibc/CGlibc.c", "Sources/Base/CGlibc/include/CGlibc.h"):
        (root / name).touch()
    (root / "Sources" / "a.swift").write_text(SOURCE)
    (root / "Tests" / "GoodTests.swift").write_text("passes\n")
    (root / "Tests" / "count").write_text("1")
    (root / ".gitignore").write_text("__pycache__\n")
    subprocess.run(["git", "init", "-q", root], check=True)
    (tmp_path / "bin").mkdir()
    for name, text in (("swift", SWIFT), ("program", PROGRAM)):
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("PROGRAM", str(tmp_path / "bin" / "program"))
    monkeypatch.setenv("RUNS", str(tmp_path / "runs"))
    return root


def command(checkout: Path, *arguments: str) -> "list[str | Path]":
    return [sys.executable, checkout / "scripts" / "plant", "--copy", checkout.parent / "copy", "--results",
            checkout.parent / "results", *arguments]


def plant(checkout: Path, *arguments: str, table: str = FAULT.format(value="wrong")) -> "subprocess.CompletedProcess[str]":
    (checkout / TABLE).write_text(table)
    return subprocess.run(command(checkout, *arguments), capture_output=True, text=True, cwd=checkout, timeout=60)


@pytest.mark.parametrize(("value", "verdict", "code"), [
    ("wrong", "caught", 0), ("another right", "lived", 1), ("broken", "does not build", 1)])
@pytest.mark.parametrize("form", ["", "alone\n"], ids=["switched", "alone"])
def test_plant_reports_whether_a_fault_is_caught(checkout: Path, form: str, value: str, verdict: str, code: int) -> None:
    run = plant(checkout, table=FAULT.format(value=value) + form)
    assert run.returncode == code and f"one: {verdict}" in run.stdout, run.stderr
    assert re.search(rf"^{verdict} +wrong +one$", run.stdout, re.MULTILINE)
    assert (checkout / "Sources" / "a.swift").read_text() == SOURCE
    assert ("built alone (say so in the table): one" in run.stdout) == (value == "broken" and not form)


@pytest.mark.parametrize(("form", "verdict"), [("", "lived, not reached"), ("alone\n", "lived")], ids=["switched", "alone"])
def test_plant_says_that_no_test_has_reached_a_switch(checkout: Path, form: str, verdict: str) -> None:
    run = plant(checkout, table=FAULT.format(value="unreached") + form)
    assert run.returncode == 1 and f"one: {verdict} (" in run.stdout, run.stderr


@pytest.mark.parametrize(("lines", "source"), [
    ("- return right\n+ return wrong", """func a() {{
  if ({0} != 0) {{
  return wrong
  }} else {{
  return right
  }}
}}
"""),
    ("- return right", "func a() {{\n  if ({0} == 0) {{\n  return right\n  }}\n}}\n"),
    ("- return «right»\n+ return «wrong»", "func a() {{\n  return ({0} != 0 ? (wrong) : (right))\n}}\n"),
    ("= func a() {\n+ note()", "func a() {{\n  if ({0} != 0) {{\n  note()\n  }}\n  return right\n}}\n"),
], ids=["statement", "removed", "expression", "added"])
def test_a_switched_fault_keeps_the_old_text_for_processes_without_it(checkout: Path, lines: str, source: str) -> None:
    plant(checkout, table=FAULT[:FAULT.index("- ")] + lines + "\n")
    planted = (checkout.parent / "copy" / "Sources" / "a.swift").read_text()
    switch = re.search(r"mambridge_planted\(\d+\)", planted)
    assert switch and planted.replace(" ", "") == ("import CGlibc\n" + source.format(switch[0])).replace(" ", "")


def test_a_fault_beside_the_declaration_of_the_switch_leaves_it_there(checkout: Path) -> None:
    file = "Sources/Base/CGlibc/CGlibc.c"
    (checkout / file).write_text("int right;\n")
    plant(checkout, table=FAULT[:FAULT.index("- ")].replace("Sources/a.swift", file) + "- int right;\n+ int wrong;\n")
    planted = (checkout.parent / "copy" / file).read_text()
    assert planted.startswith("int wrong;\n")
    assert "int mambridge_planted(unsigned int number) {" in planted


def test_one_build_has_all_switches_and_a_second_has_those_on_the_same_lines(checkout: Path, tmp_path: Path) -> None:
    (checkout / "Sources" / "a.swift").write_text("first\nreturn right\n")
    names = [FAULT.replace("one", name).format(value="wrong") for name in ("one", "two", "three")]
    run = plant(checkout, table="".join(names).replace("- return right", "- first", 1))
    assert run.returncode == 0 and "3 of 3 faults are caught" in run.stdout, run.stderr
    assert (tmp_path / "runs").read_text().split() == ["build", "test", "test", "test", "build", "test", "test"]


def test_plant_keeps_a_verdict_until_the_faulty_file_or_its_tests_change(checkout: Path, tmp_path: Path) -> None:
    runs = lambda: (tmp_path / "runs").read_text().split()
    assert plant(checkout).returncode == 0 and runs() == ["build", "test", "test"]
    assert plant(checkout).returncode == 0 and len(runs()) == 3, "nothing is run again"
    (checkout / "Tests" / "GoodTests.swift").write_text("passes still\n")
    assert plant(checkout).returncode == 0 and len(runs()) == 6
    (checkout / "Sources" / "a.swift").write_text("// new\n" + SOURCE)
    assert plant(checkout).returncode == 0 and len(runs()) == 9


def test_plant_fails_if_the_tests_fail_without_a_fault(checkout: Path) -> None:
    (checkout / "Tests" / "GoodTests.swift").write_text("fails\n")
    run = plant(checkout)
    assert run.returncode == 2 and "the tests fail without a fault: see " in run.stderr


def test_plant_fails_if_no_test_has_the_given_name(checkout: Path) -> None:
    (checkout / "Tests" / "count").write_text("0")
    run = plant(checkout)
    assert run.returncode == 1 and "no test has the name GoodTests: see " in run.stderr


def test_plant_ends_what_it_started_when_it_is_terminated(checkout: Path, tmp_path: Path) -> None:
    (checkout / TABLE).write_text(FAULT.format(value="slow"))
    process = subprocess.Popen(command(checkout), cwd=checkout)
    runs = tmp_path / "runs"
    wait_for(lambda: runs.exists() and "slow" in runs.read_text(), "the fault is not planted")
    process.terminate()
    assert process.wait(60) == 143
    assert plant(checkout).returncode == 0, "a later run goes on"


def test_plant_refuses_the_checkout_itself_as_the_copy(checkout: Path) -> None:
    run = plant(checkout, "--copy", str(checkout))
    assert run.returncode == 1 and "only planted in a copy" in run.stderr


@pytest.mark.parametrize(("lines", "message"), [
    ("- return left\n", "one: the text to replace is 0 times in Sources/a.swift, and must be once\n"),
    ("- return «right»\n+ give «wrong»\n", "plant: one: the lines must only differ between the marks\n"),
    ("? return\n", "plant: line 6 of"),
], ids=["not there", "differs outside the marks", "unknown word"])
def test_plant_names_a_fault_that_does_not_fit(checkout: Path, tmp_path: Path, lines: str, message: str) -> None:
    run = plant(checkout, table=FAULT[:FAULT.index("- ")] + lines)
    assert run.returncode == 1 and not (tmp_path / "runs").exists()
    assert run.stderr.startswith(message)


def test_plant_names_an_unknown_fault(checkout: Path) -> None:
    run = plant(checkout, "two")
    assert run.returncode == 1 and run.stderr == "plant: there is no fault two\n"
