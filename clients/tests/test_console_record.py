"""The record of `mambridge console`: what it shows, what it leaves out, and that it replays with equal answers."""
from __future__ import annotations

import os
import re
import select
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ALICE, ROOT
from console_browser import BOB, TIME, Page, blank, chromium, console, page, running

__all__ = ["blank", "chromium", "console", "page"]


def first_day(page: Page) -> None:
    page.enroll()
    page.view("ask")
    page.choose("param-location", "dropbox")
    page.click("Ask", "form.card")
    page.calls(3)
    page.view("launch")
    page.click("Run the checks")
    page.set_pin()
    page.see("The app may start.", ".verdict")
    page.view("accounts")
    page.click(f"Sign in and enroll: {BOB}")
    page.see("Sign in", ".screen")
    page.click("Cancel", ".screen")
    page.see("loginCanceled", ".notices")
    page.view("device")
    page.click("Move by 30 minutes")
    page.calls(10)
    page.view("accounts")
    page.click("Deregister")
    page.click("Deregister", "dialog")
    page.calls(11)


def recorded(page: Page, form: str) -> str:
    return page.later("""
      const [{ session }, { FORMS }] = await Promise.all([import("/session.js"), import("/drawer.js")]);
      return FORMS[given[0]](session());""", form)


@pytest.fixture
def first_day_of(page: Page) -> Page:
    first_day(page)
    return page


def test_a_recorded_first_day_replays_with_equal_answers(first_day_of: Page, binary: str, tmp_path: Path) -> None:
    for form in SCRIPTS:
        assert replayed(first_day_of, form, binary, tmp_path) == int(first_day_of.text(".counter"))
    replay_transcript(recorded(first_day_of, "transcript"), binary, tmp_path / "transcribed")


def recorded_test(page: Page) -> str:
    return page.later("""
      const [{ session }, { expectations }] = await Promise.all([import("/session.js"), import("/expectations.js")]);
      return expectations(session());""")


def test_a_recorded_first_day_becomes_a_tenant_test_that_passes_once_it_is_reviewed(
    first_day_of: Page, binary: str, tmp_path: Path
) -> None:
    text = recorded_test(first_day_of)
    assert "unreviewed" in text.splitlines() and f"as {ALICE} in " in text
    for part in ["-> false because saveAsBlocked", "launch -> challenge setPIN", "answer pin=", "clock +PT30M"]:
        assert part in text
    command = [binary, "tenant", "test", "--tenant", "sample", str(tmp_path / "day.mamtest")]
    (tmp_path / "day.mamtest").write_text(text)
    marked = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert marked.returncode == 1 and "nobody has reviewed" in marked.stdout, marked.stdout + marked.stderr + text
    (tmp_path / "day.mamtest").write_text(text.replace("\nunreviewed\n", "\n"))
    reviewed = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert reviewed.returncode == 0, reviewed.stdout + reviewed.stderr + text


SCRIPTS = {"shell": ["bash", "-s"], "python": [sys.executable, "-"]}


def replayed(page: Page, form: str, binary: str, folder: Path, **variables: str) -> int:
    """Replays a script where English is the language of the machine. Returns how many lines it prints, one a call."""
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    if not (programs / "mambridge").exists():
        (programs / "mambridge").symlink_to(binary)
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8",
                   "PYTHONPATH": str(ROOT / "clients" / "python"), **variables}
    for variable in ("MAMBRIDGE_TENANT", "MAMBRIDGE_STATE", "MAMBRIDGE_APP_ID"):
        environment.pop(variable, None)
    done = subprocess.run(SCRIPTS[form], input=recorded(page, form), env=environment, capture_output=True, text=True,
                          timeout=120)
    assert done.returncode == 0, f"{form}: {done.stderr}\n{done.stdout}"
    return len(done.stdout.splitlines())


def replay_transcript(text: str, binary: str, state: "Path | None") -> None:
    """Plays a transcript of the form of Tests/Transcripts; a request's challenge-1 is the first id of an answer. A sandbox
    has no state folder."""
    options = next(line for line in text.splitlines() if line.startswith("# mambridge")).split()[2:]
    lines = [line for line in text.splitlines() if line.startswith(("--> ", "<-- "))]
    ids: "list[str]" = []
    command = [binary, *(["--state", str(state)] if state else []), *options]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin and server.stdout
        try:
            for request, expected in zip(lines[::2], lines[1::2]):
                sent = re.sub(r'"challenge-(\d+)"', lambda found: f'"{ids[int(found[1]) - 1]}"', request[4:])
                print(sent, file=server.stdin, flush=True)
                assert select.select([server.stdout], [], [], 60)[0], f"no answer to {sent}"
                answer = server.stdout.readline().rstrip("\n")
                pattern = ".*".join(map(re.escape, expected[4:].split("…")))
                assert re.fullmatch(pattern, answer), f"{sent}\n{answer}\n{expected}"
                ids += [new for new in dict.fromkeys(re.findall(r'"([0-9a-f]{32})"', answer)) if new not in ids]
            server.communicate(timeout=40)
        finally:
            server.kill()


