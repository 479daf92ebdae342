"""Frozen dataclasses that are cheap to load: what `dataclass` makes of a class is made when somebody asks for it."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Tuple

# The members that `dataclass` looks for in a class, and the copies of classes that it made them for.
_made: Dict[type, type] = {}


class _Member:
    """A member that `dataclass` gives to a class, such as the fields that `dataclasses.replace` needs."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: Any) -> Any:
        return getattr(_dataclass_of(owner._record), self._name)


class Record:
    """What the generated dataclasses share. Each has an initializer and the names of its fields of its own."""

    __match_args__: Tuple[str, ...] = ()
    _record: type
    _secret: Tuple[str, ...] = ()

    if not TYPE_CHECKING:
        __dataclass_fields__ = _Member("__dataclass_fields__")
        __dataclass_params__ = _Member("__dataclass_params__")

        def __setattr__(self, name: str, value: object) -> None:
            self._refuse("assign to", name)
            super().__setattr__(name, value)

        def __delattr__(self, name: str) -> None:
            self._refuse("delete", name)
            super().__delattr__(name)

    def _refuse(self, change: str, name: str) -> None:
        """A subclass that is no dataclass may have attributes of its own."""
        if type(self) is self._record or name in self.__dataclass_fields__:  # type: ignore[attr-defined]
            from dataclasses import FrozenInstanceError
            raise FrozenInstanceError(f"cannot {change} field {name!r}")

    def __replace__(self, **changes: Any) -> Any:
        import dataclasses
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]

    def __repr__(self) -> str:
        import dataclasses
        shown = (found for found in dataclasses.fields(self) if found.repr)  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(f'{found.name}={getattr(self, found.name)!r}' for found in shown)})"

    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other) if type(self) is type(other) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(vars(self).values()))


Record._record = Record


def record(**_: bool) -> Callable[[type], type]:
    """Stands for `dataclass` where the program runs; type checkers see the real one."""
    def mark(made: Any) -> type:
        made._record = made
        if made.__doc__ is None:
            made.__doc__ = f"{made.__name__}({', '.join(made.__match_args__)})"
        return made  # type: ignore[no-any-return]

    return mark


def _dataclass_of(found: Any) -> type:
    """A dataclass with the fields of a record. Threads that ask at once get the same one."""
    made = _made.get(found)
    if made is None:
        import dataclasses
        members: Dict[str, Any] = {"__module__": found.__module__, "__qualname__": found.__qualname__, "__doc__": ""}
        annotations = members["__annotations__"] = dict(found.__annotations__) if found.__match_args__ else {}
        for name in annotations:
            options = {"default": vars(found)[name]} if name in vars(found) else {}
            members[name] = dataclasses.field(repr=name not in found._secret, **options)
            if name not in found.__match_args__:
                members[name] = vars(found)[name]  # A variable of the class.
        made = dataclasses.dataclass(init=False, repr=False, eq=False, frozen=True)(type(found.__name__, (), members))
    return _made.setdefault(found, made)
