"""The questions about an account, each with what the model expects of the answer."""
from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, Callable

from . import questions as q
from .configuration import ask as configured
from .life import World
from .questions import LOCK_DOWN, OPEN, PROPERTIES, SAVE, Account

URLS = ["https://files.example/a", "http://intra.example/b", "https://web.example/", "mailto:eve@home.example", "tel:123",
        "telprompt:123", "sms:123", "skype:eve", "custom:x", "managed-app:x", "some-intunemam:x", "app-settings:x"]
UNIVERSAL = ["https://files.example/a/b", "https://x.corp.example/c", "https://corp.example/c", "http://intra.example/",
             "https://intra.example/", "https://web.example/a"]
ACTIONS = ["print", "screenCapture", "thirdPartyKeyboard", "dictation", "backup", "genmoji", "writingTools", "saveAs"]
TEXT = "twelve chars"


@dataclass
class Question:
    kind: str
    method: str
    params: "dict[str, Any]"
    pick: "Callable[[Any], Any]"
    expect: "Callable[[], Any]"
    rule: str


def same(value: Any) -> Any:
    return value


def name(account: "Account", world: World, dice: random.Random) -> str:
    """A spelling of an account: its name or object id; case does not matter."""
    user = world.user(account.name)
    text = str(user["id"]) if user and dice.random() < 0.4 else account.name
    return text.upper() if dice.random() < 0.2 else text


