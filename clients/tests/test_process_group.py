"""Signals to the group of a host: the server goes on until the host has saved, and ends with the host."""
from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator

import pytest
from conftest import ALICE, ROOT
from processes import is_gone
from waiting import wait_for

# Saves on the signal, and then closes the client. `terminal` makes the standard input its controlling terminal.
HOST = """if True:
    import fcntl, os, signal, sys, termios
    from mambridge import Client, ConnectionLost

    binary, options, account = sys.argv[1], eval(sys.argv[2]), sys.argv[3]
    if options.pop("terminal", False):
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    arguments = options.pop("arguments", [])
    asked, ask = os.pipe()
    os.set_blocking(ask, False)
    signal.set_wakeup_fd(ask)  # A blocked signal would stay blocked in the server.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, frame: None)
    client = Client.spawn(binary, "--tenant", "sample", *arguments, timeout=30, **options)
    client.initialize()
    client.enrollment_manager.register_and_enroll_account(account)
    print("ready", client.pid, flush=True)
    os.read(asked, 1)
    try:
        sealed = client.data_protection_manager.protect_string("the last words", account)
        print("saved", client.data_protection_manager.unprotect_string(sealed), flush=True)
    except ConnectionLost:
        print("lost", flush=True)
    client.close()
    print("closed", client.exit_code, flush=True)
"""


class Running:
    """A host in a session of its own, perhaps on a terminal."""

    def __init__(self, binary: str, state: str, arguments: list[str], terminal: bool, options: dict[str, Any]) -> None:
        self.keyboard, screen = pty.openpty()
        options = {**options, "terminal": terminal, "arguments": ["--state", state, *arguments]}
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOST, binary, repr(options), ALICE], stdin=screen if terminal else subprocess.DEVNULL,
            stdout=subprocess.PIPE, start_new_session=True, text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT / "clients" / "python")})
        os.close(screen)
        word, number = self.line().split()
        assert word == "ready"
        self.server = int(number)

    def line(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()

    def end(self) -> None:
        for process in (self.process.pid, self.server):
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.communicate()
        os.close(self.keyboard)

    @property
    def server_is_in_its_group(self) -> bool:
        return os.getpgid(self.server) == os.getpgid(self.process.pid)


@pytest.fixture
def hosts(binary: str, state: str) -> Iterator[Any]:
    running: list[Running] = []

    def start(*arguments: str, terminal: bool = False, **options: Any) -> Running:
        running.append(Running(binary, state, list(arguments), terminal, options))
        return running[-1]

    yield start
    for host in running:
        host.end()


def press_ctrl_c(host: Running) -> None:
    os.write(host.keyboard, b"\x03")


def stop_group(host: Running) -> None:
    """As a service manager does that knows a service by its process group."""
    os.killpg(os.getpgid(host.process.pid), signal.SIGTERM)


def hang_up(host: Running) -> None:
    os.killpg(os.getpgid(host.process.pid), signal.SIGHUP)


@pytest.mark.parametrize(("terminal", "end"), [(True, press_ctrl_c), (False, stop_group), (True, hang_up)])
def test_a_host_can_still_save_after_a_signal_to_its_process_group(hosts: Any, terminal: bool, end: Any) -> None:
    host = hosts(terminal=terminal)
    assert not host.server_is_in_its_group
    end(host)
    assert (host.line(), host.line()) == ("saved the last words", "closed 0")
    assert host.process.wait(60) == 0 and is_gone(host.server)


@pytest.mark.parametrize(("terminal", "end"), [(True, press_ctrl_c), (False, stop_group)])
def test_a_server_in_the_process_group_of_its_host_gets_its_signals(hosts: Any, terminal: bool, end: Any) -> None:
    for options in ({"own_process_group": False}, {"environment": {"MAMBRIDGE_PROCESS_GROUP": ""}}):
        host = hosts(terminal=terminal, **options)
        assert host.server_is_in_its_group
        end(host)
        wait_for(lambda: is_gone(host.server), "the server ends")
        assert host.line() in ("lost", "saved the last words") and host.line() == "closed 0"


def test_a_server_in_its_own_process_group_ends_when_its_host_is_killed(hosts: Any) -> None:
    host = hosts()
    host.process.kill()
    wait_for(lambda: is_gone(host.server), "the server ends")


ASKING = {
    "key command": ["--key-command", "head -c 32 /dev/zero"],
    "token command": ["--token-command", "echo token"],
}


@pytest.mark.parametrize("arguments", ASKING.values(), ids=ASKING)
@pytest.mark.parametrize("terminal", [True, False])
def test_a_server_whose_programs_may_prompt_on_a_terminal_stays_in_the_group_of_its_host(
    hosts: Any, terminal: bool, arguments: list[str],
) -> None:
    assert hosts(*arguments, terminal=terminal).server_is_in_its_group == terminal


def test_a_wrong_mambridge_process_group_is_refused_with_the_allowed_value(binary: str, state: str) -> None:
    done = subprocess.run(
        [binary, "--state", state], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
        env={**os.environ, "MAMBRIDGE_PROCESS_GROUP": "mine"})
    assert done.returncode == 78 and 'MAMBRIDGE_PROCESS_GROUP is "mine". Set it to "own"' in done.stderr


def test_the_shell_client_requests_its_own_process_group(tmp_path: Path) -> None:
    server = tmp_path / "server"
    server.write_text("#!/bin/sh\nprintenv MAMBRIDGE_PROCESS_GROUP >&2\n")
    server.chmod(0o755)
    script = f". {ROOT}/clients/shell/mambridge.sh; mam_start; mam_stop"
    for given, seen in (({}, "own\n"), ({"MAMBRIDGE_PROCESS_GROUP": ""}, "\n")):
        environment = {name: value for name, value in os.environ.items() if name != "MAMBRIDGE_PROCESS_GROUP"}
        done = subprocess.run(
            ["bash", "-c", script], capture_output=True, text=True, timeout=60,
            env={**environment, "MAMBRIDGE": str(server), **given})
        assert done.stderr == seen
