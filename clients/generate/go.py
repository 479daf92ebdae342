"""The Go client: names, types, and comments as gofmt leaves them."""
from __future__ import annotations

import re
from typing import Any, Callable, Optional

from . import rendering
from .model import Alias, Basic, Choice, Declaration, Dictionary, Enum, EnumInput, Field, ListOf, MapOf, Method, Model
from .model import Named, Nullable, Record, Type
from .shapes import UnknownShape, inner_types
from .words import snake, split

FOLDER = "clients/go"
FILES = ("version", "enums", "types", "events", "errors", "host", "methods")

# Stands in a template where the packages that the rest of the file uses are imported.
IMPORTS = "<imports>"

TYPES = {
    "string": "string", "bytes": "[]byte", "integer": "int64", "number": "float64", "boolean": "bool",
    "time": "time.Time", "duration": "time.Duration", "object": "map[string]any", "any": "any",
}

# Words that Go writes in capitals. Others are written as in the schema, with a capital first letter.
CAPITALS = {
    "aad", "adal", "emm", "eu", "id", "ios", "mam", "mdm", "os", "pin", "rpc", "sdk", "ui", "uri", "url", "upn", "utc", "uti", "vfs",
}
SPELLED = {"ipad": "IPad", "ids": "IDs", "pins": "PINs", "uris": "URIs", "urls": "URLs", "sqlite": "SQLite"}

# A parameter with one of these names would hide what the method uses, or a type that Go declares.
TAKEN = {
    "any", "bool", "byte", "chan", "context", "copy", "ctx", "default", "error", "func", "go", "import", "interface", "len",
    "m", "map", "package", "params", "range", "select", "string", "struct", "switch", "time", "type", "var",
}

# What the hand-written files declare.
RUNTIME = {
    "Client", "ConnectionLostError", "Dial", "ErrUnexpectedReply", "Error", "Event", "Options", "Progress", "Ptr", "Secret",
    "Start", "WithProgress",
}

# Verbs that follow another verb in the summary of a method: "Create or empty a file for an account, and open it."
FOLLOWING = (
    "ask", "check", "empty", "enroll", "evaluate", "extend", "fetch", "forget", "leave", "move", "open", "record", "register",
    "return", "run", "say",
)


def render(model: Model) -> dict[str, str]:
    go = Go(model)
    go.check_names()
    templates = rendering.environment(
        "go", name=name, variable=variable, quoted=quoted, comment=comment, third_person=third_person, aligned=aligned)

    def text(template: str, **more: Any) -> str:
        found = templates.get_template(f"{template}.go.j2").render(model=model, go=go, IMPORTS=IMPORTS, **more)
        return found.replace(IMPORTS, imports(found))

    namespaces = {
        f"methods_{snake(space)}.go": text("namespace", namespace=space, methods=methods)
        for space, methods in model.namespaces().items() if space}
    return {**{f"{file}.go": text(file) for file in FILES}, **namespaces}


