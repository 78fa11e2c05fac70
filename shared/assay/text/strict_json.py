"""Strict JSON (RFC 8259): rejects the constants NaN and Infinity, which Python's parser accepts."""

from typing import NoReturn


def refuse_constant(name: str) -> NoReturn:
    """Raise ValueError for NaN, Infinity and -Infinity: `json.loads(…, parse_constant=refuse_constant)`."""
    raise ValueError(f"{name} is no JSON number")
