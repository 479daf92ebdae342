"""The first test that the SDK's guide asks of every integration: a user without policy, then one with it, the restart,
the PIN, the sign-out. The host is ours, the clock stands still, and the administrator edits a folder."""
from __future__ import annotations

import json
import queue
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from mambridge import Client, Host, MambridgeError, events, requests, types

UNTARGETED = "untargeted@contoso.example"
TARGETED = "targeted@contoso.example"
RESTART = "policyManager.restartRequired"
PIN = "2580"


def object_id(number: int) -> str:
    return f"7e570000-0000-4000-8000-00000000000{number}"


class Tenant:
    """A policy with the defaults of access requirements, assigned to a group."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "tenant"
        (self.path / "policies").mkdir(parents=True)
        shutil.copy(ROOT / "docs" / "example-policy.json", self.path / "policies" / "first.json")
        self.write({UNTARGETED: [], TARGETED: ["testers"]})

    def write(self, groups: dict[str, list[str]]) -> None:
        users = [
            {"id": object_id(number), "userPrincipalName": name, "groups": names}
            for number, (name, names) in enumerate(groups.items())]
        self.path.joinpath("tenant.json").write_text(json.dumps({
            "tenantId": "72f988bf-0000-4000-8000-2d7cd011db47", "displayName": "Contoso", "users": users,
            "assignments": [{"policy": "policies/first.json", "groups": ["testers"], "apps": ["com.example.first"]}]}))


class App(Host):
    """A host: what it was asked and told, in order."""

    def __init__(self, binary: str, tenant: Tenant, state: str) -> None:
        self.heard: "queue.Queue[tuple[str, Any]]" = queue.Queue()
        self.client = Client.spawn(
            binary, "--tenant", str(tenant.path), "--state", state, "--app-id", "com.example.first",
            "--clock", "manual", timeout=60, on_event=self._hear, host=self)
        launch = self.client.initialize(client=types.ClientInfo("first policy"), events=[
            "enrollmentDelegate.enrollmentRequestWithStatus", "enrollmentDelegate.policyRequestWithStatus",
            "enrollmentDelegate.unenrollRequestWithStatus", "policyManager.policyDidChange", RESTART]).launch
        assert launch.verdict in ("allow", "block")

    def _hear(self, event: events.Event) -> None:
        self.heard.put((event.event, event))

    def restart_application(self, request: requests.RestartApplication) -> bool:
        self.heard.put(("policyDelegate.restartApplication", request))
        return False

    def prompt_for_pin(self, request: requests.PromptForPIN) -> types.EnteredPIN:
        self.heard.put(("ui.promptForPIN", request))
        return types.EnteredPIN(PIN)

    def show_alert(self, request: requests.ShowAlert) -> types.AlertAnswer:
        self.heard.put(("ui.showAlert", request))
        return types.AlertAnswer(request.actions[0])

    def expect(self, *names: str) -> list[Any]:
        """These and in this order."""
        heard = [self.heard.get(timeout=30) for _ in names]
        assert [name for name, _ in heard] == list(names)
        return [what for _, what in heard]

    def sign_in(self, account: str) -> int:
        return int(self.client.call("enrollmentManager.registerAndEnrollAccount", account=account)["statusCode"])

    def sign_out(self, account: str) -> None:
        status = self.client.call("enrollmentManager.deRegisterAndUnenrollAccount", account=account, withWipe=True)
        assert status["statusCode"] == 104

    def expect_unmanaged(self, account: str) -> None:
        assert not self.client.call("policyManager.isIdentityManaged", account=account)
        assert not self.client.call("policy.isPINRequired", account=account)
        assert self.client.call("policy.isSaveToAllowedForLocation", location="other", account=account)

    def expect_managed(self, account: str) -> None:
        assert self.client.call("policyManager.isIdentityManaged", account=account)
        assert self.client.call("policy.isPINRequired", account=account)
        assert not self.client.call("policy.isSaveToAllowedForLocation", location="other", account=account)

    def create_pin(self, account: str) -> None:
        """The first window that shows the account asks for a new PIN; the next one finds it entered."""
        for asked in [["setPIN"], []]:
            assert self.client.call("policyManager.setUIPolicyIdentity", account=account, window="inbox") == "success"
            challenges = [request.challenge for request in self.expect(*["ui.promptForPIN"] * len(asked))]
            assert [challenge.kind for challenge in challenges] == asked
            assert all(challenge.identity == account for challenge in challenges)
        assert self.client.call("pin.status", account=account)["isSet"]

    def quit(self) -> None:
        self.client.close()
        assert self.heard.empty(), self.heard.get()


def test_only_a_targeted_user_becomes_managed_and_sets_a_pin(binary: str, tmp_path: Path, state: str) -> None:
    app = App(binary, Tenant(tmp_path), state)
    assert app.sign_in(UNTARGETED) == 225
    app.expect("enrollmentDelegate.enrollmentRequestWithStatus")
    app.expect_unmanaged(UNTARGETED)
    app.sign_out(UNTARGETED)
    app.expect("enrollmentDelegate.unenrollRequestWithStatus")

    assert app.sign_in(TARGETED) == 100
    app.expect_managed(TARGETED)
    heard = dict(app.heard.get(timeout=30) for _ in range(5))
    assert set(heard) == {
        "enrollmentDelegate.enrollmentRequestWithStatus", "policyManager.policyDidChange",
        "policyDelegate.restartApplication", RESTART, "ui.showAlert"}
    assert heard["ui.showAlert"].message == heard[RESTART].message
    app.create_pin(TARGETED)
    app.sign_out(TARGETED)
    app.expect("enrollmentDelegate.unenrollRequestWithStatus", "policyManager.policyDidChange")
    status = {"required": False, "isSet": True, "retriesLeft": None, "expires": None}
    assert app.client.call("pin.status", account=object_id(1)) == status, "the PIN outlives a wipe, by object id alone"
    assert app.client.call("pin.status", account=TARGETED) == {**status, "isSet": False}
    app.quit()


def test_a_user_who_is_targeted_later_becomes_managed_at_a_check_in(binary: str, tmp_path: Path, state: str) -> None:
    tenant = Tenant(tmp_path)
    app = App(binary, tenant, state)
    assert app.sign_in(UNTARGETED) == 225
    app.expect("enrollmentDelegate.enrollmentRequestWithStatus")
    account = app.client.call("tenant.status")["accounts"][0]
    assert [policy["reason"] for policy in account["policies"]] == ["noGroup"]
    assert account["life"] == "registered" and "groups" in account["explanation"]

    tenant.write({UNTARGETED: ["testers"]})
    app.expect_unmanaged(UNTARGETED)
    app.client.call("debug.advanceClock", by="PT12H")
    heard = dict(app.heard.get(timeout=30) for _ in range(5))
    assert heard["enrollmentDelegate.enrollmentRequestWithStatus"].status_code == 100
    assert "policyDelegate.restartApplication" in heard and heard[RESTART].identity == UNTARGETED
    app.expect_managed(UNTARGETED)
    secret = app.client.call("dataProtectionManager.protectString", string="figures", account=UNTARGETED)
    app.quit()

    app = App(binary, tenant, state)
    app.expect_managed(UNTARGETED)
    assert app.client.call("dataProtectionManager.unprotectString", string=secret) == "figures"
    heard_by_all = [event["type"] for event in app.client.call("events.list", after=0)["events"]]
    screens = {"policyManager.sdkDidTakeOverUI", "policyManager.sdkDidReleaseUI"}
    assert [name for name in heard_by_all if name not in screens] == [
        "enrollmentDelegate.enrollmentRequestWithStatus", "enrollmentDelegate.enrollmentRequestWithStatus",
        "policyManager.policyDidChange", RESTART, "policyManager.launchReport"]
    app.sign_out(UNTARGETED)
    app.expect_unmanaged(UNTARGETED)
    assert app.client.call("enrollmentManager.registeredAccounts") == []
    with pytest.raises(MambridgeError) as refused:
        app.client.call("dataProtectionManager.unprotectString", string=secret)
    assert refused.value.code == 1100
    app.expect("enrollmentDelegate.unenrollRequestWithStatus", "policyManager.policyDidChange")
    app.quit()
