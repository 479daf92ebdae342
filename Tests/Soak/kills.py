"""Kills servers while they work on files, and looks at what is left.

To add a scenario, write a class as Scenario says and put it into SCENARIOS.
"""
from __future__ import annotations

import base64
import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path
from threading import Thread
from typing import Any, Optional, Protocol

from mambridge import Client, MambridgeError
from walk import LONGEST, Wrong, content, some_count

PAGE = 4064
ALICE = "alice@contoso.example"
Request = tuple[str, dict[str, Any]]


def killed(command: list[str], requests: list[Request], chance: random.Random) -> int:
    """Sends all requests at once, kills the server at a random moment, and tells how many it had answered."""
    lines = [json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"
             for number, (method, params) in enumerate(requests)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdin and process.stdout

    def send() -> None:
        try:
            process.stdin.write("".join(lines).encode())
            process.stdin.flush()
        except BrokenPipeError:
            pass

    sender = Thread(target=send)
    sender.start()
    replies = [process.stdout.readline()]
    begin = time.perf_counter()
    replies += [process.stdout.readline() for _ in range(chance.randrange(1, len(requests) - 1))]
    # Anywhere in the next request, which takes about as long as those before it.
    time.sleep(chance.random() * 1.5 * (time.perf_counter() - begin) / (len(replies) - 1))
    process.send_signal(signal.SIGKILL)
    replies += process.stdout.readlines()
    process.wait()
    sender.join()
    try:
        process.stdin.close()
    except BrokenPipeError:
        pass
    process.stdout.close()
    whole = [json.loads(reply) for reply in replies if reply.endswith(b"\n")]
    for reply in whole:
        if "error" in reply:
            raise Wrong(f"before it was killed, the server said {reply['error']}")
    return len(whole)


class Scenario(Protocol):
    name: str

    def prepare(self, client: Client) -> None:
        """Makes what the servers are to work on."""

    def requests(self) -> list[Request]:
        """What the server is busy with when it is killed; the last one may be answered or not."""

    def check(self, client: Client, answered: int) -> None:
        """Raises Wrong when a new server does not find what it must."""


class HandleWrites:
    """Writes and truncates through a handle: all that were answered are there, and of the next one each page is old
    or new."""

    name = "writes through a handle"

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.path, self.chance = str(folder / "written"), chance
        self.states = [b""]

    def prepare(self, client: Client) -> None:
        client.call("file.create", path=self.path)

    def requests(self) -> list[Request]:
        return [("file.open", {"path": self.path})] + [self.change() for _ in range(40)]

    def change(self) -> Request:
        text = self.states[-1]
        offset = self.chance.randrange(min(LONGEST, len(text) + 9000) + 1)
        if self.chance.randrange(5) == 0:
            self.states.append(text[:offset].ljust(offset, b"\0"))
            return "file.truncate", {"handle": 1, "length": offset}
        data = self.chance.randbytes(1 + some_count(self.chance))
        self.states.append(text[:offset].ljust(offset, b"\0") + data + text[offset + len(data):])
        return "file.pwrite", {"handle": 1, "offset": offset, "data": base64.b64encode(data).decode()}

    def check(self, client: Client, answered: int) -> None:
        found = content(client, client.call("file.open", path=self.path, flags=["readOnly"])["handle"])
        done = max(0, answered - 1)  # the first answer is that of the opening
        steps = zip(self.states[done:], self.states[done + 1:] + self.states[-1:])
        if not any(is_between(found, old, new) for old, new in steps):
            raise Wrong(f"{len(found)} bytes are none of the contents that they can be after {done} changes")
        self.states = [found]
        self.check_growth(client, found)

    def check_growth(self, client: Client, found: bytes) -> None:
        """What a killed write has left behind the end must not come back."""
        handle = client.call("file.open", path=self.path)["handle"]
        client.call("file.truncate", handle=handle, length=len(found) + 2 * PAGE)
        if content(client, handle) != found + bytes(2 * PAGE):
            raise Wrong("what a killed write has left behind the end came back")
        client.call("file.truncate", handle=handle, length=len(found))


def is_between(found: bytes, old: bytes, new: bytes) -> bool:
    """Whether each page is the old or the new one, and the length is that of either."""
    if len(found) not in (len(old), len(new)):
        return False
    old, new = old[:len(found)], new[:len(found)]
    return all(found[at:at + PAGE] in (old[at:at + PAGE], new[at:at + PAGE]) for at in range(0, len(found), PAGE))


class EncryptionInPlace:
    """A document is encrypted and decrypted in turns: it has its text, and nothing lies beside it."""

    name = "encryption in place"

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder, self.chance = folder / "documents", chance
        self.path = str(self.folder / "document")
        self.text = chance.randbytes(200_000)

    def prepare(self, client: Client) -> None:
        self.folder.mkdir()
        handle = client.call("file.create", path=self.path)["handle"]
        client.call("file.pwrite", handle=handle, offset=0, data=self.text)
        client.call("file.close", handle=handle)

    def requests(self) -> list[Request]:
        return 10 * [("fileProtectionManager.encryptFile", {"path": self.path, "account": ALICE}),
                     ("fileProtectionManager.decryptFile", {"path": self.path})]

    def check(self, client: Client, answered: int) -> None:
        handle = client.call("file.open", path=self.path, flags=["readOnly"])["handle"]
        if content(client, handle) != self.text:
            raise Wrong("the document has lost its text")
        client.call("file.close", handle=handle)
        beside = [name for name in os.listdir(self.folder) if name != "document"]
        if beside:
            raise Wrong(f"a killed server left {beside} beside the document, and the next one did not remove it")


class Wipe:
    """An account writes a document and is wiped, again and again: a document is whole or gone, and gone once its wipe was
    answered; what is nobody's stays."""

    name = "wipe"

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder = folder / "wiped"
        self.text = chance.randbytes(200_000)

    def prepare(self, client: Client) -> None:
        self.folder.mkdir()
        self.note.write_bytes(self.text)

    @property
    def note(self) -> Path:
        return self.folder / "note"

    def document(self, cycle: int) -> Path:
        return self.folder / f"document {cycle}"

    def requests(self) -> list[Request]:
        return [request for cycle in range(5) for request in self.cycle(cycle)]

    def cycle(self, number: int) -> list[Request]:
        data = base64.b64encode(self.text).decode()
        return [("enrollmentManager.registerAndEnrollAccount", {"account": ALICE}),
                ("file.create", {"path": str(self.document(number)), "account": ALICE}),
                ("file.pwrite", {"handle": number + 1, "offset": 0, "data": data}),
                ("file.close", {"handle": number + 1}),
                ("enrollmentManager.deRegisterAndUnenrollAccount", {"account": ALICE, "withWipe": True})]

    def check(self, client: Client, answered: int) -> None:
        self.wait_for_wipe(client)
        wiped, begun = divmod(answered, len(self.cycle(0)))
        left = [number for number in range(wiped) if self.document(number).exists()]
        if left:
            raise Wrong(f"documents {left} are there after the wipe that was to remove them")
        if begun >= 2 and self.document(wiped).exists():
            self.check_document(client, wiped, isWritten=begun >= 3)
        if self.note.read_bytes() != self.text:
            raise Wrong("a wipe has touched what is nobody's")
        client.call("enrollmentManager.deRegisterAndUnenrollAccount", account=ALICE, withWipe=True)

    def check_document(self, client: Client, number: int, isWritten: bool) -> None:
        handle = client.call("file.open", path=str(self.document(number)), flags=["readOnly"])["handle"]
        found = content(client, handle)
        client.call("file.close", handle=handle)
        if found != self.text and (isWritten or not is_between(found, b"", self.text)):
            raise Wrong(f"document {number} has lost its text, and is not gone")

    def wait_for_wipe(self, client: Client) -> None:
        """A wipe that was cut off goes on by itself."""
        deadline = time.monotonic() + 30
        while any(account["life"] == "wiping" for account in client.call("tenant.status")["accounts"]):
            if time.monotonic() > deadline:
                raise Wrong("a wipe that was cut off does not come to its end")
            time.sleep(0.01)


SCENARIOS = [HandleWrites, EncryptionInPlace, Wipe]


class KillLoop:
    """One scenario on a folder of its own, kill after kill."""

    def __init__(self, command: list[str], scenario: Scenario, chance: random.Random) -> None:
        self.command, self.scenario, self.chance = command, scenario, chance
        self.kills = 0

    def round(self) -> None:
        if self.kills == 0:
            with Client.spawn(*self.command, timeout=60) as client:
                self.scenario.prepare(client)
        answered = killed(self.command, self.scenario.requests(), self.chance)
        self.kills += 1
        try:
            with Client.spawn(*self.command, timeout=60) as client:
                self.scenario.check(client, answered)
        except MambridgeError as error:
            raise Wrong(f"a new server says {error.code} {error.message}") from error

    def kills_until_wrong(self, limit: int) -> Optional[int]:
        """Nil when no kill did any harm."""
        for _ in range(limit):
            try:
                self.round()
            except Wrong:
                return self.kills
        return None
