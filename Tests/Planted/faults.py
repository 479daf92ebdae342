"""Reads Tests/Planted/faults.txt, and plants faults in the text of a file: one alone, or many as switches."""
from __future__ import annotations

import re
import zlib
from dataclasses import dataclass, field
from pathlib import Path

KINDS = {"data", "hang", "leak", "access", "wrong", "race"}
# The C function that the copy gets. It says whether the process has the fault of this number.
SWITCH = "mambridge_planted"
# Bytes of the file in which each process notes which faults' places it has run.
REACHED = 1 << 20
# Between two lines of a fault. Lines with only a comment may come there, too.
SEPARATOR = r"\s*\n(?:[ \t]*//.*\n)*[ \t]*"


class TableError(Exception):
    """A fault is not understood, or does not fit the sources."""


@dataclass
class Fault:
    name: str
    file: str = ""
    kind: str = ""
    tests: "list[str]" = field(default_factory=list)
    before: "list[str]" = field(default_factory=list)
    gone: "list[str]" = field(default_factory=list)
    new: "list[str]" = field(default_factory=list)
    after: "list[str]" = field(default_factory=list)
    alone: bool = False

    @property
    def number(self) -> int:
        return zlib.crc32(self.name.encode())

    @property
    def is_built(self) -> bool:
        return self.file.startswith("Sources/")

    @property
    def is_switched(self) -> bool:
        return (self.is_built and not self.alone and self.file.endswith((".swift", ".c"))
                and not self.file.startswith("Sources/Base/CGlibc/"))

    @property
    def is_marked(self) -> bool:
        return "«" in "".join(self.gone)

    @property
    def swift(self) -> "list[str]":
        return [name for name in self.tests if ".py" not in name]

    @property
    def python(self) -> "list[str]":
        return [f"clients/tests/{name}" for name in self.tests if ".py" in name]

    @property
    def marked(self) -> str:
        """What comes between the marks."""
        return "\n".join(self.new).split("«")[1].split("»")[0]

    def check(self) -> None:
        if not (self.file and self.tests and self.kind in KINDS and self.gone + self.new and self.gone + self.before + self.after):
            raise TableError(f"{self.name} needs a file, tests, a text to replace, and a kind of {', '.join(sorted(KINDS))}")
        if self.is_marked and unmarked(self.gone) != unmarked(self.new):
            raise TableError(f"{self.name}: the lines must only differ between the marks")

    def found(self, text: str) -> "re.Match[str]":
        """The lines in the text of the file, compared without their indentation. The group `place` is what is
        replaced: the text between the marks, or else all lines that go."""
        def pattern(lines: "list[str]") -> str:
            return SEPARATOR.join(re.escape(line) for line in lines)

        place = pattern(self.gone)
        if self.is_marked:
            place = place.replace("«", "(?P<place>").replace("»", ")")
        else:
            place = f"(?P<place>{place})"
        if not self.is_marked and not self.after:
            place += "[ \\t]*$" if self.gone else ""
        parts = [pattern(self.before), place if self.gone else None, pattern(self.after)]
        whole = SEPARATOR.join(part for part in parts if part)
        if not self.gone:
            whole = f"{whole}[ \\t]*$(?P<place>)" if self.before else f"(?P<place>){whole}"
        found = list(re.finditer(rf"(?m)^(?P<indent>[ \t]*){whole}", text))
        if len(found) != 1:
            raise TableError(f"{self.name}: the text to replace is {len(found)} times in {self.file}, and must be once")
        return found[0]

    def planted(self, text: str) -> "tuple[int, int, str]":
        """Where the text changes, and what comes there."""
        match = self.found(text)
        new = self.marked if self.is_marked else f"\n{match['indent']}".join(self.new)
        return match.start("place"), match.end("place"), self.inserted(new, match["indent"])

    def switched(self, text: str, old: str) -> str:
        """What comes instead of `old`, which stays for processes without the fault."""
        indent = self.found(text)["indent"]
        if self.is_marked:
            return f"({SWITCH}({self.number}) != 0 ? ({self.marked}) : ({old}))"
        new = f"\n{indent}".join(self.new)
        if new:
            parts = [f"if ({SWITCH}({self.number}) != 0) {{", new, *(["} else {", old] if self.gone else []), "}"]
        else:
            parts = [f"if ({SWITCH}({self.number}) == 0) {{", old, "}"]
        return self.inserted(f"\n{indent}".join(parts), indent)

    def inserted(self, new: str, indent: str) -> str:
        """With its own line, if no line goes."""
        if self.gone:
            return new
        return f"\n{indent}{new}" if self.before else f"{new}\n{indent}"


