"""The C client: names, declarations, and the tables that say how each type looks in JSON."""
from __future__ import annotations

from typing import Any, Iterator

from . import rendering
from .model import Alias, Basic, Choice, Declaration, Dictionary, Enum, EnumInput, Field, HostRequest, ListOf, MapOf
from .model import Method, Model, Named, Nullable, Record, Type
from .shapes import UnknownShape, inner_types
from .words import snake

FOLDER = "clients/c"
RUNTIME = rendering.TEMPLATES.parents[1] / "c" / "runtime"

WORDS = {
    "string": "string", "bytes": "bytes", "integer": "integer", "number": "number", "boolean": "boolean",
    "time": "time", "duration": "duration", "object": "object", "any": "any",
}
VALUES = {
    "string": "const char *", "bytes": "mambridge_bytes_t", "integer": "int64_t", "number": "double", "boolean": "bool",
    "time": "struct timespec", "duration": "mambridge_duration_t", "object": "json_t *", "any": "json_t *",
}
WITH_OPTIONAL = ("boolean", "integer", "number", "time", "duration")
RELEASES = {
    "char *": "mambridge_string_free", "mambridge_bytes_t": "mambridge_bytes_free", "json_t *": "json_decref",
}
NAMES_OF_SHAPES = {"string": "text"}

# Keywords of C and C++.
KEYWORDS = set("""
    alignas alignof and asm auto bool break case catch char class const constexpr continue default delete do double else
    enum explicit export extern false float for friend goto if inline int long mutable namespace new not operator or
    private protected public register restrict return short signed sizeof static struct switch template this throw true
    try typedef typename union unsigned using virtual void volatile while xor
""".split())
# What else is in a function of a method.
LOCALS = {"client", "options", "params", "result", "error", "arguments"}


def render(model: Model) -> dict[str, str]:
    c = C(model)
    templates = rendering.environment("c", snake=snake, doc=doc, row=row, quoted=quoted)

    def text(template: str) -> str:
        return templates.get_template(template).render(model=model, c=c, runtime=runtime)

    return {"mambridge.h": text("mambridge.h.j2"), "mambridge.c": text("mambridge.c.j2")}


def runtime(name: str) -> str:
    """A part that is written by hand."""
    return (RUNTIME / name).read_text(encoding="utf-8").rstrip("\n")


