"""Whether an answer allows something or blocks it, and why."""
from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, List, Optional, Tuple

from ..records import Record
from .recording import Call

if TYPE_CHECKING:
    from ..types import Explanation

# The members that say what was decided, and what their values mean.
_OUTCOMES = {
    "allow": "allowed", "warn": "allowed only after a warning", "block": "blocked", "wipe": "blocked",
    "open": "allowed", "rewrite": "allowed elsewhere", "load": "allowed", "openInManagedBrowser": "allowed elsewhere",
    "plain": "allowed", "protected": "allowed", "blocked": "blocked", "blockOrgData": "allowed without work data",
}
_MEMBERS = ("verdict", "action", "clipboard", "allowed")
# Of the rules of a launch, those that keep the user out.
_STRICT = ("block", "wipe", "challenge")


class Judged:
    """What was decided, the settings that decided it, and the reasons in words."""

    def __init__(self, name: str, outcome: str, settings: List[str], reasons: List[str]) -> None:
        self.name = name
        self.outcome = outcome
        self.settings = list(dict.fromkeys(settings))
        self.reasons = reasons

    def text(self, complaint: str) -> str:
        return "\n  ".join([f"{self.name} {complaint}", *self.reasons])


def raw_answer(answer: object, call: Optional[Call]) -> Tuple[Any, str]:
    """The answer as it came, and what it is the answer of."""
    if call is not None:
        return call.result, call.method
    if isinstance(answer, Record):
        return json.loads(json.dumps(answer, default=_wire_form)), type(answer).__name__
    raise TypeError(f"{answer!r} is not an answer of the client of this sandbox: pass what a call has returned")


def _wire_form(value: Any) -> Any:
    if isinstance(value, Record):
        return {_camel(name): getattr(value, name) for name in value.__match_args__}
    return str(value)


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def params_of(call: Call) -> Any:
    return None if call.params is None else json.loads(call.params)


def is_permission(method: str) -> bool:
    """Whether a true answer of the method allows something."""
    question = method.rpartition(".")[2]
    return "Allowed" in question or question.startswith("can")


def outcome_of(raw: Any, name: str) -> str:
    """`allowed`, `blocked`, or what is neither."""
    if isinstance(raw, bool):
        if not is_permission(name):
            raise TypeError(f"{name} does not say whether something is allowed: assert that it is {raw}")
        return "allowed" if raw else "blocked"
    if isinstance(raw, dict):
        raw = next((raw[member] for member in _MEMBERS if raw.get(member) is not None), None)
        if isinstance(raw, bool):
            return "allowed" if raw else "blocked"
    outcome = _OUTCOMES.get(raw) if isinstance(raw, str) else None
    if outcome is None:
        raise TypeError(f"{name} does not say whether something is allowed: assert on its members")
    return outcome


def judged_by_itself(raw: Any, name: str) -> Optional[Judged]:
    """For answers that have their reasons with them: those of a launch, and explanations."""
    if not isinstance(raw, dict) or "verdict" not in raw:
        return None
    if "because" in raw:
        verdict = raw["verdict"]
        if (launch := judged_by_itself(verdict, name)) is not None:
            return launch  # The steps have the rules that passed, too.
        outcome = ("allowed" if verdict else "blocked") if isinstance(verdict, bool) else outcome_of(verdict, name)
        steps = raw["because"]
        return Judged(name, outcome, [step["setting"] for step in steps if step.get("setting")],
                      [step["text"] for step in steps])
    rules = raw.get("rules")
    if rules is None:
        reasons = raw.get("reasons") or []
        return Judged(name, outcome_of(raw, name), [each["setting"] for each in reasons],
                      [each["text"] for each in reasons])
    strict = [rule for rule in rules if rule["outcome"] in _STRICT]
    told = strict or [rule for rule in rules if rule["outcome"] == "warn"] or rules
    return Judged(name, outcome_of(raw, name), [rule["setting"] for rule in strict], [rule["text"] for rule in told])


def judged_with(why: Explanation, outcome: str, name: str) -> Judged:
    return Judged(name, outcome, [step.setting for step in why.because if step.setting],
                  [step.text for step in why.because])
