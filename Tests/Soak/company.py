"""A tenant service and ten hosts, which are wiped, killed, moved in time, and get new policies and a full disk."""
from __future__ import annotations

import contextlib
import os
import queue
import random
import subprocess
import threading
import time
from pathlib import Path
from typing import Any, Callable, Iterator

from administrators import WRITER, Company
from mambridge import MambridgeError
from mambridge.failures import ConnectionLost
from processes import pid_of
from tenants import CHANGED, WIPED, Device
from waiting import wait_for
from walk import Wrong

HOSTS = 9  # the tenth is the probe's
STEADY = 3  # how many of them are never killed
# One has a manual clock, and one a state on a small disk.
CLOCK_HOST, DISK_HOST = 4, 5
DISK = 24 << 20
PATIENCE = 90
ENROLL = "enrollmentManager.registerAndEnrollAccount"
PAUSE = 0.05


def user(number: int) -> "tuple[str, str]":
    """The id and the name of the user of a host."""
    return f"0000000{number}-44d7-43e1-9a83-5f2406dee5bd", f"user{number}@contoso.example"


def make_company(program: str, folder: Path) -> Company:
    company = Company(program, folder, ["--limit", "burst=1000000", "--limit", "rate=100000"])
    for number in range(HOSTS + 1):
        identifier, name = user(number)
        company.tenant.tenant["users"].append(
            {"id": identifier, "userPrincipalName": name, "displayName": name, "groups": ["staff"]})
    company.tenant.write()
    return company


class SoakHost:
    """One host: works until it is told to do something else."""

    def __init__(
        self, number: int, binary: str, company: Company, folder: Path, seed: int, service_runs: threading.Lock
    ) -> None:
        self.service_runs = service_runs
        self.number, self.company, self.chance = number, company, random.Random(f"{seed} {number}")
        self.identifier, self.account = user(number)
        self.device = Device(binary, company.service.program, company.authority.path, folder, company.url)
        self.options = ["--clock", "manual"] if number == CLOCK_HOST else []
        self.orders: "queue.Queue[Callable[[], None]]" = queue.Queue()
        self.failure: "BaseException | None" = None
        self.has_ended, self.is_killed, self.is_full = threading.Event(), False, False
        # Held while it does what it was told to: it is not killed then.
        self.busy = threading.Lock()
        self.acts = self.wipes = self.kills = 0
        self.text, self.path = "", folder / "document"
        self.thread = threading.Thread(target=self._run)

    @property
    def name(self) -> str:
        return f"host {self.number}"

    def call(self, method: str, **params: Any) -> Any:
        assert self.device.client
        return self.device.client.call(method, params, timeout=PATIENCE)

    def begin(self) -> None:
        self.start()
        self.enroll()
        self.thread.start()

    def start(self) -> None:
        self.device.start(self.company.issuer.token(oid=self.identifier, lifetime=86_000), *self.options)

    def enroll(self) -> None:
        # The service may not listen yet after a kill, or not know the user yet.
        if not self.call(ENROLL, account=self.account)["didSucceed"]:
            wait_for(self.is_enrolled, f"{self.name} enrolls", PATIENCE, lambda: str(self.call("tenant.status")))
        self.text = self.call("dataProtectionManager.protectString", string="figures", account=self.account)
        self.path.unlink(missing_ok=True)
        self.call("file.close", handle=self.call("file.create", path=str(self.path), account=self.account)["handle"])

    def is_enrolled(self) -> bool:
        self.call("tenant.checkIn")
        return bool(self.call("enrollmentManager.enrolledAccounts"))

    def _run(self) -> None:
        try:
            while not self.has_ended.is_set():
                with contextlib.suppress(queue.Empty), self.busy:
                    self.orders.get_nowait()()
                try:
                    self.work()
                except (ConnectionLost, BrokenPipeError):
                    self.restart()
                time.sleep(PAUSE)
        except BaseException as failure:
            self.failure = failure

    def work(self) -> None:
        """One act of a host that wants something of its account."""
        self.acts += 1
        try:
            kind = self.chance.randrange(5)
            if kind == 0:
                self.expect(self.call("dataProtectionManager.unprotectString", string=self.text), "figures")
            elif kind == 1:
                self.write()
            elif kind == 2:
                self.call("settings.set", values={"AccentColor": f"#{self.chance.randrange(1 << 24):06X}"})
            elif kind == 3:
                self.call("diagnosticsLog.write", level="info", message=f"act {self.acts}")
            else:
                self.call("policy.isPINRequired", account=self.account)
        except MambridgeError as error:
            if not (self.is_full and ("space" in str(error) or error.code in (6005, 6006, 5001))):
                raise

    def write(self) -> None:
        data = self.chance.randbytes(self.chance.randrange(1, 20_000))
        handle = self.call("file.open", path=str(self.path))["handle"]
        try:
            self.call("file.truncate", handle=handle, length=0)
            self.call("file.pwrite", handle=handle, offset=0, data=data)
            self.expect(self.call("file.size", handle=handle), len(data))
        finally:
            self.call("file.close", handle=handle)

    def expect(self, found: object, expected: object) -> None:
        if found != expected:
            raise Wrong(f"{self.name} found {found!r} where {expected!r} was expected")

    def restart(self) -> None:
        if not self.is_killed:
            raise Wrong(f"{self.name} has ended by itself")
        self.device.kill()
        self.start()
        self.is_killed = False
        names = [account["identity"] for account in self.call("enrollmentManager.enrolledAccounts")]
        self.expect(names, [self.account])
        self.expect(self.call("dataProtectionManager.unprotectString", string=self.text), "figures")

    # What it is told to do. The first is called from another thread.

    def kill(self) -> None:
        """Does nothing if the host is busy, or is being started again."""
        if self.is_killed or not self.busy.acquire(blocking=False):
            return
        try:
            assert self.device.client
            self.is_killed = True
            self.kills += 1
            os.kill(pid_of(self.device.client), 9)
        finally:
            self.busy.release()

    def wipe(self) -> None:
        """An administrator wipes the account: once, all of it."""
        before = self.device.count(WIPED)
        with self.service_runs:
            self.order_wipe()
        wait_for(self.is_wiped, f"{self.name} is wiped", PATIENCE)
        wait_for(lambda: self.device.count(WIPED) > before, f"{self.name} tells of the wipe", PATIENCE)
        self.expect(self.device.count(WIPED), before + 1)
        self.expect(self.path.exists(), False)
        try:
            self.call("dataProtectionManager.unprotectString", string=self.text)
        except MambridgeError:
            pass
        else:
            raise Wrong(f"{self.name} opens text of a wiped account")
        self.wipes += 1
        self.enroll()

    def order_wipe(self) -> None:
        token = self.company.token(WRITER)
        apps = self.company.all(f"/v1.0/users/{self.identifier}/managedAppRegistrations")
        for tag in {app["deviceTag"] for app in apps}:
            path = f"/v1.0/users/{self.identifier}/wipeManagedAppRegistrationsByDeviceTag"
            answer = self.company.request("POST", path, f"Bearer {token}", {"deviceTag": tag})
            self.expect(answer.status, 204)

    def is_wiped(self) -> bool:
        if self.number == CLOCK_HOST:
            self.call("debug.advanceClock", by="PT31M")
        return not self.call("enrollmentManager.enrolledAccounts")

    def step_clock(self) -> None:
        self.call("debug.advanceClock", by=f"PT{self.chance.randrange(1, 300)}M")

    def fill_disk(self) -> None:
        """The disk of the state is full for a few acts, and has room again."""
        disk = self.device.state.parent
        space = os.statvfs(disk)
        filling = disk / "filling"
        # mambridge may take a page at the same time.
        with contextlib.suppress(OSError):
            filling.write_bytes(bytes(space.f_bavail * space.f_frsize))
        self.is_full = True
        try:
            for _ in range(20):
                self.work()
        finally:
            filling.unlink()
            self.is_full = False
        self.call("settings.set", values={"AccentColor": "#000000"})
        self.expect(self.call("dataProtectionManager.unprotectString", string=self.text), "figures")

    def end(self) -> None:
        self.has_ended.set()
        self.thread.join(2 * PATIENCE)
        self.device.end()
        if self.failure:
            raise Wrong(f"{self.name}: {type(self.failure).__name__} {self.failure}") from self.failure


