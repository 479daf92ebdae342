"""system_calls.py PID [NUMBER]: names each system call of a process that leaves a trace outside of it, and kills it before
the call of that number. Prints "attached" first. Ends with the process.

Of two runs, the second may meet other calls: threads take turns in another order. Every call of the first run is still a
moment at which a process may die.
"""
from __future__ import annotations

import ctypes
import os
import platform
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Iterator

# Numbers of Linux on x86-64. Calls of the first kind have a file descriptor, those of the second a path.
ON_FILES = {1: "write", 18: "pwrite64", 20: "writev", 44: "sendto", 46: "sendmsg", 74: "fsync", 75: "fdatasync",
            77: "ftruncate", 285: "fallocate", 296: "pwritev", 328: "pwritev2"}
ON_PATHS = {82: "rename", 83: "mkdir", 84: "rmdir", 87: "unlink", 258: "mkdirat", 263: "unlinkat", 264: "renameat",
            316: "renameat2"}

PTRACE_SYSCALL, PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_LISTEN, PTRACE_GET_SYSCALL_INFO = 24, 0x4206, 0x4207, 0x4208, 0x420E
TRACE_SYSCALLS_AND_THREADS = 1 | 8
WAIT_FOR_THREADS = 0x40000000
EVENT_STOP = 128
SYSCALL_STOP = signal.SIGTRAP | 0x80


class SyscallInfo(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_uint8), ("architecture", ctypes.c_uint32), ("instruction", ctypes.c_uint64),
                ("stack", ctypes.c_uint64), ("number", ctypes.c_uint64), ("arguments", ctypes.c_uint64 * 6)]

    ENTRY = 1


_library = ctypes.CDLL(None, use_errno=True)
_library.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_library.ptrace.restype = ctypes.c_long


def ptrace(request: int, thread: int, address: int = 0, data: "int | ctypes.Structure" = 0) -> None:
    pointer = data if isinstance(data, int) else ctypes.addressof(data)
    if _library.ptrace(request, thread, address, pointer) < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def seize(process: int) -> None:
    """Begins to trace all threads, also those that begin later. Processes that it starts are not traced. Does nothing if
    the process has ended."""
    seized: set[int] = set()
    while new := set(threads(process)) - seized:
        for thread in new:
            try:
                ptrace(PTRACE_SEIZE, thread, 0, TRACE_SYSCALLS_AND_THREADS)
                ptrace(PTRACE_INTERRUPT, thread)
            except ProcessLookupError:
                pass
        seized |= new


def threads(process: int) -> Iterator[int]:
    """Those that have not ended."""
    for status in Path(f"/proc/{process}/task").glob("*/stat"):
        try:
            if status.read_text().rpartition(")")[2].split()[0] not in "ZX":
                yield int(status.parent.name)
        except OSError:
            pass


def description(process: int, info: SyscallInfo) -> "str | None":
    """`None` for a call that leaves no trace."""
    if name := ON_PATHS.get(info.number):
        return name
    name = ON_FILES.get(info.number)
    if name is None:
        return None
    try:
        target = os.readlink(f"/proc/{process}/fd/{ctypes.c_int32(info.arguments[0]).value}")
    except OSError:
        return None
    kind = target.split(":")[0]
    return None if kind == "anon_inode" else f"{name} {kind if kind in ('pipe', 'socket') else os.path.basename(target)}"


def stops() -> Iterator["tuple[int, int]"]:
    """The threads that stop, and why. Ends with the process."""
    while True:
        try:
            thread, status = os.waitpid(-1, WAIT_FOR_THREADS)
        except ChildProcessError:
            return
        if os.WIFSTOPPED(status):
            yield thread, status >> 8


def resume(thread: int, stop: int) -> None:
    number, event = stop & 0xFF, stop >> 8
    if event == EVENT_STOP and number in (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
        return ptrace(PTRACE_LISTEN, thread)
    is_signal = event == 0 and number != SYSCALL_STOP
    ptrace(PTRACE_SYSCALL, thread, 0, number if is_signal else 0)


def main(process: int, last: "int | None") -> None:
    seize(process)
    print("attached", flush=True)
    count, info = 0, SyscallInfo()
    for thread, stop in stops():
        try:
            if stop == SYSCALL_STOP:
                ptrace(PTRACE_GET_SYSCALL_INFO, thread, ctypes.sizeof(info), info)
                if info.kind == SyscallInfo.ENTRY and (text := description(process, info)):
                    count += 1
                    print(text, flush=True)
                    if count == last:
                        os.kill(process, signal.SIGKILL)
                        continue
            resume(thread, stop)
        except ProcessLookupError:
            pass


class Tracer:
    """Counts the calls of a process, and kills it before the call of that number."""

    def __init__(self, process: int, last: "int | None" = None):
        command = [sys.executable, __file__, str(process), *([str(last)] if last else [])]
        self.child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.last, self.calls = last, list[str]()
        self.reader: "threading.Thread | None" = None
        assert self.child.stdout and self.child.stderr
        if self.child.stdout.readline() != b"attached\n":
            error = self.child.stderr.read().decode()
            self.end()
            raise PermissionError(error)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        assert self.child.stdout
        for line in self.child.stdout:
            self.calls.append(line.decode().strip())

    @property
    def has_killed(self) -> bool:
        return self.last is not None and len(self.calls) >= self.last

    def end(self) -> None:
        self.child.kill()
        self.child.wait(20)
        if self.reader:
            self.reader.join(20)
        for stream in (self.child.stdout, self.child.stderr):
            if stream:
                stream.close()


def can_trace() -> bool:
    """Whether the system lets a process trace another one of the same user."""
    if platform.machine() != "x86_64":
        return False
    with subprocess.Popen(["sleep", "60"]) as other:
        try:
            Tracer(other.pid).end()
            return True
        except PermissionError:
            return False
        finally:
            other.kill()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else None)
