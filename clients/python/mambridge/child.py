"""A server as a child process: its start, and how it ended. Knows no thread and no loop."""
from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
import time
from typing import Any, Dict, Iterator, List, Optional, Tuple

from .failures import ConnectionLost

LAST_LINES = 20
LAST_BYTES = 1 << 14

# Longer than any thread takes to ask whether a process has ended.
TURN = 0.1

# With the value "own", the server leaves our process group, so that Ctrl-C and the like reach this program alone.
GROUP_VARIABLE = "MAMBRIDGE_PROCESS_GROUP"

UNKNOWN_END = "mambridge has ended; its exit code is unknown, because this program ignores SIGCHLD or waits for any child"


class QuietSocket(socket.socket):
    """A write to a peer that is gone is an error, even where SIGPIPE would end the program."""

    def send(self, data: Any, flags: int = 0) -> int:
        return super().send(data, flags | socket.MSG_NOSIGNAL)

    def sendmsg(self, buffers: Any, ancillary: Any = (), flags: int = 0, address: Any = None) -> int:
        return super().sendmsg(buffers, ancillary, flags | socket.MSG_NOSIGNAL, address)


def quiet(connection: socket.socket) -> QuietSocket:
    """The same connection, without the time limit that the program may have set for new sockets."""
    found = QuietSocket(connection.family, connection.type, connection.proto, connection.detach())
    found.settimeout(None)
    return found


class LastLines:
    """The last lines of a stream, which may be as long as it likes."""

    def __init__(self) -> None:
        self._bytes = b""

    def feed(self, chunk: bytes) -> None:
        self._bytes = (self._bytes + chunk)[-LAST_BYTES:]

    def lines(self) -> Tuple[str, ...]:
        return tuple(line.rstrip() for line in self._bytes.decode("utf-8", "replace").splitlines()[-LAST_LINES:])


class Child:
    """`input` and `output` are sockets, the other ends of its stdin and stdout. `errors`, which never blocks, is that of
    stderr.

    Its exit status may be somebody else's: a program can ignore SIGCHLD, or wait for any child. Then it counts as gone,
    with an unknown exit code.
    """

    def __init__(
        self, command: List[str], environment: Optional[Dict[str, str]], folder: Optional[str], own_process_group: bool,
    ) -> None:
        import subprocess
        with contextlib.ExitStack() as undo, contextlib.ExitStack() as theirs:
            self.input, stdin = map(quiet, socket.socketpair())
            undo.callback(self.input.close)
            theirs.callback(stdin.close)
            self.output, stdout = map(quiet, socket.socketpair())
            undo.callback(self.output.close)
            theirs.callback(stdout.close)
            ours, stderr = os.pipe()
            theirs.callback(os.close, stderr)
            self.errors = open(ours, "rb", buffering=0)
            undo.callback(self.errors.close)
            os.set_blocking(ours, False)
            process = subprocess.Popen(
                command, stdin=stdin.fileno(), stdout=stdout.fileno(), stderr=stderr, cwd=folder,
                env=joined_environment(environment, own_process_group))
            undo.pop_all()
        process.returncode = 0  # Popen must not wait for it, and must not warn that nobody did.
        self.pid = process.pid
        self.exit_code: Optional[int] = None
        self.last_lines = LastLines()
        self._has_ended = False
        self._turn = threading.Lock()

    def has_ended(self) -> bool:
        if not self._has_ended and self._turn.acquire(blocking=False):  # Another thread, or this one, is asking.
            try:
                self._ask()
            finally:
                self._turn.release()
        return self._has_ended

    def _ask(self) -> None:
        if self._has_ended:
            return
        try:
            found, status = os.waitpid(self.pid, os.WNOHANG)
        except ChildProcessError:
            self._has_ended = True
            return
        if found:
            self.exit_code = os.waitstatus_to_exitcode(status)
            self._has_ended = True

    def ends_within(self, seconds: float) -> bool:
        for pause in pauses(seconds):
            if self.has_ended():
                return True
            time.sleep(pause)
        return self.has_ended()

    def signal(self, number: "signal.Signals") -> None:
        """Unless it has ended. Until it is waited for, its id is given to no other process, so nobody may ask meanwhile.

        Nothing is sent if this thread itself was asking when a signal handler interrupted it.
        """
        if self._has_ended or not self._turn.acquire(timeout=TURN):
            return
        try:
            self._ask()
            if not self._has_ended:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self.pid, number)
        finally:
            self._turn.release()

    def lost(self) -> ConnectionLost:
        """Says how it ended, if it has."""
        if not self.has_ended():
            return ConnectionLost("mambridge closed its output but is still running")
        reason = UNKNOWN_END if self.exit_code is None else ending(self.exit_code)
        return ConnectionLost(reason, self.exit_code, self.last_lines.lines())

    def after_fork(self) -> None:
        """In a forked process, it is the child of another."""
        self._has_ended = True


def ending(code: int) -> str:
    """How a child has ended, by its exit code, which is negative for a signal."""
    if code >= 0:
        return f"mambridge exited with code {code}"
    name = f" ({signal.Signals(-code).name})" if -code in set(signal.Signals) else ""
    return f"mambridge was killed by signal {-code}{name}"


def pauses(seconds: float) -> Iterator[float]:
    """Growing times to sleep, until so many seconds have passed."""
    deadline, pause = time.monotonic() + seconds, 0.001
    while (left := deadline - time.monotonic()) > 0:
        yield min(pause, left)
        pause = min(2 * pause, 0.02)


def joined_environment(added: Optional[Dict[str, str]], own_process_group: bool) -> Dict[str, str]:
    joined = {**os.environ, **(added or {})}
    if own_process_group:
        joined.setdefault(GROUP_VARIABLE, "own")
    return joined
