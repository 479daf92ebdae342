"""Splits a name of the schema into words, and joins them in the style of a language."""
from __future__ import annotations

import re

# Words that a capital letter in the middle would split, as the schema writes them.
COMPOUNDS = ("SQLite", "iManage", "iPadOS", "iPad", "iOS", "macOS", "deRegister", "oneDrive", "sharePoint")

_WORD = re.compile("|".join((
    rf"(?:{'|'.join(COMPOUNDS)})(?![a-z])",
    r"[A-Z]{2,}s(?![a-z])",  # URLs
    r"[A-Z]+(?![a-z])",  # URL in URLScheme, or at the end
    r"[A-Z][a-z]+",
    r"[a-z]+",
    r"[0-9]+",
)))


def split(name: str) -> list[str]:
    """isPINRequired: is, PIN, Required. An acronym keeps its capitals, and a number belongs to the word before it."""
    words: list[str] = []
    for word in _WORD.findall(name):
        if word.isdigit() and words:
            words[-1] += word
        else:
            words.append(word)
    return words


def snake(name: str) -> str:
    """isPINRequired: is_pin_required."""
    return "_".join(split(name)).lower()


def pascal(name: str) -> str:
    """isPINRequired: IsPINRequired. Acronyms stay as the schema writes them: mdmURL: MdmURL."""
    return "".join(word[0].upper() + word[1:] for word in split(name))
