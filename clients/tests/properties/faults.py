"""What may be wrong with the files of a policy source."""
from __future__ import annotations

import copy
import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator

from .orders import ROWS

WORD = "no such word"
WRONG: "list[Any]" = [{"x": 1}, [7], WORD, 3.5, True]


@dataclass(frozen=True)
class Fault:
    """What is done to a file: its bytes are others, or a member is."""

    file: str
    kind: str
    path: "tuple[str | int, ...]" = ()
    value: Any = None

    def text(self) -> str:
        where = "/".join(map(str, self.path))
        return f"{self.file}: {self.kind} {where} {json.dumps(self.value) if self.kind == 'mistyped' else self.value or ''}"

    def apply(self, root: Path, document: Any) -> None:
        file, written = root / self.file, json.dumps(document).encode()
        if self.kind == "truncated":
            file.write_bytes(written[:self.value])
        elif self.kind == "unreadable":
            file.write_bytes(b"\xff\xfe" + written[::-1])
        elif self.kind == "absent":
            file.unlink()
        elif self.kind == "a folder":
            file.unlink()
            file.mkdir()
        else:
            changed = copy.deepcopy(document)
            inner = changed
            for step in self.path[:-1]:
                inner = inner[step]
            if self.kind == "missing":
                del inner[self.path[-1]]
            else:
                inner[self.path[-1]] = self.value
            file.write_text(json.dumps(changed))


def files_faults(documents: "dict[str, Any]", dice: random.Random, most: int) -> "list[Fault]":
    """A file that ends anywhere, cannot be read, or is not there."""
    cuts = [Fault(file, "truncated", value=at) for file, one in documents.items() for at in range(len(json.dumps(one)))]
    return [Fault(file, kind) for file in documents for kind in ("unreadable", "absent", "a folder")] + dice.sample(
        cuts, min(most, len(cuts)))


def member_faults(documents: "dict[str, Any]") -> "list[Fault]":
    """A member of an object is not there, or has a wrong type. An element that a list no longer has is none: so a source
    says what it no longer orders."""
    found = []
    for file, document in documents.items():
        for path, value in members(document):
            if isinstance(path[-1], str):
                found.append(Fault(file, "missing", path))
            found += [Fault(file, "mistyped", path, wrong) for wrong in [*WRONG, None]
                      if kind_of(wrong) != kind_of(value) or wrong == WORD and path[-1] in ROWS and value != wrong]
    return found


def members(value: Any, path: "tuple[str | int, ...]" = ()) -> "Iterator[tuple[tuple[str | int, ...], Any]]":
    """All members of objects and elements of lists, with their places."""
    parts: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else []
    for name, inner in parts:
        yield (*path, name), inner
        yield from members(inner, (*path, name))


def kind_of(value: Any) -> str:
    return "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else type(value).__name__
