"""Every kit for tests of apps does every scenario of clients/conformance/kits.json."""
from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import programs
import pytest
from processes import is_gone
from programs import CLIENTS, Program, run
from test_conformance import JAVA, differences
from waiting import wait_for

CONFORMANCE = CLIENTS / "conformance"
SCENARIOS: "list[dict[str, Any]]" = json.loads((CONFORMANCE / "kits.json").read_text(encoding="utf-8"))
KITS = {
    "python": programs.python(CONFORMANCE / "python" / "kit_driver.py"),
    "go": programs.go(CONFORMANCE / "go" / "kit"),
    "shell": Program(["bash", str(CONFORMANCE / "shell" / "kit.sh")], ["jq"]),
    "typescript": Program(
        ["node", "{build}/kit.mjs"], tools=["node", "tsc"],
        build=[str(CONFORMANCE / "typescript" / "build.sh"), "{build}"]),
    "rust": programs.rust(CONFORMANCE / "rust", "mambridge-kit"),
    "java": programs.java(CONFORMANCE / "java" / "KitDriver.java", *JAVA),
}
ALONE = {"abandoned"}
PAIRS = [
    pytest.param(language, scenario, id=f"{language}-{scenario['name'].replace(' ', '-')}")
    for language in KITS for scenario in SCENARIOS if scenario["name"] not in ALONE]


@pytest.fixture(scope="module")
def kit(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Program:
    found = KITS[request.param]
    if missing := found.missing():
        pytest.skip(f"{request.param} needs {' and '.join(missing)}")
    return found.built(tmp_path_factory.mktemp(request.param))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where sandboxes put their folders."""
    folder = tmp_path / "run"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    monkeypatch.delenv("MAMBRIDGE", raising=False)
    return folder


def executable_of(scenario: "dict[str, Any]", binary: str, folder: Path) -> str:
    """The real program, the path of none, or a script."""
    named = scenario.get("executable", binary)
    if not named.startswith("#!"):
        return str(named)
    script = folder.parent / "mambridge"
    script.write_text(named)
    script.chmod(0o755)
    return str(script)


def command_of(kit: Program, scenario: "dict[str, Any]", executable: str) -> "list[str]":
    return [*kit.command, scenario["name"], executable, json.dumps(scenario.get("options", {}))]


@pytest.mark.parametrize(("kit", "scenario"), PAIRS, indirect=["kit"], scope="module")
def test_a_kit_does_a_scenario(
    kit: Program, scenario: "dict[str, Any]", binary: str, tmp_path: Path, place: Path,
) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    said = run(command_of(kit, scenario, executable_of(scenario, binary, folder)), folder, kit.environment, seconds=60)
    assert not differences(json.loads(said), scenario["expect"])
    if "replays" in scenario:
        replayed = subprocess.run(
            ["bash", folder / "replay.sh"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        assert replayed.returncode == 0, replayed.stderr
        assert [text for text in scenario["replays"] if text not in replayed.stdout] == []
        assert '"error":{' not in replayed.stdout
    if scenario["name"] != "killed":
        assert list(place.iterdir()) == []


@pytest.mark.parametrize("kit", KITS, indirect=True)
def test_a_sandbox_ends_when_the_test_is_killed(kit: Program, binary: str, tmp_path: Path, place: Path) -> None:
    [scenario] = [found for found in SCENARIOS if found["name"] in ALONE]
    folder = tmp_path / "empty"
    folder.mkdir()
    with subprocess.Popen(
        command_of(kit, scenario, binary), cwd=folder, env={**os.environ, **kit.environment}, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True, start_new_session=True,
    ) as driver:
        assert driver.stdout
        try:
            server = json.loads(driver.stdout.readline())["pid"]
            assert not is_gone(server) and list(place.iterdir())
        finally:
            driver.send_signal(signal.SIGKILL)
        wait_for(lambda: is_gone(server) and not list(place.iterdir()), "the sandbox ends without its test")


def test_every_scenario_says_what_it_proves() -> None:
    assert len({scenario["name"] for scenario in SCENARIOS}) == len(SCENARIOS)
    proved = {verb for scenario in SCENARIOS for verb in scenario["verbs"]}
    assert proved >= {
        "advance", "assertAllowed", "assertBlocked", "clearFaults", "device", "enroll", "fault", "offline", "policy",
        "replay", "reset", "story", "user", "waitFor", "wipe"}
