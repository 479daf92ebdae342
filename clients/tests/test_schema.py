"""The checked-in schema: what the binary prints, valid, and loadable by others' tools."""
from __future__ import annotations

import difflib
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from mambridge import Client

SCHEMA = ROOT / "schema" / "openrpc.json"


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return json.loads(SCHEMA.read_text())


@pytest.mark.parametrize(("form", "file"), [([], SCHEMA), (["--host"], SCHEMA.with_name("host.openrpc.json"))])
def test_checked_in_schemas_match_the_output_of_mambridge_schema(binary: str, form: "list[str]", file: Path) -> None:
    printed = subprocess.run([binary, "schema", *form], capture_output=True, text=True, timeout=60, check=True).stdout
    kept = file.read_text()
    if printed != kept:
        changes = list(difflib.unified_diff(kept.splitlines(), printed.splitlines(), "kept", "printed", lineterm="", n=1))
        pytest.fail("\n".join(changes[:40] + [f"mend it with: {' '.join(['$(scripts/build) schema', *form])} > schema/{file.name}"]), pytrace=False)


def test_the_documents_of_the_tenant_service_are_what_its_program_prints(tenant_program: str) -> None:
    printed = subprocess.run([tenant_program, "schema"], capture_output=True, text=True, timeout=60, check=True).stdout
    assert printed == (ROOT / "schema" / "tenant.openapi.json").read_text(), "mend it with: scripts/schema"
    command = [tenant_program, "schema", "--administrators"]
    printed = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    assert printed == (ROOT / "schema" / "administrators.openapi.json").read_text(), "mend it with: scripts/schema"


def test_rpc_discover_returns_the_document_without_the_sandbox_methods(
    client: Client, document: dict[str, Any],
) -> None:
    found = client.call("rpc.discover")
    assert found["methods"] == [method for method in document["methods"] if not method.get("x-sandbox")]
    assert found["methods"] != document["methods"]
    for member in document.keys() - {"methods", "components"}:
        assert found[member] == document[member]
    for kind, components in found["components"].items():
        assert components.items() <= document["components"][kind].items()


def test_rpc_discover_in_a_sandbox_returns_the_whole_document(binary: str, document: dict[str, Any]) -> None:
    with Client.spawn(binary, "sandbox", timeout=60) as sandbox:
        assert sandbox.call("rpc.discover") == document


def test_every_method_has_a_summary_and_an_example(document: dict[str, Any]) -> None:
    lacking = [
        f"{method['name']}: {member}" for method in document["methods"]
        for member in ("summary", "params", "result", "errors", "examples")
        if member not in method or member in ("summary", "examples") and not method[member]]
    assert not lacking


def test_examples_match_the_schemas_of_their_params_and_results(document: dict[str, Any]) -> None:
    import jsonschema

    faults: list[str] = []
    for method in document["methods"]:
        schemas = {param["name"]: param["schema"] for param in method["params"]}
        for example in method["examples"]:
            values = [(schemas[param["name"]], param["value"]) for param in example["params"]]
            if "result" in example:
                values.append((method["result"]["schema"], example["result"]["value"]))
            for schema, value in values:
                # References point into the document, so the schema is read as a part of it.
                whole = {"components": document.get("components", {}), "allOf": [schema]}
                faults += [f"{method['name']}: {error.message}"
                           for error in jsonschema.Draft7Validator(whole).iter_errors(value)]
    assert not faults
