"""A sandbox for a test."""
from __future__ import annotations

import sys
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Type, TypeVar, Union

from .. import events
from ..client import Client
from . import report
from .recording import RecordingClient
from .setup import REPORT, START, Setup, full_name
from .verbs import PATIENCE, Steps, Verbs

if TYPE_CHECKING:
    from ..host import Host
    from ..types import ClockTime, Device, DevicePlatform, EnrollmentStatus

T = TypeVar("T")
E = TypeVar("E", bound="events.Event")


class Sandbox:
    """A fresh tenant, a clock that stands still and a user who answers, for one test. `client` is its typed client.

        with Sandbox() as mam:
            mam.enroll("alice")
            mam.device(jailbroken=True)
            mam.assert_blocked(mam.client.conditional_launch.evaluate(), setting="deviceComplianceRequired")

    `alice`, `bob`, `carol` and `dave` are short for the users of the sample tenant; every other name is as written.
    A failure inside `with` gets the story and a script that replays it. SandboxError if the sandbox cannot start. No
    call waits longer than `timeout` seconds. The options are those of setup.Setup.
    """

    def __init__(
        self, *, seed: str = "sample", at: Union[datetime, str, None] = None, binary: Optional[str] = None,
        settings: Optional[Mapping[str, Any]] = None, app_id: Optional[str] = None, timeout: float = 60.0,
    ) -> None:
        self._setup = Setup(seed, at, binary, settings, app_id)
        self._timeout = timeout
        self._joined: List[Client] = []
        self._has_joined = False
        # Whether a failure inside `with` gets the story, which nobody else prints.
        self.adds_notes = True
        try:
            client = RecordingClient.spawn(*self._setup.command, timeout=timeout)
            assert isinstance(client, RecordingClient)
        except OSError as error:
            raise self._setup.failure(error) from error
        self.client = client
        try:
            client.sandbox.story(timeout=START)
        except Exception as error:
            client.close()
            raise self._setup.failure(error) from error
        self._verbs = Verbs(client)
        # How the user answers from now on: user(pin="482913", sign_in=True).
        self.user = client.sandbox.answer
        # What the device is like: device(jailbroken=True).
        self.device = client.device.set

    # Administrators

    def policy(
        self, audience: str, settings: Optional[Mapping[str, Any]] = None, *, check_in: bool = True,
        name: Optional[str] = None, platform: Optional[DevicePlatform] = None, apps: Optional[Sequence[str]] = None,
        **more: Any,
    ) -> None:
        """Writes a policy for a user, a group or everybody (`"*"`), by names of Graph or the SDK. Accounts check in."""
        options = {"name": name, "platform": platform, "apps": apps}
        self._run(self._verbs.policy(audience, {**(settings or {}), **more}, check_in, options))

    def configuration(
        self, audience: str, settings: Mapping[str, str], *, check_in: bool = True, name: Optional[str] = None,
        apps: Optional[Sequence[str]] = None,
    ) -> None:
        """Writes an app configuration for a user, a group or everybody (`"*"`). Accounts check in."""
        self._run(self._verbs.configuration(audience, settings, check_in, {"name": name, "apps": apps}))

    def set_user(
        self, name: str, *, check_in: bool = True, groups: Optional[Sequence[str]] = None,
        licensed: Optional[bool] = None, enabled: Optional[bool] = None, **more: Any,
    ) -> None:
        """Adds a user to the tenant, or changes one, as `sandbox.setUser` does. Accounts check in."""
        options = {"groups": groups, "licensed": licensed, "enabled": enabled, **more}
        self._run(self._verbs.set_user(name, check_in, options))

    def wipe(self, user: str, *, app: Optional[str] = None) -> None:
        """Orders a wipe of the data of a user, and lets the account do it."""
        self._run(self._verbs.wipe(user, app))

    # The user, the device and the time

    def enroll(self, user: str = "alice") -> EnrollmentStatus:
        return self.client.enrollment_manager.register_and_enroll_account(full_name(user))

    def check_in(self, user: Optional[str] = None) -> List[EnrollmentStatus]:
        """Checks in one account, or all."""
        return self.client.tenant.check_in(account=None if user is None else full_name(user))

    def offline(self) -> Device:
        """Takes the network away."""
        return self.client.device.set(network_available=False)

    def online(self) -> Device:
        return self.client.device.set(network_available=True)

    def advance(self, by: Optional[timedelta] = None, **amounts: float) -> ClockTime:
        """Moves the clock by a timedelta, or by the arguments of one: `advance(days=91)`. At most 366 days."""
        return self.client.debug.advance_clock(timedelta(**amounts) if by is None else by)

    # What happened

    def wait_for(self, kind: Type[E], *, user: Optional[str] = None, timeout: float = PATIENCE) -> E:
        """Returns the first event of a kind that no earlier wait has returned. AssertionError if none comes in time."""
        __tracebackhide__ = True
        return self._run(self._verbs.wait_for(kind, user, timeout))

    def assert_blocked(self, answer: object, *, setting: Optional[str] = None) -> None:
        """Fails, with the reasons, unless an answer of `client` blocks; with `setting`, unless that setting blocks."""
        __tracebackhide__ = True
        self._run(self._verbs.assert_blocked(answer, setting))

    def assert_allowed(self, answer: object) -> None:
        """Fails, with the reasons, unless an answer of `client` allows."""
        __tracebackhide__ = True
        self._run(self._verbs.assert_allowed(answer))

    def story(self) -> str:
        """What happened, in plain words."""
        return report.story_text(self.client.sandbox.story(timeout=REPORT))

    def replay(self, failure: str = "") -> str:
        """A script for bash that starts a sandbox like this and repeats the calls of `client`."""
        return report.replay(self._setup, self.client.record, failure, joined=self._has_joined)

    # The state

    def save(self, name: str) -> None:
        """Keeps the state, the tenant and the time under a name."""
        self.client.sandbox.save(name)

    def restore(self, name: str) -> None:
        """Brings back what was saved under a name."""
        self.client.sandbox.restore(name)
        self._run(self._verbs.begin_again())

    def reset(self) -> None:
        """Brings back what the sandbox began with."""
        self.client.sandbox.reset()
        self._run(self._verbs.begin_again())

    def environment(self) -> Dict[str, str]:
        """The variables with which an app that starts mambridge itself joins the sandbox."""
        return self.client.sandbox.environment()

    def join(
        self, *, host: Optional[Host] = None, on_event: Optional[Callable[[events.Event], None]] = None,
        **environment: str,
    ) -> Client:
        """Starts a server that joins the sandbox, with a client of its own, as an app does. `host` answers its questions.

        It ends with the sandbox. Until it is closed, `restore` and `reset` fail.
        """
        client = Client.spawn(
            self._setup.binary, environment={**self.environment(), **environment}, host=host, on_event=on_event,
            timeout=self._timeout)
        self._joined.append(client)
        self._has_joined = True
        return client

    # The end

    def close(self) -> None:
        """Ends the sandbox. Nothing is left of it."""
        while self._joined:
            self._joined.pop().close()
        self.client.close()

    def report(self, failure: str = "") -> str:
        """The story and the replay, or why there is none: for a test that has failed."""
        try:
            story = report.STUCK if self.client.record.is_stuck else self.story()
        except Exception as error:
            story = f"The story is lost: {error}"
        return report.joined(story, self.replay(failure))

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, kind: object, error: Optional[BaseException], _: object) -> None:
        if self.adds_notes and isinstance(error, Exception) and not report.is_skip(error):
            text = self.report(report.summary(error))
            if sys.version_info >= (3, 11):
                error.add_note(text)
            else:
                print(text, file=sys.stderr)
        self.close()

    def _run(self, steps: Steps[T]) -> T:
        __tracebackhide__ = True
        result: Any = None
        while True:
            try:
                result = steps.send(result)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
