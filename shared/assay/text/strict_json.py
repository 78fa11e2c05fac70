"""Strict JSON (RFC 8259): refuses what readers read differently, and says in plain words what is wrong."""

import json
from typing import Any, NoReturn


def parse_strict(text: str) -> Any:
    """Parse one JSON value. Raises ValueError with the reason, also for a key that an object names twice."""
    try:
        return json.loads(text, parse_constant=refuse_constant, object_pairs_hook=_refuse_repeated)
    except (ValueError, RecursionError) as wrong:
        raise ValueError(describe_json_error(wrong)) from None


def refuse_constant(name: str) -> NoReturn:
    """Raise ValueError for NaN, Infinity and -Infinity: `json.loads(…, parse_constant=refuse_constant)`."""
    raise ValueError(f"{name} is no JSON number")


def describe_json_error(wrong: ValueError | RecursionError) -> str:
    """The reason for which Python's parser refused a text, without words that only programmers of Python know."""
    if isinstance(wrong, RecursionError):
        return "it is nested too deeply"
    if isinstance(wrong, json.JSONDecodeError):
        if wrong.msg.startswith("Unexpected UTF-8 BOM"):
            return "it begins with a byte order mark"
        reason = wrong.msg.removesuffix(" at").removesuffix(" starting")
        place = f"line {wrong.lineno}, column" if wrong.lineno > 1 else "character"
        return f"{reason[0].lower()}{reason[1:]} at {place} {wrong.colno}"
    reason = str(wrong)
    return "a number has too many digits" if "integer string conversion" in reason else reason


def _refuse_repeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("an object names a key twice")
    return members
