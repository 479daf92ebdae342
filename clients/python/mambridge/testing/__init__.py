"""A sandbox for each test of an app: a fresh tenant, a clock that stands still, and a user who answers.

    def test_a_policy_forbids_saving(mam):
        mam.policy("bob", saveAsBlocked=True)
        mam.enroll("bob")
        answer = mam.client.policy.is_save_to_allowed_for_location("dropbox", account="bob@contoso.example")
        mam.assert_blocked(answer, setting="saveAsBlocked")

pytest finds the fixtures `mam` and `async_mam` by itself. Everywhere else, `with Sandbox() as mam` is the same. Needs
nothing but the standard library.
"""
TYPE_CHECKING = False  # Type checkers take it as true.

__all__ = ["AsyncNetwork", "AsyncSandbox", "Network", "Sandbox", "SandboxError", "full_name"]

if TYPE_CHECKING:
    from .aio import AsyncSandbox
    from .aio_network import AsyncNetwork
    from .network import Network
    from .sandbox import Sandbox
    from .setup import SandboxError, full_name
else:
    from ..loading import load

    __getattr__, __dir__ = load(__name__, globals(), {
        "aio": ["AsyncSandbox"], "aio_network": ["AsyncNetwork"], "network": ["Network"], "sandbox": ["Sandbox"],
        "setup": ["SandboxError", "full_name"]})
