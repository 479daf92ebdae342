"""The TypeScript client: JavaScript modules with their declarations. Names are those of the schema."""
from __future__ import annotations

import json
import re
from typing import Any, Iterable, Optional

from . import rendering
from .model import Alias, Basic, Choice, Declaration, Dictionary, Enum, EnumInput, Field, HostRequest, ListOf
from .model import MapOf, Method, Model, Named, Nullable, Record, Type
from .shapes import UnknownShape
from .words import pascal

FOLDER = "clients/typescript/lib"
FILES = ("types.d.ts", "wire.js", "events.d.ts", "host.d.ts", "errors.js", "errors.d.ts", "methods.js", "methods.d.ts")

# Every method has these options, so no parameter may have their names.
OPTIONS = {"options", "timeout", "signal", "onProgress"}
WIDTH = 118

ANNOTATIONS = {
    "string": "string", "bytes": "Uint8Array", "integer": "number", "number": "number", "boolean": "boolean",
    "time": "Date", "duration": "Duration", "object": "Record<string, unknown>", "any": "unknown", "null": "void",
}
READERS = {"bytes": "readBytes", "time": "readTime"}
WRITERS = {"bytes": "writeBytes", "time": "writeTime", "duration": "writeDuration"}


def render(model: Model) -> dict[str, str]:
    typescript = TypeScript(model)
    templates = rendering.environment(
        "typescript", sent=typescript.sent, received=typescript.received, doc=doc, union=union, pascal=pascal,
        quoted=quoted, handler=handler, conversion=conversion)

    def text(template: str, **more: Any) -> str:
        found = templates.get_template(f"{template}.j2").render(model=model, typescript=typescript, **more)
        return typescript.with_imports(found)

    namespaces = {
        f"methods/{space}.d.ts": text("namespace.d.ts", namespace=space, methods=methods)
        for space, methods in model.namespaces().items() if space}
    return {**{file: text(file) for file in FILES}, **namespaces}


