"""mambridge-tenant loads libpq only for a store in PostgreSQL, and says what is wrong with it."""
from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

FUNCTION = "PQconninfoParse"


def library(folder: Path, content: str) -> None:
    """Makes a libpq.so.5: of this C, or a file that is no library."""
    path = folder / "libpq.so.5"
    if not content:
        path.touch()
        return
    compiler = shutil.which("clang") or shutil.which("cc")
    assert compiler
    (folder / "libpq.c").write_text(content)
    subprocess.run([compiler, "-shared", "-fPIC", str(folder / "libpq.c"), "-o", str(path)], check=True)


@pytest.mark.parametrize(("content", "reason"), [
    ("", "it is not installed"),
    ("int other(void) { return 0; }", f"it has no function {FUNCTION}"),
], ids=["none", "without functions"])
def test_a_store_in_postgresql_needs_libpq_with_all_its_functions(
    tenant_program: str, tmp_path: Path, content: str, reason: str
) -> None:
    library(tmp_path, content)
    run = subprocess.run(
        [tenant_program, "audit", "--store", "postgresql://mam@127.0.0.1:1/mam"], capture_output=True, text=True, timeout=60,
        env={**os.environ, "LD_LIBRARY_PATH": str(tmp_path)})
    assert run.stderr == (
        f"mambridge-tenant: cannot open the store: PostgreSQL needs the library libpq.so.5: {reason}. Install it (Debian: apt "
        "install libpq5).\n")
    assert run.returncode == 78
    assert run.stdout == ""
