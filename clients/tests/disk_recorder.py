"""disk_recorder.py FOLDER LOG COMMAND…: runs a command, and records what it does to the files below a folder and what it
tells its client, in the order of the returns: each write with its bytes and offset, each change of a name, each sync,
each write to standard output, and when something was sent to a socket. LOG gets a pickled `Recording`. Exits as the
command does.

The folder must exist and must not be used by others. Only the command itself is recorded, not the programs it starts.
What is written through a mapping cannot be seen: `Recording.mapped` has those files. A call that changes files in a way
not known here ends the recording with an error, because states built without it would be wrong.
"""
from __future__ import annotations

import ctypes
import os
import pickle
import re
import signal
import stat
import struct
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from system_calls import (
    PTRACE_GET_SYSCALL_INFO, SYSCALL_STOP, WAIT_FOR_THREADS, SyscallInfo, ptrace, resume, seize)

EXIT = 2
AT_FDCWD = -100
RENAME_EXCHANGE = 2
MAP_SHARED, PROT_WRITE = 1, 2
# FICLONE and FICLONERANGE.
CLONES = {0x40049409, 0x4020940D}

# Numbers of Linux on x86-64.
EXECVE = 59
CALLS = {
    1: "write", 2: "open", 9: "mmap", 16: "ioctl", 18: "pwrite64", 20: "writev", 40: "sendfile", 44: "sendto",
    46: "sendmsg", 74: "fsync", 75: "fdatasync", 76: "truncate", 77: "ftruncate", 82: "rename", 83: "mkdir", 84: "rmdir",
    85: "creat", 86: "link", 87: "unlink", 88: "symlink", 90: "chmod", 91: "fchmod", 133: "mknod", 162: "sync",
    188: "setxattr", 189: "lsetxattr", 190: "fsetxattr", 197: "removexattr", 198: "lremovexattr", 199: "fremovexattr",
    257: "openat", 258: "mkdirat", 259: "mknodat", 263: "unlinkat", 264: "renameat", 265: "linkat", 266: "symlinkat",
    268: "fchmodat", 275: "splice", 277: "sync_file_range", 285: "fallocate", 296: "pwritev", 306: "syncfs",
    316: "renameat2", 326: "copy_file_range", 328: "pwritev2", 425: "io_uring_setup", 437: "openat2"}
# A start of writing guarantees nothing.
IGNORED = {"sync_file_range"}


class UnknownChange(Exception):
    pass


@dataclass
class Operation:
    """One change. `begin` is how many operations had returned when this one was called."""

    kind: str  # write, size, grow, mode, attribute, names, sync, datasync, reply, sent
    begin: int
    node: int = 0
    # Of a size, the new size; of grow, the least; of a mode, the mode; of sent, when its call was entered, in monotonic
    # nanoseconds.
    offset: int = 0
    data: "bytes | None" = b""
    name: str = ""
    # Of names: folder, name and what it leads to from now on, all at once.
    slots: "list[tuple[int, str, int | None]]" = field(default_factory=list)


@dataclass
class Node:
    """A file or folder as it was first seen. A file that was made later has no bytes then."""

    kind: int
    mode: int
    path: str
    data: bytes = b""
    target: str = ""
    names: "dict[str, int]" = field(default_factory=dict)
    attributes: "dict[str, bytes]" = field(default_factory=dict)


@dataclass
class Recording:
    nodes: "list[Node]"
    operations: "list[Operation]"
    # Nodes that the command has mapped to write them.
    mapped: "set[int]"
    status: int = 0


