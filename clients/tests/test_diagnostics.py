"""The diagnostics page as a browser shows it. Needs Chromium, which nothing here installs."""
from __future__ import annotations

import json
import shutil
import struct
import subprocess
import zlib
from html.parser import HTMLParser
from pathlib import Path

import pytest
from conftest import ALICE
from console_browser import browser
from mambridge import Client

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
HOSTILE = "</script><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"


@pytest.fixture
def page(client: Client) -> Path:
    client.call("enrollmentManager.registerAndEnrollAccount", account=ALICE)
    client.call("diagnosticsLog.write", level="error", message=HOSTILE)
    return Path(client.call("diagnosticConsole.displayDiagnosticConsole")["path"])


def browse(page: Path, folder: Path, *options: str) -> str:
    assert CHROMIUM
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars",
               f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=2000", *options, page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


def pixels(png: Path) -> tuple[int, int, list[bytes]]:
    """Width, height and lines of an 8-bit RGB or RGBA picture without interlace, as Chromium writes it."""
    data, offset, packed = png.read_bytes(), 8, b""
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    assert depth == 8 and kind in (2, 6)
    while offset < len(data):
        length, name = struct.unpack(">I4s", data[offset:offset + 8])
        packed += data[offset + 8:offset + 8 + length] if name == b"IDAT" else b""
        offset += length + 12
    size, raw, lines = {2: 3, 6: 4}[kind], zlib.decompress(packed), []
    stride = width * size
    last = bytearray(stride)
    for start in range(0, len(raw), stride + 1):
        last = unfilter(raw[start], bytearray(raw[start + 1:start + 1 + stride]), last, size)
        lines.append(bytes(byte for at in range(0, stride, size) for byte in last[at:at + 3]))
    return width, height, lines


