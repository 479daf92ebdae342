"""Names and comments as the generator writes them for Go."""
from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("jinja2")

from generate import go, schema
from generate.shapes import UnknownShape
from test_generated import SCHEMA


@pytest.mark.parametrize(("wire", "expected"), [
    ("isPINRequired", "IsPINRequired"), ("accountId", "AccountID"), ("mdmEnrolledAccount", "MDMEnrolledAccount"),
    ("aadAuthorityUris", "AADAuthorityURIs"), ("protectSqliteVFS", "ProtectSQLiteVFS"), ("iosOnly", "IOSOnly"),
    ("SplashIconFile~ipad", "SplashIconFileIPad"), ("policyManager.policyDidChange", "PolicyManagerPolicyDidChange"),
    ("identity", "Identity"), ("oneDriveForBusiness", "OneDriveForBusiness"), ("scopes", "Scopes"), ("rpc", "RPC"),
])
def test_generated_names_follow_the_spelling_conventions_of_go(wire: str, expected: str) -> None:
    assert go.name(wire) == expected


@pytest.mark.parametrize(("wire", "expected"), [
    ("newPin", "newPIN"), ("url", "url"), ("string", "stringValue"), ("type", "typeValue"), ("SDKLevel", "sdkLevel")])
def test_go_parameters_avoid_keywords_and_built_in_names(wire: str, expected: str) -> None:
    assert go.variable(wire) == expected


@pytest.mark.parametrize(("summary", "expected"), [
    ("Report whether an account is managed.", "reports whether an account is managed."),
    ("Switch checks off, for all calls or for one.", "switches checks off, for all calls or for one."),
    ("Create or empty a file, and open it. Check it.", "creates or empties a file, and opens it. Check it."),
    ("Hand in a token for an enrollment or check-in.", "hands in a token for an enrollment or check-in."),
    ("Make it compliant: enroll it.", "makes it compliant: enrolls it."),
])
def test_a_go_comment_describes_a_function_in_the_third_person(summary: str, expected: str) -> None:
    assert go.third_person(summary) == expected


def test_all_columns_but_the_last_are_aligned() -> None:
    assert go.aligned([["a", "bb", "c"], ["aaa", "b", "cc"]], 1) == "\ta   bb c\n\taaa b  cc"


def test_secret_fields_have_the_go_type_secret() -> None:
    files = go.render(schema.read(SCHEMA))
    assert '\tAccessToken Secret `json:"accessToken"`\n' in files["types.go"]
    assert '\tPIN *Secret `json:"pin,omitempty"`\n' in files["methods_conditional_launch.go"]


def test_two_declarations_with_the_same_name_are_an_error() -> None:
    document: dict[str, Any] = json.loads(SCHEMA.read_text(encoding="utf-8"))
    document["components"]["schemas"]["Client"] = document["components"]["schemas"].pop("Device")
    text = json.dumps(document).replace("#/components/schemas/Device\"", "#/components/schemas/Client\"")
    with pytest.raises(UnknownShape, match="declare Client twice"):
        go.render(schema.Reader(json.loads(text)).model())
