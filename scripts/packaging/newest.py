#!/usr/bin/env python3
"""newest.py LINKED: prints the day on which Debian changed the newest of the packages that were linked, such as 20261021.

LINKED is the linker's report. The day is the one at the end of the newest entry of the changelog of the package, in the system
that the program was linked for. Prints nothing if a changelog is missing, and says so: a system such as a small container image
has none.
"""
from __future__ import annotations

import sys
from pathlib import Path

from linked import DebianPackage, debian_packages, linked_files, system_of
from updates import changes_in


def main(linked: Path) -> None:
    if day := newest_day(linked):
        print(day.replace("-", ""))


def newest_day(linked: Path) -> "str | None":
    """Such as 2026-10-21."""
    files = linked_files(linked)
    packages = set(debian_packages(files).values())
    days = {package: day_of(package, system_of(files)) for package in sorted(packages)}
    if unknown := [package.name for package, day in days.items() if not day]:
        print(f"build: no changelog of {', '.join(unknown)} is installed, so the newest library has no date", file=sys.stderr)
        return None
    return max(days.values(), default=None)


def day_of(package: DebianPackage, system: str) -> str:
    """Empty if the changelog cannot be read."""
    try:
        changes = changes_in(Path(f"{system}/usr/share/doc/{package.name}/changelog.Debian.gz").read_bytes())
    except OSError:
        return ""
    return changes[0].date if changes and changes[0].date != "unknown" else ""


if __name__ == "__main__":
    main(Path(sys.argv[1]))
