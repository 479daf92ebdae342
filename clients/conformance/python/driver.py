#!/usr/bin/env python3
"""driver.py SCENARIO COMMAND…: does a scenario of the conformance tests with the Python client. See ../README.md."""
from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any, Callable, Dict, List

from mambridge import CancelToken, Client, ConnectionLost, Host, Progress, errors, events, requests, types

ALICE, BOB = "alice@contoso.example", "bob@contoso.example"
COMMAND = sys.argv[2:]


def spawn(**options: Any) -> Client:
    return Client.spawn(*COMMAND, timeout=30, **options)


def pid_of(client: Client) -> int:
    """A signal to no process in particular would reach this one."""
    assert client.pid
    return client.pid


def enrolled(**options: Any) -> Client:
    client = spawn(**options)
    client.enrollment_manager.register_and_enroll_account(ALICE)
    return client


def enroll() -> Any:
    with spawn() as client:
        before = client.enrollment_manager.enrolled_account()
        status = client.enrollment_manager.register_and_enroll_account(ALICE)
        refused = client.enrollment_manager.register_and_enroll_account(BOB)
        accounts = client.enrollment_manager.registered_accounts()
    return {
        "before": before, "status": status.status, "statusCode": status.status_code, "didSucceed": status.did_succeed,
        "error": status.error, "access": status.access, "refused": refused.status,
        "domain": refused.error and refused.error.domain, "accounts": [account.identity for account in accounts]}


def every_value() -> Any:
    with enrolled() as client:
        before = client.debug.advance_clock(timedelta(seconds=1)).time
        after = client.debug.advance_clock(timedelta(days=1, seconds=1)).time
        sealed = client.data_protection_manager.protect(b"\x00\xff", ALICE)
        words = client.data_protection_manager.protect_string("Grüße 👋\n\"\\", ALICE)
        client.settings.set({"SplashIconFile~ipad": "icon.png", "AccentColor": "#0A84FF", "SplashDuration": 2.5})
        client.settings.set({"AccentColor": None})
        settings = client.settings.get(names=["SplashIconFile~ipad", "AccentColor", "SplashDuration", "MultiIdentity"])
        targets = [types.ShareTarget("com.example.notes", False), types.ShareTarget("com.contoso.mail", True, ALICE)]
        client.debug.set_policy({"periodBeforePinReset": timedelta(days=30), "pinRequired": True}, account=ALICE)
        checks = client.strict_mode.disable(checks=["deprecatedAPI", "severeEvent"])
        client.pin.set("2580", account=ALICE)
        config = client.app_config
        return {
            "seconds": (after - before) / timedelta(seconds=1),
            "bytes": client.data_protection_manager.unprotect(sealed).hex(),
            "text": client.data_protection_manager.unprotect_string(words),
            "true": client.policy.is_pin_required(account=ALICE),
            "enum": client.policy.notification_policy(account=ALICE),
            "enums": {check: check in checks for check in ("severeEvent", "upnIdentityParam")},
            "settings": {name: setting.value for name, setting in settings.items()},
            "sources": {name: setting.source for name, setting in settings.items()},
            "targets": [target.id for target in client.enforcement.filter_share_targets(targets, account=ALICE).targets],
            "number": config.number_value_for_key("example.maximumAttachmentMegabytes", account=ALICE),
            "absent": config.number_value_for_key("no.such.key", account=ALICE),
            "objects": sorted(config.full_data(account=ALICE)[0]),
            "isSet": client.pin.status(account=ALICE).is_set,
        }


def error_by_name() -> Any:
    with enrolled() as client:
        seen: List[Any] = []
        try:
            client.data_protection_manager.protect_string("", ALICE)
        except errors.EmptyData as error:
            seen.append({"name": error.name, "code": error.code, "domain": error.domain, "sdkCode": error.sdk_code,
                         "retryable": error.retryable, "message": error.message})
        try:
            client.file.open(str(Path("no such file").absolute()))
        except errors.MambridgeError as error:
            seen.append({"name": error.name, "code": error.code, "hint": error.hint, "data": error.data})
    return seen


def event_pushed() -> Any:
    arrived: List[events.Event] = []
    changed = threading.Event()

    def heard(event: events.Event) -> None:
        arrived.append(event)
        changed.set()

    with spawn(on_event=heard) as client:
        client.initialize(events=["policyManager.policyDidChange"])
        client.enrollment_manager.register_and_enroll_account(ALICE)
        changed.wait(30)
    [event] = arrived
    assert isinstance(event, events.PolicyDidChange)
    return {"event": event.event, "identity": event.identity, "numbered": event.seq > 0, "year": event.time.year > 2000}


