"""What a program of a release consists of: the works that it names, checked against what the linker read."""
from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

# The names of works in `mambridge about`: by the Debian source package without the number at its end, if that differs;
# by the beginning of the name of an archive of the Swift toolchain; by the module of a Swift package that is a copy of
# another work, or whose folder has another name.
OF_SOURCES = {"openssl": "OpenSSL", "sqlite": "SQLite", "gcc": "libstdc++ and libgcc", "libzstd": "zstd"}
OF_ARCHIVES = {"lib_Foundation": "swift-foundation", "libFoundation": "swift-foundation", "libdispatch": "libdispatch",
               "libBlocksRuntime": "libdispatch", "": "Swift"}
OF_MODULES = {
    "CNIOLLHTTP": "llhttp", "CNIOBoringSSL": "BoringSSL", "ServiceContextModuleCompatibility": "swift-service-context",
    "SystemPackage": "swift-system"}

# An object of a build: the folder of the build, which has the checkouts, and the module.
OF_BUILD = re.compile(r"(.*/\.build(?:/tenant|/arm64)?)/.*/(\w+)\.build/")

# The names of processors, as programs and Python call them, by their numbers in the header of a program.
PROCESSORS = {0x3E: "x86_64", 0xB7: "aarch64"}
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


@dataclass(frozen=True, order=True)
class DebianPackage:
    """A package whose archives or objects were linked: of this machine, or of the system of scripts/cross."""

    name: str
    version: str
    source: str
    source_version: str


@dataclass
class Work:
    """A work as `mambridge about` describes it."""

    name: str
    version: str
    license: str
    url: str
    notice: str
    packages: "set[DebianPackage]" = field(default_factory=set)


class Release:
    def __init__(self, about: Path, linked: Path) -> None:
        told = json.loads(about.read_text())
        self.version: str = told["version"]
        self.works = [Work(**work) for work in told["works"]]
        self._check_and_add_packages(linked_files(linked))

    @property
    def packages(self) -> "list[DebianPackage]":
        return sorted({package for work in self.works for package in work.packages})

    def _check_and_add_packages(self, files: "list[str]") -> None:
        works = {work.name: work for work in self.works}
        packages = debian_packages(files)
        linked: "dict[str, str]" = {}
        for file in files:
            if name := work_of(file, packages):
                linked.setdefault(name, file)
                if file in packages and name in works:
                    works[name].packages.add(packages[file])
        faults = [f"`mambridge about` does not name {name}: {linked[name]} is linked" for name in linked.keys() - works]
        faults += [f"`mambridge about` names {name}, which is not linked" for name in works.keys() - linked]
        if faults:
            sys.exit("\n".join(f"release: {fault}" for fault in sorted(faults)))


def works_of(report: Path) -> "set[str]":
    """The names of the works that were linked."""
    files = linked_files(report)
    packages = debian_packages(files)
    return {name for file in files if (name := work_of(file, packages))}


def linked_files(report: Path) -> "list[str]":
    """The files in the linker's report, a rule for make, by their real names, which Debian knows. Shared libraries are
    those of the system that the program runs on."""
    lines = report.read_text().split("\n\n")[0].split(" \\\n")[1:]
    files = {os.path.realpath(line.strip().replace("\\ ", " ")) for line in lines}
    return sorted(file for file in files if ".so" not in os.path.basename(file))


def work_of(file: str, packages: "dict[str, DebianPackage]") -> "str | None":
    """None if the file is a part of mambridge itself."""
    if file in packages:
        name = packages[file].source.rstrip("-.0123456789")
        return OF_SOURCES.get(name, name)
    if "/lib/swift_static/" in file or "/lib/clang/" in file:
        return next(work for start, work in OF_ARCHIVES.items() if os.path.basename(file).startswith(start))
    if file.endswith((".a", ".o")) and "/.build/" not in file:
        sys.exit(f"release: {file} is linked, but belongs to no Debian package, so nobody knows its license")
    module = OF_BUILD.match(file)
    return OF_MODULES.get(module[2]) or swift_package_of(module[2], Path(module[1], "checkouts")) if module else None


def swift_package_of(module: str, checkouts: Path) -> "str | None":
    own = (module, module.replace("_", "-"))
    if any(folder.name in own for folder in (ROOT / "Sources").glob("*/*")):
        return None
    folder = next(checkouts.glob(f"*/Sources/**/{module}/"), None)
    if folder is None:
        sys.exit(f"release: the module {module} is linked, but is in no folder of Sources and {checkouts}")
    return folder.relative_to(checkouts).parts[0]


def system_of(files: "list[str]") -> str:
    """The folder of the system that the program was linked for, which has the code of its start; empty for this machine."""
    # Scrt1.o starts a program that may be at any address, such as mambridge-tenant.
    [start] = {match[1] for file in files if (match := re.fullmatch(r"(.*)/usr/lib/[^/]+/S?crt1\.o", file))}
    return start


def debian_packages(files: "list[str]") -> "dict[str, DebianPackage]":
    """The package that each file belongs to; without the files that belong to none."""
    system = system_of(files)
    known = [file.removeprefix(system) for file in files if file.startswith(f"{system}/usr/")]
    owners = dict(line.rsplit(": ", 1)[::-1] for line in dpkg_query(system, "-S", *known))
    fields = "${binary:Package} ${Package} ${Version} ${source:Package} ${source:Version}\\n"
    described = (line.split() for line in dpkg_query(system, "-W", "-f", fields, *set(owners.values())))
    packages = {owner: DebianPackage(*facts) for owner, *facts in described}
    return {system + file: packages[owner] for file, owner in owners.items()}


def dpkg_query(system: str, *arguments: str) -> "list[str]":
    command = ["dpkg-query", f"--admindir={system}/var/lib/dpkg", *arguments]
    return subprocess.run(command, capture_output=True, text=True).stdout.splitlines()


def processor_of(program: Path) -> str:
    """That of this machine for a script."""
    with open(program, "rb") as file:
        header = file.read(20)
    if not header.startswith(b"\x7fELF"):
        return os.uname().machine
    number = int.from_bytes(header[18:20], "little")
    return PROCESSORS.get(number) or sys.exit(f"release: {program} is for a processor without packages, {number}")
