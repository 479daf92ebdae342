"""The page of `mambridge console` in a real Chromium: who gets in, its speed, and that all can use it."""
from __future__ import annotations

import http.server
import json
import os
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from console_browser import Console, Page, blank, chromium, console, page
from test_console import is_loaded
from waiting import wait_for

__all__ = ["blank", "chromium", "console", "page"]

VIEWS = ["accounts", "policy", "ask", "device", "launch", "activity", "diagnostics", "examine"]
SOURCES = ROOT / "Sources" / "Program" / "Console"
LOG = """\
> I/AuthCallbackUtils(3067): acquireToken failed: AADSTS65001: The user or administrator has not consented
> I/MAMWEAccountRegistry(3067): updating account xxxx;xxxx with status AUTHORIZATION_NEEDED
"""
PICTURES = ROOT / "docs" / "console"


# Who gets in


def test_a_page_from_another_port_can_neither_read_nor_frame_the_console(page: Page, console: Console) -> None:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Blank)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        page.driver.get(f"http://127.0.0.1:{server.server_port}/")
        for path in ("/", "/rpc", "/events", "/app.js"):
            got = page.later(
                "const [address, Authorization] = given;"
                "const response = await fetch(address, {headers: {Authorization}});"
                "return response.status + await response.text()", console.origin + path, f"Bearer {console.token}")
            assert got.startswith("failed: TypeError"), got
        page.js("const frame = document.createElement('iframe'); frame.src = arguments[0]; document.body.append(frame)",
                console.origin)
        assert page.js("return frames[0].length") == 0
    finally:
        server.shutdown()
        server.server_close()
        page.problems()