def unfilter(kind: int, line: bytearray, above: bytearray, size: int) -> bytearray:
    for at in range(len(line)):
        left, up = (line[at - size] if at >= size else 0), above[at]
        corner = above[at - size] if at >= size else 0
        if kind == 4:
            guess = left + up - corner
            near = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
        else:
            near = {0: 0, 1: left, 2: up, 3: (left + up) // 2}[kind]
        line[at] = (line[at] + near) & 255
    return line


@needs_browser
@pytest.mark.parametrize(("theme", "width", "is_dark"), [
    ("light", 1280, False), ("dark", 1280, True), ("light", 400, False), ("dark", 400, True)])
def test_a_browser_shows_the_diagnostics_page_light_and_dark_wide_and_narrow(
        page: Path, tmp_path: Path, theme: str, width: int, is_dark: bool) -> None:
    # Chromium's window is 500 wide at least, so a frame stands for the phone.
    framed = tmp_path / "frame.html"
    framed.write_text(f'<body style="margin:0;background:#808080"><iframe src="{page.as_uri()}" '
                      f'style="border:0;width:{width}px;height:1000px"></iframe>')
    picture = tmp_path / "page.png"
    preferred = ["--blink-settings=preferredColorScheme=0"] if theme == "dark" else []
    browse(framed, tmp_path, f"--screenshot={picture}", f"--window-size={max(width, 500)},1000", *preferred)
    shown_width, _, lines = pixels(picture)
    assert shown_width >= width
    colors = {line[at:at + 3] for line in lines for at in range(0, width * 3, 3)}
    assert len(colors) > 50, "the picture is blank"
    middle = [sum(line[at:at + 3]) / 3 for line in lines[500:] for at in range(0, width * 3, 3)]
    assert (sum(middle) / len(middle) < 90) is is_dark


class Page(HTMLParser):
    """What of a page is shown."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.title, self.words, self.stack = "", [], list[str]()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.stack.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.stack and self.stack.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "title" in self.stack:
            self.title += data
        elif not {"style", "script", "noscript"} & set(self.stack):
            self.words.append(data)


@needs_browser
def test_the_script_of_the_diagnostics_page_runs_and_scripts_in_data_do_not(page: Path, tmp_path: Path) -> None:
    shown = Page(browse(page, tmp_path, "--dump-dom"))
    assert shown.title == "Diagnostics of com.example.host"
    text = "".join(shown.words)
    for word in (ALICE, "newPoliciesReceived (100)", "Launch checks", HOSTILE):
        assert word in text


def measured(page: Path, folder: Path, width: int, script: str) -> str:
    """What a script finds in the page, which it has as `page`, on a screen of this width."""
    # The policy of the page allows no script but its own, so this one measures from outside.
    (folder / "copy.html").write_text(page.read_text().replace("Content-Security-Policy", "x-none"))
    frame = folder / "frame.html"
    frame.write_text(
        f'<iframe src="copy.html" style="border:0;width:{width}px;height:800px"></iframe><p></p><script>'
        'onload = () => { const page = document.querySelector("iframe").contentDocument;'
        f'document.querySelector("p").textContent = (() => {{ {script} }})(); }};</script>')
    dom = browse(frame, folder, "--dump-dom", "--allow-file-access-from-files", "--window-size=1400,900")
    return dom.split("<p>")[1].split("</p>")[0]


@needs_browser
@pytest.mark.parametrize("width", [320, 390, 560, 705, 820, 1000, 1280])
def test_the_diagnostics_page_is_never_wider_than_the_screen(page: Path, tmp_path: Path, width: int) -> None:
    assert measured(page, tmp_path, width, "return page.documentElement.scrollWidth") == str(width)


@needs_browser
@pytest.mark.parametrize("width", [320, 390, 560, 705, 820, 1000, 1280])
def test_the_diagnostics_page_never_breaks_a_line_inside_a_word(page: Path, tmp_path: Path, width: int) -> None:
    assert measured(page, tmp_path, width, """
        for (const details of page.querySelectorAll("details")) details.open = true;
        const broken = [], texts = page.createTreeWalker(page.querySelector("main"), NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) {
          const text = texts.currentNode;
          const isHidden = text.parentElement.closest("thead")?.offsetWidth === 1;
          if (isHidden || text.parentElement.closest(".long")) continue;
          // A line may also end behind a hyphen, and before "<". Longer words do not fit into the columns.
          for (const word of text.data.matchAll(/(?<![^\\s<-])[^\\s<-]{1,LONGEST}(?![^\\s<-])/g)) {
            const range = page.createRange();
            range.setStart(text, word.index);
            range.setEnd(text, word.index + word[0].length);
            const tops = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
            if (tops.size > 1) broken.push(word[0]);
          }
        }
        return broken.join(" ") || "none";""".replace("LONGEST", "14" if width < 400 else "26")) == "none"


@needs_browser
def test_a_search_finds_exact_times_and_the_names_of_policies(page: Path, tmp_path: Path) -> None:
    count = """
        const field = page.querySelector("input");
        const shown = (words) => {
          field.value = words;
          field.dispatchEvent(new Event("input"));
          return [...page.querySelectorAll("main tbody tr:not(.group)")].filter((row) => row.offsetParent).length;
        };
        const exact = page.querySelector("#report-checkins time").title;
        return [shown(""), shown("no such words"), shown(exact), shown("contoso data protection managedlocations")]
          .map((count) => count > 0).join() + [...page.querySelectorAll(".group")].filter((row) => row.offsetParent).length;"""
    assert measured(page, tmp_path, 1280, count) == "true,false,true,true1"


@needs_browser
def test_without_javascript_the_diagnostics_page_is_plain_text(page: Path) -> None:
    with browser() as chromium:
        ask = chromium.driver.execute_cdp_cmd
        ask("Emulation.setScriptExecutionDisabled", {"value": True})
        chromium.driver.get(page.as_uri())
        root = ask("DOM.getDocument", {})["root"]["nodeId"]
        pre = {"nodeId": ask("DOM.querySelector", {"nodeId": root, "selector": "noscript pre"})["nodeId"]}
        text = ask("DOM.getOuterHTML", pre)["outerHTML"]
        assert text.startswith("<pre>OVERVIEW\nManagement: on\n")
        assert "&lt;/script&gt;&lt;script&gt;document.title='taken'" in text
        assert ask("DOM.getBoxModel", pre)["model"]["height"] > 1000


@needs_browser
@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (1280, "dark"), (360, "light")])
def test_the_diagnostics_page_has_correct_roles_labels_contrast_and_links(page: Path, width: int, theme: str) -> None:
    with browser() as chromium:
        chromium.size(width, 800)
        chromium.media(prefers_color_scheme=theme)
        chromium.driver.get(page.as_uri())
        assert chromium.faults() == []
        assert chromium.problems() == []
        ids = chromium.js("return [...document.querySelectorAll('[id]')].map(({ id }) => id)")
        links = chromium.js("return [...document.querySelectorAll('[href]')].map((link) => link.getAttribute('href'))")
        assert len(set(ids)) == len(ids) and len(links) > 8 and {link[1:] for link in links} <= set(ids)


def test_a_diagnostics_export_contains_no_user_name_and_no_home_folder(client: Client, tmp_path: Path) -> None:
    client.call("enrollmentManager.registerAndEnrollAccount", account=ALICE)
    client.call("diagnosticsLog.write", level="info", message=f"opened by {ALICE} in {Path.home()}")
    path = tmp_path / "support.tar.gz"
    assert client.call("diagnosticsLog.export", path=str(path))["size"] == path.stat().st_size
    subprocess.run(["tar", "-xzf", path, "-C", tmp_path], check=True)
    folder = tmp_path / "mambridge-diagnostics"
    assert json.loads((folder / "report.json").read_text())["accounts"][0]["status"]["isManaged"] is True
    for file in folder.rglob("*.*"):
        assert "alice" not in file.read_text().lower() and str(Path.home()) + "/" not in file.read_text()
