"""What the client loads, and that what it makes when first used is as if it had always been there."""
from __future__ import annotations

import copy
import dataclasses
import inspect
import os
import pickle
import pydoc
import subprocess
import sys
import threading
import typing
from pathlib import Path
from typing import Any

import mambridge
import pytest
from mambridge import Client, Host, Progress, aio, errors, events, requests, types
from mambridge.records import Record
from mambridge.values import lazy

PYTHON = Path(__file__).resolve().parents[1]
RECORDS = [
    found for module in (types, events, requests) for found in vars(module).values()
    if isinstance(found, type) and issubclass(found, Record) and found is not Record] + [Progress]


def run(script: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(PYTHON)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def modules(script: str) -> set[str]:
    """What a program has loaded after the script."""
    return set(run(f"{script}\nimport sys; print(*sys.modules)").split())


def test_the_package_loads_its_parts_when_they_are_first_used() -> None:
    loaded = modules("import mambridge")
    assert {name for name in loaded if name.startswith("mambridge")} == {"mambridge", "mambridge.loading"}
    assert not {"typing", "json", "socket", "subprocess"} & (loaded - modules(""))
    assert "mambridge.types" in modules("import mambridge; mambridge.types")


def test_a_client_that_asks_for_a_truth_value_loads_no_types_errors_or_other_namespaces() -> None:
    loaded = modules("from mambridge import Client; Client.policy; import mambridge.methods.policy")
    assert not {
        "dataclasses", "inspect", "mambridge.types", "mambridge.errors", "mambridge.events", "mambridge.requests",
        "mambridge.host", "mambridge.methods.file"} & loaded


def test_the_plugin_costs_a_pytest_without_sandboxes_no_part_of_the_client() -> None:
    loaded = modules("import pytest, mambridge.testing.pytest_plugin") - modules("import pytest")
    assert loaded == {"mambridge", "mambridge.loading", "mambridge.testing", "mambridge.testing.pytest_plugin"}


def test_all_names_are_there_for_a_star_and_for_dir() -> None:
    names = set(mambridge.__all__)
    assert names <= set(dir(mambridge)) and set(aio.__all__) <= set(dir(aio))
    assert names <= set(run("from mambridge import *\nprint(*dir())").split())
    with pytest.raises(AttributeError, match="module 'mambridge' has no attribute 'Cleint'"):
        mambridge.Cleint  # type: ignore[attr-defined]


def test_threads_that_use_a_part_at_once_get_the_same() -> None:
    assert run("""if True:
        import threading
        import mambridge
        start, seen = threading.Barrier(8), []

        def use():
            start.wait()
            client = mambridge.Client
            seen.append((client, mambridge.types.Credentials, mambridge.errors.Canceled))

        threads = [threading.Thread(target=use) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(len(seen), len(set(seen)))
    """) == "8 1\n"


def test_threads_that_use_a_namespace_at_once_get_the_same() -> None:
    class Owner:
        @lazy
        def member(self) -> object:
            start.wait()
            return object()

    start, owner, seen = threading.Barrier(4), Owner(), []
    threads = [threading.Thread(target=lambda: seen.append(owner.member)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 4 and len(set(map(id, seen))) == 1


def values_of(record: Any) -> dict[str, Any]:
    return {name: f"the {name}" for name in record.__match_args__}


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: f"{record.__module__}.{record.__name__}")
def test_a_record_is_a_frozen_dataclass(record: Any) -> None:
    assert dataclasses.is_dataclass(record)
    fields = dataclasses.fields(record)
    assert tuple(field.name for field in fields) == record.__match_args__
    parameters = inspect.signature(record).parameters.values()
    assert [(each.name, each.default is inspect.Parameter.empty) for each in parameters] == \
        [(field.name, field.default is dataclasses.MISSING) for field in fields]
    found = record(**values_of(record))
    assert dataclasses.asdict(found) == values_of(record) and list(vars(found)) == list(record.__match_args__)
    assert pickle.loads(pickle.dumps(found)) == copy.deepcopy(found) == copy.copy(found) == found
    assert hash(dataclasses.replace(found)) == hash(found)
    assert typing.get_type_hints(record).keys() >= set(record.__match_args__)
    assert record.__doc__ and pydoc.render_doc(record)
    for field in fields:
        assert dataclasses.replace(found, **{field.name: 1}) != found
        assert (f"{field.name}=" in repr(found)) is field.repr
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(found, field.name, 1)
        with pytest.raises(dataclasses.FrozenInstanceError):
            delattr(found, field.name)


def test_secrets_of_records_stay_out_of_their_representations() -> None:
    assert "a token" not in repr(types.Credentials("alice@contoso.example", "a token"))
    assert "2580" not in repr(types.EnteredPIN("2580"))


def test_a_record_can_be_extended() -> None:
    @dataclasses.dataclass(frozen=True)
    class Timed(Progress):
        seconds: int = 0

    class Named(Progress):
        pass

    timed, named = Timed("report", 5.0, "half", 3), Named("report")
    assert dataclasses.replace(timed, seconds=4) == Timed("report", 5.0, "half", 4) and "seconds=3" in repr(timed)
    named.title = "export"  # type: ignore[attr-defined]
    assert vars(named)["title"] == "export" and dataclasses.replace(named, kind="end").kind == "end"
    with pytest.raises(dataclasses.FrozenInstanceError):
        named.kind = "end"  # type: ignore[misc]
    with pytest.raises(TypeError, match="non-frozen"):
        dataclasses.dataclass(type("Open", (Progress,), {}))


@pytest.mark.skipif(sys.version_info < (3, 10), reason="match is newer")
def test_records_match_by_position_and_by_name() -> None:
    seen: dict[str, Any] = {"Progress": Progress, "found": Progress("report", 50.0, "half")}
    exec("""if True:
        match found:
            case Progress("report", amount, message=text):
                seen = amount, text
    """, seen)
    assert seen["seen"] == (50.0, "half")


def test_namespaces_are_members_with_documentation() -> None:
    assert {"policy", "enrollment_manager", "version_info"} <= set(dir(Client))
    assert Client.policy.__doc__ == "The methods of policy."
    assert inspect.signature(Host.show_alert).parameters.keys() == {"self", "request"}
    assert "is_pin_required" in pydoc.render_doc("mambridge.methods.policy", renderer=pydoc.plaintext)
    assert "policy" in pydoc.render_doc(Client, renderer=pydoc.plaintext)


def test_an_error_can_be_pickled() -> None:
    found = pickle.loads(pickle.dumps(errors.Canceled("not now")))
    assert isinstance(found, errors.Canceled) and found.message == "not now"
