"""App configuration: several dictionaries of strings, asked by key."""
from __future__ import annotations

import json
import re
from typing import Any

from .settings import Silent, source


@source("meaning 16; facts 2.7: tokens, any case; unknown tokens stay as written")
def fill(text: str, user: "dict[str, Any]", tenant_id: str) -> str:
    upn = user["userPrincipalName"]
    values = {
        "userprincipalname": upn, "mail": user.get("mail") or upn, "primarysmtpaddress": user.get("mail") or upn,
        "partialupn": upn.split("@")[0], "userid": user["id"], "accountid": tenant_id, "username": user.get("displayName")}

    def value(found: "re.Match[str]") -> str:
        known = values.get(found.group(1).lower(), found.group())
        if known is None:
            raise Silent("a user without a name")
        return known
    return re.sub(r"\{\{(\w+)\}\}", value, text)


class Configuration:
    def __init__(self, targeted: "list[dict[str, str]]", default: "dict[str, str]") -> None:
        self.targeted, self.default = targeted, default

    def strings(self, key: str) -> "list[str]":
        """facts 2.7: the tenant default is used only when no targeted value exists for the key."""
        values = [one[key] for one in self.targeted if key in one]
        return values or [self.default[key] for _ in (1,) if key in self.default]

    def bools(self, key: str) -> "list[bool]":
        return self.parsed(key, lambda text: {"true": True, "1": True, "yes": True, "false": False, "0": False,
                                              "no": False}.get(text.strip().lower()))

    def numbers(self, key: str) -> "list[float]":
        def number(text: str) -> "float | None":
            trimmed = text.strip()
            return float(json.loads(trimmed)) if re.fullmatch(r"-?(0|[1-9]\d*)([.]\d+)?([eE][+-]?\d+)?", trimmed) else None
        return self.parsed(key, number)

    def parsed(self, key: str, parse: Any) -> Any:
        values = [parse(text) for text in self.strings(key)]
        found = [value for value in values if value is not None]
        if not found and any(key in one for one in self.targeted) and key in self.default:
            raise Silent("whether a default takes the place of a targeted value that does not parse")
        return found


@source("meaning 16; facts 2.7: bool Any/Or/And, number Any/Min/Max, string Any/Min/Max; nil when absent; [] for all; "
        "hasConflict = >1 differing targeted values")
def ask(configuration: Configuration, method: str, key: str, query: str) -> Any:
    if method == "hasConflict":
        return len({one[key] for one in configuration.targeted if key in one}) > 1
    kind = "bools" if "ool" in method else "numbers" if "umber" in method else "strings"
    values = getattr(configuration, kind)(key)
    if method.startswith("all"):
        return values
    if not values:
        return None
    if query in ("any",):
        return values[0]
    if kind == "strings":
        return (min if query == "min" else max)(values, key=lambda text: text.encode())
    return {"or": any, "and": all, "min": min, "max": max}[query](values)
