"""Which policies and configurations of a tenant folder apply to a user."""
from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from .settings import (
    ACTIONS, ALL, MAXIMUMS, MINIMUMS, NO_NAME_ON_DEVICE, Mistyped, Policy, Silent, merge, read, source, version)

IOS = "#microsoft.graph.iosManagedAppProtection"
ANDROID = "#microsoft.graph.androidManagedAppProtection"
DEFAULT = "#microsoft.graph.defaultManagedAppProtection"
CONFIGURATION = "#microsoft.graph.targetedManagedAppConfiguration"


@dataclass
class Delivered:
    """What a check-in brings an account."""

    policy: "Policy | None" = None
    configurations: "list[dict[str, Any]]" = field(default_factory=list)
    default: "dict[str, str]" = field(default_factory=dict)
    # meaning 5: for the MDM user, mdm.appConfig is one more targeted dictionary.
    mdm: bool = False

    @property
    def is_configured(self) -> bool:
        return bool(self.configurations or self.mdm)


@source("meaning, the policy source: a member of a wrong type makes the file an error, 206 for all; an object needs at "
        "least one setting of its type")
def is_readable(tenant: "dict[str, Any]") -> bool:
    for path, file in tenant["files"].items():
        thing = file["object"]
        if path.startswith("policies/"):
            try:
                if not any([read(name, thing.get(name)) is not None for name in ALL]) and not thing.get("customSettings"):
                    raise Silent("says nothing")
            except Mistyped:
                return False
    return True


def deliver(tenant: "dict[str, Any]", user: "dict[str, Any]", device: "dict[str, Any]") -> Delivered:
    targeted, default, delivered = [], [], Delivered()
    for path, file in tenant["files"].items():
        thing = file["object"]
        kind = thing.get("@odata.type", IOS if path.startswith("policies/") else CONFIGURATION)
        applies, known = targets(tenant, path, thing, user, device)
        if kind == CONFIGURATION:
            if applies and known:
                delivered.configurations.append(thing)
            continue
        if not applies or platform(kind) not in (device.get("platform", "ios"), None):
            continue
        settings = {name: read(name, thing.get(name)) for name in ALL}
        if file.get("form") == "device":
            settings = {name: None if name in NO_NAME_ON_DEVICE else value for name, value in settings.items()}
            # facts 1.4: "" is an unset string, and so is a list that is written as one.
            settings.update({name: settings[name] or None for name in ("managedUniversalLinks", "exemptedUniversalLinks")})
            thing = {**thing, "id": path}
        if not known:
            soften(settings)
        if kind == DEFAULT:
            delivered.default.update({pair["name"]: pair["value"] for pair in thing.get("customSettings") or []})
            default.append((thing["id"], settings))
        else:
            targeted.append((thing["id"], settings))
    # meaning 14, facts 2.3: a targeted policy hides default ones whole.
    chosen = sorted(targeted or default, key=lambda item: item[0])
    if chosen:
        delivered.policy = Policy(merge([settings for _, settings in chosen]), [id for id, _ in chosen])
    mdm = tenant["tenant"].get("mdm") or {}
    delivered.mdm = mdm.get("user") == user["userPrincipalName"] and bool(mdm.get("appConfig"))
    delivered.configurations.sort(key=lambda thing: str(thing["id"]))
    return delivered


@source("the policy source, Targeting: a filter that is missing or cannot be evaluated: it applies, wipe becomes block")
def soften(settings: "dict[str, Any]") -> None:
    settings.update({name: "block" for name in ACTIONS if settings[name] == "wipe"})
    if settings["periodOfflineBeforeWipeIsEnforced"] is not None:
        settings["periodOfflineBeforeWipeIsEnforced"] = Silent("how an offline wipe becomes a block")
    for name in [name for name in (*MINIMUMS, *MAXIMUMS) if "Wipe" in name and version(settings[name]) is not None]:
        required = name.replace("Wipe", "Required")
        limits = [limit for limit in (settings[required], settings[name]) if version(limit) is not None]
        settings[required] = (max if name in MINIMUMS else min)(limits, key=lambda limit: version(limit) or ())
        settings[name] = None


def platform(kind: str) -> "str | None":
    """meaning 12: only targeted policies of the device's platform count, default policies on both."""
    return {IOS: "ios", ANDROID: "android"}.get(kind)


@source("meaning, the policy source, Targeting; facts 1.2 (group, exclusionGroup), filters.md")
def targets(
    tenant: "dict[str, Any]", path: str, thing: "dict[str, Any]", user: "dict[str, Any]", device: "dict[str, Any]"
) -> "tuple[bool, bool]":
    """Whether it applies, and whether that is known: a filter that cannot be evaluated narrows no protection policy."""
    app = tenant["app"]
    groups = set(user.get("groups", []))
    named = [one for one in tenant["tenant"].get("assignments", []) if one["policy"] == path]
    if named:
        return any(
            ("*" in one["groups"] or groups & set(one["groups"])) and ("*" in one["apps"] or app in one["apps"])
            for one in named), True
    managed = is_managed(tenant, user["userPrincipalName"], device)
    if not apps(thing, app) or not levels(thing, managed):
        return False, True
    if "assignments" not in thing:
        return True, True
    fits: "list[bool | None]" = []
    for target in (assignment["target"] for assignment in thing["assignments"]):
        kind, group = target["@odata.type"].rsplit(".", 1)[1], target.get("groupId")
        if kind == "exclusionGroupAssignmentTarget" and group in groups:
            return False, True
        if kind == "allLicensedUsersAssignmentTarget" or kind == "groupAssignmentTarget" and group in groups:
            fits.append(filtered(tenant, target, {**device, "managed": managed}))
    return True in fits or None in fits, True in fits or None not in fits


