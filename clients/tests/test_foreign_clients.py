"""Clients that were not written here speak to the server: one in lines over TCP, one with Content-Length over stdio."""
from __future__ import annotations

import asyncio
import subprocess
import threading
from pathlib import Path
from typing import Any, Iterator
from urllib.parse import urlsplit

import pytest
from conftest import ALICE, Server

aiorpcx = pytest.importorskip("aiorpcx", reason="PyPI was not reachable: aiorpcX is not installed")
pylsp = pytest.importorskip("pylsp_jsonrpc", reason="PyPI was not reachable: python-lsp-jsonrpc is not installed")
from pylsp_jsonrpc.endpoint import Endpoint  # noqa: E402
from pylsp_jsonrpc.streams import JsonRpcStreamReader, JsonRpcStreamWriter  # noqa: E402

ENROLL = "enrollmentManager.registerAndEnrollAccount"
ASK = "policy.isPINRequired"


def over_lines(server: Server, talk: Any) -> None:
    """Runs `talk` on a session of aiorpcX that is authenticated."""

    async def run() -> None:
        address = urlsplit(server.address)
        async with aiorpcx.connect_rs(address.hostname, address.port) as session:
            token = Path(server.token_file).read_text().strip()
            await session.send_request("authenticate", {"token": token})
            await talk(session)

    asyncio.run(asyncio.wait_for(run(), 60))


def test_a_foreign_client_calls_the_server_in_lines_over_tcp(server: Server) -> None:
    """Params by name and by position, an error, and many requests at once."""

    async def talk(session: Any) -> None:
        await session.send_request(ENROLL, {"account": ALICE})
        assert await session.send_request(ASK, {"account": ALICE}) == await session.send_request(ASK, [ALICE])
        with pytest.raises(aiorpcx.RPCError) as caught:
            await session.send_request("no.such.method")
        assert caught.value.code == -32601
        answers = await asyncio.gather(*(session.send_request(ASK, [ALICE]) for _ in range(200)))
        assert len(answers) == 200

    over_lines(server, talk)


def test_a_foreign_client_gets_one_result_for_each_request_in_a_batch(server: Server) -> None:
    """Requests and a notification in one batch: one result for each request, in order, the error among them."""

    async def talk(session: Any) -> None:
        async with session.send_batch() as batch:
            batch.add_request(ENROLL, [ALICE])
            batch.add_notification(ASK, [ALICE])
            batch.add_request("no.such.method")
            batch.add_request(ASK, [ALICE])
        enrolled, unknown, asked = batch.results
        assert isinstance(unknown, aiorpcx.RPCError)
        assert enrolled is not None and asked is not None

    over_lines(server, talk)


@pytest.fixture
def endpoint(binary: str, state: str) -> Iterator[Endpoint]:
    """python-lsp-jsonrpc's end of a pipe to the server; it names its charset `utf8`."""
    command = [binary, "--tenant", "sample", "--state", state]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin and process.stdout
    writer = JsonRpcStreamWriter(process.stdin)
    endpoint = Endpoint({}, writer.write)
    reader = JsonRpcStreamReader(process.stdout)
    listener = threading.Thread(target=reader.listen, args=(endpoint.consume,))
    listener.start()
    yield endpoint
    writer.close()
    assert process.wait(timeout=40) == 0
    listener.join()
    reader.close()
    endpoint.shutdown()


def test_a_foreign_client_calls_the_server_with_content_length_headers(endpoint: Endpoint) -> None:
    """Ids that are UUIDs, requests that are sent before others are answered, an error with its code."""
    from pylsp_jsonrpc.exceptions import JsonRpcException

    enrolled = endpoint.request(ENROLL, {"account": ALICE})
    asked = endpoint.request(ASK, {"account": ALICE})
    unknown = endpoint.request("no.such.method")
    assert enrolled.result(timeout=60) is not None
    assert isinstance(asked.result(timeout=60), bool)
    with pytest.raises(JsonRpcException) as caught:
        unknown.result(timeout=60)
    assert caught.value.code == -32601


def test_content_length_counts_bytes_of_non_ascii_text_in_both_directions(endpoint: Endpoint) -> None:
    """The length is counted in bytes, both ways."""
    text = "žluťoučký kůň 🐎 " * 1000
    endpoint.request(ENROLL, {"account": ALICE}).result(timeout=60)
    protected = endpoint.request("dataProtectionManager.protectString", {"string": text, "account": ALICE})
    clear = endpoint.request("dataProtectionManager.unprotectString", {"string": protected.result(timeout=60)})
    assert clear.result(timeout=60) == text