class Blank(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


def test_the_page_keeps_the_token_only_in_memory(page: Page, console: Console) -> None:
    page.enroll()
    page.view("policy")
    history = [entry["url"] for entry in page.driver.execute_cdp_cmd("Page.getNavigationHistory", {})["entries"]]
    seen = {
        "address": page.driver.current_url, "history": json.dumps(history),
        "storage": page.js("return JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])"),
        "document": page.js("return document.documentElement.outerHTML"),
        "console": json.dumps(page.driver.get_log("browser")),
        "standard error": console.errors(),
        "log": json.dumps(console.call("diagnosticsLog.query", limit=1000)),
    }
    assert [place for place, text in seen.items() if console.token in text] == []
    sent = [json.loads(entry["message"])["message"] for entry in page.driver.get_log("performance")]
    requests = [message["params"]["request"] for message in sent if message["method"] == "Network.requestWillBeSent"]
    with_token = [request["url"] for request in requests if console.token in json.dumps([
        request["url"].split("#")[0], {**request["headers"], "Authorization": None}, request.get("postData")])]
    assert requests and with_token == []
    page.driver.refresh()
    page.see("This page has no token.")


def test_a_reloaded_page_still_shows_the_record(page: Page, console: Console, binary: str, tmp_path: Path) -> None:
    page.enroll()
    page.calls(1)
    wait_for(lambda: b'"result"' in console.ask("GET", "/record")[2], "the server does not keep the call")
    page.driver.refresh()
    page.see("This page has no token.")
    page.open(console)
    assert page.text(".counter") == "1"
    page.js("document.querySelector('.top .record').click()")
    page.see("enrollmentManager.registerAndEnrollAccount", ".drawer")
    page.see("Replayed on a new state", ".drawer")
    page.click("Shell", ".drawer")
    page.click("Start again", ".drawer")
    wait_for(lambda: b'"entry"' not in console.ask("GET", "/record")[2], "the server still has the call")
    page.wait(lambda: page.text(".counter") == "0", "the page still counts the call")


# Speed


def test_the_page_has_less_than_160_kb_and_paints_within_5_seconds(page: Page) -> None:
    loaded = page.js("""
      return performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname.slice(1))""")
    files = {path.name for path in SOURCES.iterdir() if is_loaded(path.name)}
    assert {path.name for path in SOURCES.iterdir()} & set(loaded) == files - {"index.html"}
    sizes = page.js("""
      const size = async (name) => (await (await fetch(`/${name}`)).arrayBuffer()).byteLength;
      return Promise.all(arguments[0].map(size))""", sorted(files))
    print(f"the page has {sum(sizes)} bytes")
    assert sum(sizes) < 160_000
    times = page.js("""
      const [{ responseStart }] = performance.getEntriesByType("navigation");
      const paint = performance.getEntriesByName("first-paint")[0].startTime;
      return paint - responseStart""")
    print(f"first paint {times:.0f} ms after the first byte")
    # Measured at 103 ms; a busy machine takes longer.
    assert times < 5000, f"first paint {times:.0f} ms after the first byte"


def test_ten_thousand_events_leave_the_page_responsive(page: Page, console: Console) -> None:
    page.enroll()
    page.view("activity")
    page.settle()
    page.js("""
      globalThis.seen = {long: [], shift: 0, frames: 0};
      new PerformanceObserver((list) => seen.long.push(...list.getEntries().map(({duration}) => duration)))
        .observe({type: "longtask"});
      new PerformanceObserver((list) => list.getEntries().forEach(({value}) => { seen.shift += value; }))
        .observe({type: "layout-shift"});
      const count = () => { seen.frames += 1; requestAnimationFrame(count); };
      count();""")
    # A server in the page itself, which is as fast as the test needs.
    took = page.later("""
      const { follow } = await import("/activity.js");
      const start = performance.now();
      const event = (seq) => `id: x/${seq}\nevent: policyManager.policyDidChange\ndata: ${JSON.stringify({
        seq, time: "2026-02-02T02:40:00.000Z", accountId: null, identity: "alice@contoso.example" })}\n\n`;
      let finish;
      const finished = new Promise((resolve) => { finish = resolve; });
      const body = new ReadableStream({ async start(stream) {
        for (let sent = 0; sent < 10000; sent += 20) {
          const text = Array.from({ length: 20 }, (_, place) => event(1000 + sent + place)).join("");
          stream.enqueue(new TextEncoder().encode(text));
          await new Promise((resolve) => setTimeout(resolve, Math.max(0, start + sent + 20 - performance.now())));
        }
        finish();
      } });
      follow({ fetch: async (path) => (path === "/events" ? new Response(body) : new Promise(() => {})) });
      await finished;
      return (performance.now() - start) / 1000;""")
    arrived = lambda: int(re.sub(r"\D", "", page.text(".count").split(" of ")[1])) >= 10_000
    page.wait(arrived, "the events arrive")
    seen = page.js("return seen")
    print(f"10,000 events in {took:.1f} s: {seen['frames']} frames, long tasks {seen['long']}, shift {seen['shift']}")
    # Not a limit of speed, which Benchmarks would measure: it is never stuck.
    assert max(seen["long"], default=0) < 2000 and seen["shift"] < 0.02


def test_a_hundred_thousand_lines_scroll_smoothly(page: Page) -> None:
    worst = page.later("""
      const { LongList } = await import("/list.js");
      const list = new LongList({ rowCount: () => 100000, opened() {},
        cells: (index) => [["when", "00:00:00"], ["number", String(index)], ["said", `line ${index} `.repeat(8)]] });
      document.querySelector("main").prepend(list.element);
      list.update();
      const long = [];
      new PerformanceObserver((entries) => long.push(...entries.getEntries().map(({ duration }) => duration)))
        .observe({ type: "longtask" });
      for (let step = 0; step < 120; step += 1) {
        list.element.scrollTop = step * 28000;
        await new Promise((done) => requestAnimationFrame(done));
      }
      const rows = list.element.querySelectorAll(".line").length;
      list.element.remove();
      return [Math.max(0, ...long), rows];""")
    assert worst[0] < 500 and worst[1] < 80, worst


# For everybody


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (1280, "dark"), (360, "light")])
def test_every_view_has_good_roles_labels_and_contrast_and_fits_the_width(page: Page, width: int, theme: str) -> None:
    page.enroll()
    page.size(width, 800)
    page.media(prefers_color_scheme=theme)
    found = []
    for view in VIEWS:
        page.view(view)
        if view == "ask":
            page.click("Ask", "form.card")
            page.see("Why", ".verdict")
        if view == "launch":
            page.click("Run the checks")
            page.see("Set a PIN")
        if view == "examine":
            examine(page)
        page.settle()
        assert page.js("return document.documentElement.scrollWidth <= innerWidth"), f"{view} is wider than {width}"
        found += [f"{view}: {fault}" for fault in page.faults()]
    assert not found, "\n".join(found)


def examine(page: Page) -> None:
    page.see("Lines of a log")
    page.choose("examine-lines", LOG)
    page.click("Examine", "form.card")
    page.see("Grant admin consent", "#report-verdict")


def test_on_a_phone_every_tab_is_visible_and_notices_cover_no_button(page: Page) -> None:
    page.size(390, 800)
    page.enroll()
    page.js("document.querySelector('.top .record').click()")
    outside = """
      return [...document.querySelectorAll(".views a, [role=tab]")].filter((tab) => {
        const { left, right } = tab.getBoundingClientRect();
        return left < 0 || right > innerWidth;
      }).map((tab) => tab.innerText)"""
    assert page.js(outside) == []
    page.click("Close", ".drawer")
    page.later("""
      const { notify } = await import("/notices.js");
      for (const text of ["One", "Two", "Three"]) notify(`${text}: a sentence that takes several lines here`, "bad");
    """)
    covered = """
      const notices = document.querySelector(".notices").getBoundingClientRect();
      const seen = (button) => {
        button.scrollIntoView({ block: "end" });
        return button.getBoundingClientRect().bottom <= notices.top + 1;
      };
      return [...document.querySelectorAll("#app main button")].filter((button) => button.checkVisibility()
        && !seen(button)).map((button) => button.innerText)"""
    for view in VIEWS:
        page.view(view)
        page.settle()
        assert page.js("return document.querySelectorAll('.notice').length") == 3
        assert page.js(covered) == [], view


