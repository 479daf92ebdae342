"""The tenant of a sandbox over the network, for a test that runs in asyncio."""
from __future__ import annotations

from typing import TYPE_CHECKING, Awaitable, Callable, List, Optional, Tuple

from ..aio.client import AsyncClient
from .setup import full_name

if TYPE_CHECKING:
    from ..types import NetworkRequest, SandboxNetwork


class AsyncNetwork:
    """Network, with calls to be awaited."""

    def __init__(
        self, client: AsyncClient, served: SandboxNetwork, begin: Callable[..., Awaitable[AsyncClient]],
    ) -> None:
        self._sandbox, self._begin = client.sandbox, begin
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
        return await self._begin(*app.arguments, environment={**app.environment, **environment})

    async def requests(self) -> List[NetworkRequest]:
        return await self._sandbox.network_requests()

    async def send(self, method: str, path: str, token: Optional[str], body: Optional[str] = None) -> Tuple[int, str]:
        answer = await self._sandbox.network_send(method, path, token=token, body=body)
        return answer.status, answer.body
