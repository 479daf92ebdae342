"""The console's view of a phone's log: it says what `mambridge examine` says, and keeps nothing."""
from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from console_browser import Console, Page, blank, chromium, console, page
from console_process import no_console_stays

__all__ = ["blank", "chromium", "console", "no_console_stays", "page"]

BYTES = "application/octet-stream"
LIMIT = 16 << 20
DECIDED = """\
> 2026-01-05T10:00:02.000Z ERRO IntuneMAM: zoe@zanzibar.example Enrollment failed with status code 203 and error code 0
> 2026-01-05T10:00:01.000Z ERRO IntuneMAM: zoe@zanzibar.example AADSTS65001: no consent
> 2026-01-05T10:00:03.000Z INFO IntuneMAM: {"IntuneMAMPolicies": {"PINEnabled": "1", "Zanzibar": 7, \
"CustomDialerAppProtocol": "https://zanzibar.example/zoe"}, "AppConfig": {"zoe@zanzibar.example": 1}}
"""
UNDECIDED = "IntuneMAM: Enrollment failed with status code 203 and error code 0\n"
HOSTILE = """\
IntuneMAM: {"IntuneMAMPolicies": {"PINEnabled": "1", "<script>alert(1)</script>": 1, \
"CustomDialerAppProtocol": "<img src=x onerror=alert(1)>\u202eevil\u001b[31m"}, \
"AppConfig": {"<b>bold</b>\u202eevil\u001b[31mred": 1}}
"""
UNREADABLE = {
    "archive": b"PK\x03\x04 and so on", "gzip": b"\x1f\x8b\x08", "utf16": "error 203".encode("utf-16"),
    "plist": b"bplist00", "binary": bytes(range(32)) * 9, "nothing": b""}


def examine(console: Console, text: "str | bytes") -> Any:
    given = text if isinstance(text, bytes) else text.encode()
    status, headers, body = console.ask("POST", "/examine", given, Content_Type=BYTES, Content_Length=str(len(given)))
    assert (status, headers["Content-Type"]) == (200, "application/json"), body
    return json.loads(body)


def commanded(binary: str, text: "str | bytes", *options: str) -> "subprocess.CompletedProcess[bytes]":
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    given = text if isinstance(text, bytes) else text.encode()
    return subprocess.run(
        [binary, "examine", *options, "-"], input=given, capture_output=True, timeout=60, env=environment)


# The server


@pytest.mark.parametrize("text", [DECIDED, UNDECIDED, HOSTILE, "Good morning\n", "cut AADSTS650"])
def test_the_console_returns_the_same_report_as_mambridge_examine(console: Console, binary: str, text: str) -> None:
    answer = examine(console, text)
    assert answer["report"] == json.loads(commanded(binary, text, "--json").stdout)
    assert answer["text"].encode() == commanded(binary, text).stdout
    assert "zanzibar.example" not in json.dumps(answer) and "zoe" not in json.dumps(answer)


@pytest.mark.parametrize("kind", UNREADABLE)
def test_unreadable_input_gets_the_message_of_mambridge_examine(console: Console, binary: str, kind: str) -> None:
    command = commanded(binary, UNREADABLE[kind])
    assert command.returncode == 2
    reason = command.stderr.decode().strip().removeprefix("mambridge: ").removeprefix("standard input")
    assert examine(console, UNREADABLE[kind]) == {"unreadable": f"The input{reason}."}


def test_examine_refuses_requests_without_the_token_or_from_another_origin(console: Console) -> None:
    given = {"Content_Type": BYTES}
    assert console.ask("POST", "/examine", "x", Authorization=None, **given)[0] == 401
    assert console.ask("POST", "/examine", "x", Origin="http://evil.example", **given)[0] == 403
    assert console.ask("POST", "/examine", "x")[0] == 415
    assert console.ask("GET", "/examine")[0] == 405


def test_a_log_over_the_size_limit_is_refused_with_a_hint_to_mambridge_examine(console: Console) -> None:
    status, _, body = console.ask("POST", "/examine", "x" * (LIMIT + 1), Content_Type=BYTES)
    assert status == 413 and body.decode() == f"The body must not exceed {LIMIT} bytes. Use mambridge examine FILE.\n"


