"""Four of the tests of docs/test-your-app.md, each many times: what a test costs with the kit."""
from __future__ import annotations

import os
from typing import Callable

import pytest
from mambridge import events
from mambridge.testing import Sandbox

ALICE, BOB = "alice@contoso.example", "bob@contoso.example"


def a_policy_forbids_saving(mam: Sandbox) -> None:
    mam.policy("bob", saveAsBlocked=True)
    mam.enroll("bob")
    saving = mam.client.policy.is_save_to_allowed_for_location("dropbox", account=BOB)
    mam.assert_blocked(saving, setting="saveAsBlocked")


def days_offline(mam: Sandbox) -> None:
    mam.enroll("alice")
    mam.offline()
    mam.advance(days=91)
    mam.assert_blocked(mam.client.conditional_launch.evaluate(), setting="periodOfflineBeforeWipeIsEnforced")


def a_wipe_on_demand(mam: Sandbox) -> None:
    mam.enroll("alice")
    mam.wipe("alice")
    assert mam.wait_for(events.PolicyWipeDidComplete).identity == ALICE


def a_jailbroken_device(mam: Sandbox) -> None:
    mam.enroll("alice")
    mam.device(jailbroken=True)
    mam.assert_blocked(mam.client.conditional_launch.evaluate(), setting="deviceComplianceRequired")


TESTS = [a_policy_forbids_saving, days_offline, a_wipe_on_demand, a_jailbroken_device]


@pytest.mark.parametrize("number", range(int(os.environ["COUNT"]) // len(TESTS)))
@pytest.mark.parametrize("run", TESTS)
def test(run: Callable[[Sandbox], None], number: int, mam: Sandbox) -> None:
    run(mam)
