"""The client among processes and signals: forks, reapers, signal handlers, limits, and programs that change its flags."""
from __future__ import annotations

import asyncio
import itertools
import os
import resource
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Callable

import pytest
from conftest import ROOT
from mambridge import CancelToken, Client, ConnectionLost, errors, wire
from mambridge.aio import AsyncClient
from mambridge.child import Child
from mambridge.events import Event
from mambridge.options import LONGEST, limit_of
from processes import is_gone, pid_of
from waiting import wait_for

FAKE = str(Path(__file__).parent / "fake.py")
NEWS: dict[str, Any] = {"method": "policyManager.policyDidChange", "params": {"seq": 1, "time": "2026-02-02T02:40:00.000Z"}}


def fake(**options: Any) -> Client:
    return Client.spawn(sys.executable, FAKE, **options)


# Newer versions of Python warn of a fork beside other threads, which is what is tried here.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


# Forks


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


# Signals


def on_signal(handle: Callable[[], object]) -> Callable[[], None]:
    """Handles SIGUSR1 like that until the test has ended. Returns what sends it to this thread."""
    signal.signal(signal.SIGUSR1, lambda *_: handle() and None)
    return lambda: signal.raise_signal(signal.SIGUSR1)


@pytest.fixture(autouse=True)
def default_signal() -> Any:
    yield
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)


def test_a_signal_handler_may_cancel_the_call_that_it_interrupts() -> None:
    token = CancelToken()
    with fake(timeout=30) as client:
        on_signal(token.cancel)
        main = threading.main_thread().ident or 0
        threading.Timer(0.1, lambda: signal.pthread_kill(main, signal.SIGUSR1)).start()
        call = client._session.new_call()
        client._session.send([call], wire.request(call.number, "hold", {"value": "end"}))
        threading.Timer(0.5, lambda: client.call("release", value="late")).start()
        assert client._session.wait(call, 20, token) == "end"
        assert "$/cancelRequest" in [request["method"] for request in client.call("seen")]
        with pytest.raises(errors.Cancelled):
            client.policy.is_pin_required(cancel=token)


def test_a_signal_handler_may_call_cancel_and_notify_wherever_it_interrupts() -> None:
    """The handler runs at each line of the client that the main thread reaches."""
    nested: list[Any] = []
    with fake(timeout=30) as client:
        def handle() -> None:
            sys.settrace(None)
            token = CancelToken()
            token.add(lambda: None)
            token.cancel()
            nested.append(client.call("echo", nested=True))
            client.notify("ignored")

        send = on_signal(handle)
        lines = count_lines(lambda: use(client))
        for line in range(0, lines, 3):
            trace_to(line, send)
            try:
                use(client)
            finally:
                sys.settrace(None)
    assert lines > 30 and len(nested) == len(range(0, lines, 3)) and set(map(str, nested)) == {"{'nested': True}"}


def use(client: Client) -> None:
    token = CancelToken()
    call = client._session.new_call()
    client._session.send([call], wire.request(call.number, "echo", {"outer": True}))
    assert client._session.wait(call, 30, token) == {"outer": True}
    token.cancel()
    client.notify("ignored")


def test_a_signal_handler_may_call_where_it_interrupts_the_wait_for_events() -> None:
    nested: list[Any] = []
    with fake(timeout=30) as client:
        def handle() -> None:
            sys.settrace(None)
            client.call("afterwards", [NEWS])
            nested.append(client.call("echo", nested=True))

        send = on_signal(handle)
        for line in range(60):
            client.call("afterwards", [NEWS])
            trace_to(line, send)
            try:
                assert next(client.listen(30)).event == NEWS["method"]
            finally:
                sys.settrace(None)
    assert len(nested) > 10


def trace_to(number: int, action: Callable[[], Any]) -> list[int]:
    """Calls the action at the line of the client with that number, counted in the order of execution."""
    count = [0]

    def trace(frame: Any, event: str, _: Any) -> Any:
        if "/mambridge/" not in frame.f_code.co_filename:
            return None
        if event == "line":
            count[0] += 1
            if count[0] == number + 1:
                action()
        return trace

    sys.settrace(trace)
    return count


def count_lines(work: Callable[[], None]) -> int:
    count = trace_to(-2, lambda: None)
    try:
        work()
    finally:
        sys.settrace(None)
    return count[0]


# Other reapers, limits and flags


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


# Time limits


@pytest.mark.parametrize(("timeout", "limit"), [
    (None, None), (float("inf"), None), (1e10, None), (1e300, None), (0, 0), (-1, 0), (float("-inf"), 0), (2.5, 2.5),
    (LONGEST, LONGEST),
])
def test_a_time_limit_that_nobody_lives_to_see_is_none(timeout: float | None, limit: float | None) -> None:
    assert limit_of(timeout) == limit