def test_the_console_frees_the_memory_of_examined_texts(console: Console) -> None:
    line = "2026-01-05T10:00:02.000Z INFO IntuneMAM: nothing that a code of the SDK is in, though the line is long\n"
    text = line * ((2 << 20) // len(line))
    assert examine(console, text)["report"]["lineCount"] == text.count("\n")
    before = memory(console)
    for _ in range(3):
        examine(console, text)
    assert memory(console) - before < len(text), "examinations leave their texts in memory"


def memory(console: Console) -> int:
    return int(Path(f"/proc/{console.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_the_console_stores_nothing_of_an_examined_text(console: Console, page: Page, tmp_path: Path) -> None:
    folders = console.copies()
    paste(page, DECIDED)
    page.click("Examine", "main")
    page.see("nobody has consented")
    kept = {
        "record": console.ask("GET", "/record")[2].decode(), "errors": console.errors(),
        "log": json.dumps(console.call("diagnosticsLog.query", limit=1000)),
        "events": json.dumps(console.call("events.list", limit=1000)),
        "storage": page.js("return JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])"),
        **{str(path): path.read_bytes().decode("latin-1")
           for folder in [*folders, tmp_path] for path in folder.rglob("*") if path.is_file()}}
    assert folders and [place for place, text in kept.items() if "anzibar" in text or "AADSTS65001" in text] == []
    assert page.text(".counter") == "0"


# The page


def paste(page: Page, text: str) -> None:
    page.view("examine")
    page.see("Lines of a log")
    page.js("const box = document.getElementById('examine-lines'); box.value = arguments[0];"
            "box.dispatchEvent(new Event('input', {bubbles: true}))", text)


def test_pasted_log_lines_are_explained_and_the_report_can_be_copied(page: Page, binary: str) -> None:
    paste(page, DECIDED)
    page.click("Examine", "main")
    page.see("Cause: nobody has consented to the permission for the service", "#report-verdict")
    page.see("administrator", "#report-verdict")
    page.see("Grant admin consent", "#report-verdict")
    codes = page.text("#report-codes tbody th, #report-codes tbody td:nth-child(3)").split("\n")
    assert [word for word in codes if word in ("AADSTS65001", "203")] == ["AADSTS65001", "203"], "in the order of time"
    assert "pinRequired" in page.text("#report-policies") and "Not understood: Zanzibar" in page.text("#report-policies")
    page.see("user1@contoso.example", "#report-configurations")
    assert "zanzibar.example" not in page.text("main section")
    page.see("mambridge examine log.txt")
    page.driver.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    page.click("Copy", "main")
    page.see("Copied.", ".notices")
    assert page.later("return await navigator.clipboard.readText()").encode() == commanded(binary, DECIDED).stdout
    assert page.faults() == []


def test_an_undecided_log_shows_candidates_and_text_without_codes_shows_a_message(page: Page) -> None:
    paste(page, UNDECIDED)
    page.click("Examine", "main")
    page.see("Not decided by this input", "#report-verdict h2")
    assert page.text("#report-verdict").count("Perhaps ") == 3 and "Cause:" not in page.text("#report-verdict")
    page.see("check", "#report-verdict")
    paste(page, "Good morning")
    page.click("Examine", "main")
    page.see("The input has no code, policy or dump of the Intune SDK.", "#report-verdict")
    paste(page, "AADSTS99999: a code that no table has\n")
    page.click("Examine", "main")
    page.see("Nobody has checked what it means; see https://login.microsoftonline.com/error?code=99999", "#report-codes")


def test_hostile_text_in_a_log_is_shown_as_text_without_control_characters(page: Page) -> None:
    paste(page, HOSTILE)
    page.click("Examine", "main")
    page.see("<script>alert(1)</script>", "#report-policies")
    page.see("<b>bold</b>U+202Eevil", "#report-configurations")
    assert page.js("return document.querySelectorAll('main img, main script, main b').length") == 0
    assert not set("\u202e\u001b") & set(page.text("main section"))
    copied = page.later("""
      const { Server } = await import("/rpc.js");
      const { state } = await import("/state.js");
      const response = await state.server.fetch("/examine", {
        method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: given[0] });
      return (await response.json()).text""", HOSTILE)
    assert not set("\u202e\u001b") & set(copied), "the text to pass on has no control of a terminal"


def test_a_chosen_and_a_dropped_file_are_examined(page: Page, tmp_path: Path) -> None:
    page.view("examine")
    page.see("Or a file")
    file = tmp_path / "it's.log"
    file.write_text(DECIDED)
    page.driver.find_element("id", "examine-file").send_keys(str(file))
    page.see("it's.log: nobody has consented", "[role=status]")
    page.see(r"mambridge examine 'it'\''s.log'", "pre")
    drop(page, "-x.log", UNDECIDED)
    page.see("-x.log: Not decided by this input.", "[role=status]")
    page.see("mambridge examine ./-x.log", "pre")
    drop(page, "logs.zip", "PK\u0003\u0004")
    page.see("The input is an archive. Unpack it, and examine the logs in it one by one.", "[role=status]")
    assert page.js("return document.querySelector('#report-verdict')") is None
    file.write_bytes(b"x" * (100 << 20))
    page.driver.find_element("id", "examine-file").send_keys(str(file))
    page.see("This has 100 MiB. The console reads up to 16 MiB; the command reads any size.", "[role=status]")
    page.see(r"mambridge examine 'it'\''s.log'", "pre")


def drop(page: Page, name: str, text: str) -> None:
    page.js("""
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([arguments[1]], arguments[0]));
      document.querySelector("main").dispatchEvent(
        new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));""", name, text)


def test_the_examine_view_can_be_used_with_the_keyboard(page: Page) -> None:
    from selenium.webdriver import ActionChains, Keys
    press = lambda *keys: ActionChains(page.driver).send_keys(*keys).perform()
    page.view("examine")
    page.see("Lines of a log")
    page.js("document.getElementById('main').focus()")
    press(Keys.TAB)
    assert page.js("return document.activeElement.id") == "examine-lines"
    press("AADSTS65001", Keys.ENTER)
    ActionChains(page.driver).key_down(Keys.CONTROL).send_keys(Keys.ENTER).key_up(Keys.CONTROL).perform()
    page.see("Cause: nobody has consented", "#report-verdict")
    assert page.js("return document.activeElement.id") == "examine-lines"
    labels = []
    for _ in range(4):
        press(Keys.TAB)
        labels.append(page.js("const e = document.activeElement; return e.id || e.innerText"))
    assert labels == ["Examine", "examine-file", "mambridge examine log.txt", "Copy"]
    page.view("policy")
    page.view("examine")
    assert page.js("return document.getElementById('examine-lines').value") == "AADSTS65001\n"
    page.js("const s = document.querySelector('select.small'); s.value = 'es'; s.dispatchEvent(new Event('change'))")
    page.see("Líneas de un registro", "label")
    page.see("Registro del teléfono", "h1")
