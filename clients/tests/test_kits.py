"""Every kit for tests of apps does every scenario of clients/conformance/kits.json."""
from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any, Callable

import programs
import pytest
from dev_tenant import DevTenant
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
ALONE = ["abandoned", "abandoned network"]
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
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    monkeypatch.delenv("MAMBRIDGE", raising=False)
    return folder


def left_in(place: Path) -> "list[Path]":
    """What is left of sandboxes. The folder in which running development tenants are found is empty, and stays."""
    runs = place / "mambridge-tenant-dev"
    files = [*place.iterdir(), *(runs.iterdir() if runs.exists() else []), *(place.parent / "tmp").iterdir()]
    return [path for path in files if path != runs]


def is_swept(place: Path, scenario: "dict[str, Any]") -> bool:
    """A server that ends may write its state while the network removes it. The next network removes what is left."""
    if left_in(place) and "network" in scenario:
        DevTenant(os.environ["MAMBRIDGE_TENANT_PROGRAM"], place).end()
    return not left_in(place)


def program_of(named: str, real: str, script: Path) -> str:
    """The real program, the path of none, or a script."""
    if not named.startswith("#!"):
        return named if "/" in named else real
    script.write_text(named)
    script.chmod(0o755)
    return str(script)


@pytest.fixture
def programs_of(
    request: pytest.FixtureRequest, binary: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> "Callable[[dict[str, Any]], str]":
    """Sets up the network of a scenario, and returns its mambridge."""
    def programs_of(scenario: "dict[str, Any]") -> str:
        if network := scenario.get("network"):
            real = request.getfixturevalue("tenant_program") if network == "mambridge-tenant" else ""
            monkeypatch.setenv("MAMBRIDGE_TENANT_PROGRAM", program_of(network, real, tmp_path / "mambridge-tenant"))
        return program_of(scenario.get("executable", "mambridge"), binary, tmp_path / "mambridge")

    return programs_of


def command_of(kit: Program, scenario: "dict[str, Any]", executable: str) -> "list[str]":
    return [*kit.command, scenario["name"], executable, json.dumps(scenario.get("options", {}))]


@pytest.mark.parametrize(("kit", "scenario"), PAIRS, indirect=["kit"], scope="module")
def test_every_test_kit_passes_every_scenario(
    kit: Program, scenario: "dict[str, Any]", programs_of: "Callable[[dict[str, Any]], str]", tmp_path: Path, place: Path,
) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    said = run(command_of(kit, scenario, programs_of(scenario)), folder, kit.environment, seconds=60)
    assert not differences(json.loads(said), scenario["expect"])
    if "replays" in scenario:
        replayed = subprocess.run(
            ["bash", folder / "replay.sh"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        assert replayed.returncode == 0, replayed.stderr
        assert [text for text in scenario["replays"] if text not in replayed.stdout] == []
        assert '"error":{' not in replayed.stdout
    if scenario["name"] != "killed":
        assert left_in(place) == []


@pytest.mark.parametrize("name", ALONE)
@pytest.mark.parametrize("kit", KITS, indirect=True)
def test_a_sandbox_ends_when_the_test_is_killed(
    kit: Program, name: str, programs_of: "Callable[[dict[str, Any]], str]", tmp_path: Path, place: Path,
) -> None:
    [scenario] = [found for found in SCENARIOS if found["name"] == name]
    folder = tmp_path / "empty"
    folder.mkdir()
    with subprocess.Popen(
        command_of(kit, scenario, programs_of(scenario)), cwd=folder, env={**os.environ, **kit.environment}, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True, start_new_session=True,
    ) as driver:
        assert driver.stdout
        try:
            server = json.loads(driver.stdout.readline())["pid"]
            assert not is_gone(server) and left_in(place)
        finally:
            driver.send_signal(signal.SIGKILL)
        wait_for(lambda: is_gone(server) and is_swept(place, scenario), "the sandbox ends without its test")


def test_the_scenarios_have_unique_names_and_cover_every_verb() -> None:
    assert len({scenario["name"] for scenario in SCENARIOS}) == len(SCENARIOS)
    proved = {verb for scenario in SCENARIOS for verb in scenario["verbs"]}
    assert proved >= {
        "advance", "assertAllowed", "assertBlocked", "clearFaults", "device", "enroll", "fault", "network", "network.fault",
        "network.token", "offline", "policy", "replay", "reset", "story", "user", "waitFor", "wipe"}
