#!/usr/bin/env python3
"""units.py DOCUMENT WRITTEN PROGRAMS FOLDER NAME…: writes the files of these names that are in DOCUMENT to FOLDER, for the
binary in PROGRAMS, where the document has WRITTEN."""
from __future__ import annotations

import re
import sys
from pathlib import Path


def main(document: Path, written: str, programs: str, folder: Path, *names: str) -> None:
    text = document.read_text()
    for name in names:
        block = re.search(rf"^```ini file={re.escape(name)}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        if block is None:
            sys.exit(f"release: {document} has no file {name}")
        (folder / name).write_text(block[1].replace(written, programs))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], Path(sys.argv[4]), *sys.argv[5:])
