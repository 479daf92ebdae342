"""Runs `mambridge console` and shows its page in a real Chromium."""
from __future__ import annotations

import importlib.util
import signal
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest
from conftest import ALICE
from console_process import Console
from waiting import wait_for

BOB = "bob@contoso.example"
TIME = "2026-02-02T02:40:00.000Z"
# What a page says about a server that ends before the page is left.
GONE = ["ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE"]
CHROMIUM = Path("/usr/bin/chromium")
DRIVER = Path("/usr/bin/chromedriver")


@contextmanager
def running(
    binary: str, folder: Path, *options: str, tenant: str = "sample", **environment: str
) -> Iterator[Console]:
    command = [binary, "console", "--no-open", "--tenant", tenant, "--state", str(folder / "state"), *options]
    started = Console(command, **environment)
    try:
        yield started
    finally:
        started.end(signal.SIGTERM)


class Page:
    """The page in a browser, used as a user would: by labels, roles and keys."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, console: Console) -> "Page":
        self.driver.get("about:blank")
        self.driver.get(console.address)
        self.wait(lambda: self.js("return document.querySelector('.view') !== null"), "the page did not start")
        return self

    def js(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def later(self, script: str, *arguments: Any) -> Any:
        """Runs the body of an asynchronous function."""
        script = ("const done = arguments[arguments.length - 1]; (async (...given) => {" + script +
                  "})(...arguments).then(done, (error) => done(`failed: ${error}`))")
        return self.driver.execute_async_script(script, *arguments)

    def wait(self, condition: Callable[[], Any], failure: str) -> Any:
        return wait_for(condition, failure, said=self.text)

    def text(self, selector: str = "body") -> str:
        script = "return [...document.querySelectorAll(arguments[0])].map((e) => e.innerText).join('\\n')"
        return self.js(script, selector)

    def see(self, text: str, selector: str = "body") -> None:
        self.wait(lambda: text in self.text(selector), f"{selector} does not show {text!r}")

    def view(self, name: str) -> None:
        self.js("document.querySelector(`.views a[href='#${arguments[0]}']`).click()", name)
        script = "return document.querySelector(`.views a[href='#${arguments[0]}']`).ariaCurrent"
        self.wait(lambda: self.js(script, name), f"the view {name} did not open")

    def click(self, label: str, within: str = "body") -> None:
        """A button, tab or summary by its accessible name or its text."""
        script = """
          const [label, within] = arguments;
          const named = (element) => (element.ariaLabel ?? element.innerText).trim() === label;
          const all = [...document.querySelectorAll(within)].flatMap((place) =>
            [...place.querySelectorAll("button, summary")]);
          return all.find((element) => named(element) && !element.disabled && element.checkVisibility()) ?? null;
        """

        def clicked() -> bool:
            from selenium.common.exceptions import StaleElementReferenceException
            found = self.js(script, label, within)
            if found is None:
                return False
            try:
                self.js("arguments[0].scrollIntoView({ block: 'center' })", found)
                found.click()
            except StaleElementReferenceException:  # the page was drawn anew meanwhile
                return False
            return True

        self.wait(clicked, f"there is no button {label!r}")

    def enroll(self) -> None:
        self.click(f"Enroll: {ALICE}")
        self.see("newPoliciesReceived", ".card")
        self.settle()

    def set_pin(self) -> None:
        self.see("Set a PIN", ".screen")
        for digit in "2580":
            self.click(digit, ".pad")
        self.click("Enter", ".pad")

    def calls(self, count: int) -> None:
        """Waits until so many calls are recorded and answered."""
        self.wait(lambda: int(self.text(".counter")) >= count, f"there are not yet {count} calls")
        self.settle()

    def settle(self) -> None:
        """Waits until the calls of the page are answered and two frames are drawn."""
        self.later("""
          const { state, refresh } = await import("/state.js");
          const isBusy = () => state.recorder.entries.some(({ took }) => took === undefined);
          while (isBusy()) await new Promise((r) => setTimeout(r, 20));
          await refresh();
          await new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)));
        """)

    def choose(self, control: str, value: str) -> None:
        self.js("const c = document.getElementById(arguments[0]); c.value = arguments[1];"
                "for (const name of ['input', 'change']) c.dispatchEvent(new Event(name, {bubbles: true}))",
                control, value)

    def problems(self) -> "list[str]":
        """Errors of scripts and violations of the content security policy since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]

    def faults(self) -> "list[str]":
        """What axe finds against WCAG 2.1 AA and its best practices."""
        self.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": axe()})
        # The links of the console's navigation choose a view; axe takes them for links to a place on the page.
        results = self.later(
            "return await axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice'],"
            "rules: {'skip-link': {enabled: false}}})")
        return [f"{issue['id']}: {[node['html'][:160] for node in issue['nodes']]}" for issue in results["violations"]]

    def size(self, width: int, height: int) -> None:
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})

    def media(self, **features: str) -> None:
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]})


def axe() -> str:
    for name in ("axe_core_python", "axe_selenium_python"):
        found = importlib.util.find_spec(name)
        if found and found.submodule_search_locations:
            scripts = [path for place in found.submodule_search_locations for path in Path(place).rglob("axe.min.js")]
            if scripts:
                return scripts[0].read_text(encoding="utf-8")
    pytest.skip("needs PyPI's axe-core-python")


@contextmanager
def browser(*arguments: str) -> Iterator[Page]:
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs PyPI's selenium")
    if not (CHROMIUM.exists() and DRIVER.exists()):
        pytest.skip("needs chromium and chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--lang=en-US", *arguments):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(str(DRIVER)))
    driver.set_script_timeout(90)
    try:
        page = Page(driver)
        page.size(1280, 860)
        yield page
    finally:
        driver.quit()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Page]:
    with browser() as page:
        yield page


@pytest.fixture
def console(binary: str, tmp_path: Path) -> Iterator[Console]:
    with running(binary, tmp_path, "--clock", f"manual={TIME}") as started:
        yield started


@pytest.fixture
def blank(chromium: Page) -> Iterator[Page]:
    """The browser, for a test that starts a console of its own. The page may report no problem in the end."""
    chromium.driver.get("about:blank")
    chromium.size(1280, 860)
    chromium.media(prefers_color_scheme="light")
    chromium.problems()
    yield chromium
    if found := [problem for problem in chromium.problems() if not any(gone in problem for gone in GONE)]:
        pytest.fail("\n".join(found), pytrace=False)


@pytest.fixture
def page(blank: Page, console: Console) -> Page:
    return blank.open(console)
