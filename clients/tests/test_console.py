"""The command `mambridge console`: who gets in, what the page learns, and what is refused."""
from __future__ import annotations

import json
import os
import re
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import ALICE, ROOT
from console_process import Console, command, console, enroll, no_console_stays, runtime  # noqa: F401
from waiting import wait_for

PAGE = ROOT / "Sources" / "Program" / "Console"
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
         ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}


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
    text = "".join(lines)
    if file.suffix == ".css":
        strings = re.split(r"(\"[^\"\n]*\"|'[^'\n]*')", text)
        strings[::2] = [re.sub(r"(?<=[ :,(])0(?=\.)", "", re.sub(
            r"(?<=[,:;{}])[ \n]+| +(?=[{}])", "", part).replace(";}", "}")) for part in strings[::2]]
        text = "".join(strings)
    return text.encode()


def is_loaded(name: str) -> bool:
    """Whether every console loads the file: page.js is the diagnostics page's, sandbox*.js is for a sandbox, and
    examine*.js for a view that few open."""
    return name != "page.js" and not name.startswith(("sandbox", "examine"))


def test_every_file_of_the_page_is_served_without_a_token(console: Console) -> None:
    for file in PAGE.iterdir():
        status, headers, body = console.ask("GET", f"/{file.name}", Authorization=None)
        assert (status, headers["Content-Type"]) == (200, TYPES[file.suffix]), file.name
        assert body == served(file), f"{file.name}: run scripts/embed-console and build again"
    status, headers, body = console.ask("GET", "/", Authorization=None)
    assert status == 200 and body == (PAGE / "index.html").read_bytes()
    sizes = [len(served(file)) for file in PAGE.iterdir() if is_loaded(file.name)]
    assert sum(sizes) < 160_000
    assert headers["Content-Security-Policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
    assert headers["Referrer-Policy"] == "no-referrer" and headers["Cache-Control"] == "no-store"


def test_the_console_guide_uses_the_labels_of_the_page() -> None:
    labels = [row.split("|")[:2] for name in ("labels.js", "examine-labels.js", "sandbox-labels.js")
              for row in (PAGE / name).read_text().splitlines() if row.count("|") == 6]
    words = dict(reversed(labels))
    guide = (ROOT / "docs" / "console.md").read_text()
    assert [word for word in re.findall(r"\*\*(.+?)\*\*", guide) if word not in words.values()] == []
    views = [text for key, text in labels if key.startswith("nav.")]
    assert re.findall(r"^## (.+)$", guide, re.MULTILINE) == [*views, words["record.open"], "Keys and languages"]
    assert "**Ask**, **Launch** and **Device and time**" in (ROOT / "docs" / "tester-guide.md").read_text()


@pytest.mark.parametrize(("method", "path"), [
    ("POST", "/rpc"), ("GET", "/events"), ("GET", "/log"), ("GET", "/log?level=error"), ("GET", "/openrpc.json")])
@pytest.mark.parametrize("token", [None, "Bearer", "Bearer " + "0" * 64, "Basic x"])
def test_rpc_events_and_log_need_the_token(console: Console, method: str, path: str, token: "str | None") -> None:
    body = "{}" if method == "POST" else None
    assert console.ask(method, path, body, Authorization=token)[0] == 401


def test_the_console_keeps_the_record_of_the_page_and_serves_it_only_with_the_token(console: Console) -> None:
    first, second, third = '{"beginning":{}}', '{"entry":{"id":1}}', '{"entry":{"id":2}}'
    for method, body in [("GET", None), ("POST", first), ("PUT", first)]:
        assert console.ask(method, "/record", body, Authorization=None)[0] == 401
        assert console.ask(method, "/record", body, Origin="http://evil.example")[0] == 403
    assert console.ask("GET", "/record")[2] == b""
    assert [console.ask("POST", "/record", line)[0] for line in (first, second)] == [204, 204]
    assert console.ask("GET", "/record")[2].decode() == f"{first}\n{second}\n"
    assert console.ask("PUT", "/record", third)[0] == 204
    assert console.ask("POST", "/record", "{\n}")[0] == 400
    assert console.ask("GET", "/record")[2].decode() == f"{third}\n"


@pytest.mark.parametrize("fields", [
    {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": "http://127.0.0.1:1"}, {"Host": "evil.example"},
    {"Host": "127.0.0.1:1"}], ids=str)
@pytest.mark.parametrize("path", ["/", "/rpc", "/events", "/log", "/openrpc.json"])
def test_requests_of_another_origin_or_host_are_refused(console: Console, path: str, fields: "dict[str, str]") -> None:
    body = "{}" if path == "/rpc" else None
    status, _, text = console.ask("POST" if body else "GET", path, body, **fields)
    assert status == 403 and b"<" not in text


def test_requests_from_the_origin_of_the_page_are_accepted(console: Console) -> None:
    request = '{"jsonrpc":"2.0","id":1,"method":"versionInfo.sdkVersion"}'
    assert console.ask("POST", "/rpc", request, Origin=console.origin)[0] == 200
    assert console.ask("GET", "/log", Origin=console.origin)[1]["Content-Type"] == "text/event-stream"


def session(console: Console) -> Any:
    status, headers, body = console.ask("GET", "/session.json", Authorization=None)
    assert (status, headers["Content-Type"]) == (200, "application/json")
    found = json.loads(body)
    assert found.pop("examines") == 16 << 20
    return found


def test_the_console_reports_whether_its_state_is_a_copy_and_new_and_which_clock_it_uses(
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


def test_the_token_is_only_in_the_private_file_that_the_browser_opens(
    binary: str, state: str, command: "list[str]", runtime: Path, tmp_path: Path
) -> None:
    enroll(binary, state)
    browser, opened = tmp_path / "browser", tmp_path / "opened"
    browser.write_text(
        f'#!/bin/sh\n{{ cat "$1"; printf "\\n%s\\n" "$1"; }} >"{opened}.part"\nmv "{opened}.part" "{opened}"\n')
    browser.chmod(0o755)
    console = Console(command, runtime, BROWSER=str(browser))
    wait_for(opened.exists, "the browser is started")
    page, _, path = opened.read_text().rstrip("\n").rpartition("\n")
    assert console.address in page
    assert path.startswith(str(runtime)) and stat.S_IMODE(Path(path).stat().st_mode) == 0o600
    console.call("enrollmentManager.registerAndEnrollAccount", account=ALICE)
    token = console.token.encode()
    holders = [file for file in runtime.rglob("*") if file.is_file() and token in file.read_bytes()]
    assert holders == [Path(path)]
    assert console.token not in Path(f"/proc/{console.process.pid}/cmdline").read_text()
    assert console.token not in console.end()
    assert not any(token in file.read_bytes() for file in Path(state).rglob("*") if file.is_file())


def test_a_console_without_a_browser_prints_a_note_and_keeps_serving(command: "list[str]", runtime: Path) -> None:
    console = Console(command, runtime, BROWSER="/no/such/browser")
    assert console.call("versionInfo.sdkVersion")
    assert "no browser can be started" in console.end()
    assert console.process.returncode == 0


def test_console_live_works_on_the_state_itself_and_refuses_test_policies(
    binary: str, state: str, command: "list[str]", runtime: Path
) -> None:
    enroll(binary, state)
    console = Console([*command, "--live", "--no-open"], runtime)
    assert list(runtime.iterdir()) == []
    for method, params, name in [
        ("debug.setPolicy", {"settings": {}}, "debugSettingsNeeded"),
        ("debug.advanceClock", {"by": "PT1S"}, "manualClockNeeded"),
    ]:
        assert console.error(method, **params)["data"]["name"] == name
    console.call("enrollmentManager.deRegisterAndUnenrollAccount", account=ALICE, withWipe=False)
    console.end()
    left = subprocess.run(
        [binary, "call", "--state", state, "enrollmentManager.registeredAccounts"], capture_output=True, text=True,
        timeout=60)
    assert json.loads(left.stdout) == []


def test_console_live_changes_no_test_policy_even_if_debug_settings_are_enabled(
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
            assert console.error(method, **params)["data"]["name"] == "debugSettingsNeeded"
    console.end()
    allowed = subprocess.run(
        [*call, "enforcement.isActionAllowed", "action=print", f"account={ALICE}"], capture_output=True, text=True,
        timeout=60)
    assert allowed.stdout.strip() == "false", allowed


def test_console_clock_manual_starts_at_the_given_time(command: "list[str]", runtime: Path) -> None:
    console = Console([*command, "--no-open", "--clock", "manual=2031-02-03T04:05:06Z"], runtime)
    assert console.call("tenant.timeline")["now"] == "2031-02-03T04:05:06.000Z"
    console.end()


@pytest.mark.parametrize(("arguments", "code", "text"), [
    (["--live", "--clock", "manual"], 64, "system clock"), (["--listen", "tcp://127.0.0.1:0"], 64, "--listen"),
    (["--listen", "http://0.0.0.0:0"], 64, "--listen"), (["--live", "--debug-settings", "x"], 64, "test policy"),
])
def test_console_refuses_conflicting_options_and_unsupported_addresses(
    command: "list[str]", runtime: Path, arguments: "list[str]", code: int, text: str
) -> None:
    run = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=60, env={
        **os.environ, "XDG_RUNTIME_DIR": str(runtime)})
    assert run.returncode == code and text in run.stderr and run.stdout == ""


def test_console_on_a_used_port_fails_and_leaves_no_copy(console: Console, command: "list[str]", runtime: Path) -> None:
    before = set(runtime.iterdir())
    run = subprocess.run(
        [*command, "--no-open", "--listen", console.origin], capture_output=True, text=True, timeout=60,
        env={**os.environ, "XDG_RUNTIME_DIR": str(runtime)})
    assert run.returncode == 69 and run.stdout == "" and set(runtime.iterdir()) == before
