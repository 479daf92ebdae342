"""The page of `mambridge console` in a real Chromium."""
from __future__ import annotations

import http.server
import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator

import pytest
from console_browser import Console, Page, browser, running
from conftest import ALICE, ROOT

BOB = "bob@contoso.example"
VIEWS = ["accounts", "policy", "ask", "device", "launch", "activity", "diagnostics"]
# The console loads all files but the last script of the diagnostics page.
LOADED = [path.name for path in (ROOT / "Sources" / "Console").iterdir() if path.name != "page.js"]
PICTURES = ROOT / "docs" / "console"
TIME = "2026-02-02T02:40:00.000Z"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Page]:
    with browser() as page:
        yield page


@pytest.fixture
def console(binary: str, tmp_path: Path) -> Iterator[Console]:
    with running(binary, tmp_path, "--clock", f"manual={TIME}") as started:
        yield started


@pytest.fixture
def page(chromium: Page, console: Console) -> Iterator[Page]:
    with opened(chromium, console) as page:
        yield page


@contextmanager
def opened(chromium: Page, console: Console) -> Iterator[Page]:
    chromium.size(1280, 860)
    chromium.media(prefers_color_scheme="light")
    chromium.problems()
    yield chromium.open(console)
    # The server may end before the page is left.
    assert not [problem for problem in chromium.problems() if "ERR_CONNECTION_REFUSED" not in problem]


def enroll(page: Page) -> None:
    page.click(f"Enroll: {ALICE}")
    page.see("newPoliciesReceived", ".card")
    page.settle()


# The views


def test_accounts_enroll_check_in_and_leave(page: Page, console: Console) -> None:
    enroll(page)
    page.click("Check in")
    page.see("policiesHaveNotChanged", ".facts")
    page.click("Wipe")
    page.see("all protected files and data of the account", "dialog")
    page.click("Cancel", "dialog")
    assert console.call("enrollmentManager.enrolledAccounts")
    page.click("Wipe")
    page.click("Wipe", "dialog")
    page.see("No account is registered yet.")
    assert console.call("enrollmentManager.registeredAccounts") == []


def test_a_policy_is_shown_searched_tried_and_compared(page: Page, console: Console) -> None:
    enroll(page)
    page.view("policy")
    shown = page.js("return [...document.querySelectorAll('.rows > .row')].map((row) => row.dataset.key)")
    about = {"id", "displayName", "version"}
    assert set(shown) == set(console.call("policyManager.policy", account=ALICE)["settings"]) - about
    page.js("const s = document.querySelector('input[type=search]'); s.value = 'print';"
            "s.dispatchEvent(new Event('input', {bubbles: true}))")
    page.see("Found: 1")
    page.click("Try other settings")
    page.js("const t = document.querySelector('dialog textarea');"
            "t.value = JSON.stringify({...JSON.parse(t.value), printBlocked: true})")
    page.click("Apply", "dialog")
    page.calls(2)
    page.click("Compare")
    page.wait(lambda: page.js("return [...document.querySelectorAll('.compare tbody th')].map((c) => c.innerText)")
              == ["printBlocked"], "the comparison does not show what changed")


def test_a_setting_of_several_policies_names_what_the_merge_overrode(
    chromium: Page, binary: str, tmp_path: Path
) -> None:
    with running(binary, tmp_path, tenant=str(strict_and_loose(tmp_path / "tenant"))) as console, \
            opened(chromium, console) as page:
        page.click("Enroll: lee@fabrikam.example")
        page.see("newPoliciesReceived", ".card")
        page.view("policy")
        page.see("Strict", ".row[data-key=printBlocked] .from")
        row = "return document.querySelector('.row[data-key=' + arguments[0] + ']').innerText.split(/\\n+/)"
        assert page.js(row, "printBlocked")[-3:] == ["yes", "Strict", "Overridden: 1"]
        page.click("Overridden: 1", ".row[data-key=printBlocked]")
        assert page.js(row, "printBlocked")[-1] == "false Loose"
        # Where both agree, or only one policy has a setting, nothing was overridden.
        for name in ("pinRequired", "contactSyncBlocked"):
            assert not any(line.startswith("Overridden") for line in page.js(row, name)), name


