"""Random work of two servers on one file, done to a plain file too."""
from __future__ import annotations

import base64
import os
import random
from pathlib import Path
from threading import Thread

from mambridge import Client

LONGEST = 400_000


class Wrong(Exception):
    """A file is not what it has to be."""


def some_count(chance: random.Random) -> int:
    """Mostly small, at times more than the server writes at once."""
    return chance.randrange(300_000 if chance.randrange(8) == 0 else 10_000)


def content(client: Client, handle: int) -> bytes:
    size = client.call("file.size", handle=handle)
    return base64.b64decode(client.call("file.pread", handle=handle, offset=0, count=size)) if size else b""


class Walk:
    """One step after the other, each by a random one of the servers: what one has written the other must see."""

    def __init__(self, clients: list[Client], folder: Path, chance: random.Random) -> None:
        self.chance = chance
        self.steps = 0
        self.shadow = os.open(folder / "shadow", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        path = str(folder / "walk")
        clients[0].call("file.create", path=path)
        self.handles = [
            (client, client.call("file.open", path=path)["handle"],
             client.call("file.open", path=path, flags=["readWrite", "append"])["handle"])
            for client in clients]

    def run(self, steps: int) -> None:
        for _ in range(steps):
            self.step()
        for client, handle, _ in self.handles:
            self.expect(content(client, handle), os.pread(self.shadow, LONGEST * 2, 0), "all")

    def step(self) -> None:
        client, handle, appending = self.chance.choice(self.handles)
        size = os.fstat(self.shadow).st_size
        offset = self.chance.randrange(min(LONGEST, size + 9000) + 1)
        data = self.chance.randbytes(some_count(self.chance))
        kind = self.chance.randrange(10)
        self.steps += 1
        if kind < 4:
            found = base64.b64decode(client.call("file.pread", handle=handle, offset=offset, count=len(data)))
            self.expect(found, os.pread(self.shadow, len(data), offset), f"{len(data)} bytes at {offset}")
        elif kind < 7:
            client.call("file.pwrite", handle=handle, offset=offset, data=data)
            os.pwrite(self.shadow, data, offset)
        elif kind < 9 and size < LONGEST:
            client.call("file.write", handle=appending, data=data)
            os.pwrite(self.shadow, data, size)
        else:
            client.call("file.truncate", handle=handle, length=offset)
            os.ftruncate(self.shadow, offset)

    def expect(self, found: bytes, expected: bytes, what: str) -> None:
        if found != expected:
            raise Wrong(f"the walk read {what} otherwise than the plain file, at step {self.steps}")


class Stripes:
    """At the same time: each server has every second stripe for itself, shorter than a page, and both append lines."""

    width, count = 1500, 120

    def __init__(self, clients: list[Client], folder: Path, seed: int) -> None:
        self.clients, self.folder, self.seed = clients, folder, seed
        self.failures: list[BaseException] = []

    def run(self, steps: int) -> None:
        size = self.width * self.count
        handle = self.clients[0].call("file.create", path=str(self.folder / "stripes"))["handle"]
        self.clients[0].call("file.truncate", handle=handle, length=size)
        journal = self.clients[0].call("file.create", path=str(self.folder / "journal"))["handle"]
        threads = [Thread(target=self.guarded, args=(parity, steps)) for parity in range(len(self.clients))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.failures:
            raise self.failures[0]
        lines = content(self.clients[0], journal).decode().splitlines()
        for parity in range(len(self.clients)):
            own = [line for line in lines if line.startswith(f"{parity} ")]
            if own != [f"{parity} {step}" for step in range(steps)]:
                raise Wrong(f"lines that server {parity} appended are lost or torn")

    def guarded(self, parity: int, steps: int) -> None:
        try:
            self.work(parity, steps)
        except BaseException as failure:
            self.failures.append(failure)

    def work(self, parity: int, steps: int) -> None:
        client, chance = self.clients[parity], random.Random(f"{self.seed} {parity}")
        file = client.call("file.open", path=str(self.folder / "stripes"))["handle"]
        journal = client.call("file.open", path=str(self.folder / "journal"), flags=["readWrite", "append"])["handle"]
        shadow = bytearray(self.width * self.count)
        for step in range(steps):
            start = self.width * chance.randrange(parity, self.count, len(self.clients)) + chance.randrange(self.width)
            data = chance.randbytes(self.width - start % self.width)
            client.call("file.pwrite", handle=file, offset=start, data=data)
            shadow[start:start + len(data)] = data
            client.call("file.write", handle=journal, data=f"{parity} {step}\n".encode())
            stripe = self.width * chance.randrange(parity, self.count, len(self.clients))
            found = client.call("file.pread", handle=file, offset=stripe, count=self.width)
            if base64.b64decode(found) != shadow[stripe:stripe + self.width]:
                raise Wrong(f"server {parity} does not read at {stripe} what it has written there")
