"""How to build and run a program that uses the client of its language."""
from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Sequence

CLIENTS = Path(__file__).resolve().parent.parent
CRATES = "/usr/share/cargo/registry"  # librust-serde-json-dev
MAVEN = "/usr/share/maven-repo"
GSON = "/usr/share/java/gson.jar"


@dataclass
class Program:
    """What to run. `{build}` in the commands stands for a folder that `build`, which is run once, may write to.

    A tool is the name of a program, or the path of what a package installs.
    """

    command: list[str]
    tools: list[str] = field(default_factory=list)
    build: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)

    def missing(self) -> list[str]:
        return [tool for tool in self.tools if shutil.which(tool) is None and not Path(tool).exists()]

    def built(self, folder: Path) -> Program:
        if self.build:
            run([part.format(build=folder) for part in self.build], CLIENTS.parent, self.environment, seconds=600)
        return Program([part.format(build=folder) for part in self.command], environment=self.environment)


def run(
    command: list[str], folder: Path, environment: dict[str, str], seconds: float,
    ignored: Sequence[signal.Signals] = (),
) -> str:
    """Returns what the program prints. It starts with some signals ignored."""
    def ignore() -> None:
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)

    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=seconds, preexec_fn=ignore if ignored else None)
    assert done.returncode == 0 and not done.stderr, f"status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def python(source: Path) -> Program:
    environment = {"PYTHONPATH": str(CLIENTS / "python"), "PYTHONWARNINGS": "error"}
    return Program([sys.executable, str(source)], environment=environment)


def go(folder: Path) -> Program:
    build = ["sh", "-c", f"cd {folder} && go build -o {{build}}/program ."]
    return Program(["{build}/program"], ["go"], build, {"GOFLAGS": "-mod=readonly", "GOPROXY": "off"})


def rust(folder: Path, name: str, cargo: str = "cargo", *options: str) -> Program:
    """Needs `rustc` where `cargo` is."""
    build = [
        cargo, "build", "--quiet", "--offline", "--manifest-path", str(folder / "Cargo.toml"), "--target-dir", "{build}",
        "--config", 'source.crates-io.replace-with="debian"', "--config", f'source.debian.directory="{CRATES}"', *options]
    profile = "release" if "--release" in options else "debug"
    return Program(
        [f"{{build}}/{profile}/{name}"], [cargo, CRATES], build,
        {"CARGO_INCREMENTAL": "0", "CARGO_PROFILE_DEV_DEBUG": "0", "RUSTC": str(Path(cargo).with_name("rustc"))})


def java(source: Path, *options: str, others: Sequence[Path] = (), package: str = "") -> Program:
    return Program(
        ["java", *options, "-cp", f"{{build}}:{GSON}", package + source.stem], ["javac", GSON],
        [str(CLIENTS / "java" / "build"), "{build}", *map(str, [source, *others])])


def c(source: Path) -> Program:
    build = [
        "gcc", "-std=c11", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", str(CLIENTS / "c"),
        str(CLIENTS / "c" / "mambridge.c"), str(source), "-ljansson", "-pthread", "-o", "{build}/program"]
    return Program(["{build}/program"], ["gcc"], build)
