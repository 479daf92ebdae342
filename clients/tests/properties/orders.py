"""The settings of a policy, each with an order of its values from loose to tight, and the source of the order.

GD is Microsoft Graph's reference, RS is ref-settings-ios.md, RA is its page for Android, and RW its page for Windows, in
Microsoft's documentation of Intune; facts are the facts about these that the project keeps.
"""
from __future__ import annotations

import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

ROOT = Path(__file__).resolve().parents[3]
PLATFORMS = ("ios", "android", "windows")


class Order(Protocol):
    @property
    def source(self) -> str:
        """Who says so."""

    def value(self, dice: random.Random) -> Any:
        """Any value; None is a setting that is not set."""

    def loose(self, dice: random.Random) -> Any:
        """A value that is not the tightest."""

    def tighter(self, value: Any, dice: random.Random) -> Any:
        """A tighter value. Raises Tightest if there is none."""


class Tightest(Exception):
    """No value of the setting is tighter."""


@dataclass(frozen=True)
class Steps:
    """Values of which each is tighter than those before it. `above_unset` are those that are tighter than none."""

    values: "list[Any]"
    source: str
    above_unset: "tuple[Any, ...]" = ()

    def value(self, dice: random.Random) -> Any:
        return dice.choice([*self.values, None])

    def loose(self, dice: random.Random) -> Any:
        return dice.choice([*self.values[:-1], *[None] * bool(self.above_unset)])

    def tighter(self, value: Any, dice: random.Random) -> Any:
        later = self.values[self.values.index(value) + 1:] if value in self.values else self.above_unset
        if not later:
            raise Tightest
        return dice.choice(later)


@dataclass(frozen=True)
class Entries:
    """A list of what is allowed: with fewer entries, it is tighter. Not set, it allows nothing, or everything."""

    entries: "list[Any]"
    source: str
    unset_allows: bool = False
    separator: "str | None" = None

    def written(self, entries: "list[Any]") -> Any:
        return entries if self.separator is None else self.separator.join(entries)

    def value(self, dice: random.Random) -> Any:
        return None if dice.random() < 0.2 else self.written(dice.sample(self.entries, dice.randint(1, len(self.entries))))

    def loose(self, dice: random.Random) -> Any:
        if self.unset_allows and dice.random() < 0.5:
            return None
        return self.written(dice.sample(self.entries, dice.randint(2 if self.unset_allows else 1, len(self.entries))))

    def tighter(self, value: Any, dice: random.Random) -> Any:
        if value is None and self.unset_allows:
            return self.written(dice.sample(self.entries, dice.randint(1, len(self.entries))))
        entries = value.split(self.separator) if self.separator and value else value or []
        least = 1 if self.unset_allows else 0
        if len(entries) <= least:
            raise Tightest
        return self.written(dice.sample(entries, dice.randint(least, len(entries) - 1)))


@dataclass(frozen=True)
class Unordered:
    """Values of which none is stricter than another."""

    values: "list[Any]"
    source: str

    def value(self, dice: random.Random) -> Any:
        return dice.choice(self.values)

    loose = value

    def tighter(self, value: Any, dice: random.Random) -> Any:
        raise Tightest


def restricts(*names: str, source: str) -> "dict[str, Order]":
    return dict.fromkeys(names, Steps([None, False, True], source))


def permits(*names: str, source: str) -> "dict[str, Order]":
    return dict.fromkeys(names, Steps([True, False], source, (False,)))


def actions(*names: str, source: str, unset: bool = False) -> "dict[str, Order]":
    """`unset`: if it is not set, there is no rule. Elsewhere the rule is another setting, and the default is a block."""
    words = ["warn", "blockWhenSettingIsSupported", "block", "wipe"]
    return dict.fromkeys(names, Steps([None, *words], source) if unset else Steps(words, source, ("block", "wipe")))


def pairs(*values: str) -> "list[dict[str, str]]":
    return [{"name": f"entry {value}", "value": value} for value in values]


LINKS = ["https://files.example/*", "https://*.corp.example/*", "http://intra.example/*"]
ANDROID_LINKS = "GD androidManagedAppProtection"
VERSIONS = "RS Conditional launch; facts 2.5: a minimum that is higher and a maximum that is lower restrict more"
ACTION = "GD managedAppRemediationAction; facts 2.5: wipe > block > warn"
PIN_PERIODS = "RS Access requirements: a shorter time asks more often; facts 2.4"
OFFLINE = "RS Offline grace period: a shorter time restricts more; GD: PT0S is no limit, facts sdk-21 13.3"
UNTOLD = "docs/policy-settings.md: no effect; GD androidManagedAppProtection, the word or number that asks for more"

