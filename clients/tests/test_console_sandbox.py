"""`mambridge console --sandbox`: its page changes the tenant, and its record replays over `mambridge sandbox`."""
from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Iterator

import pytest
from conftest import ALICE
from console_browser import BOB, TIME, Console, Page, blank, chromium
from console_process import no_console_stays, runtime
from test_console_page import SOURCES, write_picture
from test_console_record import SCRIPTS, recorded, replay_transcript, replayed

__all__ = ["blank", "chromium", "no_console_stays", "runtime"]

ERIN = "erin@contoso.example"
TABS = ["Users", "Policies", "Configurations", "Faults", "Answers of the user", "Clock", "Saves", "Story"]


@pytest.fixture
def console(binary: str, runtime: Path) -> Iterator[Console]:
    started = Console([binary, "console", "--sandbox", "--no-open", "--at", TIME], runtime)
    yield started
    started.end()
    assert started.process.returncode == 0 and list(runtime.iterdir()) == []


@pytest.fixture
def page(blank: Page, console: Console) -> Page:
    page = blank.open(console)
    page.view("sandbox")
    page.see(ALICE, ".card")
    return page


# The command


def test_a_sandbox_starts_with_the_sample_and_its_story_leaves_out_reads_of_the_page(
    console: Console
) -> None:
    session = json.loads(console.ask("GET", "/session.json", Authorization=None)[2])
    assert session == {"isCopy": True, "isNew": True, "seed": "sample", "examines": 16 << 20}
    assert console.call("tenant.timeline")["now"] == TIME
    console.call("policyManager.policy", account=ALICE)
    assert ALICE in [user["name"] for user in console.call("sandbox.contents")["users"]]
    assert console.call("sandbox.story")["entries"] == []
    assert "sandbox, which is removed at the end" in console.errors()


def test_the_replay_script_of_a_report_starts_mambridge_sandbox_with_the_same_seed_and_time(console: Console) -> None:
    script = console.call("sandbox.report")["replay"]
    assert f" 'sandbox' '--seed' 'sample' '--at' '{TIME}';" in script


def test_console_sandbox_starts_from_an_empty_or_exported_seed(binary: str, runtime: Path, tmp_path: Path) -> None:
    empty = Console([binary, "console", "--sandbox", "--no-open", "--seed", "empty"], runtime)
    assert empty.call("sandbox.contents")["users"] == []
    empty.call("sandbox.setUser", name=ERIN)
    empty.call("sandbox.export", folder=str(tmp_path / "export"))
    empty.end()
    export = Console([binary, "console", "--sandbox", "--no-open", "--seed", str(tmp_path / "export")], runtime)
    assert [user["name"] for user in export.call("sandbox.contents")["users"]] == [ERIN]
    export.end()


@pytest.mark.parametrize(("arguments", "code", "text"), [
    (["--sandbox", "--live"], 64, "leave out --sandbox"), (["--seed", "empty"], 64, "need --sandbox"),
    (["--at", TIME], 64, "need --sandbox"), (["--sandbox", "--at", "noon"], 64, "--at must be a time"),
    (["--sandbox", "--tenant", "sample"], 64, "--seed"), (["--sandbox", "--state", "x"], 64, "--state"),
    (["--sandbox", "--clock", "manual"], 64, "--at"), (["--sandbox", "--seed", "/nowhere"], 78, "no folder"),
])
def test_console_sandbox_refuses_conflicting_and_invalid_options(
    binary: str, runtime: Path, arguments: "list[str]", code: int, text: str
) -> None:
    run = subprocess.run([binary, "console", "--no-open", *arguments], capture_output=True, text=True, timeout=60,
                         env={**os.environ, "XDG_RUNTIME_DIR": str(runtime)})
    assert run.returncode == code and text in run.stderr and run.stdout == "", run.stderr
    assert list(runtime.iterdir()) == []


# The page


def tab(page: Page, name: str) -> None:
    page.click(name)
    page.settle()


def test_users_are_added_changed_wiped_and_removed(page: Page, console: Console) -> None:
    user = lambda name: next((user for user in console.call("sandbox.contents")["users"] if user["name"] == name), None)
    page.choose("param-name", ERIN)
    page.click("Add: groups")
    page.settle()
    page.choose("param-groups-0", "testers")
    page.click("Apply", "[data-key='sandbox.setUser']")
    page.see("The tenant has changed.", ".notices")
    page.see("testers", f"[data-key='user-{ERIN}']")
    page.click(f"Edit: {ERIN}")
    page.wait(lambda: page.js("return document.activeElement.value") == ERIN, "the form has no focus")
    page.choose("param-licensed", "false")
    page.click("Apply", "[data-key='sandbox.setUser']")
    page.see("no license", f"[data-key='user-{ERIN}']")
    assert user(ERIN)["groups"] == ["testers"] and not user(ERIN)["licensed"]
    page.click(f"Remove: {ERIN}")
    page.wait(lambda: page.js("return document.querySelectorAll('tbody tr').length") == 4, "Erin is still listed")
    assert user(ERIN) is None

    page.choose("param-name", ERIN)
    page.choose("param-id", "7")
    page.click("Apply", "[data-key='sandbox.setUser']")
    page.see("must be a GUID", ".field .error")
    assert page.js("return document.getElementById('param-id').ariaInvalid") == "true"

    console.call("enrollmentManager.registerAndEnrollAccount", account=ALICE)
    page.choose("param-account", ALICE)
    page.choose("param-push", "true")
    page.click("Order a wipe", "[data-key='sandbox.wipe']")
    page.see(ALICE, ".notices")
    page.settle()
    console.call("debug.advanceClock", by="PT0S")
    assert console.call("enrollmentManager.enrolledAccounts") == []


