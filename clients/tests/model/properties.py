"""What is true of every policy: a stricter setting never turns a no into a yes, nor does an answer that cannot be read."""
from __future__ import annotations

import copy
import json
import random
import tempfile
from pathlib import Path
from typing import Any

from .asked import Question, all_questions
from .compare import Report, Runner
from .generate import Generator
from .settings import ACTIONS, ALL, BOOLEANS, DURATIONS, LEVELS, LISTS, MAXIMUMS, MINIMUMS, NUMBERS, version

ANN = "ann@contoso.example"
VERDICTS = ["wipe", "block", "warn", "allow"]
# A true that restricts.
RESTRICTIONS = ("isPINRequired", "isManagedBrowserRequired", "isFileEncryptionRequired", "shouldFileProviderEncryptFiles",
                "hasSaveRestriction", "hasOpenRestriction", "encrypt")
LOOSEST_LAST = {"block": 0, "blockOrgData": 1, "allow": 2, "blocked": 0, "protected": 1, "plain": 2, "open": 2}
STRICTER_NUMBERS = {"minimumPinLength": [4, 6, 8], "maximumPinRetries": [10, 5, 3], "previousPinBlockCount": [0, 5, 12],
                    "allowedOutboundClipboardSharingExceptionLength": [12, 5, 0]}

# Where a stricter value loosens something, and the page of Microsoft's that says so. The facts are those of
# ref-settings-ios.md and device-profile-troubleshoot.md.
EXCEPTIONS = {
    "numbers of several policies": (
        "device-profile-troubleshoot.md: numeric fields that differ fall to the recommended defaults"),
    "any managed app and a specific app, for calls and messages": (
        "ref-settings-ios.md, Transfer telecommunication data to, Transfer messaging data to: neither is stricter"),
    "enforcement.filterShareTargets encrypt": (
        "ref-settings-ios.md, Send Org data to other apps: with filtering, or with None, no unmanaged app is offered, so "
        "nothing is protected for one"),
}
REDIRECTS = ("dialerRestrictionLevel", "protectedMessagingRedirectAppType")


def rank(kind: str, answer: Any) -> "float | None":
    """How loose an answer is; None if it has no order."""
    if kind == "conditional launch":
        return VERDICTS.index(answer)
    if isinstance(answer, bool):
        return float(answer != any(name in kind for name in RESTRICTIONS))
    if isinstance(answer, list):
        return len(answer) if kind == "enforcement.filterShareTargets" else None
    if isinstance(answer, str) and answer.startswith("rewrite"):
        return 1
    return LOOSEST_LAST.get(answer) if isinstance(answer, str) else None


def stricter(name: str, value: Any, dice: random.Random) -> Any:
    """A stricter value of a setting; None if there is none."""
    if name in BOOLEANS:
        return BOOLEANS[name] if value in (None, not BOOLEANS[name]) and (value is not None or BOOLEANS[name]) else None
    if name in LEVELS:
        if name in ("managedBrowser", *REDIRECTS) and value is None:
            return LEVELS[name][-1]
        if name in REDIRECTS and value in LEVELS[name][1:3]:
            return LEVELS[name][3]
        if value is not None and value not in LEVELS[name]:
            return None
        later = LEVELS[name][1 if value is None else LEVELS[name].index(value) + 1:]
        return dice.choice(later) if later else None
    if name in ACTIONS:
        order = ACTIONS[name]
        return order[1] if value == order[0] else None
    if name in LISTS:
        return dice.sample(value, dice.randrange(len(value))) if value else None
    if name == "exemptedAppProtocols":
        return [] if value else None
    if name == "allowedIosDeviceModels":
        models = str(value or "iPhone14,2;iPhone15,3").split(";")
        return dice.choice(models) if value is None or len(models) > 1 else None
    if name in STRICTER_NUMBERS:
        order = STRICTER_NUMBERS[name]
        fewer = order[order.index(value) + 1:] if value in order else []
        return dice.choice(fewer) if fewer else None
    if name in ("periodOfflineBeforeAccessCheck", "periodOfflineBeforeWipeIsEnforced"):
        return "PT30M" if name.endswith("Check") else "P1D"
    if name in DURATIONS:
        return None
    if name in MINIMUMS:
        return "99" if version(value or "0.0") is None or (version(value) or ()) < (99,) else None
    if name in MAXIMUMS:
        return "1.0"
    return None


