"""Every typed client does every scenario of clients/conformance with the real server."""
from __future__ import annotations

import json
import re
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
    "python-asyncio": programs.python(CONFORMANCE / "python" / "async_driver.py"),
    "go": programs.go(CONFORMANCE / "go"),
    "typescript": Program(
        ["node", "{build}/driver.mjs"], tools=["node", "tsc"],
        build=[str(CONFORMANCE / "typescript" / "build.sh"), "{build}"]),
    "rust": programs.rust(CONFORMANCE / "rust", "mambridge-conformance"),
    "java": programs.java(CONFORMANCE / "java" / "Driver.java", *JAVA),
    "c": programs.c(CONFORMANCE / "c" / "driver.c"),
}


@pytest.fixture(scope="module", params=list(DRIVERS))
def driver(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Program:
    found = DRIVERS[request.param]
    if missing := found.missing():
        pytest.skip(f"{request.param} needs {' and '.join(missing)}")
    return found.built(tmp_path_factory.mktemp(request.param))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario["name"].replace(" ", "-"))
def test_a_client_does_a_scenario(driver: Program, scenario: dict[str, Any], binary: str, state: str, tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    command = [*driver.command, scenario["name"], binary, *scenario["arguments"], "--state", state]
    said = run(command, folder, driver.environment, seconds=60)
    assert said.count("\n") <= 1, f"more than one line:\n{said}"
    assert not differences(json.loads(said), scenario["expect"])


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
def test_a_result_is_compared_by_value(seen: Any, expected: Any, same: bool) -> None:
    assert (not differences(seen, expected)) is same