def strict_and_loose(folder: Path) -> Path:
    """A tenant with a user to whom two policies apply."""
    shared = {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "pinRequired": True}
    files: "dict[str, Any]" = {
        "policies/loose.json": {
            **shared, "id": "T_1", "displayName": "Loose", "printBlocked": False, "contactSyncBlocked": True},
        "policies/strict.json": {**shared, "id": "T_2", "displayName": "Strict", "printBlocked": True},
        "tenant.json": {
            "tenantId": "f0000000-0000-4000-8000-00000000000f", "displayName": "Fabrikam",
            "users": [{"id": "f10a0000-0000-4000-8000-000000000001", "userPrincipalName": "lee@fabrikam.example",
                       "groups": ["all"]}],
            "assignments": [{"policy": f"policies/{name}.json", "groups": ["all"], "apps": ["*"]}
                            for name in ("loose", "strict")]}}
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder


def test_live_has_no_clock_and_no_test_policy_and_a_wipe_names_what_goes(
    chromium: Page, binary: str, tmp_path: Path
) -> None:
    with running(binary, tmp_path, "--live") as console, opened(chromium, console) as page:
        page.see("Live", ".top")
        enroll(page)
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


def test_the_report_is_that_of_the_page_and_has_a_search(page: Page, console: Console) -> None:
    enroll(page)
    page.view("diagnostics")
    page.see("Contoso data protection for iOS", "#report-accounts")
    titles = [section["title"] for section in console.call("diagnosticConsole.getReport")["sections"]]
    shown = "return [...document.querySelectorAll('.report h2')].map((title) => title.innerText)"
    assert page.js(shown) == titles
    search = "const s = document.querySelector('input[type=search]'); s.value = arguments[0];" \
        "s.dispatchEvent(new Event('input', {bubbles: true}))"
    page.js(search, "multiidentity")
    page.see("Found: 3")
    assert page.js(shown) == ["Settings"]
    page.js(search, "")
    page.see("Last check-ins")


def test_text_of_others_breaks_between_the_parts_of_names_and_shows_what_is_invisible(page: Page) -> None:
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


def test_every_question_has_a_form_of_its_schema(page: Page, console: Console) -> None:
    enroll(page)
    page.view("ask")
    schema = console.call("rpc.discover")
    methods = {method["name"]: method for method in schema["methods"]}
    explainable = set(re.findall(r"[a-zA-Z]+\.[a-zA-Z]+", console.call("policy.explain", query="")["data"]["hint"]))
    questions = page.js("return [...document.querySelectorAll('.list button code')].map((code) => code.innerText)")
    assert set(questions) == explainable - {"policy.explain"}
    for name in questions:
        page.js("[...document.querySelectorAll('.list button')].find((b) => b.querySelector('code').innerText"
                " === arguments[0]).click()", name)
        page.settle()
        shown = page.js("""return Object.fromEntries([...document.querySelectorAll(
          "form.card > .form > [data-key], form.card > .form .rare [data-key]")].map((field) =>
            [field.dataset.key.replace(/^(param|set)-/, ""), {
              required: field.querySelector("[required]") !== null,
              words: [...field.querySelectorAll("select option")].map(({ value }) => value).filter(Boolean)}]))""")
        declared = {parameter["name"]: parameter for parameter in methods[name]["params"]}
        assert set(declared) <= set(shown), name
        for parameter in declared.values():
            words = words_of(schema, parameter["schema"])
            if words:
                assert shown[parameter["name"]]["words"] == words, (name, parameter["name"])


def words_of(schema: Any, part: Any) -> "list[str]":
    if "$ref" in part:
        return words_of(schema, schema["components"]["schemas"][part["$ref"].split("/")[-1]])
    if part.get("type") == "boolean":
        return ["true", "false"]
    if "enum" in part:
        return part["enum"] if part.get("type") == "string" else []
    return next((words for one in part.get("anyOf", part.get("allOf", [])) if (words := words_of(schema, one))), [])


def test_an_answer_has_reasons_and_what_would_have_to_change(page: Page, console: Console) -> None:
    enroll(page)
    page.view("ask")
    page.choose("param-location", "dropbox")
    page.click("Ask", "form.card")
    page.see("Saving to Dropbox is blocked.", ".verdict")
    page.see("What would have to change")
    page.calls(3)
    page.click("Assume this")
    page.see("Saving to Dropbox is allowed.", ".verdict")
    page.choose("param-location", "")
    page.click("Assume nothing")
    page.click("Ask", "form.card")
    page.see("/params/location", ".field .error")
    assert page.js("return document.getElementById('param-location').ariaInvalid") == "true"


def test_offline_for_91_days_takes_two_clicks(page: Page, console: Console) -> None:
    enroll(page)
    page.view("device")
    page.see("checks in", ".way")
    page.click("Offline for 91 days")
    page.see("the data is removed", "dialog")
    page.click("Go offline", "dialog")
    page.see("May 4, 2026", ".clock")
    page.see("policyEndPointNetworkFailure", ".passed")
    assert console.call("device.get")["networkAvailable"] is False
    assert console.call("tenant.status")["accounts"][0]["life"] == "offline"


