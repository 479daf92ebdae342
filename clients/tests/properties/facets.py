"""The questions about an account, and how loose each part of an answer is.

A *facet* is a part of an answer with an order: a number, of which a larger one allows more, or the set of what is allowed.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Union

Facet = Union[float, "frozenset[str]"]
Facets = "dict[str, Facet]"

SAVE = ["other", "oneDriveForBusiness", "sharePoint", "box", "dropbox", "googleDrive", "localDrive", "cameraRoll",
        "accountDocument", "iManage", "egnyte"]
OPEN = ["other", "oneDriveForBusiness", "sharePoint", "camera", "localStorage", "photos", "accountDocument", "box",
        "iManage", "egnyte"]
URLS = ["https://files.example/a", "http://intra.example/b", "https://web.example/", "mailto:eve@home.example", "tel:123",
        "telprompt:123", "sms:123", "skype:eve", "custom:x", "managed-app:x", "some-intunemam:x", "app-settings:x",
        "intent:x#Intent;package=com.example.notes;end", "android-app://com.example.chat/x"]
UNIVERSAL = ["https://files.example/a/b", "https://x.corp.example/c", "http://intra.example/", "https://web.example/a"]
ACTIONS = ["print", "screenCapture", "thirdPartyKeyboard", "dictation", "backup", "genmoji", "writingTools", "saveAs"]
KEYBOARDS = ["com.example.keys", "com.example.other"]
TARGETS: "list[dict[str, Any]]" = [{"id": "com.example.mail", "managed": True}, {"id": "com.example.notes", "managed": False}]
TEXT = "twelve chars"
PERMISSIONS = ["isContactSyncAllowed", "isWidgetContentSyncAllowed", "isSpotlightIndexingAllowed", "areSiriIntentsAllowed",
               "areAppIntentsAllowed", "isAppSharingAllowed", "isScreenCaptureAllowed"]
REQUIREMENTS = ["isPINRequired", "isManagedBrowserRequired", "shouldFileProviderEncryptFiles", "isFileEncryptionRequired",
                "hasSaveRestriction", "hasOpenRestriction"]
# 0 if the account was wiped. All later answers are those for an account without a policy.
KEPT = "the data is kept"
OUTCOMES = ["wipe", "block", "challenge", "warn", "accepted", "passed"]


@dataclass(frozen=True)
class Question:
    method: str
    params: "dict[str, Any]"
    read: "Callable[[Any], dict[str, Facet]]"

    @property
    def call(self) -> "tuple[str, dict[str, Any]]":
        return self.method, self.params


def allowed(answer: bool) -> "dict[str, Facet]":
    return {"allowed": float(answer)}


def required(answer: bool) -> "dict[str, Facet]":
    return {"not required": float(not answer)}


def ranked(*words: str) -> "Callable[[str], dict[str, Facet]]":
    """Words from the strictest to the loosest."""
    return lambda answer: {"rank": float(words.index(answer))}


def each(answer: "dict[str, bool]") -> "dict[str, Facet]":
    return {name: float(value) for name, value in answer.items()}


def opening(answer: "dict[str, Any]") -> "dict[str, Facet]":
    """A URL that is opened in one app alone is stricter than one that any app may open."""
    action = "rewrite" if answer["action"] == "open" and answer["package"] else answer["action"]
    return ranked("block", "rewrite", "open")(action)


def targets(answer: "dict[str, Any]") -> "dict[str, Facet]":
    """An app that is not managed gets nothing, what it cannot read, or the data."""
    offered = {one["id"] for one in answer["targets"]}
    readable = {"com.example.notes": 1.0 if answer["encrypt"] else 2.0}
    return {one["id"]: readable.get(one["id"], 1.0) if one["id"] in offered else 0.0 for one in TARGETS}


def notification(answer: "dict[str, Any]") -> "dict[str, Facet]":
    shown = "nothing" if not answer["show"] else "all" if answer["body"] == "figures" else "no data"
    return ranked("nothing", "no data", "all")(shown)


def navigation(answer: "dict[str, Any]") -> "dict[str, Facet]":
    return {**ranked("block", "openInManagedBrowser", "load")(answer["action"]),
            "upload": float(answer["uploadAllowed"]), "paste": float(answer["pasteAllowed"])}


def received(answer: "dict[str, Any]") -> "dict[str, Facet]":
    """What has an owner is protected."""
    return {"allowed": float(answer["allowed"]), "unowned": float(answer["allowed"] and not answer["account"]["identity"])}


def pin_status(answer: "dict[str, Any]") -> "dict[str, Facet]":
    tries = answer["retriesLeft"]
    return {"not required": float(not answer["required"]), "tries": float("inf") if tries is None else float(tries)}


def launch(answer: "dict[str, Any]") -> "dict[str, Facet]":
    """A block that no answer of the user lifts is stricter than a question; a wipe is stricter than a block."""
    kinds = {one["kind"]: one for one in answer["challenges"]}
    outcomes = {rule["setting"]: rule["outcome"] for rule in answer["rules"]}
    shut = answer["verdict"] == "wipe" or "block" in outcomes.values()
    pin = next((one for kind, one in kinds.items() if kind.endswith("PIN")), None)
    if pin:
        ways = frozenset({"PIN", *(pin["biometrics"] or [])})
    else:  # after too many wrong PINs, a sign-in takes the place of the PIN
        ways = frozenset({"PIN", "touchID", "faceID", "nothing"} if outcomes.get("pinRequired") != "challenge" else {})
    facets: "dict[str, Facet]" = {
        "verdict": 0.0 if answer["verdict"] == "wipe" else 1.0 if shut else 2.0 if kinds else 3.0,
        "ways past the PIN": frozenset() if shut else ways,
        "without sign-in": float(not shut and "credentials" not in kinds),
    }
    for rule in answer["rules"]:
        if rule["outcome"] in OUTCOMES:
            facets[f"rule {rule['setting']}"] = float(OUTCOMES.index(rule["outcome"]))
    return facets


def launching(who: str) -> "list[Question]":
    """The rules of launch, and whether they have wiped the account."""
    kept = Question("policyManager.isIdentityManaged", {"account": who}, lambda answer: {KEPT: float(answer)})
    return [kept, Question("conditionalLaunch.evaluate", {"account": who}, launch), kept]


def questions(who: str, other: str, protected: str) -> "list[Question]":
    """All questions about an account; `protected` is a buffer of another. Its rules of launch are not among them."""
    asked: "list[Question]" = []

    def add(method: str, read: "Callable[[Any], dict[str, Facet]]", **params: Any) -> None:
        asked.append(Question(method, {"account": who, **params}, read))

    for name in PERMISSIONS:
        add(f"policy.{name}", allowed)
    for name in REQUIREMENTS:
        add(f"policy.{name}", required)
    add("policy.notificationPolicy", ranked("block", "blockOrgData", "allow"))
    for place in ({}, {"locationAccount": who}, {"locationAccount": other}):
        add("policy.getSaveToLocations", each, **place)
        add("policy.getOpenFromLocations", each, **place)
    for location in SAVE[::3]:
        add("policy.isSaveToAllowedForLocation", allowed, location=location)
    for location in OPEN[::3]:
        add("policy.isOpenFromAllowedForLocation", allowed, location=location)
    for url in URLS:
        add("policy.isURLAllowed", allowed, url=url)
        add("enforcement.openURL", opening, url=url)
    add("policy.isURLAllowed", allowed, url="managed-app:x", isKnownManagedAppScheme=True)
    for url in UNIVERSAL:
        add("policy.isUniversalLinkAllowed", allowed, url=url)
    for mode in ("import", "open", "exportToService", "moveToService"):
        add("policy.isDocumentPickerAllowed", allowed, mode=mode)
    for data in ("aGVsbG8=", protected):
        add("policy.canReceiveSharedItemProvider", allowed, itemProvider={"data": data})
    for action in ACTIONS:
        add("enforcement.isActionAllowed", allowed, action=action)
    for keyboard in KEYBOARDS:
        add("enforcement.isActionAllowed", allowed, action="thirdPartyKeyboard", keyboard=keyboard)
    for text in (TEXT[:5], TEXT, TEXT + "!"):
        add("enforcement.copy", lambda answer: ranked("blocked", "protected", "plain")(answer["clipboard"]), text=text)
        add("enforcement.paste", lambda answer: allowed(answer["allowed"]), text=text)
    add("enforcement.filterShareTargets", targets, targets=TARGETS)
    add("enforcement.redactNotification", notification, title="Eve", body="figures")
    add("pin.status", pin_status)
    both = [who, other]
    for name in ("isAppSharingAllowed", "isContactSyncAllowed"):
        asked.append(Question(f"policy.{name}", {"accounts": both}, allowed))
    asked.append(Question("policy.isPINRequired", {"accounts": both}, required))
    asked.append(Question("policy.isSaveToAllowedForLocation", {"accounts": both, "location": "box"}, allowed))
    for url in ("https://files.example/a", "https://web.example/", "custom:x"):
        asked.append(Question("enforcement.webViewNavigate", {"webViewer": "view", "url": url}, navigation))
    for sender in ({"managed": False}, {"managed": True, "account": who}, {"managed": True, "account": other}):
        asked.append(Question("enforcement.receive", {"source": sender, "itemProvider": {"data": "aGVsbG8="}}, received))
    return asked


def looser(was: "dict[str, Facet]", now: "dict[str, Facet]") -> "list[str]":
    """The facets that allow more than before. A rule of launch that is new, or gone, has no order."""
    return [name for name, before in was.items() if name in now and (
        not now[name] <= before if isinstance(before, frozenset) else now[name] > before)]  # type: ignore[operator]


def tighter(was: "dict[str, Facet]", now: "dict[str, Facet]") -> bool:
    return bool(looser(now, was))
