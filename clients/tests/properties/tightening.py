"""Tightens one setting of a random policy after another, and asks every question before and after, in one sandbox."""
from __future__ import annotations

import collections
import contextlib
import copy
import json
import random
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Iterator

from model.sessions import Process

from .exceptions import excused
from .facets import KEPT, Question, launching, looser, pin_status, questions, tighter
from .orders import ROWS, Tightest, order
from .scenes import ANN, DAN, NOW, PIN, Case, Scene, Step, prepared, seed


@dataclass
class Loosened:
    """A facet of an answer that allows more than before."""

    scene: Scene
    step: Step
    question: Question
    facet: str
    answers: "tuple[Any, Any]"

    def text(self) -> str:
        return (f"{self.step.setting}: {json.dumps(self.step.was)} became {json.dumps(self.step.now)} in policy "
                f"{self.step.policy}, and {self.question.method} {json.dumps(self.question.params)} allows more "
                f"({self.facet}):\n  before {json.dumps(self.answers[0])}\n  after  {json.dumps(self.answers[1])}\n"
                f"{self.scene.text()}")


@dataclass
class Observation:
    question: Question
    facets: "dict[str, Any]"
    answer: Any


class Sandbox:
    """A sandbox with two enrolled users. Each observation begins with the same state."""

    def __init__(self, binary: str, scene: Scene, folder: Path) -> None:
        self.scene = scene
        (folder / "seed").mkdir(exist_ok=True)
        (folder / "seed" / "tenant.json").write_text(json.dumps(seed(scene.user)))
        self.process = Process(
            [binary, "sandbox", "--seed", str(folder / "seed"), "--at", NOW, "--set", "MultiIdentity=true", "--set",
             "MultiManagedIdentities=true"], False)
        try:
            self.begin()
        except BaseException:
            self.process.kill()
            raise

    @classmethod
    @contextlib.contextmanager
    def open(cls, binary: str, scene: Scene, memory: "str | None") -> "Iterator[Sandbox]":
        with tempfile.TemporaryDirectory(prefix="properties-", dir=memory) as folder:
            sandbox = cls(binary, scene, Path(folder))
            try:
                yield sandbox
            finally:
                sandbox.process.kill()

    def begin(self) -> None:
        first: "dict[str, Any]" = {"printBlocked": True}
        if self.scene.platform != "windows":
            first["pinRequired"] = True
        self.must(("device.set", {"platform": self.scene.platform, "networkAvailable": True}))
        if self.scene.configuration:
            self.must(("sandbox.setConfiguration", {"audience": ANN, "settings": self.scene.configuration}))
        self.must(("sandbox.setPolicy", {"audience": DAN, "name": "other", "settings": self.scene.other}),
                  ("sandbox.setPolicy", {"audience": ANN, "name": "policy 0", "settings": first}))
        statuses = self.must(*[("enrollmentManager.registerAndEnrollAccount", {"account": one}) for one in (ANN, DAN)])
        assert all(one["didSucceed"] for one in statuses), statuses
        if "pinRequired" in first:
            self.must(("pin.set", {"account": ANN, "pin": PIN}))
        protected, *_ = self.must(
            ("dataProtectionManager.protect", {"account": DAN, "data": "aGVsbG8="}),
            ("policyManager.setProcessIdentity", {"account": ANN}), ("sandbox.save", {"name": "enrolled"}))
        self.questions = questions(ANN, DAN, protected)

    def must(self, *calls: "tuple[str, dict[str, Any]]") -> "list[Any]":
        replies = self.process.ask(list(calls))
        for call, reply in zip(calls, replies):
            assert "result" in reply, f"{call}: {reply['error']}"
        return [reply["result"] for reply in replies]

    def arrive(self, policies: "list[dict[str, Any]]") -> None:
        """The policies come with a check-in."""
        *_, statuses = self.must(("sandbox.restore", {"name": "enrolled"}), ("device.set", self.scene.device), *[
            ("sandbox.setPolicy", {"audience": ANN, "name": f"policy {number}", "settings": one or {"printBlocked": False}})
            for number, one in enumerate(policies)], ("tenant.checkIn", {"account": ANN}))
        assert statuses[0]["didSucceed"], statuses

    def observe(self, policies: "list[dict[str, Any]]") -> "list[Observation]":
        self.arrive(policies)
        found = self.ask(*self.questions)
        found += self.ask(*launching(ANN))
        extra = self.scene.extra
        if not extra or not found[-1].facets[KEPT]:
            return found
        more = self.later(policies) if extra == "time" else self.tries() if extra == "tries" else self.pins(policies)
        return found + more

    def ask(self, *asked: Question) -> "list[Observation]":
        answers = self.must(*[one.call for one in asked])
        return [Observation(one, one.read(answer), answer) for one, answer in zip(asked, answers)]

    def pins(self, policies: "list[dict[str, Any]]") -> "list[Observation]":
        """Which PINs may be chosen after the PIN was reset."""
        found = []
        for candidate in ("1234", "2580", PIN, "135790", "Ab1357!x"):
            self.process.ask([("pin.reset", {"account": ANN, "accessToken": "token"})])
            question = Question("pin.set", {"account": ANN, "pin": candidate}, lambda answer: answer)
            reply = self.process.ask([question.call])[0]
            kind = reply.get("error", {}).get("data", {}).get("name", "accepted")
            rank = {"pinNotRequired": 2.0, "accepted": 1.0}.get(kind, 0.0)
            found.append(Observation(question, {"accepted": rank}, kind))
            if kind == "accepted":
                self.arrive(policies)
        return found

    def tries(self) -> "list[Observation]":
        """What wrong PINs lead to."""
        found = []
        for number in range(1, 4):
            self.process.ask([("pin.change", {"account": ANN, "pin": "9999", "newPin": "8888"})])
            found += self.named(
                f" after {number} wrong PINs", launching(ANN)[0], Question("pin.status", {"account": ANN}, pin_status))
        return found + self.named(" after wrong PINs", *launching(ANN))

    def later(self, policies: "list[dict[str, Any]]") -> "list[Observation]":
        """What a pause in use and a time without the network lead to."""
        found = []
        for pause in ("PT4M", "PT31M", "P1DT6H"):
            self.must(("debug.advanceClock", {"by": pause}))
            found += self.named(f" after {pause}", *launching(ANN), Question("pin.status", {"account": ANN}, pin_status))
        self.must(("device.set", {"networkAvailable": False}))
        for pause in ("PT1S", "PT2H", "P1DT12H"):
            self.must(("debug.advanceClock", {"by": pause}))
            found += self.named(f" after {pause} offline", *launching(ANN))
        self.arrive(policies)
        self.must(("sandbox.setUser", {"name": ANN, "enabled": False}), ("tenant.checkIn", {"account": ANN}))
        return found + self.named(" after the user was disabled", *launching(ANN))

    def named(self, when: str, *asked: Question) -> "list[Observation]":
        return [replace(one, facets={name + when: value for name, value in one.facets.items()}) for one in self.ask(*asked)]


