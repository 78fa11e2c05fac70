"""Figures as their upstream wrote them: never rounded, never spelled anew."""

import re
from typing import Any

NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
LONGEST = 60  # characters


def figure(value: Any) -> str | None:
    """The text of a number, None where it is none: a gap, a dash, a word, a truth value."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    text = str(value).strip() if isinstance(value, str) or abs(value) < 10**LONGEST else ""
    return text if len(text) <= LONGEST and NUMBER.fullmatch(text) else None