ORDERS: "dict[str, Order]" = {
    "allowedInboundDataTransferSources": Steps(
        [None, "allApps", "managedApps", "none"], "GD managedAppDataTransferLevel; RS Receive data from other apps"),
    "allowedOutboundDataTransferDestinations": Steps(
        [None, "allApps", "managedApps", "none"], "GD managedAppDataTransferLevel; RS Send Org data to other apps"),
    "allowedOutboundClipboardSharingLevel": Steps(
        [None, "allApps", "managedAppsWithPasteIn", "managedApps", "blocked"],
        "GD managedAppClipboardSharingLevel; RS Restrict cut, copy, and paste between other apps"),
    "allowedOutboundClipboardSharingExceptionLength": Steps(
        [12, 5, 0], "RS Cut and copy character limit for any app: so many characters leave at any level"),
    "allowedDataStorageLocations": Entries(
        ["oneDriveForBusiness", "sharePoint", "box", "localStorage", "photoLibrary", "iManage", "egnyte"],
        "RS Allow user to save copies to selected services: exceptions to the block"),
    "allowedDataIngestionLocations": Entries(
        ["oneDriveForBusiness", "sharePoint", "camera", "photoLibrary", "localStorage", "box", "iManage", "egnyte"],
        "RS Allow users to open data from selected services: exceptions to the block"),
    **restricts("saveAsBlocked", source="RS Save copies of Org data"),
    **restricts("blockDataIngestionIntoOrganizationDocuments", source="RS Open data into Org documents"),
    **restricts("dataBackupBlocked", source="RS Backup Org data to iTunes and iCloud backups"),
    **restricts("printBlocked", source="RS Printing Org data"),
    **restricts("contactSyncBlocked", source="RS Sync policy managed app data with native apps or add-ins"),
    **permits("allowWidgetContentSync", source="RS Sync Org data with widgets"),
    "notificationRestriction": Steps(
        [None, "allow", "blockOrganizationalData", "block"],
        "GD managedAppNotificationRestriction; RS Org data notifications"),
    **restricts("filterOpenInToOnlyManagedApps", source="RS Policy managed apps with Open-In/Share filtering"),
    **permits("disableProtectionOfManagedOutboundOpenInData", source="RS Policy managed apps with OS sharing"),
    **restricts("protectInboundDataFromUnknownSources", source="RS All apps with incoming Org data"),
    "appDataEncryptionType": Steps(
        [None, "useDeviceSettings", "afterDeviceRestart", "whenDeviceLockedExceptOpenFiles", "whenDeviceLocked"],
        "GD managedAppDataEncryptionType, from the weakest to the strongest"),
    **restricts("thirdPartyKeyboardsBlocked", source="RS Third party keyboards"),
    **restricts("dictationBlocked", source="facts 2.8: DictationBlocked 0 allow, 1 block"),
    **dict.fromkeys(
        ["genmojiConfigurationState", "writingToolsConfigurationState"],
        Steps([None, "notBlocked", "blocked"], "GD …IosManagedAppConfigurationState")),
    "screenCaptureConfigurationState": Steps(
        ["notBlocked", "blocked"],
        "GD …IosManagedAppConfigurationState; facts 2.3: if it is not set, Send Org data to other apps decides",
        ("blocked",)),
    "purviewContentEvaluationRequired": Steps(
        [None, "notRequired", "requiredWhenOnline", "required"], "facts 1.3 managedAppPurviewEvaluationRequirement"),

    # Windows only.
    **dict.fromkeys(
        ["allowedInboundDataTransferSourceApps", "allowedOutboundDataTransferDestinationApps"],
        Entries(["oneDriveForBusiness"], "docs/policy-settings.md: what selectedApps still allows")),

    # Links.
    **restricts("managedBrowserToOpenLinksRequired", source="RS Restrict web content transfer with other apps"),
    "managedBrowser": Steps([None, "notConfigured", "microsoftEdge"], "GD managedBrowserType"),
    "customBrowserProtocol": Unordered(
        [None, "acme"], "RS Unmanaged browser protocol: names a browser, and no browser is stricter than another"),
    "dialerRestrictionLevel": Steps(
        [None, "allApps", "managedApps", "customApp", "blocked"],
        "GD managedAppPhoneNumberRedirectLevel; RS Transfer telecommunication data to"),
    "customDialerAppProtocol": Unordered([None, "acme-call"], "RS Dialer App URL Scheme: names an app"),
    "protectedMessagingRedirectAppType": Steps(
        [None, "anyApp", "anyManagedApp", "specificApps", "blocked"],
        "GD messagingRedirectAppType; RS Transfer messaging data to"),
    "messagingRedirectAppUrlScheme": Unordered([None, "acme-text"], "RS Messaging App URL Scheme: names an app"),
    "exemptedAppProtocols": Entries(
        pairs("skype", "app-settings", "sms", "tel", "custom"), "RS Select apps to exempt: a scheme is exempt"),
    "managedUniversalLinks": Entries(LINKS, "RS Select managed universal links: they may leave for a managed app"),
    "exemptedUniversalLinks": Entries(LINKS, "RS Select universal links to exempt: they may leave for any app"),

    # Access.
    "periodOfflineBeforeAccessCheck": Steps([None, "PT0S", "P30D", "P2D", "PT12H", "PT1H"], OFFLINE),
    "periodOnlineBeforeAccessCheck": Steps(["P1D", "PT30M", "PT3M"], PIN_PERIODS),
    "periodOfflineBeforeWipeIsEnforced": Steps([None, "PT0S", "P90D", "P2D", "P1D"], OFFLINE),
    **restricts("organizationalCredentialsRequired", source="RS Work or school account credentials for access"),
    **restricts("pinRequired", source="RS PIN for access"),
    "maximumPinRetries": Steps([None, 10, 5, 3, 2], "RS Max PIN attempts: fewer restrict more"),
    **actions("appActionIfMaximumPinRetriesExceeded", source="RS Max PIN attempts: reset PIN, or wipe"),
    **restricts("simplePinBlocked", source="RS Simple PIN; facts 2.4"),
    "minimumPinLength": Steps([None, 4, 6, 8], "RS Select minimum PIN length"),
    "pinCharacterSet": Steps([None, "numeric", "alphanumericAndSymbol"], "GD managedAppPinCharacterSet; RS PIN type"),
    "periodBeforePinReset": Steps([None, "PT0S", "P365D", "P2D", "P1D"], "RS PIN reset after number of days; facts 1.4"),
    "previousPinBlockCount": Steps([None, 0, 1, 5], "RS Select number of previous PIN values to maintain"),
    **restricts("fingerprintBlocked", source="RS Touch ID instead of PIN for access"),
    **restricts("faceIdBlocked", source="RS Face ID instead of PIN for access"),
    **permits("disableAppPinIfDevicePinIsSet", source="RS App PIN when device PIN is set"),
    "pinRequiredInsteadOfBiometricTimeout": Steps(["P1D", "PT12H", "PT30M"], PIN_PERIODS),

    # Conditional launch.
    **restricts("deviceComplianceRequired", source="RS Jailbroken/rooted devices"),
    **actions("appActionIfDeviceComplianceRequired", source=ACTION),
    "mobileThreatDefensePartnerPriority": Unordered(
        [None, "defenderOverThirdPartyPartner", "thirdPartyPartnerOverDefender"],
        "GD mobileThreatDefensePartnerPriority: names a partner"),
    **{f"minimum{how}{what}Version": Steps([None, "14", "15.2", "16.0", "99"], VERSIONS)
       for how in ("Required", "Warning", "Wipe") for what in ("Os", "App", "Sdk")},
    **{f"maximum{how}OsVersion": Steps([None, "99", "16.0", "15.2", "14"], VERSIONS)
       for how in ("Required", "Warning", "Wipe")},
    "maximumAllowedDeviceThreatLevel": Steps(
        [None, "notConfigured", "high", "medium", "low", "secured"], "RS Max allowed device threat level"),
    **actions("mobileThreatDefenseRemediationAction", "appActionIfUnableToAuthenticateUser", source=ACTION),
    "allowedIosDeviceModels": Entries(
        ["iPhone14,2", "iPhone15,3", "iPad13,1"], "RS Device model(s): other models are blocked; facts 1.4",
        unset_allows=True, separator=";"),
    **actions("appActionIfIosDeviceModelNotAllowed", source=ACTION),
    **actions("appActionIfAccountIsClockedOut", source="RS Non-working time; facts 2.5", unset=True),
    "gracePeriodToBlockAppsDuringOffClockHours": Steps(["P1D", "PT1H", "PT0S"], "facts 1.4: off-shift grace"),

    # Android only.
    **restricts("encryptAppData", source="RA Encrypt Org data"),
    **restricts("screenCaptureBlocked", source="RA Screen capture and Google Assistant"),
    **restricts("keyboardsRestricted", source="RA Approved keyboards"),
    "approvedKeyboards": Entries(pairs("com.example.keys", "com.example.board"), "RA Select keyboards to approve"),
    **restricts("biometricAuthenticationBlocked", source="RA Biometrics instead of PIN for access"),
    "exemptedAppPackages": Entries(
        pairs("com.example.notes", "com.example.chat"), "RA Select apps to exempt: an app is exempt"),
    "allowedAndroidDeviceModels": Entries(
        ["Pixel 8", "SM-G991", "iPhone14,2"], "RA Device model(s): other models are blocked", unset_allows=True),
    "allowedAndroidDeviceManufacturers": Entries(
        ["Google", "Samsung", "Apple"], "RA Device manufacturer(s): others are blocked", unset_allows=True, separator=";"),
    **actions("appActionIfAndroidDeviceModelNotAllowed", "appActionIfAndroidDeviceManufacturerNotAllowed",
              "appActionIfDeviceLockNotSet", source=ACTION),
    **restricts("deviceLockRequired", source="RA Device lock required"),
    **actions(*[f"appActionIfDevicePasscodeComplexityLessThan{level}" for level in ("Low", "Medium", "High")],
              "appActionIfDeveloperOptionsEnabled", "appActionIfSamsungKnoxAttestationRequired", source=ACTION, unset=True),
    **permits("fingerprintAndBiometricEnabled", source="RA Biometrics instead of PIN for access"),
    **restricts("requireClass3Biometrics", source="RA Class 3 biometrics"),
    **restricts("requirePinAfterBiometricChange", source="RA Override biometrics with PIN after biometric updates"),
    **permits("disableAppEncryptionIfDeviceEncryptionIsEnabled", source=UNTOLD),
    **{f"minimum{how}{what}Version": Steps([None, "1.0", "99"], UNTOLD)
       for how in ("Required", "Warning", "Wipe") for what in ("Patch", "CompanyPortal")},
    **{f"{how}AfterCompanyPortalUpdateDeferralInDays": Steps([None, 0, 30, 1], UNTOLD) for how in ("block", "warn", "wipe")},
    "requiredAndroidSafetyNetDeviceAttestationType": Steps(
        [None, "none", "basicIntegrity", "basicIntegrityAndDeviceCertification"], UNTOLD),
    "requiredAndroidSafetyNetAppsVerificationType": Steps([None, "none", "enabled"], UNTOLD),
    "requiredAndroidSafetyNetEvaluationType": Steps([None, "basic", "hardwareBacked"], UNTOLD),
    **actions("appActionIfAndroidSafetyNetDeviceAttestationFailed", "appActionIfAndroidSafetyNetAppsVerificationFailed",
              source=ACTION),
    **restricts("connectToVpnOnLaunch", source=UNTOLD),
    **{name: Unordered([None, "com.example.chat"], "RA: names an app")
       for name in ("customBrowserPackageId", "customDialerAppPackageId", "messagingRedirectAppPackageId")},
    **{name: Unordered([None, "Acme"], "RA: a name for people")
       for name in ("customBrowserDisplayName", "customDialerAppDisplayName", "messagingRedirectAppDisplayName")},
}

