"""The settings of a policy: how a value is read, how the values of several policies become one.

Sources: `facts` is the sheet of facts on app protection, with its section; `meaning` is the list of decisions where
Microsoft's sources are silent or differ; a page is one of Microsoft's.
"""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Callable, TypeVar


class Silent(Exception):
    """The sources do not say what the answer is."""


class Mistyped(Exception):
    """A member of a policy has a wrong type."""


F = TypeVar("F", bound=Callable[..., Any])
SOURCES: "dict[str, str]" = {}


def source(text: str) -> "Callable[[F], F]":
    """Where a rule comes from. It is printed with a disagreement."""
    def note(function: F) -> F:
        SOURCES[function.__name__] = text
        return function
    return note


# facts 1.3: from the loosest to the strictest.
TRANSFER = ["allApps", "managedApps", "none"]
LEVELS: "dict[str, list[str]]" = {
    "allowedInboundDataTransferSources": TRANSFER,
    "allowedOutboundDataTransferDestinations": TRANSFER,
    "allowedOutboundClipboardSharingLevel": ["allApps", "managedAppsWithPasteIn", "managedApps", "blocked"],
    "pinCharacterSet": ["numeric", "alphanumericAndSymbol"],
    "managedBrowser": ["notConfigured", "microsoftEdge"],
    "notificationRestriction": ["allow", "blockOrganizationalData", "block"],
    "appDataEncryptionType": [
        "useDeviceSettings", "afterDeviceRestart", "whenDeviceLockedExceptOpenFiles", "whenDeviceLocked"],
    "dialerRestrictionLevel": ["allApps", "managedApps", "customApp", "blocked"],
    "protectedMessagingRedirectAppType": ["anyApp", "anyManagedApp", "specificApps", "blocked"],
    "maximumAllowedDeviceThreatLevel": ["notConfigured", "high", "medium", "low", "secured"],
    "genmojiConfigurationState": ["notBlocked", "blocked"],
    "screenCaptureConfigurationState": ["notBlocked", "blocked"],
    "writingToolsConfigurationState": ["notBlocked", "blocked"],
}
# facts 1.3: the order of Microsoft Graph's numbers, where it is not that of strictness.
GRAPH_ORDER = {"maximumAllowedDeviceThreatLevel": ["notConfigured", "secured", "low", "medium", "high"]}
ACTIONS = {
    "appActionIfDeviceComplianceRequired": ["block", "wipe"],
    "appActionIfMaximumPinRetriesExceeded": ["block", "wipe"],
    "mobileThreatDefenseRemediationAction": ["block", "wipe"],
    "appActionIfUnableToAuthenticateUser": ["block", "wipe"],
    "appActionIfIosDeviceModelNotAllowed": ["block", "wipe"],
    "appActionIfAccountIsClockedOut": ["warn", "block"],
}
GRAPH_ACTIONS = ["block", "wipe", "warn"]
# Whether true is the restricting value.
BOOLEANS = {
    **dict.fromkeys([
        "dataBackupBlocked", "saveAsBlocked", "printBlocked", "contactSyncBlocked", "deviceComplianceRequired",
        "managedBrowserToOpenLinksRequired", "pinRequired", "simplePinBlocked", "fingerprintBlocked", "faceIdBlocked",
        "organizationalCredentialsRequired", "blockDataIngestionIntoOrganizationDocuments", "thirdPartyKeyboardsBlocked",
        "filterOpenInToOnlyManagedApps", "protectInboundDataFromUnknownSources"], True),
    **dict.fromkeys([
        "disableAppPinIfDevicePinIsSet", "allowWidgetContentSync", "disableProtectionOfManagedOutboundOpenInData"], False),
}
LISTS = {
    "allowedDataStorageLocations": ["oneDriveForBusiness", "sharePoint", "box", "localStorage", "photoLibrary", "iManage",
                                    "egnyte"],
    "allowedDataIngestionLocations": ["oneDriveForBusiness", "sharePoint", "camera", "photoLibrary"],
    "managedUniversalLinks": [], "exemptedUniversalLinks": [],
}
# meaning 14: what unequal numbers fall to; minutes for durations.
NUMBERS = {"minimumPinLength": 4, "maximumPinRetries": 5, "previousPinBlockCount": 0,
           "allowedOutboundClipboardSharingExceptionLength": 0}
