"""Methods over the wire, one row each: what is asked, and what the answer must be. Each result fulfils its schema."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Iterator

import jsonschema
import pytest
from conftest import ALICE, ROOT
from mambridge import Client, MambridgeError

DOCUMENT = json.loads((ROOT / "schema" / "openrpc.json").read_text())
RESULTS = {method["name"]: method["result"]["schema"] for method in DOCUMENT["methods"]}

WINDOW = "inbox"
HELLO, HEL, EL, HI = "aGVsbG8=", "aGVs", "ZWw=", "aGk="
SAVE_LOCATIONS = {
    "other", "oneDriveForBusiness", "sharePoint", "box", "dropbox", "googleDrive", "localDrive", "cameraRoll",
    "accountDocument", "iManage", "egnyte"}
OPEN_LOCATIONS = {
    "other", "oneDriveForBusiness", "sharePoint", "camera", "localStorage", "photos", "accountDocument", "box",
    "iManage", "egnyte"}


class Account:
    """Equal to the account of this user principal name, whatever else is said of it."""

    def __init__(self, identity: str) -> None:
        self.identity = identity

    def __eq__(self, other: object) -> bool:
        return isinstance(other, dict) and other.get("identity") == self.identity

    def __repr__(self) -> str:
        return f"<account {self.identity}>"


class With:
    """Equal to an object that has these members among others."""

    def __init__(self, **members: Any) -> None:
        self.members = members

    def __eq__(self, other: object) -> bool:
        return isinstance(other, dict) and all(other.get(name) == value for name, value in self.members.items())

    def __repr__(self) -> str:
        return f"<object with {self.members}>"


class All:
    """Equal to an object of these names, all with one value."""

    def __init__(self, names: "set[str]", value: bool) -> None:
        self.expected = dict.fromkeys(names, value)

    def __eq__(self, other: object) -> bool:
        return other == self.expected

    def __repr__(self) -> str:
        return repr(self.expected)


ITEM = {"typeIdentifier": "public.text", "data": HI}

IDENTITIES: "list[tuple[str, dict[str, Any], Any]]" = [
    ("enrollmentManager.allowedAccounts", {}, None),
    ("enrollmentManager.mdmEnrolledAccount", {}, None),
    ("enrollmentManager.mdmEnrolledAccountFromCache", {}, None),
    ("userStatusManager.userStatus", {"account": ALICE}, {"clockStatus": "notConfigured"}),
    ("complianceManager.remediationInProgress", {"account": ALICE}, False),
    ("policyManager.isManagementEnabled", {}, True),
    ("policyManager.isIdentityEqual", {"first": ALICE, "second": ALICE.upper()}, True),
    ("policyManager.isIdentityEqual", {"first": ALICE, "second": "bob@contoso.example"}, False),
    ("policyManager.primaryUser", {}, Account(ALICE)),
    ("policyManager.managedAccounts", {}, [Account(ALICE)]),
    ("policyManager.mamPolicySource", {}, "mam"),
    ("policyManager.getProcessIdentity", {}, None),
    ("policyManager.setProcessIdentity", {"account": ALICE}, None),
    ("policyManager.getProcessIdentity", {}, Account(ALICE)),
    ("policyManager.getCurrentThreadIdentity", {"thread": "task"}, None),
    ("policyManager.setCurrentThreadIdentity", {"thread": "task", "account": ""}, None),
    ("policyManager.getCurrentThreadIdentity", {"thread": "task"}, Account("")),
    ("policyManager.setCurrentThreadIdentity", {"thread": "task", "account": None}, Account("")),
    ("policyManager.getUIPolicyIdentity", {"window": WINDOW}, None),
    ("policyManager.setUIPolicyIdentity", {"window": WINDOW, "account": ""}, "success"),
    ("policyManager.getUIPolicyIdentity", {"window": WINDOW}, Account("")),
    ("policyManager.getIdentityForCurrentActivity", {"window": WINDOW}, None),
]

QUESTIONS: "list[tuple[str, dict[str, Any], Any]]" = [
    ("policy.isManagedBrowserRequired", {}, True),
    ("policy.isContactSyncAllowed", {}, True),
    ("policy.isWidgetContentSyncAllowed", {}, True),
    ("policy.isSpotlightIndexingAllowed", {}, False),
    ("policy.areSiriIntentsAllowed", {}, False),
    ("policy.areAppIntentsAllowed", {}, False),
    ("policy.isAppSharingAllowed", {}, True),
    ("policy.shouldFileProviderEncryptFiles", {}, True),
    ("policy.isFileEncryptionRequired", {}, True),
    ("policy.isFileEncryptionRequired", {"account": ""}, False),
    ("policy.notificationPolicy", {}, "blockOrgData"),
    ("policy.isScreenCaptureAllowed", {}, False),
    ("policy.isOpenFromAllowedForLocation", {"location": "camera"}, True),
    ("policy.getSaveToLocations", {}, All(SAVE_LOCATIONS, False)),
    ("policy.getSaveToLocations", {"account": ""}, All(SAVE_LOCATIONS, True)),
    ("policy.getOpenFromLocations", {}, All(OPEN_LOCATIONS, True)),
    ("policy.isUniversalLinkAllowed", {"url": "https://mail.example/"}, False),
    ("policy.isDocumentPickerAllowed", {"mode": "import"}, True),
    ("policy.canReceiveSharedItemProvider", {"itemProvider": ITEM}, True),
    ("dataProtectionManager.protectionInfoForItemProvider", {"itemProvider": ITEM}, None),
    ("enforcement.receive", {"from": {"managed": False}, "url": "mailto:eve@home.example"}, With(allowed=True)),
    ("policyManager.setWebViewPolicy", {"webViewer": "view", "policy": "currentIdentity"}, None),
    ("policyManager.setWebViewPolicyDelegate", {"webViewer": "view", "enabled": True}, None),
    ("enforcement.webViewNavigate", {"webViewer": "view", "url": "https://contoso.example/"}, With(action="load")),
]

REST: "list[tuple[str, dict[str, Any], Any]]" = [
    ("appConfig.numberValueForKey", {"key": "example.maximumAttachmentMegabytes", "account": ALICE}, 10),
    ("appConfig.allNumbersForKey", {"key": "example.maximumAttachmentMegabytes", "account": ALICE}, [10]),
    ("appConfig.allBoolsForKey", {"key": "example.signature", "account": ALICE}, [True]),
    ("appConfig.allStringsForKey", {"key": "example.account", "account": ALICE}, [ALICE]),
    ("appConfig.hasConflict", {"key": "example.supportAddress", "account": ALICE}, True),
    ("appConfig.boolValueForKey", {"key": "example.signature", "account": ALICE}, True),
    ("settings.aadAuthorityUris", {}, ["https://login.microsoftonline.com/common"]),
    ("uiHelper.showSharingBlockedMessage", {"window": WINDOW}, None),
    ("uiHelper.captureImageOfWindow", {"window": WINDOW}, None),
    ("diagnosticsLog.write", {"level": "warning", "message": "a line of the host's"}, None),
    ("diagnosticsLog.query", {"text": "a line of the host's"}, [With(level="warning", message="a line of the host's")]),
    ("diagnosticsLog.subscribe", {"level": "warning"}, None),
    ("diagnosticConsole.getDiagnosticInformation", {}, With(isManagementEnabled=True, source="sample")),
    ("diagnosticConsole.getReport", {"logLines": 1}, With(appId="com.example.host")),
    ("device.get", {}, With(platform="ios", networkAvailable=True)),
    ("events.subscribe", {"types": ["appConfig.didChange"]}, None),
    ("events.unsubscribe", {"types": ["appConfig.didChange"]}, None),
    ("events.unsubscribe", {}, None),
]


@pytest.fixture
def host(binary: str, state: str) -> Iterator[Client]:
    """An app of several accounts in which alice is enrolled."""
    with Client.spawn(
            binary, "--tenant", "sample", "--state", state, "--set", "MultiIdentity=true", timeout=60) as client:
        client.call("enrollmentManager.registerAndEnrollAccount", account=ALICE)
        yield client


def ask(client: Client, method: str, /, **params: Any) -> Any:
    """The result, which fulfils the method's schema."""
    result = client.call(method, params)
    schema = {"components": DOCUMENT["components"], "allOf": [RESULTS[method]]}
    jsonschema.Draft7Validator(schema).validate(result)
    return result


