"""The views of `mambridge console` in a real Chromium."""
from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Iterator

import pytest
from conftest import ALICE
from console_browser import BOB, Console, Page, blank, chromium, console, page, running
from prompting_source import PromptingSource

__all__ = ["blank", "chromium", "console", "page"]


def test_accounts_can_be_enrolled_checked_in_and_wiped(page: Page, console: Console) -> None:
    page.enroll()
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


def test_the_policy_view_shows_searches_tries_and_compares_settings(page: Page, console: Console) -> None:
    page.enroll()
    page.view("policy")
    shown = page.js("return [...document.querySelectorAll('.rows > .row')].map((row) => row.dataset.key)")
    settings = console.call("rpc.discover")["components"]["schemas"]["TestSettings"]["properties"]
    described = set(console.call("policyManager.policy", account=ALICE)["settings"]) - set(settings)
    assert described == {"id", "displayName", "version"}
    assert set(shown) == set(console.call("policyManager.policy", account=ALICE)["settings"]) & set(settings)
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


def test_every_question_has_a_form_with_the_parameters_of_its_schema(page: Page, console: Console) -> None:
    page.enroll()
    page.view("ask")
    schema = console.call("rpc.discover")
    methods = {method["name"]: method for method in schema["methods"]}
    explainable = set(re.findall(r"[a-zA-Z]+\.[a-zA-Z]+", console.error("policy.explain", query="")["data"]["hint"]))
    questions = page.js("return [...document.querySelectorAll('.list button code')].map((code) => code.innerText)")
    assert set(questions) == explainable - {"policy.explain"}
    assert not [title for title in page.text(".list button span").splitlines() if title.endswith("?")]
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


def test_an_answer_shows_what_would_have_to_change_and_the_page_can_assume_it(page: Page, console: Console) -> None:
    page.enroll()
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


def test_a_launch_is_explained_before_it_happens(page: Page, console: Console) -> None:
    page.enroll()
    page.view("ask")
    page.choose("ask-question", "conditionalLaunch.evaluate")
    page.click("Ask", "form.card")
    page.see("The account's data may be shown only after the user has answered.", ".verdict.is-warning")
    page.see("Answer: block", ".verdict")
    page.see("The user has no PIN yet, and is asked to choose one.", ".steps")
    page.see("If pinRequired is false instead of true, the account's data may be shown.")
    console.call("device.set", jailbroken=True)
    page.click("Ask", "form.card")
    page.see("The device is jailbroken", ".verdict.is-bad .steps")


def test_offline_for_91_days_takes_two_clicks(page: Page, console: Console) -> None:
    page.enroll()
    page.view("device")
    page.see("checks in", ".way")
    page.click("Offline for 91 days")
    page.see("the data is removed", "dialog")
    page.click("Go offline", "dialog")
    page.see("May 4, 2026", ".clock")
    page.see("policyEndPointNetworkFailure", ".passed")
    assert console.call("device.get")["networkAvailable"] is False
    assert console.call("tenant.status")["accounts"][0]["life"] == "offline"


def test_pin_and_sign_in_prompts_are_answered_on_the_page(page: Page, console: Console) -> None:
    page.enroll()
    page.view("launch")
    page.click("Open a window")
    page.set_pin()
    page.see("The window shows alice@contoso.example.", ".notices")
    page.click("Run the checks")
    page.see("The app may start.", ".verdict")
    page.view("accounts")
    page.click(f"Sign in and enroll: {BOB}")
    page.see("Sign in", ".screen")
    page.click("Sign in", ".screen")
    page.see("singleManagedAccountMode", ".notices")


@pytest.fixture
def source(tmp_path: Path) -> PromptingSource:
    return PromptingSource(tmp_path)


@pytest.fixture
def prompting(binary: str, tmp_path: Path, source: PromptingSource) -> Iterator[Console]:
    with running(binary, tmp_path, tenant=source.tenant) as console:
        yield console


@pytest.fixture
def asked(blank: Page, prompting: Console) -> Page:
    """The page, which asks the user to sign in at a page of the source."""
    page = blank.open(prompting)
    page.js("const f = document.getElementById('other-account'); f.value = arguments[0];"
            "f.dispatchEvent(new Event('input', {bubbles: true}))", ALICE)
    page.click("Enroll", "form.inline")
    page.see("Sign in, please.", ".screen [role=status]")
    return page


