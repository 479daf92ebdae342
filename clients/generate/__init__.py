"""Generates the typed clients from the OpenRPC document of the server."""
