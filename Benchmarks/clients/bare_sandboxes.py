"""The calls of sandboxes.py without a client: each test pipes its lines through a sandbox."""
from __future__ import annotations

import json
import os
import subprocess
from typing import Any, List, Tuple

import pytest

ALICE, BOB = "alice@contoso.example", "bob@contoso.example"
Calls = List[Tuple[str, Any]]


def enrolled(*calls: Tuple[str, Any]) -> Calls:
    return [("enrollmentManager.registerAndEnrollAccount", {"account": ALICE}), *calls]


EVALUATE = ("conditionalLaunch.evaluate", {})
TESTS: List[Tuple[Calls, str]] = [
    ([("sandbox.setPolicy", {"audience": BOB, "settings": {"saveAsBlocked": True}}),
      ("enrollmentManager.registerAndEnrollAccount", {"account": BOB}),
      ("policy.isSaveToAllowedForLocation", {"location": "dropbox", "account": BOB})], '"result":false'),
    (enrolled(("device.set", {"networkAvailable": False}), ("debug.advanceClock", {"by": "P91D"}), EVALUATE),
     '"verdict":"block"'),
    (enrolled(("sandbox.wipe", {"account": ALICE, "push": True}), ("debug.advanceClock", {"by": "PT0S"}),
              ("events.list", {"types": ["policyManager.wipeDidComplete"]})), '"type":"policyManager.wipeDidComplete"'),
    (enrolled(("device.set", {"jailbroken": True}), EVALUATE), '"verdict":"block"'),
]


@pytest.mark.parametrize("number", range(int(os.environ["COUNT"]) // len(TESTS)))
@pytest.mark.parametrize(("calls", "expected"), TESTS)
def test(calls: Calls, expected: str, number: int) -> None:
    lines = (json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
             for id, (method, params) in enumerate(calls, 1))
    command = [os.environ["MAMBRIDGE"], "sandbox"]
    done = subprocess.run(command, input="\n".join(lines) + "\n", stdout=subprocess.PIPE, text=True, check=True)
    assert expected in done.stdout.splitlines()[-1]
