"""Every typed client does every scenario of clients/conformance with the real server."""
from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

CLIENTS = ROOT / "clients"
CONFORMANCE = CLIENTS / "conformance"
SCENARIOS: list[dict[str, Any]] = json.loads((CONFORMANCE / "scenarios.json").read_text(encoding="utf-8"))


@dataclass
class Driver:
    """What to run. `{build}` in the commands stands for a folder that `build`, which is run once, may write to.

    A tool is the name of a program, or the path of what a package installs.
    """

    command: list[str]
    tools: list[str] = field(default_factory=list)
    build: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)


PYTHON = {"PYTHONPATH": str(CLIENTS / "python"), "PYTHONWARNINGS": "error"}
GO = {"GOFLAGS": "-mod=readonly", "GOPROXY": "off"}
CRATES = "/usr/share/cargo/registry"  # librust-serde-json-dev
RUST = [
    "cargo", "build", "--quiet", "--offline", "--manifest-path", str(CONFORMANCE / "rust" / "Cargo.toml"),
    "--target-dir", "{build}", "--config", 'source.crates-io.replace-with="debian"',
    "--config", f'source.debian.directory="{CRATES}"']
JAVA = ["java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dfile.encoding=UTF-8"]
GSON = "/usr/share/java/gson.jar"
C_BUILD = [
    "gcc", "-std=c11", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", "clients/c", "clients/c/mambridge.c",
    "clients/conformance/c/driver.c", "-ljansson", "-pthread", "-o", "{build}/driver"]
DRIVERS = {
    "python": Driver([sys.executable, str(CONFORMANCE / "python" / "driver.py")], environment=PYTHON),
    "python-asyncio": Driver([sys.executable, str(CONFORMANCE / "python" / "async_driver.py")], environment=PYTHON),
    "go": Driver(["{build}/driver"], ["go"], ["sh", "-c", f"cd {CONFORMANCE / 'go'} && go build -o {{build}}/driver ."], GO),
    "typescript": Driver(
        ["node", "{build}/driver.mjs"], tools=["node", "tsc"],
        build=[str(CONFORMANCE / "typescript" / "build.sh"), "{build}"]),
    "rust": Driver(["{build}/debug/mambridge-conformance"], tools=["cargo", CRATES], build=RUST,
                   environment={"CARGO_INCREMENTAL": "0", "CARGO_PROFILE_DEV_DEBUG": "0"}),
    "java": Driver(
        [*JAVA, "-cp", f"{{build}}:{GSON}", "Driver"], ["javac", GSON],
        [str(CLIENTS / "java" / "build"), "{build}", str(CONFORMANCE / "java" / "Driver.java")]),
    "c": Driver(["{build}/driver"], tools=["gcc"], build=C_BUILD),
}


@pytest.fixture(scope="module", params=list(DRIVERS))
def driver(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Driver:
    found = DRIVERS[request.param]
    missing = [tool for tool in found.tools if shutil.which(tool) is None and not Path(tool).exists()]
    if missing:
        pytest.skip(f"{request.param} needs {' and '.join(missing)}")
    build = str(tmp_path_factory.mktemp(request.param))
    if found.build:
        run([part.format(build=build) for part in found.build], ROOT, found.environment, seconds=600)
    return Driver([part.format(build=build) for part in found.command], environment=found.environment)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario["name"].replace(" ", "-"))
def test_a_client_does_a_scenario(driver: Driver, scenario: dict[str, Any], binary: str, state: str, tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    command = [*driver.command, scenario["name"], binary, *scenario["arguments"], "--state", state]
    said = run(command, folder, driver.environment, seconds=60)
    assert said.count("\n") <= 1, f"more than one line:\n{said}"
    assert not differences(json.loads(said), scenario["expect"])


def run(command: list[str], folder: Path, environment: dict[str, str], seconds: float) -> str:
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=seconds)
    assert done.returncode == 0 and not done.stderr, f"status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


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