HOUR, DAY = 60, 24 * 60
DURATIONS: "dict[str, int | None]" = {
    "periodOfflineBeforeAccessCheck": DAY, "periodOnlineBeforeAccessCheck": 30,
    "periodOfflineBeforeWipeIsEnforced": 90 * DAY,
    "periodBeforePinReset": None, "pinRequiredInsteadOfBiometricTimeout": 30,
}
MINIMUMS = [f"minimum{kind}{what}Version" for what in ("Os", "App", "Sdk") for kind in ("Required", "Warning", "Wipe")]
MAXIMUMS = [f"maximum{kind}OsVersion" for kind in ("Required", "Warning", "Wipe")]
TEXTS = ["customBrowserProtocol", "customDialerAppProtocol", "messagingRedirectAppUrlScheme"]
ALL = [*LEVELS, *ACTIONS, *BOOLEANS, *LISTS, *NUMBERS, *DURATIONS, *MINIMUMS, *MAXIMUMS, *TEXTS, "allowedIosDeviceModels",
       "exemptedAppProtocols"]


@dataclass
class Policy:
    """The settings in force for an account. A value that the sources do not decide raises Silent when it is asked for."""

    settings: "dict[str, Any]"
    ids: "list[str]"

    def __getitem__(self, name: str) -> Any:
        value = self.settings.get(name)
        if isinstance(value, Silent):
            raise value
        return value


