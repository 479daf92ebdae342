#!/usr/bin/env python3
"""debian.py PACKAGE BINARY ABOUT LINKED FOLDER: writes what only a Debian package has, to FOLDER, which contains the other
files.

Writes DEBIAN/control and the scripts of scripts/packaging/debian/PACKAGE, and the Debian changelog and the copyright file
to usr/share/doc/PACKAGE.
"""
from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import textwrap
from email.utils import formatdate
from pathlib import Path

from linked import ARCHITECTURES, ROOT, Release, processor_of

MAINTAINER = "mambridge maintainers <maintainers@mambridge.example>"

SCRIPTS = ("postinst", "prerm", "postrm")

COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: mambridge
Comment:
 The program also contains these works, whose notices and licenses are in
 /usr/share/doc/{package}/NOTICES.gz:
{works}

Files: *
Copyright: 2026 the mambridge contributors
License: Apache-2.0
 On Debian systems, the full text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
"""


def main(package: str, binary: Path, about: Path, linked: Path, folder: Path) -> None:
    release = Release(about, linked)
    version = f"{release.version}-1"
    documents = folder / "usr/share/doc" / package
    works = "\n".join(f"  - {work.name} {work.version}, {work.license}" for work in release.works)
    (documents / "copyright").write_text(COPYRIGHT.format(package=package, works=works))
    (documents / "changelog.Debian").write_text(changelog(package, release.version, version))
    sources = sorted({(one.source, one.source_version) for one in release.packages})
    given = ROOT / "scripts/packaging/debian" / package
    (folder / "DEBIAN").mkdir()
    control = (given / "control").read_text()
    (folder / "DEBIAN/control").write_text(control.format(
        version=version, architecture=ARCHITECTURES[processor_of(binary)], maintainer=MAINTAINER, size=installed_kilobytes(folder),
        depends=needed_packages(binary) if "{depends}" in control else "",
        built_using=", ".join(f"{source} (= {number})" for source, number in sources)))
    for name in SCRIPTS:
        if (given / name).exists():
            (folder / "DEBIAN" / name).write_text((given / name).read_text())
            (folder / "DEBIAN" / name).chmod(0o755)
    settings = [f"/{path.relative_to(folder)}\n" for path in sorted((folder / "etc").rglob("*")) if path.is_file()]
    if settings:
        (folder / "DEBIAN/conffiles").write_text("".join(settings))


def needed_packages(binary: Path) -> str:
    """Those with the shared libraries, in the oldest version that has what the binary uses."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "debian").mkdir()
        (Path(folder) / "debian/control").write_text("Source: mambridge\n\nPackage: mambridge\nArchitecture: any\n")
        done = subprocess.run(
            ["dpkg-shlibdeps", "-O", "--warnings=0", binary.absolute()], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip().removeprefix("shlibs:Depends=")


def changelog(package: str, version: str, debian_version: str) -> str:
    """The entry of this version: what CHANGELOG.md says, as plain text."""
    history = (ROOT / "CHANGELOG.md").read_text()
    section = re.search(rf"^## \[{re.escape(version)}\][^\n]*\n(.*?)(?=^## |\Z)", history, re.M | re.S)
    if section is None:
        sys.exit(f"release: CHANGELOG.md has no section [{version}]")
    lines: "list[str]" = []
    for paragraph in re.split(r"\n\n|\n(?=- )", section[1].strip()):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(paragraph.split())).replace("`", "")
        if text.startswith("### "):
            lines.append(f"\n  [ {text[4:]} ]")
        else:
            lines += textwrap.wrap(f"* {text.removeprefix('- ')}", 76, initial_indent="  ", subsequent_indent="    ")
    date = formatdate(int(os.environ["SOURCE_DATE_EPOCH"]))
    body = "\n".join(lines)
    return f"{package} ({debian_version}) stable; urgency=medium\n\n{body}\n\n -- {MAINTAINER}  {date}\n"


def installed_kilobytes(folder: Path) -> int:
    return sum(-(-path.stat().st_size // 1024) for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    main(sys.argv[1], *map(Path, sys.argv[2:]))