def test_enrollment_continues_after_a_sign_in_by_code(asked: Page, prompting: Console, source: PromptingSource) -> None:
    link = asked.js("const {href, target, rel, innerText} = document.querySelector('.screen a');"
                    "return {href, target, rel, innerText}")
    assert link == {"href": "https://login.contoso.example/device", "target": "_blank", "rel": "noopener noreferrer",
                    "innerText": "https://login.contoso.example/device"}
    assert asked.text(".screen code") == "VEUY-27HC"
    asked.click("Continue", ".screen")
    asked.calls(2)
    asked.see("VEUY-27HC", ".screen code")
    source.sign_in()
    asked.wait(lambda: "has signed in" in json.dumps(prompting.call("diagnosticsLog.query", limit=100)),
               "the source has no token")
    asked.click("Continue", ".screen")
    asked.see("newPoliciesReceived", ".notices")
    asked.see("Not run yet.", ".screen")
    asked.settle()
    assert source.notes() == ["silent", "prompt", "silent"]
    assert [account["identity"] for account in prompting.call("tenant.status")["accounts"]] == [ALICE]
    asked.view("accounts")
    # The policy of this source has no name.
    asked.click("Policies that apply: 1 of 1", ".card")
    asked.see("applies T_1", ".card")


def test_canceling_a_sign_in_by_code_tells_the_source(asked: Page, prompting: Console, source: PromptingSource) -> None:
    asked.click("Cancel", ".screen")
    asked.see("loginCanceled", ".notices")
    asked.see("Not run yet.", ".screen")
    asked.wait(lambda: "canceled" in source.notes(), "the source was not told")
    assert source.notes().count("prompt") == 1
    assert prompting.call("enrollmentManager.enrolledAccounts") == []


def test_the_phone_shows_what_the_user_of_the_app_would_see(page: Page, console: Console) -> None:
    page.enroll()
    page.view("launch")
    page.see("Not run yet.", ".screen")
    console.call("device.set", jailbroken=True)
    page.click("Run the checks")
    page.see("The app is blocked.", ".screen")
    rules = console.call("conditionalLaunch.evaluate", account=ALICE)["rules"]
    messages = [rule["message"] for rule in rules if rule["outcome"] == "block"]
    assert messages and page.text(".screen").split("\n\n")[1:] == messages
    console.call("device.set", jailbroken=False)
    page.click("Run the checks")
    page.set_pin()
    page.see("The app would ask nothing now.", ".screen")


# Policy


def test_the_policy_summary_can_be_saved_copied_and_printed(page: Page) -> None:
    page.enroll()
    page.view("policy")
    page.js("""
      globalThis.seen = {};
      navigator.clipboard.writeText = async (text) => { seen.copied = text; };
      globalThis.print = () => {
        seen.printed = [...document.querySelectorAll("main h1, main h2, main button")]
          .filter((element) => element.checkVisibility()).map((element) => element.innerText);
        dispatchEvent(new Event("afterprint"));
      };
      HTMLAnchorElement.prototype.click = async function () {
        seen.name = this.download;
        seen.saved = await (await new Response(await page.blobs.get(this.href))).text();
      };
      const create = URL.createObjectURL;
      globalThis.page = { blobs: new Map() };
      URL.createObjectURL = (blob) => { const href = create(blob); page.blobs.set(href, blob); return href; };""")
    for label in ("Save", "Copy"):
        page.click(label, "[data-key=summary]")
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    page.js("[...document.querySelectorAll('[data-key=summary] button')].at(-1).click()")
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    page.wait(lambda: page.js("return seen.saved !== undefined && seen.copied !== undefined"), "nothing is saved")
    seen = page.js("return seen")
    assert seen["name"] == f"{ALICE}.txt" and seen["saved"] == seen["copied"]
    assert "PIN required: yes\n" in seen["saved"] and seen["saved"].startswith(f"{ALICE}, ")
    assert seen["printed"] == ["Policy", "In short"]
    assert page.js("return document.querySelector('.printed') === null")


def test_an_invalid_test_policy_shows_its_error_in_the_dialog(page: Page, console: Console) -> None:
    page.enroll()
    page.view("policy")
    page.click("Try other settings")
    page.js("document.querySelector('dialog textarea').value = arguments[0]", '{"printBlockd": true}')
    page.click("Apply", "dialog")
    page.see("printBlockd", "dialog .error")
    page.js("document.querySelector('dialog textarea').value = arguments[0]", '{"printBlocked": true}')
    page.click("Apply", "dialog")
    page.see("The test policy applies.", ".notices")
    assert not page.js("return document.querySelector('dialog')")
    settings = console.call("policyManager.policy", account=ALICE)["settings"]
    assert settings["printBlocked"]["value"] is True and "pinRequired" not in settings


