"""Small cases in which the program and the sources still disagree, each with the sentence that settles it. A row whose case
agrees fails its test, and then goes."""
from __future__ import annotations

from typing import Any


def _enroll(settings: "dict[str, Any]", kind: "str | None" = "#microsoft.graph.iosManagedAppProtection") -> "dict[str, Any]":
    thing = {"id": "T_1", "displayName": "p", **settings, **({"@odata.type": kind} if kind else {})}
    user = {"id": "7f6f0d2c-2a5e-4c62-a0b3-4f8a1f0f1a11", "userPrincipalName": "ann@contoso.example", "licensed": True,
            "accountEnabled": True, "groups": []}
    tenant = {"tenantId": "6babcaad-604b-40ac-a9d7-9fd97c0b779f", "displayName": "Contoso", "users": [user], "assignments": [],
              "operations": []}
    return {"way": "script", "several": False, "steps": [["enroll", "ann@contoso.example"]], "tenant": {
        "app": "com.example.host", "filters": {}, "files": {"policies/p.json": {"object": thing}}, "tenant": tenant}}


KNOWN: "dict[str, tuple[dict[str, Any], str]]" = {
    "a text for a boolean": (
        _enroll({"pinRequired": "no", "printBlocked": True}),
        "The policy source: a member of a wrong type makes the file an error"),
    "a version that does not parse": (
        _enroll({"minimumRequiredOsVersion": "abc", "printBlocked": True}),
        "Meaning 13: what does not parse is no rule, with a warning"),
    "an object without a type": (
        _enroll({"printBlocked": True}, kind=None),
        "The policy source: the type comes from @odata.type, else from @odata.context, else iosManagedAppProtection under "
        "policies/"),
}
