"""power_loss.py [WORKLOAD…] [--states N] [--records FOLDER] [--workers N] [--syncs] [--seed TEXT]: cuts the power where it
hurts.

Runs each workload once under the recorder, builds the states in which the disk may be after a cut (disk_states.py), and
opens each with the real program: nothing that was acknowledged is missing, what was under way happened or did not, and
nothing of a wiped account is back. Prints each kind of failure once, reduced to the fewest operations that must be lost.

With --records, resumes an earlier run. With --syncs, names the syncs that no state needs: without such a sync, no state
fails.
"""
from __future__ import annotations

import argparse
import contextlib
import ctypes
import itertools
import multiprocessing
import os
import pickle
import shutil
import signal
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Iterable, Iterator

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from disk_states import Disk, State  # noqa: E402
from power_bench import Bench, Failure, Workload  # noqa: E402
from power_hosts import HOSTS  # noqa: E402
from power_tenants import TENANTS  # noqa: E402
from power_upkeep import UPKEEP  # noqa: E402

WORKLOADS = {each.name: each for each in (*HOSTS, *UPKEEP, *TENANTS)}
# How many states are chosen before they are opened, and after how many known states in a row no more are expected.
BATCH, IDLE = 100, 2000
# Opens states, and says what is wrong with each.
Check = Callable[["list[State]"], "Iterable[str | None]"]


# Runs

@dataclass
class Result:
    states: int = 0
    dropping: int = 0
    # How many were looked at; those after them are new.
    tried: int = 0
    keys: "set[bytes]" = field(default_factory=set)
    # By what must be lost.
    failures: "dict[str, Failure]" = field(default_factory=dict)

    def note(self, disk: Disk, failure: Failure) -> None:
        needed = [disk.labels[i] for i in sorted(failure.state.lost)]
        needed += [f"torn {disk.labels[i]}" for i, _ in failure.state.torn]
        self.failures.setdefault(" and ".join(needed) or f"nothing lost: {failure.text}", failure)


def run(bench: Bench, disk: Disk, count: int, result: Result, seed: str = "0", most: int = 10,
        told: Callable[[], None] = lambda: None, check: "Check | None" = None) -> Result:
    """Opens so many different states in all, or fewer if no more turn up. Keeps one failure of a kind, reduced."""
    check = check or (lambda states: [bench.check(disk, state) for state in states])
    states = itertools.islice(itertools.chain(disk.losses(), disk.states(seed)), result.tried, None)
    while result.states < count and len(result.failures) < most:
        fresh = new_states(disk, states, result, min(BATCH, count - result.states))
        if not fresh:
            break
        for state, text in zip(fresh, check(fresh)):
            result.states += 1
            result.dropping += state.drops
            if text and len(result.failures) < most:
                result.note(disk, bench.reduce(disk, Failure(state, text)))
        told()
    told()
    return result


def new_states(disk: Disk, states: "Iterator[State]", result: Result, count: int) -> "list[State]":
    """The next states that differ from all before; fewer if no more turn up."""
    fresh: "list[State]" = []
    idle = 0
    while len(fresh) < count and idle < IDLE:
        state = next(states)
        result.tried += 1
        idle += 1
        key = disk.key(state)
        if key not in result.keys:
            result.keys.add(key)
            fresh.append(state)
            idle = 0
    return fresh


# Workers

@contextlib.contextmanager
def workers(bench: Bench, disk: Disk, count: int) -> "Iterator[Check | None]":
    """Processes that open states at the same time. Paths are in the state, so each mounts a folder of its own where the disk
    is, in a name space of its own. `None` where the system does not let a process do that."""
    if count < 2 or not can_mount(bench.root):
        yield None
        return
    with multiprocessing.get_context("fork").Pool(count, begin_worker, (bench, disk)) as pool:
        yield lambda states: pool.imap(check_in_worker, states)


_here: "tuple[Bench, Disk] | None" = None


def begin_worker(bench: Bench, disk: Disk) -> None:
    global _here
    _here = (bench, disk)
    # Ends with the pool, not by the signals of a terminal.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    mount_own(bench.root)


