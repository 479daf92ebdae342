"""The version is the same in all places, and scripts/version changes it in those that people edit."""
from __future__ import annotations

import runpy
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT

PLACES = runpy.run_path(str(ROOT / "scripts/version"))
FILES = [*PLACES["WRITTEN"], *PLACES["GENERATED"], "CHANGELOG.md", "scripts/version"]
LATER, DAY = "99.0.1", "2030-01-02"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    changelog = tmp_path / "CHANGELOG.md"
    changelog.write_text(changelog.read_text().replace("## [Unreleased]\n", "## [Unreleased]\n\n### Added\n\n- This.\n", 1))
    return tmp_path


def run(checkout: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([checkout / "scripts/version", *options], capture_output=True, text=True, timeout=60)


def contents(checkout: Path) -> "dict[str, str]":
    return {name: (checkout / name).read_text() for name in FILES}


def test_all_places_agree() -> None:
    done = run(ROOT)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["clients/go/version.go", "README.md", "docs/containers.md", "schema/openrpc.json"])
def test_a_place_with_another_version_is_named(name: str, checkout: Path) -> None:
    version = run(checkout).stdout.strip()
    path = checkout / name
    path.write_text(path.read_text().replace(version, LATER, 1))
    done = run(checkout)
    assert done.returncode == 1 and f"{name} has {LATER}" in done.stderr


def test_a_version_is_written_to_all_places_that_people_edit(checkout: Path) -> None:
    old, before = run(checkout).stdout.strip(), contents(checkout)
    done = run(checkout, "--set", LATER, DAY)
    assert done.returncode == 0 and f"schema/released/{LATER}.json" in done.stdout, done.stderr
    after = contents(checkout)
    assert {name for name in FILES if after[name] != before[name]} == {*PLACES["WRITTEN"], "CHANGELOG.md"}
    assert f"## [Unreleased]\n\n## [{LATER}] - {DAY}\n\n### Added\n\n- This.\n" in after["CHANGELOG.md"]
    assert f'releaseDate = "{DAY}"' in after[PLACES["DECLARED"]]
    for name in ("README.md", "docs/containers.md"):
        assert after[name] == before[name].replace(old, LATER)
    # Only the generated places are still missing.
    assert set(run(checkout).stderr.split()) & set(FILES) == {*PLACES["GENERATED"], PLACES["DECLARED"]}


@pytest.mark.parametrize(("words", "said"), [
    (["0.1.0", DAY], "no version after"), (["1.2", DAY], "no version after"), ([LATER, "tomorrow"], "is no date")])
def test_what_is_no_later_version_or_no_date_changes_nothing(words: "list[str]", said: str, checkout: Path) -> None:
    before = contents(checkout)
    done = run(checkout, "--set", *words)
    assert done.returncode == 1 and said in done.stderr and contents(checkout) == before
