"""The shell client: each test runs a few lines of bash that source it, against the real server."""
from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from conftest import ALICE, ROOT, Server

CLIENT = ROOT / "clients" / "shell" / "mambridge.sh"
FAKE = ROOT / "clients" / "python" / "tests" / "fake.py"


def bash(script: str, *arguments: str, executable: str = "mambridge") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", f'. "{CLIENT}"\n{script}', "bash", *arguments], text=True, timeout=120,
        capture_output=True, stdin=subprocess.DEVNULL, env={**os.environ, "MAMBRIDGE": executable})


def output(script: str, *arguments: str, executable: str = "mambridge") -> list[str]:
    run = bash(script, *arguments, executable=executable)
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()


@pytest.fixture
def fake(tmp_path: Path) -> str:
    peer = tmp_path / "fake"
    peer.write_text(f'#!/bin/sh\nexec python3 "{FAKE}"\n')
    peer.chmod(0o755)
    return str(peer)


@pytest.mark.parametrize("value", ["", "-n", "a=b", "a:=b", 'quote " \' \\ $HOME `id` %s %0A', "ü 漢 🎈", "tab\tline\nend\n", "*"])
def test_any_text_arrives_as_it_is(fake: str, value: str) -> None:
    lines = output('mam_start; mam_call echo "name=$1"; mam_stop', value, executable=fake)
    assert json.loads(lines[0]) == {"name": value}


def test_json_values_and_whole_params_are_passed_on(fake: str) -> None:
    lines = output("""mam_start; mam_call echo a:='[1, {"b": null}]' c=1; mam_call echo '{"d": 1.5}'; mam_call echo '[2]'
        mam_call echo; mam_stop""", executable=fake)
    assert [json.loads(line) for line in lines] == [{"a": [1, {"b": None}], "c": "1"}, {"d": 1.5}, [2], None]


def test_calls_in_subshells_have_ids_of_their_own(fake: str) -> None:
    lines = output('mam_start; one=$(mam_call echo n=1); mam_call echo n=2 >/dev/null; echo "$one"; mam_call seen; mam_stop',
                   executable=fake)
    assert lines[0] == '{"n":"1"}'
    assert len({request["id"] for request in json.loads(lines[1])}) == 3


def test_values_are_not_seen_in_the_arguments_of_any_process(fake: str) -> None:
    script = 'jq() { printf "%s\\n" "$@" >>"$2"; command jq "$@"; }; mam_start; mam_call echo "pin=$1"; mam_stop'
    lines = output(script.replace('"$2"', '"$LOG"').replace("mam_start", 'LOG=$2; mam_start', 1), "s3cret", fake + ".log",
                   executable=fake)
    assert json.loads(lines[0]) == {"pin": "s3cret"}
    assert "s3cret" not in Path(fake + ".log").read_text()


def test_an_error_goes_to_stderr_as_json_with_status_1(fake: str) -> None:
    run = bash("mam_start; mam_call refuse && exit 9 || echo status $?; mam_stop", executable=fake)
    assert run.stdout == "status 1\n"
    assert json.loads(run.stderr)["data"]["name"] == "policyRequired"


def test_events_reach_the_function_of_the_caller(fake: str) -> None:
    lines = output('mam_on_event() { echo "got $1"; }; mam_start; mam_call events; mam_stop', executable=fake)
    assert lines[0].startswith('got {"jsonrpc"') and lines[1] == "null"


def test_a_notification_is_not_waited_for(fake: str) -> None:
    lines = output("mam_start; mam_notify hello a=b; mam_call seen; mam_stop", executable=fake)
    assert json.loads(lines[0])[0] == {"jsonrpc": "2.0", "method": "hello", "params": {"a": "b"}}


def test_the_end_of_the_server_is_status_2_and_its_exit_code_is_told(fake: str) -> None:
    lines = output("mam_start; mam_call die || echo $?; mam_call echo || echo $?; mam_stop || echo $?", executable=fake)
    assert lines == ["2", "2", "74"]


def test_arguments_that_are_no_params_are_refused(fake: str) -> None:
    run = bash("mam_start; mam_call echo nonsense || echo $?; mam_call echo 'a:={' || echo $?; mam_stop", executable=fake)
    assert run.stdout == "2\n2\n"


def test_enrolls_and_asks_over_a_coprocess(binary: str, state: str) -> None:
    lines = output(f"""mam_start --tenant sample --state "$1"
        mam_call enrollmentManager.registerAndEnrollAccount account={ALICE} | jq .didSucceed
        mam_call enrollmentManager.enrolledAccounts | jq length
        mam_call policy.nothing 2>&1 | jq .code || true
        mam_stop""", state, executable=binary)
    assert lines == ["true", "1", "-32601"]


def test_enrolls_and_asks_over_tcp(server: Server) -> None:
    lines = output(f"""mam_connect "$1" "$2"
        mam_call enrollmentManager.registerAndEnrollAccount account={ALICE} | jq .didSucceed
        mam_call versionInfo.sdkVersion
        mam_stop""", server.address, server.token_file)
    assert lines == ["true", '"19.2.0"']


def test_a_wrong_token_fails(server: Server, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("0" * 64)
    run = bash('mam_connect "$1" "$2" || echo $?', server.address, str(tmp_path / "token"))
    assert run.stdout == "1\n" and json.loads(run.stderr)["code"] == -32001


def test_the_example_runs(binary: str) -> None:
    run = subprocess.run([str(CLIENT.parent / "example.sh")], capture_output=True, text=True, timeout=120,
                         stdin=subprocess.DEVNULL, env={**os.environ, "MAMBRIDGE": binary})
    assert run.returncode == 0, run.stderr
    assert "enrollment: newPoliciesReceived" in run.stdout
    assert "unprotected: quarterly figures" in run.stdout
    assert json.loads(run.stderr)["code"] == -32602
