"""The guarded client for the JSON tools, whose error messages are fixed strings that callers compare."""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from assay import __version__
from assay.errors import Blocked, InvalidInput, Network, NotFound, RateLimited, ToolError, UpstreamFailed
from assay.net.exceptions import OffLimits, TooManyRedirects, Unreachable
from assay.net.guarded_client import Fetched, GuardedClient
from assay.net.retry import retry_after_seconds
from assay.net.urls import SCHEME, ParsedUrl, parse_url
from assay.settings import Settings

SCHEMED = re.compile(r"\s*https?:", re.IGNORECASE)
HOSTLESS = re.compile(r"\s*https?:[/\\]*(?:[?#]|\Z)", re.IGNORECASE)
HIDDEN = "SSRF blocked: onion domains are not allowed"
PRIVATE = "SSRF blocked: private or loopback address"
UNKNOWN = "SSRF blocked: cannot resolve host"


def build_user_agent(tool: str) -> str:
    """The User-Agent of a tool. robots.txt files address these tools as `agentcli`."""
    return f"agentcli-{tool.replace('_', '-')}/0.1 (Assay/{__version__})"


def choose_timeout(settings: Settings, requested_ms: int, default: float) -> float:
    """The time limit of a request: as requested (0 is unset), else HTTP_TIMEOUT_MS, else the default."""
    text = settings.key("HTTP_TIMEOUT_MS")
    configured = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
    return (requested_ms or configured) / 1000 or default


@asynccontextmanager
async def open_client(
    web: GuardedClient, settings: Settings, tool: str, seams: Mapping[str, Any]
) -> AsyncIterator[GuardedClient]:
    """The client of one tool. `<TOOL>_ALLOW_LOCAL=1` allows loopback and private addresses, but never on Lambda."""
    if settings.on_lambda or settings.key(f"{tool.upper()}_ALLOW_LOCAL") != "1":
        yield web
        return
    client = GuardedClient(replace(settings, allow_private_ips=True), **seams)
    try:
        yield client
    finally:
        await client.close()


def parse_http_url(url: str) -> ParsedUrl:
    """Parse the URL. Raises InvalidInput with the fixed messages."""
    if not SCHEMED.match(url):
        raise InvalidInput("only http/https are allowed", field="url")
    if HOSTLESS.match(url):
        raise InvalidInput("invalid host", field="url")
    return parse_url(url)


async def fetch(web: GuardedClient, url: str, *, seconds: float, **options: Any) -> Fetched:
    """`GuardedClient.fetch` with the fixed error messages."""
    try:
        return await web.fetch(parse_http_url(url).url, seconds=seconds, **options)
    except (OffLimits, Unreachable) as failure:
        raise to_tool_error(failure, seconds) from failure


def to_tool_error(failure: OffLimits | Unreachable, seconds: float) -> ToolError:
    """The error with its fixed message; the hint has the detailed one."""
    if isinstance(failure, OffLimits):
        if failure.what == SCHEME:
            return InvalidInput("http: unsupported protocol scheme", hint=failure.message, field="url")
        words = HIDDEN if failure.what == "a hidden service" else PRIVATE
        return InvalidInput(words, hint=failure.message, field="url")
    if failure.reason == "dns":
        return InvalidInput(UNKNOWN, hint=failure.message, field="url")
    if isinstance(failure, TooManyRedirects):
        return UpstreamFailed("http: too many redirects", hint=failure.message, action=failure.action)
    if failure.reason == "timeout":
        return Network(f"http: timeout: no whole answer within {seconds:g} seconds", retry_after=5)
    return Network(f"http: {failure.message}", retry_after=5)


def to_status_error(fetched: Fetched, words: str, now: float) -> ToolError:
    """The error for a status of 400 or more; its message is `words` and the number."""
    status, sentence = fetched.status, f"{words} {fetched.status}"
    wait = retry_after_seconds(fetched.headers, datetime.fromtimestamp(now, UTC))
    if status == 429:
        return RateLimited(sentence, retry_after=wait or 60)
    if status in (404, 410):
        return NotFound(sentence)
    if status in (401, 403):
        return Blocked(sentence)
    return UpstreamFailed(sentence, retry_after=wait)


def require_complete(fetched: Fetched) -> Fetched:
    """The response, if it is complete. Raises Network otherwise."""
    if fetched.broken:
        raise Network("read body: unexpected EOF", hint="the server ended its answer too early", retry_after=5)
    return fetched
