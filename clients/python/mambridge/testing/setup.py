"""How a sandbox is started: its options, the names of its users, and what a failed start says."""
from __future__ import annotations

import os
import shutil
from datetime import datetime, timedelta, timezone
from typing import Any, List, Mapping, Optional, Sequence, Union

from .. import program
from ..failures import ConnectionLost
from ..values import time_text
from ..version import VERSION

SAMPLE_USERS = frozenset({"alice", "bob", "carol", "dave"})
SAMPLE_DOMAIN = "contoso.example"

# How mambridge begins the reason why a sandbox does not start.
REFUSAL = "the sandbox cannot begin: "
# How long the first answer may take, in seconds.
START = 30.0
# How long `wait_for` waits.
PATIENCE = 10.0
# How long a report may take.
REPORT = 5.0


class SandboxError(Exception):
    """A sandbox cannot start. The text says why, and what to do."""


def full_name(user: str) -> str:
    """`alice`, `bob`, `carol` and `dave` are short for users of the sample tenant. Every other name is as written."""
    return f"{user}@{SAMPLE_DOMAIN}" if user in SAMPLE_USERS else user


def duration(by: Optional[timedelta], amounts: Mapping[str, float]) -> timedelta:
    """What `advance` moves by."""
    if by is not None and (amounts or not isinstance(by, timedelta)):
        raise TypeError(f"advance takes a timedelta, or amounts such as days=91; not {by!r}")
    return timedelta(**amounts) if by is None else by


class Setup:
    """The options of a sandbox, and the command that they make.

    seed: `sample`, `empty`, a tenant folder, or the folder of `sandbox.export`.
    at: When the clock starts; defaults to now, or to the time of an export.
    binary: The program; defaults to `MAMBRIDGE` in the environment, or else to the one of the wheel or on PATH.
    settings: Settings of the app, such as `{"MultiIdentity": True}`.
    app_id: The id of the app.
    """

    def __init__(
        self, seed: str = "sample", at: Union[datetime, str, None] = None, binary: Optional[str] = None,
        settings: Optional[Mapping[str, Any]] = None, app_id: Optional[str] = None,
    ) -> None:
        found = binary or os.environ.get("MAMBRIDGE") or program.find(program.NAME)
        self.binary = os.path.abspath(found) if os.path.dirname(found) else found
        self.arguments = ["sandbox", "--seed", seed]
        if at is not None:
            self.arguments += ["--at", _text(at)]
        for name, value in (settings or {}).items():
            self.arguments += ["--set", f"{name}={str(value).lower() if isinstance(value, bool) else value}"]
        if app_id is not None:
            self.arguments += ["--app-id", app_id]

    @property
    def command(self) -> List[str]:
        return [self.binary, *self.arguments]

    def failure(self, error: BaseException) -> SandboxError:
        """Why the sandbox has not started."""
        if isinstance(error, FileNotFoundError) and not shutil.which(self.binary):
            return SandboxError(
                f"cannot start {self.binary}: there is no such program. Install mambridge, or name the program with "
                "MAMBRIDGE in the environment, with the pytest option mambridge_binary, or with Sandbox(binary=…)")
        if isinstance(error, OSError) and not isinstance(error, (ConnectionLost, TimeoutError)):
            return SandboxError(f"cannot start {self.binary}: {error.strerror or error}")
        if isinstance(error, ConnectionLost) and (refusal := _refusal(error.last_lines)):
            return SandboxError(refusal)
        return SandboxError(
            f"{self.binary} does not serve a sandbox: {error}. Use mambridge {VERSION} or newer; "
            f"`{os.path.basename(self.binary)} --version` says which one it is")


def _refusal(lines: Sequence[str]) -> str:
    """What mambridge says about options that it cannot use. Empty if it says nothing."""
    return next((line[line.index(REFUSAL):] for line in lines if REFUSAL in line), "")


def _text(at: Union[datetime, str]) -> str:
    if isinstance(at, str):
        return at
    return time_text(at if at.tzinfo else at.replace(tzinfo=timezone.utc))
