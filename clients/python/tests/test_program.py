"""Which server `spawn` starts: the one of the wheel, if the client was installed from a wheel that has one."""
from __future__ import annotations

from pathlib import Path

import pytest
from mambridge import program
from mambridge.version import VERSION

BESIDE_PYTHON = "../../../bin/mambridge"


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the packages of an environment, with the client in it."""
    folder = tmp_path / "lib" / "python3" / "site-packages"
    (folder / "mambridge").mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    monkeypatch.setattr(program, "__file__", str(folder / "mambridge" / "program.py"))
    return folder


def install(packages: Path, file: str) -> Path:
    info = packages / f"mambridge-{VERSION}.dist-info"
    info.mkdir()
    (info / "RECORD").write_text(f"mambridge/__init__.py,sha256=x,1\n{file},sha256=x,1\n")
    path = (packages / file).resolve()
    path.touch(mode=0o755)
    return path


def test_the_server_of_the_wheel_comes_before_path(packages: Path) -> None:
    server = install(packages, BESIDE_PYTHON)
    assert program.find("mambridge") == str(server)


def test_a_wheel_without_a_server_leaves_the_choice_to_path(packages: Path) -> None:
    install(packages, "mambridge/client.py")
    assert program.find("mambridge") == "mambridge"


def test_a_server_that_was_moved_away_leaves_the_choice_to_path(packages: Path) -> None:
    install(packages, BESIDE_PYTHON).unlink()
    assert program.find("mambridge") == "mambridge"


def test_a_client_that_was_not_installed_leaves_the_choice_to_path(packages: Path) -> None:
    assert program.find("mambridge") == "mambridge"


@pytest.mark.parametrize("executable", ["./mambridge", "/opt/mambridge", "mambridge-0.1.0"])
def test_any_other_executable_is_taken_as_it_is(packages: Path, executable: str) -> None:
    install(packages, BESIDE_PYTHON)
    assert program.find(executable) == executable
