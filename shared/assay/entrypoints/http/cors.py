"""Browsers: which pages of other origins may call, and what they are told (CORS)."""

from assay.text.url_parts import split_url

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
METHODS = "GET, HEAD, POST, DELETE, OPTIONS"
TAKEN = (
    "accept, authorization, content-encoding, content-type, idempotency-key, last-event-id, mcp-method, mcp-name, "
    "mcp-protocol-version, mcp-session-id, x-request-id"
)
SHOWN = "idempotency-replayed, mcp-session-id, retry-after, www-authenticate, x-request-id"
PREFLIGHT_SECONDS = 600


def hostname(address: str) -> str | None:
    try:
        return split_url(address).hostname
    except ValueError:
        return None


def is_allowed(origin: str, host: str, allowed: frozenset[str]) -> bool:
    """Whether pages of this origin may call: the operator's list, this very host, and pages on this machine."""
    scheme, _, authority = origin.partition("://")
    if origin in allowed:
        return True
    return scheme in ("http", "https") and (authority.lower() == host.lower() or hostname(origin) in LOOPBACK)


def headers_for(origin: str) -> dict[str, str]:
    """What the answer to a page of an allowed origin says besides."""
    return {"access-control-allow-origin": origin, "access-control-expose-headers": SHOWN, "vary": "Origin"}


def preflight_headers(origin: str) -> dict[str, str]:
    """The answer to a browser that asks before it calls."""
    return headers_for(origin) | {
        "access-control-allow-methods": METHODS,
        "access-control-allow-headers": TAKEN,
        "access-control-max-age": str(PREFLIGHT_SECONDS),
    }
