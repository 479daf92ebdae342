"""Random lives of apps, users and policies: the program answers as a second implementation of the rules does.

The model is clients/tests/model, written from the documents alone. `.ci/run` carries out 2,000 lives on the release build
(MAMBRIDGE_MODEL_CASES), and scripts/model those of a night. docs/testing.md says what this proves.
"""
from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from model.__main__ import compare
from model.compare import run
from model.generate import Generator
from model.known import KNOWN
from model.questions import PROPERTIES, Account
from model.shrink import script, shrink
from power_loss import memory

CASES = int(os.environ.get("MAMBRIDGE_MODEL_CASES", 200))
PARTS = 4
SEED = "ci"


@pytest.mark.parametrize("part", range(PARTS))
def test_the_program_gives_the_same_answers_as_the_model(binary: str, part: int) -> None:
    size = CASES // PARTS
    report, differ = compare(SEED, range(part * size, (part + 1) * size), binary, memory())
    print(report.table())
    if differ:
        pytest.fail("\n\n".join(differ), pytrace=False)
    assert sum(report.cases.values()) == size
    # Of each question a part of the answers is yes, and a part is no.
    assert {"policy.isPINRequired", "policy.isAppSharingAllowed", "enforcement.isActionAllowed print", "conditional launch",
            "policy.isSaveToAllowedForLocation", "status of enrolling"}.isdisjoint(report.one_sided()), report.table()


@pytest.mark.parametrize("name", KNOWN)
def test_every_known_difference_from_the_model_still_exists(binary: str, name: str) -> None:
    found, _ = run(KNOWN[name][0], binary, memory())
    assert found, f"{name}: the program and the model agree now; remove the row from clients/tests/model/known.py"


# The comparison itself, with a model that is wrong

def test_a_disagreement_is_reduced_and_its_script_reproduces_it(
    binary: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(account: Account) -> bool:
        return True

    monkeypatch.setitem(PROPERTIES, "isAppSharingAllowed", wrong)
    case = next(case for case in (Generator(f"wrong {number}").life("script") for number in range(100))
                if run(case, binary, memory())[0])
    small, difference, runner = shrink(case, binary, memory())
    assert (difference.expected, difference.actual) == ("True", "False")
    assert len(small["steps"]) <= 3 and len(small["tenant"]["files"]) <= 1
    (tmp_path / "mambridge").symlink_to(binary)
    done = subprocess.run(
        ["bash", "-c", script(small, difference, runner)], env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "false" in done.stdout.splitlines()[-1]
