"""The client for asyncio. Its methods are those of `mambridge.Client`, to be awaited.

    async with AsyncClient.spawn("mambridge", "--tenant", "sample") as client:
        await client.enrollment_manager.register_and_enroll_account("alice@contoso.example")
"""
from .client import AsyncClient
from .host import AsyncHost

__all__ = ["AsyncClient", "AsyncHost"]