class TypeScript:
    """What the templates ask about a model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        if any(field.name == "event" for event in model.events for field in event.fields):
            raise UnknownShape("a member of an event has the name that the TypeScript client gives to its kind")

    def declarations(self, kind: str) -> list[Declaration]:
        kinds = {"Enum": Enum, "EnumInput": EnumInput, "Alias": Alias, "Record": Record, "Dictionary": Dictionary}
        return [found for found in self.model.types.values() if isinstance(found, kinds[kind])]

    # Annotations

    def sent(self, found: Type) -> str:
        """The annotation of a value that the caller gives: a read-only list will do."""
        if isinstance(found, ListOf):
            return f"readonly {grouped(self.sent(found.item))}[]"
        if isinstance(found, MapOf):
            return f"Readonly<{mapping(found, self.sent(found.value))}>"
        return f"{self.sent(found.inner)} | null" if isinstance(found, Nullable) else self.received(found)

    def received(self, found: Type) -> str:
        if isinstance(found, ListOf):
            return f"{grouped(self.received(found.item))}[]"
        if isinstance(found, MapOf):
            return mapping(found, self.received(found.value))
        if isinstance(found, Nullable):
            return f"{self.received(found.inner)} | null"
        if isinstance(found, Choice):
            return literal(found.values)
        return found.name if isinstance(found, Named) else ANNOTATIONS[found.kind]

    def members(self, fields: Iterable[Field], sent: bool, indent: int) -> str:
        """The members of an interface or of an object type, with their documentation."""
        return "\n".join(self.member(field, sent, indent) for field in fields)

    def member(self, field: Field, sent: bool, indent: int) -> str:
        annotation = self.sent(field.type) if sent else self.received(field.type)
        if not field.required and not annotation.endswith("| null") and annotation != "unknown":
            annotation += " | null"
        line = f"{' ' * indent}{key(field.name)}{'' if field.required else '?'}: {annotation};"
        return f"{doc([field.doc], indent)}\n{line}" if field.doc else line

    # Methods

    def parameters(self, method: Method) -> str:
        """The parameters of a declaration: required ones by position, the rest in a last object."""
        options = self.options(method)
        parts = [f"{parameter(field)}: {self.sent(field.type)}" for field in method.params if field.required]
        flat = ", ".join([*parts, options])
        if "\n" not in flat and len(flat) < 80:
            return flat
        return "\n" + "".join(f"    {part},\n" for part in [*parts, options]) + "  "

    def options(self, method: Method) -> str:
        given = [field for field in method.params if not field.required]
        for field in given:
            parameter(field)
        if not given:
            return "options?: CallOptions"
        return "options?: CallOptions & {\n" + self.members(given, True, 6) + "\n    }"

    def arguments(self, method: Method) -> str:
        return ", ".join([*(field.name for field in method.params if field.required), "options"])

    def call(self, method: Method) -> str:
        """The arguments of the call in the body of a method: what comes last and says nothing is left out."""
        required = ", ".join(field.name for field in method.params if field.required)
        writers = self.conversions(method.params, self.writer)
        last = [self.reader(method.result) or "undefined", writers]
        while last and last[-1] in ("undefined", "{}"):
            last.pop()
        params = f"{{ {required} }}" if required else "{}"
        return ", ".join([quoted(method.name), params, "options", *last])

    def method_doc(self, method: Method) -> str:
        notes = [f"@param {field.name} {field.doc}" for field in method.params if field.required and field.doc]
        if method.result != Basic("null") and method.result_doc:
            notes.append(f"@returns {method.result_doc}")
        own = [pascal(error) for error in method.errors if error not in self.model.common_errors]
        if own:
            notes.append(f"@throws {', '.join(own)}")
        return doc([method.summary, method.description], 2, notes)

    def request_doc(self, request: HostRequest) -> str:
        notes = [f"@returns {request.result_doc}"] if request.result != Basic("null") and request.result_doc else []
        return doc([request.summary, request.description, f"By default: {request.default}"], 2, notes)

    # Values on the wire

    def reader(self, found: Type) -> Optional[str]:
        """The expression of a function that turns parsed JSON into a value, or None if the value stays as it is."""
        if isinstance(found, Nullable):
            return optional(self.reader(found.inner))
        if isinstance(found, ListOf):
            return f"listOf({self.reader(found.item) or 'asIs'})"
        if isinstance(found, MapOf):
            return f"mapOf({self.reader(found.value) or 'asIs'})"
        if isinstance(found, Named):
            return self.named_reader(self.model.types[found.name])
        if found == Basic("duration"):
            raise UnknownShape("the TypeScript client cannot read a duration")
        return READERS.get(found.kind) if isinstance(found, Basic) else None

    def named_reader(self, found: Declaration) -> Optional[str]:
        if isinstance(found, Dictionary):
            raise UnknownShape(f"{found.name}: the TypeScript client cannot read a dictionary of settings")
        if isinstance(found, Alias):
            return self.reader(found.type)
        return f"read{found.name}" if isinstance(found, Record) else None

    def writer(self, found: Type) -> Optional[str]:
        """The expression of a function that turns a value into JSON, or None if the value stays as it is."""
        if isinstance(found, Nullable):
            return optional(self.writer(found.inner))
        if isinstance(found, (ListOf, MapOf)):
            inner = self.writer(found.item if isinstance(found, ListOf) else found.value)
            return f"{'listOf' if isinstance(found, ListOf) else 'mapOf'}({inner})" if inner else None
        if isinstance(found, Named):
            return self.named_writer(self.model.types[found.name])
        return WRITERS.get(found.kind) if isinstance(found, Basic) else None

    def named_writer(self, found: Declaration) -> Optional[str]:
        if isinstance(found, Alias):
            return self.writer(found.type)
        return f"write{found.name}" if self.written(found) else None

    def written(self, found: Declaration) -> tuple[Field, ...]:
        """The members of a type whose values change on their way to the wire."""
        fields = found.fields if isinstance(found, Record) else found.entries if isinstance(found, Dictionary) else ()
        return tuple(field for field in fields if self.writer(field.type))

    def writable(self) -> list[Declaration]:
        return [found for found in self.model.types.values() if found.name in self.model.sent and self.written(found)]

    def read_record(self, fields: tuple[Field, ...]) -> str:
        if any(field.secret for field in fields):
            raise UnknownShape("the TypeScript client cannot hide a secret that it receives")
        required = "[" + ", ".join(quoted(field.name) for field in fields if field.required) + "]"
        conversions = self.conversions(fields, self.reader)
        flat = f"readMembers(wire, {required}" + (f", {conversions})" if conversions != "{}" else ")")
        return flat if len(flat) < 105 else self.broken_record(fields)

    def broken_record(self, fields: tuple[Field, ...]) -> str:
        required = rendering.fill([quoted(field.name) for field in fields if field.required], 4)
        found = [f"    {conversion(field, self.reader)},\n" for field in fields if self.reader(field.type)]
        return f"readMembers(wire, [\n    {required},\n  ]" + (", {\n" + "".join(found) + "  })" if found else ")")

    def conversions(self, fields: Iterable[Field], convert: Any) -> str:
        found = ", ".join(conversion(field, convert) for field in fields if convert(field.type))
        return f"{{ {found} }}" if found else "{}"

    # Imports

    def with_imports(self, text: str) -> str:
        """Replaces `<KIND names>` by the names of that kind that the text uses. An import without names is left out."""
        code = re.sub(r'/\*\*.*?\*/|"[^"]*"', "", text, flags=re.DOTALL)
        words = set(re.findall(r"\w+", code))
        names = {
            "type": ["Duration", *self.model.types],
            "event": [event.title for event in self.model.events],
            "value": [
                "asIs", "listOf", "mapOf", "optional", "readMembers", "writeMembers", *READERS.values(),
                *WRITERS.values()],
            "wire": [f"{verb}{found}" for verb in ("read", "write") for found in self.model.types],
        }
        found = re.sub(r"<(\w+) names>", lambda match: self.named(names[match[1]], words), text)
        return re.sub(r"^import type \{\n  ,\n\} from .*\n", "", found, flags=re.MULTILINE)

    @staticmethod
    def named(names: list[str], words: set[str]) -> str:
        return rendering.fill([name for name in names if name in words], 2)


def mapping(found: MapOf, value: str) -> str:
    return f"Partial<Record<{found.names}, {value}>>" if found.names else f"Record<string, {value}>"


def conversion(field: Field, convert: Any) -> str:
    """The entry of a member in a table of conversions, which are not called for null."""
    bare = field.type.inner if isinstance(field.type, Nullable) else field.type
    return f"{key(field.name)}: {convert(bare)}"


def optional(convert: Optional[str]) -> Optional[str]:
    return convert and f"optional({convert})"


def grouped(annotation: str) -> str:
    return f"({annotation})" if " | " in annotation or annotation.startswith("readonly ") else annotation


def parameter(field: Field) -> str:
    if field.name in OPTIONS:
        raise UnknownShape(f"the parameter {field.name} has the name of an option of the TypeScript client")
    return field.name


def handler(title: str) -> str:
    """The name of a method of a host: PromptForPIN: promptForPIN."""
    return title[0].lower() + title[1:]


def key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_$][\w$]*", name) else quoted(name)


def literal(values: tuple[Any, ...]) -> str:
    return " | ".join(quoted(value) for value in values)


def union(values: tuple[Any, ...], start: str) -> str:
    """A declaration that begins with `start`: in one line, or with one value a line."""
    flat = f"{start} = {literal(values)};"
    return flat if len(flat) <= 100 else f"{start} =" + "".join(f"\n  | {quoted(value)}" for value in values) + ";"


def quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def doc(paragraphs: list[str], indent: int = 0, notes: list[str] = []) -> str:
    """A documentation comment: paragraphs of prose, then notes such as `@returns`."""
    texts = [part.replace("*/", "*\\/") for text in paragraphs for part in text.split("\n\n") if part]
    lead = " " * indent
    if len(texts) == 1 and not notes and "\n" not in texts[0] and len(texts[0]) + indent + 7 <= WIDTH:
        return f"{lead}/** {texts[0]} */"
    blocks = [rendering.wrap(text, indent, first=" * ", then=" * ") for text in texts]
    if notes:
        ends = [rendering.wrap(note.replace("*/", "*\\/"), indent, first=" * ", then=" *   ") for note in notes]
        blocks.append("\n".join(ends))
    return f"{lead}/**\n" + f"\n{lead} *\n".join(blocks) + f"\n{lead} */"
