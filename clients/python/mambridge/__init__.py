"""A client for mambridge: the Intune App SDK over JSON-RPC. Standard library only, nothing generated.

    with Client.spawn("mambridge", "--tenant", "sample") as client:
        client.enrollmentManager.registerAndEnrollAccount(account="alice@contoso.example")
        client.policy.isSaveToAllowedForLocation(location="localDrive")

Call every method of the server by its name. `client.methods()` asks the server for the list.
"""
from .client import Client
from .errors import ConnectionLost, MambridgeError

__all__ = ["Client", "ConnectionLost", "MambridgeError"]
