"""Other processes in tests: which one a client has started, whether one has ended, and what it may still open."""
from __future__ import annotations

import itertools
import os
import resource
from pathlib import Path
from typing import Any


def pid_of(client: Any) -> int:
    """Of the server that a client has started. A signal to no process in particular would reach the tests."""
    assert client.pid
    return int(client.pid)


def is_gone(process: int) -> bool:
    """A process that only waits for its parent to ask for its status has ended, too."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def take_descriptors(process: int, free: int = 0) -> int:
    """Lets the process open only so many more files than it has open now. Returns how many it can then have."""
    used = {int(name) for name in os.listdir(f"/proc/{process}/fd")}
    unused = (number for number in itertools.count() if number not in used)
    limit = next(itertools.islice(unused, free, None))
    resource.prlimit(process, resource.RLIMIT_NOFILE, (limit, resource.prlimit(process, resource.RLIMIT_NOFILE)[1]))
    return len(used) + free
