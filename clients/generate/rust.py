"""The Rust client: names, types, and the expressions that turn a parameter into JSON."""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from . import rendering
from .model import Alias, Basic, Choice, Declaration, Dictionary, Enum, EnumInput, Error, Event, Field, ListOf
from .model import MapOf, Method, Model, Named, Nullable, Record, Type
from .shapes import UnknownShape, inner_types
from .words import snake, split

FOLDER = "clients/rust"
WIDTH = 120

# Every request has these methods, so no parameter may have their names.
OPTIONS = {"new", "untyped", "put", "with", "timeout", "cancel", "on_progress", "send"}
KEYWORDS = set(
    "abstract as async await become box break const continue do dyn else enum extern false final fn for if impl in let loop "
    "macro match mod move mut override priv pub ref return static struct trait true try type typeof unsafe unsized use "
    "virtual where while yield".split())
TYPES = {
    "string": "String", "bytes": "Vec<u8>", "integer": "i64", "number": "f64", "boolean": "bool", "time": "SystemTime",
    "duration": "Duration", "object": "Map<String, Value>", "any": "Value", "null": "()",
}
# Their JSON is not serde's own.
SPECIAL = {"bytes": "bytes_text", "time": "time_text", "duration": "duration_text"}


class Argument(NamedTuple):
    """How a function takes a value, and the expression that makes JSON, or a member, of it."""

    type: str
    expression: str


def render(model: Model) -> dict[str, str]:
    plain, qualified = Rust(model), Rust(model, "types::")
    spaces = model.namespaces()
    modules = {f"src/methods/{name(space)}.rs": qualified.render("namespace.rs.j2", namespace=space, methods=methods)
               for space, methods in spaces.items() if space}
    return {
        "Cargo.toml": plain.render("Cargo.toml.j2"),
        "src/errors.rs": plain.render("errors.rs.j2"),
        "src/events.rs": plain.render("events.rs.j2"),
        "src/requests.rs": plain.render("requests.rs.j2"),
        "src/types/mod.rs": plain.render("types.rs.j2"),
        "src/types/dictionaries.rs": plain.render("dictionaries.rs.j2"),
        "src/types/enums.rs": plain.render("enums.rs.j2"),
        "src/types/records.rs": plain.render("records.rs.j2"),
        "src/methods/mod.rs": qualified.render("methods.rs.j2", methods=spaces.get("", [])),
        **modules,
    }