class Files:
    """What the folder holds, by inodes. The first node is the folder."""

    def __init__(self, root: str):
        self.root = os.path.realpath(root)
        self.nodes: list[Node] = []
        self.known: dict[tuple[int, int], int] = {}
        # What the names lead to now.
        self.names: dict[tuple[int, str], int] = {}
        self._scan(self.root)

    def _scan(self, path: str) -> int:
        number = self.add(path)
        node = self.nodes[number]
        if node.kind == stat.S_IFDIR:
            for name in sorted(os.listdir(path)):
                child = node.names[name] = self._scan(f"{path}/{name}")
                self.names[number, name] = child
        elif node.kind == stat.S_IFREG:
            node.data = Path(path).read_bytes()
        if node.kind != stat.S_IFLNK:
            node.attributes = {name: os.getxattr(path, name) for name in os.listxattr(path) if name.startswith("user.")}
        return number

    def add(self, place: str) -> int:
        """Adds what a path leads to, also instead of a removed file that had the same inode."""
        status = os.lstat(place) if not place.startswith("/proc/") else os.stat(place)
        kind = stat.S_IFMT(status.st_mode)
        path = os.readlink(place) if place.startswith("/proc/") else place
        node = Node(kind, stat.S_IMODE(status.st_mode), os.path.relpath(path, self.root))
        if kind == stat.S_IFLNK:
            node.target = os.readlink(place)
        self.nodes.append(node)
        self.known[status.st_dev, status.st_ino] = len(self.nodes) - 1
        return len(self.nodes) - 1

    def find(self, place: str) -> "int | None":
        """The node that an existing path leads to; links are followed. `None` outside the folder."""
        status = os.stat(place)
        return self.known.get((status.st_dev, status.st_ino))


