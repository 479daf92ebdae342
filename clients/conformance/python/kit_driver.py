#!/usr/bin/env python3
"""kit_driver.py SCENARIO EXECUTABLE [OPTIONS]: does a scenario of kits.json with the kit. See ../README.md."""
from __future__ import annotations

import json
import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable, Dict

from mambridge import errors, events
from mambridge.testing import Sandbox, SandboxError

ALICE, BOB, ERIN = "alice@contoso.example", "bob@contoso.example", "erin@example.com"
OPTIONS: Dict[str, Any] = json.loads(sys.argv[3]) if len(sys.argv) > 3 else {}


def sandbox() -> Sandbox:
    return Sandbox(binary=sys.argv[2], **OPTIONS)


def message_of(work: Callable[[], Any]) -> str:
    try:
        work()
    except (AssertionError, errors.MambridgeError, OSError, SandboxError, TypeError) as error:
        return str(error)
    return "no error"


def names() -> Any:
    with sandbox() as mam:
        mam.set_user(ERIN)
        return {
            "short": mam.enroll("alice").identity, "written": mam.enroll(ERIN).identity,
            "unlisted": message_of(lambda: mam.enroll("allice")), "status": mam.enroll("carol").status,
            "wiped": message_of(lambda: mam.wipe("bob"))}


def policy() -> Any:
    with sandbox() as mam:
        mam.policy("bob", saveAsBlocked=True)
        status = mam.enroll("bob").status
        mam.assert_blocked(
            mam.client.policy.is_save_to_allowed_for_location("dropbox", account=BOB), setting="saveAsBlocked")
        mam.policy("bob", saveAsBlocked=False)
        mam.assert_allowed(mam.client.policy.is_save_to_allowed_for_location("dropbox", account=BOB))
        return {"status": status, "wrong": message_of(lambda: mam.policy("bob", savAsBlocked=True))}


def administrator() -> Any:
    with sandbox() as mam:
        mam.set_user(ERIN, groups=["staff"])
        mam.configuration("staff", {"server": "mail.example.com"})
        mam.enroll(ERIN)
        server = mam.client.app_config.string_value_for_key("server", account=ERIN)
        mam.set_user(ERIN, enabled=False, check_in=False)
        [checked] = mam.check_in()
        return {"server": server, "status": checked.status}


def user() -> Any:
    with sandbox() as mam:
        mam.enroll("alice")
        mam.user(pin="482913")
        shown = mam.client.policy_manager.set_ui_policy_identity(ALICE)
        return {"shown": shown, "isSet": mam.client.pin.status(account=ALICE).is_set}


def device() -> Any:
    with sandbox() as mam:
        mam.enroll("alice")
        mam.device(jailbroken=True)
        launch = mam.client.conditional_launch.evaluate()
        mam.assert_blocked(launch, setting="deviceComplianceRequired")
        mam.device(jailbroken=False)
        mam.user(pin="482913", sign_in=True)
        mam.assert_allowed(mam.client.conditional_launch.evaluate())
        return {"verdict": launch.verdict}


def time() -> Any:
    with sandbox() as mam:
        mam.enroll("alice")
        mam.offline()
        now = mam.advance(days=91).time
        mam.assert_blocked(mam.client.conditional_launch.evaluate(), setting="periodOfflineBeforeWipeIsEnforced")
        return {"time": now.isoformat().replace("+00:00", "Z"), "network": mam.online().network_available}


def fault() -> Any:
    with sandbox() as mam:
        mam.enroll("alice")
        mam.fault("source", "serviceUnavailable", times=1)
        failed = mam.check_in()[0].status
        mam.assert_blocked(
            mam.client.policy.is_save_to_allowed_for_location("dropbox", account=ALICE), setting="saveAsBlocked")
        well = mam.check_in()[0].status
        wrong = message_of(lambda: mam.fault("token", "slow"))
        mam.fault("source", "unreachable")
        lost = mam.check_in()[0].status
        mam.clear_faults()
        return {"failed": failed, "well": well, "wrong": wrong, "lost": lost, "cleared": mam.check_in()[0].status}


def wipe() -> Any:
    with sandbox() as mam:
        mam.enroll("alice")
        mam.wipe("alice")
        wiped = mam.wait_for(events.PolicyWipeDidComplete).identity
        accounts = len(mam.client.enrollment_manager.enrolled_accounts())
        again = message_of(lambda: mam.wait_for(events.PolicyWipeDidComplete, timeout=0.1))
        return {"wiped": wiped, "accounts": accounts, "again": again}


def state() -> Any:
    with sandbox() as mam:
        mam.enroll("alice")
        mam.save("enrolled")
        mam.wipe("alice")
        mam.restore("enrolled")
        restored = len(mam.client.enrollment_manager.enrolled_accounts())
        mam.reset()
        reset = len(mam.client.enrollment_manager.registered_accounts())
        mam.enroll("alice")
        return {"restored": restored, "reset": reset, "changed": mam.wait_for(events.PolicyDidChange).identity}