class Rust:
    """What the templates ask about a model. The SDK's numbers and older names, which an input takes too, are left out.

    `path` stands before the names of types, where something else may have the same name.
    """

    def __init__(self, model: Model, path: str = "") -> None:
        self.model = model
        self.path = path
        others = {found.other for found in model.types.values() if isinstance(found, EnumInput)}
        self.types = [found for found in model.types.values() if not isinstance(found, EnumInput) and found.name not in others]
        self.titles = {event.name: event.title for event in model.events}
        self.titles.update((request.name, request.title) for request in model.host_requests)

    def render(self, template: str, **values: Any) -> str:
        templates = rendering.environment(
            "rust", name=name, pascal=pascal, doc=doc, quoted=quoted, type=self.type, function=function, wrapped=wrapped)
        return templates.get_template(template).render(model=self.model, rust=self, **values)

    def declarations(self, kind: str) -> list[Declaration]:
        kinds = {"Enum": Enum, "Alias": Alias, "Record": Record, "Dictionary": Dictionary}
        return [found for found in self.types if isinstance(found, kinds[kind])]

    # Types

    def resolved(self, found: Type) -> Type:
        """The type without other names for it, and the enum of what an input takes."""
        if not isinstance(found, Named):
            return found
        declared = self.model.types[found.name]
        if isinstance(declared, EnumInput):
            return Named(declared.enum)
        return self.resolved(declared.type) if isinstance(declared, Alias) else found

    def type(self, given: Type) -> str:
        found = self.resolved(given)
        if isinstance(found, Nullable):
            return f"Option<{self.type(found.inner)}>"
        if isinstance(found, ListOf):
            return f"Vec<{self.type(found.item)}>"
        if isinstance(found, MapOf):
            key = self.type(Named(found.names)) if found.names else "String"
            return f"BTreeMap<{key}, {self.type(found.value)}>"
        if isinstance(found, Choice):
            return "String" if isinstance(found.values[0], str) else "i64"
        return self.path + pascal(found.name) if isinstance(found, Named) else TYPES[found.kind]

    def member(self, field: Field) -> str:
        """The type of a member, which may be absent."""
        found = self.type(field.type)
        return found if field.required or found.startswith("Option<") or found == "Value" else f"Option<{found}>"

    def is_special(self, given: Type) -> bool:
        found = self.resolved(given)
        if isinstance(found, Basic):
            return found.kind in SPECIAL
        return any(map(self.is_special, inner_types(found)))

    def attributes(self, field: Field, sent: bool) -> list[str]:
        """What serde must know about a member."""
        found = [f'rename = "{field.name}"'] if name(field.name).removeprefix("r#") != field.name else []
        special = self.is_special(field.type)
        if special:
            found.append('with = "crate::values"')
        if not field.required and (special or self.member(field) == "Value"):
            found.append("default")
        if not field.required and sent:
            found.append('skip_serializing_if = "Option::is_none"')
        return found

    def reader(self, found: Type) -> str:
        return "read_wire" if self.is_special(found) else "read_json"

    def writer(self, found: Type) -> str:
        return "answer.text()" if self.is_special(found) else "json(answer)"

    # What a caller gives

    def required(self, field: Field) -> Argument:
        found = self.resolved(field.type)
        if not isinstance(found, Nullable):
            return self.argument(found, name(field.name))
        inner = self.resolved(found.inner)
        if inner == Basic("bytes"):
            return self.argument(inner, name(field.name))
        if isinstance(inner, ListOf):
            return self.slice(inner, name(field.name))
        return self.nullable(inner, name(field.name))

    def optional(self, field: Field) -> Argument:
        """An integer or a list is not taken as an Option: a literal would not know its type."""
        found = self.resolved(field.type)
        inner = self.resolved(found.inner) if isinstance(found, Nullable) else found
        plain = isinstance(inner, ListOf) or isinstance(inner, Basic) and inner.kind in ("integer", "bytes", "any")
        return self.argument(inner, name(field.name)) if plain else self.nullable(inner, name(field.name))

    def argument(self, found: Type, variable: str) -> Argument:
        if found == Basic("string") or isinstance(found, Choice) and isinstance(found.values[0], str):
            return Argument("&str", variable)
        if isinstance(found, Basic) and found.kind in SPECIAL:
            own = "&[u8]" if found.kind == "bytes" else TYPES[found.kind]
            return Argument(own, f"{SPECIAL[found.kind]}({variable})")
        if isinstance(found, ListOf):
            item = self.resolved(found.item)
            textual = item == Basic("string") or isinstance(item, Choice)
            own = "impl Into<String>" if textual else self.type(item)
            items = f"strings({variable})" if textual else f"{variable}.into_iter().collect::<Vec<_>>()"
            return Argument(f"impl IntoIterator<Item = {own}>", items)
        if found == Basic("any"):
            return Argument("impl Into<Value>", f"{variable}.into()")
        if found == Basic("number"):
            return Argument("f64", f"number({variable})")
        return Argument(self.type(found), variable)

    def slice(self, found: ListOf, variable: str) -> Argument:
        """A list or null."""
        item = self.resolved(found.item)
        if item == Basic("bytes"):
            return Argument("Option<&[&[u8]]>", f"texts({variable})")
        return Argument("Option<&[&str]>" if item == Basic("string") else f"Option<&[{self.type(item)}]>", variable)

    def nullable(self, found: Type, variable: str) -> Argument:
        if isinstance(found, ListOf):
            return Argument(f"impl Into<Option<{self.type(found)}>>", f"{variable}.into()")
        inner = self.argument(found, variable)
        own = inner.type.replace("&", "&'p ")
        if inner.expression == variable:
            return Argument(f"impl Into<Option<{own}>>", f"{variable}.into()")
        return Argument(f"impl Into<Option<{own}>>", f"{variable}.into().map({inner.expression.partition('(')[0]})")

    # Declarations

    def is_sent(self, found: Declaration) -> bool:
        return found.name in self.model.sent

    def is_received(self, found: Declaration) -> bool:
        return found.name in self.model.received

    def derives(self, record: Record) -> str:
        found = ["Clone"] if self.has_secret(record.fields) else ["Clone", "Debug"]
        found += ["PartialEq"] if any(field.required for field in record.fields) else ["Default", "PartialEq"]
        found += ["Serialize"] if self.is_sent(record) else []
        found += ["Deserialize"] if self.is_received(record) else []
        return ", ".join(found)

    def has_secret(self, fields: tuple[Field, ...]) -> bool:
        return any(field.secret for field in fields)

    def constructor(self, field: Field) -> Argument:
        """A member of a record that a caller must give."""
        own, variable = self.type(field.type), name(field.name)
        return Argument("impl Into<String>", f"{variable}.into()") if own == "String" else Argument(own, variable)

    def setter(self, field: Field) -> Argument:
        own, variable = self.member(field).removeprefix("Option<").removesuffix(">"), name(field.name)
        if own == "String":
            return Argument("impl Into<String>", f"Some({variable}.into())")
        return Argument(own, f"Some({variable})")

    def entries(self, dictionary: Dictionary) -> list[Field]:
        """The entries without older names, which have no type and would be called like others."""
        if self.has_secret(dictionary.entries):
            raise UnknownShape(f"{dictionary.name}: the Rust client shows the settings of a dictionary")
        typed = {snake(entry.name) for entry in dictionary.entries if entry.type != Basic("any")}
        return [entry for entry in dictionary.entries if entry.type != Basic("any") or snake(entry.name) not in typed]

    def entry(self, field: Field) -> Argument:
        found = self.resolved(field.type)
        return self.nullable(self.resolved(found.inner), "value") if isinstance(found, Nullable) else self.argument(found, "value")

    def variants(self, enum: Enum) -> dict[str, Any]:
        """The variants of an enum with their values. Events and host requests have the names of their types."""
        found = {self.variant(value): value for value in enum.values}
        if len(found) < len(enum.values) or "Unrecognized" in found:
            raise UnknownShape(f"{enum.name}: two variants with one name")
        return found

    def variant(self, value: Any) -> str:
        if isinstance(value, int):
            return f"Level{value}"
        return pascal(self.titles.get(value) or re.sub(r"\W", "-", value))

    def is_numeric(self, enum: Enum) -> bool:
        return isinstance(enum.values[0], int)

    # Methods

    def check(self, method: Method) -> None:
        if taken := OPTIONS & {snake(field.name) for field in method.params if not field.required}:
            raise UnknownShape(f"{method.name}: {', '.join(taken)} is an option of the Rust client")

    def method_doc(self, method: Method, indent: int) -> str:
        self.check(method)
        parts = [method.summary, method.description]
        notes = [f"- `{name(field.name)}`: {field.doc}" for field in method.params if field.required and field.doc]
        if method.result != Basic("null") and method.result_doc:
            parts.append(f"Returns: {method.result_doc}")
        own = [f"`{pascal(error)}`" for error in method.errors if error not in self.model.common_errors]
        if own:
            parts.append(f"Errors: {', '.join(own)}.")
        return doc([*parts[:2], *notes, *parts[2:]], indent)

    def request_doc(self, request: Any, indent: int) -> str:
        returns = [f"Returns: {request.result_doc}"] if request.result != Basic("null") and request.result_doc else []
        return doc([request.summary, request.description, *returns, f"By default: {request.default}"], indent)

    def arguments(self, fields: list[Field]) -> list[Argument]:
        return [self.required(field) for field in fields]

    def parameters(self, fields: list[Field], take: Callable[[Field], Argument]) -> list[str]:
        return [f"{name(field.name)}: {take(field).type}" for field in fields]

    def generic(self, function_name: str, arguments: list[Argument]) -> str:
        """The name of a function, with the lifetime that its arguments use."""
        return f"{function_name}<'p>" if any("'p " in argument.type for argument in arguments) else function_name

    def creation(self, record: Record) -> str:
        """The body of the function `new` of a record."""
        given = [self.constructor(field).expression if field.required else "None" for field in record.fields]
        members = [name(field.name) if name(field.name) == value else f"{name(field.name)}: {value}"
                   for field, value in zip(record.fields, given)]
        flat = f"        {pascal(record.name)} {{ {', '.join(members)} }}"
        if len(flat) <= WIDTH:
            return flat
        lines = "".join(f"            {member},\n" for member in members)
        return f"        {pascal(record.name)} {{\n{lines}        }}"

    def row(self, error: Error) -> str:
        """An error in the table of errors."""
        parts = [f"ErrorName::{pascal(error.name)}", quoted(error.name), str(error.code), quoted(error.message)]
        flat = f"({', '.join(parts)})"
        if len(flat) + 5 <= WIDTH:
            return flat
        return "(\n" + "".join(f"        {part},\n" for part in parts) + "    )"

    def arm(self, event: Event) -> str:
        """Where an event is read by its name."""
        pattern, value = quoted(event.name), f"read(params).map(Event::{pascal(event.title)})"
        flat = f"            {pattern} => {value},"
        return flat if len(flat) <= WIDTH else f"            {pattern} => {{\n                {value}\n            }}"

    # What a file uses

    def prelude(self, code: str, *more: str) -> str:
        """The `use` lines for what is not of this crate."""
        words = words_of(code)
        std = {*more} | {path for path in ("std::collections::BTreeMap", "std::fmt") if path.rpartition(":")[2] in words}
        lines = [f"use {path};" for path in sorted(std)]
        lines.append(listed("std::time", sorted(words & {"Duration", "SystemTime"})))
        outside = [listed("serde", sorted(words & {"Deserialize", "Serialize"})),
                   listed("serde_json", sorted(words & {"Map", "Value"}))]
        groups = ["\n".join(filter(None, group)) for group in (lines, outside)]
        return "\n\n".join(filter(None, groups))

    def type_names(self, code: str) -> str:
        """The `use` line for the types that the code does not declare."""
        own = set(re.findall(r"(?m)^pub (?:enum|struct|type) (\w+)", code))
        words = words_of(code) - own
        return listed("crate::types", sorted(pascal(found.name) for found in self.types if pascal(found.name) in words))

    def crate_uses(self, code: str) -> str:
        helpers = words_of(code) & {"bytes_text", "duration_text", "number", "read_json", "read_wire", "strings", "texts",
                                    "time_text"}
        types = "use crate::types;" if "types::" in code else ""
        lines = [types, listed("crate::values", sorted(helpers)), "use crate::{Client, Method, Request};"]
        return "\n".join(filter(None, lines))


