"""The Java client: names, types, Javadoc, and the expressions that read a value from JSON."""
from __future__ import annotations

import re
from typing import Any

from . import rendering
from .model import Alias, Basic, Choice, Declaration, Dictionary, Enum, EnumInput, Error, Field, HostRequest, ListOf
from .model import MapOf, Method, Model, Named, Nullable, Record, Type
from .shapes import UnknownShape
from .words import pascal, split

FOLDER = "clients/java"
SOURCES = "src/main/java/mambridge"

# Stands in a template where the file imports what the rest of it uses.
IMPORTS = "<imports>"

KEYWORDS = set(
    "abstract assert boolean break byte case catch char class const continue default do double else enum extends false "
    "final finally float for goto if implements import instanceof int interface long native new null package private "
    "protected public return short static strictfp super switch synchronized this throw throws transient true try void "
    "volatile while _".split())
# Methods that every class has, and those of Options, so no parameter or member may have their names.
TAKEN = set(
    "clone finalize getClass hashCode notify notifyAll toString wait json event timeout cancel progress with give set self "
    "options members".split())

BOXED = {
    "string": "String", "bytes": "byte[]", "integer": "Long", "number": "Double", "boolean": "Boolean",
    "time": "Instant", "duration": "Duration", "object": "Map<String, Object>", "any": "Object", "null": "Void",
}
PRIMITIVE = {"Long": "long", "Double": "double", "Boolean": "boolean", "Void": "void"}
READERS = {
    "string": "text", "bytes": "bytes", "integer": "integer", "number": "number", "boolean": "flag", "time": "time",
    "duration": "duration", "object": "object", "any": "any", "null": "nothing",
}

# Where a file imports a name from; the types and errors come on top.
LIBRARY = {
    "Consumer": "java.util.function.Consumer", "BiFunction": "java.util.function.BiFunction",
    "Function": "java.util.function.Function", "Supplier": "java.util.function.Supplier",
    "CompletableFuture": "java.util.concurrent.CompletableFuture", "Duration": "java.time.Duration",
    "Instant": "java.time.Instant", "LinkedHashMap": "java.util.LinkedHashMap", "List": "java.util.List",
    "Map": "java.util.Map", "Arrays": "java.util.Arrays", "Objects": "java.util.Objects", "Values": "mambridge.types.Values",
    "UnexpectedReplyException": "mambridge.errors.UnexpectedReplyException",
}


def render(model: Model) -> dict[str, str]:
    java = Java(model)
    templates = rendering.environment(
        "java", boxed=java.boxed, plain=java.plain, given=java.given, reader=java.reader, javadoc=javadoc,
        bracketed=bracketed, error_class=error_class, identifier=identifier, pascal=pascal, quoted=quoted)

    def text(package: str, template: str, **values: Any) -> str:
        found = templates.get_template(template).render(model=model, java=java, IMPORTS=IMPORTS, **values)
        return found.replace(IMPORTS, java.imports(found, package))

    files = {"pom.xml": text("", "pom.xml.j2")}
    for name in ("Event", "Host", "HostRequest", "HostRequests", "Methods"):
        files[f"{SOURCES}/{name}.java"] = text("mambridge", f"{name}.java.j2")
    for namespace, methods in model.namespaces().items():
        if namespace:
            title = f"{pascal(namespace)}Methods"
            files[f"{SOURCES}/{title}.java"] = text("mambridge", "Namespace.java.j2", title=title, methods=methods)
    for error in model.errors.values():
        path = f"{SOURCES}/errors/{error_class(error.name)}.java"
        files[path] = text("mambridge.errors", "Error.java.j2", error=error)
    files[f"{SOURCES}/errors/Errors.java"] = text("mambridge.errors", "Errors.java.j2")
    for found in java.declarations():
        template = f"{type(found).__name__}.java.j2"
        files[f"{SOURCES}/types/{found.name}.java"] = text("mambridge.types", template, found=found)
    return files


