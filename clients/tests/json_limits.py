"""For schemathesis: bodies within the limits of the service's JSON, which JSON Schema cannot express."""
from __future__ import annotations

from typing import Any

import schemathesis


def is_within_limits(value: Any) -> bool:
    """No NUL in text, and no integer of more than 64 bits, also where a member is ignored."""
    if isinstance(value, dict):
        return all(is_within_limits(name) and is_within_limits(member) for name, member in value.items())
    if isinstance(value, list):
        return all(map(is_within_limits, value))
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return not float(value).is_integer() or -(2**63) <= value < 2**64
    return not isinstance(value, str) or "\0" not in value


@schemathesis.hook
def filter_body(context: Any, body: Any) -> bool:
    return is_within_limits(body)
