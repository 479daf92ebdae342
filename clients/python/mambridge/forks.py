"""Clients across a fork: the connection stays the parent's, and a forked process learns so at once."""
from __future__ import annotations

import os
import weakref
from typing import Protocol

REASON = "this process was forked: the connection is its parent's, so start a client of its own"


class Forked(Protocol):
    def after_fork(self) -> None:
        """Ends the connection for this process alone. Its threads did not survive, but what they held is still held."""
        ...


_connections: "weakref.WeakSet[Forked]" = weakref.WeakSet()


def watch(connection: Forked) -> None:
    _connections.add(connection)


def _after_fork() -> None:
    for connection in list(_connections):
        connection.after_fork()


os.register_at_fork(after_in_child=_after_fork)
