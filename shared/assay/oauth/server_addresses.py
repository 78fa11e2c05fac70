"""The addresses of this server: issuer, protected resources and endpoints, each one exact string everywhere."""

import re

from assay.settings import Settings
from assay.text.short_text_cache import cache_short
from assay.text.url_parts import LOOPBACK, split_url

HOST = re.compile(r"[a-z0-9.-]{1,253}(:\d{1,5})?|\[[0-9a-f:.]{2,45}\](:\d{1,5})?")
FUNCTION_URL = ".on.aws"  # serves /mcp only, so it has no authorization server
MCP_PATH, SEARCH_PATH = "/mcp", "/mcp/search"
RESOURCE_PATHS = ("", MCP_PATH, SEARCH_PATH, "/tools", "/v1")  # of protected resources; the first covers all endpoints
CONSENT_PAGE = "/oauth/personal-data"  # where people consent to the storage of their data
RESOURCE_METADATA = "/.well-known/oauth-protected-resource"


def find_base_url(settings: Settings, host: str) -> str | None:
    """The address under which callers reach this server, without a final slash; None where it is not known for sure.

    That is ASSAY_PUBLIC_URL, else on Lambda the host of the HTTP API, which API Gateway verifies, else loopback.
    """
    if settings.public_url:
        return settings.public_url
    host = host.lower()
    if not HOST.fullmatch(host):
        return None
    if settings.on_lambda:
        return None if host.endswith(FUNCTION_URL) else f"https://{host}"
    return f"http://{host}" if _is_loopback(host) else None


@cache_short(256)
def _is_loopback(host: str) -> bool:
    return split_url(f"//{host}").hostname in LOOPBACK


def parse_resource(resource: str, base: str) -> str | None:
    """The resource in its exact form, if it is one of this server; the whole server for an empty text.

    The query, such as `?toolset=core`, and a final slash do not make another resource.
    """
    if not resource:
        return base
    known = {base + path for path in RESOURCE_PATHS}
    exact = resource.partition("?")[0].removesuffix("/")
    return exact if exact in known else None


def is_covered(endpoint: str, resource: str) -> bool:
    """Whether a token for `resource` is meant for `endpoint`: the same address, or one below it."""
    return endpoint == resource or endpoint.startswith(resource + "/")


def list_audiences(endpoint: str, base: str) -> frozenset[str]:
    """The audiences that a token for the endpoint may name."""
    return frozenset({endpoint, base})
