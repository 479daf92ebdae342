"""The manual pages: mandoc and man accept them, and every example runs."""
from __future__ import annotations

import os
import plistlib
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from conftest import ALICE

PASSPHRASE = "correct horse battery"
GROUPS = {"mambridge-keys", "mambridge-files", "mambridge-tenant"}
CHARACTERS = {"-": "-", "e": "\\", "&": "", "(aq": "'", "(ga": "`", "(ha": "^", "(ti": "~"}
ESCAPE = re.compile(r"\\(-|e|&|\(..|\[u([0-9A-F]+)\])")


@pytest.fixture(scope="session")
def pages(binary: str, tmp_path_factory: pytest.TempPathFactory) -> "dict[str, str]":
    """The text of each page, by its name, such as `mambridge-call`."""
    folder = tmp_path_factory.mktemp("man1")
    subprocess.run([binary, "man", "--into", folder], check=True)
    return {page.stem: page.read_text() for page in sorted(folder.iterdir())}


def examples_of(page: str) -> "list[str]":
    section = page.partition(".SH EXAMPLES\n")[2].partition("\n.SH ")[0]
    return [plain(code) for code in re.findall(r"^\.EX\n(.*?)^\.EE$", section, re.M | re.S)]


def plain(roff: str) -> str:
    return ESCAPE.sub(lambda found: chr(int(found[2], 16)) if found[2] else CHARACTERS[found[1]], roff)


def test_every_command_has_a_manual_page_with_examples(pages: "dict[str, str]") -> None:
    assert len(pages) > 20
    assert {name for name, page in pages.items() if not examples_of(page)} == GROUPS
    named = {plain(name) for name in re.findall(r"^\.BR (\S+) \(1\)", pages["mambridge"], re.M)}
    assert named == set(pages) - {"mambridge"}


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="mandoc is not installed")
def test_mandoc_finds_no_problem_in_the_manual_pages(pages: "dict[str, str]") -> None:
    for name, page in pages.items():
        lint = subprocess.run(["mandoc", "-T", "lint"], input=page, capture_output=True, text=True)
        assert (lint.stdout, lint.stderr) == ("", ""), name


@pytest.mark.skipif(shutil.which("man") is None, reason="man is not installed")
def test_man_shows_each_manual_page_without_warnings(pages: "dict[str, str]", tmp_path: Path) -> None:
    variables = {**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8"}
    for name, page in pages.items():
        (tmp_path / f"{name}.1").write_text(page)
        shown = subprocess.run(
            ["man", "--warnings", "-l", tmp_path / f"{name}.1"], capture_output=True, text=True, env=variables)
        assert (shown.returncode, shown.stderr) == (0, ""), name
        titles = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"]
        assert [line for line in shown.stdout.splitlines() if line in titles] == titles
        for example in examples_of(page):
            assert all(line in shown.stdout for line in example.splitlines()), f"{name}: {example}"


def test_every_example_in_the_manual_pages_runs(pages: "dict[str, str]", binary: str, tmp_path: Path) -> None:
    count = 0
    for name, page in pages.items():
        folder = working_folder(tmp_path / name, binary)
        for example in examples_of(page):
            if any(word in example for word in ("--follow", "--listen", "mambridge console")):
                stop(example, folder)
            elif "man" not in example.split() or shutil.which("man"):
                # The built-in tenant has a user without a policy, which is a finding.
                run(example, folder, status=1 if "tenant check" in example else 0)
            count += 1
    assert count > 40


def working_folder(home: Path, binary: str) -> Path:
    """What the examples name: an enrolled account, files of that account, an app, a passphrase, a log, a tenant."""
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "mambridge").symlink_to(binary)
    folder = home / "work"
    (folder / "inbox").mkdir(parents=True)
    for name in ("photo.jpg", "plan.txt", "plan.txt.new", "inbox/note.txt"):
        (folder / name).write_text("a few words\n")
    (folder / "requests.ndjson").write_text('{"jsonrpc":"2.0","id":1,"method":"versionInfo.sdkVersion"}\n')
    (folder / "passphrase").write_text(PASSPHRASE + "\n")
    for name in ("IntuneMAMDiagnostics.txt", "issue.txt"):
        (folder / name).write_text("IntuneMAM: Enrollment failed with status code 225 and error code 0\n")
    (folder / "contoso" / "tests").mkdir(parents=True)
    (folder / "contoso" / "tenant.json").write_text('{"tenantId": "t", "users": []}\n')
    (folder / "contoso" / "tests" / "pin.mamtest").write_text('test "no PIN"\npolicy.isPINRequired -> false\n')
    extension = {"NSExtension": {"NSExtensionPointIdentifier": "com.apple.ui-services"}}
    for app, info in (("App", {}), ("Open", extension)):
        (folder / app).mkdir()
        (folder / app / "Info.plist").write_bytes(plistlib.dumps({"CFBundleIdentifier": "com.example.app", **info}))
        (folder / app / f"{app}.entitlements").write_bytes(plistlib.dumps({"keychain-access-groups": ["com.example"]}))
    run(f"mambridge call enrollmentManager.registerAndEnrollAccount account={ALICE}", folder)
    run(f"mambridge files protect plan.txt --account {ALICE}", folder)
    (folder / "tenant" / "policies").mkdir(parents=True)
    (folder / "tenant" / "tenant.json").write_text('{"users": [{"userPrincipalName": "alice@contoso.example"}]}')
    (folder / "tenant" / "policies" / "ios.json").write_text(
        '{"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_1", "pinRequired": true,'
        ' "assignments": []}')
    run("git init -q; git add tenant; git -c user.name=a -c user.email=a@example.com commit -qm first", folder)
    return folder


def environment(folder: Path) -> "dict[str, str]":
    home = folder.parent
    return {
        "HOME": str(home), "PATH": f"{home / 'bin'}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8",
        "MANPATH": f"{home / '.local/share/man'}:", "MAMBRIDGE_TENANT": "sample",
        "MAMBRIDGE_STATE": str(home / "state"), "old": PASSPHRASE, "new": PASSPHRASE}


def run(script: str, folder: Path, status: int = 0) -> None:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=folder, env=environment(folder), stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=120)
    assert done.returncode == status, f"{script}\n{done.stdout}\n{done.stderr}"


def stop(script: str, folder: Path) -> None:
    """Runs a command that goes on until Ctrl-C."""
    process = subprocess.Popen(
        ["bash", "-c", f"exec {script.strip()}"], cwd=folder, env=environment(folder), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert process.stdout and process.stdout.read(1), script
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0, f"{script}\n{said!r}"
