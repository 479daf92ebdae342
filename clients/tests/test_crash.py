"""A program that a signal ends leaves a trace, which the next start tells of, and scripts/symbols reads."""
from __future__ import annotations

import fcntl
import json
import os
import re
import resource
import shutil
import signal
import ssl
import subprocess
import sys
import tarfile
import urllib.request
from pathlib import Path
from typing import Iterator

import pytest
from conftest import ALICE, ROOT
from packages import build_id
from tenants import Service, service  # noqa: F401

FAULTS = [signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV, signal.SIGTRAP]
APP = "apps/com.example.host"
SOURCES = ROOT / "Sources" / "Base" / "CCrash"


class Server:
    """One that has answered a call which opens its state."""

    def __init__(self, binary: str, state: Path, stderr: "int | None" = subprocess.PIPE, options: "tuple[str, ...]" = ()) -> None:
        self.state = state
        self.process = subprocess.Popen(
            [binary, *options, "--tenant", "sample", "--state", str(state)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=stderr, text=True)

    def call(self, method: str, **params: object) -> object:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["result"]

    def end(self, number: int) -> "tuple[int, str]":
        """The exit status and what was on stderr."""
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors

    @property
    def crashes(self) -> Path:
        return self.state / APP / "crashes"

    def trace(self) -> str:
        found = list(self.crashes.iterdir())
        assert len(found) == 1, found
        return found[0].read_text()


@pytest.fixture(scope="module")
def has_sanitizer(binary: str) -> bool:
    content = Path(binary).read_bytes()
    return b"__asan_init" in content or b"__tsan_init" in content


@pytest.fixture(autouse=True)
def without_a_sanitizer(has_sanitizer: bool) -> None:
    if has_sanitizer:
        pytest.skip("the program is built with a sanitizer, which reports crashes itself")


@pytest.fixture(autouse=True)
def without_the_compilers_handler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Swift's own handler, which a debug build has where a compiler is installed, survives a signal that `kill` sends."""
    monkeypatch.setenv("SWIFT_BACKTRACE", "enable=no")


@pytest.fixture
def server(binary: str, tmp_path: Path) -> Iterator[Server]:
    server = Server(binary, tmp_path / "state")
    server.call("enrollmentManager.registerAndEnrollAccount", account=ALICE)
    yield server
    server.process.kill()
    server.process.communicate()


def tell(binary: str, state: Path) -> "tuple[str, list[str]]":
    """What a new program says on stderr, and the lines of errors in the log."""
    run = subprocess.run(
        [binary, "call", "--state", str(state), "diagnosticsLog.query", "level=error"], capture_output=True, text=True,
        timeout=60, check=True)
    return run.stderr, [line["message"] for line in json.loads(run.stdout)]


@pytest.mark.parametrize("number", FAULTS, ids=lambda number: number.name)
def test_a_signal_leaves_a_trace_and_ends_the_program_as_before(server: Server, number: signal.Signals) -> None:
    status, errors = server.end(number)
    assert status == -number
    assert f"mambridge: ended by {number.name}; the trace is in {server.crashes}/new-" in errors
    text = server.trace()
    assert f"\nsignal {number.name}\ncause sent by process {os.getpid()} of user {os.getuid()}\n" in text


def test_a_trace_names_the_build_the_calls_and_places_but_no_content(server: Server, binary: str) -> None:
    server.call("policy.isPINRequired", account=ALICE)
    server.end(signal.SIGSEGV)
    text = server.trace()
    assert text.startswith("crash trace 1\nprogram mambridge ")
    assert text.endswith("\nend\n")
    assert f"\nbuild {build_id(binary)}\n" in text
    assert re.search(r"\ntime 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ\n", text)
    assert re.findall(r"^call (.*)$", text, re.M) == ["enrollmentManager.registerAndEnrollAccount", "policy.isPINRequired"]
    assert re.search(r"^(frame|maybe) 0x[0-9a-f]+$", text, re.M)
    assert "alice" not in text.lower()
    for line in text.splitlines():
        assert re.fullmatch(r"[a-z]+( [\w.:+/{}$ -]+)?", line), line


def test_only_the_owner_can_read_a_trace(server: Server) -> None:
    server.end(signal.SIGSEGV)
    assert server.crashes.stat().st_mode & 0o777 == 0o700
    assert [file.stat().st_mode & 0o777 for file in server.crashes.iterdir()] == [0o600]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
def test_a_program_that_does_not_crash_leaves_no_file(server: Server, number: signal.Signals) -> None:
    before = sorted(path.name for path in (server.state / APP).iterdir())
    server.end(number)
    assert not server.crashes.exists()
    assert {path.name for path in (server.state / APP).iterdir()} <= {*before, "state.db-wal", "state.db-shm"}


def test_the_next_start_tells_of_a_crash_once(server: Server, binary: str) -> None:
    server.end(signal.SIGSEGV)
    errors, lines = tell(binary, server.state)
    told = r"mambridge [\d.]+ was ended by SIGSEGV \(sent by process \d+ of user \d+\) at \S+Z; " \
        r"its last call was enrollmentManager.registerAndEnrollAccount"
    assert re.search(f"^mambridge: {told}. The trace is in {server.crashes}/[0-9-]+$", errors, re.M), errors
    assert [bool(re.match(told, line)) for line in lines] == [True], lines
    errors, lines = tell(binary, server.state)
    assert errors == "" and len(lines) == 1


def test_commands_that_only_look_leave_the_telling_to_others(server: Server, binary: str) -> None:
    server.end(signal.SIGSEGV)
    subprocess.run([binary, "log", "--state", str(server.state)], capture_output=True, timeout=60, check=True)
    assert [file.name.startswith("new-") for file in server.crashes.iterdir()] == [True]


def test_only_the_newest_traces_are_kept(server: Server, binary: str) -> None:
    server.end(signal.SIGSEGV)
    text = server.trace()
    for number in range(20):
        (server.crashes / f"{1_000_000_000 + number}-1").write_text(text)
    tell(binary, server.state)
    names = sorted(file.name for file in server.crashes.iterdir())
    assert len(names) == 10
    assert names[0] == "1000000011-1"


def test_a_file_that_is_no_trace_is_neither_told_nor_exported(server: Server, binary: str, tmp_path: Path) -> None:
    server.end(signal.SIGSEGV)
    name = server.trace().splitlines()[3]
    for file in server.crashes.iterdir():
        file.write_text(f"crash trace 1\nprogram mambridge 1\n{name}\nsignal SIGSEGV\nnote alice@contoso.example\n")
    errors, lines = tell(binary, server.state)
    assert (errors, lines) == ("", [])
    assert exported(binary, server.state, tmp_path) == []


def exported(binary: str, state: Path, folder: Path) -> "list[str]":
    """The traces in an exported archive."""
    archive = folder / "support.tar.gz"
    subprocess.run(
        [binary, "diagnostics", "--state", str(state), "--tenant", "sample", "--export", str(archive)], capture_output=True,
        timeout=60, check=True)
    with tarfile.open(archive) as files:
        names = [name for name in files.getnames() if "/crashes/" in name]
        return [files.extractfile(name).read().decode() for name in names]  # type: ignore[union-attr]


def test_the_export_has_the_trace(server: Server, binary: str, tmp_path: Path) -> None:
    server.end(signal.SIGSEGV)
    text = server.trace()
    assert exported(binary, server.state, tmp_path) == [text]


def test_without_room_for_a_file_the_trace_is_on_stderr(server: Server) -> None:
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (0, 0))
    status, errors = server.end(signal.SIGSEGV)
    assert status == -signal.SIGSEGV
    assert errors.startswith("crash trace 1\n") and errors.endswith("\nend\n")
    assert list(server.crashes.iterdir()) == []


