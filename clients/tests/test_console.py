"""The command `mambridge console`: who gets in, what it leaves behind, and what it leaves alone."""
from __future__ import annotations

import hashlib
import http.client
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Iterator
from urllib.parse import urlsplit

import pytest
from conftest import ALICE, ROOT

PAGE = ROOT / "Sources" / "Console"
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
         ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}


class Console:
    """A running console, with the answers of its server."""

    running: "list[Console]" = []

    def __init__(self, command: "list[str]", runtime: Path, **more: str) -> None:
        environment = {**os.environ, "XDG_RUNTIME_DIR": str(runtime), **more}
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=environment)
        self.running.append(self)
        assert self.process.stdout
        self.line = self.process.stdout.readline()
        found = re.fullmatch(r"(http://127\.0\.0\.1:\d+)/#token=([0-9a-f]{64})\n", self.line)
        if not found:
            pytest.fail(f"the console printed {self.line!r} and {self.process.communicate(timeout=20)[1]!r}")
        self.address, self.token = found.groups()

    def ask(
        self, method: str, path: str, body: "str | None" = None, **fields: "str | None"
    ) -> "tuple[int, Any, bytes]":
        """A request with the token, unless `Authorization` is given; None leaves a field out."""
        parts = urlsplit(self.address)
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
        kind = "application/json" if body else None
        given = {"Authorization": f"Bearer {self.token}", "Content_Type": kind, **fields}
        connection.request(
            method, path, body, {name.replace("_", "-"): value for name, value in given.items() if value is not None})
        reply = connection.getresponse()
        try:
            return reply.status, reply.headers, b"" if path.startswith(("/events", "/log")) else reply.read()
        finally:
            connection.close()

    def call(self, method: str, **params: Any) -> Any:
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        status, _, body = self.ask("POST", "/rpc", json.dumps(request))
        reply = json.loads(body)
        assert status == 200 and "error" not in reply, reply
        return reply["result"]

    def end(self, number: int = signal.SIGINT) -> str:
        """Ends it, and returns what it wrote on stderr."""
        self.process.send_signal(number)
        rest, errors = self.process.communicate(timeout=40)
        assert rest == "", "stdout has the address alone"
        return errors


@pytest.fixture
def runtime(tmp_path: Path) -> Path:
    folder = tmp_path / "runtime"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def command(binary: str, state: str) -> "list[str]":
    return [binary, "console", "--tenant", "sample", "--state", state]


@pytest.fixture(autouse=True)
def no_console_stays() -> Iterator[None]:
    yield
    for console in Console.running:
        if console.process.poll() is None:
            console.process.kill()
            console.process.communicate(timeout=20)
    Console.running.clear()


@pytest.fixture
def console(command: "list[str]", runtime: Path) -> Iterator[Console]:
    running = Console([*command, "--no-open"], runtime)
    yield running
    running.end()
    assert running.process.returncode == 0


def enroll(binary: str, state: str) -> None:
    subprocess.run(
        [binary, "call", "--tenant", "sample", "--state", state, "enrollmentManager.registerAndEnrollAccount",
         f"account={ALICE}"], check=True, capture_output=True, timeout=60)


def contents(folder: "str | Path") -> "dict[str, str]":
    files = [path for path in Path(folder).rglob("*") if path.is_file()]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def served(file: Path) -> bytes:
    """What the server makes of a file: scripts and style sheets lose comments and indentation."""
    if file.suffix not in (".js", ".css"):
        return file.read_bytes()
    lines, in_template = [], False
    for line in file.read_text().splitlines(keepends=True):
        if not in_template:
            line = line.lstrip(" ")
            comment = r"//" if file.suffix == ".js" else r"/\*((?!\*/).)*\*/\n"
            if line == "\n" or re.match(comment, line):
                continue
        if file.suffix == ".js" and re.sub(r"\\.", "", line).count("`") % 2:
            in_template = not in_template
        lines.append(line)
    return "".join(lines).encode()