class Java:
    """What the templates ask about a model."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def declarations(self) -> list[Declaration]:
        """The types that get a file. For an input, the enum's own values do; another name for a type is that type."""
        numbers = {found.other for found in self.model.types.values() if isinstance(found, EnumInput)}
        return [
            found for found in self.model.types.values()
            if isinstance(found, (Enum, Record, Dictionary)) and found.name not in numbers]

    # Types

    def boxed(self, found: Type) -> str:
        if isinstance(found, Nullable):
            return self.boxed(found.inner)
        if isinstance(found, ListOf):
            return f"List<{self.boxed(found.item)}>"
        if isinstance(found, MapOf):
            return f"Map<{found.names or 'String'}, {self.boxed(found.value)}>"
        if isinstance(found, Choice):
            return "String" if isinstance(found.values[0], str) else "Long"
        if isinstance(found, Named):
            return self.named(self.model.types[found.name])
        return BOXED[found.kind]

    def named(self, found: Declaration) -> str:
        if isinstance(found, Alias):
            return self.boxed(found.type)
        return found.enum if isinstance(found, EnumInput) else found.name

    def plain(self, found: Type) -> str:
        """The type of a value that is always there: primitive if Java has it."""
        boxed = self.boxed(found)
        return boxed if self.is_nullable(found) else PRIMITIVE.get(boxed, boxed)

    def given(self, found: Type) -> str:
        """The type of a value that the caller gives or leaves out: primitive if Java has it."""
        boxed = self.boxed(found)
        return PRIMITIVE.get(boxed, boxed)

    def is_nullable(self, found: Type) -> bool:
        if isinstance(found, Named) and isinstance(alias := self.model.types[found.name], Alias):
            return self.is_nullable(alias.type)
        return isinstance(found, Nullable)

    def member(self, field: Field) -> str:
        """A component of a record."""
        kind = self.plain(field.type) if field.required else self.boxed(field.type)
        return f"{kind} {parameter(field)}"

    def ordered(self, fields: tuple[Field, ...]) -> list[Field]:
        """The order of a record: what is always there comes first."""
        return sorted(fields, key=lambda field: not field.required)

    def record_head(self, before: str, fields: list[Field], after: str, indent: int) -> str:
        """The line or lines that begin a record."""
        return bracketed(before, [self.member(field) for field in fields], f"{after} {{", indent)

    def components(self, fields: list[Field]) -> str:
        return rendering.fill([self.member(field) for field in fields], 12)

    def replaced(self, fields: list[Field], changed: Field) -> list[str]:
        """The members of a copy of a record, one of which is `value`."""
        return ["value" if field is changed else identifier(field.name) for field in fields]

    def names(self, fields: list[Field]) -> list[str]:
        return [identifier(field.name) for field in fields]

    def has_bytes(self, fields: list[Field]) -> bool:
        """Whether a record has an array, which Java compares by identity."""
        return any(self.boxed(field.type) == "byte[]" for field in fields)

    def same(self, fields: list[Field], lead: str) -> str:
        """The expression that compares a record with `that`."""
        return f"\n{lead}            && ".join(f"Objects.deepEquals({name}, that.{name})" for name in self.names(fields))

    def shown(self, title: str, fields: list[Field], lead: str) -> str:
        """The expression of a text that shows a record but not its secrets."""
        text = f'"{title}['
        for number, field in enumerate(fields):
            text += f'"\n{lead}        + ", ' if number else ""
            text += f"{field.name}=(hidden)" if field.secret else f'{field.name}=" + {identifier(field.name)} + "'
        return text.replace(' + ""\n', "\n").removesuffix('"') + ("]\"" if fields[-1].secret else "\"]\"")

    # Reading

    def reader(self, found: Type) -> str:
        """The expression of a function that turns parsed JSON into a value of the type."""
        if isinstance(found, Nullable):
            return f"Values.nullable({self.reader(found.inner)})"
        if isinstance(found, ListOf):
            return f"Values.list({self.reader(found.item)})"
        if isinstance(found, MapOf):
            return f"Values.map({found.names}::fromJson, {self.reader(found.value)})" if found.names else (
                f"Values.map(Values::text, {self.reader(found.value)})")
        if isinstance(found, Named):
            return self.named_reader(self.model.types[found.name])
        if isinstance(found, Choice):
            return "Values::text" if isinstance(found.values[0], str) else "Values::integer"
        return f"Values::{READERS[found.kind]}"

    def named_reader(self, found: Declaration) -> str:
        if isinstance(found, Alias):
            return self.reader(found.type)
        if isinstance(found, (Record, Enum)):
            return f"{found.name}::fromJson"
        raise UnknownShape(f"{found.name}: the Java client cannot read it")

    def read(self, field: Field) -> str:
        """The expression that reads a member of the map `members`."""
        reader = self.reader(field.type)
        if not field.required and not reader.startswith("Values.nullable(") and reader != "Values::any":
            reader = f"Values.nullable({reader})"
        return f"Values.member(members, {quoted(field.name)}, {reader})"

    # Methods

    def head(self, before: str, name: str, method: Method, options: bool) -> str:
        """The line or lines that begin a method."""
        params = [f"{self.plain(field.type)} {parameter(field)}" for field in required(method)]
        if options:
            params.append(f"Consumer<{self.options(method)}> options")
        return bracketed(f"{before} {name}", params, " {", 4)

    def arguments(self, method: Method, options: str) -> str:
        return ", ".join([*(parameter(field) for field in required(method)), options])

    def parameter(self, field: Field) -> str:
        return parameter(field)

    def options(self, method: Method) -> str:
        return f"{pascal(method.short)}Options" if optional(method) else "CallOptions"

    def method_doc(self, method: Method, indent: int) -> str:
        tags = [f"@param {parameter(field)} {sentence(field.doc)}" for field in required(method) if field.doc]
        if method.result != Basic("null") and method.result_doc:
            tags.append(f"@return {sentence(method.result_doc)}")
        own = [error for error in method.errors if error not in self.model.common_errors]
        for error in own:
            tags.append(f"@throws mambridge.errors.{error_class(error)} {sentence(self.model.errors[error].message)}")
        return javadoc([method.summary, method.description], indent, tags)

    def request_doc(self, request: HostRequest, indent: int) -> str:
        has_result = request.result != Basic("null") and request.result_doc
        tags = [f"@return {sentence(request.result_doc)}"] if has_result else []
        return javadoc([request.summary, request.description, f"By default: {request.default}"], indent, tags)

    def request_method(self, request: HostRequest) -> str:
        return identifier(request.title[0].lower() + request.title[1:])

    def error_data(self, error: Error) -> list[str]:
        """The members of the data of an error, names and values in turn."""
        sdk = ['"domain"', quoted(error.domain), '"sdkCode"', quoted(error.sdk_code)] if error.domain else []
        return ['"name"', quoted(error.name), *sdk]

    def record_doc(self, paragraphs: list[str], fields: tuple[Field, ...], indent: int) -> str:
        tags = [f"@param {identifier(field.name)} {sentence(field.doc)}" for field in self.ordered(fields) if field.doc]
        return javadoc(paragraphs, indent, tags) if any(paragraphs) or tags else ""

    # Settings and enums

    def setter(self, entry: Field) -> str:
        first, *others = split(entry.name)
        return identifier(first.lower() + pascal("".join(word[0].upper() + word[1:] for word in others)))

    def entries(self, dictionary: Dictionary) -> list[Field]:
        """The settings that get a method: not older names, which have no type and no documentation."""
        found = [entry for entry in dictionary.entries if entry.doc or entry.type != Basic("any")]
        if len({self.setter(entry) for entry in found}) < len(found):
            raise UnknownShape(f"{dictionary.name}: two settings have the same name in Java")
        return found

    def setter_types(self, entry: Field) -> list[str]:
        """A number can be given as a literal, and as null."""
        boxed = self.boxed(entry.type)
        return [PRIMITIVE[boxed], boxed] if boxed in ("Long", "Double") else [boxed]

    def setter_doc(self, entry: Field, indent: int) -> str:
        kind = entry.type.item if isinstance(entry.type, ListOf) else entry.type
        values = f"Values: {', '.join(map(str, kind.values))}." if isinstance(kind, Choice) else ""
        return javadoc([entry.doc, values], indent)

    def constants(self, enum: Enum) -> list[tuple[str, str]]:
        """The names and the values of the constants of an enum."""
        last = split(enum.name)[-1].upper()
        names = [constant(value) if isinstance(value, str) else f"{last}_{value}" for value in enum.values]
        if len(set(names)) < len(names):
            raise UnknownShape(f"{enum.name}: two values have the same name in Java")
        return [(name, quoted(value)) for name, value in zip(names, enum.values)]

    def constant_names(self, enum: Enum) -> list[str]:
        return [name for name, _ in self.constants(enum)]

    # Imports

    def imports(self, code: str, package: str) -> str:
        """The import statements for what a text of code uses. Javadoc names in full what it needs."""
        bare = re.sub(r"/\*\*.*?\*/", "", code, flags=re.DOTALL)
        words = set(re.findall(r"(?<![\w.\"])\w+", bare))
        known = {**{found.name: f"mambridge.types.{found.name}" for found in self.declarations()}, **LIBRARY,
                 **{error_class(name): f"mambridge.errors.{error_class(name)}" for name in self.model.errors}}
        declared = set(re.findall(r"(?:class|record|interface) (\w+)", bare))
        plain = [path for name, path in known.items()
                 if name in words - declared and path.rpartition(".")[0] != package]
        return "\n".join(f"import {path};" for path in sorted(plain))