def test_prompts_are_answered_in_place(page: Page, console: Console) -> None:
    enroll(page)
    page.view("launch")
    page.click("Open a window")
    page.see("Set a PIN", ".screen")
    for digit in "2580":
        page.click(digit, ".pad")
    page.click("Enter", ".pad")
    page.see("The window shows alice@contoso.example.", ".notices")
    page.click("Run the checks")
    page.see("The app may start.", ".verdict")
    page.view("accounts")
    page.click(f"Sign in and enroll: {BOB}")
    page.see("Sign in", ".screen")
    page.click("Sign in", ".screen")
    page.see("singleManagedAccountMode", ".notices")


def test_events_and_log_name_their_cause(page: Page, console: Console) -> None:
    enroll(page)
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


# The record


def first_day(page: Page) -> None:
    enroll(page)
    page.view("ask")
    page.choose("param-location", "dropbox")
    page.click("Ask", "form.card")
    page.calls(3)
    page.view("launch")
    page.click("Run the checks")
    page.see("Set a PIN", ".screen")
    for digit in "2580":
        page.click(digit, ".pad")
    page.click("Enter", ".pad")
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
      const [{ session }, all] = await Promise.all([import("/drawer.js"), import("/export.js")]);
      return all[given[0]](session());""", form)


@pytest.fixture
def first_day_of(page: Page) -> Page:
    first_day(page)
    return page


def test_the_first_day_replays_with_equal_answers(first_day_of: Page, binary: str, tmp_path: Path) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "mambridge").symlink_to(binary)
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8",
                   "PYTHONPATH": str(ROOT / "clients" / "python")}
    for variable in ("MAMBRIDGE_TENANT", "MAMBRIDGE_STATE", "MAMBRIDGE_APP_ID"):
        environment.pop(variable, None)
    for form, command in {"shellScript": ["bash", "-s"], "pythonScript": [sys.executable, "-"]}.items():
        done = subprocess.run(command, input=recorded(first_day_of, form), env=environment, capture_output=True,
                              text=True, timeout=120)
        assert done.returncode == 0, f"{form}: {done.stderr}\n{done.stdout}"
        assert len(done.stdout.splitlines()) == int(first_day_of.text(".counter"))
    replay_transcript(recorded(first_day_of, "transcript"), binary, tmp_path / "transcribed")


def replay_transcript(text: str, binary: str, state: Path) -> None:
    """Plays a transcript of the form of Tests/Transcripts; a request's challenge-1 is the first id of an answer."""
    options = next(line for line in text.splitlines() if line.startswith("# mambridge")).split()[2:]
    lines = [line for line in text.splitlines() if line.startswith(("--> ", "<-- "))]
    ids: "list[str]" = []
    command = [binary, "--state", str(state), *options]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdin and server.stdout
    for request, expected in zip(lines[::2], lines[1::2]):
        sent = re.sub(r'"challenge-(\d+)"', lambda found: f'"{ids[int(found[1]) - 1]}"', request[4:])
        print(sent, file=server.stdin, flush=True)
        answer = server.stdout.readline().rstrip("\n")
        pattern = ".*".join(map(re.escape, expected[4:].split("…")))
        assert re.fullmatch(pattern, answer), f"{sent}\n{answer}\n{expected}"
        ids += [new for new in dict.fromkeys(re.findall(r'"([0-9a-f]{32})"', answer)) if new not in ids]
    server.communicate(timeout=40)


def test_the_drawer_shows_and_copies_the_calls(page: Page) -> None:
    enroll(page)
    page.js("document.querySelector('.top .record').click()")
    page.see("enrollmentManager.registerAndEnrollAccount", ".drawer")
    page.click("Shell", ".drawer")
    page.see("mambridge call", ".drawer pre")
    page.js("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', bubbles: true}))")
    page.wait(lambda: not page.js("return document.querySelector('.drawer')"), "Escape does not close the drawer")


# Who gets in


@pytest.mark.parametrize("path", ["/rpc", "/events", "/log", "/openrpc.json"])
def test_nothing_is_given_without_the_token(console: Console, path: str) -> None:
    body = b'{"jsonrpc":"2.0","id":1,"method":"tenant.status"}' if path == "/rpc" else None
    refused = [{}, {"Authorization": "Bearer " + "0" * 64},
               {"Authorization": f"Bearer {console.token}", "Origin": "http://evil.example"},
               {"Authorization": f"Bearer {console.token}", "Host": "evil.example"}]
    for headers in refused:
        with pytest.raises(urllib.error.HTTPError) as error:
            urllib.request.urlopen(console.request(path, body, Content_Type="application/json", **headers), timeout=10)
        error.value.close()
        assert error.value.code in (401, 403, 421), headers


