"""The soak of scripts/soak, for a few seconds, and what its page says of figures that are known."""
from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from conftest import ROOT
from mambridge import Client

sys.path.insert(0, str(ROOT / "Tests" / "Soak"))
from kills import HandleWrites  # noqa: E402
from longrun import long_run, tail  # noqa: E402
from page import Plot, page, slope  # noqa: E402
from soak import TORN, soak  # noqa: E402
from walk import content  # noqa: E402


def test_two_concurrent_servers_and_repeated_kills_lose_no_data(binary: str, tmp_path: Path) -> None:
    said: list[str] = []
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    soak(binary, 5, seed, tmp_path, said.append)
    assert "nothing was lost" in said[-1]


def test_the_faulty_test_server_writes_correctly_if_it_is_not_killed(tmp_path: Path) -> None:
    work = HandleWrites(tmp_path, random.Random(1))
    with Client.spawn(*TORN, timeout=60) as client:
        work.prepare(client)
        for method, params in work.requests()[1:]:
            client.call(method, params)
        assert content(client, 1) == work.states[-1]


def test_ten_hosts_live_through_policy_changes_wipes_kills_clock_steps_and_a_full_disk(
    binary: str, tenant_program: str, tmp_path: Path
) -> None:
    said: list[str] = []
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    (tmp_path / "work").mkdir()
    wrong = long_run(binary, tenant_program, 12, seed, tmp_path / "work", tmp_path / "out", said.append, every=1)
    assert not wrong, said
    samples = [json.loads(line) for line in (tmp_path / "out" / "samples.jsonl").read_text().splitlines()]
    assert {each["what"] for each in samples} == {
        "Memory", "Open files", "Disk", "Latency of the host that is asked"}
    assert {"service", "host 0", "the host that is asked"} <= {each["of"] for each in samples}
    counts = dict(line.split(": ", 1) for line in said if ": " in line)
    for disturbance in ("policy changes", "wipes", "kills of hosts", "clock steps", "kills of the service"):
        assert counts[disturbance] != "0", said
    text = (tmp_path / "out" / "page.html").read_text()
    assert "Nothing was wrong." in text and text.count("<svg") == 4


def test_a_stopped_long_run_still_writes_its_page(binary: str, tenant_program: str, tmp_path: Path) -> None:
    script = str(ROOT / "Tests" / "Soak" / "soak.py")
    words = [sys.executable, script, binary, tenant_program, "12", "1", str(tmp_path / "out")]
    environment = {"PYTHONPATH": ":".join(str(ROOT / "clients" / name) for name in ("python", ".", "tests"))}
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tmp_path,
        env={**os.environ, **environment, "TMPDIR": str(tmp_path)}
    ) as run:
        stopper = threading.Thread(target=stop_when_sampled, args=(run, tmp_path / "out" / "samples.jsonl"))
        stopper.start()
        assert run.stdout
        said = run.stdout.read()
        stopper.join()
    assert "stopped: before its time" in said, said
    assert "<svg" in (tmp_path / "out" / "page.html").read_text()


def stop_when_sampled(run: "subprocess.Popen[str]", samples: Path) -> None:
    while run.poll() is None and not (samples.exists() and samples.stat().st_size):
        time.sleep(0.02)
    run.send_signal(signal.SIGTERM)


@pytest.mark.parametrize("values, expected", [
    ([5.0] * 100, 0.0),
    ([5 + number * 0.1 for number in range(100)], 0.1),
    # A few outliers do not count, nor does the beginning.
    ([5 + (900 if number % 10 == 0 else 0) for number in range(100)], 0.0),
    ([50.0 - number if number < 25 else 25.0 for number in range(100)], 0.0),
])
def test_the_slope_is_that_of_most_pairs_of_samples(values: "list[float]", expected: float) -> None:
    assert slope([list(enumerate(values))]) == pytest.approx(expected)


def test_the_slope_compares_no_samples_of_different_lives() -> None:
    levels = [(0, 1.0), (50, 100.0), (100, 200.0)]
    assert slope([[(float(at), level) for at in range(begin, begin + 50)] for begin, level in levels]) == 0


def test_the_page_says_what_grows_by_more_than_its_limit() -> None:
    plot = Plot("Memory", "MB", growth=4)
    for second in range(1000):
        plot.line("leaking").add(1, second, 20 + second * 0.01)
        plot.line("level").add(2, second, 20 + second % 7)
    wrong = plot.growing(1000)
    assert wrong == ["Memory of leaking grows by 10.0 MB in the run; the limit is 4.0"]
    assert "grows by 10.0 MB" in page("A run", [("seed", "<1>")], wrong, [plot], 1000)
    assert "&lt;1&gt;" in page("A run", [("seed", "<1>")], wrong, [plot], 1000)


@pytest.mark.parametrize("slowest, count, is_wrong", [(1.5, 20_000, False), (1.6, 20_000, True), (9.0, 19_999, False)])
def test_the_slowest_answers_are_compared_with_the_echo_program_if_there_are_enough(
    slowest: float, count: int, is_wrong: bool
) -> None:
    wrong: "list[str]" = []
    figures = {"p50": 0.1, "p99": 0.5, "most": 9.0, "count": count}
    tail({"server": {**figures, "p999": slowest}, "echo": {**figures, "p999": 1.0}}, wrong)
    assert bool(wrong) == is_wrong
