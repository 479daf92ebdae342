"""The GitHub action that checks a tenant folder: its script in a real repository, with the environment of a runner."""
from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT

ACTION = ROOT / ".github" / "actions" / "tenant-check"
TENANT = {
    "tenantId": "t",
    "users": [{"userPrincipalName": "alice@contoso.example", "groups": ["staff"]},
              {"userPrincipalName": "dave@contoso.example", "groups": ["guests"]}],
    "assignments": [{"policy": "policies/ios.json", "groups": ["staff"], "apps": ["*"]}],
}
POLICY = {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_1", "displayName": "Strict",
          "pinRequired": True, "saveAsBlocked": True}
TEST = 'test "PIN"\nas alice@contoso.example\npolicy.isPINRequired -> true\n'


class Repository:
    def __init__(self, folder: Path, binary: str, place: str) -> None:
        self.folder, self.binary, self.place = folder, binary, place
        self.tenant = folder / place
        self.git("init", "--quiet")
        (folder / "README").write_text("a repository")
        self.commit()

    def git(self, *words: str) -> str:
        command = ["git", "-C", str(self.folder), "-c", "user.name=t", "-c", "user.email=t@t.example",
                   "-c", "commit.gpgsign=false", *words]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout.strip()

    def commit(self) -> str:
        self.git("add", "-A")
        self.git("commit", "--quiet", "--allow-empty", "-m", "x")
        return self.git("rev-parse", "HEAD")

    def write(self, **policy: object) -> str:
        (self.tenant / "policies").mkdir(parents=True, exist_ok=True)
        (self.tenant / "tests").mkdir(exist_ok=True)
        (self.tenant / "tenant.json").write_text(json.dumps(TENANT))
        (self.tenant / "policies" / "ios.json").write_text(json.dumps({**POLICY, **policy}))
        (self.tenant / "tests" / "pin.mamtest").write_text(TEST)
        return self.commit()

    def run(self, base: str, head: str, **variables: str) -> "tuple[int, str, str]":
        """The exit code, the log and the summary of the job."""
        summary = self.folder.parent / "summary"
        summary.write_text("")
        environment = {**os.environ, "TENANT": self.place, "MAMBRIDGE": self.binary, "BASE": base, "HEAD": head,
                       "FAIL_ON": "", "GITHUB_EVENT_NAME": "pull_request", "GITHUB_STEP_SUMMARY": str(summary),
                       **variables}
        done = subprocess.run([str(ACTION / "tenant-check")], cwd=self.folder, env=environment, capture_output=True,
                              text=True, timeout=120)
        return done.returncode, done.stdout + done.stderr, summary.read_text()


@pytest.fixture(params=["contoso", "."])
def repository(request: pytest.FixtureRequest, tmp_path: Path, binary: str) -> Repository:
    if not shutil.which("jq"):
        pytest.skip("jq is not installed")
    folder = tmp_path / "repository"
    folder.mkdir()
    return Repository(folder, binary, request.param)


def test_the_action_shows_findings_tests_and_changes_without_user_names(repository: Repository) -> None:
    base = repository.write()
    code, log, summary = repository.run(base, repository.write(saveAsBlocked=False, pinRequierd=True))
    assert code == 0, log
    assert re.search(r"^::warning file=(contoso/)?policies/ios\.json,title=\w+::pinRequierd: ", log, re.M), log
    assert "::warning file=" in log and "userWithoutPolicy::users: is about users" in log
    assert "1 of 1 tests passed" in log
    assert "| looser |" in summary and "saveAsBlocked" in summary
    for name in ("alice", "dave"):
        assert name not in log + summary


def test_a_failing_test_or_an_unwanted_effect_fails_the_action(repository: Repository) -> None:
    base = repository.write()
    head = repository.write(saveAsBlocked=False)
    assert repository.run(base, head, FAIL_ON="destroys")[0] == 0
    code, log, _ = repository.run(base, head, FAIL_ON="looser,destroys")
    assert code == 1 and "fail-on" in log
    code, log, _ = repository.run(base, repository.write(pinRequired=False))
    assert code == 1 and "::error file=" in log and "pin.mamtest" in log


def test_an_unreadable_tenant_fails_the_action(repository: Repository) -> None:
    base = repository.write()
    (repository.tenant / "policies" / "ios.json").write_text("{")
    code, log, _ = repository.run(base, repository.commit())
    assert code == 1 and "title=unreadable::" in log


def test_the_action_accepts_a_new_tenant_and_reports_a_missing_base_commit(repository: Repository) -> None:
    base = repository.git("rev-parse", "HEAD")
    head = repository.write()
    code, _, summary = repository.run(base, head)
    assert code == 0 and "has no tenant" in summary
    code, log, _ = repository.run("0" * 40, head)
    assert code == 1 and "fetch-depth" in log


def test_the_action_refuses_the_event_pull_request_target(repository: Repository) -> None:
    head = repository.write()
    code, log, summary = repository.run(head, head, GITHUB_EVENT_NAME="pull_request_target")
    assert code == 1 and "pull_request_target" in log and not summary


def test_the_action_passes_its_inputs_only_in_environment_variables() -> None:
    text = (ACTION / "action.yml").read_text()
    run = re.search(r"^      run: (.*)$", text, re.M)
    assert run and "${{" not in run[1] and "pull_request_target" not in text
