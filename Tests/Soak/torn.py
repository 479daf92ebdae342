"""A server that is wrong on purpose: it keeps files in blocks of 4124 bytes, and writes a block in many pieces.

It speaks as much of the wire as the soak uses, so that the soak can be shown to catch what a kill does to it. A block
is 4064 bytes of the text, its checksum, and zeros; the last 12 bytes of the file are its length and their checksum.
"""
from __future__ import annotations

import base64
import json
import os
import sys
import zlib
from typing import Any, Callable

PAGE, BLOCK, PIECE = 4064, 4124, 40


class Refused(Exception):
    """What a client gets as an error: a code."""


class File:
    """Opened anew for each request, and so slow: that is not what it is for."""

    def __init__(self, path: str) -> None:
        self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        content = os.pread(self.descriptor, 8, 0)
        self.length = int.from_bytes(content, "big")

    def page(self, number: int) -> bytes:
        block = os.pread(self.descriptor, BLOCK, 8 + number * BLOCK)
        if not block:
            return bytes(PAGE)
        if len(block) < BLOCK or zlib.crc32(block[:PAGE]) != int.from_bytes(block[PAGE:PAGE + 4], "big"):
            raise Refused(5002)
        return block[:PAGE]

    def put(self, number: int, page: bytes) -> None:
        block = (page + zlib.crc32(page).to_bytes(4, "big")).ljust(BLOCK, b"\0")
        for start in range(0, BLOCK, PIECE):
            os.pwrite(self.descriptor, block[start:start + PIECE], 8 + number * BLOCK + start)

    def read(self, count: int, offset: int) -> bytes:
        end = min(self.length, offset + count)
        pages = b"".join(self.page(number) for number in range(offset // PAGE, -(-end // PAGE)))
        return pages[offset % PAGE:][:max(0, end - offset)]

    def write(self, data: bytes, offset: int) -> None:
        if offset > self.length:
            data, offset = bytes(offset - self.length) + data, self.length
        for number in range(offset // PAGE, -(-(offset + len(data)) // PAGE)):
            start = number * PAGE
            page = bytearray(self.page(number))
            page[max(0, self.length - start):] = bytes(PAGE - max(0, min(PAGE, self.length - start)))
            low, high = max(start, offset), min(start + PAGE, offset + len(data))
            page[low - start:high - start] = data[low - offset:high - offset]
            self.put(number, bytes(page))
        self.resize(max(self.length, offset + len(data)))

    def truncate(self, length: int) -> None:
        if length > self.length:
            self.write(bytes(length - self.length), self.length)
        self.resize(length)
        os.ftruncate(self.descriptor, 8 + -(-length // PAGE) * BLOCK)

    def resize(self, length: int) -> None:
        self.length = length
        os.pwrite(self.descriptor, length.to_bytes(8, "big"), 0)


class Server:
    """The methods, by name."""

    def __init__(self) -> None:
        self.files: list[str] = []
        self.methods: dict[str, Callable[[dict[str, Any]], Any]] = {
            "enrollmentManager.registerAndEnrollAccount": lambda _: {"didSucceed": True},
            "file.open": self.open, "file.create": self.open, "file.close": lambda _: None,
            "file.size": lambda params: self.file(params).length,
            "file.pread": lambda params: base64.b64encode(
                self.file(params).read(params["count"], params["offset"])).decode(),
            "file.pwrite": lambda params: self.file(params).write(base64.b64decode(params["data"]), params["offset"]),
            "file.truncate": lambda params: self.file(params).truncate(params["length"]),
            "tenant.status": lambda _: {"accounts": []},
            "enrollmentManager.deRegisterAndUnenrollAccount": self.wipe,
            "fileProtectionManager.encryptFile": self.rewrite, "fileProtectionManager.decryptFile": self.rewrite,
        }

    def open(self, params: dict[str, Any]) -> dict[str, Any]:
        self.files.append(params["path"])
        return {"handle": len(self.files)}

    def file(self, params: dict[str, Any]) -> File:
        return File(self.files[params["handle"] - 1])

    def rewrite(self, params: dict[str, Any]) -> bool:
        file = File(params["path"])
        data = file.read(file.length, 0)
        file.truncate(0)
        file.write(data, 0)
        return True

    def wipe(self, _: dict[str, Any]) -> dict[str, Any]:
        """Keeps no mark of what it has begun."""
        for path in filter(os.path.exists, self.files):
            for number in range(os.path.getsize(path) // BLOCK):
                File(path).put(number, bytes(PAGE))
            os.unlink(path)
        return {"didSucceed": True}

    def answer(self, line: str) -> dict[str, Any]:
        request = json.loads(line)
        reply = {"jsonrpc": "2.0", "id": request["id"]}
        try:
            return {**reply, "result": self.methods[request["method"]](request.get("params", {}))}
        except Refused as refusal:
            return {**reply, "error": {"code": refusal.args[0], "message": "a block is damaged"}}


if __name__ == "__main__":
    server = Server()
    for request_line in sys.stdin:
        print(json.dumps(server.answer(request_line)), flush=True)
