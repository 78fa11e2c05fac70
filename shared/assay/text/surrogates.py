"""Halves of surrogate pairs, which JSON may escape and no UTF-8 can carry."""

from typing import Any


def replace_surrogates(value: Any) -> Any:
    """The value, replacement characters in place of the halves, whatever they are nested in."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [replace_surrogates(inner) for inner in value]
    if isinstance(value, dict):
        return {replace_surrogates(name): replace_surrogates(inner) for name, inner in value.items()}
    return value
