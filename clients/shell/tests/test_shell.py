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


@pytest.mark.parametrize(("call", "types", "seen"), [
    ("""afterwards '[{"method": "a"}, {"method": "b"}]'""", "", "a"),
    ("""afterwards '[{"method": "a"}, {"method": "b"}]'""", "b", "b"),
    ("""afterwards '[{"method": "a"}, {"method": "b"}, {"method": "c"}]'""", "d c", "c"),
    ("events", "policyManager.policyDidChange", "policyManager.policyDidChange")])
def test_an_event_is_waited_for_or_was_kept(fake: str, call: str, types: str, seen: str) -> None:
    lines = output(f"mam_start; mam_call {call}; mam_wait_event 10 {types} | jq -r .method; mam_stop", executable=fake)
    assert lines == ["null", seen]


def test_events_of_calls_in_subshells_are_kept_and_each_is_seen_once(fake: str) -> None:
    lines = output("""mam_start; one=$(mam_call events); two=$(mam_call events); mam_wait_event 9 | jq .params.seq
        seen=$(mam_wait_event 9); jq .params.seq <<<"$seen"; mam_wait_event 0.01 2>/dev/null || echo "status $?"; mam_stop""",
                   executable=fake)
    assert lines == ["1", "1", "status 1"]


def test_a_wait_ends_in_time_with_status_1(fake: str) -> None:
    run = bash("mam_start; mam_call events; mam_wait_event 0.05 other || echo status $?; mam_call echo a=b; mam_stop",
               executable=fake)
    assert run.stdout.splitlines() == ["null", "status 1", '{"a":"b"}']
    assert json.loads(run.stderr)["message"] == "no event other within 0.05 s"


@pytest.mark.parametrize("seconds", ["", "soon", "-1", "1e3", ". ."])
def test_a_wait_needs_a_number_of_seconds(fake: str, seconds: str) -> None:
    run = bash('mam_start; mam_wait_event "$1" || echo status $?; mam_stop', seconds, executable=fake)
    assert run.stdout == "status 2\n" and "number of seconds" in json.loads(run.stderr)["message"]


def test_a_wait_ends_with_the_server(fake: str) -> None:
    lines = output("mam_start; mam_call die || echo $?; mam_wait_event 60 || echo $?; mam_stop || echo $?", executable=fake)
    assert lines == ["2", "2", "74"]


@pytest.mark.parametrize(("body", "answer"), [
    ("""jq -c '{method: "'$1'", n}' <<<"$2" """, {"result": {"method": "question", "n": 2}}),
    (":", {"result": None}),
    ("echo false", {"result": False}),
    ("return 3", {"error": {"code": -32603, "message": "mam_on_request failed"}}),
    ("echo nonsense", {"error": {"code": -32603, "message": "mam_on_request failed"}}),
    ("echo 1 2", {"error": {"code": -32603, "message": "mam_on_request failed"}}),
    ("""echo '{"code": 7002, "message": "canceled"}'; return 1""", {"error": {"code": 7002, "message": "canceled"}})])
def test_a_request_of_the_server_is_answered_by_a_function(fake: str, body: str, answer: "dict[str, object]") -> None:
    lines = output(f"""mam_on_request() {{ {body}; }}
        mam_start; mam_call ask method=question; mam_call echo >/dev/null; mam_call seen; mam_stop""", executable=fake)
    assert lines[0] == "null"
    answers = [request for request in json.loads(lines[1]) if "method" not in request]
    assert answers == [{"jsonrpc": "2.0", "id": "s1", **answer}]


def test_a_request_is_answered_during_a_wait_and_may_then_make_calls(fake: str) -> None:
    lines = output("""mam_on_request() { mam_call echo "to=$1"; }
        mam_start; mam_call afterwards '[{"id": "s1", "method": "question"}, {"method": "heard"}]'
        mam_wait_event 9 heard | jq -r .method; mam_call seen; mam_stop""", executable=fake)
    assert lines[1] == "heard"
    assert {"jsonrpc": "2.0", "id": "s1", "result": {"to": "question"}} in json.loads(lines[2])


def test_a_request_without_a_function_is_refused_at_once(fake: str) -> None:
    lines = output("mam_start; mam_call ask method=question; mam_call echo; mam_call seen; mam_stop", executable=fake)
    assert json.loads(lines[2])[1]["error"]["code"] == -32601


@pytest.mark.parametrize("declared", [
    '\'{"delegates": ["ui.showAlert"]}\'', 'delegates:=\'["ui.showAlert"]\'', "'[null, [\"ui.showAlert\"]]'"])
def test_a_request_that_no_function_answers_is_not_declared(fake: str, declared: str) -> None:
    run = bash(f"""mam_start; mam_call initialize {declared} || echo status $?; mam_call seen
        mam_on_request() {{ :; }}; mam_notify initialize {declared}; mam_call seen | jq length; mam_stop""", executable=fake)
    lines = run.stdout.splitlines()
    assert lines[0] == "status 2" and len(json.loads(lines[1])) == 1 and lines[2] == "3"
    assert "define mam_on_request" in json.loads(run.stderr)["message"]


