#!/usr/bin/env python3
"""async_driver.py SCENARIO COMMAND…: does a scenario with the Python client for asyncio. See ../README.md."""
from __future__ import annotations

import asyncio
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
from typing import Any, Awaitable, Dict, List

from mambridge import ConnectionLost, Progress, errors, events, requests, types
from mambridge.aio import AsyncClient, AsyncHost

ALICE, BOB = "alice@contoso.example", "bob@contoso.example"
COMMAND = sys.argv[2:]


def spawn(**options: Any) -> AsyncClient:
    return AsyncClient.spawn(*COMMAND, timeout=30, **options)


def pid_of(client: AsyncClient) -> int:
    """A signal to no process in particular would reach this one."""
    assert client.pid
    return client.pid


async def enroll() -> Any:
    async with spawn() as client:
        before = await client.enrollment_manager.enrolled_account()
        status = await client.enrollment_manager.register_and_enroll_account(ALICE)
        refused = await client.enrollment_manager.register_and_enroll_account(BOB)
        accounts = await client.enrollment_manager.registered_accounts()
    return {
        "before": before, "status": status.status, "statusCode": status.status_code, "didSucceed": status.did_succeed,
        "error": status.error, "access": status.access, "refused": refused.status,
        "domain": refused.error and refused.error.domain, "accounts": [account.identity for account in accounts]}


async def every_value() -> Any:
    async with spawn() as client:
        await client.enrollment_manager.register_and_enroll_account(ALICE)
        before = (await client.debug.advance_clock(timedelta(seconds=1))).time
        after = (await client.debug.advance_clock(timedelta(days=1, seconds=1))).time
        sealed = await client.data_protection_manager.protect(b"\x00\xff", ALICE)
        words = await client.data_protection_manager.protect_string("Grüße 👋\n\"\\", ALICE)
        await client.settings.set({"SplashIconFile~ipad": "icon.png", "AccentColor": "#0A84FF", "SplashDuration": 2.5})
        await client.settings.set({"AccentColor": None})
        settings = await client.settings.get(
            names=["SplashIconFile~ipad", "AccentColor", "SplashDuration", "MultiIdentity"])
        offered = [types.ShareTarget("com.example.notes", False), types.ShareTarget("com.contoso.mail", True, ALICE)]
        shared = await client.enforcement.filter_share_targets(offered, account=ALICE)
        await client.debug.set_policy({"periodBeforePinReset": timedelta(days=30), "pinRequired": True}, account=ALICE)
        checks = await client.strict_mode.disable(checks=["deprecatedAPI", "severeEvent"])
        await client.pin.set("2580", account=ALICE)
        config = client.app_config
        return {
            "seconds": (after - before) / timedelta(seconds=1),
            "bytes": (await client.data_protection_manager.unprotect(sealed)).hex(),
            "text": await client.data_protection_manager.unprotect_string(words),
            "true": await client.policy.is_pin_required(account=ALICE),
            "enum": await client.policy.notification_policy(account=ALICE),
            "enums": {check: check in checks for check in ("severeEvent", "upnIdentityParam")},
            "settings": {name: setting.value for name, setting in settings.items()},
            "sources": {name: setting.source for name, setting in settings.items()},
            "targets": [target.id for target in shared.targets],
            "number": await config.number_value_for_key("example.maximumAttachmentMegabytes", account=ALICE),
            "absent": await config.number_value_for_key("no.such.key", account=ALICE),
            "objects": sorted((await config.full_data(account=ALICE))[0]),
            "isSet": (await client.pin.status(account=ALICE)).is_set,
        }


async def error_by_name() -> Any:
    seen: List[Any] = []
    async with spawn() as client:
        await client.enrollment_manager.register_and_enroll_account(ALICE)
        try:
            await client.data_protection_manager.protect_string("", ALICE)
        except errors.EmptyData as error:
            seen.append({"name": error.name, "code": error.code, "domain": error.domain, "sdkCode": error.sdk_code,
                         "retryable": error.retryable, "message": error.message})
        try:
            await client.file.open(str(Path("no such file").absolute()))
        except errors.MambridgeError as error:
            seen.append({"name": error.name, "code": error.code, "hint": error.hint, "data": error.data})
    return seen


async def event_pushed() -> Any:
    arrived: "asyncio.Queue[events.Event]" = asyncio.Queue()
    async with spawn(on_event=arrived.put) as client:
        await client.initialize(events=["policyManager.policyDidChange"])
        await client.enrollment_manager.register_and_enroll_account(ALICE)
        event = await asyncio.wait_for(arrived.get(), 30)
    assert isinstance(event, events.PolicyDidChange)
    return {"event": event.event, "identity": event.identity, "numbered": event.seq > 0, "year": event.time.year > 2000}