def test_a_time_limit_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="not a number"):
        limit_of(float("nan"))


@pytest.mark.parametrize("timeout", [float("inf"), 1e10, LONGEST, 200_000])
def test_calls_events_and_notifications_take_any_time_limit(timeout: float) -> None:
    with fake(timeout=timeout) as client:
        assert client.call("echo", {"a": 1}) == {"a": 1}
        client.notify("ignored")
        assert client.policy_manager.mam_policy_source(timeout=timeout) == "aSourceOfTomorrow"
        client.call("afterwards", [NEWS])
        assert next(client.listen(timeout)).event == NEWS["method"]

    async def run() -> None:
        async with AsyncClient.spawn(sys.executable, FAKE, timeout=timeout) as client:
            assert await client.call("echo", {"a": 1}) == {"a": 1}
            await client.notify("ignored")
            await client.call("afterwards", [NEWS])
            async for event in client.listen(timeout):
                assert event.event == NEWS["method"]
                break

    asyncio.run(run())


def test_the_server_gets_a_deadline_of_a_day_at_most() -> None:
    assert wire.with_options({}, 1, 86_400, False) == {"_meta": {"timeoutMilliseconds": 86_400_000}}
    assert wire.with_options({}, 1, 86_401, False) == {}


# asyncio


@pytest.mark.parametrize("cancels", ["its task", "what it waits for", "by raising"])
def test_a_cancelled_handler_of_events_silences_no_other_event(cancels: str) -> None:
    async def run() -> None:
        heard = asyncio.Event()
        count = 0

        async def handle(event: Event) -> None:
            nonlocal count
            count += 1
            if count == 2:
                heard.set()
            elif cancels == "by raising":
                raise asyncio.CancelledError
            else:
                waiting = asyncio.ensure_future(asyncio.sleep(60))
                task: Any = asyncio.current_task() if cancels == "its task" else waiting
                asyncio.get_running_loop().call_soon(task.cancel)
                try:
                    await waiting
                finally:
                    waiting.cancel()

        async with AsyncClient.spawn(sys.executable, FAKE, timeout=20, on_event=handle) as client:
            await client.call("afterwards", [NEWS, NEWS])
            await asyncio.wait_for(heard.wait(), 20)

    asyncio.run(run())


def test_a_handler_of_events_may_close_the_client() -> None:
    async def run() -> None:
        closed = asyncio.Event()

        async def handle(event: Event) -> None:
            await client.close()
            closed.set()

        async with AsyncClient.spawn(sys.executable, FAKE, timeout=20, on_event=handle) as client:
            await client.call("afterwards", [NEWS])
            await asyncio.wait_for(closed.wait(), 20)

    asyncio.run(run())


@pytest.mark.parametrize("times", [1, 2, 3])
def test_a_cancel_during_close_leaves_no_server(times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often the task is cancelled, and although the loop ends then."""
    servers: list[int] = []

    async def close(client: AsyncClient) -> None:
        await client.close()

    async def run() -> None:
        client = await AsyncClient.spawn(sys.executable, FAKE, timeout=20)
        servers.append(pid_of(client))
        await client.call("stay", stubborn=True)
        for _ in range(times):
            closing = asyncio.ensure_future(close(client))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            closing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await closing

    asyncio.run(run())
    assert is_gone(servers[0])


def test_a_cancelled_close_goes_on_in_its_loop() -> None:
    async def run() -> None:
        client = await AsyncClient.spawn(sys.executable, FAKE, timeout=20)
        closing = asyncio.ensure_future(client.close())
        await asyncio.sleep(0)
        closing.cancel()
        await client.close()
        assert client.exit_code == 0

    asyncio.run(run())


@pytest.mark.parametrize("steps", range(1, 10))
def test_a_cancelled_start_harms_no_later_client(steps: int) -> None:
    """Wherever it is cancelled: the next client gets the numbers of its files."""
    async def spawn() -> AsyncClient:
        return await AsyncClient.spawn(sys.executable, FAKE, timeout=20)

    async def run() -> None:
        starting = asyncio.ensure_future(spawn())
        for _ in range(steps):
            await asyncio.sleep(0)
        if starting.cancel():
            with pytest.raises(asyncio.CancelledError):
                await starting
        else:
            await starting.result().close()
        async with AsyncClient.spawn(sys.executable, FAKE, timeout=20) as client:
            assert await client.call("echo", still="here") == {"still": "here"}

    asyncio.run(run())


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
