"""Random users, devices and policies, and the settings to tighten."""
from __future__ import annotations

import collections
import json
import random
from dataclasses import dataclass, field
from typing import Any

from .orders import PLATFORMS, ROWS, Entries, Steps, Tightest, order, settings

ANN, DAN = "ann@contoso.example", "dan@contoso.example"
NOW = "2026-01-31T09:30:00Z"
PIN = "2846"
PIN_SETTINGS = ["simplePinBlocked", "minimumPinLength", "pinCharacterSet", "previousPinBlockCount", "pinRequired",
                "disableAppPinIfDevicePinIsSet"]
TRY_SETTINGS = ["maximumPinRetries", "appActionIfMaximumPinRetriesExceeded"]
TIME_SETTINGS = ["periodOfflineBeforeAccessCheck", "periodOnlineBeforeAccessCheck", "periodOfflineBeforeWipeIsEnforced",
                 "periodBeforePinReset", "pinRequiredInsteadOfBiometricTimeout", "fingerprintBlocked", "faceIdBlocked",
                 "gracePeriodToBlockAppsDuringOffClockHours", "appActionIfAccountIsClockedOut",
                 "organizationalCredentialsRequired", "appActionIfUnableToAuthenticateUser",
                 "biometricAuthenticationBlocked", "fingerprintAndBiometricEnabled", "requireClass3Biometrics",
                 "requirePinAfterBiometricChange"]
# What ends most launches is in few policies, so that the other settings count.
RARE = ("minimum", "maximum", "allowedIosDevice", "allowedAndroidDevice", "appAction", "deviceLock", "deviceCompliance")
# What lets others count is in most.
DECISIVE = ("allowedInbound", "allowedOutbound", "saveAsBlocked", "blockDataIngestion", "allowedData", "keyboardsRestricted",
            "managedBrowserToOpen", "deviceComplianceRequired", "maximumAllowedDeviceThreatLevel")


@dataclass(frozen=True)
class Need:
    """What lets a setting decide an answer."""

    policy: "dict[str, Any]" = field(default_factory=dict)
    device: "dict[str, Any]" = field(default_factory=dict)
    user: "dict[str, Any]" = field(default_factory=dict)


# The user for whom the device is managed.
MDM = {"mdm": True}
TO_MANAGED = {"allowedOutboundDataTransferDestinations": "managedApps"}
CLOCKED_OUT = Need({}, {}, {"clock": {"status": "clockedOut", "updated": "2026-01-31T08:10:00Z"}})
# A PIN is asked for after a pause, and biometrics may take its place.
ASKED = {"pinRequired": True, "periodOnlineBeforeAccessCheck": "PT3M", "pinRequiredInsteadOfBiometricTimeout": "PT12H",
         "fingerprintAndBiometricEnabled": True}
