"""Events, log and diagnostics in `mambridge console` in a real Chromium."""
from __future__ import annotations

from pathlib import Path

from console_browser import Console, Page, blank, chromium, console, page, running

__all__ = ["blank", "chromium", "console", "page"]


def test_events_and_log_lines_show_the_call_that_caused_them(page: Page, console: Console) -> None:
    page.enroll()
    page.view("activity")
    page.see("Enrollment ended · alice@contoso.example · newPoliciesReceived", ".long-list")
    page.see("#1 enrollmentManager.registerAndEnrollAccount", ".long-list")
    console.call("device.set", model="another")
    console.call("tenant.checkIn")
    page.wait(lambda: "\ntenant.checkIn" in page.text(".long-list"), "the call of another client is not named")
    page.click("Pause")
    console.call("tenant.checkIn")
    page.see("Paused. New: 1")
    page.click("Continue")
    page.see("Check-in ended", ".long-list")
    page.click("Log")
    page.see("enrollment: enroll", ".long-list")
    page.see("#1 enrollmentManager.registerAndEnrollAccount", ".long-list")


def test_the_log_starts_with_the_level_selected_in_its_control(blank: Page, binary: str, tmp_path: Path) -> None:
    with running(binary, tmp_path, "--set", "VerboseLoggingEnabled=true") as console:
        page = blank.open(console)
        page.view("activity")
        page.click("Log")
        for level in ("verbose", "info"):
            console.call("diagnosticsLog.write", level=level, message=f"a line for {level}")
        page.see("a line for info", ".long-list")
        assert page.js("return document.getElementById('activity-level').value") == "info"
        assert "a line for verbose" not in page.text(".long-list")
        page.choose("activity-level", "verbose")
        page.see("a line for verbose", ".long-list")


FULL_LOG = """
  const { MOST, feeds } = await import("/feed.js");
  const line = (number) => (
    { time: "2026-02-02T02:40:00.000Z", level: "info", category: "test", message: `line ${number}.` });
  for (let number = 0; number < MOST; number += 1) feeds.log.add(line(number));
  const frames = () => new Promise((done) =>
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
  const list = document.querySelector(".long-list");
  const top = (element) => element.getBoundingClientRect().top;
  const highest = () => [...list.querySelectorAll(".line:not([hidden])")]
    .find((row) => Math.abs(top(row) - top(list)) < 2);
  const scroll = async () => {
    await frames();
    list.scrollTop = 50_000 * feeds.log.list.height;
    await frames();
  };
"""


def test_visible_rows_stay_in_place_when_the_oldest_lines_are_dropped(page: Page) -> None:
    page.view("activity")
    page.click("Log")
    page.settle()
    before, after = page.later(FULL_LOG + """
      await scroll();
      highest().click();
      await frames();
      const shown = () => [highest()?.innerText,
        document.getElementById(list.getAttribute("aria-activedescendant"))?.innerText];
      const before = shown();
      feeds.log.add(line(MOST));
      await frames();
      return [before, shown()];""")
    assert all(before) and before == after


def test_the_log_keeps_its_scroll_position_and_changes_language_with_the_page(page: Page) -> None:
    page.view("activity")
    page.click("Log")
    page.settle()
    before = page.later(FULL_LOG + """
      await scroll();
      list.id = "the-list";
      return highest().innerText;""")
    page.view("policy")
    page.settle()
    page.js("const s = document.querySelector('select.small'); s.value = 'es'; s.dispatchEvent(new Event('change'))")
    page.view("activity")
    page.settle()
    list_of = "return document.querySelector('.long-list')."
    assert page.js(list_of + "id") == "the-list" and page.js(list_of + "ariaLabel") == "Registro"
    after = page.js("""
      const list = document.querySelector(".long-list");
      const top = (element) => element.getBoundingClientRect().top;
      return [...list.querySelectorAll(".line:not([hidden])")].find((row) => Math.abs(top(row) - top(list)) < 2)
        .innerText""")
    assert before == after


def test_the_page_says_when_a_pause_is_full_and_newer_lines_are_dropped(page: Page) -> None:
    page.view("activity")
    page.click("Pause")
    page.later("""
      const { MOST, feeds } = await import("/feed.js");
      const { changed } = await import("/state.js");
      for (let number = 0; number <= MOST; number += 1) feeds.events.add({ type: "events.gap", params: {}, text: "" });
      changed();""")
    page.see("The pause holds no more. Newer lines are dropped until you continue.")


# Diagnostics


def test_the_diagnostics_view_shows_the_sections_of_get_report_and_searches_them(page: Page, console: Console) -> None:
    page.enroll()
    page.view("diagnostics")
    page.see("Contoso data protection for iOS", "#report-accounts")
    titles = [section["title"] for section in console.call("diagnosticConsole.getReport")["sections"]]
    assert page.js("return [...document.querySelectorAll('.report h2')].map((title) => title.innerText)") == titles
    search = "const s = document.querySelector('input[type=search]'); s.value = arguments[0];" \
        "s.dispatchEvent(new Event('input', {bubbles: true}))"
    page.js(search, "multiidentity")
    page.see("Found: 3")
    shown = page.js("return [...document.querySelectorAll('.report h2')].map((title) => title.innerText)")
    assert shown == ["Settings"]
    page.js(search, "")
    page.see("Last check-ins")