class Check(Runner):
    def __init__(self, case: "dict[str, Any]", binary: str, folder: Path) -> None:
        super().__init__(case, binary, folder)
        self.write(case["tenant"])

    def answers(self, seed: int) -> "list[tuple[Question, Any]]":
        asked = [one for one in all_questions(self.world, ANN, random.Random(seed))
                 if not one.kind.startswith("appConfig") and one.kind != "enrollmentManager.mdmEnrolledAccount"]
        replies = self.ask(*[(one.method, one.params) for one in asked])
        launch = Question("conditional launch", "conditionalLaunch.evaluate", {"account": ANN}, lambda one: one["verdict"],
                          lambda: None, "")
        replies += self.ask((launch.method, launch.params))
        return [(one, one.pick(reply["result"]) if "result" in reply else f"error {reply['error']}")
                for one, reply in zip([*asked, launch], replies)]

    def loosened(self, kind: str, before: "list[tuple[Question, Any]]", after: "list[tuple[Question, Any]]",
                 report: Report) -> str:
        """The first answer that became looser."""
        for (question, was), (_, now) in zip(before, after):
            ranks = rank(question.kind, was), rank(question.kind, now)
            if None in ranks:
                if kind.startswith("unread") and was != now:
                    return f"{question.method} {json.dumps(question.params)}: {was!r} became {now!r}"
                continue
            assert ranks[0] is not None and ranks[1] is not None
            if ranks[1] > ranks[0] and (kind.startswith("unread") or question.kind not in EXCEPTIONS):
                return f"{question.method} {json.dumps(question.params)}: {was!r} became {now!r}"
            report.answers[f"property: {kind}"]["stricter" if ranks[1] < ranks[0] else "the same"] += 1
        return ""


def one_user(generator: Generator, most: int) -> "dict[str, Any]":
    tenant = generator.tenant()
    tenant.update(filters={}, files={})
    tenant["tenant"].update(assignments=[], operations=[])
    tenant["tenant"].pop("allowedAccounts", None)
    tenant["tenant"]["users"] = [{**tenant["tenant"]["users"][0], "licensed": True, "accountEnabled": True, "clock": None}]
    for number in range(generator.random.randint(1, most)):
        settings = generator.settings(generator.random.choice([0.3, 0.6, 0.9]))
        tenant["files"][f"policies/p{number}.json"] = {"object": {
            "@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": f"T_{number}", "displayName": "p", **settings}}
    return tenant


def prepared(generator: Generator, binary: str, folder: str, most: int) -> Check:
    tenant = one_user(generator, most)
    for file in tenant["files"].values():
        for name, value in list(file["object"].items()):
            if isinstance(value, int) and not isinstance(value, bool) and (name in LEVELS or name in ACTIONS):
                file["object"][name] = generator.random.choice({**LEVELS, **ACTIONS}[name])
    check = Check({"tenant": tenant, "way": "script", "several": True, "steps": []}, binary, Path(folder))
    check.do_device({**generator.device(), "networkAvailable": True, "jailbroken": generator.chance(0.3)})
    check.do_enroll(ANN)
    return check


def tightened(seed: str, binary: str, memory: "str | None", report: Report) -> str:
    """Tightens settings, one after the other. Returns what became looser, or nothing."""
    generator = Generator(f"tightened {seed}")
    dice = generator.random
    with tempfile.TemporaryDirectory(prefix="model-", dir=memory) as folder:
        check = prepared(generator, binary, folder, most=3)
        try:
            before = check.answers(1)
            for _ in range(12):
                if before[-1][1] == "wipe":
                    break
                tenant = copy.deepcopy(check.world.tenant)
                thing = tenant["files"][dice.choice(list(tenant["files"]))]["object"]
                name = dice.choice(ALL)
                value = stricter(name, thing.get(name), dice)
                if value is None or len(tenant["files"]) > 1 and (name in NUMBERS or name in DURATIONS):
                    continue  # EXCEPTIONS: numbers of several policies
                was, thing[name] = thing.get(name), value
                check.do_tenant(tenant)
                after = check.answers(1)
                if text := check.loosened("one setting tightened", before, after, report):
                    return (f"{name} went from {was!r} to {value!r}, and {text}\nseed {seed}, tenant "
                            f"{json.dumps(tenant)}, device {json.dumps(check.world.device)}")
                before = after
        finally:
            check.session.kill()
    return ""


def broken(seed: str, binary: str, memory: "str | None", report: Report) -> str:
    """Answers of the source that cannot be read: truncated, mistyped, missing. Returns what became looser, or nothing."""
    generator = Generator(f"broken {seed}")
    with tempfile.TemporaryDirectory(prefix="model-", dir=memory) as folder:
        check = prepared(generator, binary, folder, most=2)
        try:
            before = check.answers(1)
            for _ in range(6):
                if before[-1][1] == "wipe":
                    break
                how = generator.broken(check.world.tenant)
                check.found.clear()
                check.do_break(*how[1:])
                after = check.answers(1)
                if text := check.loosened("unreadable answer", before, after, report):
                    return f"after {how}, {text}\nseed {seed}, tenant {json.dumps(check.world.tenant)}"
                check.do_mend()
        finally:
            check.session.kill()
    return ""
