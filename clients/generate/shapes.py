"""Reads JSON Schema as far as the server's document uses it, and fails on everything else."""
from __future__ import annotations

from typing import Any

from .model import Alias, Basic, Choice, Declaration, Dictionary, Enum, EnumInput, Field, ListOf, MapOf, Named, Nullable
from .model import Record, Type
from .words import pascal

SCHEMAS = "#/components/schemas/"
NULL = {"type": "null"}
UNSET = {"$ref": f"{SCHEMAS}SettingReset"}  # null or "", which remove an override

# These members restrict a value without changing its type.
LIMITS = {"minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength", "pattern", "uniqueItems"}
REMARKS = {"title", "description", "default", "deprecated"}
STRING_FORMATS = {
    None: "string", "uri": "string", "absolute-path": "string", "password": "string", "date-time": "time",
    "duration": "duration",
}


class UnknownShape(Exception):
    """The schema has a shape that the generator does not know. Teach it the shape; never skip it."""


class Shapes:
    """Reads types. Objects without a name become records that are named after their members, in `unnamed`."""

    def __init__(self) -> None:
        self.unnamed: dict[str, Record] = {}

    def declaration(self, name: str, schema: dict[str, Any]) -> Declaration:
        doc = schema.get("description", "")
        if "enum" in schema:
            expect(schema, {"type", "enum"}, name)
            return Enum(name, doc, tuple(schema["enum"]), schema.get("title"))
        if "anyOf" in schema:
            return enum_input(name, schema)
        if schema.get("additionalProperties") is False:
            expect(schema, {"type", "properties", "required", "additionalProperties"}, name)
            return Record(name, doc, self.members(schema, name))
        if "properties" in schema:
            return self.dictionary(name, doc, schema)
        return Alias(name, doc, self.type(schema, name))

    def members(self, schema: dict[str, Any], place: str) -> tuple[Field, ...]:
        required = set(schema.get("required", ()))
        return tuple(
            self.field(name, member, name in required, member.get("description", ""), f"{place}/{name}")
            for name, member in schema["properties"].items() if not member.get("deprecated"))

    def field(self, name: str, schema: dict[str, Any], required: bool, doc: str, place: str) -> Field:
        return Field(name, self.type(schema, place), required, doc, is_secret(schema), schema.get("default"))

    def dictionary(self, name: str, doc: str, schema: dict[str, Any]) -> Dictionary:
        expect(schema, {"type", "properties", "propertyNames"}, name)
        entries = [
            self.field(key, value, False, value.get("description", ""), f"{name}/{key}")
            for key, value in schema["properties"].items() if not value.get("deprecated")]
        return Dictionary(name, doc, tuple(entries), open="propertyNames" not in schema)

    def type(self, schema: dict[str, Any], place: str) -> Type:
        if "$ref" in schema:
            expect(schema, {"$ref"}, place)
            return Named(reference(schema["$ref"], SCHEMAS, place))
        if "allOf" in schema:
            expect(schema, {"allOf"}, place)
            return self.type(only(schema["allOf"], place), place)
        if "anyOf" in schema:
            return self.nullable(schema, place)
        if "enum" in schema:
            expect(schema, {"type", "enum"}, place)
            return Choice(tuple(schema["enum"]))
        if "type" not in schema:
            expect(schema, set(), place)
            return Basic("any")
        return self.of_kind(schema["type"], schema, place)

    def nullable(self, schema: dict[str, Any], place: str) -> Type:
        expect(schema, {"anyOf"}, place)
        inner = [option for option in schema["anyOf"] if option not in (NULL, UNSET)]
        if len(inner) == len(schema["anyOf"]):
            raise UnknownShape(f"{place}: anyOf without null")
        found = self.type(only(inner, place), place)
        return found if found == Basic("any") else Nullable(found)

    def of_kind(self, kind: Any, schema: dict[str, Any], place: str) -> Type:
        if kind in ("integer", "number", "boolean", "null"):
            expect(schema, {"type"}, place)
            return Basic(kind)
        if kind == "string":
            return string(schema, place)
        if kind == "array":
            expect(schema, {"type", "items"}, place)
            return ListOf(self.type(schema["items"], f"{place}[]"))
        if kind == "object":
            return self.object(schema, place)
        raise UnknownShape(f"{place}: type {kind!r}")

    def object(self, schema: dict[str, Any], place: str) -> Type:
        if "properties" in schema:
            expect(schema, {"type", "properties", "required"}, place)
            name = "".join(pascal(member) for member in schema["properties"])
            self.unnamed[name] = Record(name, "", self.members(schema, name))
            return Named(name)
        expect(schema, {"type", "additionalProperties", "propertyNames"}, place)
        if "additionalProperties" not in schema:
            return Basic("object")
        names = schema.get("propertyNames")
        key = reference(names["$ref"], SCHEMAS, place) if names else None
        return MapOf(self.type(schema["additionalProperties"], f"{place}{{}}"), key)


def string(schema: dict[str, Any], place: str) -> Basic:
    expect(schema, {"type", "format", "contentEncoding"}, place)
    if "contentEncoding" in schema:
        if schema["contentEncoding"] != "base64":
            raise UnknownShape(f"{place}: contentEncoding {schema['contentEncoding']!r}")
        return Basic("bytes")
    if schema.get("format") not in STRING_FORMATS:
        raise UnknownShape(f"{place}: format {schema['format']!r}")
    return Basic(STRING_FORMATS[schema.get("format")])  # type: ignore[arg-type]


def enum_input(name: str, schema: dict[str, Any]) -> EnumInput:
    expect(schema, {"anyOf"}, name)
    for option in schema["anyOf"]:
        expect(option, {"$ref"}, name)
    enum, other = (reference(option["$ref"], SCHEMAS, name) for option in schema["anyOf"])
    if name != f"{enum}Input":
        raise UnknownShape(f"{name}: not the input form of {enum}")
    return EnumInput(name, enum, other)


def is_unset(name: str) -> bool:
    return UNSET["$ref"] == SCHEMAS + name


def is_secret(schema: dict[str, Any]) -> bool:
    options: list[dict[str, Any]] = schema.get("anyOf", [schema])
    return any(option.get("format") == "password" for option in options)


def expect(schema: dict[str, Any], known: set[str], place: str) -> None:
    if unknown := set(schema) - known - LIMITS - REMARKS:
        raise UnknownShape(f"{place}: unexpected {', '.join(sorted(unknown))}")


def only(options: list[Any], place: str) -> Any:
    if len(options) != 1:
        raise UnknownShape(f"{place}: {len(options)} types to choose from")
    return options[0]


def reference(text: str, prefix: str, place: str) -> str:
    if not text.startswith(prefix):
        raise UnknownShape(f"{place}: $ref to {text}")
    return text[len(prefix):]


def inner_types(found: Type) -> list[Type]:
    """What a type wraps."""
    if isinstance(found, Nullable):
        return [found.inner]
    if isinstance(found, ListOf):
        return [found.item]
    if isinstance(found, MapOf):
        return [found.value, *([Named(found.names)] if found.names else [])]
    return []