def test_a_page_of_another_port_gets_nothing(page: Page, console: Console) -> None:
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


def test_the_token_stays_in_memory(page: Page, console: Console) -> None:
    enroll(page)
    page.view("policy")
    history = [entry["url"] for entry in page.driver.execute_cdp_cmd("Page.getNavigationHistory", {})["entries"]]
    seen = {
        "address": page.driver.current_url, "history": json.dumps(history),
        "storage": page.js("return JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])"),
        "document": page.js("return document.documentElement.outerHTML"),
        "console": json.dumps(page.driver.get_log("browser")),
        "standard error": console.errors.read_text(),
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


# Speed


def test_the_page_is_small_and_paints_at_once(page: Page) -> None:
    sizes = page.js("""
      return Promise.all(arguments[0].map(async (name) => (await (await fetch(`/${name}`)).arrayBuffer()).byteLength))""",
      LOADED)
    assert sum(sizes) < 150_000
    times = page.js("""
      const [{ responseStart }] = performance.getEntriesByType("navigation");
      const paint = performance.getEntriesByName("first-paint")[0].startTime;
      return paint - responseStart""")
    print(f"first paint {times:.0f} ms after the first byte")
    # Measured at 103 ms; a busy machine takes longer.
    assert times < 5000, f"first paint {times:.0f} ms after the first byte"


def test_ten_thousand_events_leave_the_page_responsive(page: Page, console: Console) -> None:
    enroll(page)
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
      const { listen } = await import("/activity.js");
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
      listen({ fetch: async (path) => (path === "/events" ? new Response(body) : new Promise(() => {})) });
      await finished;
      return (performance.now() - start) / 1000;""")
    arrived = lambda: int(re.sub(r"\D", "", page.text(".count").split(" of ")[1])) >= 10_000
    page.wait(arrived, "the events did not arrive", 60)
    seen = page.js("return seen")
    print(f"10,000 events in {took:.1f} s: {seen['frames']} frames, long tasks {seen['long']}, shift {seen['shift']}")
    assert max(seen["long"], default=0) < 200 and seen["shift"] < 0.02


def test_a_hundred_thousand_lines_scroll_smoothly(page: Page) -> None:
    worst = page.later("""
      const { LongList } = await import("/list.js");
      const list = new LongList({ label: "test", rowCount: () => 100000, opened() {},
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
def test_roles_labels_and_contrast(page: Page, width: int, theme: str) -> None:
    enroll(page)
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
        page.settle()
        assert page.js("return document.documentElement.scrollWidth <= innerWidth"), f"{view} is wider than {width}"
        found += [f"{view}: {fault}" for fault in page.faults()]
    assert not found, "\n".join(found)


def test_the_keyboard_reaches_everything(page: Page) -> None:
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
    page.js("const s = document.querySelector('select.small'); s.value = 'ja'; s.dispatchEvent(new Event('change'))")
    page.see("アカウント", "h1")
    assert page.js("return document.documentElement.lang") == "ja"


# The pictures of docs/console.md


def test_the_pictures_of_the_guide(page: Page, tmp_path: Path) -> None:
    """Takes a picture of each view. With MAMBRIDGE_WRITE_DOCS=1, writes those that docs/console.md shows."""
    shown = set(re.findall(r"console/([\w-]+\.png)", (ROOT / "docs" / "console.md").read_text(encoding="utf-8")))
    enroll(page)
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
        page.js("document.querySelector('.notices').replaceChildren()")
        for name, width, theme in [("light", 1280, "light"), ("dark", 1280, "dark"), ("phone", 390, "light")]:
            page.size(width, 800)
            page.media(prefers_color_scheme=theme)
            page.settle()
            assert page.driver.save_screenshot(str(tmp_path / f"{view}-{name}.png"))
        page.size(1280, 800)
    assert shown <= {path.name for path in tmp_path.glob("*.png")}
    if os.environ.get("MAMBRIDGE_WRITE_DOCS"):
        image = pytest.importorskip("PIL.Image", reason="needs PyPI's pillow")
        PICTURES.mkdir(exist_ok=True)
        for name in shown:
            image.open(tmp_path / name).convert("RGB").quantize(64).save(PICTURES / name, optimize=True)
