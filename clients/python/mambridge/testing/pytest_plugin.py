"""The fixtures `mam` and `async_mam` for pytest, which finds this module by itself where mambridge is installed.

The options are in pytest.ini or pyproject.toml, on the command line, or at a test: the later ones win.

    mambridge_seed = empty                      --mambridge-seed     @pytest.mark.mam(seed="empty")
    mambridge_at = 2026-01-31T09:30:00Z         --mambridge-at       @pytest.mark.mam(at="2026-01-31T09:30:00Z")
    mambridge_binary = build/mambridge          --mambridge-binary   @pytest.mark.mam(binary="build/mambridge")
                                                                     @pytest.mark.mam(settings={"MultiIdentity": True})
"""
from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Callable, Dict, Generator, Iterator, List

import pytest

if TYPE_CHECKING:
    from .aio import AsyncSandbox
    from .sandbox import Sandbox

OPTIONS = {
    "seed": 'What a sandbox begins with: "sample", "empty", or a folder (default: sample).',
    "at": "When its clock starts, such as 2026-01-31T09:30:00Z (default: now).",
    "binary": "The program mambridge (default: $MAMBRIDGE, or else the installed one).",
}
MARKS = ("seed", "at", "binary", "settings", "app_id", "timeout")
# A longer script is written to a file.
LONGEST_SCRIPT = 20_000

# What returns the report of a sandbox.
_reports: "pytest.StashKey[List[Callable[[str], str]]]" = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("mambridge", "sandboxes of mambridge")
    for name, text in OPTIONS.items():
        group.addoption(f"--mambridge-{name}", default=None, metavar=name.upper(), help=text)
        parser.addini(f"mambridge_{name}", text)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"mam({', '.join(MARKS)}): options of the sandbox of a test")


def _options(request: pytest.FixtureRequest) -> Dict[str, Any]:
    found: Dict[str, Any] = {}
    config = request.config
    for name in OPTIONS:
        value = config.getini(f"mambridge_{name}")
        if value and name != "at" and os.path.exists(config.rootpath / value):
            value = str(config.rootpath / value)  # As the paths of pytest's own options are.
        value = config.getoption(f"mambridge_{name}") or value
        if value:
            found[name] = value
    for mark in reversed(list(request.node.iter_markers("mam"))):
        if mark.args or not set(mark.kwargs) <= set(MARKS):
            known = ", ".join(f"{name}=…" for name in MARKS)
            raise pytest.UsageError(f"@pytest.mark.mam takes {known} and nothing else")
        found.update(mark.kwargs)
    return found


@pytest.fixture
def mam(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """A sandbox for this test: a fresh tenant, a clock that stands still, and a user who answers."""
    from .sandbox import Sandbox
    from .setup import SandboxError
    try:
        sandbox = Sandbox(**_options(request))
    except SandboxError as error:
        pytest.fail(str(error), pytrace=False)
    request.node.stash.setdefault(_reports, []).append(sandbox.report)
    yield sandbox
    sandbox.close()


@pytest.fixture
def async_mam(request: pytest.FixtureRequest) -> Iterator[AsyncSandbox]:
    """A sandbox for this test in asyncio. It begins with `async with async_mam as mam`."""
    from .aio import AsyncSandbox
    sandbox = AsyncSandbox(**_options(request))
    sandbox.test = request.node.nodeid
    request.node.stash.setdefault(_reports, []).append(lambda failure: sandbox.told)
    yield sandbox
    if forgotten := sandbox.forgotten():
        pytest.fail(forgotten, pytrace=False)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:
    # pytest prints notes again in its summary, where it does not shorten: in CI, or with -vv.
    told = [] if call.excinfo is None else _notes(call.excinfo.value)
    if call.excinfo is not None:
        _hide_frames()
    outcome = yield
    report = outcome.get_result()
    if not report.failed or call.excinfo is None:
        return
    if report.when != "teardown":
        failure = f"{item.nodeid}\n{call.excinfo.exconly()}"
        told += [report_of(failure) for report_of in item.stash.get(_reports, [])]
    report.sections += [("mambridge", _shortened(text)) for text in told]


def _hide_frames() -> None:
    """Lets pytest show the line of the test, and not what the kit and its client did. `--full-trace` shows all."""
    for name, module in list(sys.modules.items()):
        if name.startswith("mambridge."):
            module.__dict__["__tracebackhide__"] = True


def _notes(error: BaseException) -> List[str]:
    """Takes the reports out of the notes of a failure. Other failures need none of the modules of the kit."""
    if not getattr(error, "__notes__", None):
        return []
    from .report import take_notes
    return take_notes(error)


def _shortened(text: str) -> str:
    story, mark, script = text.partition("\n--- a script that replays it\n")
    if len(script) <= LONGEST_SCRIPT:
        return text
    import tempfile
    with tempfile.NamedTemporaryFile("w", prefix="mambridge-", suffix=".sh", delete=False) as file:
        file.write(script)
    return f"{story}{mark}bash {file.name}"
