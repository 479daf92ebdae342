#!/usr/bin/env python3
"""Writes the generated files of the typed clients, of all languages or of those named.

With --check, writes nothing, lists the files that would change, and exits with 1 if there are any.
"""
from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[0] = str(ROOT / "clients")

from generate import c, go, java, python, rust, schema, typescript  # noqa: E402
from generate.rendering import NOTE  # noqa: E402

# A language has `FOLDER`, below the root, and `render(model)`, which returns the text of each file in it by path.
LANGUAGES = {
    "python": python,
    "c": c,
    "go": go,
    "java": java,
    "rust": rust,
    "typescript": typescript,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="clients/generate", description=__doc__)
    parser.add_argument("languages", nargs="*", choices=[[], *LANGUAGES], metavar="LANGUAGE", help=", ".join(LANGUAGES))
    parser.add_argument("--check", action="store_true", help="only list the files that would change")
    parser.add_argument("--schema", type=Path, default=ROOT / "schema" / "openrpc.json", metavar="FILE")
    options = parser.parse_args()
    model = schema.read(options.schema)
    stale = []
    for name in options.languages or LANGUAGES:
        language = LANGUAGES[name]
        stale += update(ROOT / language.FOLDER, language.render(model), options.check)
    for path in stale:
        print(path.relative_to(ROOT))
    return 1 if stale and options.check else 0


def update(folder: Path, files: dict[str, str], check: bool) -> list[Path]:
    """Writes what differs, removes generated files that have no source any more, and returns the paths of both."""
    wanted = {folder / path: text for path, text in files.items()}
    changed = [path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    orphans = [path for path in folder.rglob("*") if path not in wanted and is_generated(path)]
    if not check:
        for path in changed:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted[path], encoding="utf-8")
        for path in orphans:
            path.unlink()
    return sorted(changed + orphans)


def is_generated(path: Path) -> bool:
    if not path.is_file() or path.suffix in (".pyc", ".class", ".o"):
        return False
    with path.open(encoding="utf-8", errors="replace") as file:
        return NOTE in file.read(400)


if __name__ == "__main__":
    sys.exit(main())
