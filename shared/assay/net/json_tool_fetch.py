"""The guarded way out for tools of plain JSON, whose failures are fixed strings that callers compare."""

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


def agent(tool: str) -> str:
    """What a tool calls itself: `agentcli` is the name under which robots.txt speaks to all of these."""
    return f"agentcli-{tool.replace('_', '-')}/0.1 (Assay/{__version__})"


def seconds_of(settings: Settings, asked_ms: int, default: float) -> float:
    """How long a request may take: what was asked (0 is nothing), else HTTP_TIMEOUT_MS, else the default."""
    told = settings.key("HTTP_TIMEOUT_MS")
    own = int(told) if told.isascii() and told.isdigit() and len(told) < 10 else 0
    return (asked_ms or own) / 1000 or default


@asynccontextmanager
async def open_client(
    web: GuardedClient, settings: Settings, tool: str, seams: Mapping[str, Any]
) -> AsyncIterator[GuardedClient]:
    """The way out of one tool. `<TOOL>_ALLOW_LOCAL=1` opens loopback and private addresses to it, never on Lambda."""
    if settings.on_lambda or settings.key(f"{tool.upper()}_ALLOW_LOCAL") != "1":
        yield web
        return
    own = GuardedClient(replace(settings, allow_private_ips=True), **seams)
    try:
        yield own
    finally:
        await own.close()


def address(url: str) -> ParsedUrl:
    """The URL taken apart. Raises InvalidInput in the fixed words."""
    if not SCHEMED.match(url):
        raise InvalidInput("only http/https are allowed", field="url")
    if HOSTLESS.match(url):
        raise InvalidInput("invalid host", field="url")
    return parse_url(url)


async def fetch(web: GuardedClient, url: str, *, seconds: float, **given: Any) -> Fetched:
    """As Web.fetch, with its failures in the fixed words."""
    try:
        return await web.fetch(address(url).url, seconds=seconds, **given)
    except (OffLimits, Unreachable) as failure:
        raise to_tool_error(failure, seconds) from failure


def to_tool_error(failure: OffLimits | Unreachable, seconds: float) -> ToolError:
    """The failure in the fixed words; what a person would rather read is the hint."""
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
    """What a status of 400 and more means; `words` go before the number."""
    status, sentence = fetched.status, f"{words} {fetched.status}"
    wait = retry_after_seconds(fetched.headers, datetime.fromtimestamp(now, UTC))
    if status == 429:
        return RateLimited(sentence, retry_after=wait or 60)
    if status in (404, 410):
        return NotFound(sentence)
    if status in (401, 403):
        return Blocked(sentence)
    return UpstreamFailed(sentence, retry_after=wait)


def whole(fetched: Fetched) -> Fetched:
    """The answer, unless it broke off before its end."""
    if fetched.broken:
        raise Network("read body: unexpected EOF", hint="the server ended its answer too early", retry_after=5)
    return fetched
