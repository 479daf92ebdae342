"""The tools of others make what they promise of the schema: models and clients in three languages.

`mambridge schema --flat` is for tools that do not follow references to errors. A tool that is not installed is named
by the test that is skipped.
"""
from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, Iterator

import pytest
from conftest import ROOT

META = ROOT.parent / "shared" / "facts" / "openrpc-meta-1.4.json"
FORMS = ["", "--host", "--flat", "--host --flat"]


def document(binary: str, form: str) -> dict[str, Any]:
    command = [binary, "schema", *form.split()]
    return json.loads(subprocess.run(command, capture_output=True, timeout=60, check=True).stdout)


@pytest.mark.skipif(not META.exists(), reason="the meta-schema beside the checkout is missing")
@pytest.mark.parametrize("form", FORMS)
def test_the_official_meta_schema_accepts_the_document(binary: str, form: str) -> None:
    import jsonschema
    from referencing import Registry, Resource
    from referencing.jsonschema import DRAFT7

    meta = json.loads(META.read_text())
    del meta["$schema"]
    # The meta-schema refers to that of JSON Schema: to the whole, and to its text of a reference.
    reference = {"JSONSchemaObject": {"properties": {"$ref": {"type": "string", "format": "uri-reference"}}}}
    json_schema = Resource({"type": ["object", "boolean"], "definitions": reference}, DRAFT7)
    addresses = ["https://meta.json-schema.tools/", "https://meta.json-schema.tools"]
    registry = Registry().with_resources([(address, json_schema) for address in addresses])
    errors = jsonschema.Draft7Validator(meta, registry=registry).iter_errors(document(binary, form))
    assert not [f"{'/'.join(map(str, error.absolute_path))}: {error.message[:160]}" for error in errors]


@pytest.mark.parametrize("form", FORMS)
def test_all_schemas_are_valid_json_schemas(binary: str, form: str) -> None:
    import jsonschema

    for schema in document(binary, form)["components"]["schemas"].values():
        jsonschema.Draft7Validator.check_schema(schema)


@pytest.mark.parametrize("form", ["--flat", "--host --flat"])
def test_the_openrpc_package_loads_the_flat_form_of_the_schema(binary: str, form: str) -> None:
    import openrpc

    loaded = document(binary, form)
    model = openrpc.OpenRPC.model_validate(loaded)
    assert [method.name for method in model.methods] == [method["name"] for method in loaded["methods"]]


def needs(*modules: str) -> None:
    missing = [module for module in modules if importlib.util.find_spec(module) is None]
    if missing:
        pytest.skip(f"PyPI was not reachable: {', '.join(missing)} is not installed")


# openrpcclientgenerator


@pytest.fixture(scope="module")
def address(binary: str) -> Iterator[str]:
    """A server on loopback that answers rpc.discover with the flat form."""
    flat = document(binary, "--flat")

    class Discover(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            body = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": flat}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Discover) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/rpc"
        server.shutdown()
        thread.join()


def client_of(language: str, address: str, folder: Path) -> Path:
    """The folder of the client that `orpc` generates."""
    needs("openrpcclientgenerator")
    command = [sys.executable, "-m", "openrpcclientgenerator.orpc", language, address]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    made = re.search(r'^"(.+)"$', run.stdout, re.MULTILINE)
    assert run.returncode == 0 and made, run.stdout + run.stderr
    return Path(made[1])


def test_the_python_client_generated_by_orpc_can_be_imported(address: str, tmp_path: Path) -> None:
    needs("jsonrpc2pyclient", "py_undefined")
    folder = client_of("python", address, tmp_path)
    ask = "from mambridge_http_client.client import MambridgeClient as C; print(C({}).policy.is_pin_required.__name__)"
    run = subprocess.run([sys.executable, "-c", ask], cwd=folder, capture_output=True, text=True, timeout=60)
    assert (run.stdout, run.returncode) == ("is_pin_required\n", 0), run.stderr


def test_the_typescript_client_generated_by_orpc_compiles(address: str, tmp_path: Path) -> None:
    if shutil.which("tsc") is None:
        pytest.skip("tsc (Debian's node-typescript) is not installed")
    folder = client_of("typescript", address, tmp_path)
    # Stand for two packages of npm.
    (folder / "src" / "packages.d.ts").write_text(
        'declare module "axios" { export type AxiosRequestHeaders = Record<string, string>; }\n'
        'declare module "jsonrpc2-tsclient" {\n'
        "  export const rpcClient: any;\n"
        "  export class RPCHTTPClient { constructor(url: string); url: string; headers: unknown; }\n"
        "}\n")
    run = subprocess.run(["tsc", "--noEmit", "-p", "."], cwd=folder, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stdout


def test_the_rust_client_generated_by_orpc_can_be_parsed(address: str, tmp_path: Path) -> None:
    if shutil.which("rustfmt") is None:
        pytest.skip("rustfmt is not installed")
    folder = client_of("rust", address, tmp_path) / "src"
    for file in ("client.rs", "model.rs"):
        # Formats the file in place, which fails for what it cannot parse.
        run = subprocess.run(
            ["rustfmt", "--edition", "2021", file], cwd=folder, capture_output=True, text=True, timeout=60)
        assert run.returncode == 0, run.stderr


# datamodel-code-generator


def test_datamodel_code_generator_needs_no_numbers_in_class_names(binary: str, tmp_path: Path) -> None:
    needs("datamodel_code_generator")
    schemas = document(binary, "")["components"]["schemas"]
    source = tmp_path / "schemas.json"
    text = json.dumps({"$schema": "http://json-schema.org/draft-07/schema#", "definitions": schemas})
    source.write_text(text.replace("#/components/schemas/", "#/definitions/"))
    module = tmp_path / "models.py"
    subprocess.run(
        [sys.executable, "-m", "datamodel_code_generator", "--input", str(source), "--input-file-type", "jsonschema",
         "--output", str(module), "--output-model-type", "typing.TypedDict"],
        check=True, capture_output=True, timeout=120)
    names = re.findall(r"^(?:class )?(\w+)(?:\(| =|:)", module.read_text(), re.MULTILINE)
    assert len(names) > 100
    assert not [name for name in names if re.search(r"\d$", name) and name.rstrip("0123456789") in names]
    compile(module.read_text(), str(module), "exec")
