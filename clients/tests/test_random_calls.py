"""Every method with random valid params, on every platform, with and without a policy: the server answers and lives on.

MAMBRIDGE_SEED repeats a run: a failure names its seed.
"""
from __future__ import annotations

import json
import os
import random
import subprocess
import threading
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from conftest import ALICE
from random_values import PLACES, SCHEMES, Values

PLATFORMS = ["ios", "android", "windows"]
ROUNDS = 3
NEVER = {"internalError", "methodNotFound", "parseError"}


class Session:
    """A server on standard input and output, which is killed after ten minutes."""

    def __init__(self, binary: str, folder: Path, *options: str) -> None:
        self.said = folder / "stderr"
        # What the server writes for a desktop, such as pages, stays in the folder.
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C.UTF-8"}
        with self.said.open("wb") as stderr:
            self.process = subprocess.Popen(
                [binary, "--state", str(folder / "state"), "--clock", "manual", *options], cwd=folder, env=environment,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr)
        self.deadline = threading.Timer(600, self.process.kill)
        self.deadline.start()
        self.count = 0
        self.values: Any = None

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()
        self.deadline.cancel()

    def send(self, message: "dict[str, Any]") -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def call(self, method: str, params: Any) -> "dict[str, Any]":
        """The response. Requests of the server are answered with random values, too."""
        self.count += 1
        try:
            self.send({"id": self.count, "method": method, "params": params})
            assert self.process.stdout
            for line in self.process.stdout:
                message = json.loads(line)
                if "method" not in message and message.get("id") == self.count:
                    return message
                if "id" in message:
                    self.send({"id": message["id"], **self.values.reply(message["method"])})
        except BrokenPipeError:
            pass
        code, request = self.process.wait(10), json.dumps(params)[:2000]
        return pytest.fail(f"the server ended ({code}) at {method} {request}\n{self.said.read_text()[-2000:]}", pytrace=False)

    def end(self) -> None:
        assert self.call("shutdown", {})["result"] is None
        assert self.process.wait(60) == 0, self.said.read_text()


class Checks:
    """What the document says of each answer."""

    def __init__(self, document: Any) -> None:
        components, methods = document["components"], document["methods"]
        self.results = {
            method["name"]: jsonschema.Draft7Validator({"components": components, "allOf": [method["result"]["schema"]]})
            for method in methods}
        self.errors = {
            method["name"]: {error["$ref"].split("/")[-1] for error in method["errors"]} - NEVER for method in methods}

    def fault(self, method: str, response: "dict[str, Any]") -> "str | None":
        """Why the response is none of the method's."""
        if "result" in response:
            return next((error.message for error in self.results[method].iter_errors(response["result"])), None)
        name = response["error"].get("data", {}).get("name")
        return None if name in self.errors[method] else f"the error {name} is not documented: {response['error']}"


@pytest.mark.parametrize("has_policy", [True, False], ids=["policy", "no-policy"])
@pytest.mark.parametrize("platform", PLATFORMS)
def test_every_method_answers_random_valid_params(binary: str, tmp_path: Path, platform: str, has_policy: bool) -> None:
    seed = os.environ.get("MAMBRIDGE_SEED") or str(random.randrange(1 << 30))
    print(f"MAMBRIDGE_SEED={seed}")
    options = ["--tenant", "sample", "--set", "DebugSettingsEnabled=true"] if has_policy else []
    for number in range(ROUNDS):
        folder = tmp_path / str(number)
        (folder / "files" / "folder").mkdir(parents=True)
        (folder / "files" / "a").write_bytes(b"content")
        with Session(binary, folder, *options) as session:
            document = session.call("rpc.discover", {})["result"]
            values = Values(document, folder / "files", f"{seed} {platform} {has_policy} {number}")
            session.values = values
            play(session, values, Checks(document), platform, has_policy, is_host=number % 2 == 0)
            session.end()


def play(session: Session, values: Values, checks: Checks, platform: str, has_policy: bool, is_host: bool) -> None:
    """One call of each method in a random order, as a host that answers all requests or as a script."""
    methods = sorted(values.methods.keys() - {"shutdown"})
    values.random.shuffle(methods)
    if is_host:
        names = values.schemas["HostRequestName"]["enum"]
        session.call("initialize", {**values.params_by_name("initialize"), "delegates": names})
    for number, method in enumerate(methods):
        # What the methods before have changed must not leave the rest without the platform, the policy and a file.
        if number % 20 == 0:
            prepare(session, values, platform, has_policy)
        params = values.params(method)
        response = session.call(method, params)
        fault = checks.fault(method, response)
        assert fault is None, f"{method} {json.dumps(params)[:2000]}: {fault}"
        values.remember(response.get("result"))


def prepare(session: Session, values: Values, platform: str, has_policy: bool) -> None:
    session.call("device.set", {"platform": platform})
    session.call("enrollmentManager.registerAndEnrollAccount", {"account": ALICE})
    session.call("file.open", {"path": str(values.folder / "a")})
    # Some values are valid alone, and not beside each other.
    if has_policy:
        session.call("settings.set", {"values": {"DebugSettingsEnabled": True}})
    refusals = []
    for _ in range(20 if has_policy else 0):
        response = session.call("debug.setPolicy", {"settings": values.value(values.schemas["TestSettings"])})
        if "result" in response:
            return
        refusals.append(response["error"]["message"])
    assert not has_policy, "no random policy was accepted:\n" + "\n".join(refusals)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_url_methods_answer_every_kind_of_url(binary: str, tmp_path: Path, platform: str) -> None:
    """Rules of one platform read parts of an address that no other platform's rules read."""
    policy = {"exemptedAppPackages": [{"name": "Contoso", "value": "com.contoso.app"}]} if platform == "android" else {}
    methods = ["policy.isURLAllowed", "enforcement.openURL", "enforcement.webViewNavigate"]
    with Session(binary, tmp_path, "--tenant", "sample", "--set", "DebugSettingsEnabled=true") as session:
        document = session.call("rpc.discover", {})["result"]
        checks = Checks(document)
        session.call("device.set", {"platform": platform})
        session.call("enrollmentManager.registerAndEnrollAccount", {"account": ALICE})
        settings = {"allowedOutboundDataTransferDestinations": "managedApps", **policy}
        response = session.call("debug.setPolicy", {"settings": settings})
        assert "result" in response, response
        session.call("policyManager.setProcessIdentity", {"account": ALICE})
        for url in (f"{scheme}:{place}" for scheme in SCHEMES for place in PLACES):
            for method in methods:
                fault = checks.fault(method, session.call(method, {"url": url}))
                assert fault is None, f"{method} {url}: {fault}"
            explained = session.call("policy.explain", {"query": "policy.isURLAllowed", "params": {"url": url}})
            assert checks.fault("policy.explain", explained) is None, url
        session.end()
