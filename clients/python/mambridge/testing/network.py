"""The tenant of a sandbox over the network: a tenant service, Graph and an identity provider on this machine."""
from __future__ import annotations

from typing import TYPE_CHECKING, Callable, List, Optional, Tuple

from ..client import Client
from .setup import full_name

if TYPE_CHECKING:
    from ..types import NetworkRequest, SandboxNetwork


class Network:
    """The methods `sandbox.network…`, with short names. It ends with the sandbox.

    When a verb of the sandbox returns, the network has read what the verb changed.

    Configure an app with url, authority, client_id, graph, certificate and tenant_id. `environment` makes programs trust
    the certificate. Raises errors.NetworkFailed.
    """

    def __init__(self, client: Client, served: SandboxNetwork, begin: Callable[..., Client]) -> None:
        self._sandbox, self._begin = client.sandbox, begin
        self.url, self.authority, self.client_id = served.url, served.authority, served.client_id
        self.graph, self.certificate, self.tenant_id = served.graph, served.certificate, served.tenant_id
        self.secret, self.environment = served.secret, served.environment
        # Makes checkIn, graph, token or keys fail: fault("checkIn", "serviceUnavailable", times=1, delay="PT1.5S").
        self.fault = self._sandbox.network_fault
        self.clear_faults = self._sandbox.clear_network_faults
        # What the service has written to its log.
        self.log = self._sandbox.network_log

    def token(self, user: str) -> str:
        """An access token of a user, for the service and for Graph."""
        return self._sandbox.network_token(full_name(user))

    def join(self, user: str = "alice", **environment: str) -> Client:
        """Starts a server with a state of its own, whose policy source is the service; the user is signed in."""
        app = self._sandbox.network_app(full_name(user))
        return self._begin(*app.arguments, environment={**app.environment, **environment})

    def requests(self) -> List[NetworkRequest]:
        """The last requests: who, method, path, status, why and fault."""
        return self._sandbox.network_requests()

    def send(self, method: str, path: str, token: Optional[str], body: Optional[str] = None) -> Tuple[int, str]:
        """Sends a request to the service or to Graph, with JSON or without. Returns status and body."""
        answer = self._sandbox.network_send(method, path, token=token, body=body)
        return answer.status, answer.body
