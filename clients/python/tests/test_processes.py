"""The client among other reapers, limits of the system, and programs that change its flags."""
from __future__ import annotations

import asyncio
import os
import resource
import signal
import subprocess
import sys
import threading
from typing import Any

import pytest
from conftest import ROOT
from mambridge import Client, ConnectionLost
from mambridge.aio import AsyncClient
from mambridge.child import Child
from peer import FAKE, fake
from processes import is_gone, pid_of
from waiting import wait_for


def run_script(script: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script, FAKE, *arguments], capture_output=True, text=True, timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT / "clients" / "python")})
    assert done.returncode == 0, f"status {done.returncode}: {done.stderr}"
    return done.stdout


REAPED = """if True:
    import asyncio, os, signal, sys, threading
    from mambridge import Client, ConnectionLost
    from mambridge.aio import AsyncClient

    if sys.argv[3] == "ignored":
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)

    def reap(client):
        if sys.argv[3] == "reaper":
            threading.Thread(target=os.waitpid, args=(client.pid, 0)).start()

    def run():
        client = Client.spawn(sys.executable, sys.argv[1], timeout=20)
        reap(client)
        client.call("echo")
        os.kill(client.pid, signal.SIGKILL)
        try:
            client.call("echo")
        except ConnectionLost as lost:
            print(lost)
        client.close()
        return client.exit_code

    async def run_in_loop():
        client = await AsyncClient.spawn(sys.executable, sys.argv[1], timeout=20)
        reap(client)
        await client.call("echo")
        os.kill(client.pid, signal.SIGKILL)
        try:
            await client.call("echo")
        except ConnectionLost as lost:
            print(lost)
        await client.close()
        return client.exit_code

    print(run() if sys.argv[2] == "threads" else asyncio.run(run_in_loop()))
"""


@pytest.mark.parametrize("reaper", ["reaper", "ignored"])
@pytest.mark.parametrize("kind", ["threads", "asyncio"])
def test_nobody_waits_for_an_exit_status_that_another_has_taken(kind: str, reaper: str) -> None:
    said, code = run_script(REAPED, kind, reaper).splitlines()
    if reaper == "reaper" and code == "-9":
        return  # The client came first.
    assert "its exit code is unknown" in said and code == "None"


def test_a_server_that_closed_its_input_alone_ends_every_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mambridge.session.EXIT", 0.2)
    monkeypatch.setattr("mambridge.aio.streams.EXIT", 0.2)
    closed = [sys.executable, "-c", "import os, signal; os.close(0); signal.pause()"]
    client = Client.spawn(*closed)
    with pytest.raises(ConnectionLost, match="does not read any more"):
        while True:  # What is written before it has closed its input has no answer, either.
            try:
                client.call("echo", timeout=0.5)
            except TimeoutError:
                pass
    os.kill(pid_of(client), signal.SIGKILL)
    client.close()

    async def run() -> None:
        client = await AsyncClient.spawn(*closed)
        with pytest.raises(ConnectionLost, match="does not read any more"):
            await client.call("echo")
        os.kill(pid_of(client), signal.SIGKILL)
        await client.close()

    asyncio.run(run())


def test_a_default_sigpipe_ends_no_host() -> None:
    script = """if True:
        import asyncio, os, signal, sys
        from mambridge import Client, ConnectionLost
        from mambridge.aio import AsyncClient

        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        closed = ["-c", "import os, signal, sys; os.write(1, b'x'[:0]); os.close(0); os.close(1); signal.pause()"]
        text = "x" * (1 << 20)

        def run():
            client = Client.spawn(sys.executable, *closed, timeout=20)
            for _ in range(3):
                try:
                    client.call("echo", text=text)
                except ConnectionLost:
                    pass
            os.kill(client.pid, signal.SIGKILL)
            client.close()

        async def run_in_loop():
            client = await AsyncClient.spawn(sys.executable, *closed, timeout=20)
            for _ in range(3):
                try:
                    await client.call("echo", text=text)
                except ConnectionLost:
                    pass
            os.kill(client.pid, signal.SIGKILL)
            await client.close()

        run()
        asyncio.run(run_in_loop())
        print("lives")
    """
    assert run_script(script) == "lives\n"


