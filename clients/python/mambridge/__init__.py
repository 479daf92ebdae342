"""A client for mambridge, the Intune App SDK over JSON-RPC. Needs nothing but the standard library.

    with Client.spawn("mambridge", "--tenant", "sample") as client:
        client.enrollment_manager.register_and_enroll_account("alice@contoso.example")
        client.policy.is_save_to_allowed_for_location("localDrive")

`mambridge.aio` has the same for asyncio. `errors`, `events`, `requests` and `types` hold what the calls carry.
"""
from . import errors, events, requests, types
from .client import Client
from .failures import ConnectionLost, MambridgeError, UnexpectedReply
from .host import Host
from .options import CancelToken, Progress

__all__ = [
    "CancelToken", "Client", "ConnectionLost", "Host", "MambridgeError", "Progress", "UnexpectedReply", "errors",
    "events", "requests", "types",
]