def test_a_policy_edited_in_the_form_applies_at_the_next_check_in(page: Page, console: Console) -> None:
    tab(page, "Policies")
    page.choose("param-audience", BOB)
    page.choose("param-name", "Tight")
    page.choose("assume-setting", "saveAsBlocked")
    page.settle()
    page.choose("assume-setting", "minimumPinLength")
    page.settle()
    page.choose("param-minimumPinLength", "6")
    page.click("Apply", "[data-key='sandbox.setPolicy']")
    page.see("Settings: 2", "[data-key='assigned-Tight']")
    tight = next(one for one in console.call("sandbox.contents")["policies"] if one["name"] == "Tight")
    assert tight["settings"] == {"saveAsBlocked": True, "minimumPinLength": 6} and tight["audience"] == [BOB]
    console.call("enrollmentManager.registerAndEnrollAccount", account=BOB)
    assert console.call("policyManager.policy", account=BOB)["policies"][0]["displayName"] == "Tight"

    page.click("Edit: Tight")
    page.click("Remove: saveAsBlocked")
    page.click("Remove: minimumPinLength")
    page.click("Apply", "[data-key='sandbox.setPolicy']")
    page.see("no setting", "[role=alert]")
    page.click("Remove: Tight")
    page.settle()
    page.click("Check in")
    page.see(BOB, ".notices")
    assert console.call("policyManager.policy", account=BOB)["policies"] == []


def test_the_page_sets_configuration_keys_and_the_allowed_accounts(page: Page, console: Console) -> None:
    tab(page, "Configurations")
    page.choose("param-audience", "*")
    page.choose("pair-key", "server")
    page.click("Add: Key")
    page.settle()
    page.choose("pair-0", "mail.contoso.example")
    page.click("Apply", "[data-key='sandbox.setConfiguration']")
    page.see("Settings: 1", "[data-key='assigned-Sandbox for everybody']")
    assert console.call("sandbox.contents")["configurations"][-1] == {
        "name": "Sandbox for everybody", "audience": ["*"], "apps": None, "settings": {"server": "mail.contoso.example"}}
    tab(page, "Users")
    page.choose("allowed-accounts", f"{ALICE}, {BOB}")
    page.click("Apply", "[data-key='sandbox-allowed']")
    page.settle()
    assert console.call("sandbox.contents")["allowedAccounts"] == [ALICE, BOB]
    page.choose("allowed-accounts", "")
    page.click("Apply", "[data-key='sandbox-allowed']")
    page.settle()
    assert console.call("sandbox.contents")["allowedAccounts"] is None


def test_the_scripted_user_answers_prompts_and_restoring_a_save_restores_its_time(page: Page, console: Console) -> None:
    tab(page, "Answers of the user")
    page.choose("param-pin", "482913")
    page.click("Apply", "[data-key='sandbox.answer']")
    page.see("The user answers so", ".notices")
    page.view("accounts")
    page.enroll()
    page.view("launch")
    page.click("Open a window")
    page.see(f"The window shows {ALICE}.", ".notices")
    page.view("sandbox")
    tab(page, "Saves")
    page.choose("param-name", "enrolled")
    page.click("Save", "[data-key='sandbox.save']")
    page.see("enrolled", ".rows")
    tab(page, "Clock")
    page.click("Move by 30 minutes")
    page.see("03:10", ".time")
    tab(page, "Saves")
    page.click("Restore: enrolled")
    page.see("02:40", ".time")
    page.settle()
    tab(page, "Clock")
    page.click("Move by 30 minutes")
    page.see("03:10", ".time")
    page.settle()
    events = page.later("return (await import('/state.js')).state.recorder.entries.at(-1).events.length")
    assert events > 0, "after a restore, a call still has its events"
    tab(page, "Saves")
    page.click("Reset")
    page.click("Reset", "dialog")
    page.see("02:40", ".time")
    page.wait(lambda: console.call("enrollmentManager.registeredAccounts") == [], "the account is still there")
    tab(page, "Story")
    page.see(f'sandbox.restore with name "enrolled"', ".steps")
    page.see("sandbox.answer with pin (hidden)", ".steps")
    assert "482913" not in page.text(".steps") and "tenant.status" not in page.text(".steps")