def test_the_drawer_shows_the_recorded_calls_in_each_form_and_closes_on_escape(page: Page) -> None:
    page.enroll()
    page.js("document.querySelector('.top .record').click()")
    page.see("enrollmentManager.registerAndEnrollAccount", ".drawer")
    page.click("Shell", ".drawer")
    page.see("mambridge call", ".drawer pre")
    page.click("Test", ".drawer")
    page.see("unreviewed", ".drawer pre")
    page.js("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', bubbles: true}))")
    page.wait(lambda: not page.js("return document.querySelector('.drawer')"), "Escape does not close the drawer")


def test_a_session_in_another_language_replays_with_equal_answers(
    blank: Page, binary: str, tmp_path: Path
) -> None:
    with running(binary, tmp_path, "--clock", f"manual={TIME}", LC_ALL="es_ES.UTF-8") as console:
        page = blank.open(console)
        page.enroll()
        page.view("launch")
        page.click("Run the checks")
        page.see("PIN", ".screen")
        page.calls(2)
        assert "Set a PIN" not in page.text(".screen"), "the server does not speak Spanish"
        assert replayed(page, "shell", binary, tmp_path) == 2


def test_overlapping_clicks_are_recorded_with_their_own_times(page: Page, binary: str, tmp_path: Path) -> None:
    page.enroll()
    page.view("device")
    page.js("""
      [...document.querySelectorAll("button")].find(({ innerText }) => innerText === "Move by 30 minutes").click();
      document.getElementById("device-osVersion").value = "17.0";
      document.getElementById("device-osVersion").dispatchEvent(new Event("change", { bubbles: true }));""")
    page.calls(3)
    times = page.later("return (await import('/state.js')).state.recorder.entries.map(({ time }) => time)")
    assert times == [TIME, TIME, "2026-02-02T03:10:00.000Z"]
    assert replayed(page, "shell", binary, tmp_path) == 3


def test_a_state_with_only_a_device_is_recorded_as_not_new(blank: Page, binary: str, tmp_path: Path) -> None:
    subprocess.run([binary, "call", "--state", str(tmp_path / "state"), "--tenant", "sample", "device.set",
                    "jailbroken=true"], check=True, capture_output=True, timeout=60)
    with running(binary, tmp_path) as console:
        page = blank.open(console)
        page.js("document.querySelector('.top .record').click()")
        page.see("The state was not new", ".drawer")


@pytest.mark.parametrize("kind", ["new", "copy"])
def test_the_record_omits_pins_entered_in_a_copied_state(blank: Page, binary: str, tmp_path: Path, kind: str) -> None:
    if kind == "copy":
        subprocess.run([binary, "call", "--state", str(tmp_path / "state"), "--tenant", "sample",
                        "enrollmentManager.registerAndEnrollAccount", f"account={ALICE}"],
                       check=True, capture_output=True, timeout=60)
    with running(binary, tmp_path) as console:
        page = blank.open(console)
        if kind == "new":
            page.enroll()
        page.view("launch")
        page.click("Run the checks")
        page.set_pin()
        page.see("The app may start.", ".verdict")
        page.settle()
        shown = {form: recorded(page, form) for form in (*SCRIPTS, "transcript")}
        page.js("document.querySelector('.top .record').click()")
        page.see("conditionalLaunch.answer", ".drawer")
        shown["drawer"] = page.js("return document.querySelector('.drawer').textContent")
        for place, text in shown.items():
            assert ("2580" in text) == (kind == "new"), place
        assert ("PINs and tokens are left out" in shown["shell"]) == (kind == "copy")


def test_a_record_replays_with_a_moved_tenant_and_never_names_the_folder_of_the_copy(
    blank: Page, binary: str, tmp_path: Path
) -> None:
    tenant = tmp_path / "a tenant's"
    tenant.mkdir()
    (tenant / "tenant.json").write_text('{"tenantId": "f0000000-0000-4000-8000-00000000000f"}', encoding="utf-8")
    with running(binary, tmp_path, "--clock", f"manual={TIME}", tenant=str(tenant)) as console:
        page = blank.open(console)
        page.later("const { act } = await import('/state.js');"
                   "await act('diagnosticsLog.write', { level: 'info', message: 'a line' }).catch(() => {});"
                   "return await act('diagnosticConsole.getIntuneLogPaths')")
        page.settle()
        for form in (*SCRIPTS, "transcript"):
            assert "mambridge-console-" not in recorded(page, form), form
        assert "getIntuneLogPaths" in recorded(page, "shell")
        moved = tenant.rename(tmp_path / "moved")
        for form in SCRIPTS:
            assert replayed(page, form, binary, tmp_path, TENANT=str(moved)) == 2


def test_calls_without_an_answer_are_not_replayed(page: Page) -> None:
    page.enroll()
    page.later("""
      const [{ act, state }, { ConnectionError }] = await Promise.all([import("/state.js"), import("/rpc.js")]);
      const { call } = state.server;
      state.server.call = async () => { throw ConnectionError.noAnswer(); };
      await act("tenant.checkIn").catch(() => {});
      state.server.call = call;""")
    assert "tenant.checkIn" not in recorded(page, "shell")
