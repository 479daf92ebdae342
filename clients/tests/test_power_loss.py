"""What is on the disk after the power was cut: see power_loss.py. `.ci/nightly power` opens many more states."""
from __future__ import annotations

import pickle
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Iterator

import pytest
from disk_recorder import Recording
from disk_states import Disk, State
from power_bench import Bench
from power_loss import WORKLOADS, Result, explain, memory, run, spread, workers
from power_tenants import TENANTS
from system_calls import can_trace

# How many states of each workload, 500 in all. It takes longest to start the service and to read a long log.
STATES = {
    "enroll": 50, "files": 60, "wipe": 60, "pin": 30, "settings": 20, "change-secret": 20, "key-command": 20, "rotate": 20,
    "policy": 20, "held-wipe": 20, "log": 10, "crash": 20, "upgrade": 20, "pull": 30, "graph-write": 16, "wipe-order": 16,
    "registration": 16, "retention": 12, "hold": 10, "lift": 10, "restore": 10, "backup": 10}

pytestmark = pytest.mark.skipif(not can_trace(), reason="the system calls of another process cannot be traced here")


@pytest.fixture
def fast() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=memory()) as folder:
        yield Path(folder)


@pytest.mark.parametrize("name", WORKLOADS)
def test_after_a_power_loss_acknowledged_changes_are_there_and_wiped_data_stays_wiped(
    binary: str, fast: Path, name: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    if WORKLOADS[name] in TENANTS:
        monkeypatch.setenv("MAMBRIDGE_TENANT_PROGRAM", request.getfixturevalue("tenant_program"))
    bench = Bench(WORKLOADS[name], binary, fast)
    assert bench.recording
    disk = Disk(bench.recording)
    result = run(bench, disk, STATES[name], Result(), most=3)
    assert not result.failures, "".join(explain(bench, disk, failure) for failure in result.failures.values())
    assert result.states == STATES[name]
    assert result.dropping * 2 >= result.states, "fewer than half of the states drop something"


@pytest.mark.parametrize("name,site", [
    ("enroll", "sync state/keys/store.key.new after write state/keys/store.key.new"),
    ("files", "sync documents/.mambridge-<random>.tmp after mode documents/.mambridge-<random>.tmp"),
    ("settings", "datasync state/apps/com.example.host/state.db-wal after write state/apps/com.example.host/state.db-wal"),
    ("restore", "sync tenant/<random> after mode tenant/<random>"),
])
def test_the_power_loss_check_notices_a_missing_sync(
    binary: str, fast: Path, name: str, site: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    if WORKLOADS[name] in TENANTS:
        monkeypatch.setenv("MAMBRIDGE_TENANT_PROGRAM", request.getfixturevalue("tenant_program"))
    bench = Bench(WORKLOADS[name], binary, fast)
    assert bench.recording
    disk = Disk(bench.recording)
    assert site in disk.sites
    without = Disk(bench.recording, [site])
    assert any(bench.check(without, state) for state in spread(list(without.losses(disk)), 200))


# Python warns of forks beside threads. The new processes need no lock that a thread of the tests may hold.
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_workers_open_the_same_states_as_one_process_does(binary: str, fast: Path) -> None:
    bench = Bench(WORKLOADS["settings"], binary, fast)
    assert bench.recording
    # Without its syncs, many states fail.
    disk = Disk(bench.recording, Disk(bench.recording).sites)
    states = [state for _, state in zip(range(12), disk.losses())]
    with workers(bench, disk, 3) as check:
        if check is None:
            pytest.skip("a process cannot mount a folder of its own here")
        found = list(check(states))
    assert any(found)
    assert found == [bench.check(disk, state) for state in states]


# The recorder and the model, with a program that is known

PROGRAM = """
import os
os.mkdir("made")
file = os.open("made/draft", os.O_RDWR | os.O_CREAT, 0o600)
os.write(file, b"a" * 700)
os.pwrite(file, b"b" * 1000, 100)
{sync}
os.setxattr("made/draft", "user.word", b"value")
os.rename("made/draft", "made/final")
os.write(1, b"done\\n")
os.ftruncate(file, 10)
os.unlink("made/final")
"""


def recorded(folder: Path, sync: str = "") -> Recording:
    root, log = folder / "disk", folder / "recording"
    root.mkdir()
    (root / "old").write_bytes(b"old")
    recorder = Path(__file__).with_name("disk_recorder.py")
    done = subprocess.run(
        [sys.executable, str(recorder), str(root), str(log), sys.executable, "-c", PROGRAM.format(sync=sync)], cwd=root,
        capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
    recording: Recording = pickle.loads(log.read_bytes())
    return recording


def content(disk: Disk, state: State, folder: Path) -> "dict[str, bytes]":
    disk.write(state, folder)
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


WRITTEN = b"a" * 100 + b"b" * 1000


def test_the_disk_recorder_records_each_change_with_its_bytes(fast: Path) -> None:
    disk = Disk(recorded(fast))
    assert [disk.text(number) for number in range(len(disk.operations))] == [
        "names ./made", "names made/draft", "write made/draft at 0+700", "write made/draft at 100+1000",
        "attribute made/draft at 0 user.word", "names made/draft removed and made/final", "reply done",
        "size made/draft at 10", "names made/final removed"]
    told = disk.replies()[0]
    assert content(disk, State(told), fast / "disk") == {"old": b"old", "made/final": WRITTEN}
    assert content(disk, State(told + 1), fast / "disk")["made/final"] == WRITTEN[:10]
    assert content(disk, State(told + 2), fast / "disk") == {"old": b"old"}


def test_a_simulated_power_loss_can_lose_tear_or_zero_unsynced_writes(fast: Path) -> None:
    disk = Disk(recorded(fast))
    told = disk.replies()[0]
    assert disk.unsynced(told) == [0, 1, 2, 3, 4, 5]
    found = [content(disk, state, fast / "disk") for _, state in zip(range(300), disk.states("seed"))]
    assert {"old": b"old"} in found
    assert {"old": b"old", "made/final": b""} in found
    assert {"old": b"old", "made/final": bytes(1100)} in found
    # The first write is whole; of the second, only the sectors from 512 on are there.
    assert {"old": b"old", "made/final": b"a" * 512 + WRITTEN[512:]} in found


def test_a_simulated_power_loss_keeps_synced_writes(fast: Path) -> None:
    sync = "os.fsync(file); folder = os.open('made', os.O_RDONLY); os.fsync(folder); os.fsync(os.open('.', os.O_RDONLY))"
    disk = Disk(recorded(fast, sync))
    told = disk.replies()[0]
    assert [disk.text(i) for i in disk.unsynced(told)] == [
        "attribute made/draft at 0 user.word", "names made/draft removed and made/final"]
    for _, state in zip(range(200), disk.states("seed")):
        if state.cut == told:
            assert WRITTEN in content(disk, state, fast / "disk").values()