def test_a_fault_set_on_the_page_applies_until_it_is_cleared(page: Page, console: Console) -> None:
    console.call("enrollmentManager.registerAndEnrollAccount", account=ALICE)
    tab(page, "Faults")
    page.choose("param-at", "source")
    page.choose("param-kind", "expired")
    page.click("Apply", "[data-key='sandbox.fault']")
    page.see("use one of: unreachable", ".field .error")
    page.choose("param-kind", "unreachable")
    page.click("Apply", "[data-key='sandbox.fault']")
    page.see("The fault is set.", ".notices")
    assert console.call("tenant.checkIn")[0]["status"] == "policyEndPointNetworkFailure"
    page.click("Clear the faults")
    page.see("No fault is left.", ".notices")
    assert console.call("tenant.checkIn")[0]["status"] == "policiesHaveNotChanged"
    page.choose("param-at", "clock")
    page.choose("param-kind", "jump")
    page.choose("param-delay", "PT1H")
    page.click("Apply", "[data-key='sandbox.fault']")
    page.see("03:40", ".time")


def test_the_record_of_a_sandbox_replays_in_a_new_sandbox(page: Page, binary: str, tmp_path: Path) -> None:
    page.choose("param-name", ERIN)
    page.click("Apply", "[data-key='sandbox.setUser']")
    page.calls(1)
    tab(page, "Policies")
    page.choose("param-audience", ERIN)
    page.choose("assume-setting", "pinRequired")
    page.click("Apply", "[data-key='sandbox.setPolicy']")
    page.calls(2)
    page.later("""
      const { act } = await import("/state.js");
      await act("enrollmentManager.registerAndEnrollAccount", { account: "erin@contoso.example" });
      await act("conditionalLaunch.evaluate", { account: "erin@contoso.example" });
      await act("sandbox.save", { name: "ready" });
      await act("debug.advanceClock", { by: "P1D" });
      await act("sandbox.wipe", { account: "nobody@contoso.example" }).catch(() => {});
      await act("sandbox.wipe", { account: "erin@contoso.example", push: true });
      await act("sandbox.restore", { name: "ready" });
      await act("sandbox.fault", { at: "source", kind: "serviceUnavailable", times: 1 });
      await act("tenant.checkIn");
      await act("enrollmentManager.enrolledAccounts");""")
    page.calls(12)
    for form in SCRIPTS:
        assert replayed(page, form, binary, tmp_path) == 12
    replay_transcript(recorded(page, "transcript"), binary, None)
    page.js("document.querySelector('.top .record').click()")
    page.see("Replayed in a new sandbox", ".drawer")
    page.click("Shell", ".drawer")
    page.see("mambridge sandbox --seed", ".drawer pre")
    assert "Test" not in page.text(".drawer [role=tab]").splitlines()


def test_the_sandbox_screenshot_in_the_console_guide_can_be_retaken(page: Page, tmp_path: Path) -> None:
    tab(page, "Policies")
    page.click("Edit: Contoso data protection for iOS")
    page.settle()
    page.js("document.activeElement.blur(); scrollTo(0, 0)")
    page.size(1280, 800)
    page.settle()
    assert page.driver.save_screenshot(str(tmp_path / "sandbox-light.png"))
    write_picture(tmp_path / "sandbox-light.png")


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (1280, "dark"), (360, "light")])
def test_every_sandbox_tab_has_good_roles_labels_and_contrast(page: Page, width: int, theme: str) -> None:
    page.size(width, 800)
    page.media(prefers_color_scheme=theme)
    found = []
    for name in TABS:
        tab(page, name)
        if name == "Policies":
            page.choose("assume-setting", "allowedDataStorageLocations")
        if name == "Configurations":
            page.choose("pair-key", "server")
            page.click("Add: Key")
        page.settle()
        assert page.js("return document.documentElement.scrollWidth <= innerWidth"), f"{name} is wider than {width}"
        found += [f"{name}: {fault}" for fault in page.faults()]
    assert not found, "\n".join(found)


def test_the_labels_are_in_six_languages(page: Page) -> None:
    rows, sentences = page.later("""
      const { ROWS, SENTENCES } = await import("/sandbox-labels.js");
      return [ROWS.trim().split("\\n").map((row) => row.split("|")), Object.keys(SENTENCES)];""")
    for row in rows:
        assert len(row) == 7 and all(row), row
        assert len({tuple(re.findall(r"{\w+}", text)) for text in row[1:]}) == 1, row
    keys = {row[0] for row in rows} | set(sentences)
    used = "\n".join(file.read_text() for file in SOURCES.glob("*.js") if "labels" not in file.name)
    parts = {f"sandbox.{part}" for part in re.findall(r"\w+", re.search(r"CHANGES_OF_TENANT = {(.*)}", used)[1])}
    parts |= {"sandbox.faults", "sandbox.answers", "sandbox.saves", "sandbox.story", "source.folder"}
    assert [key for key in keys - parts if f'"{key}"' not in used] == []
    page.js("const s = document.querySelector('select.small'); s.value = 'ja'; s.dispatchEvent(new Event('change'))")
    page.see("サンドボックス", "h1")