def join() -> Any:
    with sandbox() as mam:
        app = mam.join()
        app.enrollment_manager.register_and_enroll_account(ALICE)
        accounts = len(mam.client.enrollment_manager.enrolled_accounts())
        app.close()
        mam.reset()
        return {"accounts": accounts, "reset": len(mam.client.enrollment_manager.registered_accounts())}


def wrong_reasons() -> Any:
    with sandbox() as mam:
        mam.enroll("alice")
        saving = mam.client.policy.is_save_to_allowed_for_location("dropbox", account=ALICE)
        setting = message_of(lambda: mam.assert_blocked(saving, setting="pinRequired"))
        allowed = message_of(lambda: mam.assert_allowed(saving))
        printing = mam.client.enforcement.is_action_allowed("print", account=ALICE)
        blocked = message_of(lambda: mam.assert_blocked(printing))
        pin = mam.client.policy.is_pin_required(account=ALICE)
        other = message_of(lambda: mam.assert_allowed(pin))
        return {"setting": setting, "allowed": allowed, "blocked": blocked, "other": other}


def story() -> Any:
    with sandbox() as mam:
        mam.policy("bob", saveAsBlocked=True)
        mam.enroll("bob")
        sealed = mam.client.data_protection_manager.protect_string("quarterly figures", BOB)
        mam.client.data_protection_manager.unprotect_string(sealed)
        mam.client.policy.is_save_to_allowed_for_location("dropbox", account=BOB)
        Path("replay.sh").write_text(mam.replay(), encoding="utf-8")
        return {"story": mam.story()}


def start() -> Any:
    return {"message": message_of(lambda: sandbox().close())}


def killed() -> Any:
    with sandbox() as mam:
        mam.enroll("alice")
        assert mam.client.pid
        os.kill(mam.client.pid, signal.SIGKILL)
        lost = message_of(lambda: mam.enroll("alice"))
        return {"lost": lost, "story": mam.report()}


def abandoned() -> Any:
    mam = sandbox()
    mam.enroll("alice")
    print(json.dumps({"pid": mam.client.pid}), flush=True)
    sys.stdin.read()


def network() -> Any:
    with sandbox() as mam:
        served = mam.network()
        app = served.join("alice")
        status = app.enrollment_manager.register_and_enroll_account(ALICE).status
        saves = app.policy.is_save_to_allowed_for_location("dropbox", account=ALICE)
        served.fault("checkIn", "serviceUnavailable", times=1, delay="PT1.5S")
        failed, well = app.tenant.check_in()[0].status, app.tenant.check_in()[0].status
        mam.set_user(ERIN, groups=["Administrators"])
        users, _ = served.send("GET", "/v1.0/users", served.token(ERIN))
        mam.client.sandbox.set_user(ERIN, groups=["staff"])
        demoted, _ = served.send("GET", "/v1.0/users", served.token(ERIN))
        refused, _ = served.send("GET", "/v1.0/users", served.token("alice"))
        served.fault("token", "mfaRequired")
        token = message_of(lambda: served.token("alice"))
        wrong = message_of(lambda: served.fault("checkIn", "nextLinkLoop"))
        served.clear_faults()
        asked = any(request.path == "/mam/v1/check-in" and request.who == ALICE for request in served.requests())
        return {
            "status": status, "saves": saves, "failed": failed, "well": well, "users": users, "demoted": demoted,
            "refused": refused,
            "token": token, "wrong": wrong, "signedIn": served.token("alice") != "", "asked": asked,
            "certificate": Path(served.certificate).is_file()}


def network_story() -> Any:
    with sandbox() as mam:
        app = mam.network().join("alice")
        app.enrollment_manager.register_and_enroll_account(ALICE)
        mam.network().fault("checkIn", "serviceUnavailable")
        app.tenant.check_in()
        return {"story": mam.report()}


def no_network() -> Any:
    with sandbox() as mam:
        return {"message": message_of(mam.network)}


def network_at_once() -> Any:
    with sandbox() as mam, ThreadPoolExecutor() as pool:
        one, other = pool.map(lambda _: mam.network(), range(2))
        return {"same": one is other}


def abandoned_network() -> Any:
    mam = sandbox()
    app = mam.network().join("alice")
    app.enrollment_manager.register_and_enroll_account(ALICE)
    print(json.dumps({"pid": app.pid}), flush=True)
    sys.stdin.read()


SCENARIOS = {
    "names": names, "policy": policy, "administrator": administrator, "user": user, "device": device, "time": time,
    "fault": fault, "wipe": wipe, "state": state, "join": join, "wrong reasons": wrong_reasons, "story": story,
    "no program": start, "old program": start, "wrong seed": start, "killed": killed, "abandoned": abandoned,
    "network": network, "network story": network_story, "no network program": no_network, "no network code": no_network,
    "no network answer": no_network, "abandoned network": abandoned_network, "network at once": network_at_once,
}

if __name__ == "__main__":
    print(json.dumps(SCENARIOS[sys.argv[1]]()))
