"""Carries out a life in the program and in the model, and compares each answer."""
from __future__ import annotations

import collections
import copy
import json
import random
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable

from . import questions as q
from .asked import all_questions, same
from .launch import verdict
from .life import CODES, World
from .questions import PROPERTIES, Not, OneOf
from .sessions import Ended, Session, moment
from .settings import SOURCES, Silent, as_on_device

@dataclass
class Disagreement:
    kind: str
    step: int
    call: "tuple[str, dict[str, Any]]"
    expected: str
    actual: str
    rule: str

    def text(self) -> str:
        return (f"{self.call[0]} {json.dumps(self.call[1])}\n  expected {self.expected}\n  actual   {self.actual}\n"
                f"  source   {SOURCES.get(self.rule, self.rule)}\n")


@dataclass
class Report:
    """How many decisions of each kind were compared, and what the answers were."""

    answers: "dict[str, collections.Counter[str]]" = field(
        default_factory=lambda: collections.defaultdict(collections.Counter))
    silent: "collections.Counter[str]" = field(default_factory=collections.Counter)
    cases: "collections.Counter[str]" = field(default_factory=collections.Counter)

    def add(self, other: "Report") -> None:
        for kind, counts in other.answers.items():
            self.answers[kind].update(counts)
        self.silent.update(other.silent)
        self.cases.update(other.cases)

    def compared(self) -> int:
        return sum(sum(counts.values()) for counts in self.answers.values())

    def one_sided(self) -> "list[str]":
        """Questions that were always answered the same: these prove nothing."""
        return sorted(kind for kind, counts in self.answers.items() if len(counts) == 1)

    def table(self) -> str:
        rows = [f"{'compared':>9} {'silent':>8}  decision: answers"]
        for kind in sorted({*self.answers, *self.silent}):
            counts = self.answers[kind]
            said = ", ".join(f"{answer} {count}" for answer, count in counts.most_common(6))
            more = ", …" if len(counts) > 6 else ""
            rows.append(f"{sum(counts.values()):9} {self.silent[kind]:8}  {kind}: {said}{more}")
        ways = ", ".join(f"{count} {way}" for way, count in sorted(self.cases.items()))
        cases = sum(self.cases.values())
        return "\n".join([*rows, f"{self.compared():9} {sum(self.silent.values()):8}  in {cases} cases: {ways}"])


