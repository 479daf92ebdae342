"""A sandbox for a test."""
from __future__ import annotations

import threading
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Type, TypeVar, Union

from .. import events
from ..client import Client
from ..options import GRACE
from . import report
from .setup import PATIENCE, REPORT, START, Setup, duration, full_name

if TYPE_CHECKING:
    from ..host import Host
    from ..types import ClockTime, Device, DevicePlatform, EnrollmentStatus
    from .network import Network

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
        self._network: Optional[Network] = None
        self._starting = threading.Lock()
        try:
            self.client = Client.spawn(*self._setup.command, timeout=timeout)
        except OSError as error:
            raise self._setup.failure(error) from error
        try:
            self.client.sandbox.story(timeout=START)
        except Exception as error:
            report.end_if_stuck(self.client, error)
            self.client.close()
            raise self._setup.failure(error) from error
        # How the user answers from now on: user(pin="482913", sign_in=True).
        self.user = self.client.sandbox.answer
        # What the device is like: device(jailbroken=True).
        self.device = self.client.device.set
        # Let the policy source, its tokens or the clock fail: fault("source", "serviceUnavailable", times=1).
        self.fault = self.client.sandbox.fault
        self.clear_faults = self.client.sandbox.clear_faults

    # Administrators

    def policy(
        self, audience: str, settings: Optional[Mapping[str, Any]] = None, *, check_in: bool = True,
        name: Optional[str] = None, platform: Optional[DevicePlatform] = None, apps: Optional[Sequence[str]] = None,
        **more: Any,
    ) -> None:
        """Writes a policy for a user, a group or everybody (`"*"`), by names of Graph or the SDK. Accounts check in."""
        self.client.sandbox.set_policy(
            full_name(audience), {**(settings or {}), **more}, name=name, platform=platform, apps=apps)
        if check_in:
            self.check_in()

    def configuration(
        self, audience: str, settings: Mapping[str, str], *, check_in: bool = True, name: Optional[str] = None,
        apps: Optional[Sequence[str]] = None,
    ) -> None:
        """Writes an app configuration for a user, a group or everybody (`"*"`). Accounts check in."""
        self.client.sandbox.set_configuration(full_name(audience), settings, name=name, apps=apps)
        if check_in:
            self.check_in()

    def set_user(
        self, name: str, *, check_in: bool = True, groups: Optional[Sequence[str]] = None,
        licensed: Optional[bool] = None, enabled: Optional[bool] = None, **more: Any,
    ) -> None:
        """Adds a user to the tenant, or changes one, as `sandbox.setUser` does. Accounts check in."""
        self.client.sandbox.set_user(full_name(name), groups=groups, licensed=licensed, enabled=enabled, **more)
        if check_in:
            self.check_in()

    def wipe(self, user: str, *, app: Optional[str] = None) -> None:
        """Orders a wipe of the data of a user, and lets the account do it."""
        # The account learns of the wipe at a check-in. Moving the clock by nothing runs what is due: the wipe.
        found = self.client.sandbox.wipe(full_name(user), app=app, push=True)
        if self._network is None:
            report.ordered(found)
        self.advance()

    # The user, the device and the time

    def enroll(self, user: str = "alice") -> EnrollmentStatus:
        """Enrolls a user as an app does. Fails if the tenant does not list the user."""
        return report.enrolled(self.client.enrollment_manager.register_and_enroll_account(full_name(user)))

    def check_in(self, user: Optional[str] = None) -> List[EnrollmentStatus]:
        """Checks in one account, or all."""
        return self.client.tenant.check_in(account=user and full_name(user))

    def offline(self) -> Device:
        """Takes the network away."""
        return self.client.device.set(network_available=False)

    def online(self) -> Device:
        return self.client.device.set(network_available=True)

    def advance(self, by: Optional[timedelta] = None, **amounts: float) -> ClockTime:
        """Moves the clock by a timedelta, or by the arguments of one: `advance(days=91)`. At most 366 days."""
        return self.client.debug.advance_clock(duration(by, amounts))

    # What happened

    def wait_for(self, kind: Type[E], *, user: Optional[str] = None, timeout: float = PATIENCE) -> E:
        """Returns the first event of a kind that no earlier wait has returned. AssertionError if none comes in time."""
        found = self.client.sandbox.wait_for_event(
            report.name_of(kind), account=user and full_name(user), milliseconds=round(timeout * 1000),
            timeout=timeout + GRACE)
        return report.event_of(found, kind)

    def assert_blocked(self, answer: object = None, *, setting: Optional[str] = None) -> None:
        """Fails, with the reasons, unless the answer to the newest question of `client` blocks, because of `setting`.

        The server knows the answer. Pass it to show in the test which question it is.
        """
        report.check(self.client.sandbox.expect("blocked", setting=setting))

    def assert_allowed(self, answer: object = None) -> None:
        """Fails, with the reasons, unless the answer to the newest question of `client` allows."""
        report.check(self.client.sandbox.expect("allowed"))

    def story(self) -> str:
        """What happened, in plain words."""
        return self.client.sandbox.report().story

    def replay(self, failure: str = "") -> str:
        """A script for bash that starts a sandbox like this and repeats the calls of `client`."""
        return self.client.sandbox.report(failure=failure).replay

    # The state

    def save(self, name: str) -> None:
        """Keeps the state, the tenant and the time under a name."""
        self.client.sandbox.save(name)

    def restore(self, name: str) -> None:
        """Brings back what was saved under a name."""
        self.client.sandbox.restore(name)

    def reset(self) -> None:
        """Brings back what the sandbox began with."""
        self.client.sandbox.reset()

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
        return self._begin(environment={**self.environment(), **environment}, host=host, on_event=on_event)

    def _begin(self, *arguments: str, **options: Any) -> Client:
        """Starts a server that ends with the sandbox."""
        client = Client.spawn(self._setup.binary, *arguments, timeout=self._timeout, **options)
        self._joined.append(client)
        return client

    def network(self) -> Network:
        """Serves the tenant over the network, with an identity provider and Graph: the same one each time.

            alice = mam.network().join("alice")
            alice.enrollment_manager.register_and_enroll_account("alice@contoso.example")
            mam.network().fault("checkIn", "serviceUnavailable", times=1)

        Needs mambridge-tenant. errors.NetworkFailed if it cannot start.
        """
        with self._starting:
            if self._network is None:
                from .network import Network
                self._network = Network(self.client, self.client.sandbox.network(), self._begin)
            return self._network

    # The end

    def close(self) -> None:
        """Ends the sandbox. Nothing is left of it."""
        while self._joined:
            self._joined.pop().close()
        self.client.close()

    def report(self, failure: str = "") -> str:
        """The story, the last requests to the network and the replay, or why there are none: for a failed test."""
        try:
            # Calls without types wait no longer than their time limit.
            said: str = self.client.call("sandbox.report", timeout=REPORT, failure=failure)["text"]
            return said
        except Exception as error:
            return report.lost(self.client, error)

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, kind: object, error: Optional[BaseException], _: object) -> None:
        if failure := report.summary(error):
            report.add_note(error, self.report(failure))
        self.close()
