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

from mambridge import Client, MambridgeError

POLICY = {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "pinRequired": True}
OFFICE = {**POLICY, "id": "T_office", "displayName": "Office", "saveAsBlocked": True,
          "allowedOutboundDataTransferDestinations": "managedApps", "allowedOutboundClipboardSharingLevel": "managedApps"}
SHOP = {**POLICY, "id": "T_shop", "displayName": "Shop", "appActionIfAccountIsClockedOut": "block"}
TENANT = {
    "users": [{"id": f"0000000{number}-0000-4000-8000-000000000000", "userPrincipalName": f"{user}@contoso.example",
               "groups": [group]} for number, user, group in ((1, "alice", "office"), (2, "bob", "shop"))],
    "assignments": [{"policy": f"policies/{group}.json", "groups": [group]} for group in ("office", "shop")]}


class App:
    """A mail app with two windows: "inbox" is a list, and "message" shows one message."""

    def __init__(self, executable, tenant, state):
        self.hidden = set()
        self.messages = []
        self.changed = queue.Queue()
        self.client = Client.spawn(
            executable, "--tenant", tenant, "--state", state, "--set", "MultiIdentity=true",
            "--set", "MultiManagedIdentities=true", on_request=self.answer, on_event=self.note)
        self.policies = self.client.policyManager
        self.client.initialize(
            delegates=["ui.promptForPIN", "policyDelegate.blockAccount"], events=["policyManager.policyDidChange"])

    def answer(self, method, params):
        if method == "ui.promptForPIN":
            print(f"PIN of {name(params['challenge']['identity'])}: {params['challenge']['kind']}")
            return {"pin": "2580"}
        if method == "policyDelegate.blockAccount":
            print(f"hide {name(params['identity'])} in {params['window']}: {params['reason']}")
            self.hidden.add(params["identity"])
            return "success"
        raise MambridgeError(-32601, f"no handler for {method}")

    def note(self, event, params):
        """Leaves the work to the main thread, because the client delivers nothing else until this returns."""
        self.changed.put(params["identity"])

    def enroll(self, account, subject):
        status = self.client.enrollmentManager.registerAndEnrollAccount(account=account)
        print(f"enroll {name(account)}: {status['status']}")
        if not status["didSucceed"]:
            sys.exit(status["errorString"])
        self.messages.append(self.client.dataProtectionManager.protectString(string=subject, account=account))

    def show(self, *accounts):
        result = self.policies.setUIPolicyAccounts(accounts=accounts, window="inbox")
        print(f"list of {' and '.join(map(name, accounts))}: {result}; {self.rights('inbox')}")

    def open(self, message):
        """Opens a message in a window that shows only its owner."""
        owner = self.client.dataProtectionManager.protectionInfoForString(string=message)["identity"]
        result = self.policies.setUIPolicyIdentity(account=owner, window="message")
        if result == "success":
            text = self.client.dataProtectionManager.unprotectString(string=message)
            result = f"{text}; {self.rights('message')}"
        print(f"message of {name(owner)}: {result}")
        self.policies.setUIPolicyIdentity(account="", window="message")

    def rights(self, window):
        """What the user may do with what a window shows."""
        copy = self.client.enforcement.copy(text="Dear team", window=window)["clipboard"]
        save = self.client.policy.isSaveToAllowedForLocation(location="localDrive", window=window)
        notes = {"id": "com.example.notes", "managed": False}
        share = self.client.enforcement.filterShareTargets(targets=[notes], window=window)
        kind = "blocked" if not share["targets"] else "protected" if share["encrypt"] else "plain"
        return f"copy {copy}, save {'plain' if save else 'blocked'}, share {kind}"

    def wait_for_blocks_to_end(self):
        while self.hidden:
            account = self.changed.get(timeout=30)
            if account in self.hidden and self.policies.blockedReason(account=account) == "notBlocked":
                self.hidden.remove(account)
                print(f"{name(account)} is no longer blocked")


def name(account):
    return account.split("@")[0]


def clock(client, tenant, status):
    """Clocks the second user in or out, and checks in."""
    content = json.loads((tenant / "tenant.json").read_text())
    content["users"][1]["clock"] = {"status": status}
    (tenant / "tenant.json").write_text(json.dumps(content))
    print(f"{name(content['users'][1]['userPrincipalName'])} is {status}")
    client.tenant.checkIn()


def play(app, tenant):
    one, two = [user["userPrincipalName"] for user in json.loads((tenant / "tenant.json").read_text())["users"][:2]]
    clock(app.client, tenant, "clockedIn")
    app.enroll(one, "Quarterly figures")
    app.enroll(two, "Shift plan")
    app.show(one)
    app.show(two)
    app.show(one, two)
    clock(app.client, tenant, "clockedOut")
    app.client.conditionalLaunch.didBecomeActive(window="inbox")
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
