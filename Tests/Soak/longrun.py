"""A long run of a company: samples of memory, descriptors, disk and latencies, and the page that shows them."""
from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Callable

from company import DISK_HOST, HOSTS, Disturbances, SoakHost, make_company, small_disk
from page import Plot, page
from processes import pid_of
from tenants import Device
from walk import Wrong

Say = Callable[[str], None]
HERE = Path(__file__).resolve().parent
# How long the slowest of 1,000 answers may take, as a multiple of the echo program's.
TAIL = 1.5
# With fewer answers, the slowest of 1,000 is chance.
ENOUGH = 20_000
# In seconds. A shorter run does not show what grows.
SHORT = 600


def build_echo(folder: Path) -> "list[str]":
    program = folder / "echo"
    compiler = os.environ.get("CC", "cc")
    done = subprocess.run([compiler, "-O2", "-o", str(program), str(HERE / "echo.c")], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"soak: {compiler} cannot build echo.c; install a C compiler or set CC\n{done.stderr}")
    return [str(program)]


class Probe:
    """Asks the tenth host and the echo program, in a process of its own."""

    def __init__(self, device: Device, token: str, echo: "list[str]", seconds: float) -> None:
        device.token_file.write_text(token)
        command = [device.binary, "--tenant", device.url, "--state", str(device.state), "--token-command",
                   f"cat {device.token_file}"]
        words = [sys.executable, str(HERE / "probe.py"), json.dumps(command), json.dumps(echo), str(seconds)]
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, **device.environment})
        self.lines: "list[dict[str, Any]]" = []
        self.thread = threading.Thread(target=self._read)
        self.thread.start()

    def _read(self) -> None:
        assert self.process.stdout
        with self.process.stdout:
            for line in self.process.stdout:
                self.lines.append(json.loads(line))

    def end(self) -> "dict[str, dict[str, float]]":
        """The percentiles of all answers."""
        assert self.process.stdin
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        status = self.process.wait(120)
        self.thread.join()
        if status != 0 or not self.lines or "all" not in self.lines[-1]:
            raise Wrong(f"the probe ended with status {status}")
        found: "dict[str, dict[str, float]]" = self.lines[-1]["all"]
        return found


class Samples:
    """What is measured every few seconds, and kept as lines of JSON."""

    def __init__(self, file: Path) -> None:
        self.file = file.open("w", buffering=1)
        self.begin = time.monotonic()
        self.memory = Plot("Memory", "MB", growth=4, share=0.1)
        self.descriptors = Plot("Open files", "descriptors", growth=3)
        # Logs grow to two files of 8 MiB; the service keeps what hosts and administrators did.
        self.disk = Plot("Disk", "MB", growth=20)
        self.latency = Plot("Latency of the host that is asked", "ms", growth=0.2, share=0.5)
        self.plots = [self.memory, self.descriptors, self.disk, self.latency]

    @property
    def second(self) -> float:
        return time.monotonic() - self.begin

    def note(self, plot: Plot, name: str, life: object, value: float) -> None:
        second = round(self.second, 2)
        plot.line(name).add(life, second, value)
        self.file.write(json.dumps({"second": second, "what": plot.title, "of": name, "life": life, "value": value}) + "\n")

    def process(self, name: str, pid: int) -> None:
        """Nothing if the process has just ended."""
        with contextlib.suppress(OSError):
            pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
            count = len(os.listdir(f"/proc/{pid}/fd"))
            if pages == 0:
                return
            self.note(self.memory, name, pid, pages * os.sysconf("SC_PAGE_SIZE") / 1e6)
            self.note(self.descriptors, name, pid, count)

    def folder(self, name: str, folder: Path) -> None:
        total = 0
        for path in folder.rglob("*"):
            with contextlib.suppress(OSError):
                total += path.stat().st_blocks * 512 if path.is_file() else 0
        self.note(self.disk, name, 0, total / 1e6)