class Go:
    """What the templates ask about a model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.used = used_types(model)

    def declarations(self, kind: str) -> list[Declaration]:
        kinds = {"Enum": Enum, "Alias": Alias, "Record": Record, "Dictionary": Dictionary}
        found = [found for found in self.model.types.values() if isinstance(found, kinds[kind])]
        return [declaration for declaration in found if declaration.name in self.used]

    # Types

    def type(self, found: Type) -> str:
        if isinstance(found, Nullable):
            return self.optional(found.inner)
        if isinstance(found, ListOf):
            return f"[]{self.type(found.item)}"
        if isinstance(found, MapOf):
            return f"map[{name(found.names) if found.names else 'string'}]{self.type(found.value)}"
        if isinstance(found, Choice):
            return "string" if isinstance(found.values[0], str) else "int64"
        if isinstance(found, Named):
            return name(self.resolved(found).name)
        return TYPES[found.kind]

    def optional(self, found: Type) -> str:
        """A type with a nil."""
        text = self.type(found)
        return text if self.has_nil(found) else f"*{text}"

    def has_nil(self, found: Type) -> bool:
        if isinstance(found, Named):
            declared = self.resolved(found)
            return self.has_nil(declared.type) if isinstance(declared, Alias) else isinstance(declared, Dictionary)
        kinds = ("bytes", "object", "any")
        return isinstance(found, (Nullable, ListOf, MapOf)) or isinstance(found, Basic) and found.kind in kinds

    def resolved(self, found: Named) -> Declaration:
        """The declaration of a type. A caller sends the values of an enum, never those that mean the same."""
        declared = self.model.types[found.name]
        return self.model.types[declared.enum] if isinstance(declared, EnumInput) else declared

    def member(self, field: Field) -> str:
        """The type of a member of a struct."""
        text = self.type(field.type) if field.required else self.optional(field.type)
        if not field.secret:
            return text
        if text.lstrip("*") != "string":
            raise UnknownShape(f"{field.name}: the Go client knows only secrets that are strings")
        return text.replace("string", "Secret")

    def members(self, fields: tuple[Field, ...]) -> str:
        """The members of a struct. A member with a comment stands between blank lines, so nothing else is aligned."""
        blocks: list[str] = []
        plain: list[list[str]] = []
        for field in fields:
            row = [name(field.name), self.member(field), tag(field)]
            if not field.doc:
                plain.append(row)
                continue
            blocks += [aligned(plain, 1)] if plain else []
            plain = []
            blocks.append(f"{comment([field.doc], 1)}\n\t{' '.join(row)}")
        return "\n\n".join([*blocks, *([aligned(plain, 1)] if plain else [])])

    # Reading and writing

    def needed(self, fields: tuple[Field, ...]) -> list[str]:
        """The names of the members that an object of the server must have. `any` may be null."""
        for field in fields:
            if any(part == Basic("duration") for part in [field.type, *inner_types(field.type)]):
                raise UnknownShape(f"{field.name}: the Go client cannot read a duration")
        return [field.name for field in fields if field.required and not self.may_be_null(field.type)]

    def may_be_null(self, found: Type) -> bool:
        return isinstance(found, Nullable) or found == Basic("any")

    def members_expression(self, fields: tuple[Field, ...], prefix: str = "") -> str:
        """A map of what is required, which `given` completes."""
        required = [f'"{field.name}": {self.sent(field, prefix)}' for field in fields if field.required]
        return "members{" + ", ".join(required) + "}"

    def sent(self, field: Field, prefix: str) -> str:
        value = prefix + (name(field.name) if prefix else variable(field.name))
        is_list = isinstance(field.type, ListOf) or field.type == Basic("bytes")
        return f"list({value})" if is_list else value

    # Methods

    def receiver(self, method: Method) -> str:
        return f"{name(method.namespace)}Methods" if method.namespace else "Methods"

    def params_name(self, method: Method) -> str:
        return f"{name(method.namespace)}{name(method.short)}Params"

    def optional_params(self, method: Method) -> tuple[Field, ...]:
        return tuple(field for field in method.params if not field.required)

    def signature(self, method: Method) -> str:
        params = ["ctx context.Context"]
        params += [f"{variable(field.name)} {self.type(field.type)}" for field in method.params if field.required]
        if self.optional_params(method):
            params.append(f"params *{self.params_name(method)}")
        result = "error" if method.result == Basic("null") else f"({self.result(method)}, error)"
        return f"{name(method.short)}({', '.join(params)}) {result}"

    def result(self, method: Method) -> str:
        text = self.type(method.result)
        return text.replace("string", "Secret") if method.result_secret else text

    def call(self, method: Method) -> str:
        function = "run" if method.result == Basic("null") else f"invoke[{self.result(method)}]"
        required = self.members_expression(tuple(field for field in method.params if field.required))
        optional = "params" if self.optional_params(method) else "nil"
        return f'{function}(ctx, m.session, "{method.name}", {required}, {optional})'

    def method_doc(self, method: Method) -> str:
        notes = [f"{variable(field.name)}: {field.doc}" for field in method.params if field.doc and field.required]
        if method.result != Basic("null") and method.result_doc:
            notes.append(f"result: {method.result_doc}")
        own = [f"[Err{name(error)}]" for error in method.errors if error not in self.model.common_errors]
        errors = [f"Errors: {', '.join(own)}."] if own else []
        summary = f"{name(method.short)} {third_person(method.summary)}"
        return comment([summary, method.description, *errors], 0, notes)

    def namespaces(self) -> str:
        return aligned([[name(space), f"{name(space)}Methods"] for space in self.model.namespaces() if space], 1)

    def namespace_values(self) -> str:
        rows = [[f"{name(space)}:", f"{name(space)}Methods{{session}},"] for space in self.model.namespaces() if space]
        return aligned(rows, 2)

    def declared(self) -> list[str]:
        rows = [[f'"{request.name}":', f"h.{name(request.title)} != nil,"] for request in self.model.host_requests]
        return aligned(rows, 0).splitlines()

    # Names

    def constants(self, enum: Enum) -> str:
        return aligned([[constant(enum, value), enum_name(enum), f"= {quoted(value)}"] for value in enum.values], 1)

    def errors(self) -> str:
        return aligned([[f"Err{name(error.name)}", f"= {self.error(error)}"] for error in self.model.errors.values()], 1)

    def error(self, error: Any) -> str:
        members = [f"Code: {error.code}", f"Name: {quoted(error.name)}", f"Message: {quoted(error.message)}"]
        if error.domain:
            members += [f"Domain: {quoted(error.domain)}", f"SDKCode: {error.sdk_code}"]
        return "&Error{" + ", ".join(members) + "}"

    def check_names(self) -> None:
        """A package has one name for one thing."""
        found = [*RUNTIME, *self.declared_names()]
        for text in found:
            if found.count(text) > 1:
                raise UnknownShape(f"the Go client would declare {text} twice")

    def declared_names(self) -> list[str]:
        model = self.model
        enums = [found for found in self.declarations("Enum") if isinstance(found, Enum)]
        return [
            *(name(declared) for declared in self.used), *(constant(enum, value) for enum in enums for value in enum.values),
            *(name(event.title) for event in model.events), *(f"{name(request.title)}Request" for request in model.host_requests),
            *(f"Err{name(error)}" for error in model.errors), *(f"{name(space)}Methods" for space in model.namespaces()),
            *(self.params_name(method) for method in model.methods if self.optional_params(method)),
        ]


def used_types(model: Model) -> list[str]:
    """The names of what the client declares: no input of an enum, and not the enums that only an input uses."""
    inputs = {found.name: found for found in model.types.values() if isinstance(found, EnumInput)}
    others = {found.other for found in inputs.values()}
    return [found for found in model.types if found not in inputs and found not in others]


def name(wire: str) -> str:
    """policy.isPINRequired: PolicyIsPINRequired; accountId: AccountID."""
    return "".join(capital(word) for word in split(wire))


def variable(wire: str) -> str:
    """newPin: newPIN; url: url."""
    first, *others = split(wire)
    found = first.lower() + "".join(capital(word) for word in others)
    return f"{found}Value" if found in TAKEN else found


def capital(word: str) -> str:
    lower = word.lower()
    if lower.rstrip("0123456789") in CAPITALS:
        return word.upper()
    return SPELLED.get(lower, word[0].upper() + word[1:])


def enum_name(enum: Enum) -> str:
    return name(enum.name)


def constant(enum: Enum, value: Any) -> str:
    return name(enum.name) + name(value) if isinstance(value, str) else f"{name(enum.name)}{value}"


def tag(field: Field) -> str:
    return f'`json:"{field.name}{"" if field.required else ",omitempty"}"`'


def quoted(value: Any) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"' if isinstance(value, str) else str(value)


def aligned(rows: list[list[str]], indent: int) -> str:
    """Columns as gofmt aligns them: with spaces, and the last as it is."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = (" ".join([*(cell.ljust(width) for cell, width in zip(row[:-1], widths)), row[-1]]) for row in rows)
    return "\n".join("\t" * indent + line for line in lines)