def check_in_worker(state: State) -> "str | None":
    assert _here
    bench, disk = _here
    return bench.check(disk, state)


def can_mount(root: Path) -> bool:
    child = os.fork()
    if child == 0:
        try:
            mount_own(root)
            os._exit(0)
        except OSError:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


NEW_MOUNTS, NEW_USERS = 0x20000, 0x10000000
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18


def mount_own(root: Path) -> None:
    """Lets this process alone have another folder at the path."""
    library = ctypes.CDLL(None, use_errno=True)
    user, group = os.geteuid(), os.getegid()
    refuse(library.unshare(NEW_MOUNTS | (NEW_USERS if user else 0)))
    if user:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    refuse(library.mount(None, b"/", None, MS_REC | MS_PRIVATE, None))
    own = root.parent / f"disk of {os.getpid()}"
    own.mkdir()
    refuse(library.mount(os.fsencode(own), os.fsencode(root), None, MS_BIND, None))


def refuse(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


# Syncs

def idle_syncs(bench: Bench, most: int = 150) -> "list[str]":
    """The sites of syncs that no state needs: of those that are possible without it, and of which at most so many are
    opened, none fails."""
    assert bench.recording
    disk = Disk(bench.recording)
    return [site for site in disk.sites if not any(
        bench.check(without, state)
        for without in [Disk(bench.recording, [site])]
        for state in spread(list(without.losses(disk)), most))]


def spread(states: "list[State]", most: int) -> "list[State]":
    return states[::len(states) // most + 1]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n\n")[1], formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=", ".join(WORKLOADS))
    parser.add_argument("--states", type=int, default=20_000, help="how many different states of each workload to open")
    parser.add_argument("--records", type=Path, help="go on with the recordings and results in this folder")
    parser.add_argument("--syncs", action="store_true", help="name the syncs that no state needs")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="how many states to open at a time")
    options = parser.parse_args()
    # So that the disks in memory are removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    binary = os.environ["MAMBRIDGE"]
    results = [run_one(WORKLOADS[name], binary, options) for name in options.workloads or WORKLOADS]
    return 0 if all(results) else 1


def run_one(workload: Workload, binary: str, options: argparse.Namespace) -> bool:
    records = options.records and options.records / workload.name
    if records:
        records.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(dir=memory()) as scratch:
        bench = Bench(workload, binary, Path(scratch), records and records / "recording")
        assert bench.recording
        if options.syncs:
            for site in idle_syncs(bench):
                print(f"{workload.name}: no state needs {site}", flush=True)
            return True
        disk = Disk(bench.recording)
        saved = records and records / "result"
        result = pickle.loads(saved.read_bytes()) if saved and saved.exists() else Result()

        def save() -> None:
            if saved:
                saved.with_suffix(".new").write_bytes(pickle.dumps(result))
                saved.with_suffix(".new").replace(saved)

        with workers(bench, disk, options.workers) as check:
            run(bench, disk, options.states, result, options.seed, told=save, check=check)
        seconds = time.monotonic() - begin
        print(f"{workload.name}: {len(disk.operations)} operations, {result.states} states, {result.dropping} drop or tear "
              f"something, {len(result.failures)} kinds of failure, {seconds:.0f} s", flush=True)
        for failure in result.failures.values():
            print(explain(bench, disk, failure), flush=True)
        if bench.root.parent != Path(scratch):
            shutil.rmtree(bench.root.parent)
        return not result.failures


def explain(bench: Bench, disk: Disk, failure: Failure) -> str:
    done = bench.acknowledged(failure.state)
    last = bench.workload.steps[done - 1].method if done else "nothing"
    return f"\n{failure.text}\nacknowledged: {done} calls, the last {last}\n{disk.describe(failure.state)}\n"


def memory() -> "str | None":
    """A folder in memory, where a sync costs nothing; `None` if files there have no attributes, as in Linux before 6.6."""
    try:
        with tempfile.NamedTemporaryFile(dir="/dev/shm") as file:
            os.setxattr(file.fileno(), "user.word", b"value")
        return "/dev/shm"
    except OSError:
        return None


if __name__ == "__main__":
    # The pickles name the classes by this module.
    import power_loss
    sys.exit(power_loss.main())