def required(method: Method) -> list[Field]:
    return [field for field in method.params if field.required]


def optional(method: Method) -> list[Field]:
    return [field for field in method.params if not field.required]


def identifier(name: str) -> str:
    """A name of the schema, as it is unless Java does not allow it."""
    if not name.isidentifier():
        raise UnknownShape(f"{name} is no name in Java")
    return f"{name}Value" if name in KEYWORDS else name


def parameter(field: Field) -> str:
    if field.name in TAKEN:
        raise UnknownShape(f"the parameter {field.name} has a name that the Java client uses")
    return identifier(field.name)


def constant(value: str) -> str:
    return "_".join(split(value)).upper()


def error_class(name: str) -> str:
    return f"{pascal(name)}Exception"


def quoted(value: Any) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"' if isinstance(value, str) else f"{value}L"


def sentence(text: str) -> str:
    """The text of a tag, which follows the name of the tag: its first word is no start of a sentence."""
    first = text.split(" ", 1)[0].rstrip(".,;:")
    return text[:1].lower() + text[1:] if first[1:].islower() or first == "A" else text


def bracketed(before: str, items: list[str], after: str, indent: int) -> str:
    """`before(a, b)after` in one line or, if that is too long, with the items in lines of their own."""
    lead = " " * indent
    flat = f"{lead}{before}({', '.join(items)}){after}"
    if len(flat) <= 118:
        return flat
    return f"{lead}{before}(\n{lead}        {rendering.fill(items, indent + 8, 117 - len(after))}){after}"


def javadoc(paragraphs: list[str], indent: int, tags: list[str] = []) -> str:
    texts = [part for text in paragraphs for part in text.split("\n\n") if part]
    lead = " " * indent
    if len(texts) == 1 and not tags and indent + len(escaped(texts[0])) < 108:
        return f"{lead}/** {escaped(texts[0])} */"
    lines = [f"{lead}/**"]
    for number, part in enumerate(texts):
        if number:
            lines.append(f"{lead} *")
        lines.append(rendering.wrap(("<p>" if number else "") + escaped(part), indent, first=" * ", then=" * "))
    if tags and texts:
        lines.append(f"{lead} *")
    for tag in tags:
        lines.append(rendering.wrap(escaped(tag, tag=True), indent, first=" * ", then=" *     "))
    return "\n".join([*lines, f"{lead} */"])


def escaped(text: str, tag: bool = False) -> str:
    found = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("*/", "*&#47;")
    found = re.sub(r"\\(?=u)", "&#92;", found)
    return found[:tag] + found[tag:].replace("@", "&#64;")