class Screen(Host):
    """Sets the PIN when asked to, but refuses to enter it. Answers an identity switch as it is told."""

    def __init__(self, answer: str, delay: float = 0) -> None:
        self.answer = answer
        self.delay = delay
        self.asked: List[str] = []
        self.client: Client

    def prompt_for_pin(self, request: requests.PromptForPIN) -> types.EnteredPIN:
        self.asked.append(f"{request.challenge.kind} in {request.challenge.window}")
        if request.challenge.kind == "setPIN":
            return types.EnteredPIN(pin="2580")
        raise errors.Canceled()

    def identity_switch_required(self, request: requests.IdentitySwitchRequired) -> types.AddIdentityResultInput:
        self.asked.append(f"{request.reason} to {request.identity!r} in {request.window}")
        time.sleep(self.delay)
        if self.answer == "failed":
            return "failed"
        return "success" if self.client.policy_manager.set_ui_policy_identity("", window="inbox") == "success" else "failed"


def with_screen(screen: Screen) -> Client:
    """A client whose window shows Alice, an hour after she set her PIN."""
    screen.client = spawn(host=screen)
    screen.client.initialize()
    screen.client.enrollment_manager.register_and_enroll_account(ALICE)
    screen.client.policy_manager.set_ui_policy_identity(ALICE, window="inbox")
    screen.client.debug.advance_clock(timedelta(hours=1))
    return screen.client


def challenge_answered() -> Any:
    screen = Screen("success")
    with spawn(host=screen) as client:
        client.initialize()
        client.enrollment_manager.register_and_enroll_account(ALICE)
        shown = client.policy_manager.set_ui_policy_identity(ALICE, window="inbox")
        return {"asked": screen.asked, "shown": shown, "isSet": client.pin.status(account=ALICE).is_set}


def identity_switch(answer: str) -> Any:
    screen = Screen(answer)
    with with_screen(screen) as client:
        verdict = client.conditional_launch.did_become_active(window="inbox").verdict
        account = client.policy_manager.get_ui_policy_identity(window="inbox")
        return {"asked": screen.asked, "verdict": verdict, "shows": account and account.identity}


def identity_switch_answered_late() -> Any:
    screen = Screen("success", delay=1.5)
    with with_screen(screen) as client:
        try:
            client.conditional_launch.did_become_active(window="inbox", timeout=0.5)
            end = "answered"
        except errors.DeadlineExceeded as error:
            end = error.name or ""
        time.sleep(2)
        return {"asked": screen.asked, "end": end, "alive": client.version_info.sdk_version() != ""}


def megabyte() -> Any:
    data = bytes(index * 7 % 251 for index in range(1 << 20))
    with enrolled() as client:
        sealed = client.data_protection_manager.protect(data, ALICE)
        opened = client.data_protection_manager.unprotect(sealed)
    return {"length": len(opened), "same": opened == data, "longer": len(sealed) > len(data)}


def fifty_calls() -> Any:
    with spawn() as client, ThreadPoolExecutor(50) as pool:
        client.initialize()
        after = client.events.list().next
        waiting = [pool.submit(client.events.list, after=after, wait_milliseconds=30000) for _ in range(50)]
        while not all(call.running() for call in waiting):
            time.sleep(0.01)
        client.enrollment_manager.register_and_enroll_account(ALICE)
        pages = [call.result() for call in waiting]
    return {"answered": len(pages), "withEvents": sum(bool(page.events) for page in pages)}


def cancel() -> Any:
    token = CancelToken()
    with spawn() as client:
        client.initialize()
        threading.Timer(0.3, token.cancel).start()
        start = time.monotonic()
        try:
            client.events.list(wait_milliseconds=60000, cancel=token)
            end = "answered"
        except errors.Cancelled as error:
            end = error.name or ""
        return {"end": end, "soon": time.monotonic() - start < 20, "alive": client.version_info.sdk_version() != ""}


def deadline() -> Any:
    with spawn() as client:
        client.initialize()
        start = time.monotonic()
        try:
            client.events.list(wait_milliseconds=60000, timeout=0.3)
            end: Dict[str, Any] = {"name": "answered"}
        except errors.DeadlineExceeded as error:
            end = {"name": error.name, "committed": error.data["committed"]}
        return {**end, "soon": time.monotonic() - start < 20, "alive": client.version_info.sdk_version() != ""}


def progress() -> Any:
    heard: List[Progress] = []
    with enrolled() as client:
        result = client.enrollment_manager.deregister_and_unenroll_account(ALICE, with_wipe=True, progress=heard.append)
    return {"status": result.status, "first": f"{heard[0].kind} {heard[0].percentage}" if heard else None}


