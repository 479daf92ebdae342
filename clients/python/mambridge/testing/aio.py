"""A sandbox for a test that runs in asyncio."""
from __future__ import annotations

import sys
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Type, TypeVar, Union

from .. import events
from ..aio.client import AsyncClient
from . import report
from .recording import AsyncRecordingClient
from .setup import REPORT, START, Setup, full_name
from .verbs import PATIENCE, Steps, Verbs

if TYPE_CHECKING:
    from ..aio.host import AsyncHost
    from ..types import ClockTime, Device, DevicePlatform, EnrollmentStatus

T = TypeVar("T")
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
        self._has_joined = False
        client = AsyncRecordingClient.spawn(*self._setup.command, timeout=timeout)
        assert isinstance(client, AsyncRecordingClient)
        self.client = client
        self._verbs = Verbs(client)
        self._told: Optional[str] = None
        self._has_begun = False
        # Whether a failure inside `async with` gets the story, which nobody else prints.
        self.adds_notes = True
        # How the user answers from now on: user(pin="482913", sign_in=True).
        self.user = client.sandbox.answer
        # What the device is like: device(jailbroken=True).
        self.device = client.device.set

    # Administrators

    async def policy(
        self, audience: str, settings: Optional[Mapping[str, Any]] = None, *, check_in: bool = True,
        name: Optional[str] = None, platform: Optional[DevicePlatform] = None, apps: Optional[Sequence[str]] = None,
        **more: Any,
    ) -> None:
        options = {"name": name, "platform": platform, "apps": apps}
        await self._run(self._verbs.policy(audience, {**(settings or {}), **more}, check_in, options))

    async def configuration(
        self, audience: str, settings: Mapping[str, str], *, check_in: bool = True, name: Optional[str] = None,
        apps: Optional[Sequence[str]] = None,
    ) -> None:
        await self._run(self._verbs.configuration(audience, settings, check_in, {"name": name, "apps": apps}))

    async def set_user(
        self, name: str, *, check_in: bool = True, groups: Optional[Sequence[str]] = None,
        licensed: Optional[bool] = None, enabled: Optional[bool] = None, **more: Any,
    ) -> None:
        options = {"groups": groups, "licensed": licensed, "enabled": enabled, **more}
        await self._run(self._verbs.set_user(name, check_in, options))

    async def wipe(self, user: str, *, app: Optional[str] = None) -> None:
        await self._run(self._verbs.wipe(user, app))

    # The user, the device and the time

    async def enroll(self, user: str = "alice") -> EnrollmentStatus:
        return await self.client.enrollment_manager.register_and_enroll_account(full_name(user))

    async def check_in(self, user: Optional[str] = None) -> List[EnrollmentStatus]:
        return await self.client.tenant.check_in(account=None if user is None else full_name(user))

    async def offline(self) -> Device:
        return await self.client.device.set(network_available=False)

    async def online(self) -> Device:
        return await self.client.device.set(network_available=True)

    async def advance(self, by: Optional[timedelta] = None, **amounts: float) -> ClockTime:
        return await self.client.debug.advance_clock(timedelta(**amounts) if by is None else by)

    # What happened

    async def wait_for(self, kind: Type[E], *, user: Optional[str] = None, timeout: float = PATIENCE) -> E:
        __tracebackhide__ = True
        return await self._run(self._verbs.wait_for(kind, user, timeout))

    async def assert_blocked(self, answer: object, *, setting: Optional[str] = None) -> None:
        __tracebackhide__ = True
        await self._run(self._verbs.assert_blocked(answer, setting))

    async def assert_allowed(self, answer: object) -> None:
        __tracebackhide__ = True
        await self._run(self._verbs.assert_allowed(answer))

    async def story(self) -> str:
        return report.story_text(await self.client.sandbox.story(timeout=REPORT))

    def replay(self, failure: str = "") -> str:
        return report.replay(self._setup, self.client.record, failure, joined=self._has_joined)

    # The state

    async def save(self, name: str) -> None:
        await self.client.sandbox.save(name)

    async def restore(self, name: str) -> None:
        await self.client.sandbox.restore(name)
        await self._run(self._verbs.begin_again())

    async def reset(self) -> None:
        await self.client.sandbox.reset()
        await self._run(self._verbs.begin_again())

    async def environment(self) -> Dict[str, str]:
        return await self.client.sandbox.environment()

    async def join(
        self, *, host: Optional[AsyncHost] = None, on_event: Optional[Callable[[events.Event], Any]] = None,
        **environment: str,
    ) -> AsyncClient:
        client = await AsyncClient.spawn(
            self._setup.binary, environment={**await self.environment(), **environment}, host=host, on_event=on_event,
            timeout=self._timeout)
        self._joined.append(client)
        self._has_joined = True
        return client

    # The beginning and the end

    async def close(self) -> None:
        """Ends the sandbox. Nothing is left of it but its story."""
        if self._told is None and self._has_begun:
            try:
                self._told = report.STUCK if self.client.record.is_stuck else await self.story()
            except Exception as error:
                self._told = f"The story is lost: {error}"
        while self._joined:
            await self._joined.pop().close()
        await self.client.close()

    def report(self, failure: str = "") -> str:
        """The story and the replay, after the end."""
        return report.joined(self._told or "The sandbox has not begun, or not ended.", self.replay(failure))

    async def __aenter__(self) -> "AsyncSandbox":
        try:
            await self.client
            await self.client.sandbox.story(timeout=START)
        except Exception as error:
            await self.client.close()
            raise self._setup.failure(error) from error
        self._has_begun = True
        return self

    async def __aexit__(self, kind: object, error: Optional[BaseException], _: object) -> None:
        await self.close()
        if self.adds_notes and isinstance(error, Exception) and not report.is_skip(error):
            text = self.report(report.summary(error))
            if sys.version_info >= (3, 11):
                error.add_note(text)
            else:
                print(text, file=sys.stderr)

    async def _run(self, steps: Steps[T]) -> T:
        __tracebackhide__ = True
        step: Callable[[], Any] = partial(next, steps)
        while True:
            try:
                waiting = step()
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            try:
                step = partial(steps.send, await waiting)
            except BaseException as error:
                step = partial(steps.throw, error)