def test_the_skip_link_and_the_tabs_work_with_the_keyboard(page: Page) -> None:
    from selenium.webdriver.common.keys import Keys
    page.js("document.activeElement.blur()")
    press = lambda key: page.driver.switch_to.active_element.send_keys(key)
    press(Keys.TAB)
    assert page.js("return document.activeElement.className") == "skip"
    press(Keys.ENTER)
    assert page.js("return document.activeElement.id") == "main"
    page.view("policy")
    page.js("document.querySelector('[role=tab]').focus()")
    press(Keys.ARROW_RIGHT)
    page.settle()
    assert page.js("return document.activeElement.ariaSelected + document.activeElement.id") == "truetab-compare"
    assert page.js("return [...document.querySelectorAll('[role=tab]')].map((tab) => tab.tabIndex)") == [-1, 0]
    press(Keys.HOME)
    page.settle()
    assert page.js("return document.activeElement.id") == "tab-settings"


def test_long_names_break_between_their_parts_and_invisible_characters_are_shown(page: Page) -> None:
    long = "x" * 30
    cases = {
        "passed blocked": "passed blocked", "newPoliciesReceived": "newPoliciesReceived",
        "alice@contoso.example": "alice@contoso.example",
        "allowedInboundDataTransferSources": "allowed<wbr>Inbound<wbr>Data<wbr>Transfer<wbr>Sources",
        "/home/alice/.local/state/mambridge": "/<wbr>home/<wbr>alice/.<wbr>local/<wbr>state/<wbr>mambridge",
        f"a {long}<": f'a <span class="long">{long}&lt;</span>',
        "87d349ed-44d7-43e1-9a83-5f2406dee5bd": "87d349ed-<wbr>44d7-<wbr>43e1-<wbr>9a83-<wbr>5f2406dee5bd",
        "a\u202eb\u0007": "aU+202EbU+7"}
    written = page.later("""
      const [{ breakable }, { h }] = await Promise.all([import("/parts.js"), import("/dom.js")]);
      return given[0].map((text) => h("p", {}, breakable(text)).innerHTML);""", list(cases))
    assert written == list(cases.values())


def test_the_labels_are_in_six_languages(page: Page) -> None:
    table = page.later("""
      const { LANGUAGES, labels } = await import("/labels.js");
      return Object.keys(LANGUAGES).map((code) => [code, Object.fromEntries(labels(code))])""")
    assert [code for code, _ in table] == ["en", "es", "it", "ja", "pt", "tr"]
    english = table[0][1]
    for code, texts in table:
        assert {key for key, text in texts.items() if not text} == set(), code
        for key, text in texts.items():
            assert sorted(re.findall(r"{\w+}", text or "")) == sorted(re.findall(r"{\w+}", english[key])), (code, key)
        states = [text for key, text in texts.items() if key.startswith("life.")]
        assert len(set(states)) == len(states), code
        assert texts["cancel"] not in texts["leave.deregister"], code
    page.js("const s = document.querySelector('select.small'); s.value = 'ja'; s.dispatchEvent(new Event('change'))")
    page.see("アカウント", "h1")
    assert page.js("return document.documentElement.lang") == "ja"


# The pictures of docs/console.md


def test_every_screenshot_in_the_console_guide_can_be_retaken(page: Page, tmp_path: Path) -> None:
    """Takes a picture of each view. With MAMBRIDGE_WRITE_DOCS=1, writes those that docs/console.md shows. A sandbox has a
    test of its own."""
    guide = (ROOT / "docs" / "console.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"console/([\w-]+\.png)", guide)) - {"sandbox-light.png"}
    page.enroll()
    for view in VIEWS:
        page.view(view)
        if view == "ask":
            page.choose("param-location", "dropbox")
            page.click("Ask", "form.card")
            page.see("What would have to change")
            page.js("document.querySelector('.verdict').scrollIntoView(); scrollBy(0, -72)")
        if view == "launch":
            page.click("Run the checks")
            page.see("Set a PIN")
        if view == "examine":
            examine(page)
        page.js("document.querySelector('.notices').replaceChildren()")
        for name, width, theme in [("light", 1280, "light"), ("dark", 1280, "dark"), ("phone", 390, "light")]:
            page.size(width, 800)
            page.media(prefers_color_scheme=theme)
            page.settle()
            assert page.driver.save_screenshot(str(tmp_path / f"{view}-{name}.png"))
        page.size(1280, 800)
    assert shown <= {path.name for path in tmp_path.glob("*.png")}
    for name in shown:
        write_picture(tmp_path / name)


def write_picture(picture: Path) -> None:
    if os.environ.get("MAMBRIDGE_WRITE_DOCS"):
        image = pytest.importorskip("PIL.Image", reason="needs PyPI's pillow")
        PICTURES.mkdir(exist_ok=True)
        image.open(picture).convert("RGB").quantize(64).save(PICTURES / picture.name, optimize=True)