class Recorder:
    def __init__(self, process: int, root: str):
        self.process, self.files = process, Files(root)
        self.operations: list[Operation] = []
        self.mapped: set[int] = set()
        self.entered: dict[int, tuple[int, tuple[int, ...], int]] = {}
        # When the call that has just returned was entered, in monotonic nanoseconds.
        self.called = 0
        self.times: dict[int, int] = {}
        self.memory = open(f"/proc/{process}/mem", "rb", buffering=0)
        # Standard output, which may be opened again under another number.
        self.output = os.readlink(f"/proc/{process}/fd/1")

    # The traced process

    def read(self, address: int, count: int) -> bytes:
        self.memory.seek(address)
        found = self.memory.read(count)
        if len(found) < count:
            raise UnknownChange(f"the memory of the process cannot be read at {address:#x}")
        return found

    def text(self, address: int) -> str:
        found = b""
        while b"\0" not in found:
            found += self.read(address + len(found), 4096 - (address + len(found)) % 4096)
        return os.fsdecode(found.split(b"\0")[0])

    def vector(self, address: int, count: int, limit: int) -> bytes:
        found = b""
        for start, length in struct.iter_unpack("QQ", self.read(address, 16 * count)):
            found += self.read(start, length)
        return found[:limit]

    def descriptor(self, number: int) -> str:
        return f"/proc/{self.process}/fd/{ctypes.c_int32(number).value}"

    def path(self, folder: int, address: int) -> "tuple[str, str]":
        """The parent of what a call names, and its name there. The parent may be reached by a link."""
        text = self.text(address)
        if text.startswith("/proc/self/"):
            text = f"/proc/{self.process}/{text[len('/proc/self/'):]}"
        if not text.startswith("/"):
            is_here = ctypes.c_int32(folder).value == AT_FDCWD
            text = (f"/proc/{self.process}/cwd" if is_here else self.descriptor(folder)) + "/" + text
        parent, name = os.path.split(text.rstrip("/"))
        return parent, name

    def slot(self, folder: int, address: int) -> "tuple[int, str] | None":
        parent, name = self.path(folder, address)
        found = self.files.find(parent)
        if found is None or self.files.nodes[found].kind != stat.S_IFDIR:
            return None
        return found, name

    def position(self, number: int) -> int:
        text = Path(f"/proc/{self.process}/fdinfo/{number}").read_text()
        return int(re.search(r"^pos:\s*(\d+)", text, re.MULTILINE)[1])  # type: ignore[index]

    # Operations

    def note(self, kind: str, begin: int, node: "int | None", **values: object) -> None:
        if node is not None:
            self.operations.append(Operation(kind, begin, node, **values))  # type: ignore[arg-type]

    def note_names(self, begin: int, *slots: "tuple[int, str, int | None]") -> None:
        for folder, name, node in slots:
            if node is None:
                self.files.names.pop((folder, name), None)
            else:
                self.files.names[folder, name] = node
        self.operations.append(Operation("names", begin, slots=list(slots)))

    def made(self, begin: int, folder: int, address: int) -> None:
        """A name that did not exist is there now."""
        if slot := self.slot(folder, address):
            parent, name = self.path(folder, address)
            self.note_names(begin, (*slot, self.files.add(f"{os.path.realpath(parent)}/{name}")))

    def removed(self, begin: int, folder: int, address: int) -> None:
        if slot := self.slot(folder, address):
            self.note_names(begin, (*slot, None))

    def renamed(self, begin: int, old: "tuple[int, int]", new: "tuple[int, int]", flags: int = 0) -> None:
        source, target = self.slot(*old), self.slot(*new)
        if source is None or target is None:
            if source or target:
                raise UnknownChange("a rename into or out of the folder")
            return
        node = self.files.names[source]
        # Both names of one file: nothing changes.
        if self.files.names.get(target) == node:
            return
        left = self.files.names[target] if flags & RENAME_EXCHANGE else None
        self.note_names(begin, (*source, left), (*target, node))

    def linked(self, begin: int, folder: int, address: int) -> None:
        if slot := self.slot(folder, address):
            parent, name = self.path(folder, address)
            node = self.files.find(f"{parent}/{name}")
            if node is None:
                raise UnknownChange("a link to a file outside the folder")
            self.note_names(begin, (*slot, node))

    def opened(self, begin: int, folder: int, address: int, flags: int, result: int) -> None:
        place = self.descriptor(result)
        if flags & os.O_TMPFILE == os.O_TMPFILE:
            target = os.readlink(place)
            if target.startswith(self.files.root + "/"):
                self.files.add(place)
        elif flags & os.O_CREAT:
            slot = self.slot(folder, address)
            if slot and slot not in self.files.names:
                return self.made(begin, folder, address)
        if flags & os.O_TRUNC and flags & 3:
            self.note("size", begin, self.files.find(place), offset=0)

    def written(self, begin: int, number: int, data: bytes, offset: "int | None") -> None:
        target = os.readlink(self.descriptor(number))
        if target == self.output:
            self.operations.append(Operation("reply", begin, data=data))
        if target.startswith("socket:"):
            self.operations.append(Operation("sent", begin, offset=self.called))
        if not target.startswith("/"):
            return
        node = self.files.find(self.descriptor(number))
        if node is not None:
            start = self.position(number) - len(data) if offset is None else offset
            self.note("write", begin, node, data=data, offset=start)

    def returned(self, name: str, a: "tuple[int, ...]", result: int, begin: int) -> None:
        here = AT_FDCWD
        if name in ("write", "sendto"):
            self.written(begin, a[0], self.read(a[1], result), None)
        elif name == "pwrite64":
            self.written(begin, a[0], self.read(a[1], result), a[3])
        elif name == "writev":
            self.written(begin, a[0], self.vector(a[1], a[2], result), None)
        elif name in ("pwritev", "pwritev2"):
            self.written(begin, a[0], self.vector(a[1], a[2], result), a[3])
        elif name == "sendmsg":
            vector, count = struct.unpack("QQ", self.read(a[1] + 16, 16))
            self.written(begin, a[0], self.vector(vector, count, result), None)
        elif name == "open":
            self.opened(begin, here, a[0], a[1], result)
        elif name == "openat":
            self.opened(begin, a[0], a[1], a[2], result)
        elif name == "openat2":
            self.opened(begin, a[0], a[1], struct.unpack("Q", self.read(a[2], 8))[0], result)
        elif name == "creat":
            self.opened(begin, here, a[0], os.O_CREAT | os.O_TRUNC | os.O_WRONLY, result)
        elif name in ("mkdir", "mknod"):
            self.made(begin, here, a[0])
        elif name in ("mkdirat", "mknodat"):
            self.made(begin, a[0], a[1])
        elif name == "symlink":
            self.made(begin, here, a[1])
        elif name == "symlinkat":
            self.made(begin, a[1], a[2])
        elif name in ("unlink", "rmdir"):
            self.removed(begin, here, a[0])
        elif name == "unlinkat":
            self.removed(begin, a[0], a[1])
        elif name == "rename":
            self.renamed(begin, (here, a[0]), (here, a[1]))
        elif name in ("renameat", "renameat2"):
            self.renamed(begin, (a[0], a[1]), (a[2], a[3]), a[4] if name == "renameat2" else 0)
        elif name == "link":
            self.linked(begin, here, a[1])
        elif name == "linkat":
            self.linked(begin, a[2], a[3])
        elif name in ("fsync", "fdatasync"):
            kind = "sync" if name == "fsync" else "datasync"
            self.note(kind, begin, self.files.find(self.descriptor(a[0])))
        elif name == "truncate":
            self.note("size", begin, self.files.find("/".join(self.path(here, a[0]))), offset=a[1])
        elif name == "ftruncate":
            self.note("size", begin, self.files.find(self.descriptor(a[0])), offset=a[1])
        elif name == "fallocate" and a[1] == 0:
            self.note("grow", begin, self.files.find(self.descriptor(a[0])), offset=a[2] + a[3])
        elif name == "fchmod":
            self.note("mode", begin, self.files.find(self.descriptor(a[0])), offset=a[1])
        elif name in ("chmod", "fchmodat"):
            names, mode = (self.path(here, a[0]), a[1]) if name == "chmod" else (self.path(a[0], a[1]), a[2])
            self.note("mode", begin, self.files.find("/".join(names)), offset=mode)
        elif name.endswith("xattr"):
            place = self.descriptor(a[0]) if name.startswith("f") else "/".join(self.path(here, a[0]))
            data = None if "remove" in name else self.read(a[2], a[3])
            self.note("attribute", begin, self.files.find(place), name=self.text(a[1]), data=data)
        elif name == "mmap":
            number = ctypes.c_int32(a[4]).value
            if number >= 0 and a[3] & 3 == MAP_SHARED and a[2] & PROT_WRITE:
                node = self.files.find(self.descriptor(number))
                if node is not None:
                    self.mapped.add(node)
        else:
            self.refuse(name, a)

    def refuse(self, name: str, a: "tuple[int, ...]") -> None:
        """Throws if the call, which is not understood, changes the folder."""
        if name == "ioctl" and a[1] not in CLONES:
            return
        if name in ("sync", "syncfs", "io_uring_setup"):
            raise UnknownChange(name)
        target = a[2] if name in ("splice", "copy_file_range") else a[0]
        if self.files.find(self.descriptor(target)) is not None:
            raise UnknownChange(name)

    # Stops

    def stopped(self, thread: int, info: SyscallInfo) -> None:
        if info.kind == SyscallInfo.ENTRY:
            self.entered[thread] = (info.number, tuple(info.arguments), len(self.operations))
            self.times[thread] = time.monotonic_ns()
        elif info.kind == EXIT and thread in self.entered:
            number, arguments, begin = self.entered.pop(thread)
            self.called = self.times.pop(thread)
            result = ctypes.c_int64(info.number).value
            name = CALLS.get(number)
            if name and name not in IGNORED and result >= 0:
                self.returned(name, arguments, result, begin)


