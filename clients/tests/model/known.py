"""Small cases in which the program and the sources still disagree, each with the sentence that settles it. A row whose case
agrees fails its test, and then goes."""
from __future__ import annotations

from typing import Any


USERS = {"ann": "7f6f0d2c-2a5e-4c62-a0b3-4f8a1f0f1a11", "ben": "9868b885-a9f3-47b6-8d83-02b094fae1e4"}


def _enroll(settings: "dict[str, Any]", kind: "str | None" = "#microsoft.graph.iosManagedAppProtection") -> "dict[str, Any]":
    thing = {"id": "T_1", "displayName": "p", **settings, **({"@odata.type": kind} if kind else {})}
    return {"way": "script", "several": False, "steps": [["enroll", "ann@contoso.example"]], "tenant": _tenant(thing, "ann")}


def _tenant(thing: "dict[str, Any]", *users: str) -> "dict[str, Any]":
    return {
        "app": "com.example.host", "filters": {}, "files": {"policies/p.json": {"object": thing}}, "tenant": {
            "tenantId": "6babcaad-604b-40ac-a9d7-9fd97c0b779f", "displayName": "Contoso", "assignments": [],
            "operations": [], "users": [{"id": USERS[name], "userPrincipalName": f"{name}@contoso.example", "licensed": True,
                       "accountEnabled": True, "groups": []} for name in users]}}


ANN = "ann@contoso.example"
IOS = "#microsoft.graph.iosManagedAppProtection"


def _life(users: "tuple[str, ...]", settings: "dict[str, Any]", *steps: "list[Any]") -> "dict[str, Any]":
    thing = {"@odata.type": IOS, "id": "T_1", "displayName": "p", **settings}
    return {"way": "script", "several": True, "strict": True, "tenant": _tenant(thing, *users), "steps": list(steps)}


KNOWN: "dict[str, tuple[dict[str, Any], str]]" = {
    "a text for a boolean": (
        _enroll({"pinRequired": "no", "printBlocked": True}),
        "The policy source: a member of a wrong type makes the file an error"),
    "a version that does not parse": (
        _enroll({"minimumRequiredOsVersion": "abc", "printBlocked": True}),
        "Meaning 13: what does not parse is no rule, with a warning"),
    "a text for a list": (
        _enroll({"allowedDataStorageLocations": "sharePoint", "saveAsBlocked": True}),
        "The policy source: a member of a wrong type makes the file an error"),
    "an object for a name of an enumeration": (
        _enroll({"managedBrowser": {"a": 1}, "printBlocked": True}),
        "The policy source: a member of a wrong type makes the file an error"),
    "an unanswered question of a policy that is gone": (
        _life(("ann",), {"organizationalCredentialsRequired": True}, ["enroll", ANN], ["launch", ANN],
              ["tenant", _tenant({"@odata.type": IOS, "id": "T_1", "displayName": "p", "printBlocked": True}, "ann")],
              ["comply", ANN]),
        "Meaning 17: compliant = policy and no block"),
    "an object without a type": (
        _enroll({"printBlocked": True}, kind=None),
        "The policy source: the type comes from @odata.type, else from @odata.context, else iosManagedAppProtection under "
        "policies/"),
}
