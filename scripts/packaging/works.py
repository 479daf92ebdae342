#!/usr/bin/env python3
"""works.py ABOUT LINKED NOTICES: prints what mambridge-tenant consists of, in the form of `mambridge about --json`, and
writes the notices and licenses to NOTICES. ABOUT is what mambridge of the same sources prints.

A work that both programs contain is described by mambridge. For the others, the version is that of the checkout, and the
license and the notice are those in it.
"""
from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from linked import ROOT, works_of
from newest import newest_day

LICENSES = ROOT / "Sources/Base/CTexts/licenses"
CHECKOUTS = ROOT / ".build/tenant/checkouts"
PACKAGES = ROOT / ".build/tenant/workspace-state.json"


def main(about: Path, linked: Path, notices: Path) -> None:
    told = json.loads(about.read_text())
    known = {work["name"]: work for work in told["works"]}
    names = works_of(linked)
    works = [work for name, work in known.items() if name in names]
    works += [described(name) for name in sorted(names - known.keys(), key=str.lower)]
    day = newest_day(linked)
    notices.write_text(notices_of(told["version"], day, works))
    json.dump({"version": told["version"], "newestLibraryDate": day, "works": works}, sys.stdout, indent=2)


def described(name: str) -> "dict[str, str]":
    if name == "BoringSSL":
        revision = (CHECKOUTS / "swift-nio-ssl/Sources/CNIOBoringSSL/hash.txt").read_text().split()[-1]
        return work(name, revision, "Apache-2.0", "https://boringssl.googlesource.com/boringssl",
                    "Copyright The BoringSSL Authors, The OpenSSL Project Authors, and The fiat-crypto Authors")
    package = next((each for each in packages() if each["packageRef"]["identity"] == name), None)
    if package is None:
        sys.exit(f"release: {name} is linked into mambridge-tenant, and scripts/packaging/works.py does not describe it")
    text = (CHECKOUTS / name / "LICENSE.txt").read_text()
    if "Apache License\n" not in text:
        sys.exit(f"release: {name} is not under the Apache License: describe it in scripts/packaging/works.py")
    notice = CHECKOUTS / name / "NOTICE.txt"
    return work(
        name, package["state"]["checkoutState"]["version"],
        "Apache-2.0" + (" WITH Swift-exception" if "Runtime Library Exception" in text else ""),
        package["packageRef"]["location"].removesuffix(".git"),
        notice.read_text().strip("\n") if notice.exists() else "Copyright Apple Inc. and the Swift project authors")


def work(name: str, version: str, license: str, url: str, notice: str) -> "dict[str, str]":
    return {"name": name, "version": version, "license": license, "url": url, "notice": notice}


def packages() -> "list[dict[str, Any]]":
    found: "list[dict[str, Any]]" = json.loads(PACKAGES.read_text())["object"]["dependencies"]
    return found


def notices_of(version: str, day: "str | None", works: "list[dict[str, str]]") -> str:
    """As `mambridge about` prints them."""
    parts = [f"mambridge-tenant {version}" + (f"\nNewest library from Debian: {day}" if day else "")]
    parts += [f"{each['name']} {each['version']}, {each['license']}, {each['url']}\n\n{each['notice']}" for each in works]
    words = (word for each in works for word in each["license"].split() if word not in ("AND", "WITH"))
    parts += [f"{word}\n\n{(LICENSES / f'{word}.txt').read_text()}" for word in dict.fromkeys(words)]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