class Screen(AsyncHost):
    """Sets the PIN when asked to, but refuses to enter it. Answers an identity switch as it is told."""

    def __init__(self, answer: str, delay: float = 0) -> None:
        self.answer = answer
        self.delay = delay
        self.asked: List[str] = []
        self.client: AsyncClient

    async def prompt_for_pin(self, request: requests.PromptForPIN) -> types.EnteredPIN:
        self.asked.append(f"{request.challenge.kind} in {request.challenge.window}")
        if request.challenge.kind == "setPIN":
            return types.EnteredPIN(pin="2580")
        raise errors.Canceled()

    async def identity_switch_required(self, request: requests.IdentitySwitchRequired) -> types.AddIdentityResultInput:
        self.asked.append(f"{request.reason} to {request.identity!r} in {request.window}")
        await asyncio.sleep(self.delay)
        if self.answer == "failed":
            return "failed"
        switched = await self.client.policy_manager.set_ui_policy_identity("", window="inbox")
        return "success" if switched == "success" else "failed"


async def show_alice(screen: Screen, client: AsyncClient) -> str:
    screen.client = client
    await client.initialize()
    await client.enrollment_manager.register_and_enroll_account(ALICE)
    return await client.policy_manager.set_ui_policy_identity(ALICE, window="inbox")


async def challenge_answered() -> Any:
    screen = Screen("success")
    async with spawn(host=screen) as client:
        shown = await show_alice(screen, client)
        return {"asked": screen.asked, "shown": shown, "isSet": (await client.pin.status(account=ALICE)).is_set}


async def identity_switch(answer: str) -> Any:
    screen = Screen(answer)
    async with spawn(host=screen) as client:
        await show_alice(screen, client)
        await client.debug.advance_clock(timedelta(hours=1))
        verdict = (await client.conditional_launch.did_become_active(window="inbox")).verdict
        account = await client.policy_manager.get_ui_policy_identity(window="inbox")
        return {"asked": screen.asked, "verdict": verdict, "shows": account and account.identity}


async def identity_switch_answered_late() -> Any:
    screen = Screen("success", delay=1.5)
    async with spawn(host=screen) as client:
        await show_alice(screen, client)
        await client.debug.advance_clock(timedelta(hours=1))
        try:
            await client.conditional_launch.did_become_active(window="inbox", timeout=0.5)
            end = "answered"
        except errors.DeadlineExceeded as error:
            end = error.name or ""
        await asyncio.sleep(2)
        return {"asked": screen.asked, "end": end, "alive": await is_alive(client)}


async def is_alive(client: AsyncClient) -> bool:
    return await client.version_info.sdk_version() != ""


async def megabyte() -> Any:
    data = bytes(index * 7 % 251 for index in range(1 << 20))
    async with spawn() as client:
        await client.enrollment_manager.register_and_enroll_account(ALICE)
        sealed = await client.data_protection_manager.protect(data, ALICE)
        opened = await client.data_protection_manager.unprotect(sealed)
    return {"length": len(opened), "same": opened == data, "longer": len(sealed) > len(data)}


async def fifty_calls() -> Any:
    async with spawn() as client:
        await client.initialize()
        after = (await client.events.list()).next
        waiting = [
            asyncio.ensure_future(client.events.list(after=after, wait_milliseconds=30000)) for _ in range(50)]
        await client.enrollment_manager.register_and_enroll_account(ALICE)
        pages = await asyncio.gather(*waiting)
    return {"answered": len(pages), "withEvents": sum(bool(page.events) for page in pages)}


async def cancel() -> Any:
    async with spawn() as client:
        await client.initialize()
        start = time.monotonic()
        waiting = asyncio.ensure_future(client.events.list(wait_milliseconds=60000))
        asyncio.get_running_loop().call_later(0.3, waiting.cancel)
        try:
            await waiting
            end = "answered"
        except asyncio.CancelledError:
            end = "cancelled"
        return {"end": end, "soon": time.monotonic() - start < 20, "alive": await is_alive(client)}


async def deadline() -> Any:
    async with spawn() as client:
        await client.initialize()
        start = time.monotonic()
        try:
            await client.events.list(wait_milliseconds=60000, timeout=0.3)
            end: Dict[str, Any] = {"name": "answered"}
        except errors.DeadlineExceeded as error:
            end = {"name": error.name, "committed": error.data["committed"]}
        return {**end, "soon": time.monotonic() - start < 20, "alive": await is_alive(client)}


