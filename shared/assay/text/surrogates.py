"""Lone surrogates, which JSON strings may escape but UTF-8 cannot encode (RFC 8259, section 8.2)."""

import re
from typing import Any

ESCAPE, ESCAPE_BYTES = re.compile(r"\\u[dD][89a-fA-F]"), re.compile(rb"\\u[dD][89a-fA-F]")


def may_have_surrogates(document: str | bytes) -> bool:
    """Return whether a JSON document has an escape of a surrogate, which may be a lone one."""
    return (ESCAPE.search(document) if isinstance(document, str) else ESCAPE_BYTES.search(document)) is not None


def replace_surrogates(value: Any) -> Any:
    """Return the value with lone surrogates replaced by U+FFFD, at any depth."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [replace_surrogates(inner) for inner in value]
    if isinstance(value, dict):
        return {replace_surrogates(name): replace_surrogates(inner) for name, inner in value.items()}
    return value
