"""Cross-origin resource sharing (CORS, Fetch Standard): allowed origins and the response headers for them."""

from assay.settings import Settings
from assay.text.short_text_cache import cache_short
from assay.text.url_parts import LOOPBACK, split_url

METHODS = "GET, HEAD, POST, DELETE, OPTIONS"
ALLOWED_HEADERS = (
    "accept, authorization, content-encoding, content-type, idempotency-key, last-event-id, mcp-method, mcp-name, "
    "mcp-protocol-version, mcp-session-id, prefer, traceparent, tracestate, x-admin-key, "
    "x-request-id"
)
EXPOSED_HEADERS = (
    "idempotency-replayed, location, mcp-session-id, preference-applied, ratelimit, ratelimit-policy, retry-after, "
    "www-authenticate, x-request-id"
)
PREFLIGHT_SECONDS = 600


def list_allowed_origins(settings: Settings) -> frozenset[str]:
    """The origins that ALLOWED_ORIGINS lists."""
    return frozenset(origin.strip() for origin in settings.key("ALLOWED_ORIGINS").split(",") if origin.strip())


@cache_short(256)
def hostname(address: str) -> str | None:
    """The host of a URL; None when it has none or is malformed."""
    try:
        return split_url(address).hostname
    except ValueError:
        return None


def is_allowed(origin: str, host: str, allowed: frozenset[str]) -> bool:
    """Whether pages of `origin` may call the local server: listed ones, its own `host`, and loopback hosts."""
    scheme, _, authority = origin.partition("://")
    if origin in allowed:
        return True
    return scheme in ("http", "https") and (authority.lower() == host.lower() or hostname(origin) in LOOPBACK)


def headers_for(origin: str) -> dict[str, str]:
    """Headers of a response to a page of an allowed origin."""
    return {"access-control-allow-origin": origin, "access-control-expose-headers": EXPOSED_HEADERS, "vary": "Origin"}


def preflight_headers(origin: str) -> dict[str, str]:
    """Headers of the response to a preflight request."""
    return headers_for(origin) | {
        "access-control-allow-methods": METHODS,
        "access-control-allow-headers": ALLOWED_HEADERS,
        "access-control-max-age": str(PREFLIGHT_SECONDS),
    }
