"""docs/limits.md says for each limit what the sources say, and what some of the limits do is tried."""
from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import ROOT

PAGE = ROOT / "docs" / "limits.md"
ROW = re.compile(r"^\| (?P<title>.+?) \| (?P<value>[^|]+?) \| (?P<effect>[^|]+?) \| \[`(?P<name>[\w.]+)`\]\((?P<path>[^)]+)\) \|$")
BYTES = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
# The units in which a constant may have a time.
TIMES = {"seconds": [1, 1_000], "days": [1, 86_400, 86_400_000]}


@dataclass
class Limit:
    title: str
    value: str
    name: str
    path: Path

    @property
    def possible(self) -> "list[int]":
        """The numbers that a constant of this value may have."""
        number, _, unit = self.value.partition(" ")
        count = int(number.replace(",", ""))
        if unit in BYTES:
            return [count * BYTES[unit]]
        assert not unit or unit in TIMES, f"{self.title} has an unknown unit: {unit}"
        return [count * factor for factor in TIMES.get(unit, [1])]

    @property
    def in_source(self) -> int:
        """The value of the constant. A type before its name, such as `Type.name`, says in which part of the file it is."""
        text = self.path.read_text()
        kind, _, name = self.name.rpartition(".")
        if kind:
            begin = re.search(rf"\b(struct|class|enum|extension) {kind}\b", text)
            assert begin, f"{self.path} has no type {kind}"
            text = text[begin.start():]
        found = re.search(rf"(?<![\w.]){name}(?:: [\w<>]+)? = (?P<value>[0-9][\w.<*() ]*)", text)
        assert found, f"{self.path} has no constant {name}"
        return evaluated(found["value"].split("...")[-1].strip("() "))


def evaluated(text: str) -> int:
    """The value of a product or a shift of whole numbers."""
    assert re.fullmatch(r"[\d_]+( (\*|<<) [\d_]+)*", text), f"not a number: {text}"
    return int(eval(text))


def limits() -> "list[Limit]":
    found = (ROW.match(line) for line in PAGE.read_text().splitlines())
    return [Limit(row["title"], row["value"], row["name"], (PAGE.parent / row["path"]).resolve()) for row in found if row]


def test_every_row_in_limits_md_names_its_constant() -> None:
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| ") and not line.startswith("| Limit ")]
    assert len(rows) == len(limits()) > 50
    for row in rows:
        assert ROW.match(row), f"a row without a value, an effect or a constant: {row}"


@pytest.mark.parametrize("limit", limits(), ids=lambda limit: f"{limit.path.stem}.{limit.name}")
def test_a_limit_in_limits_md_equals_its_constant_in_the_source(limit: Limit) -> None:
    assert limit.in_source in limit.possible, f"{limit.title}: {limit.value} differs from {limit.name} in {limit.path}"


def answers(binary: str, folder: Path, *lines: str, options: "tuple[str, ...]" = ()) -> "list[dict]":
    command = [binary, "serve", "--tenant", "sample", "--state", str(folder / "state"), *options]
    run = subprocess.run(command, input="".join(f"{line}\n" for line in lines), capture_output=True, text=True, timeout=60)
    return [json.loads(line) for line in run.stdout.splitlines()]


def request(method: str, params: str = "{}", number: str = "1") -> str:
    return f'{{"jsonrpc": "2.0", "id": {number}, "method": "{method}", "params": {params}}}'


OK = request("versionInfo.sdkVersion", number="2")
MESSAGES = {
    "message": request("versionInfo.sdkVersion", '{"a": "' + "x" * (1 << 21) + '"}'),
    "nesting": request("versionInfo.sdkVersion", "[" * 600 + "]" * 600),
    "values": request("versionInfo.sdkVersion", "[" + "1," * 20_000 + "1]"),
    "batch": "[" + ",".join([request("versionInfo.sdkVersion")] * 1_001) + "]",
}


@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_over_a_limit_gets_an_error_that_names_the_limit(name: str, binary: str, tmp_path: Path) -> None:
    smaller = ("--limit", "message=1048576", "--limit", "values=16384")
    first, second = answers(binary, tmp_path, MESSAGES[name], OK, options=smaller)
    assert first["error"]["code"] == -32004 and first["error"]["data"]["limit"] == name
    assert "result" in second


@pytest.mark.parametrize(("method", "params"), [
    ("tenant.status", '{"limit": 10001}'), ("events.list", '{"limit": 1001}'),
    ("events.list", '{"waitMilliseconds": 600001}'), ("diagnosticsLog.query", '{"limit": 10001}'),
])
def test_a_parameter_out_of_range_gets_an_error_with_the_allowed_range(
    method: str, params: str, binary: str, tmp_path: Path
) -> None:
    first, second = answers(binary, tmp_path, request(method, params), OK)
    assert first["error"]["code"] == -32602 and "must be from" in first["error"]["message"]
    assert "result" in second


def check(binary: str, folder: Path) -> str:
    return subprocess.run(
        [binary, "tenant", "check", str(folder)], capture_output=True, text=True, timeout=120).stdout


def test_a_tenant_file_over_64_mib_is_reported_by_name(binary: str, tmp_path: Path) -> None:
    (tmp_path / "policies").mkdir()
    with open(tmp_path / "tenant.json", "w") as file:
        file.write("{}" + " " * (64 << 20))
    assert "tenant.json: is larger than 64 MiB" in check(binary, tmp_path)


def test_more_than_20000_policy_files_are_reported(binary: str, tmp_path: Path) -> None:
    (tmp_path / "policies").mkdir()
    (tmp_path / "tenant.json").write_text("{}")
    for number in range(20_001):
        (tmp_path / "policies" / f"{number}.json").touch()
    assert "policies: contains more than 20000 JSON files" in check(binary, tmp_path)


def test_an_overlong_log_message_is_truncated(binary: str, tmp_path: Path) -> None:
    line = request("diagnosticsLog.write", json.dumps({"level": "info", "message": "x" * 10_000}))
    query = request("diagnosticsLog.query", '{"limit": 10000}', "2")
    written, found = answers(binary, tmp_path, line, query)
    assert "result" in written
    longest = max(len(entry["message"]) for entry in found["result"])
    assert 4_000 <= longest <= 4_200


def test_opening_more_files_than_a_connection_may_have_fails(binary: str, tmp_path: Path) -> None:
    enroll = request("enrollmentManager.registerAndEnrollAccount", '{"account": "alice@contoso.example"}', "0")
    path = tmp_path / "file"
    path.write_text("text")
    opening = [request("file.open", json.dumps({"path": str(path)}), str(number)) for number in range(1, 258)]
    replies = {reply["id"]: reply for reply in answers(binary, tmp_path, enroll, *opening)}
    refused = [reply["error"] for number, reply in replies.items() if "error" in reply]
    assert len(refused) == 1 and "already has 256 open files, the maximum" in refused[0]["message"]
