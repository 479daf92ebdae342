"""Each line that ends in `# wrong` has one mistake, which type checkers must reject; they must accept the others."""
# pyright: reportUnnecessaryComparison=true
from __future__ import annotations

from mambridge import Client, Host, errors, events, requests, types
from mambridge.aio import AsyncClient
from mambridge.testing import AsyncSandbox, Sandbox


class Screen(Host):
    def prompt_for_pin(self, request: requests.PromptForPIN) -> types.EnteredPIN:
        return types.EnteredPIN(pim="2580")  # wrong

    def show_alert(self, request: requests.ShowAlert) -> str:  # wrong
        return request.title

    def add_identity(self, request: requests.AddIdentity) -> types.AddIdentityResultInput:
        return "sucess"  # wrong


def ask(client: Client) -> None:
    client.policy.is_pin_requird()  # wrong
    client.polcy.is_pin_required()  # wrong
    client.policyManager.policy()  # wrong
    client.policy.is_pin_required(acount="alice")  # wrong
    client.policy.is_pin_required("alice")  # wrong
    client.policy.is_pin_required(account=b"alice")  # wrong
    client.policy.is_save_to_allowed_for_location("localDisk")  # wrong
    client.policy.is_save_to_allowed_for_location(3)  # wrong
    client.policy.is_save_to_allowed_for_location()  # wrong
    client.data_protection_manager.protect(b"text")  # wrong
    client.data_protection_manager.protect("text", "alice")  # wrong
    text: str = client.data_protection_manager.protect(b"text", "alice")  # wrong
    print(client.enrollment_manager.register_and_enroll_account("alice").statuscode)  # wrong
    print(client.enrollment_manager.register_and_enroll_account("alice")["status"])  # wrong
    print(client.enrollment_manager.register_and_enroll_account("alice").status == "newPolicyReceived", text)  # wrong
    print(client.enrollment_manager.enrolled_account().identity)  # wrong
    client.initialize(events=["policyManager.policyChanged"])  # wrong
    client.initialize(sdk_level=20)  # wrong
    client.settings.set({"AccentColour": None})  # wrong
    client.settings.set({"SupportsDarkMode": "yes"})  # wrong
    client.debug.advance_clock("P1D")  # wrong
    client.file.open("/tmp/x", flags=["readonly"])  # wrong
    client.enforcement.filter_share_targets([types.ShareTarget("id")])  # wrong
    print(errors.PolicyNeeded)  # wrong


async def ask_again(client: AsyncClient) -> None:
    await client.policy.is_pin_requird()  # wrong
    allowed: bool = client.policy.is_pin_required()  # wrong
    await client.policy.is_pin_required(acount="alice")  # wrong
    print(allowed)


def heard(event: events.Event) -> None:
    if isinstance(event, events.PolicyDidChange):
        print(event.sequence)  # wrong


def test_something(mam: Sandbox) -> None:
    mam.device(jailbroken="yes")  # wrong
    mam.device(jailbrocken=True)  # wrong
    mam.user(pin=482913)  # wrong
    mam.advance("P91D")  # wrong
    mam.policy("alice", platform="symbian", saveAsBlocked=True)  # wrong
    print(mam.wait_for(events.PolicyWipeDidComplete).identty)  # wrong
    print(mam.enroll("alice").status == "enrolled")  # wrong


async def test_something_else(async_mam: AsyncSandbox) -> None:
    async with async_mam as mam:
        print((await mam.device(jailbroken=True)).jailbrocken)  # wrong
        print(mam.enroll("alice").status)  # wrong