NEEDS = {
    **dict.fromkeys(["filterOpenInToOnlyManagedApps", "exemptedAppProtocols", "exemptedAppPackages"], Need(TO_MANAGED)),
    **dict.fromkeys(["managedUniversalLinks", "exemptedUniversalLinks"], Need(TO_MANAGED)),
    "disableProtectionOfManagedOutboundOpenInData": Need(
        {**TO_MANAGED, "filterOpenInToOnlyManagedApps": False}, {}, MDM),
    "allowedDataStorageLocations": Need({**TO_MANAGED, "saveAsBlocked": True}),
    "allowedDataIngestionLocations": Need({
        "allowedInboundDataTransferSources": "managedApps", "blockDataIngestionIntoOrganizationDocuments": True}),
    "allowedInboundDataTransferSourceApps": Need({"allowedInboundDataTransferSources": "selectedApps"}),
    "allowedOutboundDataTransferDestinationApps": Need({"allowedOutboundDataTransferDestinations": "selectedApps"}),
    "approvedKeyboards": Need({"keyboardsRestricted": True}),
    "allowWidgetContentSync": Need({"contactSyncBlocked": True}),
    "disableAppPinIfDevicePinIsSet": Need({"pinRequired": True}, {"devicePinSet": True}, MDM),
    "deviceComplianceRequired": Need({}, {"jailbroken": True}),
    "appActionIfDeviceComplianceRequired": Need({"deviceComplianceRequired": True}, {"jailbroken": True}),
    "maximumAllowedDeviceThreatLevel": Need({}, {"threatLevel": "high"}),
    "mobileThreatDefenseRemediationAction": Need({"maximumAllowedDeviceThreatLevel": "low"}, {"threatLevel": "high"}),
    "allowedIosDeviceModels": Need({}, {"model": "iPad13,1"}),
    "appActionIfIosDeviceModelNotAllowed": Need({"allowedIosDeviceModels": "iPhone15,3"}, {"model": "iPad13,1"}),
    "allowedAndroidDeviceModels": Need({}, {"model": "SM-G991"}),
    "appActionIfAndroidDeviceModelNotAllowed": Need({"allowedAndroidDeviceModels": ["SM-G991"]}, {"model": "Pixel 8"}),
    "allowedAndroidDeviceManufacturers": Need({}, {"manufacturer": "Samsung"}),
    "appActionIfAndroidDeviceManufacturerNotAllowed": Need(
        {"allowedAndroidDeviceManufacturers": "Google"}, {"manufacturer": "Samsung"}),
    "deviceLockRequired": Need({}, {"devicePinSet": False}),
    "appActionIfDeviceLockNotSet": Need({"deviceLockRequired": True}, {"devicePinSet": False}),
    **{f"appActionIfDevicePasscodeComplexityLessThan{level}": Need({}, {"passcodeComplexity": "none"})
       for level in ("Low", "Medium", "High")},
    "appActionIfDeveloperOptionsEnabled": Need({}, {"developerOptionsEnabled": True}),
    "appActionIfSamsungKnoxAttestationRequired": Need({}, {"knoxAttested": False, "manufacturer": "Samsung"}),
    "appActionIfAccountIsClockedOut": CLOCKED_OUT,
    "gracePeriodToBlockAppsDuringOffClockHours": Need({"appActionIfAccountIsClockedOut": "block"}, {}, CLOCKED_OUT.user),
    **{f"{kind}{what}Version": Need({}, {f"{what.lower()}Version": "15.3"})
       for kind in ("minimumRequired", "minimumWarning", "minimumWipe", "maximumRequired", "maximumWarning", "maximumWipe")
       for what in ("Os", "App", "Sdk")},
    "allowedOutboundClipboardSharingExceptionLength": Need({"allowedOutboundClipboardSharingLevel": "blocked"}),
    "protectInboundDataFromUnknownSources": Need({"allowedInboundDataTransferSources": "allApps"}, {}, MDM),
    "appActionIfMaximumPinRetriesExceeded": Need({"maximumPinRetries": 2}),
    "requireClass3Biometrics": Need(ASKED, {"biometricClass": "class2"}),
    "requirePinAfterBiometricChange": Need(ASKED, {"biometricClass": "class3", "biometricsChanged": True}),
    **dict.fromkeys(["biometricAuthenticationBlocked", "fingerprintBlocked", "faceIdBlocked",
                     "fingerprintAndBiometricEnabled"], Need(ASKED, {"biometricClass": "class3"})),
    "pinRequiredInsteadOfBiometricTimeout": Need({**ASKED, "pinRequiredInsteadOfBiometricTimeout": "P1D"}),
}


@dataclass
class Scene:
    """A user with a device, and the policies for the user. All of it is JSON."""

    platform: str
    device: "dict[str, Any]"
    user: "dict[str, Any]"
    policies: "list[dict[str, Any]]"
    other: "dict[str, Any]"
    configuration: "dict[str, str]" = field(default_factory=dict)
    # What is done besides the questions: "pins", "tries", "time", or nothing.
    extra: str = ""

    def text(self) -> str:
        return json.dumps(self.__dict__, indent=1)


@dataclass
class Step:
    """One setting of one policy, before and after."""

    policy: int
    setting: str
    was: Any
    now: Any

    def apply(self, policies: "list[dict[str, Any]]") -> "list[dict[str, Any]]":
        return [{**one, self.setting: self.now} if number == self.policy else one for number, one in enumerate(policies)]


def seed(user: "dict[str, Any]") -> "dict[str, Any]":
    users = [{"userPrincipalName": ANN, **user}, {"userPrincipalName": DAN}]
    managed = users[0].pop("mdm", False)
    return {"tenantId": "6babcaad-604b-40ac-a9d7-9fd97c0b779f", "displayName": "Contoso", "users": [
        {"id": f"00000000-0000-4000-8000-00000000000{number}", "displayName": "X", "groups": [], **user}
        for number, user in enumerate(users)],
        **({"mdm": {"user": ANN, "appConfig": {"IntuneMAMUPN": ANN}}} if managed else {})}


def device(dice: random.Random, platform: str) -> "dict[str, Any]":
    choices: "dict[str, list[Any]]" = {
        "osVersion": ["14.8", "15.2", "15.2.1", "16.0", "17.4"], "appVersion": ["14.0", "15.2", "16.1"],
        "sdkVersion": ["14.0", "15.3", "22"], "model": ["iPhone14,2", "iPad13,1", "Pixel 8"],
        "manufacturer": ["Apple", "Samsung", "acme"], "jailbroken": [True, False],
        "threatLevel": ["secured", "low", "medium", "high"], "devicePinSet": [True, False],
        "managedAppSchemes": [["managed-app"]], "passcodeComplexity": ["none", "low", "medium", "high"],
        "knoxAttested": [True, False], "developerOptionsEnabled": [True, False],
        "biometricClass": ["class1", "class2", "class3"], "biometricsChanged": [True, False]}
    found = {name: dice.choice(values) for name, values in choices.items() if dice.random() < 0.6}
    if platform != "windows" and dice.random() < 0.5:
        found["managementType"] = "managed"  # a managed Windows device enrolls nobody
    return found