async def progress() -> Any:
    heard: List[Progress] = []
    async with spawn() as client:
        await client.enrollment_manager.register_and_enroll_account(ALICE)
        result = await client.enrollment_manager.deregister_and_unenroll_account(
            ALICE, with_wipe=True, progress=heard.append)
    return {"status": result.status, "first": f"{heard[0].kind} {heard[0].percentage}" if heard else None}


async def server_killed() -> Any:
    client = await spawn()
    await client.initialize()
    asyncio.get_running_loop().call_later(0.3, lambda: os.kill(pid_of(client), signal.SIGKILL))
    ends = []
    for _ in range(2):
        try:
            await client.events.list(wait_milliseconds=60000)
            ends.append("answered")
        except ConnectionLost as lost:
            ends.append(f"signal {-(lost.exit_code or 0)}: {lost}")
    await client.close()
    return {"ends": ends}


async def server_gone_at_start() -> Any:
    async with spawn() as client:
        try:
            await client.version_info.sdk_version()
        except ConnectionLost as lost:
            return {"exitCode": lost.exit_code, "says": str(lost)}


async def clean_shutdown() -> Any:
    client = await spawn()
    await client.enrollment_manager.register_and_enroll_account(ALICE)
    await client.shutdown()
    await client.close()
    await client.close()
    try:
        await client.version_info.sdk_version()
        end = "answered"
    except ConnectionLost:
        end = "lost"
    return {"exitCode": client.exit_code, "afterwards": end}


async def end_of(call: Awaitable[object]) -> str:
    try:
        await call
    except ConnectionLost:
        return "lost"
    return "answered"


async def end_without_status() -> Any:
    start = time.monotonic()
    client = await spawn()
    await client.initialize()
    os.kill(pid_of(client), signal.SIGKILL)
    end = await end_of(client.version_info.sdk_version())
    await client.close()
    return {"end": end, "soon": time.monotonic() - start < 20}


def reap() -> None:
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            time.sleep(0.001)


async def reaper() -> Any:
    threading.Thread(target=reap, daemon=True).start()
    return await end_without_status()


async def ignored_sigchld() -> Any:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    async with spawn() as client:
        await client.initialize()
    return await end_without_status()


async def end_in_fork(client: AsyncClient) -> str:
    end = await end_of(client.version_info.sdk_version())
    await client.close()
    return end


async def fork() -> Any:
    async with spawn() as client:
        await client.initialize()
        start = time.monotonic()
        warnings.simplefilter("ignore", DeprecationWarning)  # Newer versions warn of threads.
        child = os.fork()
        if child == 0:
            # The loop of the parent does not run here.
            with ThreadPoolExecutor(1) as pool:
                end = pool.submit(asyncio.run, end_in_fork(client)).result()
            os._exit(0 if end == "lost" else 1)
        _, status = os.waitpid(child, 0)
        return {"inFork": "lost" if status == 0 else f"status {status}", "soon": time.monotonic() - start < 20,
                "alive": await is_alive(client)}


async def signal_during_a_call() -> Any:
    handled: List[int] = []
    async with spawn() as client:
        await client.initialize()
        start = time.monotonic()
        waiting = asyncio.ensure_future(client.events.list(wait_milliseconds=60000))

        def handle() -> None:
            handled.append(1)
            waiting.cancel()

        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGUSR1, handle)
        loop.call_later(0.3, os.kill, os.getpid(), signal.SIGUSR1)
        try:
            await waiting
            end = "answered"
        except asyncio.CancelledError:
            end = "cancelled"
        return {"handled": len(handled) == 1, "end": end, "soon": time.monotonic() - start < 20,
                "alive": await is_alive(client)}


async def stopped_server() -> Any:
    client = await spawn()
    await client.initialize()
    start = time.monotonic()
    os.kill(pid_of(client), signal.SIGSTOP)
    try:
        await client.version_info.sdk_version(timeout=0.3)
        late = ""
    except TimeoutError as error:
        late = str(error)
    os.kill(pid_of(client), signal.SIGCONT)
    alive = await is_alive(client)
    await client.close()
    return {"late": late, "alive": alive, "exitCode": client.exit_code, "soon": time.monotonic() - start < 20}


async def default_sigpipe() -> Any:
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    async with spawn() as client:
        await client.initialize()
        os.kill(pid_of(client), signal.SIGSTOP)
        asyncio.get_running_loop().call_later(0.3, os.kill, pid_of(client), signal.SIGKILL)
        return {"end": await end_of(client.data_protection_manager.protect(bytes(1 << 20), ALICE))}


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
    print(json.dumps(asyncio.run(SCENARIOS[sys.argv[1]]())))