def loosened(scene: Scene, step: Step, before: "list[Observation]", after: "list[Observation]") -> "Iterator[Loosened]":
    for one, two in zip(before, after):
        for facet in looser(one.facets, two.facets):
            yield Loosened(scene, step, one.question, facet, (one.answer, two.answer))
        if any(name.startswith(KEPT) and not value for name, value in two.facets.items()):
            return


def run(case: Case, binary: str, memory: "str | None") -> "Report":
    dice, report, scene = random.Random(case.seed), Report(), prepared(case)
    with Sandbox.open(binary, scene, memory) as sandbox:
        policies = scene.policies
        before = sandbox.observe(policies)
        for name in case.names:
            number = next((number for number, one in enumerate(policies) if name in one), 0)
            was = policies[number].get(name)
            try:
                step = Step(number, name, was, order(name, case.platform).tighter(was, dice))
            except Tightest:
                continue
            after = sandbox.observe(step.apply(policies))
            report.note(replace(scene, policies=policies), step, before, after)
            policies, before = step.apply(policies), after
        sandbox.process.end()
    return report


def repeat(scene: Scene, step: Step, binary: str, memory: "str | None") -> Report:
    """One step alone."""
    report = Report()
    with Sandbox.open(binary, scene, memory) as sandbox:
        report.note(scene, step, sandbox.observe(scene.policies), sandbox.observe(step.apply(scene.policies)))
    return report


def show(group: "list[tuple[Scene, Step]]", binary: str, memory: "str | None") -> Report:
    report = Report()
    with Sandbox.open(binary, group[0][0], memory) as sandbox:
        for sandbox.scene, step in group:
            policies = sandbox.scene.policies
            report.note(sandbox.scene, step, sandbox.observe(policies), sandbox.observe(step.apply(policies)))
    return report


def smallest(found: Loosened, binary: str, memory: "str | None") -> Loosened:
    """The same with as few settings and facts of the device as still show it."""
    def still(scene: Scene) -> "Loosened | None":
        again = repeat(scene, found.step, binary, memory).found
        return next((one for one in again if (one.question.method, one.facet) == (found.question.method, found.facet)), None)
    best, parts = found, ["device", "other", "user", *range(len(found.scene.policies))]
    for part in parts:
        for name in list(best.scene.policies[part] if isinstance(part, int) else getattr(best.scene, part)):
            if part == found.step.policy and name == found.step.setting or part == "other" and name == "printBlocked":
                continue
            scene = copy.deepcopy(best.scene)
            del (scene.policies[part] if isinstance(part, int) else getattr(scene, part))[name]
            best = still(scene) or best
    return best


@dataclass
class Report:
    steps: "collections.Counter[str]" = field(default_factory=collections.Counter)
    # How often a tightened setting made an answer stricter. A setting that never does proves nothing.
    stricter: "collections.Counter[str]" = field(default_factory=collections.Counter)
    excused: "collections.Counter[str]" = field(default_factory=collections.Counter)
    found: "list[Loosened]" = field(default_factory=list)
    answers: int = 0

    def note(self, scene: Scene, step: Step, before: "list[Observation]", after: "list[Observation]") -> None:
        self.steps[step.setting] += 1
        self.stricter[step.setting] += any(tighter(one.facets, two.facets) for one, two in zip(before, after))
        self.answers += len(before)
        for found in loosened(scene, step, before, after):
            if reason := excused(found):
                self.excused[reason.reason] += 1
            else:
                self.found.append(found)

    def lenient(self) -> "list[str]":
        """The settings that have an effect, and made no answer stricter."""
        return [name for name in self.steps if not self.stricter[name] and ROWS[name].has_effect]

    def add(self, other: "Report") -> None:
        self.steps += other.steps
        self.stricter += other.stricter
        self.excused += other.excused
        self.found += other.found
        self.answers += other.answers