def policy(dice: random.Random, platform: str) -> "dict[str, Any]":
    density, chosen = dice.choice([0.1, 0.4, 0.8]), {}
    for name in settings(platform):
        share = density * 0.2 if name.startswith(RARE) else max(density, 0.6) if name.startswith(DECISIVE) else density
        if dice.random() < share and (value := order(name, platform).value(dice)) is not None:
            chosen[name] = value
    return {**chosen, "printBlocked": chosen.get("printBlocked", False)}


def random_scene(dice: random.Random, platform: str, extra: str) -> Scene:
    clock = dice.choice([None, {"status": "clockedOut", "updated": "2026-01-31T08:10:00Z"},
                         {"status": "clockedIn", "updated": "2026-01-31T08:10:00Z"}])
    policies = [policy(dice, platform) for _ in range(dice.choice([1, 1, 2]))]
    if extra and platform != "windows":
        policies[0]["pinRequired"] = dice.random() < 0.9
    screen = {"com.microsoft.intune.mam.screencapturecontrol": "Disabled"} if dice.random() < 0.2 else {}
    return Scene(platform, device(dice, platform), {"clock": clock} if clock else {}, policies, policy(dice, platform),
                 screen, extra)


def extra_of(name: str) -> str:
    groups = {"pins": PIN_SETTINGS, "tries": TRY_SETTINGS, "time": TIME_SETTINGS}
    return next((extra for extra, names in groups.items() if name in names), "")


def is_ordered(name: str, platform: str) -> bool:
    dice = random.Random(0)
    try:
        order(name, platform).tighter(order(name, platform).loose(dice), dice)
    except Tightest:
        return False
    return True


@dataclass
class Case:
    """Settings that are tightened one after the other."""

    seed: str
    platform: str
    extra: str
    names: "list[str]"


def round_(seed: str, most: int = 12) -> "list[Case]":
    """Each setting once, on one of its platforms."""
    dice = random.Random(seed)
    groups: "dict[tuple[str, str], list[str]]" = collections.defaultdict(list)
    for name, row in ROWS.items():
        platform = dice.choice([one for one in PLATFORMS if one in row.platforms])
        if is_ordered(name, platform):
            groups[platform, extra_of(name)].append(name)
    cases = []
    for (platform, extra), names in groups.items():
        dice.shuffle(names)
        cases += [Case(f"{seed} {platform} {extra} {begin}", platform, extra, names[begin:begin + most])
                  for begin in range(0, len(names), most)]
    return cases


def prepared(case: Case) -> Scene:
    """A random scene, in which the settings have values that can be tightened, and mostly decide something."""
    dice = random.Random(case.seed)
    scene = random_scene(dice, case.platform, case.extra)
    for name in case.names:
        if dice.random() < 0.8:
            meet(NEEDS.get(name, Need()), scene)
    for name in case.names:
        dice.choice(scene.policies)[name] = order(name, case.platform).loose(dice)
    scene.policies = [{name: value for name, value in one.items() if value is not None} for one in scene.policies]
    return scene


def meet(need: Need, scene: Scene) -> None:
    scene.device.update(need.device)
    scene.user.update(need.user)
    known = settings(scene.platform)
    for one in scene.policies:
        one.update({name: value for name, value in need.policy.items() if name in known})


def witnesses(names: "list[str]") -> "list[list[tuple[Scene, Step]]]":
    """Each setting goes from its loosest value to its tightest, where it should decide something. Those of a group can be
    tried in one sandbox."""
    groups: "dict[str, list[tuple[Scene, Step]]]" = collections.defaultdict(list)
    for name in names:
        scene, step = witness(name, next(one for one in ROWS[name].platforms if is_ordered(name, one)))
        groups[json.dumps([scene.platform, scene.extra, scene.user])].append((scene, step))
    return list(groups.values())


def witness(name: str, platform: str) -> "tuple[Scene, Step]":
    dice, one = random.Random(0), order(name, platform)
    if isinstance(one, Entries):
        was = one.loose(dice) if one.unset_allows else one.written(one.entries)
        now = one.written(one.entries[:1]) if one.unset_allows else []
    else:
        assert isinstance(one, Steps)
        was, now = one.values[0], one.values[-1]
    scene = Scene(platform, {}, {}, [{"printBlocked": False}], {"printBlocked": False}, extra=extra_of(name))
    meet(Need({"pinRequired": True} if extra_of(name) else {}), scene)
    meet(NEEDS.get(name, Need()), scene)
    scene.policies[0].pop(name, None)
    scene.policies[0].update({} if was is None else {name: was})
    return scene, Step(0, name, was, now)
