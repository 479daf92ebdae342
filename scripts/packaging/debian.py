#!/usr/bin/env python3
"""debian.py ABOUT LINKED FOLDER: writes what only a Debian package has, to FOLDER, which contains the other files.

Writes DEBIAN/control, and the Debian changelog and the copyright file to usr/share/doc/mambridge.
"""
from __future__ import annotations

import os
import re
import sys
import textwrap
from email.utils import formatdate
from pathlib import Path

from linked import ROOT, Release

MAINTAINER = "mambridge maintainers <maintainers@mambridge.example>"

CONTROL = """\
Package: mambridge
Version: {version}
Architecture: amd64
Maintainer: {maintainer}
Installed-Size: {size}
Section: devel
Priority: optional
Static-Built-Using: {built_using}
Description: Intune App SDK for every language, as a JSON-RPC server
 Programs start mambridge as a subprocess, or connect to it, to enroll work
 accounts, to ask what an app protection policy allows and why, and to protect
 data at rest. Policies come from a folder in the format of Microsoft Graph,
 or from a built-in sample.
 .
 The program is one static executable. OpenSSL, SQLite and the other libraries
 in it are not those of this system: a fix of one of them comes with a new
 version of this package.
"""

COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: mambridge
Comment:
 The program also contains these works, whose notices and licenses are in
 /usr/share/doc/mambridge/NOTICES.gz:
{works}

Files: *
Copyright: 2026 the mambridge contributors
License: Apache-2.0
 On Debian systems, the full text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
"""


def main(about: Path, linked: Path, folder: Path) -> None:
    release = Release(about, linked)
    version = f"{release.version}-1"
    documents = folder / "usr/share/doc/mambridge"
    works = "\n".join(f"  - {work.name} {work.version}, {work.license}" for work in release.works)
    (documents / "copyright").write_text(COPYRIGHT.format(works=works))
    (documents / "changelog.Debian").write_text(changelog(release.version, version))
    sources = sorted({(package.source, package.source_version) for package in release.packages})
    (folder / "DEBIAN").mkdir()
    (folder / "DEBIAN/control").write_text(CONTROL.format(
        version=version, maintainer=MAINTAINER, size=installed_kilobytes(folder),
        built_using=", ".join(f"{source} (= {number})" for source, number in sources)))


def changelog(version: str, debian_version: str) -> str:
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
    return f"mambridge ({debian_version}) stable; urgency=medium\n\n{body}\n\n -- {MAINTAINER}  {date}\n"


def installed_kilobytes(folder: Path) -> int:
    return sum(-(-path.stat().st_size // 1024) for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
