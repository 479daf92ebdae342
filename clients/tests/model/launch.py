"""Conditional launch: what each rule of a policy says about the device, and the verdict."""
from __future__ import annotations

from typing import Any

from .questions import Account, OneOf, pin
from .settings import Silent, source, version

STRICTEST = ["passed", "notApplicable", "warn", "challenge", "block", "wipe"]


@source("facts 1.4, 2.5; meaning 12, 13: strictly below a minimum or above a maximum, wipe included; unset is notApplicable")
def versions(account: Account) -> "dict[str, Any]":
    rules: "dict[str, Any]" = {}
    for what, reported in (("Os", "osVersion"), ("App", "appVersion"), ("Sdk", "sdkVersion")):
        actual = account.device.get(reported, "21.7.1" if what == "Sdk" else None)
        for bound in ("minimum", "maximum"):
            for kind, outcome in (("Required", "block"), ("Warning", "warn"), ("Wipe", "wipe")):
                name = f"{bound}{kind}{what}Version"
                limit = version(account.get(name))
                if not limit:
                    continue
                own = version(actual)
                if not own:
                    rules[name] = "notApplicable"
                else:
                    rules[name] = outcome if (own < limit if bound == "minimum" else own > limit) else "passed"
    return rules


@source("facts 1.4, 2.5: jailbroken, device models (others block / wipe), threat level; meaning 12: a level that is "
        "demanded and not reported blocks")
def device(account: Account) -> "dict[str, Any]":
    rules: "dict[str, Any]" = {}
    if account.get("deviceComplianceRequired"):
        rules["deviceComplianceRequired"] = "passed" if not account.device.get("jailbroken") else \
            account.get("appActionIfDeviceComplianceRequired") or "block"
    models = account.get("allowedIosDeviceModels")
    if models is not None:
        model = account.device.get("model")
        rules["allowedIosDeviceModels"] = "notApplicable" if not model else "passed" if model.lower() in models else \
            account.get("appActionIfIosDeviceModelNotAllowed") or "block"
    ceiling = account.get("maximumAllowedDeviceThreatLevel")
    if ceiling not in (None, "notConfigured"):
        order = ["secured", "low", "medium", "high"]
        level = account.device.get("threatLevel", "notConfigured")
        if level == "notConfigured":
            rules["maximumAllowedDeviceThreatLevel"] = "block"
        else:
            rules["maximumAllowedDeviceThreatLevel"] = "passed" if order.index(level) <= order.index(ceiling) else \
                account.get("mobileThreatDefenseRemediationAction") or "block"
    return rules


@source("facts 2.5: offline grace blocks after minutes, wipes after days unless the user connects and signs in; timers run "
        "per app from its last check-in")
def offline(account: Account, minutes: "float | None") -> "dict[str, Any]":
    rules: "dict[str, Any]" = {}
    for name, outcome in (
            ("periodOfflineBeforeAccessCheck", "block"),
            ("periodOfflineBeforeWipeIsEnforced", OneOf("challenge", "block", "wipe"))):
        limit = account.get(name)
        if limit is None:
            continue
        if minutes is None or limit == 0 or limit == minutes:
            rules[name] = Silent("a period that has just ended, or of zero")
        else:
            rules[name] = outcome if minutes > limit else "passed"
    return rules


@source("facts 1.4: disabled account at check-in, 2.5: block / wipe")
def disabled(account: Account, is_disabled: bool) -> "dict[str, Any]":
    action = account.get("appActionIfUnableToAuthenticateUser")
    if not is_disabled or action is None:
        return {}
    return {"appActionIfUnableToAuthenticateUser": action}


@source("facts 2.5: Non-working time, warn / block, needs the Working Time API; missing status may block")
def clock(account: Account, status: str) -> "dict[str, Any]":
    action = account.get("appActionIfAccountIsClockedOut")
    if action is None:
        return {}
    if status not in ("clockedIn", "clockedOut"):
        return {"appActionIfAccountIsClockedOut": Silent("without a fresh status")}
    return {"appActionIfAccountIsClockedOut": action if status == "clockedOut" else "passed"}


@source("facts 2.5: wipe > block > warn; 2.4: credentials and PIN both on => both prompts")
def verdict(account: Account, rules: "dict[str, Any]") -> Any:
    """The verdict, where no question was ever answered."""
    if any(isinstance(outcome, Silent) for outcome in rules.values()):
        raise next(outcome for outcome in rules.values() if isinstance(outcome, Silent))
    if any(isinstance(outcome, OneOf) for outcome in rules.values()):
        certain = {outcome for outcome in rules.values() if isinstance(outcome, str)}
        return "wipe" if "wipe" in certain else OneOf("block", "wipe")
    strictest = max([*rules.values(), "passed"], key=STRICTEST.index)
    if strictest in ("wipe", "block"):
        return strictest
    asks = pin(account) or bool(account.get("organizationalCredentialsRequired"))
    if strictest == "warn":
        return OneOf("warn", "block") if asks else "warn"
    return "block" if asks else "allow"