def test_without_a_folder_the_trace_is_on_stderr(server: Server) -> None:
    server.crashes.write_text("in the way")
    status, errors = server.end(signal.SIGSEGV)
    assert status == -signal.SIGSEGV
    assert errors.startswith("crash trace 1\n")


def test_before_the_state_is_open_the_trace_is_on_stderr(binary: str, tmp_path: Path) -> None:
    server = Server(binary, tmp_path / "state")
    server.call("versionInfo.sdkVersion")
    status, errors = server.end(signal.SIGILL)
    assert status == -signal.SIGILL
    assert "\ncall versionInfo.sdkVersion\n" in errors
    assert not (tmp_path / "state").exists()


def test_a_full_pipe_on_stderr_does_not_stop_a_crash(binary: str, tmp_path: Path) -> None:
    reading, writing = os.pipe()
    size = fcntl.fcntl(writing, fcntl.F_GETPIPE_SZ)
    os.write(writing, bytes(size))
    server = Server(binary, tmp_path / "state", stderr=writing)
    server.call("versionInfo.sdkVersion")
    server.process.send_signal(signal.SIGSEGV)
    server.process.communicate(timeout=30)
    assert server.process.returncode == -signal.SIGSEGV
    os.close(reading)
    os.close(writing)


def test_an_ignored_signal_stays_ignored(binary: str, tmp_path: Path) -> None:
    former = signal.signal(signal.SIGTRAP, signal.SIG_IGN)
    try:
        server = Server(binary, tmp_path / "state")
    finally:
        signal.signal(signal.SIGTRAP, former)
    server.call("versionInfo.sdkVersion")
    server.process.send_signal(signal.SIGTRAP)
    assert server.call("versionInfo.sdkVersion")
    status, errors = server.end(signal.SIGTERM)
    assert status == 0
    assert "SIGTRAP" not in errors


