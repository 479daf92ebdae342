"""The recipe of the key ring, with a stand-in for secret-tool: the command line is tried, not a key ring."""
from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from conftest import ALICE, ROOT

RECIPES = (ROOT / "docs" / "recipes.md").read_text()

# Keeps one secret for one set of attributes in a file, and is locked where there is none.
STAND_IN = """#!/bin/sh -e
command=$1; shift
if [ "$command" = store ]; then shift; cat >"$0.$*"; else cat "$0.$*"; fi
"""


@pytest.fixture
def environment(tmp_path: Path) -> "dict[str, str]":
    tool = tmp_path / "bin" / "secret-tool"
    tool.parent.mkdir()
    tool.write_text(STAND_IN)
    tool.chmod(0o700)
    return {**os.environ, "PATH": f"{tool.parent}:{os.environ['PATH']}"}


def test_the_key_command_of_the_recipe_reads_the_key_that_its_store_command_saves(
        binary: str, state: str, environment: "dict[str, str]") -> None:
    store = re.search(r"^openssl .*secret-tool store.*$", RECIPES, re.MULTILINE)
    command = re.search(r'^mambridge --key-command "(.*)"$', RECIPES, re.MULTILINE)
    assert store and command

    def call(*words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [binary, "call", "--tenant", "sample", "--state", state, "--key-command", command[1], *words],
            env=environment, capture_output=True, text=True, timeout=60)

    call("enrollmentManager.registerAndEnrollAccount", f"account={ALICE}")
    protect = ["dataProtectionManager.protectString", "string=figures", f"account={ALICE}"]
    locked = call(*protect)
    assert locked.returncode == 1 and '"noSecret"' in locked.stderr
    subprocess.run(["bash", "-c", store[0]], env=environment, timeout=60, check=True)
    secret = call(*protect)
    assert secret.returncode == 0, secret.stderr
    assert call("dataProtectionManager.unprotectString", f"string={secret.stdout.strip()[1:-1]}").stdout == '"figures"\n'
