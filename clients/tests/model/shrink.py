"""Makes a case with a disagreement small, and writes a script that repeats it."""
from __future__ import annotations

import base64
import copy
import json
from typing import Any, Callable, Iterator

from .compare import Disagreement, Runner, run
from .sessions import moment


def shrink(case: "dict[str, Any]", binary: str, memory: "str | None",
           most: int = 400) -> "tuple[dict[str, Any], Disagreement, Runner]":
    """The smallest case found, of at most so many tries, in which the program and the model differ about the same kind."""
    found, runner = run(case, binary, memory)
    if not found:
        raise LookupError("It does not happen each time: the program answers differently from run to run.")
    first = found[0]
    best = copy.deepcopy(case)
    best["steps"] = best["steps"][:first.step + 1]
    if best["steps"][-1][0] == "ask":
        best["steps"][-1] = [*best["steps"][-1][:4], first.kind]
    tries = 0
    progress = True
    while progress and tries < most:
        progress = False
        for smaller in smaller_cases(best):
            tries += 1
            found, again = run(smaller, binary, memory)
            if found and found[0].kind == first.kind:
                best, first, runner, progress = smaller, found[0], again, True
                break
            if tries >= most:
                break
    found, runner = run(best, binary, memory)
    return best, found[0] if found else first, runner


def smaller_cases(case: "dict[str, Any]") -> "Iterator[dict[str, Any]]":
    steps = case["steps"]
    size = max(1, len(steps) // 2)
    while size:
        for begin in range(len(steps) - 1 - size, -1, -size):
            yield {**case, "steps": steps[:begin] + steps[begin + size:]}
        size //= 2
    if case["way"] != "script":
        yield {**case, "way": "script"}
    for number in range(-1, len(steps)):
        if number >= 0 and steps[number][0] not in ("tenant", "device"):
            continue
        thing = case["tenant"] if number < 0 else steps[number][1]
        for reduced in reductions(thing):
            if number < 0:
                yield {**case, "tenant": reduced}
            else:
                yield {**case, "steps": [*steps[:number], [steps[number][0], reduced], *steps[number + 1:]]}


def reductions(thing: "dict[str, Any]") -> "Iterator[dict[str, Any]]":
    """The same without one of its parts."""
    if "files" not in thing:
        yield from ({key: value for key, value in thing.items() if key != name} for name in thing)
        return

    def without(remove: "Callable[[dict[str, Any]], Any]") -> "dict[str, Any]":
        reduced = copy.deepcopy(thing)
        remove(reduced)
        return reduced
    for path in thing["files"]:
        def drop(one: "dict[str, Any]", path: str = path) -> None:
            del one["files"][path]
            one["tenant"]["assignments"] = [each for each in one["tenant"]["assignments"] if each["policy"] != path]
        yield without(drop)
    for name in thing["filters"]:
        yield without(lambda one, name=name: one["filters"].pop(name))
    for number in range(len(thing["tenant"]["users"])):
        yield without(lambda one, number=number: one["tenant"]["users"].pop(number))
    for key in ("allowedAccounts", "mdm"):
        if key in thing["tenant"]:
            yield without(lambda one, key=key: one["tenant"].pop(key))
    for number in range(len(thing["tenant"]["assignments"])):
        yield without(lambda one, number=number: one["tenant"]["assignments"].pop(number))
    kept = ("@odata.type", "@odata.context", "id")
    for path, file in thing["files"].items():
        names = [name for name in file["object"] if name not in kept]
        size = max(1, len(names) // 2)
        while size:
            for begin in range(0, len(names), size):
                def cut(one: "dict[str, Any]", path: str = path, some: "list[str]" = names[begin:begin + size]) -> None:
                    for name in some:
                        del one["files"][path]["object"][name]
                yield without(cut)
            size //= 2


def script(case: "dict[str, Any]", difference: Disagreement, runner: Runner) -> str:
    """A script for bash that repeats the case, with a process for each part in which the tenant stays the same."""
    lines = ["#!/usr/bin/env bash"]
    lines += [f"# {line}" for line in difference.text().splitlines()]
    if case["way"] != "script":
        lines.append(f"# Found by the way of asking \"{case['way']}\": if this script does not show it, run "
                     "scripts/model --case FILE with the case.")
    lines += ["set -eu", "cd \"$(mktemp -d)\""]
    several = " --set MultiManagedIdentities=true --set MultiIdentity=true" if case["several"] else ""
    calls: "list[tuple[str, dict[str, Any]]]" = []
    begin = 0.0

    def ask() -> None:
        if calls:
            lines.append(f"mambridge serve -q --tenant tenant --state state --clock manual={moment(begin)}{several} <<'END'")
            lines.extend(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
                         for number, (method, params) in enumerate(calls))
            lines.append("END")
            calls.clear()
    for kind, *rest in runner.log:
        if kind == "calls":
            if not calls:
                begin = rest[0]
            calls.extend(rest[1])
            continue
        ask()
        if kind == "tenant":
            lines += ["rm -rf tenant", "mkdir -p tenant/policies tenant/configurations tenant/filters" if rest[0] else ":"]
            for path, content in rest[0].items():
                try:
                    lines += [f"cat >{path} <<'END'", content.decode(), "END"]
                except UnicodeDecodeError:
                    lines.append(f"base64 -d >{path} <<<{base64.b64encode(content).decode()}")
    ask()
    return "\n".join(lines) + "\n"


def explain(case: "dict[str, Any]", binary: str, memory: "str | None") -> str:
    """What a person needs to settle a disagreement."""
    try:
        small, difference, runner = shrink(case, binary, memory)
    except LookupError as error:
        return f"{error}\n\nThe case:\n{json.dumps(case)}\n"
    return (f"{difference.text()}\nThe case:\n{json.dumps(small)}\n\n"
            f"The same as a script:\n{script(small, difference, runner)}")
