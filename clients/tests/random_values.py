"""Random values that fulfil a schema of the OpenRPC document."""
from __future__ import annotations

import base64
import random
from pathlib import Path
from typing import Any

ACCOUNTS = [
    "alice@contoso.example", "ALICE@contoso.example", "bob@contoso.example", "nobody@contoso.example", "",
    "11111111-1111-4111-8111-111111111111", "87d349ed-44d7-43e1-9a83-5f2406dee5bd"]
WORDS = [
    "", "main", "inbox", "a b", "ä🙂\u0301", "%2e%2e", "com.contoso.app", "contoso", "sms", "Contoso-1.2.3",
    "#Intent;", "x" * 300, "\u0000", "line\r\nline", "-", "12", "Pixel 8"]
# Addresses of each kind that a rule tells from others, whole, cut off and with parts twice.
SCHEMES = [
    "http", "https", "HTTP", "intent", "android-app", "market", "tel", "telprompt", "sms", "mailto", "file", "content",
    "microsoft-edge", "contoso", "contoso-intunemam", "ms-outlook", "itms-apps", "about", "data", "a+b.c-d"]
PLACES = [
    "", "x", "//x", "//contoso.example/a?b=c#d", "//user:secret@[::1]:443/%20", "//contoso.example:99999", "+491234",
    "#Intent;end", "//x#Intent;package=com.contoso.app;end", "//x#Intent;scheme=tel;package=a;package=b;S.x=y;end",
    "#Intent;#Intent;package=;end", "//com.contoso.app/https/x", "//ä🙂/", "//x/" + "y" * 2000, "//x?q=" + "%" * 9]
PATTERNS = {
    "^[0-9]+([.-][0-9]+)*$": ["0", "17", "17.4.1", "2026-01-05"],
    "^([0-9]+([.-][0-9]+)*)?$": ["", "8.0", "21.7.1"],
    "^#?[0-9A-Fa-f]{6}$": ["#00aaFF", "123456"],
}
FORMATS = {
    "duration": ["PT0S", "PT30M", "PT12H", "P1D", "P90D"],
    "date-time": ["2026-01-31T09:30:00Z", "1999-12-31T23:59:59.999Z"],
    "password": ["1234", "9876", "Abc!1234", "", "secret token"],
}


class Values:
    """A source of values. All paths are in the folder, because methods write and delete files."""

    def __init__(self, document: Any, folder: Path, seed: str) -> None:
        self.document = document
        self.folder = folder
        self.random = random.Random(seed)
        self.schemas = document["components"]["schemas"]
        self.methods = {method["name"]: method for method in document["methods"]}
        self.seen: list[Any] = []

    def params(self, method: str) -> "dict[str, Any] | list[Any]":
        """By name, or by position."""
        if self.random.random() < 0.2:
            return [self.parameter(method, each) for each in self.methods[method]["params"]]
        return self.params_by_name(method)

    def params_by_name(self, method: str) -> "dict[str, Any]":
        """With each optional parameter or without it."""
        params = {
            each["name"]: self.parameter(method, each) for each in self.methods[method]["params"]
            if each.get("required") or self.random.random() < 0.5}
        if params.get("query") in self.methods:
            params["params"] = self.params_by_name(params["query"])
        return params

    def reply(self, request: str) -> "dict[str, Any]":
        """To a request of the server: a result, or an error."""
        if self.random.random() < 0.2:
            return {"error": {"code": -32601, "message": "not done here"}}
        [delegate] = [each for each in self.document["x-delegates"] if each["name"] == request]
        return {"result": self.value(delegate["result"]["schema"])}

    def parameter(self, method: str, parameter: Any) -> Any:
        name = parameter["name"]
        if name == "processId":
            return None
        if method.startswith("policy.") and name == "query":
            return self.random.choice([each for each in self.methods if each.startswith(("policy.", "enforcement."))])
        return self.value(parameter["schema"], name)

    def value(self, schema: Any, name: str = "") -> Any:
        if "$ref" in schema:
            target = schema["$ref"].split("/")[-1]
            return self.random.choice(ACCOUNTS) if target == "AccountReference" else self.value(self.schemas[target], name)
        if alternatives := schema.get("anyOf"):
            return self.value(self.random.choice(alternatives), name)
        if parts := schema.get("allOf"):
            return self.value(parts[0], name)
        if "enum" in schema:
            return self.random.choice(schema["enum"])
        kind = schema.get("type", ["null", "boolean", "integer", "string", "object"])
        return self.typed(kind if isinstance(kind, str) else self.random.choice(kind), schema, name)

    def typed(self, kind: str, schema: Any, name: str) -> Any:
        if kind == "array":
            count = self.random.randint(0, min(3, schema.get("maxItems", 3)))
            return [self.value(schema.get("items", {}), name) for _ in range(count)]
        if kind == "object":
            return self.object(schema)
        if kind == "integer" and name == "handle":
            return self.random.randint(1, 8)
        if kind == "integer" and name == "waitMilliseconds":
            return self.random.randint(0, 20)
        if kind == "integer":
            least, most = schema.get("minimum", -2), schema.get("maximum", 1 << 31)
            return self.random.choice([least, most, max(least, min(most, self.random.randint(0, 20)))])
        if kind == "number":
            return self.random.choice([0, -1.5, 1e9])
        return {"null": None, "boolean": self.random.random() < 0.5}[kind] if kind != "string" else self.text(schema, name)

    def object(self, schema: Any) -> "dict[str, Any]":
        members = {
            name: self.value(member, name) for name, member in schema.get("properties", {}).items()
            if name in schema.get("required", []) or self.random.random() < 0.3}
        if isinstance(other := schema.get("additionalProperties"), dict):
            members.update({self.random.choice(WORDS): self.value(other) for _ in range(self.random.randint(0, 2))})
        return members

    def text(self, schema: Any, name: str) -> str:
        if schema.get("contentEncoding") == "base64":
            return base64.b64encode(self.random.randbytes(self.random.choice([0, 1, 16, 5000]))).decode()
        if pattern := schema.get("pattern"):
            return self.random.choice(PATTERNS[pattern])
        if schema.get("format") == "absolute-path" or name == "path":
            return str(self.folder / self.random.choice(["a", "b", "folder", "folder/c", "missing/d", "ä 🙂"]))
        if schema.get("format") == "uri" or name == "url":
            return self.address()
        if known := FORMATS.get(schema.get("format", "")):
            return self.random.choice(known)
        return self.random.choice(self.texts() or WORDS) if self.random.random() < 0.3 else self.random.choice(WORDS)

    def address(self) -> str:
        if self.random.random() < 0.1:
            return (self.folder / "a").as_uri()
        return f"{self.random.choice(SCHEMES)}:{self.random.choice(PLACES)}"

    def remember(self, result: Any) -> None:
        """What one method returns, such as protected content or an id, is a parameter of others."""
        self.seen = [*self.seen, result][-50:]

    def texts(self) -> "list[str]":
        return [text for result in self.seen for text in texts(result)]


def texts(value: Any) -> "list[str]":
    if isinstance(value, str):
        return [value] if len(value) < 10_000 else []
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for part in parts for text in texts(part)][:20]