@contextlib.contextmanager
def small_disk(folder: Path) -> "Iterator[bool]":
    """A file system of a few megabytes in the folder, which only root may mount. False: it is not there."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(folder)]
    is_mounted = os.geteuid() == 0 and subprocess.run(command, capture_output=True).returncode == 0
    try:
        yield is_mounted
    finally:
        if is_mounted:
            subprocess.run(["umount", "-l", str(folder)], check=True)


class Disturbances:
    """What happens to the hosts and the service, one disturbance after another."""

    def __init__(
        self, company: Company, hosts: "list[SoakHost]", seed: int, has_disk: bool, service_runs: threading.Lock
    ) -> None:
        self.service_runs = service_runs
        self.company, self.hosts, self.chance = company, hosts, random.Random(f"{seed} company")
        self.counts = {"policy changes": 0, "kills of the service": 0, "clock steps": 0, "full disks": 0}
        # The service is killed seldom, so that its lives are long enough to show a slope.
        self.kinds = 6 * [self.change_policy, self.wipe, self.kill, self.step_clock] + [self.kill_service]
        self.kinds += 3 * [self.fill_disk] if has_disk else []
        # Each kind happens once before chance decides.
        self.first = list(dict.fromkeys(self.kinds))
        self.length = 6

    def next(self) -> None:
        (self.first.pop() if self.first else self.chance.choice(self.kinds))()

    def change_policy(self) -> None:
        self.length = 4 + (self.length - 3) % 6
        self.company.tenant.write_policy(self.length)
        self.counts["policy changes"] += 1

    def wipe(self) -> None:
        host = self.chance.choice(self.hosts)
        if host.orders.empty():
            host.orders.put(host.wipe)

    def kill(self) -> None:
        host = self.chance.choice(self.hosts[STEADY:])
        host.kill()

    def kill_service(self) -> None:
        with self.service_runs:
            self.company.service.kill()
            self.company.service.start()
        self.counts["kills of the service"] += 1

    def step_clock(self) -> None:
        self.hosts[CLOCK_HOST].orders.put(self.hosts[CLOCK_HOST].step_clock)
        self.counts["clock steps"] += 1

    def fill_disk(self) -> None:
        self.hosts[DISK_HOST].orders.put(self.hosts[DISK_HOST].fill_disk)
        self.counts["full disks"] += 1

    @property
    def summary(self) -> "dict[str, int]":
        kills, acts = sum(host.kills for host in self.hosts), sum(host.acts for host in self.hosts)
        wipes = sum(host.wipes for host in self.hosts)
        return {**self.counts, "wipes": wipes, "kills of hosts": kills, "acts of hosts": acts}

    @property
    def has_changed(self) -> bool:
        """Whether a host has heard of a new policy."""
        return any(host.device.count(CHANGED) for host in self.hosts)
