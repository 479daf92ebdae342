#!/usr/bin/env python3
"""two_inboxes.py [--tenant FOLDER] [EXECUTABLE]: shows two inboxes alone, then in one list, then with one blocked.

It plays the whole story on its own, in a temporary folder. With --tenant, it takes the first two users of a copy of
that tenant folder instead of a tenant of its own.
"""
import argparse
import json
import queue
import shutil
import sys
import tempfile
from pathlib import Path
from typing import List, Optional, Set

from mambridge import Client, Host, events, requests, types

POLICY = {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "pinRequired": True}
OFFICE = {**POLICY, "id": "T_office", "displayName": "Office", "saveAsBlocked": True,
          "allowedOutboundDataTransferDestinations": "managedApps", "allowedOutboundClipboardSharingLevel": "managedApps"}
SHOP = {**POLICY, "id": "T_shop", "displayName": "Shop", "appActionIfAccountIsClockedOut": "block"}
TENANT = {
    "users": [{"id": f"0000000{number}-0000-4000-8000-000000000000", "userPrincipalName": f"{user}@contoso.example",
               "groups": [group]} for number, user, group in ((1, "alice", "office"), (2, "bob", "shop"))],
    "assignments": [{"policy": f"policies/{group}.json", "groups": [group]} for group in ("office", "shop")]}


class App(Host):
    """A mail app with two windows: "inbox" is a list, and "message" shows one message."""

    def __init__(self, executable: str, tenant: Path, state: Path) -> None:
        self.hidden: Set[str] = set()
        self.messages: List[str] = []
        self.changed: "queue.Queue[str]" = queue.Queue()
        self.client = Client.spawn(
            executable, "--tenant", str(tenant), "--state", str(state), "--set", "MultiIdentity=true",
            "--set", "MultiManagedIdentities=true", host=self, on_event=self.note)
        self.policies = self.client.policy_manager
        self.client.initialize(events=["policyManager.policyDidChange"])

    def prompt_for_pin(self, request: requests.PromptForPIN) -> types.EnteredPIN:
        print(f"PIN of {name(request.challenge.identity)}: {request.challenge.kind}")
        return types.EnteredPIN(pin="2580")

    def block_account(self, request: requests.BlockAccount) -> types.BlockAccountResult:
        print(f"hide {name(request.identity)} in {request.window}: {request.reason}")
        self.hidden.add(request.identity or "")
        return "success"

    def note(self, event: events.Event) -> None:
        """Leaves the work to the main thread, because the client delivers no other event until this returns."""
        if isinstance(event, events.PolicyDidChange):
            self.changed.put(event.identity or "")

    def enroll(self, account: str, subject: str) -> None:
        status = self.client.enrollment_manager.register_and_enroll_account(account)
        print(f"enroll {name(account)}: {status.status}")
        if not status.did_succeed:
            sys.exit(status.error_string)
        self.messages.append(self.client.data_protection_manager.protect_string(subject, account))

    def show(self, *accounts: str) -> None:
        result = self.policies.set_ui_policy_accounts(accounts, window="inbox")
        print(f"list of {' and '.join(map(name, accounts))}: {result}; {self.rights('inbox')}")

    def open(self, message: str) -> None:
        """Opens a message in a window that shows only its owner."""
        info = self.client.data_protection_manager.protection_info_for_string(message)
        owner = info.identity if info else None
        result: str = self.policies.set_ui_policy_identity(owner, window="message")
        if result == "success":
            text = self.client.data_protection_manager.unprotect_string(message)
            result = f"{text}; {self.rights('message')}"
        print(f"message of {name(owner)}: {result}")
        self.policies.set_ui_policy_identity("", window="message")

    def rights(self, window: str) -> str:
        """What the user may do with what a window shows."""
        copy = self.client.enforcement.copy(text="Dear team", window=window).clipboard
        save = self.client.policy.is_save_to_allowed_for_location("localDrive", window=window)
        notes = types.ShareTarget("com.example.notes", managed=False)
        share = self.client.enforcement.filter_share_targets([notes], window=window)
        kind = "blocked" if not share.targets else "protected" if share.encrypt else "plain"
        return f"copy {copy}, save {'plain' if save else 'blocked'}, share {kind}"

    def wait_for_blocks_to_end(self) -> None:
        while self.hidden:
            account = self.changed.get(timeout=30)
            if account in self.hidden and self.policies.blocked_reason(account) == "notBlocked":
                self.hidden.remove(account)
                print(f"{name(account)} is no longer blocked")


def name(account: Optional[str]) -> str:
    return (account or "nobody").split("@")[0]


def clock(client: Client, tenant: Path, status: str) -> None:
    """Clocks the second user in or out, and checks in."""
    content = json.loads((tenant / "tenant.json").read_text())
    content["users"][1]["clock"] = {"status": status}
    (tenant / "tenant.json").write_text(json.dumps(content))
    print(f"{name(content['users'][1]['userPrincipalName'])} is {status}")
    client.tenant.check_in()


def play(app: App, tenant: Path) -> None:
    one, two = [user["userPrincipalName"] for user in json.loads((tenant / "tenant.json").read_text())["users"][:2]]
    clock(app.client, tenant, "clockedIn")
    app.enroll(one, "Quarterly figures")
    app.enroll(two, "Shift plan")
    app.show(one)
    app.show(two)
    app.show(one, two)
    clock(app.client, tenant, "clockedOut")
    app.client.conditional_launch.did_become_active(window="inbox")
    for message in app.messages:
        app.open(message)
    clock(app.client, tenant, "clockedIn")
    app.wait_for_blocks_to_end()
    app.show(one, two)
    app.open(app.messages[1])


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--tenant", type=Path, metavar="FOLDER")
parser.add_argument("executable", nargs="?", default="mambridge", metavar="EXECUTABLE")
options = parser.parse_args()
with tempfile.TemporaryDirectory() as folder:
    tenant = Path(folder, "tenant")
    if options.tenant:
        shutil.copytree(options.tenant, tenant)
    else:
        (tenant / "policies").mkdir(parents=True)
        for path, content in ("tenant", TENANT), ("policies/office", OFFICE), ("policies/shop", SHOP):
            (tenant / f"{path}.json").write_text(json.dumps(content))
    app = App(options.executable, tenant, Path(folder, "state"))
    with app.client:
        play(app, tenant)
