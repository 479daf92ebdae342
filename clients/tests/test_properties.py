"""What is true of every policy and of every answer of a policy source. docs/testing.md says what this proves.

MAMBRIDGE_PROPERTY_CASES is how often each setting is tightened; that often times 8 files are cut, and as many settings and
as many other members are broken. If it is more than 1, each setting with an effect must show one.
"""
from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Iterable

import pytest
from power_loss import memory
from properties.answers import Served, broken
from properties.exceptions import EXEMPTIONS, PARDONS, Exemption, Pardon
from properties.faults import Fault
from properties.orders import ORDERS, ROWS, Entries, Steps, order
from properties.scenes import Case, Scene, Step, round_, witnesses
from properties.tightening import Report, repeat, run, show, smallest

CASES = int(os.environ.get("MAMBRIDGE_PROPERTY_CASES", 1))
SEED = "ci"


def together(work: "Callable[[Any], Any]", items: "Iterable[Any]") -> "list[Any]":
    # Each item waits for a program most of the time.
    with ThreadPoolExecutor(2 * len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(work, items))


@pytest.mark.parametrize("part", range(2))
def test_a_tighter_setting_never_turns_a_no_into_a_yes(binary: str, part: int) -> None:
    report = Report()

    def tighten(case: Case) -> Report:
        return run(case, binary, memory())

    def add(reports: "list[Report]") -> None:
        for one in reports:
            report.add(one)
        assert not report.found, smallest(report.found[0], binary, memory()).text()
    for number in range(CASES):
        add(together(tighten, round_(f"{SEED} {number}")[part::2]))
    if CASES > 1:  # Of what made no answer stricter in a random policy, a chosen one shows that it can.
        add(together(lambda group: show(group, binary, memory()), witnesses(report.lenient())))
        assert not report.lenient()
    assert sum(report.steps.values()) > 40 * CASES
    print(report.answers, "answers compared;", "exceptions:", dict(report.excused))


def test_every_setting_in_the_reference_has_its_values_ordered_by_strictness() -> None:
    assert ORDERS.keys() == ROWS.keys()
    assert all(one.source for one in ORDERS.values())
    for name, row in ROWS.items():
        known = {word for platform in row.platforms for word in words(order(name, platform))}
        assert not row.words or known | {"selectedApps", "none"} == {*row.words} | {"selectedApps", "none"}, name


def words(order: Any) -> "list[str]":
    values = order.values if isinstance(order, Steps) else order.entries if isinstance(order, Entries) else order.values
    return [value for value in values if isinstance(value, str)]


@pytest.mark.parametrize("exemption", EXEMPTIONS, ids=lambda one: one.covers.__name__)
def test_every_exception_to_the_tightening_rule_still_occurs(binary: str, exemption: Exemption) -> None:
    platform, policies, setting, value, method = exemption.example
    scene = Scene(platform, {}, {}, policies, {"printBlocked": True}, extra="pins" if method == "pin.set" else "")
    step = Step(0, setting, policies[0].get(setting), value)
    report = repeat(scene, step, binary, memory())
    assert report.excused[exemption.reason] and not report.found, (
        f"{exemption.reason} This is no exception any more: remove it from clients/tests/properties/exceptions.py.")


def test_the_tightening_check_notices_a_loosened_setting(binary: str) -> None:
    scene = Scene("ios", {}, {}, [{"saveAsBlocked": True, "allowedOutboundDataTransferDestinations": "managedApps",
                                   "pinRequired": True}], {"printBlocked": True})
    found = repeat(scene, Step(0, "saveAsBlocked", True, False), binary, memory()).found
    assert {one.question.method for one in found} >= {"policy.getSaveToLocations", "policy.isSaveToAllowedForLocation"}
    small = smallest(found[0], binary, memory()).scene.policies
    assert small == [{"saveAsBlocked": True}]


@pytest.mark.parametrize("platform", ["ios", "android"])
@pytest.mark.parametrize("source", ["program", "folder"])
def test_a_broken_source_answer_never_turns_a_no_into_a_yes(binary: str, source: str, platform: str) -> None:
    found = broken(binary, source, platform, SEED, 8 * CASES, memory())
    assert not found, found[0].text()


@pytest.mark.parametrize("pardon", PARDONS, ids=lambda one: one.covers.__name__)
def test_every_exception_for_broken_source_answers_still_occurs(binary: str, pardon: Pardon) -> None:
    source, fault = pardon.example
    with Served.open(binary, source, "ios", memory()) as served:
        found = served.loosened(fault)
        assert found and pardon.covers(fault), (
            f"{pardon.reason} This is no exception any more: remove it from clients/tests/properties/exceptions.py.")


def test_the_broken_answer_check_notices_a_source_answer_that_allows_more(binary: str) -> None:
    with Served.open(binary, "program", "ios", memory()) as served:
        found = served.loosened(Fault("answer.json", "mistyped", ("policies", 0, "saveAsBlocked"), False))
        found += served.loosened(Fault("answer.json", "mistyped", ("policies", 0, "minimumPinLength"), 4))
        assert {"setting saveAsBlocked", "setting minimumPinLength"} <= {one.facet for one in found}
        assert served.is_good()