def all_questions(world: World, who: str, dice: random.Random) -> "list[Question]":
    """Questions about an account. Raises Silent if its state is not known."""
    account = world.account(who)
    others: "list[Account | None]" = [None]
    for life in world.lives.values():
        if not life.blurred:
            others.append(world.account(life.name))
    everybody = [one for one in others if one is not None]
    blurred = any(life.blurred for life in world.lives.values())
    asked: "list[Question]" = []

    def add(kind: str, rule: "Callable[..., Any]", *args: Any, method: "str | None" = None,
            pick: "Callable[[Any], Any]" = same, **params: Any) -> None:
        query, params = method or kind, {"account": name(account, world, dice), **params}
        asked.append(Question(kind, query, params, pick, lambda: rule(account, *args), rule.__name__))
        if dice.random() < 0.06 and query not in ("policyManager.policy", "enforcement.copy", "enforcement.paste"):
            asked.append(Question(
                f"policy.explain {query}", "policy.explain", {"query": query, "params": params},
                lambda answer: pick(answer["verdict"]), lambda: rule(account, *args), "an explanation never differs"))

    for question, rule in PROPERTIES.items():
        add(f"policy.{question}", rule)
        add(f"policyManager.policy {question}", rule, method="policyManager.policy",
            pick=lambda answer, question=question: answer["properties"][question])
    asked.append(Question("policyManager.isIdentityManaged", "policyManager.isIdentityManaged",
                          {"account": name(account, world, dice)}, same, lambda: account.policy is not None, "enroll"))
    asked.append(Question("policyManager.policy policies", "policyManager.policy", {"account": name(account, world, dice)},
                          lambda answer: [one["id"] for one in answer["policies"] if not one["id"].startswith("policies/")],
                          lambda: shown(account), "targets"))
    other = dice.choice(others)
    with_other = {"locationAccount": name(other, world, dice)} if other else {}
    for location in SAVE:
        add("policy.isSaveToAllowedForLocation", q.save, location, other, location=location, **with_other)
        add("policy.getSaveToLocations", q.save, location, other, method="policy.getSaveToLocations",
            pick=lambda answer, location=location: answer[location], **with_other)
    for location in OPEN:
        add("policy.isOpenFromAllowedForLocation", q.open_from, location, other, location=location, **with_other)
        add("policy.getOpenFromLocations", q.open_from, location, other, method="policy.getOpenFromLocations",
            pick=lambda answer, location=location: answer[location], **with_other)
    for url in URLS:
        managed = dice.random() < 0.2
        add("policy.isURLAllowed", q.url, url, managed, url=url, isKnownManagedAppScheme=managed)
        add("enforcement.openURL", q.open_url, url, url=url, pick=lambda answer: answer["action"] + (
            " " + answer["url"].split(":")[0] if answer["action"] == "rewrite" else ""))
    for url in UNIVERSAL:
        add("policy.isUniversalLinkAllowed", q.universal_link, url, url=url)
    for mode in ("import", "open", "exportToService", "moveToService"):
        add("policy.isDocumentPickerAllowed", q.picker, mode, mode=mode)
    add("policy.canReceiveSharedItemProvider", q.receives_unowned, itemProvider={"data": "aGVsbG8="})
    add("policy.hasSaveRestriction", q.save_restriction)
    add("policy.hasOpenRestriction", q.open_restriction)
    for action in ACTIONS:
        if action == "thirdPartyKeyboard" and blurred:
            continue
        add(f"enforcement.isActionAllowed {action}", q.action, action, everybody, method="enforcement.isActionAllowed",
            action=action)
    for text in (TEXT[:5], TEXT, TEXT + "!"):
        add("enforcement.copy", q.copy, text, text=text, pick=lambda answer: answer["clipboard"])
        add("enforcement.paste", q.paste, text, text=text, pick=lambda answer: answer["allowed"])
    targets = [{"id": "managed", "managed": True}, {"id": "unmanaged", "managed": False}]
    add("enforcement.filterShareTargets", q.share_targets, targets=targets,
        pick=lambda answer: [one["id"] for one in answer["targets"]])
    add("enforcement.filterShareTargets encrypt", q.share_encrypts, method="enforcement.filterShareTargets", targets=targets,
        pick=lambda answer: answer["encrypt"])
    add("enforcement.redactNotification", q.notifications, title="Eve", body="figures",
        pick=lambda answer: "block" if not answer["show"] else "allow" if answer["body"] == "figures" else "blockOrgData")
    asked.append(Question("userStatusManager.userStatus", "userStatusManager.userStatus",
                          {"account": name(account, world, dice)}, lambda answer: answer and answer["clockStatus"],
                          lambda: world.clock_status(who), "clock_status"))
    configuration = world.configuration(who)
    for key in ("server", "port", "flag", "absent"):
        for method, queries in (("boolValueForKey", ["any", "or", "and"]), ("numberValueForKey", ["any", "min", "max"]),
                                ("stringValueForKey", ["any", "min", "max"]), ("allBoolsForKey", [""]),
                                ("allNumbersForKey", [""]), ("allStringsForKey", [""]), ("hasConflict", [""])):
            query = dice.choice(queries)
            params: "dict[str, Any]" = {"account": name(account, world, dice), "key": key}
            if query:
                params["queryType"] = query
            asked.append(Question(
                f"appConfig.{method}", f"appConfig.{method}", params, same,
                lambda method=method, key=key, query=query: configured(configuration, method, key, query), "ask"))
    asked.append(Question(
        "appConfig.fullData", "appConfig.fullData", {"account": name(account, world, dice)},
        lambda answer: [one for one in answer if not {"__IsDefault", "IntuneMAMUPN"} & set(one)],
        lambda: configuration.targeted, "ask"))
    second = dice.choice(everybody)
    if second.name != account.name and (second.policy or account.policy):
        both = [name(account, world, dice), name(second, world, dice)]
        for question, locked in LOCK_DOWN.items():
            asked.append(Question(f"lock-down {question}", f"policy.{question}", {"accounts": both}, same,
                                  lambda locked=locked: locked, "sdk-21 3.4, 3.5: a fixed lock-down policy"))
        for location in SAVE:
            asked.append(Question("lock-down saving", "policy.isSaveToAllowedForLocation",
                                  {"accounts": both, "location": location}, same, lambda: False, "sdk-21 3.5"))
        asked.append(Question("lock-down isPINRequired", "policy.isPINRequired", {"accounts": both}, same,
                              lambda: q.pin(account) or q.pin(second), "sdk-21 3.5: any account's own"))
    if not blurred:
        asked.append(Question("policyManager.isManagementEnabled", "policyManager.isManagementEnabled", {}, same,
                              lambda: any(one.policy for one in everybody), "meaning 5"))
        asked.append(Question(
            "enrollmentManager.enrolledAccounts", "enrollmentManager.enrolledAccounts", {},
            lambda answer: sorted(one["identity"] for one in answer),
            lambda: sorted(life.name for life in world.enrolled()), "enroll"))
        first = next(iter(world.enrolled()), None)
        for method in ("enrolledAccount", "mdmEnrolledAccount"):
            mdm = (world.tenant["tenant"].get("mdm") or {}).get("appConfig", {}).get("IntuneMAMUPN")
            if method == "mdmEnrolledAccount" and (not world.device.get("networkAvailable", True) or world.trouble):
                continue
            asked.append(Question(
                f"enrollmentManager.{method}", f"enrollmentManager.{method}", {},
                lambda answer: answer and answer["identity"],
                lambda method=method, mdm=mdm: mdm if method[0] == "m" else world.first_enrolled(),
                "meaning 5: enrolledAccount: the first enrolled"))
        if not world.several:
            asked.append(Question(
                "policyManager.mamPolicySource", "policyManager.mamPolicySource", {}, same,
                lambda: "other" if not first or not world.account(first.name).policy else
                "mdm" if world.account(first.name).mdm == first.name else "mam",
                "meaning 5: mdm for the MDM user, mam for others, other without policy"))
            # meaning 1: single identity: the process's is the enrolled account.
            enrolled = world.enrolled()
            effective = world.account(enrolled[0].name) if enrolled else Account("", None, world.device)
            for question in ("isContactSyncAllowed", "isAppSharingAllowed", "isPINRequired"):
                asked.append(Question(f"effective identity {question}", f"policy.{question}", {}, same,
                                      lambda question=question: PROPERTIES[question](effective), "meaning 1"))
        else:
            asked.append(Question("effective identity isAppSharingAllowed", "policy.isAppSharingAllowed", {}, same,
                                  lambda: True, "meaning 1: MultiIdentity: all start null"))
    return asked


def shown(account: Account) -> "list[str]":
    return [one for one in account.policy.ids if not one.startswith("policies/")] if account.policy else []