def words_of(code: str) -> set[str]:
    return set(re.findall(r"\w+", re.sub(r'(?m)^\s*//.*$|"[^"\n]*"', "", code)))


def wrapped(text: str) -> str:
    return rendering.wrap(escaped(text), 0, WIDTH - 4, then="/// ")


def listed(module: str, names: list[str]) -> str:
    """A `use` line as rustfmt writes it."""
    if not names:
        return ""
    flat = f"use {module}::{names[0]};" if len(names) == 1 else f"use {module}::{{{', '.join(names)}}};"
    if len(flat) <= WIDTH:
        return flat
    return f"use {module}::{{\n    {rendering.fill(names, 4, WIDTH - 2)},\n}};"


def function(head: str, parameters: list[str], result: str, indent: int) -> str:
    """The first line or lines of a function, up to its body, as rustfmt writes them."""
    tail = f") -> {result}" if result else ")"
    lead = " " * indent
    flat = f"{head}({', '.join(parameters)}{tail} {{"
    if indent + len(flat) <= WIDTH:
        return lead + flat
    lines = "".join(f"{lead}    {parameter},\n" for parameter in parameters)
    return f"{lead}{head}(\n{lines}{lead}{tail} {{"


def name(wire: str) -> str:
    found = snake(wire)
    return f"r#{found}" if found in KEYWORDS else found


def pascal(wire: str) -> str:
    """isPINRequired: IsPinRequired. Acronyms are words like others."""
    return "".join(word.capitalize() if word.isupper() or acronyms(word) else word[0].upper() + word[1:] for word in split(wire))


def acronyms(word: str) -> bool:
    """URLs, and PIN2."""
    return word.rstrip("s0123456789").isupper()


def quoted(value: Any) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"' if isinstance(value, str) else repr(value)


def doc(texts: list[str], indent: int, mark: str = "///") -> str:
    """A documentation comment. Notes, which begin with a hyphen, follow each other without an empty line."""
    paragraphs = [part for text in texts for part in text.split("\n\n") if part]
    lines: list[str] = []
    for number, text in enumerate(paragraphs):
        if number and not (text.startswith("- ") and paragraphs[number - 1].startswith("- ")):
            lines.append(" " * indent + mark)
        then = f"{mark}   " if text.startswith("- ") else f"{mark} "
        lines.append(rendering.wrap(escaped(text), indent, WIDTH, first=f"{mark} ", then=then))
    return "\n".join(lines)


def escaped(text: str) -> str:
    """Text that rustdoc would take for a link or a tag."""
    return re.sub(r"(?<!`)([\[\]<>])(?!`)", r"\\\1", text)
