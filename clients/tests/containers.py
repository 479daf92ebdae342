"""The container images of a release, and containers of them without an engine: a root folder, namespaces and volumes."""
from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping, Sequence

import pytest
from packages import only, output
from waiting import wait_for

USER = 65532

# $1 is the root of the image, $2 a folder for what changes, $3 the user; then volumes as FOLDER:PATH, --, a command.
# The places to mount on are made as an engine does, before the root becomes read-only.
ENTER = """
image=$1 own=$2 user=$3
shift 3
mkdir -p "$own/changes" "$own/work" "$own/root"
mount -t overlay overlay -o "lowerdir=$image,upperdir=$own/changes,workdir=$own/work" "$own/root"
cd "$own/root"
mkdir -p dev etc proc
for device in null urandom; do touch dev/$device && mount --bind /dev/$device dev/$device; done
touch etc/hosts && mount --bind "$own/hosts" etc/hosts
mount -t proc proc proc
while [ "$1" != -- ]; do
  mkdir -p ".${1#*:}" && mount --bind "${1%%:*}" ".${1#*:}"
  shift
done
shift
mount -o remount,ro .
PATH=/usr/bin
exec setpriv --no-new-privs /usr/sbin/chroot --userspec="$user:$user" --groups="$user" . "$@"
"""


@dataclass
class Image:
    root: Path
    config: "dict[str, Any]"

    def command(
        self, folder: Path, arguments: Sequence[str], volumes: Mapping[str, Path], environment: Mapping[str, str] = {},
        entry_point: "Sequence[str] | None" = None, hosts: str = "127.0.0.1 localhost\n",
    ) -> "list[str]":
        """What runs a container; its process is the first of a namespace, as in an engine."""
        folder.mkdir(exist_ok=True)
        (folder / "hosts").write_text(hosts)
        variables = [*self.config["Env"], *(f"{name}={value}" for name, value in environment.items())]
        mounts = [f"{place}:{path}" for path, place in volumes.items()]
        command = self.config["Entrypoint"] if entry_point is None else entry_point
        return ["env", "-i", *variables, "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "unshare", "--mount", "--pid", "--fork",
                "--kill-child", "sh", "-euc", ENTER, "sh", str(self.root), str(folder), self.config["User"].split(":")[0],
                *mounts, "--", *command, *arguments]

    def run(self, *arguments: Any, **options: Any) -> str:
        done = self.finish(*arguments, **options)
        assert done.returncode == 0, f"status {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def finish(self, *arguments: Any, text: str = "", **options: Any) -> "subprocess.CompletedProcess[str]":
        command = self.command(*arguments, **options)
        return subprocess.run(command, input=text, capture_output=True, text=True, timeout=120)


class Container:
    """A container that serves."""

    def __init__(self, image: Image, folder: Path, *arguments: Any, **options: Any) -> None:
        self.image, self.log = image, folder / "log"
        command = image.command(folder, *arguments, **options)
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    @property
    def text(self) -> str:
        return self.log.read_text(errors="replace")

    def wait_for(self, text: str) -> None:
        wait_for(lambda: text in self.text or self.process.poll() is not None, f"the container says {text}")
        assert text in self.text, self.text

    def stop(self) -> int:
        """Ends the container as an engine does. Returns its exit code."""
        if self.process.poll() is None:
            [child] = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
            os.kill(int(child), signal.Signals[self.image.config["StopSignal"]])
        return self.process.wait(timeout=60)


def layout_of(archive: Path, folder: Path) -> Path:
    """The image of this processor, as an OCI layout with the tag `image`."""
    for tool in ("skopeo", "umoci"):
        if not shutil.which(tool):
            pytest.skip(f"{tool} is not installed: run scripts/toolchains")
    folder.mkdir()
    output("skopeo", "copy", "--quiet", f"oci-archive:{archive}", f"oci:{folder / 'layout'}:image")
    return folder / "layout"


def unpacked_image(dist: Path, program: str, folder: Path) -> Image:
    if os.geteuid() != 0:
        pytest.skip("only root can unpack and enter an image")
    if subprocess.run(["unshare", "--mount", "--pid", "--fork", "true"], capture_output=True).returncode:
        pytest.skip("this machine lets nobody make namespaces")
    layout = layout_of(only(dist, f"{program}-[0-9]*-oci.tar"), folder)
    output("umoci", "unpack", "--image", f"{layout}:image", folder / "bundle")
    config = json.loads(output("skopeo", "inspect", "--config", f"oci:{layout}:image"))["config"]
    return Image(folder / "bundle" / "rootfs", config)


def volume(folder: Path, owner: int = USER, mode: int = 0o700) -> Path:
    folder.mkdir()
    os.chown(folder, owner, USER)
    folder.chmod(mode)
    return folder

