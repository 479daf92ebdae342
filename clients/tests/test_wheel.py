"""The wheel with the client, the kit for tests and the server, installed where nothing else of mambridge is."""
from __future__ import annotations

import os
import shlex
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest
from conftest import ROOT

CLIENT = ROOT / "clients" / "python"
ABOUT = '{"version": "VERSION", "works": []}'


def output(*command: object, environment: "dict[str, str] | None" = None, folder: "Path | None" = None) -> str:
    done = subprocess.run(
        [str(word) for word in command], env=environment, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=300)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def installed(binary: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel. In place of the server, which is large, the wheel has a script that starts it."""
    pytest.importorskip("pip")
    folder = tmp_path_factory.mktemp("wheel")
    server, about, notices, sbom = (folder / name for name in ("server", "about.json", "NOTICES", "mambridge.cdx.json"))
    server.write_text(f'#!/bin/sh\nexec {shlex.quote(binary)} "$@"\n')
    version: "dict[str, str]" = {}
    exec((CLIENT / "mambridge" / "version.py").read_text(), version)
    about.write_text(ABOUT.replace("VERSION", version["VERSION"]))
    notices.touch()
    sbom.write_text("{}")
    output(sys.executable, ROOT / "scripts" / "packaging" / "wheel.py", "mambridge", server, about, notices, sbom, folder,
           environment={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})
    output(sys.executable, "-m", "venv", "--without-pip", folder / "env")
    [wheel] = folder.glob("*.whl")
    output(sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", folder / "env" / "bin" / "python",
           "install", "-q", "--no-index", "--no-deps", wheel)
    return folder / "env"


def test_pytest_finds_the_kit_of_an_installed_wheel_and_its_server(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "test_app.py").write_text("""
def test_it(mam):
    mam.enroll("alice")
    mam.device(jailbroken=True)
    mam.assert_blocked(mam.client.conditional_launch.evaluate(), setting="deviceComplianceRequired")
""")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "MAMBRIDGE"))}
    # pytest itself comes from here, and the program from the wheel.
    environment |= {"PYTHONPATH": sysconfig.get_path("purelib"), "PATH": "/usr/bin:/bin"}
    python = installed / "bin" / "python"
    said = output(
        python, "-m", "pytest", "-p", "no:cacheprovider", "-q", tmp_path, environment=environment, folder=tmp_path)
    assert "1 passed" in said


def test_the_kit_works_without_importing_pytest(installed: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "MAMBRIDGE"))}
    said = output(
        installed / "bin" / "python", "-c",
        "import sys; from mambridge.testing import Sandbox\n"
        "with Sandbox() as mam: print(mam.enroll('alice').status, 'pytest' in sys.modules)", environment=environment)
    assert said == "newPoliciesReceived False\n"


def test_pyproject_toml_lists_every_python_package_of_the_client() -> None:
    listed = tomllib.loads((CLIENT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    modules = (CLIENT / "mambridge").rglob("__init__.py")
    found = {str(path.parent.relative_to(CLIENT)).replace(os.sep, ".") for path in modules}
    assert sorted(listed) == sorted(found)