class Runner:
    def __init__(self, case: "dict[str, Any]", binary: str, folder: Path) -> None:
        self.case, self.folder = case, folder
        self.world = World(copy.deepcopy(case["tenant"]), case["several"], case.get("strict", False))
        self.session = Session(binary, folder, case["way"], case["several"])
        self.report, self.found = Report(), list[Disagreement]()
        self.step, self.said = 0, ""
        self.log: "list[Any]" = []

    def run(self) -> "list[Disagreement]":
        """The disagreements of the first step that has any."""
        self.report.cases[self.case["way"]] += 1
        try:
            self.write(self.case["tenant"])
            for self.step, (kind, *args) in enumerate(self.case["steps"]):
                try:
                    getattr(self, "do_" + kind)(*args)
                except Ended as error:
                    self.differ("crash", ("", {}), "an answer", str(error), "no input ends the program")
                if self.found:
                    break
            else:
                try:
                    self.session.restart()
                except Ended as error:
                    self.differ("crash", ("", {}), "exit code 0", str(error), "no input ends the program")
        finally:
            self.session.kill()
        return self.found

    # What the tenant is

    def write(self, tenant: "dict[str, Any]") -> None:
        root = self.folder / "tenant"
        shutil.rmtree(root, ignore_errors=True)
        (root / "policies").mkdir(parents=True)
        for path, content in files(tenant).items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(content)
        self.keep()

    def keep(self) -> None:
        root = self.folder / "tenant"
        self.log.append(["tenant", {
            str(path.relative_to(self.folder)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}])

    def ask(self, *calls: "tuple[str, dict[str, Any]]") -> "list[Any]":
        self.log.append(["calls", self.session.now, list(calls)])
        return self.session.ask(list(calls))

    def compare(self, kind: str, call: "tuple[str, dict[str, Any]]", answer: Any, pick: "Callable[[Any], Any]",
                expect: "Callable[[], Any]", rule: str) -> Any:
        actual = f"error {answer['error'].get('message')}" if "error" in answer else pick(answer["result"])
        try:
            expected = expect()
        except Silent:
            self.report.silent[kind] += 1
            return actual
        if expected == actual and type(expected) is not int or expected == actual and not isinstance(actual, bool):
            self.report.answers[kind][str(actual)[:40]] += 1
        else:
            self.differ(kind, call, repr(expected), repr(actual), rule)
        return actual

    def differ(self, kind: str, call: "tuple[str, dict[str, Any]]", expected: str, actual: str, rule: str) -> None:
        actual += f" ({self.said})" if kind.startswith("status ") and self.said else ""
        self.found.append(Disagreement(kind, self.step, call, expected, actual, rule))

    # The steps

    def do_ask(self, who: str, seed: int, fraction: float, only: "str | None" = None) -> None:
        dice = random.Random(seed)
        try:
            asked = all_questions(self.world, who, dice)
        except Silent:
            self.report.silent["all questions about an account"] += 1
            return
        asked = [one for one in asked if fraction >= 1 or dice.random() < fraction]
        asked = [one for one in asked if only in (None, one.kind)]
        answers = self.ask(*[(one.method, one.params) for one in asked]) if asked else []
        for one, answer in zip(asked, answers):
            self.compare(one.kind, (one.method, one.params), answer, one.pick, one.expect, one.rule)

    def status(self, kind: str, call: "tuple[str, dict[str, Any]]", answer: Any, expect: "Callable[[], Any]",
               rule: str) -> None:
        def named() -> Any:
            code = expect()
            if isinstance(code, Silent):
                raise code
            return OneOf(*code.values) if isinstance(code, OneOf) else code

        def pick(result: Any) -> Any:
            if CODES.get(result["statusCode"], result["status"]) != result["status"]:
                return f"{result['statusCode']} {result['status']}"
            return result["statusCode"]
        self.said = str(answer.get("result", {}).get("errorString") or "")
        self.compare(kind, call, answer, pick, named, rule)

    def do_thread(self, who: str) -> None:
        """A thread of its own, which acts for an account and then for nobody in particular."""
        try:
            account = self.world.account(who)
        except Silent:
            return
        calls: "list[tuple[str, dict[str, Any]]]" = [
            ("policyManager.setCurrentThreadIdentity", {"account": who, "thread": "t"}),
            ("policyManager.getCurrentThreadIdentity", {"thread": "t"})]
        calls += [(f"policy.{question}", {"thread": "t"}) for question in PROPERTIES]
        calls += [("policyManager.setCurrentThreadIdentity", {"account": "", "thread": "t"}),
                  ("policy.isAppSharingAllowed", {"thread": "t"}),
                  ("policyManager.setCurrentThreadIdentity", {"account": None, "thread": "t"})]
        answers = self.ask(*calls)
        self.compare("identity of a thread", calls[1], answers[1], lambda answer: answer and answer["identity"],
                     lambda: who, "meaning 1: for files and threads the thread's")
        for (question, rule), call, answer in zip(PROPERTIES.items(), calls[2:], answers[2:]):
            self.compare("policy of a thread", call, answer, same, lambda rule=rule: rule(account), rule.__name__)
        self.compare("policy of a thread without a user", calls[-2], answers[-2], same, lambda: True,
                     "facts 2.2: \"\" = unmanaged/no user; effective none or unmanaged => no policy")

    def do_show(self, who: str) -> None:
        """Shows an account in a window."""
        call: "tuple[str, dict[str, Any]]" = ("policyManager.setUIPolicyIdentity", {"account": who, "window": "w"})
        try:
            rules, account = self.world.launch(who)
            others = [life for life in self.world.enrolled() if life.name != who]
            unsure = [life for life in self.world.lives.values() if life.blurred]
        except Silent:
            return
        answer = self.ask(call)[0]

        def expect() -> Any:
            if account.policy is None and not self.world.several and not self.world.life(who).enrolled:
                if unsure or not self.world.user(who):
                    raise Silent("whether the account belongs to the tenant of another")
                return "notAllowed" if others else "success"
            told = verdict(account, rules) if account.policy else "allow"
            if not isinstance(told, str) or told == "block" and not {"block"} & {
                    outcome for outcome in rules.values() if isinstance(outcome, str)} or told == "warn":
                return OneOf("failed", "asks")
            return {"allow": "success", "block": "failed", "wipe": "failed"}[told]
        if "error" in answer and answer["error"].get("code") == 8001:
            answer = {"result": "asks"}
            self.world.life(who).asked = True
        shown_ = self.compare("showing an account", call, answer, same, expect, "verdict")
        if shown_ == "failed":
            try:
                told = verdict(account, rules) if account.policy else "allow"
                if not isinstance(told, str):
                    self.world.life(who).blurred = True
                elif told == "wipe":
                    self.world.wiped(self.world.life(who))
            except Silent:
                self.world.life(who).blurred = True
        if shown_ == "success" and self.case["way"] in ("script", "initialized"):
            call = ("policy.isAppSharingAllowed", {"window": "w"})
            self.compare("policy of a window", call, self.ask(call)[0], same, lambda: q.sharing(account), "sharing")

    def do_comply(self, who: str) -> None:
        """Does all that a blocked user needs, without asking the user."""
        life = self.world.life(who)
        if life.blurred:
            return
        call = ("complianceManager.remediateCompliance", {"account": who, "silent": True})
        answer = self.ask(call)[0]

        def expect() -> Any:
            if life.wiped:
                life.blurred = True
                raise Silent("enrolling after a wipe")
            enrolled = life.enrolled
            status = self.world.check_in(who) if enrolled else self.world.attempt(life, first=not life.registered)
            life.registered = True
            if isinstance(status, Silent):
                raise status
            # One that is only known not to be a success equals any other number.
            if isinstance(status, Not):
                return "serviceFailure"
            if status in (205, 212):
                return "networkFailure"
            if isinstance(status, int) and status >= 200:
                return "serviceFailure"
            rules, account = self.world.launch(who)
            if account.policy is None:
                raise Silent("compliance of an account without a policy")
            told = verdict(account, rules)
            if not isinstance(told, str) or told == "warn":
                raise Silent("whether a question counts as a block")
            certain = {outcome for outcome in rules.values() if isinstance(outcome, str)}
            asks = "interactionRequired"
            status = "compliant" if told == "allow" else "notCompliant" if certain & {"block", "wipe"} else asks
            return OneOf(status, asks) if life.asked and not self.world.strict else status
        self.compare("compliance", call, answer, same, expect,
                     "meaning 17: compliant = policy and no block; silent with an open challenge = interactionRequired; 205 "
                     "and 212 networkFailure; other failures serviceFailure")
        # Launch checks may have wiped the account.
        if not life.blurred and life.enrolled:
            try:
                rules, account = self.world.launch(who)
                told = verdict(account, rules) if account.policy else "allow"
            except Silent:
                told = None
            if not isinstance(told, str):
                life.blurred = True
            elif told == "wipe":
                self.world.wiped(life)

    def do_pin(self, who: str, wrong: int) -> None:
        """Sets a PIN, and mistakes it so often."""
        try:
            account = self.world.account(who)
        except Silent:
            return
        if not account.get("pinRequired"):
            return
        numeric, most = account.get("pinCharacterSet") != "alphanumericAndSymbol", account.get("maximumPinRetries")
        rule = "facts 2.4: max attempts: reset PIN (must sign in first) or wipe"
        status: "tuple[str, dict[str, Any]]" = ("pin.status", {"account": who})
        self.compare("PIN set before", status, self.ask(status)[0], lambda answer: answer["isSet"], lambda: False, rule)
        weak = ("pin.set", {"account": who, "pin": "739" if numeric else "739158"})
        self.compare("PIN that is too weak", weak, {"result": "error" in self.ask(weak)[0]}, same, lambda: True,
                     "facts 2.4: minimum length; a passcode has a letter or a special character")
        good = ("pin.set", {"account": who, "pin": "73915826" if numeric else "Zq7#Rk2!"})
        self.compare("PIN that fits", good, self.ask(good)[0], same, lambda: None, rule)
        self.compare("PIN tries", status, self.ask(status)[0], lambda answer: answer["retriesLeft"], lambda: most, rule)
        self.do_advance(31)
        launch = ("conditionalLaunch.evaluate", {"account": who})
        answer = self.ask(launch)[0]
        kinds = self.compare("PIN asked again", launch, answer, lambda result: [one["kind"] for one in result["challenges"]],
                             lambda: ["enterPIN"], "facts 1.4: periodOnlineBeforeAccessCheck")
        for number in range(1, wrong + 1 if kinds == ["enterPIN"] else 0):
            call: "tuple[str, dict[str, Any]]" = ("conditionalLaunch.answer", {
                "challenge": answer["result"]["challenges"][0]["id"], "pin": "73915820" if numeric else "Zq7#Rk2?"})
            reply = self.ask(call)[0]
            self.compare("PIN that is wrong", call, reply, lambda result: result["accepted"], lambda: False, rule)
            managed = ("policyManager.isIdentityManaged", {"account": who})
            wiped = number >= most and account.get("appActionIfMaximumPinRetriesExceeded") == "wipe"
            self.compare("account after wrong PINs", managed, self.ask(managed)[0], same, lambda wiped=wiped: not wiped,
                         rule)
            if number >= most:
                if wiped:
                    self.world.wiped(self.world.life(who))
                break
            self.compare("PIN tries", status, self.ask(status)[0], lambda answer: answer["retriesLeft"],
                         lambda number=number: most - number, rule)

    def do_enroll(self, who: str) -> None:
        call = ("enrollmentManager.registerAndEnrollAccount", {"account": who})
        answer = self.ask(call)[0]
        self.status("status of enrolling", call, answer, lambda: self.world.enroll(who), "enroll")

    def do_signOut(self, who: str, wipe: bool) -> None:
        call = ("enrollmentManager.deRegisterAndUnenrollAccount", {"account": who, "withWipe": wipe})
        answer = self.ask(call)[0]
        self.status("status of signing out", call, answer, lambda: self.world.sign_out(who), "sign_out")

    def do_checkIn(self) -> None:
        for who in list(self.world.lives):
            if not self.world.life(who).registered:
                continue
            call = ("tenant.checkIn", {"account": who})
            answer = self.ask(call)[0]
            if "result" in answer:
                answer = {"result": answer["result"][0]} if answer["result"] else {"error": {"message": "no status"}}
            self.status("status of a check-in", call, answer, lambda: self.world.check_in(who), "check_in")

    def do_device(self, change: "dict[str, Any]") -> None:
        self.ask(("device.set", change))
        self.world.set_device(change)

    def do_advance(self, minutes: float) -> None:
        whole = int(minutes * 60)
        self.ask(("debug.advanceClock", {"by": f"PT{whole}S"}))
        self.world.advance(minutes)
        self.session.now = self.world.now

    def do_tenant(self, tenant: "dict[str, Any]") -> None:
        operations = self.world.tenant["tenant"]["operations"]
        self.world.tenant = copy.deepcopy(tenant)
        self.world.tenant["tenant"]["operations"] = operations
        self.write(self.world.tenant)
        self.do_checkIn()

    def do_wipe(self, who: str, kind: str) -> None:
        self.world.tenant["tenant"]["operations"].append({
            "type": kind, "user": who, "app": "*", "requestedDateTime": moment(self.world.now + self.step / 60)})
        self.write(self.world.tenant)
        self.do_checkIn()

    def do_restart(self) -> None:
        self.log.append(["restart"])
        self.session.restart()
        self.session.ask([])
        enrolled = self.world.enrolled()
        if self.case["way"] != "initialized" or self.case["several"] or not enrolled:
            return
        # docs/host/launch.md: initialize runs the launch checks of the process identity.
        try:
            rules, account = self.world.launch(enrolled[0].name)
            told = verdict(account, rules) if account.policy else "allow"
        except Silent:
            told = None
        if not isinstance(told, str):
            enrolled[0].blurred = True
        elif told == "wipe":
            self.world.wiped(enrolled[0])

    def do_break(self, kind: str, path: str, extra: Any) -> None:
        file = self.folder / "tenant" / path
        if kind == "folder" and self.case["way"] == "calls":
            return  # A process does not start without the folder.
        if kind == "folder":
            shutil.rmtree(self.folder / "tenant")
        elif kind == "mistype":
            if not file.exists() or self.world.tenant["files"][path].get("form") == "device":
                return
            thing = json.loads(file.read_text())
            file.write_text(json.dumps({**thing, extra[0]: extra[1]}))
        elif file.exists():
            text = file.read_bytes()
            file.write_bytes({
                "truncate": text.rstrip()[:int(extra * (len(text.rstrip()) - 1))], "empty": b"", "garbage": b"\xff\xfe{",
                "list": b"[1, 2]", "bare": b"{}"}[kind])
        else:
            return
        self.keep()
        self.world.trouble = 204 if kind == "folder" else 206
        self.do_checkIn()

    def do_mend(self) -> None:
        self.world.trouble = None
        self.write(self.world.tenant)
        self.do_checkIn()

    def do_launch(self, who: str) -> None:
        try:
            rules, account = self.world.launch(who)
        except Silent:
            self.report.silent["conditional launch"] += 1
            return
        call = ("conditionalLaunch.evaluate", {"account": who})
        answer = self.ask(call)[0]
        outcomes = {one["setting"]: one["outcome"] for one in answer.get("result", {}).get("rules", [])}
        for setting, outcome in rules.items():
            def expect(outcome: Any = outcome) -> Any:
                if isinstance(outcome, Silent):
                    raise outcome
                return outcome
            self.compare(f"launch rule {setting}", call, answer, lambda _, setting=setting: outcomes.get(setting), expect,
                         {"d": "device"}.get(setting[:1], "versions"))
        actual = self.compare("conditional launch", call, answer, lambda result: result["verdict"],
                              lambda: verdict(account, rules) if account.policy else "allow", "verdict")
        if answer.get("result", {}).get("challenges"):
            self.world.life(who).asked = True
        if actual == "wipe":
            self.world.wiped(self.world.life(who))


def files(tenant: "dict[str, Any]") -> "dict[str, str]":
    """The text of each file of a tenant folder."""
    head = copy.deepcopy(tenant["tenant"])
    for user in head["users"]:
        if clock := user.get("clock"):
            user["clock"] = {"status": clock["status"], "updated": moment(clock["minutes"])}
    if not head["assignments"]:
        del head["assignments"]
    written = {"tenant.json": json.dumps(head, indent=1)}
    for path, file in tenant["files"].items():
        thing = file["object"]
        if file.get("form") == "device":
            thing = {"IntuneMAMPolicyVersion": "1.0", "IntuneMAMPolicies": as_on_device(thing)}
        written[path] = json.dumps(thing, indent=1)
    for number, rule in tenant["filters"].items():
        written[f"filters/{number}.json"] = json.dumps({
            "id": number, "displayName": number, "platform": "iOSMobileApplicationManagement", "rule": rule,
            "assignmentFilterManagementType": "apps"}, indent=1)
    return written


def run(case: "dict[str, Any]", binary: str, memory: "str | None") -> "tuple[list[Disagreement], Runner]":
    with tempfile.TemporaryDirectory(prefix="model-", dir=memory) as folder:
        runner = Runner(case, binary, Path(folder))
        return runner.run(), runner
