"""What a failing test prints: the story of its sandbox, and a script that replays it."""
from __future__ import annotations

import json
import re
import shlex
from itertools import groupby
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Tuple

from .recording import Call, Record
from .setup import Setup

if TYPE_CHECKING:
    from ..types import Story, StoryEntry

# A shorter text of a result is no id, but may be a word that a test uses by itself.
SHORTEST_REFERENCE = 16
HEADING = "--- what happened in the sandbox"
STUCK = "The story is lost: the sandbox does not answer."
# Of a failure, in a script.
MOST_LINES = 20

_HEAD = r"""#!/usr/bin/env bash
# {title}
# Each line that begins with > is a call of the test. The lines that begin with < are what mambridge says.
{notes}set -euo pipefail
trap '' PIPE
coproc mam {{ exec "${{MAMBRIDGE:-{binary}}}" {arguments}; }}
{{ exec 3>&"${{mam[1]-}}" 4<&"${{mam[0]-}}"; }} 2>/dev/null || true
answers=()
call() {{
  printf '> %s\n' "$2"
  printf '%s\n' "$2" 2>/dev/null >&3 || true
  while IFS= read -r -t 120 line 2>/dev/null <&4; do
    printf '< %s\n' "$line"
    if [[ $line == '{{"jsonrpc":"2.0","id":'"$1",* ]]; then answers[$1]=$line && return; fi
  done
  echo "mambridge has ended, or did not answer within 120 s" >&2
  exit 1
}}
"""


def story_text(story: Story) -> str:
    """Entries that only repeat the one before, such as check-ins without a network, are counted."""
    lines = ["(earlier entries are left out)"] if story.missed else []
    for _, alike in groupby(story.entries, lambda entry: (entry.kind, entry.text, entry.because)):
        first, *others = alike
        lines.append(f"{_time(first)}  {first.text}")
        lines += [f"{'':21}{reason}" for reason in first.because]
        if others:
            lines.append(f"{'':21}({len(others)} more of these until {_time(others[-1])})")
    return "\n".join(lines) or "Nothing happened."


def _time(entry: StoryEntry) -> str:
    return f"{entry.time:%Y-%m-%d %H:%M:%S}"


def replay(setup: Setup, record: Record, failure: str, joined: bool) -> str:
    """Texts of earlier answers in later calls, such as the id of a challenge, come from the answers of the replay."""
    notes: List[str] = []
    if joined:
        notes.append("What joined the sandbox made calls of its own, which are not replayed.")
    if record.left_out:
        notes.append(f"{record.left_out} more calls are left out.")
    known: Dict[str, str] = {}
    lines = []
    for number, call in enumerate(record.calls, 1):
        lines.append(f"call {number} {_request(number, call, known)}")
        for text, place in _texts(call.result, ".result"):
            known.setdefault(text, f'"$(jq -c {shlex.quote(place)} <<<"${{answers[{number}]}}")"')
    if any("answers[" in line for line in lines):
        notes.append("Needs jq.")
    lines.append(f"call {len(record.calls) + 1} " + shlex.quote(_message(len(record.calls) + 1, "sandbox.story", None)))
    head = _HEAD.format(
        title=f"Replays {failure.splitlines()[0] if failure else 'the calls of a test'}.",
        notes="".join(f"# {note}\n" for note in notes), binary=_in_quotes(setup.binary),
        arguments=" ".join(map(shlex.quote, setup.arguments)))
    told = [f"echo {shlex.quote(line)}" for line in failure.splitlines()[1:MOST_LINES]]
    return head + "\n".join([*lines, *told]) + "\n"


def _in_quotes(text: str) -> str:
    return re.sub(r'([\\"$`}])', r"\\\1", text)


def _message(number: int, method: str, params: "str | None") -> str:
    given = "" if params is None else f',"params":{params}'
    return f'{{"jsonrpc":"2.0","id":{number},"method":"{method}"{given}}}'


def _request(number: int, call: Call, known: Dict[str, str]) -> str:
    """The quoted message. A known text is replaced by its place, outside of the quotes."""
    message = shlex.quote(_message(number, call.method, call.params))
    if call.params is None or not known:
        return message
    for text, _ in _texts(json.loads(call.params), ""):
        if text in known:
            message = message.replace(json.dumps(text), f"'{known[text]}'")
    return message


def _texts(value: Any, place: str) -> Iterator[Tuple[str, str]]:
    """The long texts in a value, each with its path for jq."""
    if isinstance(value, str):
        if len(value) >= SHORTEST_REFERENCE and "@" not in value and "'" not in value:
            yield value, place
    elif isinstance(value, dict):
        for name, member in value.items():
            yield from _texts(member, f"{place}[{json.dumps(name)}]")
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from _texts(member, f"{place}[{index}]")


def joined(story: str, script: str) -> str:
    return f"{HEADING}\n{story}\n--- a script that replays it\n{script}"


def take_notes(error: BaseException) -> List[str]:
    """Takes the reports out of the notes of a failure, and returns them."""
    notes: List[str] = getattr(error, "__notes__", [])
    reports = [note for note in notes if note.startswith(HEADING)]
    notes[:] = [note for note in notes if note not in reports]
    return reports


def summary(error: BaseException) -> str:
    return f"the calls of a test\n{type(error).__name__}: {error}"


def is_skip(error: BaseException) -> bool:
    from unittest import SkipTest
    return isinstance(error, SkipTest)
