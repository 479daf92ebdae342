"""Where a tighter setting allows more, and the page of Microsoft's that says so."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable

from .faults import Fault
from .orders import ROWS

if TYPE_CHECKING:
    from .answers import Loosening
    from .tightening import Loosened

REDIRECTS = {"dialerRestrictionLevel": ("managedApps", "customApp"),
             "protectedMessagingRedirectAppType": ("anyManagedApp", "specificApps")}
NAMING = (*REDIRECTS, "managedBrowserToOpenLinksRequired")
OPENING = ("policy.isURLAllowed", "enforcement.openURL")


@dataclass(frozen=True)
class Exemption:
    """A case in which more is allowed. `example` is one: a platform, policies, the setting of the first, its new value, and
    the method that allows more. A test fails if it no longer does, or if this does not cover it."""

    reason: str
    page: str
    covers: "Callable[[Loosened], bool]"
    example: "tuple[str, list[dict[str, Any]], str, Any, str]"


def is_number_of_several(found: "Loosened") -> bool:
    return ROWS[found.step.setting].merge.startswith("else") and len(found.scene.policies) > 1


def is_redirect(found: "Loosened") -> bool:
    return found.step.setting in REDIRECTS and found.question.method in OPENING and (
        found.answers[1] is True or isinstance(found.answers[1], dict) and found.answers[1]["action"] == "rewrite")


def is_named_app(found: "Loosened") -> bool:
    url = found.question.params.get("url", "").split(":")[0]
    return found.step.setting in NAMING and found.question.method in OPENING and url in (
        "custom", "intent", "android-app", "microsoft-edge")


def is_letter_in_numeric_pin(found: "Loosened") -> bool:
    return found.step.setting == "pinCharacterSet" and found.question.method == "pin.set" and not str(
        found.question.params["pin"]).isdigit()


EXEMPTIONS = [
    Exemption(
        "Numbers and times that differ between several policies fall to the default of the portal, which may be looser "
        "than both.",
        "ID/intune/configuration/device-profile-troubleshoot.md (facts 2.3)", is_number_of_several,
        ("ios", [{"maximumPinRetries": 3, "pinRequired": True}, {"maximumPinRetries": 3}], "maximumPinRetries", 2,
         "pin.status")),
    Exemption(
        "A specific app for calls and messages is not stricter than any managed app: each allows what the other does not.",
        "MD/…/ref-settings-ios.md, Transfer telecommunication data to, Transfer messaging data to", is_redirect,
        ("ios", [{"dialerRestrictionLevel": "managedApps", "customDialerAppProtocol": "acme-call"}],
         "dialerRestrictionLevel", "customApp", "enforcement.openURL")),
    Exemption(
        "A policy that sends links, calls or messages to an app that it names lets addresses of that app open.",
        "MD/…/ref-settings-ios.md, Unmanaged browser protocol; MD/…/ref-settings-android.md, Unmanaged browser ID",
        is_named_app,
        ("android", [{"allowedOutboundDataTransferDestinations": "managedApps", "customBrowserPackageId":
                      "com.example.chat"}], "managedBrowserToOpenLinksRequired", True, "policy.isURLAllowed")),
    Exemption(
        "A numeric PIN has no letters, and a passcode must have some: a passcode is refused where a numeric PIN is asked.",
        "MD/…/ref-settings-ios.md, PIN type (facts 2.4 and 6: Numeric_PIN_Not_Allowed, Only_Numeric_Allowed)",
        is_letter_in_numeric_pin,
        ("ios", [{"pinRequired": True, "pinCharacterSet": "numeric"}], "pinCharacterSet", "alphanumericAndSymbol",
         "pin.set")),
]


def excused(found: "Loosened") -> "Exemption | None":
    return next((one for one in EXEMPTIONS if one.covers(found)), None)


@dataclass(frozen=True)
class Pardon:
    """An answer of a source that allows more although something in it is missing. `example` is one: source and fault."""

    reason: str
    page: str
    covers: "Callable[[Fault], bool]"
    example: "tuple[str, Fault]"


def is_setting_not_set(fault: "Fault") -> bool:
    return is_gone(fault) and (fault.path[-1] in ROWS or fault.path[-1] == "unknownOfTomorrow")


def is_said_to_be_none(fault: "Fault") -> bool:
    said = fault.kind == "mistyped" and fault.value is None and fault.path[0] in OF_TENANT and len(fault.path) == 1
    return said or fault.kind == "missing" and fault.path[:-1] == ("certificatePins",)


def is_taken_from_folder(fault: "Fault") -> bool:
    return fault.file == "tenant.json" and fault.kind == "missing" and fault.path[0] in OF_TENANT and len(fault.path) == 1


def is_user_without_groups(fault: "Fault") -> bool:
    return is_gone(fault) and fault.path == ("users", 0, "groups")


def is_gone(fault: "Fault") -> bool:
    return fault.kind == "missing" or fault.kind == "mistyped" and fault.value is None


OF_TENANT = ("allowedAccounts", "certificatePins", "unknownRestrictions")
PARDONS = [
    Pardon(
        "A policy that is read whole, and does not have a setting or has null for it, does not set it.",
        "GD iosManagedAppProtection, whose settings may be null (facts 1.4); docs/policy-settings.md", is_setting_not_set,
        ("program", Fault("answer.json", "missing", ("policies", 0, "printBlocked")))),
    Pardon(
        "null and an empty object say that there are no allowed accounts, pins or blocks of unknown settings.",
        "IntuneMAMEnrollmentManager.h: allowedAccounts is nil if none are set (facts 2.7); docs/sources.md for the others",
        is_said_to_be_none, ("program", Fault("answer.json", "mistyped", ("allowedAccounts",), None))),
    Pardon(
        "A folder is read whole: what tenant.json does not have, the administrator does not set.",
        "IntuneMAMEnrollmentManager.h: allowedAccounts is nil if none are set (facts 2.7); docs/administrator-guide.md",
        is_taken_from_folder, ("folder", Fault("tenant.json", "missing", ("allowedAccounts",)))),
    Pardon(
        "A user without groups has no policy that is assigned to a group.",
        "MD/…/protection/policy-delivery-timing.md: user has no app protection policy assigned (facts 2.1)",
        is_user_without_groups, ("folder", Fault("tenant.json", "missing", ("users", 0, "groups")))),
]


def pardoned(found: "Loosening") -> "Pardon | None":
    return next((one for one in PARDONS if one.covers(found.fault)), None)
