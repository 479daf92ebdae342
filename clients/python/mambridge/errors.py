"""The errors of the client."""
from __future__ import annotations

from typing import Any, Optional


class MambridgeError(Exception):
    """An error reply from the server. A request handler may raise one, too.

    `name` is a stable symbol to compare with, `retryable` says whether the same call may succeed later, and `hint` says
    what to do.
    """

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        details = data if isinstance(data, dict) else {}
        self.code = code
        self.message = message
        self.data = data
        self.name: Optional[str] = details.get("name")
        self.hint: Optional[str] = details.get("hint")
        self.retryable: bool = details.get("retryable") is True
        label = f"{self.name} ({code})" if self.name else str(code)
        super().__init__(f"{label}: {message}" + (f" ({self.hint})" if self.hint else ""))

    @classmethod
    def of(cls, error: Any) -> "MambridgeError":
        """Creates an error from the `error` object of a reply."""
        members: dict[str, Any] = error if isinstance(error, dict) else {"message": repr(error)}
        return cls(members.get("code", 0), members.get("message", ""), members.get("data"))


class ConnectionLost(ConnectionError):
    """The server is gone. For a child process, the message has its exit code and its last lines on stderr."""
