"""The client for asyncio. Its methods are those of `mambridge.Client`, to be awaited.

    async with AsyncClient.spawn("mambridge", "--tenant", "sample") as client:
        await client.enrollment_manager.register_and_enroll_account("alice@contoso.example")
"""
TYPE_CHECKING = False  # Type checkers take it as true.

__all__ = ["AsyncClient", "AsyncHost"]

if TYPE_CHECKING:
    from .client import AsyncClient
    from .host import AsyncHost
else:
    from ..loading import load

    __getattr__, __dir__ = load(__name__, globals(), {"client": ["AsyncClient"], "host": ["AsyncHost"]})
