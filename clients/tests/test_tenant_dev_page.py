"""The page of mambridge-tenant dev in a real Chromium."""
from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Iterator

import pytest
from console_browser import Page, browser
from conftest import ALICE
from dev_tenant import CLIENT, SCOPE, DevTenant
from test_tenant_dev import run, shell, works  # noqa: F401
from waiting import wait_for

HOSTILE = "<script>window.hit = 1</script><img src=x onerror='window.hit = 1'>\"'&"


@pytest.fixture
def dev(tenant_program: str, tmp_path: Path) -> Iterator[DevTenant]:
    made = DevTenant(tenant_program, tmp_path / "run")
    yield made
    made.end()


@pytest.fixture
def page(dev: DevTenant) -> Iterator[Page]:
    with browser("--ignore-certificate-errors") as opened:
        opened.driver.get(f"{dev.url}/#{dev.secret}")
        opened.see("Alice Adams", "[aria-label='Users and groups']")
        yield opened


def asked(page: Page) -> "list[str]":
    return page.text("[aria-label='What this page asked'] tbody code").split("\n")


def fill(page: Page, within: str, **fields: str) -> None:
    """Types into the fields of a part, and sends its form with the Enter key."""
    from selenium.webdriver.common.keys import Keys
    for name, text in fields.items():
        found = page.driver.find_element("css selector", f"{within} [name={name}]")
        found.clear()
        found.send_keys(text)
    found.send_keys(Keys.ENTER)


def test_the_dev_page_needs_the_secret_and_loads_nothing_from_other_hosts(dev: DevTenant) -> None:
    for path in ("/", "/page/page.js", "/page/page.css", "/page/dom.js", "/page/frame.css", "/page/tokens.css"):
        file = dev.ask("GET", path)
        policy = file.headers["Content-Security-Policy"]
        assert file.status == 200 and "default-src 'none'" in policy and "script-src 'self'" in policy and "unsafe" not in policy
        assert file.headers["X-Frame-Options"] == "DENY" and dev.secret not in file.text and "contoso" not in file.text.replace("dave@contoso", "")
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", file.text)
    assert dev.ask("GET", "/page/../dev").status == 404 and dev.ask("GET", "/page/app.js").status == 404
    with browser("--ignore-certificate-errors") as opened:
        opened.driver.get(dev.url)
        opened.see("Open the Browser link that mambridge-tenant dev has printed")
        opened.driver.get(f"{dev.url}/#wrong")
        opened.see("Open the Browser link that mambridge-tenant dev has printed")


def test_the_dev_page_shows_the_tenant_and_its_requests(dev: DevTenant, page: Page, shell: Path) -> None:  # noqa: F811
    page.see("Contoso data protection for iOS", "[aria-label='Policies and assignments']")
    page.see("sales", "[aria-label='Policies and assignments']")
    page.see("No app has enrolled yet.")
    assert dev.secret not in page.driver.current_url
    works(dev, shell)
    page.see("com.example.host", "[aria-label='Registrations']")
    page.see("POST /mam/v1/check-in", "[aria-label='Last requests']")
    page.see(ALICE, "[aria-label='Last requests']")
    page.click(f"Wipe {ALICE} on {registered(dev)}")
    page.driver.switch_to.alert.accept()
    page.see("wipe: pending", "[aria-label='Registrations']")
    # What the page has asked does the same as curl.
    assert any("wipeManagedAppRegistrationsByDeviceTag" in line and '"deviceTag"' in line for line in asked(page))


def registered(dev: DevTenant) -> str:
    token = dev.access_token("erin").json["access_token"]
    found = dev.ask("GET", "/v1.0/deviceAppManagement/managedAppRegistrations", Authorization=f"Bearer {token}")
    return str(found.json["value"][0]["deviceTag"])


def test_a_waiting_sign_in_can_be_completed_on_the_dev_page(dev: DevTenant, page: Page) -> None:
    code = dev.ask("POST", f"{dev.base}/devicecode", {"client_id": CLIENT, "scope": SCOPE}).json
    part = "[aria-label='Sign-ins waiting']"
    page.see(code["user_code"], part)
    for name, answer in [("Carol", "AADSTS50057"), ("Bob", "No program waits for a sign-in by code.")]:
        page.driver.find_element("css selector", f"{part} [name=user]").send_keys(name)
        page.click(f"Sign in {code['user_code']}")
        page.see(answer)
    poll = {"grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": code["device_code"]}
    assert "access_token" in dev.token(**poll).json
    assert dev.secret not in page.text()


def test_a_switch_plants_and_clears_a_fault_that_does_not_affect_the_page(dev: DevTenant, page: Page) -> None:
    graph = "[aria-label='Fault of graph']"
    page.driver.find_element("css selector", f"{graph} [name=kind]").send_keys("serviceUnavailable")
    page.driver.find_element("css selector", f"{graph} [name=times]").send_keys("7")
    page.driver.find_element("css selector", f"{graph} [role=switch]").click()
    page.see("serviceUnavailable, 7 more", graph)
    assert dev.control("GET", "faults").json["faults"] == [{"at": "graph", "kind": "serviceUnavailable", "times": 7, "delay": None}]
    assert dev.ask("GET", "/v1.0/users").status == 503
    page.see("the planted fault serviceUnavailable of the graph hits an answer, 6 more to come", "[aria-label='Last requests']")
    page.driver.refresh()
    page.see("Alice Adams", "[aria-label='Users and groups']")
    page.driver.find_element("css selector", f"{graph} [role=switch]").click()
    wait_for(lambda: dev.control("GET", "faults").json["faults"] == [], "that the switch is off")


