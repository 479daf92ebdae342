"""A client for mambridge, the Intune App SDK over JSON-RPC. Needs nothing but the standard library.

    with Client.spawn("mambridge", "--tenant", "sample") as client:
        client.enrollment_manager.register_and_enroll_account("alice@contoso.example")
        client.policy.is_save_to_allowed_for_location("localDrive")

`mambridge.aio` has the same for asyncio. `errors`, `events`, `requests` and `types` hold what the calls carry.
Each part is loaded when it is first used.
"""
TYPE_CHECKING = False  # Type checkers take it as true.

__all__ = [
    "CancelToken", "Client", "ConnectionLost", "Host", "MambridgeError", "Progress", "UnexpectedReply", "errors",
    "events", "requests", "types",
]

if TYPE_CHECKING:
    from . import errors, events, requests, types
    from .client import Client
    from .failures import ConnectionLost, MambridgeError, UnexpectedReply
    from .host import Host
    from .options import CancelToken, Progress
else:
    from .loading import load

    __getattr__, __dir__ = load(__name__, globals(), {
        "client": ["Client"], "failures": ["ConnectionLost", "MambridgeError", "UnexpectedReply"], "host": ["Host"],
        "options": ["CancelToken", "Progress"], "errors": [], "events": [], "requests": [], "types": [],
    })
