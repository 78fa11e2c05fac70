"""Numbers as text, exactly as the upstream wrote them, so that nothing is rounded."""

import re
from typing import Any

NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
MAX_LENGTH = 60  # characters


def to_decimal_text(value: Any) -> str | None:
    """The text of a number; None for any other value, such as a dash, a word or a boolean."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    text = str(value).strip() if isinstance(value, str) or abs(value) < 10**MAX_LENGTH else ""
    return text if len(text) <= MAX_LENGTH and NUMBER.fullmatch(text) else None
