"""Values on their way to JSON and back."""
from __future__ import annotations

import json
import pickle
from collections import deque
from datetime import datetime, timedelta, timezone
from types import MappingProxyType
from typing import Any

import pytest
from mambridge import errors, events, types, values, wire


@pytest.mark.parametrize(("text", "time"), [
    ("2026-02-02T02:40:00Z", datetime(2026, 2, 2, 2, 40, tzinfo=timezone.utc)),
    ("2026-02-02T02:40:00.5Z", datetime(2026, 2, 2, 2, 40, 0, 500_000, timezone.utc)),
    ("2026-02-02T02:40:00.123456789Z", datetime(2026, 2, 2, 2, 40, 0, 123_456, timezone.utc)),
    ("2026-02-02T02:40:00+01:30", datetime(2026, 2, 2, 1, 10, tzinfo=timezone.utc)),
])
def test_a_time_is_read_with_its_zone(text: str, time: datetime) -> None:
    assert values.as_time(text) == time


@pytest.mark.parametrize("text", ["", "2026-02-02", "2026-02-02T02:40:00", "yesterday"])
def test_what_is_no_time_is_not_read(text: str) -> None:
    with pytest.raises(ValueError):
        values.as_time(text)


@pytest.mark.parametrize(("length", "text"), [
    (timedelta(), "P0DT0S"), (timedelta(days=90), "P90DT0S"), (timedelta(hours=25, seconds=1), "P1DT3601S"),
])
def test_a_duration_survives(length: timedelta, text: str) -> None:
    assert values.duration_text(length) == text and values.as_duration(text) == length


def test_a_duration_is_read_in_every_unit() -> None:
    assert values.as_duration("P1W2DT3H4M5S") == timedelta(weeks=1, days=2, hours=3, minutes=4, seconds=5)


@pytest.mark.parametrize("text", ["", "P", "PT", "P1M", "1D", "P1DT"])
def test_what_is_no_duration_is_not_read(text: str) -> None:
    with pytest.raises(ValueError):
        values.as_duration(text)


@pytest.mark.parametrize(("value", "expected"), [
    (b"\x00\xff", "AP8="), (bytearray(b"a"), "YQ=="), (memoryview(b"a"), "YQ=="), (deque([1]), [1]), ((1, 2), [1, 2]),
    (MappingProxyType({"a": b""}), {"a": ""}),
    (datetime(2026, 2, 2, 3, 40, tzinfo=timezone(timedelta(hours=1))), "2026-02-02T02:40:00.000Z"),
    (types.ShareTarget("id", True), {"id": "id", "managed": True}),
    (types.ServerTrustChallenge(None, [b"a"]), {"host": None, "certificates": ["YQ=="]}),
])
def test_a_value_is_written_as_the_wire_has_it(value: Any, expected: Any) -> None:
    assert json.loads(wire.line(value)) == expected


@pytest.mark.parametrize(("value", "error"), [
    (object(), TypeError), (float("nan"), ValueError), (datetime(2026, 1, 1), ValueError),
    (timedelta(seconds=0.5), ValueError), (timedelta(seconds=-1), ValueError)])
def test_a_value_without_a_form_on_the_wire_is_refused(value: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        wire.line(value)


def test_records_are_values() -> None:
    one, same, other = types.ClientInfo("a", "1"), types.ClientInfo("a", "1"), types.ClientInfo("a")
    assert one == same and hash(one) == hash(same) and one != other and one != ("a", "1")
    assert repr(one) == "ClientInfo(name='a', version='1')"
    with pytest.raises(AttributeError):
        one.name = "b"  # type: ignore[misc]


def test_an_error_is_of_the_class_of_its_name() -> None:
    error = errors.from_wire({"code": 4001, "message": "m", "data": {"name": "policyRequired", "retryable": True}})
    assert type(error) is errors.PolicyRequired and error.retryable
    assert (error.code, error.name, error.message, error.hint) == (4001, "policyRequired", "m", None)
    assert type(pickle.loads(pickle.dumps(error))) is errors.PolicyRequired


def test_an_unknown_name_is_a_plain_error() -> None:
    error = errors.from_wire({"code": 9999, "message": "m", "data": {"name": "ofTomorrow"}})
    assert type(error) is errors.MambridgeError and error.name == "ofTomorrow"
    assert errors.from_wire("nonsense").code == 0


def test_what_a_server_says_in_another_form_is_kept_as_it_is() -> None:
    assert errors.from_wire({"code": 1, "message": "m", "data": {"name": ["x"]}}).code == 1
    params = {"seq": 1, "time": "yesterday"}
    assert events.read("policyManager.policyDidChange", params) == events.UnknownEvent("policyManager.policyDidChange", params)


def test_an_error_to_raise_has_its_code_and_a_text() -> None:
    assert errors.Canceled().to_wire() == {"code": 7002, "message": errors.Canceled.__doc__}
    assert isinstance(errors.DeadlineExceeded(), TimeoutError)
    assert errors.EmptyData().sdk_code == 105 and errors.EmptyData.domain == "IntuneMAMDataProtectionErrorDomain"


def test_a_line_is_cut_wherever_the_bytes_come_apart() -> None:
    lines = wire.Lines()
    assert [lines.feed(part) for part in (b"a", b"b\nc", b"\n\nd")] == [[], [b"ab"], [b"c", b""]]


def test_a_value_that_contains_itself_is_refused() -> None:
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(ValueError, match="Circular reference"):
        wire.line({"params": loop})


@pytest.mark.parametrize(("chunk", "result"), [
    (b'{"jsonrpc":"2.0","id":7,"result":true}\n', True), (b'{"id":7,"result":"\xc3\xbc"}\n', "ü"),
    (b'{"id":7,"result":null}\n', None), (b'{"id":7}\n', None),
])
def test_an_answer_alone_is_read_at_once(chunk: bytes, result: object) -> None:
    reply = wire.read_answer(chunk)
    assert reply and reply.error is None and reply.result == result


@pytest.mark.parametrize("chunk", [
    b"", b"\n", b'{"id":7,"result":1}', b'{"id":7,"result":1}\n{', b'{"id":7}\n{"id":8}\n',
    b'{"id":true,"result":1}\n', b'{"id":7.0,"result":1}\n', b'{"id":7,"method":"ui.showAlert"}\n', b'[{"id":7}]\n',
    b'{"id":7,"result":1} \n', b'{"id":7} {}\n', b'{"id":7,"result":"\xff"}\n', b"noise\n", b"[" * 100_000 + b"\n",
], ids=range(14))
def test_anything_but_an_answer_alone_is_left_to_the_reader(chunk: bytes) -> None:
    assert wire.read_answer(chunk) is None


def test_an_answer_alone_may_be_an_error() -> None:
    reply = wire.read_answer(b'{"id":7,"error":{"code":7002,"message":"no","data":{"name":"canceled"}}}\n')
    assert reply and type(reply.error).__name__ == "Canceled"
