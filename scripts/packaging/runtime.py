"""What an image has of this Debian: the shared libraries and the certificates that mambridge-tenant needs, and what scanners
read about the packages."""
from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Iterable

# The folder of shared libraries, by the architecture of Debian.
FOLDERS = {"amd64": "usr/lib/x86_64-linux-gnu"}
# A store in PostgreSQL loads it.
LOADED = ["libpq.so.5"]
CERTIFICATES = "/usr/share/ca-certificates/mozilla"
RELEASE = "/usr/lib/os-release"
SETTINGS = {
    "etc/passwd": "mambridge:x:65532:65532::/state:/usr/sbin/nologin\n",
    "etc/group": "mambridge:x:65532:\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}

# By the path: the content of a file, or the target of a symbolic link.
Files = dict[str, "bytes | str"]


def runtime_of(binary: Path, architecture: str) -> Files:
    folder = FOLDERS[architecture]
    libraries = libraries_of(binary, f"/{folder}")
    [loader] = read_elf(r"program interpreter: /(.*)\]", "--program-headers", binary)
    files: Files = {path: text.encode() for path, text in SETTINGS.items()}
    files |= {"lib": "usr/lib", "lib64": "usr/lib64", f"usr/{loader}": f"/{folder}/{os.path.basename(loader)}"}
    files |= {f"{folder}/{library.name}": library.read_bytes() for library in libraries}
    # As update-ca-certificates writes it, but without the certificates that were added on this machine.
    certificates = sorted(Path(CERTIFICATES).glob("*.crt"))
    files["etc/ssl/certs/ca-certificates.crt"] = b"".join(path.read_bytes() for path in certificates)
    return files | records_of("/", owners([os.path.realpath(library) for library in libraries] + [str(certificates[0])]))


def libraries_of(binary: Path, folder: str) -> "list[Path]":
    """The shared libraries that the program needs or loads, and those that these need."""
    waiting, libraries = [*needed(binary), *LOADED], set[Path]()
    while waiting:
        library = Path(folder, waiting.pop())
        if not library.exists():
            sys.exit(f"release: {library.name} is needed in the image, and is not in {folder}. Run scripts/setup tenant")
        if library not in libraries:
            libraries.add(library)
            waiting += needed(library)
    return sorted(libraries)


def needed(file: Path) -> "list[str]":
    return read_elf(r"\(NEEDED\).*\[(.*)\]", "--dynamic", file)


def read_elf(pattern: str, option: str, file: Path) -> "list[str]":
    told = subprocess.run(["readelf", "--wide", option, file], check=True, capture_output=True, text=True)
    return re.findall(pattern, told.stdout)


def owners(files: "list[str]") -> "list[str]":
    """The packages of these files. Debian lists some below /lib that are below /usr/lib."""
    told = dpkg_query("-S", *files, *(file.removeprefix("/usr") for file in files))
    lines = [line.rsplit(": ", 1) for line in told.splitlines()]
    unknown = set(files) - {path for _, listed in lines for path in (listed, f"/usr{listed}")}
    if unknown:
        sys.exit(f"release: {min(unknown)} belongs to no Debian package, so scanners cannot know its faults")
    return sorted({package for package, _ in lines})


def records_of(system: "str | Path", packages: "Iterable[str]") -> Files:
    """What dpkg says of each package in this system, where scanners find it in an image without dpkg; its license; and the
    release of Debian, which tells scanners in whose advisories to look."""
    files: Files = {"etc/os-release": f"..{RELEASE}", RELEASE[1:]: Path(system, RELEASE[1:]).read_bytes()}
    for package in packages:
        name = package.split(":")[0]
        told = dpkg_query(f"--admindir={Path(system, 'var/lib/dpkg')}", "-s", package)
        files[f"var/lib/dpkg/status.d/{name}"] = told.encode()
        license = f"usr/share/doc/{name}/copyright"
        files[license] = Path(system, license).read_bytes()
    return files


def dpkg_query(*arguments: str) -> str:
    return subprocess.run(["dpkg-query", *arguments], capture_output=True, text=True).stdout
