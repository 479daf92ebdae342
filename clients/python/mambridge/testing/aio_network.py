"""The tenant of a sandbox over the network, for a test that runs in asyncio."""
from __future__ import annotations

import asyncio
from typing import Any, Dict, List, Optional, Tuple

from ..aio.client import AsyncClient
from .network import Network


class AsyncNetwork:
    """Network, with calls to be awaited. They run in threads."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._clients: List[AsyncClient] = []
        self.url, self.authority, self.client_id = network.url, network.authority, network.client_id
        self.graph, self.certificate, self.tenant_id = network.graph, network.certificate, network.tenant_id
        self.secret, self.environment = network.secret, network.environment
        self.log = network.log

    async def token(self, user: str) -> str:
        return await asyncio.to_thread(self._network.token, user)

    async def join(self, user: str = "alice", **environment: str) -> AsyncClient:
        client = await AsyncClient.spawn(
            *self._network.command(user), timeout=self._network.timeout,
            environment={**self.environment, **environment})
        self._clients.append(client)
        return client

    async def reload(self) -> None:
        await asyncio.to_thread(self._network.reload)

    async def fault(self, at: str, kind: str, *, times: Optional[int] = None, delay: Optional[str] = None) -> None:
        await asyncio.to_thread(self._network.fault, at, kind, times=times, delay=delay)

    async def clear_faults(self) -> None:
        await asyncio.to_thread(self._network.clear_faults)

    async def requests(self) -> "List[Dict[str, Any]]":
        return await asyncio.to_thread(self._network.requests)

    async def send(self, method: str, path: str, token: str, body: Optional[bytes] = None) -> "Tuple[int, str]":
        return await asyncio.to_thread(self._network.send, method, path, token, body)

    async def report(self) -> str:
        return await asyncio.to_thread(self._network.report)

    async def close(self) -> None:
        while self._clients:
            await self._clients.pop().close()
        await asyncio.to_thread(self._network.close)
