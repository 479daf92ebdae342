#!/usr/bin/env python3
"""units.py PROGRAMS FOLDER: writes the systemd units of docs/recipes.md to FOLDER, for the binary in PROGRAMS."""
from __future__ import annotations

import re
import sys
from pathlib import Path

RECIPES = Path(__file__).resolve().parent.parent.parent / "docs" / "recipes.md"
PROGRAMS = "%h/.local/bin"


def main(programs: str, folder: Path) -> None:
    for name in ("mambridge.socket", "mambridge.service"):
        block = re.search(rf"^```ini file={re.escape(name)}\n(.*?)^```$", RECIPES.read_text(), re.MULTILINE | re.DOTALL)
        if block is None:
            sys.exit(f"release: docs/recipes.md has no unit {name}")
        (folder / name).write_text(block[1].replace(PROGRAMS, programs))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
