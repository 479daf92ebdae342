"""Speaks with `mambridge-tenant source` as mambridge does."""
from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
from typing import Any

JSON = "dict[str, Any]"


class Source:
    """A policy source. Requests of the source are in `asked`, and are answered with null."""

    def __init__(self, command: "list[str]", environment: "dict[str, str]") -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment})
        self.replies: "dict[int, queue.Queue[JSON]]" = {}
        self.asked: "queue.Queue[JSON]" = queue.Queue()
        self.lock, self.last = threading.Lock(), 0
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        with self.process.stdout:
            for line in self.process.stdout:
                message = json.loads(line)
                if "method" not in message:
                    self.replies[message["id"]].put(message)
                elif "id" in message:
                    self._write({"id": message["id"], "result": None})
                    self.asked.put(message)

    def _write(self, message: JSON) -> None:
        assert self.process.stdin
        with self.lock:
            self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            self.process.stdin.flush()

    def begin(self, method: str, **params: Any) -> int:
        """Sends a request, and returns its id."""
        with self.lock:
            self.last += 1
            number = self.last
            self.replies[number] = queue.Queue()
        self._write({"id": number, "method": method, "params": params})
        return number

    def reply(self, number: int, seconds: float = 60) -> JSON:
        return self.replies[number].get(timeout=seconds)

    def call(self, method: str, **params: Any) -> JSON:
        return self.reply(self.begin(method, **params))

    def open(self) -> JSON:
        answer: JSON = self.call("source.open", protocolVersion=1, locale="en")["result"]
        return answer

    def cancel(self, number: int) -> None:
        self._write({"method": "$/cancelRequest", "params": {"id": number}})

    def close(self) -> int:
        """Ends the input, and returns the exit code."""
        assert self.process.stdin
        self.process.stdin.close()
        try:
            return self.process.wait(30)
        finally:
            self.kill()

    def kill(self) -> None:
        assert self.process.stdin
        self.process.kill()
        self.process.wait(20)
        self.process.stdin.close()
        self.reader.join(20)
