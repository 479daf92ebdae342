"""How the page of `mambridge console` starts, what it says about the state, and its connections to the server."""
from __future__ import annotations

import json
import subprocess
from pathlib import Path

from conftest import ALICE
from console_browser import Console, Page, blank, chromium, console, page, running

__all__ = ["blank", "chromium", "console", "page"]


# What it works on


def command(binary: str, folder: Path, *words: str) -> None:
    subprocess.run([binary, "call", "--state", str(folder / "state"), "--tenant", "sample", *words], check=True,
                   capture_output=True, timeout=60)


def test_console_live_shows_live_for_a_state_ahead_of_the_clock(blank: Page, binary: str, tmp_path: Path) -> None:
    """The time of such a state stands still under every clock."""
    command(binary, tmp_path, "--clock", "manual", "--set", "DebugSettingsEnabled=true", "debug.advanceClock",
            "by=P91D")
    with running(binary, tmp_path, "--live") as console:
        page = blank.open(console)
        page.see("Live", ".where")
        page.view("device")
        page.see("The clock is the system's", ".card")
        assert "Move by" not in page.text(".card")


def test_console_live_hides_clock_and_test_policies_and_a_wipe_lists_what_it_removes(
    blank: Page, binary: str, tmp_path: Path
) -> None:
    with running(binary, tmp_path, "--live") as console:
        page = blank.open(console)
        page.see("Live", ".top")
        page.enroll()
        page.view("device")
        page.see("The clock is the system's, so it cannot be moved.")
        assert page.js("return document.querySelector('input[type=range]')") is None
        page.view("policy")
        page.see("printBlocked")
        assert "Try other settings" not in page.text()
        page.view("accounts")
        page.click("Wipe")
        losses = page.js("return [...document.querySelectorAll('dialog li')].map((loss) => loss.innerText)")
        assert losses == ["all protected files and data of the account", "the keys of the account in this app",
                          "the registration of the account"]
        page.click("Wipe", "dialog")
        page.see("No account is registered yet.")
    left = subprocess.run([binary, "call", "--state", str(tmp_path / "state"), "enrollmentManager.registeredAccounts"],
                          capture_output=True, text=True, timeout=60)
    assert json.loads(left.stdout) == []


def test_a_copy_with_the_system_clock_is_shown_as_a_copy(blank: Page, binary: str, tmp_path: Path) -> None:
    with running(binary, tmp_path, "--clock", "system") as console:
        page = blank.open(console)
        page.see("Throw-away copy", ".where")
        page.view("device")
        page.see("The clock is the system's", ".card")


def test_the_displayed_system_time_advances_without_events(blank: Page, binary: str, tmp_path: Path) -> None:
    faster = "const start = setInterval; window.setInterval = (work, time) => start(work, time / 100);"
    script = blank.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": faster})
    try:
        with running(binary, tmp_path, "--clock", "system") as console:
            page = blank.open(console)
            shown = "return document.querySelector('.time').title"
            first = page.js(shown)
            page.wait(lambda: page.js(shown) != first, "the time stands still")
    finally:
        blank.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


def test_the_page_shows_the_server_message_for_a_damaged_state(blank: Page, binary: str, tmp_path: Path) -> None:
    command(binary, tmp_path, "device.set", "jailbroken=true")
    with running(binary, tmp_path, "--live") as console:
        for database in (tmp_path / "state").rglob("*.db*"):
            database.write_bytes(b"garbage" * 1000)
        blank.driver.get("about:blank")
        blank.driver.get(console.address)
        blank.see("The console could not start.")
        message = console.error("tenant.status")["message"]
        blank.see(message)
        assert "This page has no token." not in blank.text()


# Its connections


def test_four_open_tabs_do_not_block_each_other(page: Page, console: Console) -> None:
    driver = page.driver
    first = driver.current_window_handle
    try:
        for _ in range(3):
            driver.switch_to.new_window("tab")
            page.open(console)
            page.settle()
        driver.switch_to.window(first)
        page.enroll()
        page.view("activity")
        page.see("Enrollment ended", ".long-list")
    finally:
        for handle in driver.window_handles:
            if handle != first:
                driver.switch_to.window(handle)
                driver.close()
        driver.switch_to.window(first)


def test_a_hidden_page_catches_up_when_it_is_shown(page: Page, console: Console) -> None:
    page.enroll()
    page.view("activity")
    page.see("4 of 4", ".count")
    hide = ("Object.defineProperty(document, 'hidden', {configurable: true, get: () => arguments[0]});"
            "document.dispatchEvent(new Event('visibilitychange'))")
    page.js(hide.replace("arguments[0]", "true"))
    console.call("tenant.checkIn")
    page.js(hide.replace("arguments[0]", "false"))
    page.see("5 of 5", ".count")
    page.see("Check-in ended", ".long-list")


def test_a_call_fails_with_a_hint_if_the_server_does_not_answer_in_time(page: Page) -> None:
    message = page.later("""
      const { Server } = await import("/rpc.js");
      const real = window.fetch;
      window.fetch = (path, { signal }) => new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
      try {
        await new Server("0".repeat(64), { patience: 50 }).call("tenant.status");
      } catch (error) {
        return error.message;
      } finally {
        window.fetch = real;
      }""")
    assert "did not answer within 0.05 seconds" in message and "close them" in message


def test_opening_the_same_address_again_keeps_events_and_the_record(page: Page, console: Console) -> None:
    page.enroll()
    page.js("location.hash = arguments[0]", f"token={console.token}")
    page.wait(lambda: console.token not in page.driver.current_url, "the token stays in the address")
    console.call("tenant.checkIn")
    page.view("activity")
    page.see("Check-in ended", ".long-list")
    page.settle()
    assert "5 of 5" in page.text(".count")
    assert int(page.text(".counter")) == 1


def test_opening_the_page_with_a_wrong_token_shows_that_the_token_is_refused(page: Page) -> None:
    page.enroll()
    page.js("location.hash = arguments[0]", "token=" + "0" * 64)
    page.see("The server does not accept the token of this page.")
    refused = page.problems()
    assert refused and [problem for problem in refused if "401" not in problem] == []


FAIL_TO_ENROLL = """
  const real = window.fetch;
  window.fetch = async (path, options) => {
    if (!options.body?.includes("registerAndEnroll")) return real(path, options);
    window.fetch = real;
    %s;
  };"""


def test_a_refused_call_shows_a_notice_and_no_banner(page: Page) -> None:
    page.js(FAIL_TO_ENROLL % "return new Response('Too many connections are open.', { status: 503 })")
    page.click(f"Enroll: {ALICE}")
    page.see("Too many connections are open.", ".notices")
    assert page.text(".banner.is-bad") == ""


def test_a_lost_call_shows_only_a_notice_if_the_server_answers_the_next_call(page: Page) -> None:
    page.js(FAIL_TO_ENROLL % "throw new TypeError('Failed to fetch')")
    page.click(f"Enroll: {ALICE}")
    page.see("The server does not answer.", ".notices")
    page.settle()
    assert page.text(".banner.is-bad") == ""


def test_a_lost_server_shows_a_banner_until_it_answers_again(page: Page) -> None:
    page.js("""
      window.real = window.fetch;
      window.fetch = async () => { throw new TypeError("Failed to fetch"); };""")
    page.click(f"Enroll: {ALICE}")
    page.see("The server does not answer.", ".banner")
    page.js("window.fetch = window.real")
    page.enroll()
    assert page.text(".banner.is-bad") == "" and page.text(".notices .is-bad") == ""
