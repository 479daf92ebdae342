"""Each way of installing a release: from its file to the first policy answer, in a small system, with its time.

The table in docs/release.md is what this prints on a quiet machine, after scripts/root has made the system:
MAMBRIDGE_DIST=$PWD/dist "$(scripts/python)" -m pytest -q clients/tests/test_install_minutes.py
"""
from __future__ import annotations

import time
from pathlib import Path
from typing import Iterator

import pytest
from conftest import ALICE
from containers import unpacked_image, volume
from packages import dist_folder, system

#: In seconds. An idle machine needs a tenth of it.
LIMIT = 180

ENROLL = ["call", "enrollmentManager.registerAndEnrollAccount", f"account={ALICE}"]
ASK = ["call", "policy.isPINRequired", f"account={ALICE}"]
FIRST_ANSWER = f"""
export MAMBRIDGE_TENANT=sample MAMBRIDGE_STATE=/root/first
mambridge {" ".join(ENROLL)} >&2
mambridge {" ".join(ASK)}
"""
APT = "apt-get -q -y --no-install-recommends"
# Without a signature: test_install_repository.py tries a repository with one.
SOURCE = "deb [trusted=yes] file:/dist/apt stable main"
ROUTES = {
    "apt install ./FILE.deb": f"{APT} install /dist/mambridge_*_$(dpkg --print-architecture).deb >&2",
    "apt repository": f"""
        echo '{SOURCE}' >/etc/apt/sources.list.d/mambridge.list
        {APT} update -o Dir::Etc::sourcelist=/etc/apt/sources.list.d/mambridge.list -o Dir::Etc::sourceparts=- >&2
        {APT} install mambridge >&2""",
    "pip install FILE.whl, with a new virtual environment": """
        python3 -m venv /opt/env
        /opt/env/bin/pip install -q --no-cache-dir --no-index --find-links /dist mambridge >&2
        PATH=/opt/env/bin:$PATH""",
    "archive": """
        mkdir -p ~/.local && tar -xzf /dist/mambridge-[0-9]*-linux-$(uname -m).tar.gz -C ~/.local --strip-components=1
        PATH=~/.local/bin:$PATH""",
}
IMAGE = "image, copied and unpacked without an engine"

measured: "dict[str, float]" = {}


@pytest.fixture(scope="module", autouse=True)
def table(request: pytest.FixtureRequest) -> "Iterator[None]":
    """Printed after the tests, also when pytest captures what they print."""
    yield
    with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print("\n\n| from | first answer after |\n|---|---|")
        for route, seconds in measured.items():
            print(f"| {route} | {seconds:.1f} s |")


@pytest.mark.parametrize("route", ROUTES)
def test_a_package_answers_within_minutes(route: str, tmp_path: Path) -> None:
    debian = system("debian", tmp_path)
    begin = time.monotonic()
    told = debian.run(f"{ROUTES[route]}\n{FIRST_ANSWER}")
    measured[route] = time.monotonic() - begin
    assert told == "true\n" and measured[route] < LIMIT


def test_an_image_answers_within_minutes(tmp_path: Path) -> None:
    begin = time.monotonic()
    image = unpacked_image(dist_folder(), "mambridge", tmp_path / "image")
    volumes = {"/state": volume(tmp_path / "state")}
    image.run(tmp_path / "first", ["--tenant", "sample", *ENROLL], volumes)
    told = image.run(tmp_path / "second", ["--tenant", "sample", *ASK], volumes)
    measured[IMAGE] = time.monotonic() - begin
    assert told == "true\n" and measured[IMAGE] < LIMIT
