"""The client in programs that fork."""
from __future__ import annotations

import asyncio
import itertools
import os
import signal
import subprocess
import sys
import threading
from typing import Any, Callable

import pytest
from conftest import ROOT
from mambridge import ConnectionLost
from mambridge.aio import AsyncClient
from peer import FAKE, NEWS, fake, on_signal
from processes import is_gone, pid_of
from waiting import wait_for

# Newer versions of Python warn of a fork beside other threads, which is what is tried here.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


@pytest.fixture(autouse=True)
def default_signal() -> Any:
    yield
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)


def status_of_fork(body: Callable[[], bool]) -> int:
    """Runs the body in a forked process, which SIGALRM ends after a minute. 0 if it returns true."""
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        status = 1
        try:
            status = 0 if body() else 2
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def raises_lost(call: Callable[[], Any]) -> bool:
    try:
        call()
    except ConnectionLost as lost:
        return "forked" in str(lost)
    return False


def test_a_forked_process_cannot_use_the_client_and_its_parent_can() -> None:
    with fake(timeout=20) as client:
        def use() -> bool:
            refused = raises_lost(lambda: client.call("echo")) and raises_lost(lambda: client.notify("ignored"))
            client.close()
            return refused and list(client.listen()) == [] and client.exit_code is None

        assert status_of_fork(use) == 0
        assert client.call("echo", still="here") == {"still": "here"}
    assert client.exit_code == 0


def test_a_fork_while_other_threads_are_anywhere_in_a_call_hangs_nobody() -> None:
    with fake(timeout=60) as client:
        stop = threading.Event()

        def call() -> None:
            while not stop.is_set():
                client.call("echo")

        threads = [threading.Thread(target=call) for _ in range(4)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(20):
                assert status_of_fork(lambda: raises_lost(lambda: client.call("echo"))) == 0
        finally:
            stop.set()
            for thread in threads:
                thread.join()


def test_a_forked_process_does_not_keep_the_server_of_its_parent_alive() -> None:
    script = """if True:
        import os, signal, sys, time
        from mambridge import Client
        client = Client.spawn(sys.executable, sys.argv[1])
        client.call("echo")
        worker = os.fork()
        if worker == 0:
            signal.pause()
        print(client.pid, worker, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    host = subprocess.Popen(
        [sys.executable, "-c", script, FAKE], stdout=subprocess.PIPE, env={"PYTHONPATH": str(ROOT / "clients" / "python")})
    assert host.stdout
    with host.stdout:
        server, worker = map(int, host.stdout.readline().split())
    try:
        host.wait()
        wait_for(lambda: is_gone(server), "the server ends with its host")
    finally:
        os.kill(worker, signal.SIGKILL)


def test_a_fork_after_the_end_of_a_client_closes_no_file_of_another() -> None:
    client = fake(timeout=20)
    client.call("echo")
    client.close()
    others = [os.open("/dev/null", os.O_RDONLY) for _ in range(16)]
    try:
        assert status_of_fork(lambda: all(os.read(other, 1) == b"" for other in others)) == 0
        assert client.exit_code == 0
    finally:
        for other in others:
            os.close(other)


def test_a_forked_process_cannot_use_the_asyncio_client() -> None:
    async def run() -> None:
        async with AsyncClient.spawn(sys.executable, FAKE, timeout=20) as client:
            await client.call("echo")

            async def use() -> bool:
                try:
                    await client.call("echo")
                except ConnectionLost as lost:
                    await client.close()
                    return "forked" in str(lost)
                return False

            def run_in_fork() -> bool:
                asyncio.events._set_running_loop(None)
                return asyncio.new_event_loop().run_until_complete(use())

            assert status_of_fork(run_in_fork) == 0
            assert await client.call("echo", still="here") == {"still": "here"}

    asyncio.run(run())


@pytest.mark.parametrize("waits_for", ["events", "a server that reads"])
def test_a_signal_handler_that_forks_leaves_the_forked_process_waiting_for_nothing(waits_for: str) -> None:
    parent, forked, main = os.getpid(), [], threading.main_thread().ident or 0
    with fake(timeout=60) as client:
        def fork() -> None:
            forked.append(os.fork())
            if not forked[0]:
                signal.alarm(60)

        def interrupt() -> None:
            outbox, backlog = client._session._outbox, client._session._backlog
            wait_for(lambda: outbox._messages or backlog._waiting, "the main thread waits")
            signal.pthread_kill(main, signal.SIGUSR1)
            wait_for(lambda: forked, "the fork")
            os.kill(server, signal.SIGCONT)
            client.call("afterwards", [NEWS])

        on_signal(fork)
        server = pid_of(client)
        interrupting = threading.Thread(target=interrupt)
        status = 1
        try:
            if waits_for == "events":
                interrupting.start()
                status = 2 if list(itertools.islice(client.listen(), 1)) else 0
            else:
                os.kill(server, signal.SIGSTOP)
                client.notify("ignored", text="x" * 3_000_000)
                interrupting.start()
                status = 0 if raises_lost(lambda: client.notify("ignored")) else 2
        finally:
            if os.getpid() != parent:
                os._exit(status)
        interrupting.join()
        assert os.waitstatus_to_exitcode(os.waitpid(forked[0], 0)[1]) == 0
        assert status == 2
