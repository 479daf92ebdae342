"""The Python client: names, annotations, and the expressions that read a value from JSON."""
from __future__ import annotations

import keyword
import re
from collections import Counter
from typing import Any

from . import rendering
from .model import Alias, Basic, Choice, Declaration, Dictionary, Enum, EnumInput, Field, HostRequest, ListOf
from .model import MapOf, Method, Model, Named, Nullable, Record, Type
from .shapes import UnknownShape
from .words import pascal, snake

FOLDER = "clients/python/mambridge"

# Stands in a template where the types that the rest of the file uses are imported.
IMPORTS = "<types>"

# The same where only type checkers import them.
CHECKED = "<types for checkers>"

# The names that the generated modules use, so no type may have them.
TAKEN = {"Any", "Callable", "ClassVar", "Dict", "Event", "HostRequest", "List", "Literal", "Mapping", "NamedTuple",
         "Optional", "Record", "Sequence", "TypedDict", "Union", "UnknownEvent"}

# Every method has these keyword arguments, so no parameter may have their names.
OPTIONS = {"timeout", "cancel", "progress", "self"}

ANNOTATIONS = {
    "string": "str", "bytes": "bytes", "integer": "int", "number": "float", "boolean": "bool", "time": "datetime",
    "duration": "timedelta", "object": "Dict[str, Any]", "any": "Any", "null": "None",
}
READERS = {"bytes": "as_bytes", "time": "as_time", "duration": "as_duration"}


def render(model: Model) -> dict[str, str]:
    python = Python(model)
    if taken := TAKEN & model.types.keys():
        raise UnknownShape(f"the Python client uses {', '.join(sorted(taken))} for something else")
    templates = rendering.environment(
        "python", name=name, sent=python.sent, received=python.received, reader=python.reader, read=python.read,
        docstring=docstring, comment=comment, literal=literal, pascal=pascal, quoted=quoted)

    def text(template: str, **values: Any) -> str:
        found = templates.get_template(template).render(model=model, python=python, IMPORTS=IMPORTS, CHECKED=CHECKED, **values)
        found = found.replace(IMPORTS, python.imports(found, 4)).replace(CHECKED, python.imports(found, 8))
        return prune(found)

    files = {
        "version.py": text("version.py.j2"),
        "types.py": text("types.py.j2"),
        "events.py": text("events.py.j2"),
        "errors.py": text("errors.py.j2"),
        "requests.py": text("requests.py.j2"),
        "host.py": text("host.py.j2", asynchronous=False),
        "aio/host.py": text("host.py.j2", asynchronous=True),
    }
    for folder, asynchronous in (("methods", False), ("aio/methods", True)):
        files[f"{folder}/__init__.py"] = text("methods.py.j2", asynchronous=asynchronous)
        for namespace, methods in model.namespaces().items():
            if namespace:
                files[f"{folder}/{name(namespace)}.py"] = text(
                    "namespace.py.j2", asynchronous=asynchronous, namespace=namespace, methods=methods)
    return files


