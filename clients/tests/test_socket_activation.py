"""`--listen systemd`: sockets that whoever starts the server has bound already."""
from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest
from conftest import ALICE, first_line
from mambridge import Client, MambridgeError

Start = Callable[..., "subprocess.Popen[bytes]"]

# What a service manager does between fork and exec: the descriptors from 3 on, and the variables.
PARENT = """
import os, sys
sockets, count = [int(text) for text in sys.argv[1].split(",") if text], int(sys.argv[2])
copies = [os.dup2(number, 100 + index) for index, number in enumerate(sockets)]
for index, number in enumerate(copies):
    os.dup2(number, 3 + index, inheritable=True)
os.closerange(3 + len(copies), 200)
os.environ.setdefault("LISTEN_PID", str(os.getpid()))
os.environ["LISTEN_FDS"] = str(count)
os.execv(sys.argv[3], sys.argv[3:])
"""


@pytest.fixture
def start(binary: str, state: str) -> Iterator[Start]:
    """Starts a server with these sockets passed to it; at the end all are closed."""
    servers: "list[subprocess.Popen[bytes]]" = []
    passed: "list[socket.socket]" = []

    def start(
        *sockets: socket.socket, names: "str | None" = None, count: "int | None" = None,
        environment: "dict[str, str] | None" = None, arguments: "list[str] | None" = None,
    ) -> "subprocess.Popen[bytes]":
        passed.extend(sockets)
        numbers = [one.fileno() for one in sockets]
        variables = {**os.environ, **(environment or {}), **({"LISTEN_FDNAMES": names} if names else {})}
        server = [binary, "serve", "--listen", "systemd", "--tenant", "sample", "--state", state, *(arguments or [])]
        command = [sys.executable, "-c", PARENT, ",".join(map(str, numbers)), str(count or len(numbers)), *server]
        servers.append(subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, env=variables, pass_fds=numbers))
        return servers[-1]

    yield start
    for server in servers:
        server.terminate()
        server.communicate(timeout=40)
    for one in passed:
        one.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "run").mkdir(mode=0o700)
    return tmp_path / "run"


def unix(path: Path) -> socket.socket:
    bound = socket.socket(socket.AF_UNIX)
    bound.bind(str(path))
    bound.listen()
    return bound


def port(host: str = "127.0.0.1") -> socket.socket:
    bound = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    bound.bind((host, 0))
    bound.listen()
    return bound


def said(server: "subprocess.Popen[bytes]") -> Any:
    return json.loads(first_line(server, 30))


def refusal(server: "subprocess.Popen[bytes]") -> str:
    _, errors = server.communicate(timeout=40)
    assert server.returncode == 69
    return errors.decode()


def test_the_connection_that_triggers_the_start_is_served_and_the_socket_remains(
        start: Start, folder: Path) -> None:
    path = folder / "socket"
    bound = unix(path)
    for _ in range(2):
        with socket.socket(socket.AF_UNIX) as waiting:
            waiting.connect(str(path))
            server = start(bound)
            waiting.sendall(b'{"jsonrpc":"2.0","id":1,"method":"versionInfo.sdkVersion"}\n')
            assert b'"result"' in waiting.recv(1000)
        assert said(server) == {"listening": f"unix://{path}"}
        server.terminate()
        assert server.wait(timeout=40) == 0
        assert path.exists()


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_an_activated_port_needs_the_token(start: Start, host: str) -> None:
    told = said(start(port(host)))
    with Client.connect(told["listening"]) as stranger, pytest.raises(MambridgeError, match="notAuthenticated"):
        stranger.call("versionInfo.sdkVersion")
    with Client.connect(told["listening"], token_file=told["tokenFile"]) as client:
        assert client.call("versionInfo.sdkVersion")


def test_an_activated_socket_named_http_serves_http(start: Start, folder: Path) -> None:
    web = port()
    server = start(unix(folder / "socket"), web, names="mambridge.socket:http")
    assert said(server)["listening"].startswith("unix://")
    assert said(server)["listening"] == "http://{}:{}".format(*web.getsockname())
    with socket.create_connection(web.getsockname()) as stranger:
        host = "{}:{}".format(*web.getsockname()).encode()
        stranger.sendall(b"POST /rpc HTTP/1.1\r\nHost: " + host + b"\r\nContent-Length: 0\r\n\r\n")
        assert stranger.recv(1000).startswith(b"HTTP/1.1 401 ")


def test_programs_started_by_the_server_inherit_no_socket_and_no_listen_variable(start: Start, tmp_path: Path) -> None:
    report = tmp_path / "report"
    command = tmp_path / "key"
    command.write_text(
        f"#!/bin/sh\n{{ env | grep ^LISTEN; find /proc/$$/fd -lname 'socket:*'; }} >{report}\nprintf %032d 7\n")
    command.chmod(0o700)
    told = said(start(port(), names="one", arguments=["--key-command", str(command)]))
    with Client.connect(told["listening"], token_file=told["tokenFile"]) as client:
        client.call("enrollmentManager.registerAndEnrollAccount", account=ALICE)
        client.call("dataProtectionManager.protectString", string="figures", account=ALICE)
    assert report.read_text() == ""


def test_unsuitable_activated_sockets_are_refused_with_the_reason(start: Start, folder: Path) -> None:
    silent = socket.socket()
    assert "Accept=no" in refusal(start(silent))
    assert "not a stream" in refusal(start(socket.socket(type=socket.SOCK_DGRAM)))
    assert "loopback" in refusal(start(port("0.0.0.0")))
    assert "needs a port" in refusal(start(unix(folder / "socket"), names="http"))
    assert "not open" in refusal(start(port(), count=2))
    assert "from 1 to 64" in refusal(start(count=65))
    assert "process 1," in refusal(start(port(), environment={"LISTEN_PID": "1"}))


def test_listen_systemd_fails_if_no_sockets_were_passed(binary: str, state: str) -> None:
    run = subprocess.run(
        [binary, "--listen", "systemd", "--state", state], capture_output=True, text=True, timeout=60,
        env={name: value for name, value in os.environ.items() if not name.startswith("LISTEN_")})
    assert run.returncode == 69
    assert "no sockets were passed" in run.stderr
