"""Finds the server that was installed with the client."""
from __future__ import annotations

import os

from .version import VERSION

NAME = "mambridge"


def find(executable: str) -> str:
    """Returns `executable`, unless it is just `mambridge` and a wheel has installed that: then, the path of it."""
    return (_installed() if executable == NAME else None) or executable


def _installed() -> "str | None":
    """A wheel with the server lists it among its files, relative to the folder of the Python packages."""
    packages = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    try:
        with open(os.path.join(packages, f"mambridge-{VERSION}.dist-info", "RECORD"), encoding="utf-8") as record:
            files = [line.split(",")[0] for line in record]
    except OSError:
        return None
    programs = (os.path.normpath(os.path.join(packages, file)) for file in files if os.path.basename(file) == NAME)
    return next((path for path in programs if os.access(path, os.X_OK)), None)
