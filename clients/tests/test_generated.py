"""The generated files of the typed clients, and what the generator makes of a schema."""
from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2")

from conftest import ROOT
from generate import python, schema
from generate.model import Alias, Basic, Enum, Field, ListOf, MapOf, Named, Nullable, Record
from generate.shapes import Shapes, UnknownShape
from generate.words import pascal, snake, split

SCHEMA = Path(os.environ.get("MAMBRIDGE_SCHEMA", ROOT / "schema" / "openrpc.json"))


def test_the_generated_clients_match_the_schema() -> None:
    command = [sys.executable, str(ROOT / "clients" / "generate"), "--check", "--schema", str(SCHEMA)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, f"{run.stderr}run scripts/schema, which changes:\n{run.stdout}"


@pytest.mark.parametrize(("name", "words"), [
    ("isPINRequired", "is PIN Required"), ("SQLiteVFS", "SQLite VFS"), ("getUIPolicyAccounts", "get UI Policy Accounts"),
    ("protectSqliteVFS", "protect Sqlite VFS"), ("iOS", "iOS"), ("iosOnly", "ios Only"), ("iManage", "iManage"),
    ("aadAuthorityUris", "aad Authority Uris"), ("AADURIs", "AADURIs"), ("blockedURLs", "blocked URLs"),
    ("URLsToOpen", "URLs To Open"), ("isURLAllowed", "is URL Allowed"), ("tenantID", "tenant ID"), ("base64Text", "base64 Text"),
    ("mdmEnrolledAccountFromCache", "mdm Enrolled Account From Cache"), ("SplashIconFile~ipad", "Splash Icon File ipad"),
    ("oneDriveForBusiness", "oneDrive For Business"), ("deRegisterAndUnenrollAccount", "deRegister And Unenroll Account"),
    ("x", "x"), ("", ""), ("toPath", "to Path"), ("sdkDidTakeOverUI", "sdk Did Take Over UI"), ("faceID", "face ID"),
])
def test_a_name_is_split_into_words(name: str, words: str) -> None:
    assert split(name) == words.split()
    assert snake(name) == words.lower().replace(" ", "_")


def test_a_generated_type_name_keeps_its_acronyms() -> None:
    assert [pascal(name) for name in ("promptForPIN", "isExternalURL", "sqlite")] == ["PromptForPIN", "IsExternalURL", "Sqlite"]


NULLABLE_TEXT = {"anyOf": [{"type": "string"}, {"type": "null"}]}


@pytest.mark.parametrize(("shape", "expected"), [
    ({"type": "string", "format": "uri"}, Basic("string")),
    ({"type": "string", "contentEncoding": "base64", "maxLength": 3}, Basic("bytes")),
    (NULLABLE_TEXT, Nullable(Basic("string"))),
    ({"anyOf": [{"type": "boolean"}, {"$ref": "#/components/schemas/SettingReset"}]}, Nullable(Basic("boolean"))),
    ({"type": "object", "propertyNames": {"$ref": "#/components/schemas/E"}, "additionalProperties": {"type": "boolean"}},
     MapOf(Basic("boolean"), "E")),
    ({"anyOf": [{}, {"type": "null"}]}, Basic("any")),
    ({"allOf": [{"$ref": "#/components/schemas/Account"}], "description": "x"}, Named("Account")),
    ({"type": "array", "items": {"type": "string", "format": "date-time"}}, ListOf(Basic("time"))),
])
def test_the_generator_reads_each_shape_of_a_schema_as_a_type(shape: dict[str, Any], expected: Any) -> None:
    assert Shapes().type(shape, "here") == expected


@pytest.mark.parametrize("shape", [
    {"type": "string", "format": "email"}, {"type": "string", "contentEncoding": "hex"}, {"type": "array"},
    {"oneOf": [{"type": "string"}]}, {"anyOf": [{"type": "string"}, {"type": "integer"}]}, {"type": ["string", "null"]},
    {"type": "object", "patternProperties": {}}, {"$ref": "#/definitions/X"}, {"const": 3},
])
def test_an_unknown_schema_shape_is_an_error_that_names_its_place(shape: dict[str, Any]) -> None:
    with pytest.raises((UnknownShape, KeyError), match="here|items"):
        Shapes().type(shape, "here")


def test_the_generator_distinguishes_records_enums_and_aliases() -> None:
    shapes = Shapes()
    secret = {"anyOf": [{"type": "string", "format": "password"}, {"type": "null"}]}
    record = {"type": "object", "properties": {"pin": secret, "old": {"type": "string", "deprecated": True}},
              "required": [], "additionalProperties": False}
    assert shapes.declaration("R", record) == Record("R", "", (Field("pin", Nullable(Basic("string")), False, "", secret=True),))
    assert shapes.declaration("E", {"type": "integer", "enum": [1, 2], "title": "T"}) == Enum("E", "", (1, 2), "T")
    assert shapes.declaration("A", {"type": "string", "description": "d"}) == Alias("A", "d", Basic("string"))
    with pytest.raises(UnknownShape):
        both = [{"$ref": "#/components/schemas/Y"}, {"$ref": "#/components/schemas/YNumber"}]
        shapes.declaration("XInput", {"anyOf": both})


def test_a_generated_python_record_lists_its_secret_fields() -> None:
    document = json.loads(SCHEMA.read_text(encoding="utf-8"))
    credentials = document["components"]["schemas"]["Credentials"]["properties"]
    credentials["accessToken"]["format"] = "password"
    text = python.render(schema.Reader(document).model())["types.py"]
    record = text[text.index("class Credentials("):]
    assert '    _secret = ("access_token",)\n' in record[:record.index("def to_wire")]


def test_the_generator_knows_which_types_are_sent_and_which_are_received() -> None:
    model = schema.read(SCHEMA)
    assert "Credentials" in model.sent - model.received and "Device" in model.received - model.sent
    assert {"ShareTarget", "AccountReference"} <= model.sent & model.received
    assert model.types.keys() == model.sent | model.received
