"""The tenant of a sandbox over the network, for a test that runs in asyncio."""
from __future__ import annotations

from typing import TYPE_CHECKING, List, Optional, Tuple

from ..aio.client import AsyncClient
from .setup import full_name

if TYPE_CHECKING:
    from ..types import NetworkRequest, SandboxNetwork


class AsyncNetwork:
    """Network, with calls to be awaited."""

    def __init__(self, client: AsyncClient, served: SandboxNetwork, binary: str, timeout: float) -> None:
        self._sandbox, self._binary, self._timeout = client.sandbox, binary, timeout
        self._apps: List[AsyncClient] = []
        self.url, self.authority, self.client_id = served.url, served.authority, served.client_id
        self.graph, self.certificate, self.tenant_id = served.graph, served.certificate, served.tenant_id
        self.secret, self.environment = served.secret, served.environment
        self.fault = self._sandbox.network_fault
        self.clear_faults = self._sandbox.clear_network_faults
        self.log = self._sandbox.network_log

    async def token(self, user: str) -> str:
        return await self._sandbox.network_token(full_name(user))

    async def join(self, user: str = "alice", **environment: str) -> AsyncClient:
        app = await self._sandbox.network_app(full_name(user))
        client = await AsyncClient.spawn(
            self._binary, *app.arguments, timeout=self._timeout, environment={**app.environment, **environment})
        self._apps.append(client)
        return client

    async def requests(self) -> List[NetworkRequest]:
        return await self._sandbox.network_requests()

    async def send(self, method: str, path: str, token: Optional[str], body: Optional[str] = None) -> Tuple[int, str]:
        answer = await self._sandbox.network_send(method, path, token=token, body=body)
        return answer.status, answer.body

    async def close(self) -> None:
        while self._apps:
            await self._apps.pop().close()