def minutes(text: str) -> float:
    """An ISO 8601 duration."""
    found = re.fullmatch(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?", text)
    if not found or text in ("P", "PT"):
        raise Silent(f"the duration {text}")
    days, hours, mins, seconds = (int(part or 0) for part in found.groups())
    return days * DAY + hours * HOUR + mins + seconds / 60


@source("meaning 13: missing parts are 0; \"\", \"0.0\" and what does not parse is no rule")
def version(text: "str | None") -> "tuple[int, ...] | None":
    if not text or not re.fullmatch(r"\d+([.]\d+)*", text):
        return None
    parts = tuple(int(part) for part in text.split("."))
    if not any(parts):
        return None if text == "0.0" else ()
    return (*parts, *[0] * 6)[:6]


@source("facts 1.5: the numbers of Microsoft Graph are not those of the SDK; meaning 14: null gives way")
def read(name: str, value: Any) -> Any:
    """One setting of an export of Microsoft Graph, by its name or number; None where it says nothing."""
    def need(good: bool) -> None:
        if not good:
            raise Mistyped(name)
    if value is None:
        return None
    if name in BOOLEANS:
        need(isinstance(value, bool))
        return value
    if name in LEVELS or name in ACTIONS:
        names = GRAPH_ACTIONS if name in ACTIONS else GRAPH_ORDER.get(name, LEVELS.get(name, []))
        need(isinstance(value, (str, int)) and not isinstance(value, bool))
        if isinstance(value, int):
            return names[value] if 0 <= value < len(names) else Silent(f"{name} {value}")
        return value if value in names else Silent(f"{name} {value!r}")
    if name in NUMBERS:
        need(isinstance(value, int) and not isinstance(value, bool))
        return value
    if name == "exemptedAppProtocols":
        need(isinstance(value, list) and all(isinstance(pair, dict) for pair in value))
        return {scheme.strip().lower() for pair in value for scheme in pair["value"].split(";") if scheme.strip()}
    if name in LISTS:
        need(isinstance(value, list) and all(isinstance(item, str) for item in value))
        return set(value)
    need(isinstance(value, str))
    if name in DURATIONS:
        return minutes(value)
    if name == "allowedIosDeviceModels":
        return {model.strip().lower() for model in value.split(";") if model.strip()} if value.strip() else None
    return value or None  # facts 1.4: "" is an unset string


@source("facts 2.3, ID device-profile-troubleshoot.md: the most restrictive wins, except numbers, which fall to the "
        "recommended defaults; device models intersect. meaning 14")
def merge(policies: "list[dict[str, Any]]") -> "dict[str, Any]":
    """Several policies, in order of their ids, to one."""
    merged: "dict[str, Any]" = {}
    for name in ALL:
        values = [policy[name] for policy in policies if policy.get(name) is not None]
        if not values:
            continue
        silent = [value for value in values if isinstance(value, Silent)]
        merged[name] = silent[0] if silent else _merge(name, values)
    return merged


def _merge(name: str, values: "list[Any]") -> Any:
    if name in BOOLEANS:
        return BOOLEANS[name] if BOOLEANS[name] in values else not BOOLEANS[name]
    if name in ("dialerRestrictionLevel", "protectedMessagingRedirectAppType"):
        order = LEVELS[name]
        if set(values) == {order[1], order[2]}:
            return Silent(f"which is stricter, {order[1]} or {order[2]}")
    if name in LEVELS:
        return max(values, key=LEVELS[name].index)
    if name in ACTIONS:
        return max(values, key=["warn", "block", "wipe"].index)
    if name in LISTS or name in ("exemptedAppProtocols", "allowedIosDeviceModels"):
        return set.intersection(*values)
    if name in NUMBERS or name in DURATIONS:
        default = {**NUMBERS, **DURATIONS}[name]
        return values[0] if len(set(values)) == 1 else default
    if name in MINIMUMS or name in MAXIMUMS:
        rules = [text for text in values if version(text) is not None]
        if not rules:
            return values[0]
        return (max if name in MINIMUMS else min)(rules, key=lambda text: version(text) or ())
    return values[0]


# The same values as the SDK writes them on a device: facts 1.5 and 2.8.
SDK_NAMES = {
    "allowedInboundDataTransferSources": ("AppSharingFromLevel", {"none": 0, "managedApps": 1, "allApps": 2}),
    "allowedOutboundDataTransferDestinations": ("AppSharingToLevel", {"none": 0, "managedApps": 1, "allApps": 2}),
    "allowedOutboundClipboardSharingLevel": (
        "ClipboardSharingLevel", {"blocked": 0, "managedApps": 1, "managedAppsWithPasteIn": 2, "allApps": 3}),
    "appDataEncryptionType": ("FileEncryptionLevel", {
        "whenDeviceLocked": 0, "whenDeviceLockedExceptOpenFiles": 1, "afterDeviceRestart": 2, "useDeviceSettings": 3}),
    "pinCharacterSet": ("PINCharacterType", {"alphanumericAndSymbol": 0, "numeric": 1}),
    "notificationRestriction": ("NotificationRestriction", {"allow": 0, "blockOrganizationalData": 1, "block": 2}),
    "maximumAllowedDeviceThreatLevel": (
        "MinimumRequiredDeviceThreatProtectionLevel", {"notConfigured": 0, "secured": 1, "low": 2, "medium": 3, "high": 4}),
    "mobileThreatDefenseRemediationAction": ("MobileThreatDefenseRemediationAction", {"block": 0, "wipe": 1}),
    "appActionIfDeviceComplianceRequired": ("DeviceComplianceFailureAction", {"block": 0, "wipe": 1}),
    "appActionIfUnableToAuthenticateUser": ("AppActionIfUnableToAuthenticateUser", {"block": 0, "wipe": 1}),
    "dialerRestrictionLevel": ("DialerRestrictionLevel", {"blocked": 0, "customApp": 1, "allApps": 3}),
    "genmojiConfigurationState": ("GenmojiConfigurationState", {"notBlocked": 0, "blocked": 1}),
    "screenCaptureConfigurationState": ("ScreenCaptureConfigurationState", {"notBlocked": 0, "blocked": 1}),
    "writingToolsConfigurationState": ("WritingToolsConfigurationState", {"notBlocked": 0, "blocked": 1}),
    **{name: (key, {False: 0, True: 1}) for name, key in {
        "dataBackupBlocked": "DataBackupDisabled", "saveAsBlocked": "FileSharingSaveAsDisabled",
        "printBlocked": "PrintingBlocked", "contactSyncBlocked": "ContactSyncDisabled", "pinRequired": "PINEnabled",
        "deviceComplianceRequired": "DeviceComplianceEnabled", "managedBrowserToOpenLinksRequired": "ManagedBrowserRequired",
        "organizationalCredentialsRequired": "AuthenticationEnabled",
        "thirdPartyKeyboardsBlocked": "ThirdPartyKeyboardsBlocked",
        "blockDataIngestionIntoOrganizationDocuments": "OpenDataIntoOrgDocumentsBlocked",
        "filterOpenInToOnlyManagedApps": "EnableOpenInFilter", "disableAppPinIfDevicePinIsSet": "AppPinDisabled"}.items()},
    **{name: (key, {False: 1, True: 0}) for name, key in {
        "simplePinBlocked": "SimplePINAllowed", "fingerprintBlocked": "TouchIDEnabled",
        "faceIdBlocked": "FaceIDEnabled"}.items()},
    **{name: (key, {}) for name, key in {
        "customBrowserProtocol": "UnmanagedBrowserProtocol", "customDialerAppProtocol": "SpecificDialerProtocol",
        "minimumPinLength": "PINMinLength", "maximumPinRetries": "PINNumRetry",
        "allowedOutboundClipboardSharingExceptionLength": "ClipboardCharacterLengthException",
        "minimumRequiredOsVersion": "MinOsVersion", "minimumWarningOsVersion": "MinOsVersionWarning",
        "minimumWipeOsVersion": "MinOsVersionWipe", "maximumRequiredOsVersion": "MaxOsVersion",
        "maximumWarningOsVersion": "MaxOsVersionWarning", "maximumWipeOsVersion": "MaxOsVersionWipe",
        "minimumRequiredAppVersion": "MinAppVersion", "minimumWarningAppVersion": "MinAppVersionWarning",
        "minimumWipeAppVersion": "MinAppVersionWipe", "minimumRequiredSdkVersion": "MinSDKVersion",
        "minimumWipeSdkVersion": "MinSDKVersionWipe"}.items()},
}
SAVE_BITS = {"oneDriveForBusiness": 1, "sharePoint": 2, "box": 4, "localStorage": 32, "photoLibrary": 128}
OPEN_BITS = {"oneDriveForBusiness": 1, "sharePoint": 2, "camera": 4, "photoLibrary": 16}


def as_on_device(settings: "dict[str, Any]") -> "dict[str, Any]":
    """A policy of Microsoft Graph as a device has it, without what has no name there."""
    raw: "dict[str, Any]" = {}
    for name, value in settings.items():
        if value is None:
            continue
        if name in SDK_NAMES:
            key, numbers = SDK_NAMES[name]
            if not numbers:
                raw[key] = value
            elif value in numbers:
                raw[key] = numbers[value]
        elif name == "allowedDataStorageLocations" and set(value) <= set(SAVE_BITS):
            raw["ManagedLocations"] = sum(SAVE_BITS[item] for item in set(value))
        elif name == "allowedDataIngestionLocations":
            raw["OpenDataFromManagedLocations"] = sum(OPEN_BITS[item] for item in set(value))
        elif name == "exemptedAppProtocols":
            raw["ProtocolExclusions"] = ";".join(pair["value"] for pair in value)
        elif name == "periodOfflineBeforeAccessCheck":
            raw["AccessRecheckOfflineTimeout"] = int(minutes(value))
        elif name == "periodOnlineBeforeAccessCheck":
            raw["AccessRecheckOnlineTimeout"] = int(minutes(value))
        elif name == "periodOfflineBeforeWipeIsEnforced" and minutes(value) % DAY == 0:
            raw["OfflineWipeInterval"] = int(minutes(value) // DAY)
        elif name == "managedUniversalLinks":
            raw["ManagedUniversalLinks"] = "|".join(value)
        elif name == "exemptedUniversalLinks":
            raw["UniversalLinkExclusions"] = "|".join(value)
    if settings.get("allowedIosDeviceModels"):
        wipe = settings.get("appActionIfIosDeviceModelNotAllowed") == "wipe"
        raw["AllowedIOSModelsElse" + ("Wipe" if wipe else "Block")] = settings["allowedIosDeviceModels"]
    return raw


NO_NAME_ON_DEVICE = [name for name in ALL if name not in SDK_NAMES and name not in (
    "allowedDataStorageLocations", "allowedDataIngestionLocations", "exemptedAppProtocols", "periodOfflineBeforeAccessCheck",
    "periodOnlineBeforeAccessCheck", "periodOfflineBeforeWipeIsEnforced", "managedUniversalLinks", "exemptedUniversalLinks",
    "allowedIosDeviceModels", "appActionIfIosDeviceModelNotAllowed")]
