"""A sandbox for a test that runs in asyncio."""
from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Type, TypeVar, Union

from .. import events
from ..aio.client import AsyncClient
from ..options import GRACE
from . import report
from .awaited import Awaited
from .setup import PATIENCE, REPORT, START, Setup, duration, full_name

if TYPE_CHECKING:
    from ..aio.host import AsyncHost
    from ..types import ClockTime, Device, DevicePlatform, EnrollmentStatus
    from .aio_network import AsyncNetwork

E = TypeVar("E", bound="events.Event")


class AsyncSandbox:
    """Sandbox, with verbs and a client to be awaited. It begins with `async with`, in the loop of the test.

        async with AsyncSandbox() as mam:
            await mam.enroll("alice")
            await mam.device(jailbroken=True)
            await mam.assert_blocked(await mam.client.conditional_launch.evaluate(), setting="deviceComplianceRequired")
    """

    def __init__(
        self, *, seed: str = "sample", at: Union[datetime, str, None] = None, binary: Optional[str] = None,
        settings: Optional[Mapping[str, Any]] = None, app_id: Optional[str] = None, timeout: float = 60.0,
    ) -> None:
        self._setup = Setup(seed, at, binary, settings, app_id)
        self._timeout = timeout
        self._joined: List[AsyncClient] = []
        self._network: Optional[AsyncNetwork] = None
        self._is_running = False
        self.client = AsyncClient.spawn(*self._setup.command, timeout=timeout)
        # The report, once it has ended.
        self.told = "The sandbox has not begun, or not ended."
        # The name of the test, if its runner prints the report. Else a failure inside `async with` gets it.
        self.test: Optional[str] = None
        # How the user answers from now on: user(pin="482913", sign_in=True).
        self.user = self.client.sandbox.answer
        # What the device is like: device(jailbroken=True).
        self.device = self.client.device.set
        # Let the policy source, its tokens or the clock fail: fault("source", "serviceUnavailable", times=1).
        self.fault = self.client.sandbox.fault
        self.clear_faults = self.client.sandbox.clear_faults
        # What to write for verbs that were not awaited. Empty if there are none.
        self.forgotten = Awaited(self).forgotten

    # Administrators

    async def policy(
        self, audience: str, settings: Optional[Mapping[str, Any]] = None, *, check_in: bool = True,
        name: Optional[str] = None, platform: Optional[DevicePlatform] = None, apps: Optional[Sequence[str]] = None,
        **more: Any,
    ) -> None:
        await self.client.sandbox.set_policy(
            full_name(audience), {**(settings or {}), **more}, name=name, platform=platform, apps=apps)
        if check_in:
            await self.check_in()

    async def configuration(
        self, audience: str, settings: Mapping[str, str], *, check_in: bool = True, name: Optional[str] = None,
        apps: Optional[Sequence[str]] = None,
    ) -> None:
        await self.client.sandbox.set_configuration(full_name(audience), settings, name=name, apps=apps)
        if check_in:
            await self.check_in()

    async def set_user(
        self, name: str, *, check_in: bool = True, groups: Optional[Sequence[str]] = None,
        licensed: Optional[bool] = None, enabled: Optional[bool] = None, **more: Any,
    ) -> None:
        await self.client.sandbox.set_user(full_name(name), groups=groups, licensed=licensed, enabled=enabled, **more)
        if check_in:
            await self.check_in()

    async def wipe(self, user: str, *, app: Optional[str] = None) -> None:
        found = await self.client.sandbox.wipe(full_name(user), app=app, push=True)
        if self._network is None:
            report.ordered(found)
        await self.advance()

    # The user, the device and the time

    async def enroll(self, user: str = "alice") -> EnrollmentStatus:
        return report.enrolled(await self.client.enrollment_manager.register_and_enroll_account(full_name(user)))

    async def check_in(self, user: Optional[str] = None) -> List[EnrollmentStatus]:
        return await self.client.tenant.check_in(account=user and full_name(user))

    async def offline(self) -> Device:
        return await self.client.device.set(network_available=False)

    async def online(self) -> Device:
        return await self.client.device.set(network_available=True)

    async def advance(self, by: Optional[timedelta] = None, **amounts: float) -> ClockTime:
        return await self.client.debug.advance_clock(duration(by, amounts))

    # What happened

    async def wait_for(self, kind: Type[E], *, user: Optional[str] = None, timeout: float = PATIENCE) -> E:
        found = await self.client.sandbox.wait_for_event(
            report.name_of(kind), account=user and full_name(user), milliseconds=round(timeout * 1000),
            timeout=timeout + GRACE)
        return report.event_of(found, kind)

    async def assert_blocked(self, answer: object = None, *, setting: Optional[str] = None) -> None:
        report.check(await self.client.sandbox.expect("blocked", setting=setting))

    async def assert_allowed(self, answer: object = None) -> None:
        report.check(await self.client.sandbox.expect("allowed"))

    async def story(self) -> str:
        return (await self.client.sandbox.report()).story

    async def replay(self, failure: str = "") -> str:
        return (await self.client.sandbox.report(failure=failure)).replay

    # The state

    async def save(self, name: str) -> None:
        await self.client.sandbox.save(name)

    async def restore(self, name: str) -> None:
        await self.client.sandbox.restore(name)

    async def reset(self) -> None:
        await self.client.sandbox.reset()

    async def environment(self) -> Dict[str, str]:
        return await self.client.sandbox.environment()

    async def join(
        self, *, host: Optional[AsyncHost] = None, on_event: Optional[Callable[[events.Event], Any]] = None,
        **environment: str,
    ) -> AsyncClient:
        joined = {**await self.environment(), **environment}
        return await self._begin(environment=joined, host=host, on_event=on_event)

    async def _begin(self, *arguments: str, **options: Any) -> AsyncClient:
        client = await AsyncClient.spawn(self._setup.binary, *arguments, timeout=self._timeout, **options)
        self._joined.append(client)
        return client

    async def network(self) -> AsyncNetwork:
        if self._network is None:
            from .aio_network import AsyncNetwork
            served = await self.client.sandbox.network()
            if self._network is None:  # Another call may have been faster.
                self._network = AsyncNetwork(self.client, served, self._begin)
        return self._network

    # The beginning and the end

    async def close(self, failure: str = "") -> None:
        """Ends the sandbox. Nothing is left of it but `told`."""
        if self._is_running:
            self._is_running = False
            self.told = await self.report(failure)
        while self._joined:
            await self._joined.pop().close()
        await self.client.close()

    async def report(self, failure: str = "") -> str:
        try:
            said: str = (await self.client.call("sandbox.report", timeout=REPORT, failure=failure))["text"]
            return said
        except Exception as error:
            return report.lost(self.client, error)

    async def __aenter__(self) -> "AsyncSandbox":
        try:
            await self.client
            await self.client.sandbox.story(timeout=START)
        except Exception as error:
            report.end_if_stuck(self.client, error)
            await self.client.close()
            raise self._setup.failure(error) from error
        self._is_running = True
        return self

    async def __aexit__(self, kind: object, error: Optional[BaseException], _: object) -> None:
        forgotten = self.forgotten()
        failure = error or (AssertionError(forgotten) if forgotten else None)
        summary = report.summary(failure, self.test)
        await self.close(summary)
        if summary and self.test is None:
            report.add_note(failure, self.told)
        if failure is not None and error is None:
            raise failure
        if forgotten:
            report.add_note(error, forgotten)
