"""The states in which a disk may be after the power was cut, from a `Recording` of what a program did.

What was synced is there. Of the rest, POSIX promises nothing: each change of a file or of a name may be lost while later
ones are there, and a write may be torn at the sectors of 512 bytes, or have made the file longer without its bytes. A
rename is there or not, never half. This is the model of Pillai et al., "All File Systems Are Not Created Equal" (2014).
"""
from __future__ import annotations

import hashlib
import os
import random
import re
import shutil
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Collection, Iterator

from disk_recorder import Operation, Recording

SECTOR = 512
CHANGES = ("write", "size", "grow", "mode", "attribute", "names")


@dataclass(frozen=True)
class State:
    """What is on the disk of the operations before `cut`."""

    cut: int
    # Numbers of operations of which nothing is there.
    lost: "frozenset[int]" = frozenset()
    # Of a write, which of its sectors are there; the file has the length that the write gave it.
    torn: "tuple[tuple[int, tuple[int, ...]], ...]" = ()
    # What pages that the program had mapped contain: anything.
    noise: int = 0

    @property
    def drops(self) -> bool:
        return bool(self.lost or self.torn)


@dataclass
class Entry:
    """A file or folder on the disk after the cut."""

    kind: int
    mode: int
    target: str
    data: bytearray
    names: "dict[str, int]"
    attributes: "dict[str, bytes]"


