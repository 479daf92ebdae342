"""The types of the C client: what a model needs, and how C names and declares it."""
from __future__ import annotations

from typing import Any, Iterator

from .model import Alias, Basic, Choice, Declaration, Dictionary, Enum, EnumInput, Field, ListOf, MapOf, Method, Model
from .model import Named, Nullable, Record, Type
from .shapes import UnknownShape, inner_types
from .words import snake

WORDS = {
    "string": "string", "bytes": "bytes", "integer": "integer", "number": "number", "boolean": "boolean",
    "time": "time", "duration": "duration", "object": "object", "any": "any",
}
VALUES = {
    "string": "const char *", "bytes": "mambridge_bytes_t", "integer": "int64_t", "number": "double", "boolean": "bool",
    "time": "struct timespec", "duration": "mambridge_duration_t", "object": "json_t *", "any": "json_t *",
}
WITH_OPTIONAL = ("boolean", "integer", "number", "time", "duration")
NAMES_OF_SHAPES = {"string": "text"}

# Keywords of C and C++.
KEYWORDS = set("""
    alignas alignof and asm auto bool break case catch char class const constexpr continue default delete do double else
    enum explicit export extern false float for friend goto if inline int long mutable namespace new not operator or
    private protected public register restrict return short signed sizeof static struct switch template this throw true
    try typedef typename union unsigned using virtual void volatile while xor
""".split())


class Types:
    """What the templates ask about the types of a model."""

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

    def given(self, method: Method) -> list[Field]:
        return [field for field in method.params if field.required]

    def optional(self, method: Method) -> list[Field]:
        return [field for field in method.params if not field.required]

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


def name(wire: str) -> str:
    found = snake(wire)
    return f"{found}_" if found in KEYWORDS else found


def constant(value: Any) -> str:
    return str(value) if isinstance(value, int) else snake(value).upper()


def quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
