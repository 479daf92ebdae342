"""A program that uses much of the client and that type checkers accept."""
from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import List, Optional

from mambridge import CancelToken, Client, Host, Progress, errors, events, requests, types
from mambridge.aio import AsyncClient, AsyncHost
from mambridge.testing import AsyncSandbox, Sandbox

ALICE = "alice@contoso.example"


class Screen(Host):
    def prompt_for_pin(self, request: requests.PromptForPIN) -> types.EnteredPIN:
        return types.EnteredPIN(pin="2580" if request.challenge.kind == "enterPIN" else None)

    def identity_switch_required(self, request: requests.IdentitySwitchRequired) -> types.AddIdentityResultInput:
        return "success" if request.window else 1

    def capture_window(self, request: requests.CaptureWindow) -> Optional[bytes]:
        raise errors.Canceled()


class AsyncScreen(AsyncHost):
    async def prompt_for_pin(self, request: requests.PromptForPIN) -> types.EnteredPIN:
        return types.EnteredPIN(biometric="faceID")


def heard(event: events.Event) -> None:
    if isinstance(event, events.PolicyLaunchReport):
        verdict: types.LaunchVerdict = event.verdict
        print(verdict, event.time.tzinfo)


def reported(progress: Progress) -> None:
    print(progress.percentage)


def ask(client: Client) -> None:
    client.initialize(client=types.ClientInfo("app"), events=["policyManager.policyDidChange"], sdk_level=21)
    status = client.enrollment_manager.register_and_enroll_account(ALICE)
    if status.status == "newPoliciesReceived" and status.error is None:
        code: int = status.status_code
        print(code)
    allowed: bool = client.policy.is_save_to_allowed_for_location("localDrive", account=ALICE)
    also: bool = client.policy.is_save_to_allowed_for_location(64, timeout=1.5, cancel=CancelToken(), progress=reported)
    sealed: bytes = client.data_protection_manager.protect(b"text" if allowed and also else b"", account=ALICE)
    accounts: List[types.Account] = client.enrollment_manager.enrolled_accounts()
    seen: Optional[datetime] = client.tenant.status().accounts[0].checked_in_at
    client.diagnostics_log.query(since=seen or datetime.now(timezone.utc), level="warning")
    client.debug.advance_clock(timedelta(days=90))
    client.settings.set({"AccentColor": None, "SplashIconFile~ipad": "icon.png", "SplashDuration": 2})
    client.debug.set_policy({"pinRequired": True, "periodBeforePinReset": timedelta(days=30)})
    client.debug.set_policy({"A name of the SDK": 1})
    print(sealed, accounts)
    try:
        client.file.open("/tmp/x", flags=["readOnly"])
    except (errors.PolicyRequired, errors.FileInUse) as error:
        print(error.hint, error.retryable, error.data)


async def ask_again(client: AsyncClient) -> None:
    allowed: bool = await client.policy.is_save_to_allowed_for_location("localDrive", account=ALICE)
    sealed: bytes = await client.data_protection_manager.protect(b"text", ALICE, timeout=5)
    async for event in client.listen():
        heard(event)
    print(allowed, sealed)


with Client.spawn("mambridge", "--tenant", "sample", host=Screen(), on_event=heard) as opened:
    ask(opened)
asynchronous = AsyncClient.connect("unix:///run/socket", host=AsyncScreen(), on_event=heard)


def test_something(mam: Sandbox) -> None:
    device: types.Device = mam.device(jailbroken=True, os_version="17.1")
    mam.policy("alice", saveAsBlocked=True, periodOfflineBeforeAccessCheck=timedelta(hours=3))
    mam.policy("staff", {"pinRequired": True}, name="A PIN", platform="android", check_in=False)
    mam.user(pin="482913", sign_in=True)
    mam.fault("source", "slow", times=2, delay=timedelta(seconds=40))
    identity: Optional[str] = mam.wait_for(events.PolicyWipeDidComplete, user="alice").identity
    mam.assert_blocked(mam.client.conditional_launch.evaluate(), setting="deviceComplianceRequired")
    app: Client = mam.join(host=Screen(), on_event=heard)
    print(device, identity, app, mam.enroll("alice").status == "newPoliciesReceived")


async def test_something_else(async_mam: AsyncSandbox) -> None:
    async with async_mam as mam:
        changed: events.PolicyDidChange = await mam.wait_for(events.PolicyDidChange)
        device: types.Device = await mam.device(jailbroken=True)
        print(changed, device, (await mam.advance(days=91)).time)
