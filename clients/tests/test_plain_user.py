"""The programs need no capability of root: CI runs as root, and others do not."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import pytest

TENANT = '{"tenantId": "72f988bf-0000-4000-8000-2d7cd011db47", "users": []}'


def first_status(*command: "str | Path") -> int:
    """The status of a first answer over HTTP of a server that has no capabilities."""
    if os.geteuid() == 0:
        if not shutil.which("setpriv"):
            pytest.skip("setpriv is not installed")
        command = ("setpriv", "--bounding-set=-all", "--inh-caps=-all", *command)
    with subprocess.Popen([*map(str, command)], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr
            line = next(line for line in server.stderr if "listening" in line)
            with urllib.request.urlopen(json.loads(line)["listening"] + "/health/live", timeout=30) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code
        finally:
            server.terminate()


def test_mambridge_serves_http_without_capabilities(binary: str, tmp_path: Path) -> None:
    state = tmp_path / "state"
    assert first_status(binary, "serve", "--tenant", "sample", "--state", state, "--listen", "http://127.0.0.1:0") == 404


def test_the_tenant_service_serves_http_without_capabilities(tenant_program: str, tmp_path: Path) -> None:
    (tmp_path / "tenant.json").write_text(TENANT)
    assert first_status(
        tenant_program, "serve", tmp_path, "--store", f"sqlite:{tmp_path}/store.sqlite", "--listen", "http://127.0.0.1:0",
        "--issuer", "https://login.contoso.example", "--audience", "a") == 200