def check(client: Client, rows: "list[tuple[str, dict[str, Any], Any]]") -> None:
    """Each row in its order; some change what the next ones find."""
    for method, params, expected in rows:
        assert ask(client, method, **params) == expected, f"{method} {params}"


def test_the_identity_methods_return_the_expected_results(host: Client) -> None:
    check(host, IDENTITIES)


def test_policy_questions_are_answered_for_the_process_identity(host: Client) -> None:
    host.call("policyManager.setProcessIdentity", account=ALICE)
    check(host, QUESTIONS)


def test_configuration_settings_log_and_subscription_methods_return_the_expected_results(host: Client) -> None:
    check(host, REST)
    assert len(ask(host, "appConfig.fullData", account=ALICE)) == 3
    assert "Restart" in ask(host, "uiHelper.getRestartApplicationMessage")


def test_an_open_file_can_be_read_written_resized_and_closed(host: Client, tmp_path: Path) -> None:
    path = str(tmp_path / "figures")
    handle = ask(host, "file.create", path=path, account=ALICE)["handle"]
    steps: "list[tuple[str, dict[str, Any], Any]]" = [
        ("file.write", {"data": HELLO}, 5), ("file.tell", {}, 5), ("file.truncate", {"length": 3}, None),
        ("file.size", {}, 3), ("file.seek", {"offset": 0}, None), ("file.read", {"count": 9}, HEL),
        ("file.pread", {"count": 9, "offset": 1}, EL), ("file.pwrite", {"data": HI, "offset": 0}, 2),
        ("file.isEncrypted", {}, True), ("file.protectionInfo", {}, Account(ALICE)), ("file.datasync", {}, None),
        ("file.sync", {}, None), ("file.close", {}, None)]
    check(host, [(method, {"handle": handle, **params}, result) for method, params, result in steps])
    assert b"hel" not in Path(path).read_bytes()
    opened = ask(host, "file.open", path=path, flags=["readOnly"])
    assert opened["size"] == 3 and ask(host, "file.close", handle=opened["handle"]) is None