def test_a_call_from_within_a_call_is_refused(fake: str) -> None:
    run = bash("""mam_on_event() { mam_call echo || echo status $?; }
        mam_start; mam_call events; mam_call echo a=b; mam_stop""", executable=fake)
    assert run.stdout.splitlines() == ["status 2", "null", '{"a":"b"}']
    assert "while mam_call waits" in json.loads(run.stderr)["message"]


def test_a_wait_from_within_a_call_is_refused_because_it_would_take_the_reply(fake: str) -> None:
    run = bash("""mam_on_event() { mam_wait_event 9 || echo status $?; }
        mam_start; mam_call events; mam_call echo a=b; mam_stop""", executable=fake)
    assert run.stdout.splitlines() == ["status 2", "null", '{"a":"b"}']
    assert json.loads(run.stderr)["message"].startswith("mam_wait_event cannot be used")


def test_a_wait_of_no_time_sees_what_has_come(fake: str) -> None:
    lines = output("""mam_start; mam_call afterwards '[{"method": "a"}, {"method": "b"}]' >/dev/null
        until event=$(mam_wait_event 0 b 2>/dev/null); do :; done
        jq -r .method <<<"$event"; mam_stop""", executable=fake)
    assert lines == ["b"]


@pytest.mark.parametrize(("params", "message"), [
    ("'{\"a\":}'", "the parameters are not JSON"), ("a:=yes", "a is not JSON"), ("'[1,'", "the parameters are not JSON")])
def test_parameters_that_are_not_json_are_refused_without_showing_them(fake: str, params: str, message: str) -> None:
    run = bash(f"mam_start; mam_call echo {params} || echo status $?; mam_call echo a=b; mam_stop", executable=fake)
    assert run.stdout.splitlines() == ["status 2", '{"a":"b"}']
    assert json.loads(run.stderr)["message"] == message


def test_a_notification_is_not_waited_for(fake: str) -> None:
    lines = output("mam_start; mam_notify hello a=b; mam_call seen; mam_stop", executable=fake)
    assert json.loads(lines[0])[0] == {"jsonrpc": "2.0", "method": "hello", "params": {"a": "b"}}


def test_a_call_waits_no_longer_than_it_may(fake: str) -> None:
    run = bash("MAM_TIMEOUT=1; mam_start; mam_call hold || echo status $?; mam_call echo a=b; mam_stop", executable=fake)
    assert run.stdout == 'status 3\n{"a":"b"}\n'
    assert json.loads(run.stderr)["message"] == "hold: no answer within 1 s"


@pytest.mark.parametrize(("method", "status"), [("echo", 0), ("refuse", 1), ("die", 2)])
def test_a_call_in_a_trap_has_its_own_status(fake: str, method: str, status: int) -> None:
    run = bash(f"trap 'mam_call {method} && status=$? || status=$?; echo status $status' EXIT; mam_start; exit 7",
               executable=fake)
    assert run.stdout.splitlines()[-1] == f"status {status}"


def test_a_program_that_ends_at_once_is_gone(tmp_path: Path) -> None:
    lines = output("for _ in 1 2 3 4 5; do mam_start; mam_call echo || echo $?; mam_stop || echo $?; done",
                   executable="/bin/false")
    assert lines == ["2", "1"] * 5


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


def test_a_host_signs_its_user_in_and_waits_for_events(binary: str, state: str) -> None:
    lines = output("""mam_on_request() {
          case $1 in
            ui.promptForCredentials) jq -c '{userPrincipalName: .identity, accessToken: "any"}' <<<"$2" ;;
            *) echo '{"code": 7002, "message": "canceled"}' && return 1 ;;
          esac
        }
        mam_start --tenant sample --state "$1"
        mam_call initialize delegates:='["ui.promptForCredentials"]' events:='["enrollmentDelegate.policyRequestWithStatus"]' |
          jq -r .launch.verdict
        mam_call enrollmentManager.loginAndEnrollAccount account=alice@contoso.example | jq -r .status
        mam_call tenant.checkIn | jq length
        mam_wait_event 20 enrollmentDelegate.policyRequestWithStatus | jq -r .params.identity
        mam_stop""", state, executable=binary)
    assert lines == ["allow", "newPoliciesReceived", "1", "alice@contoso.example"]


def test_enrolls_and_asks_over_tcp(server: Server) -> None:
    lines = output(f"""mam_connect "$1" "$2"
        mam_call enrollmentManager.registerAndEnrollAccount account={ALICE} | jq .didSucceed
        mam_call versionInfo.sdkVersion
        mam_stop""", server.address, server.token_file)
    assert lines == ["true", '"21.7.1"']


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
