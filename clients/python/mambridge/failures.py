"""The exceptions of the client. `errors` adds a class for each error that the server names."""
from __future__ import annotations

from typing import Any, Dict, Optional, Tuple


class MambridgeError(Exception):
    """An error reply from the server, or the answer of a host that refuses.

    `name` is a stable symbol to compare with, `retryable` says whether the same call may succeed later, and `hint` says
    what to do. `data` has what else the server says, such as `path`, the place of a wrong parameter. If the SDK has the
    error, `domain` and `sdk_code` are set.
    """

    code: int
    name: Optional[str] = None
    domain: Optional[str] = None
    sdk_code: Optional[int] = None

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        details: Dict[str, Any] = data if isinstance(data, dict) else {}
        self.code = code
        self.message = message
        self.data = data
        self.name = details.get("name", self.name)
        self.domain = details.get("domain", self.domain)
        self.sdk_code = details.get("sdkCode", self.sdk_code)
        self.hint: Optional[str] = details.get("hint")
        self.retryable: bool = details.get("retryable") is True
        super().__init__(code, message, data)

    def __str__(self) -> str:
        label = f"{self.name} ({self.code})" if self.name else str(self.code)
        return f"{label}: {self.message}" + (f" ({self.hint})" if self.hint else "")

    def to_wire(self) -> Dict[str, Any]:
        """The `error` object of a reply."""
        error = {"code": self.code, "message": self.message}
        return error if self.data is None else {**error, "data": self.data}


class NamedError(MambridgeError):
    """A class of `errors`: raise it with a message of your own, or with none."""

    def __init__(self, message: Optional[str] = None, data: Any = None) -> None:
        MambridgeError.__init__(self, type(self).code, message or (type(self).__doc__ or "").strip(), data)
        self.args = (self.message, data)


class ConnectionLost(ConnectionError):
    """The server is gone, or this client is closed. For a child process, the message has the exit code and the last
    lines on stderr."""

    def __init__(self, reason: str, exit_code: Optional[int] = None, last_lines: Tuple[str, ...] = ()) -> None:
        words = " | ".join(line for line in last_lines if line)
        super().__init__(reason + (f"; its last lines on stderr: {words}" if words else ""))
        self.reason = reason
        self.exit_code = exit_code
        self.last_lines = last_lines


class UnexpectedReply(Exception):
    """The server answered with something that this version of the client cannot read. The text holds no part of it."""
