"""Packages whose modules are loaded when a name from them is first used."""
from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Dict, List, Tuple


def load(
    package: str, members: Dict[str, object], names: Dict[str, List[str]],
) -> Tuple[Callable[[str], object], Callable[[], List[str]]]:
    """The `__getattr__` and `__dir__` of a package. `names` has what it takes from each of its modules."""
    homes = {name: module for module, found in names.items() for name in found or [module]}

    def get(name: str) -> object:
        home = homes.get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f"{package}.{home}")
        found = members[name] = module if name == home else getattr(module, name)
        return found

    return get, lambda: sorted({*members, *homes})