# MARK: real faults

PROGRAM = """
#include "CCrash.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) int overflow(volatile int n) { volatile char a[200]; a[0] = n; return n ? overflow(n + 1) + a[0] : 0; }
__attribute__((noinline)) void writeToNothing(char *p) { *(volatile char *)p = 1; }
static void *inThread(void *nothing) {
  void *stack = ccrash_begin_thread();
  overflow(1);
  ccrash_end_thread(stack);
  return nothing;
}
int main(int count, char **words) {
  ccrash_install("program", "1.0");
  ccrash_open(words[2]);
  pthread_t thread;
  for (int call = 0; call < 40; call++) ccrash_note_call("first.name", 10);
  ccrash_note_call("a name\\nof a client", 18);
  if (!strcmp(words[1], "write")) writeToNothing(0);
  if (!strcmp(words[1], "abort")) abort();
  if (!strcmp(words[1], "trap")) __builtin_trap();
  if (!strcmp(words[1], "library")) return 1 + memcmp(words[0], (void *)64, 100);
  if (!strcmp(words[1], "overflow")) return overflow(1);
  if (!strcmp(words[1], "thread") && !pthread_create(&thread, 0, inThread, 0)) pthread_join(thread, 0);
  return 0;
}
"""


@pytest.fixture(scope="module")
def crasher(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crash")
    (folder / "program.c").write_text(PROGRAM)
    compiler = shutil.which("clang") or shutil.which("cc")
    assert compiler
    options = ["-O1", "-g0", "-w", "-fno-omit-frame-pointer", "-pthread", "-Wl,--build-id", f"-I{SOURCES / 'include'}"]
    sources = [str(file) for file in sorted(SOURCES.glob("*.c"))]
    subprocess.run([compiler, *options, str(folder / "program.c"), *sources, "-o", str(folder / "program")], check=True)
    return folder / "program"


@pytest.mark.parametrize("way, number, cause, function", [
    ("write", signal.SIGSEGV, "fault 1 near zero", "writeToNothing"),
    ("abort", signal.SIGABRT, "sent by itself", "main"),
    ("trap", signal.SIGILL if os.uname().machine == "x86_64" else signal.SIGTRAP, "fault ", "main"),
    ("library", signal.SIGSEGV, "fault 1 near zero", "main"),
    ("overflow", signal.SIGSEGV, "fault 1 near the stack pointer", "overflow"),
    ("thread", signal.SIGSEGV, "fault ", "overflow"),
])
def test_a_fault_is_traced_to_its_function(
    crasher: Path, tmp_path: Path, way: str, number: signal.Signals, cause: str, function: str
) -> None:
    run = subprocess.run([str(crasher), way, str(tmp_path)], capture_output=True, text=True, timeout=60)
    assert run.returncode == -number
    [trace] = (tmp_path / "crashes").iterdir()
    text = trace.read_text()
    assert f"\nsignal {number.name}\ncause {cause}" in text
    assert re.findall(r"^call (.*)$", text, re.M) == ["first.name"] * 15 + ["a?name?of?a?client"]
    read = symbols(str(trace), str(crasher))
    assert read.returncode == 0, read.stderr
    assert re.search(rf"^(at|frame|maybe) 0x[0-9a-f]+ {function} \+ \d+$", read.stdout, re.M), read.stdout


# MARK: scripts/symbols

def symbols(*words: str, kept: "Path | None" = None) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, **({"MAMBRIDGE_SYMBOLS": str(kept)} if kept else {})}
    return subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "symbols"), *words], capture_output=True, text=True, timeout=300, env=environment)


