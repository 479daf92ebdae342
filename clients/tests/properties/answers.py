"""Breaks the answers of a policy source: cuts them, takes a member away, gives a member another type."""
from __future__ import annotations

import contextlib
import json
import random
import shlex
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator

from model.sessions import Process

from .exceptions import pardoned
from .facets import Facet, Question, launching, looser, questions
from .faults import Fault, files_faults, member_faults
from .orders import ROWS, Entries, Steps, order, settings
from .scenes import ANN, DAN, NOW

SOURCE = r'''
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    if request["method"] == "source.checkIn":
        with open(sys.argv[1], "rb") as file:
            result = file.read()
    else:
        result = b'{"protocolVersion": 1}' if request["method"] == "source.open" else b"null"
    start = json.dumps({"jsonrpc": "2.0", "id": request["id"]})[:-1]
    sys.stdout.buffer.write(start.encode() + b', "result": ' + result + b"}\n")
    sys.stdout.flush()
'''
# A device and a user that every rule of launch blocks.
DEVICE = {"osVersion": "15.3", "appVersion": "15.3", "sdkVersion": "15.3", "model": "iPad13,1", "manufacturer": "Samsung",
          "jailbroken": True, "threatLevel": "high", "devicePinSet": False, "passcodeComplexity": "none",
          "knoxAttested": False, "developerOptionsEnabled": True, "biometricClass": "class3"}
USER = {"id": "00000000-0000-4000-8000-000000000000", "userPrincipalName": ANN, "displayName": "Ann",
        "mail": "ann.mail@contoso.example", "clock": {"status": "clockedOut", "updated": "2026-01-31T08:10:00Z"}}
