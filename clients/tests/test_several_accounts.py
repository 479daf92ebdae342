"""The page about several accounts says what the server answers, and the example on it keeps what its output claims."""
from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Iterator, get_args

import pytest
from conftest import ALICE, ROOT
from mambridge import Client, Host, requests, types

EVE = "eve@home.example"
PAGE = (ROOT / "docs" / "several-accounts.md").read_text()
EXAMPLE = ROOT / "clients" / "python" / "two_inboxes.py"
View = "dict[str, Any]"
WINDOW: View = {"window": "inbox"}


def rows(heading: str) -> "list[list[str]]":
    """The rows of the table whose first column has this heading."""
    table = PAGE[PAGE.index(f"| {heading} |"):].split("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


class PINPad(Host):
    def prompt_for_pin(self, request: requests.PromptForPIN) -> types.EnteredPIN:
        return types.EnteredPIN("2580")


@pytest.fixture
def merged(binary: str, state: str) -> Iterator[Client]:
    """A server whose window "inbox" shows Alice and an unmanaged account."""
    settings = ("--set", "MultiManagedIdentities=true", "--set", "MultiIdentity=true")
    with Client.spawn(binary, "--tenant", "sample", "--state", state, *settings, timeout=60, host=PINPad()) as client:
        client.initialize()
        client.call("enrollmentManager.registerAndEnrollAccount", account=ALICE)
        assert client.call("policyManager.setUIPolicyAccounts", accounts=[ALICE, EVE], **WINDOW) == "success"
        yield client


def any_of(client: Client, names: "list[str]", view: View) -> bool:
    return any(client.call(f"policy.{name}", view) for name in names)


def copies(client: Client, view: View) -> bool:
    return any(client.call("enforcement.copy", text=text, **view)["clipboard"] != "blocked" for text in ("x", "x" * 1000))


def pastes(client: Client, view: View) -> bool:
    inside = client.call("enforcement.copy", text="x" * 1000, account=ALICE)["text"]
    return any(client.call("enforcement.paste", text=text, **view)["allowed"] for text in ("x", inside))


def stores(client: Client, view: View) -> bool:
    return any({**client.call("policy.getSaveToLocations", **view), **client.call("policy.getOpenFromLocations", **view)}.values())


def shares(client: Client, view: View) -> bool:
    mail = {"id": "com.example.mail", "managed": True}
    offered = client.call("enforcement.filterShareTargets", targets=[mail], **view)["targets"]
    return bool(offered) or client.call("policy.isAppSharingAllowed", **view)


def opens_web_links(client: Client, view: View) -> bool:
    answer = client.call("enforcement.openURL", url="https://contoso.example", **view)
    return (answer["action"], answer["url"]) != ("rewrite", "microsoft-edge-https://contoso.example")


def opens_other_links(client: Client, view: View) -> bool:
    allowed = client.call("policy.isURLAllowed", url="mailto:eve@home.example", **view)
    universal = client.call("policy.isUniversalLinkAllowed", url="https://contoso.example", **view)
    opened = client.call("enforcement.openURL", url="mailto:eve@home.example", **view)["action"] != "block"
    return opened or allowed or universal


def receives(client: Client, view: View) -> bool:
    modes = get_args(types.DocumentPickerMode)
    item = {"typeIdentifier": "public.text", "data": b"x"}
    return (any(client.call("policy.isDocumentPickerAllowed", mode=mode, **view) for mode in modes)
            or client.call("policy.canReceiveSharedItemProvider", itemProvider=item, **view)
            or client.call("policy.canReceiveSharedFile", path=str(EXAMPLE), **view))


def acts(client: Client, view: View) -> bool:
    names = get_args(types.EnforcedAction)
    return any(client.call("enforcement.isActionAllowed", action=name, **view) for name in names)


def feeds_web_views(client: Client, view: View) -> bool:
    answer = client.call("enforcement.webViewNavigate", webViewer="help", url="https://contoso.example", **WINDOW)
    return answer["uploadAllowed"] or answer["pasteAllowed"]


def indexes(client: Client, view: View) -> bool:
    return any_of(client, ["isContactSyncAllowed", "isWidgetContentSyncAllowed", "isSpotlightIndexingAllowed",
                           "areSiriIntentsAllowed", "areAppIntentsAllowed"], view)


def spares_protection(client: Client, view: View) -> bool:
    names = ["isFileEncryptionRequired", "shouldFileProviderEncryptFiles", "isManagedBrowserRequired"]
    return not all(client.call(f"policy.{name}", view) for name in names)


# The rows of the table, each with the question whether the view is laxer than the row says.
LAXER: "dict[str, Callable[[Client, View], bool]]" = {
    "copy (also ask it for cut)": copies,
    "paste": pastes,
    "save to, open from": stores,
    "share with apps": shares,
    "open a web link": opens_web_links,
    "open any other link": opens_other_links,
    "document picker, receiving items and files": receives,
    "print, screen capture, dictation, backup, third-party keyboards and all other actions": acts,
    "web view": feeds_web_views,
    "notifications": lambda client, view: client.call("policy.notificationPolicy", **view) != "block",
    "contact sync, widgets, search index, Siri and app intents": indexes,
    "file encryption, encryption by a file provider, managed browser": spares_protection,
    "PIN": lambda client, view: not client.call("policy.isPINRequired", **view),
}


@pytest.mark.parametrize("view", [WINDOW, {"accounts": [EVE, ALICE]}], ids=["window", "accounts"])
def test_a_view_of_several_accounts_is_as_strict_as_the_document_says(merged: Client, view: View) -> None:
    assert [row[0] for row in rows("question")] == list(LAXER)
    assert [question for question, is_laxer in LAXER.items() if is_laxer(merged, view)] == []


def test_a_view_of_unmanaged_accounts_is_more_permissive_for_every_question(merged: Client) -> None:
    assert merged.call("policyManager.setUIPolicyAccounts", accounts=[EVE, "dan@home.example"], **WINDOW) == "success"
    assert [question for question, is_laxer in LAXER.items() if not is_laxer(merged, WINDOW)] == []


def test_every_policy_and_enforcement_question_but_four_takes_several_accounts(client: Client) -> None:
    without = {
        "policy.explain", "policy.whatWouldChange", "enforcement.receive", "enforcement.webViewNavigate"}
    methods = {method["name"]: method["params"] for method in client.call("rpc.discover")["methods"]}
    taking = {name for name, parameters in methods.items() if "accounts" in [each["name"] for each in parameters]}
    asked = {name for name in methods if name.startswith(("policy.", "enforcement."))}
    assert asked - taking == without and "policyManager.policy" in taking


def test_the_document_lists_every_reason_for_a_blocked_account() -> None:
    assert {row[0].strip("`") for row in rows("reason")} | {"notBlocked"} == set(get_args(types.BlockAccountReason))


def play(binary: str, *arguments: str) -> "list[str]":
    done = subprocess.run(
        [sys.executable, str(EXAMPLE), *arguments, binary], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout.splitlines()


def test_the_example_hides_the_blocked_inbox_and_shows_it_again(binary: str) -> None:
    lines = play(binary)
    rights = {line.split(":")[0]: line.split("; ")[1] for line in lines if line.startswith("list of")}
    assert rights == {
        "list of alice": "copy protected, save blocked, share protected",
        "list of bob": "copy plain, save plain, share plain",
        "list of alice and bob": "copy blocked, save blocked, share blocked"}
    out, back = lines.index("bob is clockedOut"), lines.index("bob is no longer blocked")
    assert lines[out + 1] == "hide bob in inbox: clockedOut" and "message of bob: failed" in lines[out:back]
    assert lines[back + 1].startswith("list of alice and bob: success")
    assert lines[back + 2] == f"message of bob: Shift plan; {rights['list of bob']}"


def test_the_example_reads_a_given_tenant_and_leaves_it_unchanged(binary: str, tmp_path: Path) -> None:
    tenant = tmp_path / "tenant.json"
    tenant.write_text('{"users": [%s]}' % ", ".join(
        f'{{"id": "0000000{number}-0000-4000-8000-000000000000", "userPrincipalName": "{user}@contoso.example"}}'
        for number, user in enumerate(("carol", "dave"))))
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "example.json").write_bytes((ROOT / "docs" / "example-policy.json").read_bytes())
    before = tenant.read_text()
    lines = play(binary, "--tenant", str(tmp_path))
    assert lines[-1].startswith("message of dave: Shift plan; copy protected")
    assert not any(line.startswith("hide") for line in lines)
    assert tenant.read_text() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["policies", "tenant.json"]