# What Windows orders in another way. sandbox.setPolicy takes the words of phones.
TRANSFER_ON_WINDOWS = Steps([None, "allApps", "selectedApps", "none"], "GD windowsManagedAppDataTransferLevel; RW")
ON_WINDOWS: "dict[str, Order]" = {
    "allowedInboundDataTransferSources": TRANSFER_ON_WINDOWS,
    "allowedOutboundDataTransferDestinations": TRANSFER_ON_WINDOWS,
    **dict.fromkeys(["mobileThreatDefenseRemediationAction", "appActionIfUnableToAuthenticateUser"],
                    Steps(["block", "wipe"], "GD windowsManagedAppProtection: there is no warn; facts sdk-21 13.1",
                          ("block", "wipe"))),
    "periodOfflineBeforeAccessCheck": Steps(
        [None, "P30D", "P1D", "PT1H", "PT0S"], "GD windowsManagedAppProtection: PT0S blocks at once, facts sdk-21 13.3"),
}


def order(name: str, platform: str) -> Order:
    return ON_WINDOWS[name] if platform == "windows" and name in ON_WINDOWS else ORDERS[name]


@dataclass(frozen=True)
class Row:
    """A row of docs/policy-settings.md."""

    name: str
    platforms: "tuple[str, ...]"
    merge: str
    effect: str
    words: "tuple[str, ...]"

    @property
    def has_effect(self) -> bool:
        return not self.effect.startswith("no effect")


def documented() -> "list[Row]":
    """The rows of docs/policy-settings.md, which is generated from the table of the product."""
    rows = []
    for line in (ROOT / "docs" / "policy-settings.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if len(cells) == 5 and cells[0].startswith("`"):
            platforms = tuple(one for one in PLATFORMS if one in cells[2].lower())
            names = re.findall(r"`(\w+)`", cells[0])
            rows.append(Row(names[0], platforms, cells[3], cells[4], tuple(re.findall(r"`(\w+)`", cells[1]))))
    return rows


ROWS = {row.name: row for row in documented()}


def settings(platform: str) -> "list[str]":
    """The settings that a policy for the platform has."""
    return [name for name, row in ROWS.items() if platform in row.platforms]