def comment(paragraphs: list[str], indent: int, notes: Optional[list[str]] = None) -> str:
    """A doc comment: paragraphs of prose, then notes as a list. In Go, null is nil."""
    texts = [part for text in paragraphs for part in text.split("\n\n") if part]
    prefix = "\t" * indent + "//"
    blocks = [in_go(text, prefix + " ", prefix + " ") for text in texts]
    if notes:
        blocks.append("\n".join(in_go(note, prefix + "   - ", prefix + "     ") for note in notes))
    return f"\n{prefix}\n".join(blocks)


def in_go(text: str, first: str, then: str) -> str:
    return rendering.wrap(re.sub(r"\bnull\b", "nil", text), 0, 116, first, then)


def third_person(text: str) -> str:
    """Report whether …: reports whether …. Go's comments say what a function does."""
    sentence, dot, others = text.partition(". ")
    verb, _, rest = sentence.partition(" ")
    verbs = "|".join(FOLLOWING)
    following: Callable[[re.Match[str]], str] = lambda match: match[1] + conjugated(match[2])
    rest = re.sub(rf"((?:\b(?:and|or|then)|:) )({verbs})(?![-\w])", following, " " + rest)
    return conjugated(verb[0].lower() + verb[1:]) + rest + dot + others


def conjugated(verb: str) -> str:
    if verb.endswith(("s", "sh", "ch", "x", "z")):
        return verb + "es"
    return verb[:-1] + "ies" if verb.endswith("y") and verb[-2] not in "aeiou" else verb + "s"


def imports(code: str) -> str:
    """The packages that a file uses, as an import declaration has them."""
    plain = re.sub(r"//.*", "", code)
    packages = {"context": "context.", "json": "json.", "time": "time."}
    paths = {"context": "context", "json": "encoding/json", "time": "time"}
    found = [paths[package] for package, use in packages.items() if re.search(rf"\b{re.escape(use)}[A-Z]", plain)]
    return "import (\n" + "".join(f'\t"{path}"\n' for path in found) + ")"
