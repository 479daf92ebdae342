"""Every typed client does every scenario of clients/conformance with the real server."""
from __future__ import annotations

import json
import re
import signal
from pathlib import Path
from typing import Any

import programs
import pytest
from programs import CLIENTS, Program, run

CONFORMANCE = CLIENTS / "conformance"
SCENARIOS: list[dict[str, Any]] = json.loads((CONFORMANCE / "scenarios.json").read_text(encoding="utf-8"))
JAVA = ["-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dfile.encoding=UTF-8"]
DRIVERS = {
    "python": programs.python(CONFORMANCE / "python" / "driver.py"),
    "python-threads": programs.python(CONFORMANCE / "python" / "threads_driver.py"),
    "python-asyncio": programs.python(CONFORMANCE / "python" / "async_driver.py"),
    "python-asyncio-loop": programs.python(CONFORMANCE / "python" / "loop_driver.py"),
    "python-asyncio-bursts": programs.python(CONFORMANCE / "python" / "burst_driver.py"),
    "go": programs.go(CONFORMANCE / "go"),
    "typescript": Program(
        ["node", "{build}/driver.mjs"], tools=["node", "tsc"],
        build=[str(CONFORMANCE / "typescript" / "build.sh"), "{build}"]),
    "rust": programs.rust(CONFORMANCE / "rust", "mambridge-conformance"),
    "java": programs.java(
        CONFORMANCE / "java" / "Driver.java", *JAVA, others=[CONFORMANCE / "java" / "Processes.java"]),
    "java-threads": programs.java(
        CONFORMANCE / "java" / "Threads.java", *JAVA, package="mambridge.",
        others=[CONFORMANCE / "java" / "Driver.java", CONFORMANCE / "java" / "Processes.java"]),
    "c": programs.c(CONFORMANCE / "c" / "driver.c"),
}


# By language, so that each driver is built once.
PAIRS = [
    pytest.param(language, scenario, id=f"{language}-{scenario['name'].replace(' ', '-')}")
    for language in DRIVERS for scenario in SCENARIOS if language in scenario.get("drivers", DRIVERS)]


@pytest.fixture(scope="module")
def driver(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Program:
    found = DRIVERS[request.param]
    if missing := found.missing():
        pytest.skip(f"{request.param} needs {' and '.join(missing)}")
    return found.built(tmp_path_factory.mktemp(request.param))


@pytest.mark.parametrize(("driver", "scenario"), PAIRS, indirect=["driver"], scope="module")
def test_clients_pass_scenarios(driver: Program, scenario: dict[str, Any], binary: str, state: str, tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    command = [*driver.command, scenario["name"], binary, *scenario["arguments"], "--state", state]
    ignored = [signal.Signals[name] for name in scenario.get("ignores", [])]
    said = run(command, folder, driver.environment, seconds=60, ignored=ignored)
    assert said.count("\n") <= 1, f"more than one line:\n{said}"
    assert not differences(json.loads(said), scenario["expect"])


@pytest.mark.parametrize(("driver", "given", "seen"), [
    pytest.param(language, given, seen, id=f"{language}-{'inherited' if given else 'by-itself'}")
    for language in DRIVERS for given, seen in (({}, "own"), ({"MAMBRIDGE_PROCESS_GROUP": ""}, ""))
], indirect=["driver"], scope="module")
def test_a_client_requests_its_own_process_group_unless_the_environment_says_otherwise(
    driver: Program, given: dict[str, str], seen: str, binary: str, state: str, tmp_path: Path,
) -> None:
    server, folder = tmp_path / "server", tmp_path / "empty"
    server.write_text(f'#!/bin/sh\nprintenv MAMBRIDGE_PROCESS_GROUP >"{tmp_path}/seen"\nexec "{binary}" "$@"\n')
    server.chmod(0o755)
    folder.mkdir()
    command = [*driver.command, "clean shutdown", str(server), "--tenant", "sample", "--state", state]
    run(command, folder, {**driver.environment, **given}, seconds=60)
    assert (tmp_path / "seen").read_text() == f"{seen}\n"


def differences(seen: Any, expected: Any, place: str = "") -> list[str]:
    """Where a result is not as the table has it."""
    if isinstance(expected, dict) and isinstance(seen, dict):
        names = sorted(seen.keys() | expected.keys())
        return [line for name in names for line in differences(seen.get(name, "absent"), expected.get(name, "absent"), f"{place}/{name}")]
    if isinstance(expected, list) and isinstance(seen, list) and len(expected) == len(seen):
        return [line for index, pair in enumerate(zip(seen, expected)) for line in differences(*pair, f"{place}/{index}")]
    if isinstance(expected, str) and isinstance(seen, str) and "…" in expected:
        pattern = ".*".join(map(re.escape, expected.split("…")))
        return [] if re.fullmatch(pattern, seen, re.DOTALL) else [f"{place} is {seen!r}, not {expected!r}"]
    same = seen == expected and isinstance(seen, bool) == isinstance(expected, bool)
    return [] if same else [f"{place} is {seen!r}, not {expected!r}"]


@pytest.mark.parametrize(("seen", "expected", "same"), [
    ({"a": 1}, {"a": 1.0}, True), ({"a": 1}, {"a": True}, False), ({}, {"a": None}, False), ([1], [1, 2], False),
    ("a b c", "a…c", True), ("abc", "a.c", False), ({"a": [{"b": "x"}]}, {"a": [{"b": "…"}]}, True), (None, "…", False),
])
def test_results_are_compared_by_value_and_an_ellipsis_matches_any_text(seen: Any, expected: Any, same: bool) -> None:
    assert (not differences(seen, expected)) is same