def unmarked(lines: "list[str]") -> "list[str]":
    return re.split("«.*»", "\n".join(lines), flags=re.DOTALL)


def read(table: Path) -> "list[Fault]":
    faults: "list[Fault]" = []
    for number, line in enumerate(table.read_text().splitlines(), 1):
        word, _, rest = line.partition(" ")
        if not line or word == "#":
            continue
        if word == "fault":
            faults.append(Fault(rest))
        elif word in ("-", "+", "=") and faults:
            fault = faults[-1]
            around = fault.after if fault.gone + fault.new else fault.before
            {"-": fault.gone, "+": fault.new, "=": around}[word].append(rest.strip())
        elif word in ("file", "kind") and faults:
            setattr(faults[-1], word, rest)
        elif word == "tests" and faults:
            faults[-1].tests = rest.split()
        elif word == "alone" and faults:
            faults[-1].alone = True
        else:
            raise TableError(f"line {number} of {table} is not understood: {line}")
    for fault in faults:
        fault.check()
    if len({fault.number for fault in faults}) < len(faults):
        raise TableError("two faults have the same name")
    return faults


def alone(fault: Fault, text: str) -> str:
    """The text of the file with the fault."""
    begin, end, new = fault.planted(text)
    return text[:begin] + new + text[end:]


def batches(faults: "list[Fault]", root: Path) -> "list[list[Fault]]":
    """Groups of switched faults, none of which touches the place of another, unless it is the same expression."""
    groups: "list[list[tuple[Fault, int, int]]]" = []
    for fault in faults:
        begin, end = fault.found((root / fault.file).read_text()).span("place")
        for group in groups:
            if all(other.file != fault.file or end < start or stop < begin
                   or (start, stop) == (begin, end) and fault.is_marked and other.is_marked for other, start, stop in group):
                group.append((fault, begin, end))
                break
        else:
            groups.append([(fault, begin, end)])
    return [[fault for fault, _, _ in group] for group in groups]


def switched(faults: "list[Fault]", root: Path) -> "tuple[dict[str, str], dict[tuple[str, int], Fault]]":
    """The texts of the files in which the faults are switches, by path; and the fault of each line that changed."""
    texts: "dict[str, str]" = {}
    lines: "dict[tuple[str, int], Fault]" = {}
    for file in {fault.file for fault in faults}:
        text = (root / file).read_text()
        places: "dict[tuple[int, int], list[Fault]]" = {}
        for fault in faults:
            if fault.file == file:
                places.setdefault(fault.found(text).span("place"), []).append(fault)
        made = f"int {SWITCH}(unsigned int number);\n" if file.endswith(".c") else "import CGlibc\n"
        last = 0
        for (begin, end), here in sorted(places.items(), key=lambda place: place[0]):
            made += text[last:begin]
            first, new = made.count("\n") + 1, text[begin:end]
            for fault in here:
                new = fault.switched(text, new)
            made += new
            lines.update({(file, line): here[-1] for line in range(first, made.count("\n") + 2)})
            last = end
        texts[file] = made + text[last:]
    return texts, lines


def switch(root: Path) -> "dict[str, str]":
    """The files in which the switch is declared, and the manifest, so that a line that is never run is no error."""
    folder = Path("Sources") / "Base" / "CGlibc"
    header, source, manifest = str(folder / "include" / "CGlibc.h"), str(folder / "CGlibc.c"), "Package.swift"
    return {
        header: (root / header).read_text() + f"""
// Whether the process has this fault of Tests/Planted/faults.txt.
int {SWITCH}(unsigned int number);
""",
        source: (root / source).read_text() + f"""
#include <fcntl.h>
#include <sys/mman.h>
static unsigned int {SWITCH}_number;
static unsigned char *{SWITCH}_reached;

// A byte of the file MAMBRIDGE_REACHED says that a fault's place was run.
__attribute__((constructor(101))) static void {SWITCH}_read(void) {{
  const char *text = getenv("MAMBRIDGE_PLANTED"), *path = getenv("MAMBRIDGE_REACHED");
  if (text) {SWITCH}_number = strtoul(text, NULL, 10);
  int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (file < 0) return;
  void *map = ftruncate(file, {REACHED}) == 0 ? mmap(NULL, {REACHED}, PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  if (map != MAP_FAILED) {SWITCH}_reached = map;
  close(file);
}}

int {SWITCH}(unsigned int number) {{
  if ({SWITCH}_reached) {SWITCH}_reached[number % {REACHED}] = 1;
  return {SWITCH}_number == number;
}}
""",
        manifest: (root / manifest).read_text().replace("  .treatAllWarnings(as: .error),\n", ""),
    }