def long_run(
    binary: str, program: str, seconds: float, seed: int, folder: Path, out: Path, say: Say, every: float = 5
) -> "list[str]":
    """Writes the page to `out`, also after a signal or a failure. Returns what was wrong."""
    out.mkdir(parents=True, exist_ok=True)
    samples = Samples(out / "samples.jsonl")
    wrong: "list[str]" = []
    facts = {"seed": str(seed), "programs": f"{binary}, {program}"}
    try:
        with small_disk(folder / "small") as has_disk:
            Run(binary, program, folder, seed, samples, has_disk, every).go(seconds, facts, wrong)
        if not has_disk:
            facts["not tried"] = "a full disk: only root may mount a small one"
    except KeyboardInterrupt:
        facts["stopped"] = "before its time"
    except (Wrong, AssertionError) as failure:
        wrong.append(str(failure))
    finally:
        passed = samples.second
        if passed >= SHORT:
            wrong += [text for plot in samples.plots for text in plot.growing(passed)]
        facts["length"] = f"{passed / 60:.1f} minutes"
        samples.file.close()
        (out / "page.html").write_text(page("A long run of ten hosts", list(facts.items()), wrong, samples.plots, passed))
    for name, value in facts.items():
        say(f"{name}: {value}")
    say(f"the page is {out / 'page.html'}")
    return wrong


class Run:
    def __init__(
        self, binary: str, program: str, folder: Path, seed: int, samples: Samples, has_disk: bool, every: float
    ) -> None:
        self.samples, self.every = samples, every
        self.echo = build_echo(folder)
        (folder / "service").mkdir()
        self.company = make_company(program, folder / "service")
        self.hosts = []
        # Held while the service is killed, and while an administrator asks it.
        service_runs = threading.Lock()
        for number in range(HOSTS):
            place = (folder / "small" if number == DISK_HOST else folder) / f"host-{number}"
            self.hosts.append(SoakHost(number, binary, self.company, place, seed, service_runs))
        # Its user is Alice.
        self.device = Device(binary, program, self.company.authority.path, folder / "asked", self.company.url)
        self.disturbances = Disturbances(self.company, self.hosts, seed, has_disk, service_runs)

    def go(self, seconds: float, facts: "dict[str, str]", wrong: "list[str]") -> None:
        try:
            for host in self.hosts:
                host.begin()
            probe = Probe(self.device, self.company.issuer.token(lifetime=86_000), self.echo, self.every)
            try:
                self.watch(seconds, probe)
            finally:
                figures = probe.end()
                facts.update(tail(figures, wrong))
        finally:
            self.end(wrong)
            # Hosts have finished by now what they were told to do.
            facts.update({name: f"{count:,}" for name, count in self.disturbances.summary.items()})
        if not self.disturbances.has_changed and self.disturbances.counts["policy changes"]:
            wrong.append("no host has heard of a new policy")

    def watch(self, seconds: float, probe: Probe) -> None:
        """Disturbs and measures until the time is over or a host has failed."""
        deadline = time.monotonic() + seconds
        pause = min(10.0, max(0.5, seconds / 120))
        next_sample = 0.0
        read = 0
        while time.monotonic() < deadline and not any(host.failure for host in self.hosts):
            self.disturbances.next()
            if time.monotonic() >= next_sample:
                next_sample = time.monotonic() + self.every
                self.sample()
            for line in probe.lines[read:]:
                self.samples.process("the host that is asked", line["pid"])
                for name in ("server", "echo"):
                    for part in ("p50", "p99"):
                        self.samples.note(self.samples.latency, f"{name} {part}", 0, line[name][part])
            read = len(probe.lines)
            time.sleep(pause)

    def sample(self) -> None:
        for host in self.hosts:
            with contextlib.suppress(AssertionError, AttributeError):
                assert host.device.client
                self.samples.process(host.name, pid_of(host.device.client))
            self.samples.folder(host.name, host.device.state)
        if self.company.service.process:
            self.samples.process("service", self.company.service.process.pid)
        self.samples.folder("service", self.company.service.store.parent)

    def end(self, wrong: "list[str]") -> None:
        for host in self.hosts:
            try:
                if host.thread.ident:
                    host.end()
            except Wrong as failure:
                wrong.append(str(failure))
                host.device.kill()
        with contextlib.suppress(AssertionError):
            self.company.close()


def tail(figures: "dict[str, dict[str, float]]", wrong: "list[str]") -> "dict[str, str]":
    """What the slowest answers took, compared with the echo program's."""
    server, echo = figures["server"], figures["echo"]
    ratio = server["p999"] / echo["p999"] if echo["count"] else 0.0
    if ratio > TAIL and server["count"] >= ENOUGH:
        wrong.append(f"p99.9 is {server['p999']:.2f} ms, {ratio:.2f} times the echo program's; the limit is {TAIL}")
    return {f"answers of the {name}": f"{each['count']:,.0f}; p50 {each['p50']:.3f} ms, p99 {each['p99']:.3f} ms, p99.9 "
            f"{each['p999']:.3f} ms, most {each['most']:.1f} ms" for name, each in figures.items()} | {
            "p99.9, as a multiple of the echo program's": f"{ratio:.2f}"}