class C:
    """What the templates ask about a model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.lists: dict[str, ListOf] = {}
        self.maps: dict[str, MapOf] = {}
        self.optionals: set[str] = set()
        self.pointers: set[str] = set()
        for field in self.all_fields():
            self.use(field.type, field.required)
        for method in model.methods:
            self.use(method.result, not self.is_struct(self.plain(method.result)[0]))
            for field in self.given(method):
                self.use(field.type, not self.is_struct(self.plain(field.type)[0]))
        for request in model.host_requests:
            self.collect(request.result)

    # What the model uses

    def all_fields(self) -> Iterator[Field]:
        for found in self.model.types.values():
            yield from members(found)
        for method in self.model.methods:
            yield from self.optional(method)
        for event in self.model.events:
            yield from event.fields
        for request in self.model.host_requests:
            yield from request.params

    def use(self, used: Type, required: bool) -> None:
        """Notes what has to be declared for a value of a type, which may be absent unless it is required."""
        self.collect(used)
        found, nullable = self.plain(used)
        if required and not nullable:
            return
        if self.is_struct(found):
            self.pointers.add(self.word(found))
        elif isinstance(found, Basic) and found.kind in WITH_OPTIONAL:
            self.optionals.add(found.kind)

    def collect(self, found: Type) -> None:
        found, _ = self.plain(found)
        if isinstance(found, ListOf):
            self.lists[self.word(found)] = found
        if isinstance(found, MapOf):
            self.maps[self.word(found)] = found
        for inner in inner_types(found):
            if isinstance(inner, Nullable):
                raise UnknownShape("the C client has no lists or maps of values that may be null")
            self.collect(inner)

    def declarations(self, kind: type) -> list[Any]:
        return [found for found in self.model.types.values() if isinstance(found, kind)]

    def enums(self) -> list[Enum]:
        """The enums but those that are another form of an enum."""
        others = {found.other for found in self.declarations(EnumInput)}
        return [found for found in self.declarations(Enum) if found.name not in others]

    def structs(self) -> list[Declaration]:
        """Records and dictionaries, each after those that it contains."""
        ordered: dict[str, Declaration] = {}

        def add(found: Declaration) -> None:
            for field in members(found):
                inner, nullable = self.plain(field.type)
                if self.is_struct(inner) and field.required and not nullable:
                    assert isinstance(inner, Named)
                    add(self.model.types[inner.name])
            ordered.setdefault(found.name, found)

        for found in [*self.declarations(Record), *self.declarations(Dictionary)]:
            add(found)
        return list(ordered.values())

    def find_changes(self) -> dict[str, Type]:
        """The types of settings that can be reset."""
        found = (self.plain(field.type) for one in self.declarations(Dictionary) for field in entries(one))
        return dict(sorted((self.word(inner), inner) for inner, nullable in found if nullable))

    def freed(self) -> list[tuple[str, bool]]:
        """The words of the results that are released by a function of their own, and whether they are pointers."""
        results = [self.plain(method.result)[0] for method in self.model.methods]
        found = {self.word(result): self.is_struct(result) for result in results
                 if self.is_struct(result) or isinstance(result, (ListOf, MapOf))}
        return sorted(found.items())

    # Types

    def plain(self, found: Type) -> tuple[Type, bool]:
        """A type without other names and without null, and whether null is allowed."""
        if isinstance(found, Nullable):
            return self.plain(found.inner)[0], True
        if isinstance(found, Choice):
            return Basic("string"), False
        if isinstance(found, Named):
            named = self.model.types[found.name]
            if isinstance(named, Alias):
                return self.plain(named.type)
            if isinstance(named, EnumInput):
                return Named(named.enum), False
        return found, False

    def is_struct(self, found: Type) -> bool:
        return isinstance(found, Named) and isinstance(self.model.types[found.name], (Record, Dictionary))

    def is_null(self, found: Type) -> bool:
        return found == Basic("null")

    def word(self, found: Type) -> str:
        """The name of a type as a part of other names."""
        found, _ = self.plain(found)
        if isinstance(found, ListOf):
            return f"{self.word(found.item)}_list"
        if isinstance(found, MapOf):
            return (f"{snake(found.names)}_" if found.names else "") + f"{self.word(found.value)}_map"
        assert isinstance(found, (Basic, Named))
        return WORDS[found.kind] if isinstance(found, Basic) else snake(found.name)

    def value(self, found: Type) -> str:
        """The C type of a value that is there."""
        found, _ = self.plain(found)
        return VALUES[found.kind] if isinstance(found, Basic) else f"mambridge_{self.word(found)}_t"

    def items(self, found: Type) -> str:
        value = self.value(found)
        return f"{value}const *items" if value.endswith("*") else f"const {value} *items"

    def shape(self, found: Type) -> str:
        word = self.word(found)
        return f"{NAMES_OF_SHAPES.get(word, word)}_shape"

    def in_struct(self, field: Field, dictionary: bool = False) -> tuple[str, str]:
        """The C type of a member, and its shape."""
        found, nullable = self.plain(field.type)
        word = self.word(found)
        if dictionary and nullable:
            return f"mambridge_{word}_change_t", f"{word}_change_shape"
        if nullable or not field.required:
            if word in WITH_OPTIONAL:
                return f"mambridge_optional_{word}_t", f"optional_{word}_shape"
            if self.is_struct(found):
                return f"const mambridge_{word}_t *", f"{word}_pointer_shape"
        return self.value(found), self.shape(found)

    def as_argument(self, field: Field) -> tuple[str, str]:
        """The C type of a parameter of a function, and its shape."""
        found, _ = self.plain(field.type)
        if self.is_struct(found):
            return f"const {self.value(found)} *", f"{self.word(found)}_pointer_shape"
        return self.in_struct(field)

    def as_result(self, found: Type) -> tuple[str, str]:
        """The C type that a result is stored as, and its shape."""
        plain, nullable = self.plain(found)
        if self.is_struct(plain):
            return f"{self.value(plain)} *", f"{self.word(plain)}_pointer_shape"
        kind, shape = self.in_struct(Field("result", found, not nullable, ""))
        return ("char *" if kind == "const char *" else kind), shape

    def is_nullable(self, found: Type) -> bool:
        return self.plain(found)[1]

    def flags(self, field: Field) -> str:
        names = (("REQUIRED", field.required), ("NULLABLE", self.is_nullable(field.type)))
        return " | ".join(name for name, wanted in names if wanted) or "0"

    # Enums

    def constants(self, enum: Enum) -> list[tuple[str, int]]:
        prefix = f"MAMBRIDGE_{snake(enum.name).upper()}_"
        integers = isinstance(enum.values[0], int)
        found = [(prefix + "ABSENT", 0)]
        found += [(prefix + constant(value), value if integers else number)
                  for number, value in enumerate(enum.values, 1)]
        found.append((prefix + "UNRECOGNIZED", -1))
        if len({name for name, _ in found} | {number for _, number in found}) != 2 * len(found):
            raise UnknownShape(f"{enum.name}: two values have one name in C")
        return found

    def names(self, enum: Enum) -> list[str]:
        return [] if isinstance(enum.values[0], int) else [quoted(value) for value in enum.values]

    # Functions

    def function(self, method: Method) -> str:
        return f"mambridge_{self.method_word(method)}"

    def method_word(self, method: Method) -> str:
        return "_".join(filter(None, [snake(method.namespace), snake(method.short)]))

    def given(self, method: Method) -> list[Field]:
        return [field for field in method.params if field.required]

    def optional(self, method: Method) -> list[Field]:
        return [field for field in method.params if not field.required]

    def signature(self, method: Method) -> str:
        parts = ["mambridge_client_t *client"]
        parts += [declare(self.as_argument(field)[0], argument(field)) for field in self.given(method)]
        if self.optional(method):
            parts.append(f"const {self.function(method)}_params_t *params")
        else:
            parts.append("const mambridge_options_t *options")
        if not self.is_null(method.result):
            parts.append(declare(pointer_to(self.as_result(method.result)[0]), "result"))
        return call(f"bool {self.function(method)}", [*parts, "mambridge_error_t *error"])

    def method_doc(self, method: Method) -> str:
        notes = [f"{argument(field)}: {sentence(field)}" for field in self.given(method) if sentence(field)]
        if not self.is_null(method.result) and method.result_doc:
            notes.append(f"Result: {method.result_doc} {self.ownership(method)}".rstrip())
        own = [f"MAMBRIDGE_ERROR_{snake(error).upper()}" for error in method.errors
               if error not in self.model.common_errors]
        if own:
            notes.append(f"Errors: {', '.join(own)}.")
        return doc([method.summary, method.description], 0, notes)

    def ownership(self, method: Method) -> str:
        found, _ = self.plain(method.result)
        kind = self.as_result(method.result)[0]
        if self.is_struct(found) or isinstance(found, (ListOf, MapOf)):
            return f"Release it with mambridge_{self.word(found)}_free."
        return f"Release it with {RELEASES[kind]}." if kind in RELEASES else ""

    def row(self, field: Field, struct: str, dictionary: bool) -> str:
        """The line of a member in the table of its struct."""
        place = f"offsetof({struct}, {name(field.name)})"
        return row([quoted(field.name), f"&{self.in_struct(field, dictionary)[1]}", place, self.flags(field)])

    def given_row(self, field: Field) -> str:
        return row([quoted(field.name), f"&{self.as_argument(field)[1]}", "0", self.flags(field)])

    def method_result(self, found: Type) -> list[str]:
        """The shape of a result, and whether null is one."""
        if self.is_null(found):
            return ["NULL", "true"]
        return [f"&{self.as_result(found)[1]}", "true" if self.is_nullable(found) else "false"]

    def answer_result(self, found: Type) -> list[str]:
        if self.is_null(found):
            return ["NULL", "true"]
        return [f"&{self.shape(found)}", "true" if self.is_nullable(found) else "false"]

    def method_row(self, method: Method) -> str:
        word = self.method_word(method)
        given = [f"{word}_given", str(len(self.given(method)))] if self.given(method) else ["NULL", "0"]
        optional = f"&{word}_params_shape" if self.optional(method) else "NULL"
        return row([quoted(method.name), *given, optional, *self.method_result(method.result)], 0)

    def question_row(self, request: HostRequest) -> str:
        word = snake(request.title)
        result = self.answer_result(request.result)
        return row([quoted(request.name), f"&{word}_request_shape", *result, f"ask_{word}"])

    def values(self, method: Method) -> str:
        return ", ".join(f"&{argument(field)}" for field in self.given(method))

    # The host

    def answer(self, request: HostRequest) -> str:
        """The signature of the function that answers a request."""
        parts = ["mambridge_request_t *request"]
        if not self.is_null(request.result):
            found = self.plain(request.result)[0]
            kind = f"const {self.value(found)} *" if self.is_struct(found) else self.value(found)
            parts.append(declare(kind, "result"))
        return call(f"bool mambridge_answer_{snake(request.title)}", parts)

    def answer_value(self, request: HostRequest) -> str:
        if self.is_null(request.result):
            return "NULL"
        return "result" if self.is_struct(self.plain(request.result)[0]) else "&result"

    def request_doc(self, request: HostRequest) -> str:
        return doc([request.summary, request.description], 4, [f"By default: {request.default}"])

    def member(self, field: Field, dictionary: bool = False) -> str:
        return declare(self.in_struct(field, dictionary)[0], name(field.name))

    def member_doc(self, field: Field) -> str:
        return doc([sentence(field)], 4) + "\n" if sentence(field) else ""

    def is_open(self, found: Declaration) -> bool:
        return isinstance(found, Dictionary) and found.open

    def is_dictionary(self, found: Declaration) -> bool:
        return isinstance(found, Dictionary)

    def fields(self, found: Declaration) -> tuple[Field, ...]:
        return members(found)


def members(found: Declaration) -> tuple[Field, ...]:
    if isinstance(found, Record):
        return found.fields
    return entries(found) if isinstance(found, Dictionary) else ()


def entries(found: Dictionary) -> tuple[Field, ...]:
    """The settings without the aliases that have the name of a setting in C, which come last."""
    by_name: dict[str, Field] = {}
    for field in found.entries:
        by_name.setdefault(name(field.name), field)
    return tuple(by_name.values())


def sentence(field: Field) -> str:
    return f"{field.doc} Secret: the client clears its copies.".strip() if field.secret else field.doc


def call(start: str, parts: list[str]) -> str:
    """The head of a function, on one line if it fits."""
    line = f"{start}({', '.join(parts)})"
    return line if len(line) < 118 else f"{start}(\n    {rendering.fill(parts, 4)})"


def row(items: list[str], indent: int = 4) -> str:
    return " " * indent + "{" + rendering.fill(items, indent + 1) + "}"


def declare(kind: str, variable: str) -> str:
    return f"{kind}{variable}" if kind.endswith("*") else f"{kind} {variable}"


def pointer_to(kind: str) -> str:
    return f"{kind}*" if kind.endswith("*") else f"{kind} *"


def name(wire: str) -> str:
    found = snake(wire)
    return f"{found}_" if found in KEYWORDS else found


def argument(field: Field) -> str:
    found = name(field.name)
    return f"{found}_" if found in LOCALS else found


def constant(value: Any) -> str:
    return str(value) if isinstance(value, int) else snake(value).upper()


def quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def doc(paragraphs: list[str], indent: int = 0, notes: list[str] = []) -> str:
    """A comment: paragraphs of prose, then notes, each of which begins with a name and a colon."""
    lead = " " * indent
    texts = [part for text in paragraphs for part in harmless(text).split("\n\n") if part]
    blocks = [rendering.wrap(text, indent, first=" * ", then=" * ") for text in texts]
    if notes:
        blocks.append("\n".join(
            rendering.wrap(harmless(note), indent, first=" * ", then=" *   ") for note in notes))
    body = f"\n{lead} *\n".join(blocks)
    if "\n" not in body and len(body) < 110:
        return f"{lead}/**{body[len(lead) + 2:]} */"
    return f"{lead}/**\n{body}\n{lead} */"


def harmless(text: str) -> str:
    """A text that neither ends a comment nor seems to start another."""
    return text.replace("*/", "* /").replace("/*", "/ *")
