"""Which members of the SDK nothing of the schema stands for."""
from __future__ import annotations

import csv
import json
from typing import Any, Iterator

import pytest
from conftest import ROOT

DOCUMENT = json.loads((ROOT / "schema" / "openrpc.json").read_text())
ENTRIES = {entry["name"]: entry for part in ("methods", "x-events", "x-delegates") for entry in DOCUMENT[part]}
SURFACE = ROOT.parent / "shared" / "facts" / "sdk-surface-21.tsv"


def rows() -> "list[list[str]]":
    if not SURFACE.exists():
        return []
    lines = [line for line in SURFACE.read_text().splitlines() if line and not line.startswith("#")]
    return list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.mark.skipif(not SURFACE.exists(), reason="the list of the SDK's members beside the checkout is missing")
def test_every_member_of_the_sdk_has_a_counterpart_in_the_schema() -> None:
    lacking = [f"{owner} {member}, {place}: {fault}"
               for owner, member, place, kind, _ in rows() for fault in faults(owner, member, place, kind)]
    if lacking:
        pytest.fail("\n".join(lacking), pytrace=False)


def faults(owner: str, member: str, place: str, kind: str) -> Iterator[str]:
    """What is wrong with a row: `method`, `method+method#field`, `namespace.*#field`, or a place in an error."""
    if kind == "error":
        yield from error_faults(owner, place)
        return
    names, _, field = place.partition("#")
    for name in names.split("+"):
        found = [ENTRIES[name]] if name in ENTRIES else [entry for entry in DOCUMENT["x-events"] if fits(entry, name)]
        if not found:
            yield f"there is no {name}"
        for entry in found:
            if f"{owner} {member}".strip() not in entry.get("x-sdk-members", []):
                yield f"{entry['name']} does not name it"
            if field and field not in fields(entry):
                yield f"{entry['name']} has no {field}"


def fits(event: "dict[str, Any]", pattern: str) -> bool:
    return pattern.endswith(".*") and event["name"].startswith(pattern[:-1])


def error_faults(domain: str, place: str) -> Iterator[str]:
    if place != "error.data.domain":
        yield f"{place} is no place in an error"
    errors = [error["data"] for error in DOCUMENT["components"]["errors"].values()]
    found = [data for data in errors if data.get("domain") == domain]
    if not found or not all(isinstance(data.get("sdkCode"), int) for data in found):
        yield "no error has it as its domain, with the SDK's code"


def fields(entry: "dict[str, Any]") -> "set[str]":
    """The names of its params, of the members of its result, and of what params and result take by name."""
    schemas = [param["schema"] for param in entry["params"]] + [entry.get("result", {}).get("schema", {})]
    return {param["name"] for param in entry["params"]}.union(*map(members, schemas))


def members(schema: "dict[str, Any]") -> "set[str]":
    if "$ref" in schema:
        schema = DOCUMENT["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]]
    nested = [schema[name] for name in ("propertyNames", "items") if isinstance(schema.get(name), dict)]
    parts = [*schema.get("anyOf", []), *schema.get("allOf", []), *nested]
    named = schema.get("enum", []) if schema.get("type") == "string" else []
    return {*schema.get("properties", {}), *named}.union(*map(members, parts))
