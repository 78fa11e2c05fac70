"""Query parameters as arguments."""

from typing import Any
from urllib.parse import parse_qsl


def parse_query(query: str) -> dict[str, Any]:
    """Query parameters as arguments: texts, which inputs convert; a repeated name is a list."""
    values: dict[str, Any] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        previous = values.get(name)
        values[name] = (
            value if previous is None else [*previous, value] if isinstance(previous, list) else [previous, value]
        )
    return values