def test_symbols_names_the_functions_of_a_trace_of_the_server(server: Server, binary: str) -> None:
    server.end(signal.SIGSEGV)
    [trace] = server.crashes.iterdir()
    read = symbols(str(trace), binary)
    if read.returncode != 0 and not Path(binary).is_relative_to(ROOT):
        pytest.skip("no functions are kept of a binary that was built elsewhere")
    assert read.returncode == 0, read.stderr
    assert "StdioLoop" in read.stdout, read.stdout


def test_symbols_reads_a_trace_with_what_it_has_kept_of_a_stripped_program(crasher: Path, tmp_path: Path) -> None:
    stripped, kept = tmp_path / "stripped", tmp_path / "kept"
    assert symbols("--keep", str(crasher), kept=kept).stdout == f"{kept}/{build_id(str(crasher))}.symbols.xz\n"
    assert symbols("--kept", str(crasher), kept=kept).stdout == f"{kept}/{build_id(str(crasher))}.symbols.xz\n"
    subprocess.run(["strip", "-o", str(stripped), str(crasher)], check=True)
    subprocess.run([str(stripped), "write", str(tmp_path)], capture_output=True)
    [trace] = (tmp_path / "crashes").iterdir()
    assert " writeToNothing + " in symbols(str(trace), kept=kept).stdout


def test_symbols_says_what_is_missing(crasher: Path, tmp_path: Path) -> None:
    subprocess.run([str(crasher), "write", str(tmp_path)], capture_output=True)
    [trace] = (tmp_path / "crashes").iterdir()
    read = symbols(str(trace), kept=tmp_path / "none")
    assert read.returncode == 1
    assert f"there are no functions of the build {build_id(str(crasher))}" in read.stderr
    assert read.stdout.startswith("crash trace 1\n")
    (tmp_path / "text").write_text("hello\n")
    assert "is not a trace" in symbols(str(tmp_path / "text")).stderr
    assert "is not an executable with a build id" in symbols("--keep", str(tmp_path / "text")).stderr
    assert "no functions of" in symbols("--kept", str(crasher), kept=tmp_path / "none").stderr


# MARK: mambridge-tenant

def test_a_crash_of_the_service_is_told_at_its_next_start(service: Service) -> None:
    with urllib.request.urlopen(f"{service.metrics}/metrics", timeout=30) as answer:
        assert answer.status == 200
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with urllib.request.urlopen(f"{service.url}/health/live", timeout=30, context=context) as answer:
        assert answer.status == 200
    crashes = service.store.parent / "crashes"
    assert not crashes.exists()
    service.end(signal.SIGSEGV, -signal.SIGSEGV)
    [trace] = crashes.iterdir()
    text = trace.read_text()
    assert text.startswith("crash trace 1\nprogram mambridge-tenant ")
    assert "\ncall /health/live\n" in text
    service.start()
    told = r"mambridge-tenant \S+ was ended by SIGSEGV \(sent by process \d+ of user \d+\) at \S+; its last call was /health/live\. "
    assert [line for line in service.lines if re.search(rf"{told}The trace is in {crashes}/[0-9-]+$", line)], service.lines