def test_a_question_that_no_thread_can_start_for_is_answered_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with fake(timeout=20) as client:
        start = threading.Thread.start

        def refuse(thread: threading.Thread) -> None:
            if thread.name == "mambridge request":
                raise RuntimeError("can't start new thread")
            start(thread)

        monkeypatch.setattr(threading.Thread, "start", refuse)
        client.call("ask", {"method": "ui.showAlert", "params": {}})
        wait_for(lambda: [seen for seen in client.call("seen") if "method" not in seen], "the question is answered")
        [answer] = [seen for seen in client.call("seen") if "method" not in seen]
        assert answer["error"]["code"] == -32603


@pytest.mark.parametrize("name", ["stderr", "reader", "writer", "events"])
def test_a_client_that_cannot_start_its_threads_leaves_no_server(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []
    start, popen = threading.Thread.start, subprocess.Popen

    def refuse(thread: threading.Thread) -> None:
        if thread.name == f"mambridge {name}":
            raise RuntimeError("can't start new thread")
        start(thread)

    def note(*arguments: Any, **options: Any) -> Any:
        process = popen(*arguments, **options)
        started.append(process.pid)
        return process

    monkeypatch.setattr(threading.Thread, "start", refuse)
    monkeypatch.setattr(subprocess, "Popen", note)
    with pytest.raises(RuntimeError, match="thread"):
        fake(on_event=lambda event: None)
    assert is_gone(started[0])


def test_a_limit_of_files_leaves_none_open() -> None:
    before = os.listdir("/proc/self/fd")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for room in range(1, 8):
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(map(int, before)) + room, hard))
        try:
            fake().close()
        except OSError:
            pass
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert len(os.listdir("/proc/self/fd")) == len(before)


def test_a_connection_that_became_non_blocking_is_no_end() -> None:
    with fake(timeout=20) as client:
        for connection in (client._stream.child.input, client._stream.child.output):  # type: ignore[attr-defined]
            os.set_blocking(connection.fileno(), False)
        text = "x" * 3_000_000
        assert client.call("echo", [text]) == [text]
        assert client.call("torn") == "whole ü"


def test_gevent_runs_the_client_cooperatively() -> None:
    pytest.importorskip("gevent")
    script = """if True:
        from gevent import monkey; monkey.patch_all()
        import gevent, sys
        from mambridge import Client

        with Client.spawn(sys.executable, sys.argv[1], timeout=20) as client:
            text = "x" * 1_000_000
            calls = [gevent.spawn(client.call, "echo", [number, text]) for number in range(8)]
            gevent.joinall(calls, raise_error=True)
            print([call.value[0] for call in calls])
        print(client.exit_code)
    """
    assert run_script(script) == f"{list(range(8))}\n0\n"


def test_a_default_time_limit_of_new_sockets_is_none_for_the_client() -> None:
    import socket
    socket.setdefaulttimeout(0.01)
    try:
        with fake(timeout=20) as client:
            assert client.call("torn") == "whole ü"
            with pytest.raises(TimeoutError):
                client.call("hold", value=1, timeout=0.3)
            assert client.call("echo", still="here") == {"still": "here"}
    finally:
        socket.setdefaulttimeout(None)


def test_nothing_is_sent_to_a_process_that_was_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even while a thread, perhaps the same one, has waited for it but not said so yet."""
    sent: list[int] = []
    child = Child([sys.executable, "-c", ""], None, None, True)
    waitpid = os.waitpid

    def wait(process: int, options: int) -> tuple[int, int]:
        found = waitpid(process, options)
        if found[0]:
            monkeypatch.setattr(os, "kill", lambda *_: sent.append(process))
            child.signal(signal.SIGTERM)
        return found

    monkeypatch.setattr(os, "waitpid", wait)
    assert child.ends_within(60) and not sent
    child.signal(signal.SIGTERM)
    assert not sent
    for file in (child.input, child.output, child.errors):
        file.close()
