"""The page of `mambridge console` in Firefox, driven by WebDriver BiDi, which Firefox speaks without geckodriver."""
from __future__ import annotations

import json
import re
import select
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any, Iterator

import pytest
from conftest import ALICE
from console_browser import Console, running
from waiting import wait_for

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")


class Firefox:
    """A Firefox with one page."""

    def __init__(self, folder: Path) -> None:
        websocket = pytest.importorskip("websocket", reason="needs PyPI's websocket-client, which selenium brings")
        if not FIREFOX:
            pytest.skip("needs firefox-esr")
        folder.mkdir()
        self.process = subprocess.Popen(
            [FIREFOX, "--headless", "--no-remote", "--profile", str(folder), "--remote-debugging-port", "0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.last = 0
        self.problems: "list[str]" = []
        self.socket = websocket.create_connection(f"{self.address()}/session", timeout=60, suppress_origin=True)
        self.send("session.new", capabilities={})
        self.send("session.subscribe", events=["log.entryAdded"])
        self.context = self.send("browsingContext.getTree")["contexts"][0]["context"]

    def address(self) -> str:
        deadline = time.monotonic() + 60
        assert self.process.stderr
        while time.monotonic() < deadline and select.select([self.process.stderr], [], [], 60)[0]:
            found = re.search(r"BiDi listening on (ws://[\w.:]+)", line := self.process.stderr.readline())
            if found:
                return found[1]
            if not line:
                break
        self.process.kill()
        pytest.fail("Firefox did not start")

    def send(self, method: str, **params: Any) -> Any:
        self.last += 1
        self.socket.send(json.dumps({"id": self.last, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("method") == "log.entryAdded" and message["params"]["level"] == "error":
                self.problems.append(message["params"]["text"])
            if message.get("id") == self.last:
                assert message["type"] == "success", message
                return message["result"]

    def open(self, address: str) -> None:
        self.send("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def js(self, expression: str) -> Any:
        """The value of an expression, which must be a text, a number or a boolean."""
        result = self.send("script.evaluate", expression=expression, awaitPromise=True,
                           target={"context": self.context})
        assert result["type"] == "success", result
        return result["result"].get("value")

    def see(self, text: str, selector: str = "body") -> None:
        shown = f"[...document.querySelectorAll({json.dumps(selector)})].map((e) => e.innerText).join('\\n')"
        wait_for(lambda: text in self.js(shown), f"{selector} shows {text!r}", said=lambda: self.js(shown))

    def click(self, label: str) -> None:
        self.see(label.split(":")[0])
        clicked = self.js("(() => { const found = [...document.querySelectorAll('button, .views a')].find((element) =>"
                          f"(element.ariaLabel ?? element.innerText).trim() === {json.dumps(label)});"
                          "found?.click(); return Boolean(found); })()")
        assert clicked, f"there is no button {label!r}"

    def end(self) -> None:
        self.socket.close()
        self.process.terminate()
        self.process.communicate(timeout=40)


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    started = Firefox(tmp_path_factory.mktemp("firefox") / "profile")
    yield started
    started.end()


@pytest.fixture
def console(binary: str, tmp_path: Path) -> Iterator[Console]:
    with running(binary, tmp_path) as started:
        yield started


def test_the_console_page_can_call_methods_and_follow_events_in_firefox(firefox: Firefox, console: Console) -> None:
    firefox.open(console.address)
    firefox.see("Throw-away copy")
    assert firefox.js("location.href") == f"{console.origin}/"
    firefox.click(f"Enroll: {ALICE}")
    firefox.see("newPoliciesReceived", ".card")
    firefox.click("Events and log")
    firefox.see("#1 enrollmentManager.registerAndEnrollAccount", ".long-list")
    console.call("tenant.checkIn")
    firefox.see("Check-in ended", ".long-list")
    firefox.click("Diagnostics")
    firefox.see("Contoso data protection for iOS", "#report-accounts")
    firefox.open("about:blank")
    assert firefox.problems == []


def test_firefox_shows_the_diagnostics_page(firefox: Firefox, console: Console, binary: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    subprocess.run([binary, "diagnostics", "--tenant", "sample", "--state", str(tmp_path / "other"), "--html", page],
                   check=True, capture_output=True, timeout=60)
    firefox.open(page.as_uri())
    firefox.see("No account is registered", "#report-accounts")
    assert firefox.js("document.querySelectorAll('.report').length") == 9
    assert firefox.problems == []