def start(command: "list[str]") -> int:
    """Starts the command and returns when all its calls can be traced. Closes the input and output of this process."""
    child = os.fork()
    if child == 0:
        try:
            os.kill(os.getpid(), signal.SIGSTOP)
            os.execvp(command[0], command)
        finally:
            os._exit(127)
    os.waitpid(child, os.WUNTRACED)
    seize(child)
    os.kill(child, signal.SIGCONT)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    return child


def main(root: str, log: str, command: "list[str]") -> int:
    process = start(command)
    recorder: "Recorder | None" = None
    status, becomes = 0, False
    try:
        while True:
            try:
                thread, reason = os.waitpid(-1, WAIT_FOR_THREADS)
            except ChildProcessError:
                break
            if not os.WIFSTOPPED(reason):
                status = reason if thread == process else status
                continue
            try:
                if reason >> 8 == SYSCALL_STOP:
                    info = SyscallInfo()
                    ptrace(PTRACE_GET_SYSCALL_INFO, thread, ctypes.sizeof(info), info)
                    if recorder:
                        recorder.stopped(thread, info)
                    elif info.kind == SyscallInfo.ENTRY:
                        becomes = info.number == EXECVE
                    elif info.kind == EXIT and becomes and info.number == 0:
                        # Its memory is another one from here on.
                        recorder = Recorder(process, root)
                resume(thread, reason >> 8)
            except ProcessLookupError:
                pass
    except BaseException:
        os.kill(process, signal.SIGKILL)
        raise
    if recorder is None:
        raise UnknownChange(f"{command[0]} did not start")
    recording = Recording(recorder.files.nodes, recorder.operations, recorder.mapped, os.waitstatus_to_exitcode(status))
    with open(log, "wb") as file:
        pickle.dump(recording, file)
    return recording.status


if __name__ == "__main__":
    # The pickle names the classes by the module that reads it.
    import disk_recorder
    sys.exit(disk_recorder.main(sys.argv[1], sys.argv[2], sys.argv[3:]))