TENANT = "6babcaad-604b-40ac-a9d7-9fd97c0b779f"
PINS = {"mail.contoso.example": ["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]}
GRAPH = "#microsoft.graph."


def tight(platform: str) -> "dict[str, Any]":
    """A policy in which each setting restricts, and no rule wipes."""
    found = {}
    for name in settings(platform):
        one = order(name, platform)
        if isinstance(one, Entries):
            found[name] = one.written(one.entries[1:2])
        elif "Wipe" in name and "Version" in name:
            continue
        elif isinstance(one, Steps):
            found[name] = "block" if "wipe" in one.values else one.values[-1]
        else:
            found[name] = one.values[-1]  # type: ignore[attr-defined]
    return {**found, "unknownOfTomorrow": True}


def policy(platform: str) -> "dict[str, Any]":
    return {"@odata.type": f"{GRAPH}{platform}ManagedAppProtection", "id": "T_1", "displayName": "Tight", "version": "\"1\"",
            **tight(platform)}


def configuration(name: str) -> "dict[str, Any]":
    return {"@odata.type": f"{GRAPH}targetedManagedAppConfiguration", "id": f"A_{name}", "displayName": name,
            "customSettings": [{"name": "server", "value": name}]}


def answer(platform: str) -> "dict[str, Any]":
    """What a source program answers, with each member."""
    return {"answer.json": {
        "outcome": "delivered", "user": {**USER, "tenantId": TENANT}, "etag": "1", "nextCheckIn": 900,
        "policies": [policy(platform)], "hiddenDefaults": [{
            "@odata.type": f"{GRAPH}defaultManagedAppProtection", "id": "D_1", "displayName": "Default", "pinRequired": True,
            "customSettings": [{"name": "port", "value": "7"}]}],
        "configurations": [configuration("one")], "allowedAccounts": [ANN], "certificatePins": PINS, "mdm": None,
        "unknownRestrictions": "block", "operations": []}}


def folder(platform: str) -> "dict[str, Any]":
    """A tenant folder, with each member."""
    return {
        "tenant.json": {
            "tenantId": TENANT, "displayName": "Contoso",
            "users": [{**USER, "licensed": True, "accountEnabled": True, "groups": ["staff"]}],
            "assignments": [{"policy": "policies/tight.json", "groups": ["staff"], "apps": ["*"]}],
            "operations": [], "allowedAccounts": [ANN], "certificatePins": PINS, "unknownRestrictions": "block"},
        "policies/tight.json": policy(platform), "configurations/one.json": configuration("one")}


DOCUMENTS = {"program": answer, "folder": folder}


class Served:
    """A server with an enrolled user, and a source whose answers can be broken."""

    def __init__(self, binary: str, source: str, platform: str, root: Path) -> None:
        self.documents, self.root = DOCUMENTS[source](platform), root / "tenant"
        (root / "source.py").write_text(SOURCE)
        program = [sys.executable, str(root / "source.py"), str(self.root / "answer.json")]
        tenant = "exec:" + shlex.join(program) if source == "program" else str(self.root)
        self.mend()
        self.process = Process([
            binary, "serve", "-q", "--tenant", tenant, "--state", str(root / "state"), "--trust-parents", "--clock",
            f"manual={NOW}", "--set", "MultiIdentity=true", "--set", "MultiManagedIdentities=true"], False)
        try:
            self.must(("device.set", {"platform": platform, "networkAvailable": True, **DEVICE}))
            status = self.must(("enrollmentManager.registerAndEnrollAccount", {"account": ANN}))[0]
            assert status["didSucceed"], status
            self.must(("policyManager.setProcessIdentity", {"account": ANN}))
        except BaseException:
            self.process.kill()
            raise
        self.asked = [*questions(ANN, DAN, "aGVsbG8="), *launching(ANN)]
        self.asked += [
            Question("policyManager.policy", {"account": ANN}, lambda answer: set_values(answer, platform)),
            Question("certificatePinningManager.isPinningEnabled", {"account": ANN}, lambda answer: {"open": float(not answer)}),
            Question("enrollmentManager.allowedAccounts", {}, allowed_accounts)]
        self.good, self.answers = self.observe()

    @classmethod
    @contextlib.contextmanager
    def open(cls, binary: str, source: str, platform: str, memory: "str | None") -> "Iterator[Served]":
        with tempfile.TemporaryDirectory(prefix="properties-", dir=memory) as root:
            served = cls(binary, source, platform, Path(root))
            try:
                yield served
            finally:
                served.process.kill()

    def mend(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)
        for file, document in self.documents.items():
            (self.root / file).parent.mkdir(parents=True, exist_ok=True)
            (self.root / file).write_text(json.dumps(document))

    def must(self, *calls: "tuple[str, dict[str, Any]]") -> "list[Any]":
        replies = self.process.ask(list(calls))
        for call, reply in zip(calls, replies):
            assert "result" in reply, f"{call}: {reply['error']}"
        return [reply["result"] for reply in replies]

    def observe(self) -> "tuple[list[dict[str, Facet]], list[Any]]":
        answers = self.must(*[one.call for one in self.asked])
        return [one.read(answer) for one, answer in zip(self.asked, answers)], answers

    def check_in(self) -> "dict[str, Any]":
        statuses: "list[dict[str, Any]]" = self.must(("tenant.checkIn", {}))[0]
        return statuses[0] if statuses else {}

    def loosened(self, fault: Fault) -> "list[Loosening]":
        """What allows more after the fault than with the last good answer. Then the answers are good again."""
        fault.apply(self.root, self.documents[fault.file])
        status = self.check_in()
        facets, answers = self.observe()
        found = [Loosening(fault, status, one, facet, (was, now)) for one, good, bad, was, now in zip(
            self.asked, self.good, facets, self.answers, answers) for facet in looser(good, bad)]
        self.mend()
        self.check_in()
        return found

    def is_good(self) -> bool:
        """Whether the answers are those before all faults."""
        return self.observe()[0] == self.good


def set_values(answer: "dict[str, Any]", platform: str) -> "dict[str, Facet]":
    """How loose the value of each setting with an effect is; one that is not there is the loosest."""
    found: "dict[str, Facet]" = {}
    for name in settings(platform):
        one = order(name, platform)
        if ROWS[name].has_effect and isinstance(one, Steps):
            value = answer["settings"].get(name, {"value": None})["value"]
            found[f"setting {name}"] = 1.0 if value is None else -float(one.values.index(value))
    return found


def allowed_accounts(answer: "list[dict[str, str]] | None") -> "dict[str, Facet]":
    return {"allowed": frozenset([ANN, DAN, "anybody"] if answer is None else [one["identity"] for one in answer])}


@dataclass
class Loosening:
    fault: Fault
    status: "dict[str, Any]"
    question: Question
    facet: str
    answers: "tuple[Any, Any]"

    def text(self) -> str:
        return (f"{self.fault.text()}\n  status {self.status.get('status')}: {self.status.get('errorString')}\n"
                f"  {self.question.method} {json.dumps(self.question.params)} allows more ({self.facet}):\n"
                f"  before {json.dumps(self.answers[0])[:2000]}\n  after  {json.dumps(self.answers[1])[:2000]}")


def broken(binary: str, source: str, platform: str, seed: str, most: int, memory: "str | None") -> "list[Loosening]":
    """Breaks so many members, and cuts as many files. Returns what allows more, besides the exceptions."""
    dice, found = random.Random(f"{seed} {source} {platform}"), []
    documents = DOCUMENTS[source](platform)
    settings = [one for one in member_faults(documents) if one.path[-1] in ROWS]
    others = [one for one in member_faults(documents) if one.path[-1] not in ROWS]
    chosen = files_faults(documents, dice, most)
    chosen += dice.sample(settings, min(most, len(settings))) + dice.sample(others, min(most, len(others)))
    dice.shuffle(chosen)
    with Served.open(binary, source, platform, memory) as served:
        for fault in chosen:
            found += [one for one in served.loosened(fault) if not pardoned(one)]
            if found:
                return found
        assert served.is_good(), "mended answers do not restore the policy"
        served.process.end()
    return found
