"""Reads the OpenRPC document of the server into a Model."""
from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .model import Alias, Declaration, Dictionary, EnumInput, Error, Event, Example, Field, HostRequest, Method, Model
from .model import Basic, Named, Record, Type
from .shapes import SCHEMAS, Shapes, UnknownShape, inner_types, is_secret, is_unset, reference
from .words import pascal

ERRORS = "#/components/errors/"
METHOD = {"name", "summary", "description", "paramStructure", "params", "result", "errors", "examples", "tags",
          "deprecated", "x-sdk-members", "x-default", "x-sandbox"}
PARAM = {"name", "summary", "description", "required", "schema", "deprecated", "x-former-name", "x-sdk-members"}


def read(path: Path) -> Model:
    return Reader(json.loads(path.read_text(encoding="utf-8"))).model()


class Reader:
    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.schemas: dict[str, Any] = document["components"]["schemas"]
        self.shapes = Shapes()

    def model(self) -> Model:
        methods = tuple(self.method(item) for item in self.document["methods"] if not item.get("deprecated"))
        events = tuple(self.event(item) for item in self.document["x-events"])
        requests = tuple(self.host_request(item) for item in self.document["x-delegates"])
        declared = {
            name: self.shapes.declaration(name, schema) for name, schema in self.schemas.items() if not is_unset(name)}
        types = {name: self.complete(found) for name, found in {**declared, **self.shapes.unnamed}.items()}
        sent = reachable(types, [*types_of(m.params for m in methods), *(r.result for r in requests)])
        received = reachable(types, [
            *(m.result for m in methods), *types_of(e.fields for e in events), *types_of(r.params for r in requests)])
        used = {name: types[name] for name in sorted(sent | received)}
        check_unique("event", [event.title for event in events] + list(used))
        check_unique("host request", [request.title for request in requests])
        return Model(
            self.document["info"]["version"], used, sent, received, methods, events, requests, self.errors(),
            self.error_names(self.document["x-errors"]),
            {name: limit["value"] for name, limit in self.document["x-limits"].items()})

    def method(self, item: dict[str, Any]) -> Method:
        namespace, _, short = item["name"].rpartition(".")
        result = item["result"]
        return Method(
            item["name"], namespace, short, item["summary"], item.get("description", ""), self.params(item),
            self.shapes.type(result["schema"], item["name"]), result.get("summary", ""), is_secret(result["schema"]),
            self.error_names(item["errors"]), tuple(map(example, item["examples"])),
            tuple(item.get("x-sdk-members", ())))

    def event(self, item: dict[str, Any]) -> Event:
        name = item["name"]
        return Event(name, event_title(name), item["summary"], item.get("description", ""), self.params(item))

    def host_request(self, item: dict[str, Any]) -> HostRequest:
        name, result = item["name"], item["result"]
        return HostRequest(
            name, pascal(name.rpartition(".")[2]), item["summary"], item.get("description", ""), self.params(item),
            self.shapes.type(result["schema"], name), result.get("summary", ""), item["x-default"],
            self.error_names(item["errors"]))

    def params(self, item: dict[str, Any]) -> tuple[Field, ...]:
        known(item, METHOD, item["name"])
        fields = []
        for param in item["params"]:
            place = f"{item['name']}/{param['name']}"
            known(param, PARAM, place)
            if not param.get("deprecated"):
                fields.append(self.shapes.field(
                    param["name"], param["schema"], param.get("required", False), param.get("summary", ""), place))
        return tuple(fields)

    def complete(self, found: Declaration) -> Declaration:
        """Adds the keys of a closed dictionary that have a name but no schema."""
        if not isinstance(found, Dictionary) or found.open:
            return found
        allowed = self.values(self.schemas[found.name]["propertyNames"])
        missing = [name for name in allowed if name not in {entry.name for entry in found.entries}]
        more = tuple(Field(name, Basic("any"), False, "") for name in missing)
        return dataclasses.replace(found, entries=found.entries + more)

    def values(self, schema: dict[str, Any]) -> list[Any]:
        """The values of an enum, or of the enums of an input."""
        found = self.schemas[reference(schema["$ref"], SCHEMAS, "an enum")]
        return found["enum"] if "enum" in found else [value for part in found["anyOf"] for value in self.values(part)]

    def errors(self) -> dict[str, Error]:
        found = {}
        for name, item in self.document["components"]["errors"].items():
            data = item["data"]
            if data["name"] != name:
                raise UnknownShape(f"error {name} is named {data['name']}")
            found[name] = Error(name, item["code"], item["message"], data.get("domain"), data.get("sdkCode"))
        return found

    def error_names(self, items: list[dict[str, Any]]) -> tuple[str, ...]:
        return tuple(reference(item["$ref"], ERRORS, "errors") for item in items)


def event_title(name: str) -> str:
    """policyManager.policyDidChange: PolicyDidChange; appConfig.didChange: AppConfigDidChange.

    The namespace without Manager and Delegate, then the rest of the name, with a word that would be there twice once.
    """
    namespace, _, short = name.rpartition(".")
    subject = pascal(namespace).removesuffix("Manager").removesuffix("Delegate")
    title = pascal(short)
    return title if title.startswith(subject) else subject + title


def example(item: dict[str, Any]) -> Example:
    return Example({param["name"]: param["value"] for param in item["params"]}, item["result"]["value"])


def types_of(groups: Iterable[tuple[Field, ...]]) -> list[Type]:
    return [field.type for group in groups for field in group]


def reachable(types: dict[str, Declaration], roots: list[Type]) -> frozenset[str]:
    """The names of the declarations that types use, directly or through others."""
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        current = waiting.pop()
        if isinstance(current, Named) and current.name not in found:
            found.add(current.name)
            waiting += parts(types[current.name])
        waiting += inner_types(current)
    return frozenset(found)


def parts(declaration: Declaration) -> list[Type]:
    if isinstance(declaration, Record):
        return [field.type for field in declaration.fields]
    if isinstance(declaration, Dictionary):
        return [entry.type for entry in declaration.entries]
    if isinstance(declaration, EnumInput):
        return [Named(declaration.enum), Named(declaration.other)]
    return [declaration.type] if isinstance(declaration, Alias) else []


def known(item: dict[str, Any], names: set[str], place: str) -> None:
    if unknown := set(item) - names:
        raise UnknownShape(f"{place}: unexpected {', '.join(sorted(unknown))}")


def check_unique(what: str, titles: list[str]) -> None:
    for title in titles:
        if titles.count(title) > 1:
            raise UnknownShape(f"two things would be called {title}: choose another title for the {what}")
