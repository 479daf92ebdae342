"""The C client: its functions, its comments, and the tables that say how each type looks in JSON."""
from __future__ import annotations

from . import rendering
from .c_types import Types, members, name, quoted
from .model import Declaration, Dictionary, Field, HostRequest, ListOf, MapOf, Method, Model, Type
from .words import snake

FOLDER = "clients/c"
RUNTIME = rendering.TEMPLATES.parents[1] / "c" / "runtime"

RELEASES = {
    "char *": "mambridge_string_free", "mambridge_bytes_t": "mambridge_bytes_free", "json_t *": "json_decref",
}

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


class C(Types):
    """What the templates ask about a model."""

    # Functions

    def function(self, method: Method) -> str:
        return f"mambridge_{self.method_word(method)}"

    def method_word(self, method: Method) -> str:
        return "_".join(filter(None, [snake(method.namespace), snake(method.short)]))

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


def argument(field: Field) -> str:
    found = name(field.name)
    return f"{found}_" if found in LOCALS else found


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