def sectors(write: Operation) -> "list[tuple[int, int]]":
    """The parts of a write's bytes that a disk takes over one by one, as offsets in them."""
    assert write.data is not None
    ends = range((write.offset // SECTOR + 1) * SECTOR, write.offset + len(write.data), SECTOR)
    places = [0, *(end - write.offset for end in ends), len(write.data)]
    return list(zip(places, places[1:]))


class Disk:
    """`ignored` has the sites of syncs that are taken as never called."""

    def __init__(self, recording: Recording, ignored: "Collection[str]" = ()):
        self.recording = recording
        self.operations = recording.operations
        # When an operation is on the disk for sure: after the sync of that number.
        self.synced = [len(self.operations)] * len(self.operations)
        self.sites: dict[str, list[int]] = {}
        for number, sync in enumerate(self.operations):
            if sync.kind in ("sync", "datasync"):
                self._sync(number, sync, ignored)
        # The texts of all operations, with a number if an earlier one has the same.
        self.labels: list[str] = []
        counts: dict[str, int] = {}
        for number in range(len(self.operations)):
            text = self.text(number)
            counts[text] = counts.get(text, 0) + 1
            self.labels.append(f"{text} #{counts[text]}" if counts[text] > 1 else text)

    def _sync(self, number: int, sync: Operation, ignored: "Collection[str]") -> None:
        covered = [i for i in range(sync.begin) if self._is_covered(self.operations[i], sync)]
        # Where the program calls it is told by what it makes durable.
        last = self.text(covered[-1]).split(" at ")[0] if covered else "nothing"
        site = f"{sync.kind} {self.path(sync.node)} after {last}"
        self.sites.setdefault(site, []).append(number)
        if site not in ignored:
            for i in covered:
                self.synced[i] = min(self.synced[i], number)

    def _is_covered(self, change: Operation, sync: Operation) -> bool:
        if change.kind not in CHANGES or sync.kind == "datasync" and change.kind in ("mode", "attribute"):
            return False
        return sync.node in ([folder for folder, _, _ in change.slots] or [change.node])

    def unsynced(self, cut: int) -> "list[int]":
        """What a mapped file contains is not among it: it is never known."""
        return [
            i for i in range(cut) if self.operations[i].kind in CHANGES and self.synced[i] >= cut
            and (self.operations[i].kind == "names" or self.operations[i].node not in self.recording.mapped)]

    # Texts

    def path(self, node: int) -> str:
        return anonymous(self.recording.nodes[node].path)

    def text(self, number: int) -> str:
        """The same in every recording."""
        each = self.operations[number]
        if each.kind == "names":
            slots = [f"{self.path(folder)}/{anonymous(name)}" + (" removed" if node is None else "")
                     for folder, name, node in each.slots]
            return f"names {' and '.join(slots)}"
        if each.kind == "reply":
            return f"reply {(each.data or b'')[:60].decode(errors='replace').rstrip()}"
        size = f"+{len(each.data or b'')}" if each.kind == "write" else ""
        return f"{each.kind} {self.path(each.node)} at {each.offset}{size} {each.name}".rstrip()

    def describe(self, state: State) -> str:
        lines = [f"cut before {state.cut} {self.text(state.cut) if state.cut < len(self.operations) else 'the end'}"]
        lines += [f"  lost: {i} {self.text(i)}" for i in sorted(state.lost)]
        lines += [f"  torn: {i} {self.text(i)}, kept sectors {list(kept)}" for i, kept in state.torn]
        return "\n".join(lines)

    # Building

    def build(self, state: State) -> "list[Entry]":
        entries = [
            Entry(node.kind, node.mode, node.target, bytearray(node.data), dict(node.names), dict(node.attributes))
            for node in self.recording.nodes]
        torn = dict(state.torn)
        for number in range(state.cut):
            if number not in state.lost:
                self._apply(self.operations[number], entries, torn.get(number))
        noise = random.Random(state.noise)
        for node in self.recording.mapped:
            # Of a mapping, only what others must not rely on is known: the file's length.
            if state.noise:
                entries[node].data[:] = noise.randbytes(len(entries[node].data))
        return entries

    def _apply(self, each: Operation, entries: "list[Entry]", kept: "tuple[int, ...] | None") -> None:
        entry = entries[each.node]
        if each.kind == "write":
            assert each.data is not None
            end = each.offset + len(each.data)
            entry.data.extend(bytes(max(0, end - len(entry.data))))
            parts = sectors(each)
            for first, last in parts if kept is None else [parts[i] for i in kept]:
                entry.data[each.offset + first:each.offset + last] = each.data[first:last]
        elif each.kind in ("size", "grow"):
            entry.data.extend(bytes(max(0, each.offset - len(entry.data))))
            if each.kind == "size":
                del entry.data[each.offset:]
        elif each.kind == "mode":
            entry.mode = stat.S_IMODE(each.offset)
        elif each.kind == "attribute":
            if each.data is None:
                entry.attributes.pop(each.name, None)
            else:
                entry.attributes[each.name] = each.data
        elif each.kind == "names":
            for folder, name, node in each.slots:
                if node is None:
                    entries[folder].names.pop(name, None)
                else:
                    entries[folder].names[name] = node

    def key(self, state: State) -> bytes:
        """The same for states in which the disk holds the same, and the client was told the same."""
        entries, digest = self.build(state), hashlib.sha256()
        for path, node in walk(entries):
            entry = entries[node]
            digest.update(repr((path, entry.kind, entry.mode, sorted(entry.attributes.items()))).encode())
            digest.update(hashlib.sha256(entry.data).digest())
        digest.update(repr(sum(each.kind == "reply" for each in self.operations[:state.cut])).encode())
        return digest.digest()

    def write(self, state: State, root: Path) -> None:
        """Makes the folder the disk. Files with several names have them."""
        empty(root)
        entries = self.build(state)
        first: dict[int, Path] = {}
        for name, node in walk(entries):
            path, entry = root / name, entries[node]
            if entry.kind == stat.S_IFDIR:
                path.mkdir(exist_ok=True)
            elif node in first:
                os.link(first[node], path)
                continue
            elif entry.kind == stat.S_IFLNK:
                os.symlink(entry.target, path)
                continue
            else:
                path.write_bytes(entry.data)
            first[node] = path
            for attribute, value in entry.attributes.items():
                os.setxattr(path, attribute, value)
            path.chmod(entry.mode)

    # Choosing

    def replies(self) -> "list[int]":
        """The cuts right after the client was told something."""
        return [number + 1 for number, each in enumerate(self.operations) if each.kind == "reply"]

    def losses(self, others: "Disk | None" = None) -> "Iterator[State]":
        """After each reply: everything is lost that may be, all names, all content, and each name alone. With another
        disk, only what cannot be lost on that one, and each of it alone, after each operation."""
        for cut in self.replies() if others is None else range(len(self.operations) + 1):
            unsynced = self.unsynced(cut)
            if others:
                unsynced = sorted(set(unsynced) - set(others.unsynced(cut)))
            names = [i for i in unsynced if self.operations[i].kind == "names"]
            contents = [i for i in unsynced if i not in names]
            for lost in (unsynced, names, contents, *([i] for i in (unsynced if others else names))):
                if lost:
                    yield State(cut, frozenset(lost))

    def states(self, seed: str, begin: int = 0) -> "Iterator[State]":
        """Without an end; may repeat itself. Five of six drop or tear something where anything can be."""
        open_ = [self.unsynced(cut) for cut in range(len(self.operations) + 1)]
        cuts = [cut for cut, unsynced in enumerate(open_) if unsynced]
        number = begin
        while True:
            choice = random.Random(f"{seed}/{number}")
            number += 1
            if choice.random() < 1 / 6 or not cuts:
                yield State(choice.randrange(len(open_)), noise=choice.randrange(3))
                continue
            cut = choice.choice(cuts)
            # What was never synced at all would else be lost in nearly every state.
            window = choice.choice([1, 2, 4, 8, 16, 1 << 30])
            yield self._state(choice, cut, open_[cut][-window:])

    def _state(self, choice: random.Random, cut: int, unsynced: "list[int]") -> State:
        names = [i for i in unsynced if self.operations[i].kind == "names"]
        others = [i for i in unsynced if self.operations[i].kind != "names"]
        writes = [i for i in unsynced if self.operations[i].kind == "write"]
        kind = choice.choice(["all", "one", "but one", "half", "names", "content", "tear", "tear", "hollow"])
        lost: "list[int]" = []
        if kind == "all":
            lost = unsynced
        elif kind == "one":
            lost = [choice.choice(unsynced)]
        elif kind == "but one":
            kept = choice.choice(unsynced)
            lost = [i for i in unsynced if i != kept]
        elif kind == "half":
            lost = [i for i in unsynced if choice.random() < 0.5]
        elif kind == "names":
            lost = names
        elif kind == "content":
            lost = others
        torn: "dict[int, tuple[int, ...]]" = {}
        if kind == "hollow" and writes:
            torn = {i: () for i in writes if choice.random() < 0.7}
        elif kind == "tear" and writes:
            victim = choice.choice(writes)
            lost = [i for i in unsynced if i != victim and choice.random() < 0.3]
            torn = {victim: self._tear(choice, len(sectors(self.operations[victim])))}
        return State(cut, frozenset(lost), tuple(sorted(torn.items())), choice.randrange(3))

    def _tear(self, choice: random.Random, count: int) -> "tuple[int, ...]":
        kind, at = choice.randrange(3), choice.randrange(count)
        if kind == 0:
            return tuple(range(at))
        if kind == 1:
            return tuple(range(at + 1, count))
        return tuple(i for i in range(count) if choice.random() < 0.5)


# Random names, the numbers in the name of an unfinished edit, a file without a name, and a random id.
RANDOM = re.compile(r"[0-9a-f]{16,}|\d+(-\d+){4}|#\d+ \(deleted\)|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def anonymous(path: str) -> str:
    return RANDOM.sub("<random>", path)


def walk(entries: "list[Entry]", node: int = 0, path: str = ".") -> "Iterator[tuple[str, int]]":
    """What has a name, each folder before what is in it."""
    yield path, node
    for name, child in sorted(entries[node].names.items()):
        yield from walk(entries, child, f"{path}/{name}")


def empty(root: Path) -> None:
    for path in root.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