def test_the_dev_page_saves_and_restores_snapshots(dev: DevTenant, page: Page) -> None:
    fill(page, "[aria-label=Snapshots]", name="before")
    page.see("before", "[aria-label=Snapshots] td")
    path = Path(dev.said["tenant"]) / "tenant.json"
    tenant = json.loads(path.read_text())
    path.with_suffix(".new").write_text(json.dumps({**tenant, "users": tenant["users"][:2] + tenant["users"][3:]}))
    path.with_suffix(".new").replace(path)
    wait_for(lambda: dev.access_token("carol").json["error_codes"] == [50034], "the change")
    page.see("Restore")
    page.click("Restore before")
    wait_for(lambda: dev.access_token("carol").json["error_codes"] == [50057], "the restore")
    page.see("Carol Clark", "[aria-label='Users and groups']")


def test_the_dev_page_shows_markup_in_names_as_plain_text(dev: DevTenant, page: Page) -> None:
    path = Path(dev.said["tenant"]) / "tenant.json"
    tenant: "dict[str, Any]" = json.loads(path.read_text())
    tenant["displayName"] = tenant["users"][0]["displayName"] = HOSTILE
    tenant["users"][0]["groups"] = ["Sales", HOSTILE]
    path.with_suffix(".new").write_text(json.dumps(tenant))
    path.with_suffix(".new").replace(path)
    wait_for(lambda: dev.access_token("alice").status == 200 and HOSTILE in dev.ask(
        "GET", "/v1.0/users", Authorization=f"Bearer {dev.access_token('erin').json['access_token']}").text.replace('\\"', '"'), "the names")
    dev.ask("GET", f"/v1.0/{HOSTILE.replace(' ', '%20').replace('<', '%3C')}")
    page.driver.refresh()
    page.see(HOSTILE, "[aria-label='Users and groups']")
    page.see(HOSTILE, "#tenant")
    page.see("GET /v1.0/%3Cscript", "[aria-label='Last requests']")
    assert page.js("return window.hit") is None and page.js("return document.querySelectorAll('main script, main img').length") == 0


def test_every_control_on_the_dev_page_has_a_name_and_can_get_the_focus(page: Page) -> None:
    nameless = page.js("""
      return [...document.querySelectorAll("button, input, select, textarea, a")].filter((element) =>
        !(element.ariaLabel || element.innerText.trim() || element.labels?.[0]?.innerText.trim()) || element.tabIndex < 0)
        .map((element) => element.outerHTML);
    """)
    assert nameless == []


def test_users_are_added_grouped_disabled_and_deleted(dev: DevTenant, page: Page) -> None:
    part = "[aria-label='Users and groups']"
    fill(page, part, displayName="Dave Dean", userPrincipalName="dave@contoso.example")
    page.see("dave@contoso.example", part)
    joining = page.driver.find_element("css selector", "[aria-label='Group for Dave Dean']")
    joining.send_keys("Sales\n")
    page.see("×", "[aria-label='Take Dave Dean out of sales']")
    page.click("Take Dave Dean out of sales")
    page.wait(lambda: not page.driver.find_elements("css selector", "[aria-label='Take Dave Dean out of sales']"), "Dave is still in the group")
    page.click("Disable Dave Dean")
    page.see("Enable", "[aria-label='Enable Dave Dean']")
    assert dev.access_token("dave").json["error_codes"] == [50057]
    page.click("Delete Dave Dean")
    page.wait(lambda: dev.access_token("dave").json["error_codes"] == [50034], "Dave is still there")
    # Each step was a request, which the page shows.
    assert [line.split()[4] for line in reversed(asked(page)) if "/v1.0/" in line] == ["POST", "POST", "POST", "DELETE", "PATCH", "DELETE"]


def test_policies_are_added_assigned_edited_and_deleted(dev: DevTenant, page: Page) -> None:
    part = "[aria-label='Policies and assignments']"
    fill(page, f"{part} form:last-of-type", displayName="Strict")
    page.see("Strict", f"{part} td")
    groups = page.driver.find_element("css selector", "[aria-label='Groups for Strict']")
    groups.send_keys("Administrators\n")
    page.see("administrators", part)
    page.click("Edit Strict")
    page.see("Settings of Strict", part)
    page.js("""
      const area = document.querySelector("[name=settings]");
      area.value = area.value.replace('"minimumPinLength": 4', '"minimumPinLength": 9');
    """)
    page.click("Save settings")
    found = "/beta/deviceAppManagement/iosManagedAppProtections"
    token = dev.access_token("erin").json["access_token"]

    def strict() -> "list[int]":
        policies = dev.ask("GET", found, Authorization=f"Bearer {token}").json["value"]
        return [policy["minimumPinLength"] for policy in policies if policy["displayName"] == "Strict"]

    wait_for(lambda: strict() == [9], "the setting")
    page.click("Delete Strict")
    wait_for(lambda: strict() == [], "that the policy is gone")