def test_a_setting_shows_how_many_values_of_other_policies_it_overrides(page: Page) -> None:
    page.enroll()
    page.view("policy")
    page.later("""
      const { state, refresh } = await import("/state.js");
      const batch = state.server.batch.bind(state.server);
      state.server.batch = async (calls) => {
        const answers = await batch(calls);
        for (const [index, [method]] of calls.entries()) {
          if (method !== "policyManager.settingSources") continue;
          answers[index].settings.find(({ setting }) => setting === "printBlocked").sources.push(
            { policyId: "other", displayName: "A policy that loses", value: "another", wins: false });
        }
        return answers;
      };
      await refresh();""")
    page.see("Overridden: 1", "[data-key=printBlocked]")


def test_a_merged_setting_lists_the_overridden_values_and_their_policies(
    blank: Page, binary: str, tmp_path: Path
) -> None:
    with running(binary, tmp_path, tenant=str(strict_and_loose(tmp_path / "tenant"))) as console:
        page = blank.open(console)
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


# Questions


ASK_AND_LEAVE = """
  [...document.querySelectorAll("form.card button")].find(({ innerText }) => innerText === "Ask").click();
  [...document.querySelectorAll(".list button")]
    .find((button) => button.querySelector("code").innerText === arguments[0]).click();"""


def test_a_late_answer_is_not_shown_under_another_question(page: Page) -> None:
    page.enroll()
    page.view("ask")
    page.js(ASK_AND_LEAVE, "policy.isPINRequired")
    page.calls(2)
    page.settle()
    page.see("The user must enter a PIN", "form.card h2")
    assert page.text(".verdict") == "" and "The answer appears here." in page.text(".card.hollow")
    page.click("Ask", "form.card")
    page.see("PIN", ".verdict h2")
    page.calls(4)


def test_an_answer_stays_visible_if_the_search_for_changes_fails(page: Page) -> None:
    page.enroll()
    page.view("ask")
    page.later("""
      const [{ state }, { RPCError }] = await Promise.all([import("/state.js"), import("/rpc.js")]);
      const call = state.server.call.bind(state.server);
      state.server.call = async (method, params) => {
        if (method === "policy.whatWouldChange") throw new RPCError({ code: -32603, message: "the search failed" });
        return call(method, params);
      };""")
    page.choose("param-location", "dropbox")
    page.click("Ask", "form.card")
    page.see("the search failed", ".notices")
    page.see("Saving to Dropbox is blocked.", ".verdict")
    page.choose("param-location", "")
    page.click("Ask", "form.card")
    page.see("/params/location", ".field .error")
    assert page.text(".verdict") == "", "the answer to a former question stays"


def test_a_setting_can_be_assumed_not_to_be_set(page: Page, console: Console) -> None:
    page.enroll()
    console.call("debug.setPolicy", settings={"customBrowserProtocol": "contoso", "printBlocked": True})
    page.view("ask")
    for setting, control in {"customBrowserProtocol": "input", "printBlocked": "select"}.items():
        page.choose("assume-setting", setting)
        field = f"#param-{setting}"
        page.wait(lambda: page.js("return document.querySelector(arguments[0])", field), f"there is no {field}")
        page.js("""
          const field = document.querySelector(arguments[0]);
          field.value = "";
          for (const name of ["input", "change"]) field.dispatchEvent(new Event(name, { bubbles: true }));""", field)
        page.settle()
        assert page.js("return document.querySelector(arguments[0]).localName", field) == control
        assert page.js("return document.querySelector(arguments[0]).value", field) == ""
    page.see("not set", "#param-printBlocked option")
    page.click("Ask", "form.card")
    page.calls(2)
    asked = page.later("return (await import('/state.js')).state.recorder.entries.at(-1).params")
    assert asked["assuming"] == {"customBrowserProtocol": None, "printBlocked": None}
    page.click("Remove: printBlocked")
    page.see("Assumed settings: 1")


# Launch


def test_console_live_needs_a_token_for_a_sign_in(blank: Page, binary: str, tmp_path: Path) -> None:
    with running(binary, tmp_path, "--live") as console:
        page = blank.open(console)
        page.click(f"Sign in and enroll: {BOB}")
        page.see("Sign in", ".screen")
        page.click("Sign in", ".screen")
        page.settle()
        assert page.js("return document.activeElement.id") == "prompt-token"
        assert int(page.text(".counter")) == 1
        assert "accept any token" not in page.text(".screen")
        page.js("const t = document.getElementById('prompt-token'); t.value = 'a-real-token';"
                "t.dispatchEvent(new Event('input', {bubbles: true}))")
        page.click("Sign in", ".screen")
        page.calls(3)
        assert [account["identity"] for account in console.call("tenant.status")["accounts"]] == [BOB]
