"""Measures the core by itself, with the Swift executable in Benchmark/, which users never build."""
from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from measuring import PIN, ROOT, Row


@cache
def built() -> Path:
    scratch = ROOT / ".build" / "benchmarks"
    line = ["swift", "build", "-c", "release", "--static-swift-stdlib", "--product", "Benchmark",
            "--scratch-path", scratch]
    environment = os.environ | {"MAMBRIDGE_BENCHMARKS": "1", "MAMBRIDGE_STATIC": "1"}
    subprocess.run(line, cwd=ROOT, env=environment, check=True, stdout=sys.stderr)
    return scratch / "release" / "Benchmark"


def call(*arguments: str) -> Any:
    return json.loads(subprocess.run([*PIN, built(), *arguments], stdout=subprocess.PIPE, check=True).stdout)


def rows(group: str, runs: int) -> list[Row]:
    """Uses the disk of the project, because the folder for temporary files may be in memory."""
    with tempfile.TemporaryDirectory(dir=ROOT / ".build") as folder:
        return [Row(**row) for row in call(group, folder, str(runs))]


def primitives() -> tuple[float, ...]:
    """The milliseconds for base64 and for encryption of a megabyte alone."""
    figures = call("primitives")
    return figures["base64"], figures["aes256gcm"]