def server_killed() -> Any:
    client = spawn()
    client.initialize()
    threading.Timer(0.3, lambda: os.kill(pid_of(client), signal.SIGKILL)).start()
    ends = []
    for _ in range(2):
        try:
            client.events.list(wait_milliseconds=60000)
            ends.append("answered")
        except ConnectionLost as lost:
            ends.append(f"signal {-(lost.exit_code or 0)}: {lost}")
    client.close()
    return {"ends": ends}


def server_gone_at_start() -> Any:
    with spawn() as client:
        try:
            client.version_info.sdk_version()
        except ConnectionLost as lost:
            return {"exitCode": lost.exit_code, "says": str(lost)}


def clean_shutdown() -> Any:
    client = enrolled()
    client.shutdown()
    client.close()
    client.close()
    try:
        client.version_info.sdk_version()
        end = "answered"
    except ConnectionLost:
        end = "lost"
    return {"exitCode": client.exit_code, "afterwards": end}


def end_of(call: Callable[[], object]) -> str:
    try:
        call()
    except ConnectionLost:
        return "lost"
    return "answered"


def end_without_status() -> Any:
    start = time.monotonic()
    client = spawn()
    client.initialize()
    os.kill(pid_of(client), signal.SIGKILL)
    end = end_of(client.version_info.sdk_version)
    client.close()
    return {"end": end, "soon": time.monotonic() - start < 20}


def reap() -> None:
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            time.sleep(0.001)


def reaper() -> Any:
    threading.Thread(target=reap, daemon=True).start()
    return end_without_status()


def ignored_sigchld() -> Any:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with spawn() as client:
        client.initialize()
    return end_without_status()


def fork() -> Any:
    with spawn() as client:
        client.initialize()
        start = time.monotonic()
        warnings.simplefilter("ignore", DeprecationWarning)  # Newer versions warn of threads.
        child = os.fork()
        if child == 0:
            end = end_of(client.version_info.sdk_version)
            client.close()
            os._exit(0 if end == "lost" else 1)
        _, status = os.waitpid(child, 0)
        return {"inFork": "lost" if status == 0 else f"status {status}", "soon": time.monotonic() - start < 20,
                "alive": client.version_info.sdk_version() != ""}


def signal_during_a_call() -> Any:
    token = CancelToken()
    handled: List[int] = []

    def handle(number: int, _: object) -> None:
        handled.append(number)
        token.cancel()

    signal.signal(signal.SIGUSR1, handle)
    with spawn() as client:
        client.initialize()
        start = time.monotonic()
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGUSR1)).start()
        try:
            client.events.list(wait_milliseconds=60000, cancel=token)
            end = "answered"
        except errors.Cancelled as error:
            end = error.name or ""
        return {"handled": len(handled) == 1, "end": end, "soon": time.monotonic() - start < 20,
                "alive": client.version_info.sdk_version() != ""}


def stopped_server() -> Any:
    client = spawn()
    client.initialize()
    start = time.monotonic()
    os.kill(pid_of(client), signal.SIGSTOP)
    try:
        client.version_info.sdk_version(timeout=0.3)
        late = ""
    except TimeoutError as error:
        late = str(error)
    os.kill(pid_of(client), signal.SIGCONT)
    alive = client.version_info.sdk_version() != ""
    client.close()
    return {"late": late, "alive": alive, "exitCode": client.exit_code, "soon": time.monotonic() - start < 20}


def default_sigpipe() -> Any:
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    with spawn() as client:
        client.initialize()
        os.kill(pid_of(client), signal.SIGSTOP)
        threading.Timer(0.3, lambda: os.kill(pid_of(client), signal.SIGKILL)).start()
        return {"end": end_of(lambda: client.data_protection_manager.protect(bytes(1 << 20), ALICE))}


SCENARIOS = {
    "enroll": enroll,
    "every value": every_value,
    "error by name": error_by_name,
    "event pushed": event_pushed,
    "challenge answered": challenge_answered,
    "identity switch answered": lambda: identity_switch("success"),
    "identity switch refused": lambda: identity_switch("failed"),
    "identity switch answered late": identity_switch_answered_late,
    "megabyte": megabyte,
    "fifty calls": fifty_calls,
    "cancel": cancel,
    "deadline": deadline,
    "progress": progress,
    "server killed": server_killed,
    "server gone at start": server_gone_at_start,
    "clean shutdown": clean_shutdown,
    "reaper": reaper,
    "ignored SIGCHLD": ignored_sigchld,
    "fork": fork,
    "signal during a call": signal_during_a_call,
    "stopped server": stopped_server,
    "default SIGPIPE": default_sigpipe,
}

if __name__ == "__main__":
    print(json.dumps(SCENARIOS[sys.argv[1]]()))