class Python:
    """What the templates ask about a model."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def declarations(self, kind: str) -> list[Declaration]:
        kinds = {"Enum": Enum, "EnumInput": EnumInput, "Alias": Alias, "Record": Record, "Dictionary": Dictionary}
        return [found for found in self.model.types.values() if isinstance(found, kinds[kind])]

    def sent(self, found: Type) -> str:
        """The annotation of a value that the caller gives: any sequence or mapping will do."""
        if isinstance(found, ListOf):
            return f"Sequence[{self.sent(found.item)}]"
        if isinstance(found, MapOf):
            return f"Mapping[{found.names or 'str'}, {self.sent(found.value)}]"
        if isinstance(found, Nullable):
            return f"Optional[{self.sent(found.inner)}]"
        if isinstance(found, Named) and self.is_open(found.name):
            return f"Union[{found.name}, Mapping[str, Any]]"
        return self.received(found)

    def received(self, found: Type) -> str:
        if isinstance(found, ListOf):
            return f"List[{self.received(found.item)}]"
        if isinstance(found, MapOf):
            return f"Dict[{found.names or 'str'}, {self.received(found.value)}]"
        if isinstance(found, Nullable):
            return f"Optional[{self.received(found.inner)}]"
        if isinstance(found, Choice):
            return literal(found.values)
        return found.name if isinstance(found, Named) else ANNOTATIONS[found.kind]

    def is_open(self, type_name: str) -> bool:
        found = self.model.types[type_name]
        return isinstance(found, Dictionary) and found.open

    def reader(self, found: Type) -> str:
        """The expression of a function that turns parsed JSON into a value of the type."""
        if isinstance(found, Nullable):
            return around("optional", self.reader(found.inner))
        if isinstance(found, ListOf):
            return around("list_of", self.reader(found.item))
        if isinstance(found, MapOf):
            return around("map_of", self.reader(found.value))
        if isinstance(found, Named):
            return self.named_reader(self.model.types[found.name])
        return READERS.get(found.kind, "as_is") if isinstance(found, Basic) else "as_is"

    def named_reader(self, found: Declaration) -> str:
        if isinstance(found, Record):
            return f"{found.name}.from_wire"
        if isinstance(found, Dictionary):
            raise UnknownShape(f"{found.name}: the Python client cannot read a dictionary of settings")
        return self.reader(found.type) if isinstance(found, Alias) else "as_is"

    def read(self, field: Field) -> str:
        """The expression that reads a member of the object `wire`."""
        member = f'wire["{field.name}"]' if field.required else f'wire.get("{field.name}")'
        reader = self.reader(field.type)
        if not field.required and not reader.startswith(("as_is", "optional")):
            reader = f"optional({reader})"
        return member if reader == "as_is" else f"{reader}({member})"

    def fields(self, fields: tuple[Field, ...]) -> list[Field]:
        """The order of a dataclass: members with a default come last."""
        return sorted(fields, key=lambda field: not field.required)

    def member(self, field: Field, annotation: str) -> str:
        """The line that declares a member of a dataclass."""
        if not field.required and not annotation.startswith("Optional[") and annotation != "Any":
            annotation = f"Optional[{annotation}]"
        return f"{name(field.name)}: {annotation}" + ("" if field.required else " = None")

    def initializer(self, fields: tuple[Field, ...], sent: bool = False) -> str:
        """What `dataclass` would make at each import, which takes much longer than to load it."""
        ordered = self.fields(fields)
        names = [f'"{name(field.name)}"' for field in ordered]
        lines = [f"    __match_args__ = ({rendering.fill(names, 22)}{',' * (len(names) == 1)})"]
        secrets = [f'"{name(field.name)}"' for field in ordered if field.secret]
        if secrets:
            lines.append(f"    _secret = ({', '.join(secrets)},)")
        if ordered:
            members = [self.member(field, (self.sent if sent else self.received)(field.type)) for field in ordered]
            given = [f"{name(field.name)}={name(field.name)}" for field in ordered]
            lines += ["", f"    def __init__(\n        {rendering.fill(['self', *members], 8)},\n    ) -> None:",
                      f"        self.__dict__.update({rendering.fill(given, 29)})"]
        return "\n".join(["", *lines])

    def parameters(self, method: Method, asynchronous: bool) -> list[str]:
        required = [f"{parameter(field)}: {self.sent(field.type)}" for field in method.params if field.required]
        given = [self.optional_parameter(field) for field in method.params if not field.required]
        options = ["timeout: Optional[float] = None"]
        if not asynchronous:
            options.append("cancel: Optional[CancelToken] = None")
        options.append("progress: Optional[ProgressHandler] = None")
        return ["self", *required, "*", *given, *options]

    def optional_parameter(self, field: Field) -> str:
        annotation = self.sent(field.type)
        if not annotation.startswith("Optional[") and annotation != "Any":
            annotation = f"Optional[{annotation}]"
        return f"{parameter(field)}: {annotation} = None"

    def arguments(self, method: Method) -> str:
        """The params as a dictionary. Optional ones are left out if they are not given."""
        required = [f'"{field.name}": {parameter(field)}' for field in method.params if field.required]
        given = [f'"{field.name}": {parameter(field)}' for field in method.params if not field.required]
        if not given:
            return "{" + rendering.fill(required, 13) + "}"
        opening, closing = ("**given({", "})") if required else ("given({", "})")
        items = [*required, opening + given[0], *given[1:]]
        items[-1] += closing
        return "{" + rendering.fill(items, 13) + "}" if required else rendering.fill(items, 18)

    def result(self, method: Method) -> str:
        """What stands before a call. A result that is not converted gets its type from the name that it is given."""
        if method.result == Basic("null"):
            return ""
        if self.reader(method.result) == "as_is":
            return f"result: {self.received(method.result)} = "
        return "return "

    def method_doc(self, method: Method, indent: int) -> str:
        notes = [f"{parameter(field)}: {field.doc}" for field in method.params if field.doc]
        if method.result != Basic("null") and method.result_doc:
            notes.append(f"Returns: {method.result_doc}")
        own = [pascal(error) for error in method.errors if error not in self.model.common_errors]
        if own:
            notes.append(f"Raises: {', '.join(own)}.")
        return docstring([method.summary, method.description], indent, notes)

    def request_doc(self, request: HostRequest, indent: int) -> str:
        notes = [f"Returns: {request.result_doc}"] if request.result != Basic("null") and request.result_doc else []
        return docstring([request.summary, request.description], indent, [*notes, f"By default: {request.default}"])

    def imports(self, code: str, indent: int) -> str:
        """The types that a text of code uses, as an import statement has them."""
        used = identifiers(code)
        return rendering.fill([found for found in self.model.types if found in used], indent)

    def reader_types(self, method: Method) -> str:
        """The types whose results a method reads. It imports them when it is called, since most programs use few."""
        used = identifiers(self.reader(method.result))
        return ", ".join(found for found in self.model.types if found in used)


def identifiers(code: str) -> Counter[str]:
    """How often code uses each name, outside of documentation."""
    return Counter(re.findall(r"\w+", re.sub(r'""".*?"""', "", code, flags=re.DOTALL)))


def prune(code: str) -> str:
    """Leaves out what an import statement imports for nothing."""
    used = identifiers(code)

    def pruned(statement: re.Match[str]) -> str:
        here = identifiers(statement[0])
        names = [imported for imported in statement[2].split(", ") if used[imported] > here[imported]]
        return f"{statement[1]}{', '.join(names)}\n" if names else ""

    code = re.sub(r"^( *)from \S+ import \(\n +,\n\1\)\n", "", code, flags=re.MULTILINE)
    kept = re.sub(r"^( *from (?!__future__)\S+ import )([\w, ]+)\n", pruned, code, flags=re.MULTILINE)
    kept = re.sub(r"\nif TYPE_CHECKING:\n(?=\n)", "", kept)
    return kept if kept == code else prune(kept)


def name(wire: str) -> str:
    found = snake(wire)
    return f"{found}_" if keyword.iskeyword(found) else found


def parameter(field: Field) -> str:
    found = name(field.name)
    if found in OPTIONS:
        raise UnknownShape(f"the parameter {found} has the name of an option of the Python client")
    return found


def around(outer: str, inner: str) -> str:
    return inner if inner == "as_is" else f"{outer}({inner})"


def literal(values: tuple[Any, ...], indent: int = 0) -> str:
    items = [quoted(value) for value in values]
    flat = f"Literal[{', '.join(items)}]"
    if not indent or len(flat) < 100:
        return flat
    return f"Literal[\n{' ' * indent}{rendering.fill(items, indent)},\n]"


def quoted(value: Any) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"' if isinstance(value, str) else repr(value)


def comment(text: str, indent: int) -> str:
    return rendering.wrap(text, indent, first="# ", then="# ")


def docstring(paragraphs: list[str], indent: int, notes: list[str] = []) -> str:
    """A docstring: paragraphs of prose, then notes, each of which begins with a name and a colon."""
    texts = [part for text in paragraphs for part in text.replace("\\", "\\\\").split("\n\n")]
    first, *others = [text for text in texts if text] or [""]
    lead = " " * indent
    blocks = [rendering.wrap(text, indent) for text in others]
    if notes:
        blocks.append("\n".join(rendering.wrap(note.replace("\\", "\\\\"), indent, then="    ") for note in notes))
    opening = rendering.wrap(f'"""{first}', indent)
    if not blocks and len(opening.splitlines()[-1]) < 115 and not opening.endswith('"'):
        return opening + '"""'
    if not blocks:
        return f'{opening}\n{lead}"""'
    return "\n\n".join([opening, *blocks]) + f'\n{lead}"""'