def apps(thing: "dict[str, Any]", app: str) -> bool:
    listed = {one["mobileAppIdentifier"]["bundleId"] for one in thing.get("apps") or []}
    group = thing.get("appGroupType")
    if group == "allApps" or group is None and not listed:
        return True
    return app in listed or group == "allMicrosoftApps" and app.startswith("com.microsoft.")


@source("facts 1.3, 1.4: targetedAppManagementLevels")
def levels(thing: "dict[str, Any]", managed: bool) -> bool:
    named = {name.strip() for name in (thing.get("targetedAppManagementLevels") or "unspecified").split(",")}
    return "unspecified" in named or ("mdm" if managed else "unmanaged") in named


@source("filters.md: unmanaged, unless the tenant names this user as MDM user; device.set managementType reports another")
def is_managed(tenant: "dict[str, Any]", user: str, device: "dict[str, Any]") -> bool:
    reported = device.get("managementType")
    return bool(reported == "managed" if reported else (tenant["tenant"].get("mdm") or {}).get("user") == user)


def filtered(tenant: "dict[str, Any]", target: "dict[str, Any]", device: "dict[str, Any]") -> "bool | None":
    """Whether the filter of an assignment lets the device through; None if it cannot be evaluated."""
    kind = target.get("deviceAndAppManagementAssignmentFilterType") or "none"
    if kind == "none":
        return True
    rule = tenant["filters"].get(target["deviceAndAppManagementAssignmentFilterId"])
    fits = evaluate(rule, device) if rule else None
    return fits if fits is None or kind == "include" else not fits


TOKEN = re.compile(r'\s*(?:(-?(?:and|or)\b)|(-\w+)|([()\[\],])|("[^"]*")|([\w.$]+))', re.I)


@source("filters.md: names, operators and values ignore case; lists, versions, and over or is assumed")
def evaluate(rule: str, device: "dict[str, Any]") -> "bool | None":
    tokens: "list[str]" = []
    end = 0
    while end < len(rule.rstrip()):
        found = TOKEN.match(rule, end)
        if not found:
            return None
        tokens.append(found.group().strip())
        end = found.end()
    try:
        value = _any(tokens, device)
    except (IndexError, KeyError, ValueError):
        return None
    return None if tokens else value


def _any(tokens: "list[str]", device: "dict[str, Any]") -> "bool | None":
    values = [_all(tokens, device)]
    while tokens and tokens[0].lower().lstrip("-") == "or":
        tokens.pop(0)
        values.append(_all(tokens, device))
    return True if True in values else None if None in values else False


def _all(tokens: "list[str]", device: "dict[str, Any]") -> "bool | None":
    values = [_one(tokens, device)]
    while tokens and tokens[0].lower().lstrip("-") == "and":
        tokens.pop(0)
        values.append(_one(tokens, device))
    return False if False in values else None if None in values else True


def _one(tokens: "list[str]", device: "dict[str, Any]") -> "bool | None":
    if tokens[0] == "(":
        tokens.pop(0)
        value = _any(tokens, device)
        if tokens.pop(0) != ")":
            raise ValueError
        return value
    name, operator, first = tokens.pop(0).lower(), tokens.pop(0).lower().lstrip("-"), tokens.pop(0)
    operands = [first.strip('"').lower()]
    if first == "[":
        operands = []
        while tokens[0] != "]":
            operands.append(tokens.pop(0).strip('"').lower())
            if tokens[0] == ",":
                tokens.pop(0)
        tokens.pop(0)
    actual = {
        "app.devicemanagementtype": "Managed" if device["managed"] else "Unmanaged",
        "app.devicemanufacturer": device.get("manufacturer"), "app.devicemodel": device.get("model"),
        "app.osversion": device.get("osVersion"), "app.operatingsystemversion": device.get("osVersion")}[name]
    if actual is None:
        raise Silent(f"the filter asks for {name}, which is not reported")
    actual = actual.lower()
    if name == "app.operatingsystemversion":
        own, other = version(actual) or (), version(operands[0]) or ()
        return {"eq": own == other, "ne": own != other, "gt": own > other, "ge": own >= other, "lt": own < other,
                "le": own <= other}[operator]
    return {"eq": actual == operands[0], "ne": actual != operands[0], "in": actual in operands,
            "notin": actual not in operands, "startswith": actual.startswith(operands[0]),
            "contains": operands[0] in actual, "notcontains": operands[0] not in actual}[operator]
