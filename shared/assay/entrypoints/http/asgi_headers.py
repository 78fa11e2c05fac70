"""Headers between ASGI, which has them as pairs of bytes, and mappings of names to values."""

from collections.abc import Mapping


def join_headers(rows: list[tuple[bytes, bytes]]) -> dict[str, str]:
    """The headers with lower-case names. Repeated ones are joined by commas, so they never match a single value."""
    joined: dict[str, str] = {}
    for raw, value in rows:
        name, text = raw.decode("latin-1").lower(), value.decode("latin-1").strip(" \t")
        joined[name] = f"{joined[name]},{text}" if name in joined else text
    return joined


def encode_headers(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