def test_a_file_can_be_protected_and_decrypted_again(host: Client, tmp_path: Path) -> None:
    path = tmp_path / "figures"
    path.write_text("hello")
    steps: "list[tuple[str, dict[str, Any], Any]]" = [
        ("policy.canReceiveSharedFile", {"account": ALICE}, True),
        ("file.isFileEncryptedAtPath", {}, False), ("file.protectionInfoForFileAtPath", {}, None),
        ("file.protectFileAtPath", {"account": ALICE}, True), ("file.isFileEncryptedAtPath", {}, True),
        ("file.protectionInfoForFileAtPath", {}, Account(ALICE)), ("file.decryptFileAtPath", {}, True),
        ("fileProtectionManager.protect", {"account": ALICE}, None),
        ("fileProtectionManager.verifyAndProtect", {"account": ALICE}, None),
        ("fileProtectionManager.protectionInfo", {}, Account(ALICE)),
        ("fileProtectionManager.encryptFile", {"account": ALICE}, True),
        ("fileProtectionManager.isFileEncrypted", {}, True), ("fileProtectionManager.decryptFile", {}, True)]
    check(host, [(method, {"path": str(path), **params}, result) for method, params, result in steps])
    assert path.read_text() == "hello"


def test_file_provider_items_and_enumerators_can_be_assigned_to_an_account(host: Client) -> None:
    check(host, [
        ("fileProtectionManager.setFileProviderEnumeratorAccount", {"enumerator": "list", "account": ALICE}, None),
        ("fileProtectionManager.protectionInfo", {"enumerator": "list"}, Account(ALICE)),
        ("fileProtectionManager.protectFileProviderItem", {"item": "file", "account": ALICE}, None),
        ("fileProtectionManager.protectionInfo", {"item": "file"}, Account(ALICE))])


def test_a_pin_can_be_set_changed_and_reset(host: Client) -> None:
    state = With(required=True, isSet=True)
    check(host, [
        ("pin.status", {"account": ALICE}, With(required=True, isSet=False)),
        ("pin.set", {"account": ALICE, "pin": "2580"}, None), ("pin.status", {"account": ALICE}, state),
        ("pin.change", {"account": ALICE, "pin": "2580", "newPin": "8520"}, None),
        ("policyManager.setUIPolicyIdentity", {"account": ALICE, "window": "mail"}, "success"),
        ("pin.reset", {"account": ALICE, "accessToken": "any token will do"}, None),
        ("pin.status", {"account": ALICE}, With(required=True, isSet=False))])


# What must have been done before an example.
NEEDED = {
    "sandbox.removePolicy": [("sandbox.setPolicy", {"audience": "*", "settings": {"printBlocked": True}})],
    "sandbox.restore": [("sandbox.save", {"name": "enrolled"})],
}


@pytest.mark.parametrize("method", DOCUMENT["methods"], ids=lambda method: method["name"])
def test_the_example_of_a_method_gets_a_result_or_an_error_that_the_schema_allows(
        method: "dict[str, Any]", binary: str, enrolled: str, tmp_path: Path) -> None:
    """By a result that fulfils its schema, or by an error that the method lists."""
    params = {param["name"]: inside(tmp_path, param["value"]) for param in method["examples"][0]["params"]}
    serve = [binary, "--tenant", "sample", "--state", enrolled, "--clock", "manual"]
    with Client.spawn(*([binary, "sandbox"] if method.get("x-sandbox") else serve), timeout=60) as client:
        for name, example in NEEDED.get(method["name"], []):
            ask(client, name, **example)
        try:
            ask(client, method["name"], **params)
        except MambridgeError as error:
            assert error.name in {listed["$ref"].rsplit("/", 1)[-1] for listed in method["errors"]} - {"invalidParams"}


@pytest.fixture(scope="module")
def enrolled(binary: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A state in which alice is enrolled."""
    state = str(tmp_path_factory.mktemp("enrolled") / "state")
    with Client.spawn(binary, "--tenant", "sample", "--state", state, timeout=60) as client:
        client.call("enrollmentManager.registerAndEnrollAccount", account=ALICE)
    return state


def inside(folder: Path, value: Any) -> Any:
    """The value with its paths below the folder: an example must not touch the machine."""
    if isinstance(value, str):
        return str(folder) + value if value.startswith("/") else value
    if isinstance(value, list):
        return [inside(folder, element) for element in value]
    if isinstance(value, dict):
        return {name: inside(folder, member) for name, member in value.items()}
    return value
