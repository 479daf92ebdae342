"""The answers to questions about an account's data, from its policy. No policy: nothing is restricted."""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from .settings import Policy, Silent, source

SAVE = ["other", "oneDriveForBusiness", "sharePoint", "box", "dropbox", "googleDrive", "localDrive", "cameraRoll",
        "accountDocument", "iManage", "egnyte"]
OPEN = ["other", "oneDriveForBusiness", "sharePoint", "camera", "localStorage", "photos", "accountDocument", "box",
        "iManage", "egnyte"]


class Not:
    """Any answer but this."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return self.value != other

    def __repr__(self) -> str:
        return f"not {self.value!r}"


class OneOf:
    """Any of these answers. It equals each of them: ask first whether a value is a text."""

    def __init__(self, *values: Any) -> None:
        self.values = values

    def __eq__(self, other: object) -> bool:
        return other in self.values

    def __repr__(self) -> str:
        return " or ".join(map(repr, self.values))


@dataclass
class Account:
    """What the rules need to know of an account: its name, its policy if it is managed, the device, its configuration."""

    name: str
    policy: "Policy | None"
    device: "dict[str, Any]"
    screen_capture_control: "str | Silent | None" = None
    # The user for whom MDM enrolled the device.
    mdm: "str | None" = None

    def get(self, setting: str) -> Any:
        return self.policy[setting] if self.policy else None

    # meaning 8: allApps never blocks, none blocks all, otherwise saveAsBlocked decides. 9: Receive mirrors it.
    @property
    def may_save_copies(self) -> "bool | None":
        """None: as the list says."""
        sent = self.get("allowedOutboundDataTransferDestinations")
        return sent == "allApps" or (None if self.get("saveAsBlocked") else True) if sent != "none" else False

    @property
    def may_open_data(self) -> "bool | None":
        received = self.get("allowedInboundDataTransferSources")
        blocked = self.get("blockDataIngestionIntoOrganizationDocuments")
        return received == "allApps" or (None if blocked else True) if received != "none" else False

    @property
    def send(self) -> Any:
        return self.get("allowedOutboundDataTransferDestinations") or "allApps"

    @property
    def receive(self) -> Any:
        return self.get("allowedInboundDataTransferSources") or "allApps"


@source("meaning 8; facts 2.3 (ref-settings-ios.md): Send=All => Save copies forced Allow. Send=None => Block with no "
        "locations")
def save(owner: Account, location: str, other: "Account | None") -> bool:
    same = other is not None and other.name == owner.name
    if owner.may_save_copies is False:
        return False
    if owner.may_save_copies is None:
        listed = owner.get("allowedDataStorageLocations") or set()
        if location in ("oneDriveForBusiness", "sharePoint", "box", "iManage", "egnyte"):
            allowed = same and location in listed
        elif location in ("localDrive", "accountDocument") and same:
            allowed = True
        elif location in ("localDrive", "cameraRoll") and other is None:
            allowed = {"localDrive": "localStorage", "cameraRoll": "photoLibrary"}[location] in listed
        else:
            allowed = False
        if not allowed:
            return False
    return of_other(owner, other)


@source("meaning 9; facts 2.3: Receive=All => Open into org docs forced Allow. Receive=None => Block with no locations")
def open_from(owner: Account, location: str, other: "Account | None") -> bool:
    same = other is not None and other.name == owner.name
    if owner.may_open_data is False:
        return False
    if owner.may_open_data is None:
        listed = owner.get("allowedDataIngestionLocations") or set()
        if location in ("oneDriveForBusiness", "sharePoint"):
            allowed = same and location in listed
        elif location in ("camera", "photos"):
            if other is not None:
                raise Silent("camera and photos take no account")
            allowed = {"camera": "camera", "photos": "photoLibrary"}[location] in listed
        else:
            allowed = location in ("localStorage", "accountDocument") and same
        if not allowed:
            return False
    return of_other(owner, other)


@source("meaning 9: a locationAccount that is another managed account must allow too, even if the owner is unmanaged")
def of_other(owner: Account, other: "Account | None") -> bool:
    if other is None or other.name == owner.name or other.policy is None:
        return True
    ways = {other.may_save_copies, other.may_open_data}
    if len(ways) == 1 and None not in ways:
        return True in ways
    raise Silent("which rule of the other account decides")


@source("meaning 11; facts 2.3: exempt = by URL scheme only")
def url(account: Account, text: str, known_managed: bool) -> bool:
    scheme = text.split(":", 1)[0].lower()
    exempt = account.get("exemptedAppProtocols") or set()
    if scheme in ("http", "https"):
        if account.get("managedBrowserToOpenLinksRequired") or scheme in exempt:
            raise Silent("what isURLAllowed answers where the link opens in another browser")
        return True
    if scheme in ("tel", "telprompt", "sms"):
        if scheme in exempt:
            return True
        level = account.get("protectedMessagingRedirectAppType" if scheme == "sms" else "dialerRestrictionLevel")
        if level in (None, "allApps", "anyApp"):
            return True
        if level == "blocked":
            return False
        raise Silent("what isURLAllowed answers where another app dials")
    if scheme in exempt or account.send == "allApps":
        return True
    managed = known_managed or scheme.endswith("-intunemam") or scheme in account.device.get("managedAppSchemes", [])
    if account.send == "managedApps" and managed:
        return True
    named = {str(account.get(name) or "").split(":")[0].lower() for name in (
        "customBrowserProtocol", "customDialerAppProtocol", "messagingRedirectAppUrlScheme")}
    if scheme in named or scheme.rstrip("s") in named:
        raise Silent("the policy names this app for something else")
    return False


@source("facts 2.3: custom protocol p: http->p://, https->ps://; the dialer and messaging rules; meaning 10, 11")
def open_url(account: Account, text: str) -> Any:
    scheme = text.split(":", 1)[0].lower()
    exempt = account.get("exemptedAppProtocols") or set()
    if scheme in ("http", "https"):
        links = [*(account.get("managedUniversalLinks") or []), *(account.get("exemptedUniversalLinks") or [])]
        if scheme in exempt or any(fits(pattern, text) for pattern in links):
            raise Silent("a link of an app")
        if not account.get("managedBrowserToOpenLinksRequired"):
            return "open"
        custom = account.get("customBrowserProtocol")
        return f"rewrite {custom.rstrip(':/')}{scheme[4:]}" if custom else f"rewrite microsoft-edge-{scheme}"
    if scheme in ("tel", "telprompt", "sms"):
        level = account.get("protectedMessagingRedirectAppType" if scheme == "sms" else "dialerRestrictionLevel")
        if scheme in exempt or level in (None, "allApps", "anyApp"):
            return "open"
        if level == "blocked":
            return "block"
        raise Silent("how another app dials")
    return "open" if url(account, text, False) else "block"


def fits(pattern: str, text: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), text) is not None


@source("facts 2.3: exempt (unmanaged app opens), managed (managed app opens, else protected browser); * wildcards")
def universal_link(account: Account, text: str) -> bool:
    if account.send == "allApps":
        return True
    if any(fits(pattern, text) for pattern in account.get("exemptedUniversalLinks") or []):
        return True
    if any(fits(pattern, text) for pattern in account.get("managedUniversalLinks") or []):
        return bool(account.send == "managedApps")
    return False


@source("facts 1.4: outbound drives isDocumentPickerAllowed; docs/reference.md: all but none is allowed")
def picker(account: Account, mode: str) -> bool:
    return bool((account.receive if mode in ("import", "open") else account.send) != "none")


@source("facts 2.3 (ref-settings-ios.md): Receive none/managed and unmanaged data arrives: blocked")
def receives_unowned(account: Account) -> bool:
    if account.receive == "allApps" and account.get("protectInboundDataFromUnknownSources"):
        raise Silent("whose data untagged input is")
    return bool(account.receive == "allApps")


@source("meaning 10: false only for Send none")
def sharing(account: Account) -> bool:
    return bool(account.send != "none")


@source("facts 2.3: Spotlight and Siri blocked unless Send=All; sdk-21 8.1: App Intents as Siri")
def indexing(account: Account) -> bool:
    return bool(account.send == "allApps")


@source("meaning 10: managedBrowserToOpenLinksRequired and no customBrowserProtocol")
def browser(account: Account) -> bool:
    return bool(account.get("managedBrowserToOpenLinksRequired") and not account.get("customBrowserProtocol"))


@source("facts 1.4: contactSyncBlocked")
def contacts(account: Account) -> bool:
    return not account.get("contactSyncBlocked")


@source("meaning 10: not contactSyncBlocked, or allowWidgetContentSync")
def widgets(account: Account) -> bool:
    return bool(not account.get("contactSyncBlocked") or account.get("allowWidgetContentSync"))


@source("meaning 10: appDataEncryptionType present and not useDeviceSettings")
def encryption(account: Account) -> bool:
    return account.get("appDataEncryptionType") not in (None, "useDeviceSettings")


@source("meaning 10: that of isFileEncryptionRequired, and Send not allApps")
def provider_encryption(account: Account) -> bool:
    return encryption(account) and account.send != "allApps"


@source("facts 1.4: disableAppPinIfDevicePinIsSet counts on MDM-enrolled devices only (ios#181)")
def pin(account: Account) -> bool:
    if not account.get("pinRequired"):
        return False
    if account.get("disableAppPinIfDevicePinIsSet") and account.device.get("devicePinSet"):
        if account.mdm:
            return False
        if account.device.get("managementType") == "managed":
            raise Silent("whether a report of the management type is an MDM enrollment")
    return True


@source("facts 1.3, 1.4: notificationRestriction, the same as the SDK's numbers")
def notifications(account: Account) -> str:
    return {None: "allow", "blockOrganizationalData": "blockOrgData"}.get(
        account.get("notificationRestriction"), account.get("notificationRestriction"))


@source("sdk-21 8.2; meaning 10: its own setting, else blocked when Send is not allApps unless screencapturecontrol is "
        "Disabled")
def screen_capture(account: Account) -> bool:
    own = account.get("screenCaptureConfigurationState")
    if own is not None:
        return bool(own == "notBlocked")
    if account.send == "allApps":
        return True
    if isinstance(account.screen_capture_control, Silent):
        raise account.screen_capture_control
    return account.screen_capture_control == "Disabled"


@source("facts 1.4, 2.3: printBlocked, dataBackupBlocked, thirdPartyKeyboardsBlocked (all identities), Apple Intelligence")
def action(account: Account, name: str, everybody: "list[Account]") -> bool:
    if name == "thirdPartyKeyboard":
        return not any(one.get("thirdPartyKeyboardsBlocked") for one in everybody)
    if name == "screenCapture":
        return screen_capture(account)
    if name == "saveAs":
        if account.may_save_copies is None:
            raise Silent("whether listed locations count as saving copies")
        return account.may_save_copies
    setting = {"print": "printBlocked", "backup": "dataBackupBlocked", "genmoji": "genmojiConfigurationState",
               "writingTools": "writingToolsConfigurationState"}.get(name)
    return setting is None or account.get(setting) in (None, False, "notBlocked")


@source("facts 1.4, 2.3: blocked / managed / managed + paste-in / any; exception length lets N chars out regardless")
def copy(account: Account, text: str) -> Any:
    level = account.get("allowedOutboundClipboardSharingLevel") or "allApps"
    if level == "allApps" or len(text) <= (account.get("allowedOutboundClipboardSharingExceptionLength") or 0):
        return "plain"
    return "protected" if level != "blocked" else Not("plain")


@source("facts 2.3: clipboard; section 6: ClipboardIncomingRestrictionExceededLimitMessage, so the length counts inward too")
def paste(account: Account, text: str) -> bool:
    level = account.get("allowedOutboundClipboardSharingLevel") or "allApps"
    return level in ("allApps", "managedAppsWithPasteIn") or \
        len(text) <= (account.get("allowedOutboundClipboardSharingExceptionLength") or 0)


@source("facts 2.3: Send with Open-In/Share filtering; unfiltered share to an unmanaged app delivers encrypted bytes")
def share_targets(account: Account) -> Any:
    if account.send == "none":
        return []
    if account.send == "managedApps" and account.get("filterOpenInToOnlyManagedApps"):
        if account.get("disableProtectionOfManagedOutboundOpenInData"):
            raise Silent("facts 1.4: filtering only where the system does not protect")
        return ["managed"]
    return ["managed", "unmanaged"]


@source("facts 2.3: unfiltered share to an unmanaged app delivers encrypted bytes; OS sharing on MDM devices only")
def share_encrypts(account: Account) -> bool:
    if account.send == "allApps":
        return False
    if account.send == "none" or account.get("filterOpenInToOnlyManagedApps"):
        raise Silent("nothing is offered to an unmanaged app")
    if account.get("disableProtectionOfManagedOutboundOpenInData") and (
            account.mdm or account.device.get("managementType") == "managed"):
        raise Silent("whether a report of the management type is an MDM enrollment")
    return True


@source("sdk-21 12.6; meaning 8: where copies are not restricted, no location is")
def save_restriction(account: Account) -> bool:
    return not account.may_save_copies


@source("sdk-21 12.6; meaning 9")
def open_restriction(account: Account) -> bool:
    return not account.may_open_data


# sdk-21 3.5: a fixed policy that does not mirror the accounts' policies.
LOCK_DOWN = {
    "isContactSyncAllowed": False, "isWidgetContentSyncAllowed": False, "isSpotlightIndexingAllowed": False,
    "areSiriIntentsAllowed": False, "areAppIntentsAllowed": False, "isAppSharingAllowed": False,
    "isScreenCaptureAllowed": False, "isManagedBrowserRequired": True, "isFileEncryptionRequired": True,
    "shouldFileProviderEncryptFiles": True, "notificationPolicy": "block",
}
PROPERTIES = {
    "isPINRequired": pin, "isManagedBrowserRequired": browser, "isContactSyncAllowed": contacts,
    "isWidgetContentSyncAllowed": widgets, "isSpotlightIndexingAllowed": indexing, "areSiriIntentsAllowed": indexing,
    "areAppIntentsAllowed": indexing, "isAppSharingAllowed": sharing, "shouldFileProviderEncryptFiles": provider_encryption,
    "isFileEncryptionRequired": encryption, "notificationPolicy": notifications, "isScreenCaptureAllowed": screen_capture,
}