def test_every_file_of_the_page_is_served_without_a_token(console: Console) -> None:
    for file in PAGE.iterdir():
        status, headers, body = console.ask("GET", f"/{file.name}", Authorization=None)
        assert (status, headers["Content-Type"]) == (200, TYPES[file.suffix]), file.name
        assert body == served(file), f"{file.name}: run scripts/embed-console and build again"
    status, headers, body = console.ask("GET", "/", Authorization=None)
    assert status == 200 and body == (PAGE / "index.html").read_bytes()
    # The console loads all files but the last script of the diagnostics page.
    sizes = [len(served(file)) for file in PAGE.iterdir() if file.name != "page.js"]
    assert sum(sizes) < 150_000
    assert headers["Content-Security-Policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
    assert headers["Referrer-Policy"] == "no-referrer" and headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(("method", "path"), [
    ("POST", "/rpc"), ("GET", "/events"), ("GET", "/log"), ("GET", "/log?level=error"), ("GET", "/openrpc.json")])
@pytest.mark.parametrize("token", [None, "Bearer", "Bearer " + "0" * 64, "Basic x"])
def test_everything_else_needs_the_token(console: Console, method: str, path: str, token: "str | None") -> None:
    body = "{}" if method == "POST" else None
    assert console.ask(method, path, body, Authorization=token)[0] == 401


@pytest.mark.parametrize("fields", [
    {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": "http://127.0.0.1:1"}, {"Host": "evil.example"},
    {"Host": "127.0.0.1:1"}], ids=str)
@pytest.mark.parametrize("path", ["/", "/rpc", "/events"])
def test_another_origin_or_host_gets_nothing(console: Console, path: str, fields: "dict[str, str]") -> None:
    body = "{}" if path == "/rpc" else None
    status, _, text = console.ask("POST" if body else "GET", path, body, **fields)
    assert status == 403 and b"<" not in text


def test_the_page_itself_is_let_in(console: Console) -> None:
    request = '{"jsonrpc":"2.0","id":1,"method":"versionInfo.sdkVersion"}'
    assert console.ask("POST", "/rpc", request, Origin=console.address)[0] == 200
    assert console.ask("GET", "/log", Origin=console.address)[1]["Content-Type"] == "text/event-stream"


def test_the_copy_has_accounts_and_keys_and_the_original_stays_as_it_is(
    binary: str, state: str, command: "list[str]", runtime: Path
) -> None:
    enroll(binary, state)
    sealed = subprocess.run(
        [binary, "call", "--tenant", "sample", "--state", state, "dataProtectionManager.protectString", "string=hello",
         f"account={ALICE}"], check=True, capture_output=True, text=True, timeout=60).stdout
    before = contents(state)
    console = Console([*command, "--no-open"], runtime)
    copies = list(runtime.iterdir())
    assert len(copies) == 1 and stat.S_IMODE(copies[0].stat().st_mode) == 0o700
    assert console.call("dataProtectionManager.unprotectString", string=json.loads(sealed)) == "hello"
    console.call("debug.setPolicy", settings={"printBlocked": True})
    assert console.call("enforcement.isActionAllowed", action="print", account=ALICE) is False
    console.call("debug.advanceClock", by="P91D")
    console.call("enrollmentManager.deRegisterAndUnenrollAccount", account=ALICE, withWipe=True)
    assert console.call("enrollmentManager.enrolledAccounts") == []
    console.end()
    assert console.process.returncode == 0 and list(runtime.iterdir()) == []
    assert contents(state) == before


def test_a_wipe_in_the_copy_removes_no_file(
    binary: str, state: str, command: "list[str]", runtime: Path, tmp_path: Path
) -> None:
    enroll(binary, state)
    file = tmp_path / "owned.txt"
    file.write_text("mine")
    subprocess.run(
        [binary, "call", "--tenant", "sample", "--state", state, "fileProtectionManager.protect", f"path={file}",
         f"account={ALICE}"], check=True, capture_output=True, timeout=60)
    before = file.read_bytes()
    console = Console([*command, "--no-open"], runtime)
    console.call("enrollmentManager.deRegisterAndUnenrollAccount", account=ALICE, withWipe=True)
    console.end()
    assert file.read_bytes() == before


def test_what_a_killed_console_left_is_removed_by_the_next(
    binary: str, state: str, command: "list[str]", runtime: Path
) -> None:
    enroll(binary, state)
    killed = Console([*command, "--no-open"], runtime)
    running = Console([*command, "--no-open"], runtime)
    assert len(list(runtime.iterdir())) == 2, "a console in use keeps its copy"
    killed.process.kill()
    killed.process.communicate(timeout=20)
    left = set(runtime.iterdir())
    time.sleep(2)
    following = Console([*command, "--no-open"], runtime)
    assert len(left & set(runtime.iterdir())) == 1
    assert running.call("policyManager.isIdentityManaged", account=ALICE) is True
    for console in running, following:
        console.end()
    assert list(runtime.iterdir()) == []


def session(console: Console) -> Any:
    status, headers, body = console.ask("GET", "/session.json", Authorization=None)
    assert (status, headers["Content-Type"]) == (200, "application/json")
    return json.loads(body)


def test_the_page_learns_what_it_shows_and_whose_clock_it_is(
    binary: str, state: str, command: "list[str]", runtime: Path
) -> None:
    def clock(console: Console) -> str:
        return console.call("diagnosticConsole.getDiagnosticInformation")["clock"]

    console = Console([*command, "--no-open", "--locale", "es-ES"], runtime)
    assert session(console) == {"isCopy": True, "isNew": True} and clock(console) == "manual"
    assert console.call("diagnosticConsole.getDiagnosticInformation")["language"] == "es"
    console.end()
    subprocess.run(
        [binary, "call", "--state", state, "--clock", "manual", "debug.advanceClock", "by=P91D"], check=True,
        capture_output=True, timeout=60)
    live = Console([*command, "--live", "--no-open"], runtime)
    assert session(live) == {"isCopy": False, "isNew": False} and clock(live) == "system"
    live.end()
    copy = Console([*command, "--no-open", "--clock", "system"], runtime)
    assert session(copy) == {"isCopy": True, "isNew": False} and clock(copy) == "system"
    copy.end()


@pytest.mark.parametrize("place", ["stick/key", "state/keys/root.key"])
def test_the_root_secret_is_used_and_not_copied(
    binary: str, tmp_path: Path, state: str, command: "list[str]", runtime: Path, place: str
) -> None:
    key = tmp_path / place if place.startswith("stick") else Path(state) / "keys" / "root.key"
    if place.startswith("stick"):
        key.parent.mkdir(mode=0o700)
        subprocess.run(
            [binary, "call", "--tenant", "sample", "--state", state, "--key-file", key,
             "enrollmentManager.registerAndEnrollAccount", f"account={ALICE}"], check=True, capture_output=True,
            timeout=60)
    else:
        enroll(binary, state)
    secret = key.read_bytes()
    console = Console([*command, "--no-open", "--key-file", str(key)], runtime)
    sealed = console.call("dataProtectionManager.protectString", string="hello", account=ALICE)
    assert console.call("dataProtectionManager.unprotectString", string=sealed) == "hello"
    files = [file for file in runtime.rglob("*") if file.is_file()]
    assert any(file.name == "store.key" for file in files)
    assert not any(secret in file.read_bytes() for file in files)
    assert console.end() and key.read_bytes() == secret


def test_a_copy_on_a_disk_is_named_and_memory_is_preferred(
    binary: str, state: str, command: "list[str]", tmp_path: Path
) -> None:
    enroll(binary, state)
    shared, temporary = Path("/dev/shm"), tmp_path / "temporary"
    temporary.mkdir(mode=0o700)
    before = set(shared.iterdir()) if shared.is_dir() else set()
    console = Console([*command, "--no-open"], tmp_path / "missing", TMPDIR=str(temporary))
    on_disk = list(temporary.iterdir())
    in_memory = set(shared.glob("mambridge-console-*")) - before if shared.is_dir() else set()
    assert len(on_disk) + len(in_memory) == 1
    assert ("it is on a disk, in " in console.end()) == bool(on_disk)
    assert not list(temporary.iterdir()) and not in_memory & set(shared.iterdir())


def test_a_folder_that_others_can_exchange_is_passed_over(
    binary: str, state: str, command: "list[str]", tmp_path: Path
) -> None:
    enroll(binary, state)
    shared = tmp_path / "shared"
    (shared / "mine").mkdir(parents=True, mode=0o700)
    shared.chmod(0o777)
    runtime = shared / "mine"
    console = Console([*command, "--no-open"], runtime)
    assert list(runtime.iterdir()) == []
    console.end()
    trusting = Console([*command, "--no-open", "--trust-parents"], runtime)
    assert len(list(runtime.iterdir())) == 1
    trusting.end()
    assert list(runtime.iterdir()) == []


def test_a_damaged_state_is_called_damaged(binary: str, state: str, command: "list[str]", runtime: Path) -> None:
    enroll(binary, state)
    for suffix in "-wal", "-shm":
        Path(f"{state}/device.db{suffix}").unlink(missing_ok=True)
    Path(f"{state}/device.db").write_text("this is no database\n" * 300)
    run = subprocess.run(
        [*command, "--no-open"], capture_output=True, text=True, timeout=60,
        env={**os.environ, "XDG_RUNTIME_DIR": str(runtime)})
    assert run.returncode == 1 and "damaged" in run.stderr and run.stdout == "", run
    assert list(runtime.iterdir()) == []


SOURCE = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    open(sys.argv[1], "a").write(line)
    params, result = message.get("params", {}), None
    if message["method"] == "source.open":
        result = {"protocolVersion": 1}
    elif message["method"] == "source.checkIn":
        result = {"outcome": "delivered", "policies": [], "user": {
            "id": "87d349ed-44d7-43e1-9a83-5f2406dee5bd", "tenantId": "6babcaad-604b-40ac-a9d7-9fd97c0b779f",
            "userPrincipalName": params["account"]["identity"]}}
    if "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


@pytest.mark.parametrize("isLive", [False, True])
def test_a_copy_leaves_its_registrations_at_the_source(
    binary: str, state: str, runtime: Path, tmp_path: Path, isLive: bool
) -> None:
    (tmp_path / "source.py").write_text(SOURCE)
    asked = tmp_path / "asked"
    command = [
        binary, "console", "--no-open", "--state", state, "--tenant",
        f"exec:{sys.executable} {tmp_path}/source.py {asked}"]
    console = Console([*command, *(["--live"] if isLive else [])], runtime)
    console.call("enrollmentManager.registerAndEnrollAccount", account=ALICE)
    console.end()
    messages = [json.loads(line) for line in asked.read_text().splitlines()]

    def registrations(method: str) -> "set[str]":
        return {each["params"]["registration"]["id"] for each in messages if each["method"] == method}

    assert len(registrations("source.checkIn")) == 1
    assert registrations("source.leave") == (set() if isLive else registrations("source.checkIn"))


def test_a_state_is_copied_while_another_process_changes_it(
    binary: str, state: str, command: "list[str]", runtime: Path
) -> None:
    enroll(binary, state)
    busy = subprocess.Popen(
        ["sh", "-c", 'while "$0" call --state "$1" device.set model="x$((n+=1))"; do sleep 0.2; done', binary, state],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        for _ in range(3):
            console = Console([*command, "--no-open"], runtime)
            assert console.call("policyManager.isIdentityManaged", account=ALICE) is True
            console.end()
        assert busy.poll() is None
    finally:
        os.killpg(busy.pid, signal.SIGKILL)
        busy.wait()


def test_the_browser_gets_a_file_and_the_token_is_nowhere_else(
    binary: str, state: str, command: "list[str]", runtime: Path, tmp_path: Path
) -> None:
    enroll(binary, state)
    browser, opened = tmp_path / "browser", tmp_path / "opened"
    browser.write_text(
        f'#!/bin/sh\n{{ cat "$1"; printf "\\n%s\\n" "$1"; }} >"{opened}.part"\nmv "{opened}.part" "{opened}"\n')
    browser.chmod(0o755)
    console = Console(command, runtime, BROWSER=str(browser))
    for _ in range(100):
        if opened.exists():
            break
        time.sleep(0.1)
    page, _, path = opened.read_text().rstrip("\n").rpartition("\n")
    assert f"{console.address}/#token={console.token}" in page
    assert path.startswith(str(runtime)) and stat.S_IMODE(Path(path).stat().st_mode) == 0o600
    console.call("enrollmentManager.registerAndEnrollAccount", account=ALICE)
    token = console.token.encode()
    holders = [file for file in runtime.rglob("*") if file.is_file() and token in file.read_bytes()]
    assert holders == [Path(path)]
    assert console.token not in Path(f"/proc/{console.process.pid}/cmdline").read_text()
    assert console.token not in console.end()
    assert not any(token in file.read_bytes() for file in Path(state).rglob("*") if file.is_file())


def test_a_missing_browser_is_a_note(command: "list[str]", runtime: Path) -> None:
    console = Console(command, runtime, BROWSER="/no/such/browser")
    assert console.call("versionInfo.sdkVersion")
    assert "no browser can be started" in console.end()
    assert console.process.returncode == 0


def test_live_is_the_state_itself_without_test_policies(
    binary: str, state: str, command: "list[str]", runtime: Path
) -> None:
    enroll(binary, state)
    console = Console([*command, "--live", "--no-open"], runtime)
    assert list(runtime.iterdir()) == []
    for method, params, name in [
        ("debug.setPolicy", {"settings": {}}, "debugSettingsNeeded"),
        ("debug.advanceClock", {"by": "PT1S"}, "manualClockNeeded"),
    ]:
        request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        assert json.loads(console.ask("POST", "/rpc", request)[2])["error"]["data"]["name"] == name
    console.call("enrollmentManager.deRegisterAndUnenrollAccount", account=ALICE, withWipe=False)
    console.end()
    left = subprocess.run(
        [binary, "call", "--state", state, "enrollmentManager.registeredAccounts"], capture_output=True, text=True,
        timeout=60)
    assert json.loads(left.stdout) == []


def test_live_changes_no_test_policy_even_if_the_setting_was_switched_on(
    binary: str, state: str, command: "list[str]", runtime: Path
) -> None:
    enroll(binary, state)
    call = [binary, "call", "--tenant", "sample", "--state", state]
    for arguments in (
        ["settings.set", 'values={"DebugSettingsEnabled":true}'],
        ["debug.setPolicy", f"account={ALICE}", 'settings={"printBlocked":true}'],
    ):
        subprocess.run([*call, *arguments], check=True, capture_output=True, timeout=60)
    console = Console([*command, "--live", "--no-open", "--set", "DebugSettingsEnabled=true"], runtime)
    for switch in False, True:
        if switch:
            console.call("settings.set", values={"DebugSettingsEnabled": True})
        found = console.call("diagnosticConsole.getDiagnosticInformation")["settings"]["DebugSettingsEnabled"]
        assert found is False
        for method, params in [
            ("debug.setPolicy", {"account": ALICE, "settings": {"printBlocked": False}}),
            ("debug.setPolicy", {"settings": {}}),
            ("debug.clearPolicy", {"account": ALICE}),
            ("debug.clearPolicy", {}),
        ]:
            request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
            error = json.loads(console.ask("POST", "/rpc", request)[2])["error"]
            assert error["data"]["name"] == "debugSettingsNeeded"
    console.end()
    allowed = subprocess.run(
        [*call, "enforcement.isActionAllowed", "action=print", f"account={ALICE}"], capture_output=True, text=True,
        timeout=60)
    assert allowed.stdout.strip() == "false", allowed


def test_a_clock_starts_at_a_time(command: "list[str]", runtime: Path) -> None:
    console = Console([*command, "--no-open", "--clock", "manual=2031-02-03T04:05:06Z"], runtime)
    assert console.call("tenant.timeline")["now"] == "2031-02-03T04:05:06.000Z"
    console.end()


@pytest.mark.parametrize(("arguments", "code", "text"), [
    (["--live", "--clock", "manual"], 64, "system clock"), (["--listen", "tcp://127.0.0.1:0"], 64, "--listen"),
    (["--listen", "http://0.0.0.0:0"], 64, "--listen"), (["--live", "--debug-settings", "x"], 64, "test policy"),
])
def test_what_does_not_fit_together_is_refused(
    command: "list[str]", runtime: Path, arguments: "list[str]", code: int, text: str
) -> None:
    run = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=60, env={
        **os.environ, "XDG_RUNTIME_DIR": str(runtime)})
    assert run.returncode == code and text in run.stderr and run.stdout == ""


def test_a_port_in_use_is_named_and_leaves_no_copy(console: Console, command: "list[str]", runtime: Path) -> None:
    before = set(runtime.iterdir())
    run = subprocess.run(
        [*command, "--no-open", "--listen", console.address], capture_output=True, text=True, timeout=60,
        env={**os.environ, "XDG_RUNTIME_DIR": str(runtime)})
    assert run.returncode == 69 and run.stdout == "" and set(runtime.iterdir()) == before
