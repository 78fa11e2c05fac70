"""Checks whether a link is live, and separates "dead" from "could not be checked"."""

import asyncio
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Literal, NamedTuple

from assay.context import Context
from assay.errors import InvalidInput, Network, ToolError
from assay.net.dns import is_unknown
from assay.net.exceptions import OffLimits, Unreachable
from assay.net.guarded_client import Fetched
from assay.net.urls import SCHEME, canonicalize_url
from assay.text.timestamps import format_utc
from assay.text.url_parts import split_url
from assay.verification.bounded_gather import bounded_gather

SECONDS = 8.0  # for one link, both requests included
MAX_CONCURRENT, MAX_PER_HOST = 32, 6  # browsers also open six connections per host
DISCARDED_BYTES = 2_048  # bytes of a body that is discarded
MAX_PAGE_BYTES = 200_000  # bytes of a page that is searched for a "not found" message
REFUSALS = frozenset({401, 402, 403, 405, 406, 407, 409, 418, 421, 423, 425, 426, 428, 429, 430, 431, 451, 503, 999})
FRONT_PAGE = re.compile(r"/?(?:(?:index|default|home)(?:\.\w{2,5})?)?/?", re.IGNORECASE)
ERROR_PAGE = re.compile(r"(?:^|/)(?:error[-_]?)?(?:404|(?:page[-_]?)?not[-_]?found)(?:\.\w{2,5})?/?$", re.IGNORECASE)
LOGIN_PAGE = re.compile(r"(?:^|/)(?:log[-_]?in|sign[-_]?in|sso|authenticate)(?:\.\w{2,5})?/?$", re.IGNORECASE)

type Outcome = Literal["live", "dead", "soft_404", "blocked", "redirected_to_root", "unreachable"]
type Failure = Literal[
    "dns_failure", "timeout", "connection_reset", "connection_refused", "tls_error", "ssrf_blocked", "other"
]
FAILURES: Mapping[str, Failure] = {
    "dns": "dns_failure",
    "timeout": "timeout",
    "reset": "connection_reset",
    "refused": "connection_refused",
    "tls": "tls_error",
}


class Link(NamedTuple):
    """The status of a link. Only `dead` counts against it and only `live` for it.

    live                the server returned the page
    dead                the server reports it missing (4xx or an error page's URL), or the host name does not exist
                        while other names do
    soft_404            the server returned a page that says it is missing, or that its domain is for sale (if the page
                        was read)
    blocked             the server refuses this client, or returned a check for robots or a sign-in page (if the page
                        was read); whether the page exists is unknown
    redirected_to_root  the link redirects to a front page; the page itself was not seen
    unreachable         no answer (see `failure`), or a server error (5xx)
    `status` is the last HTTP status, or 0 without an answer; `final_url` is the URL after redirects; `checked_at` is
    RFC 3339; `title` is that of the page, "" if it has none, None if it was not read.
    """

    url: str
    outcome: Outcome
    status: int
    final_url: str | None
    failure: Failure | None
    checked_at: str
    title: str | None = None

    @property
    def is_live(self) -> bool:
        return self.outcome == "live"

    @property
    def is_dead(self) -> bool:
        return self.outcome == "dead"

    @property
    def is_gone(self) -> bool:
        """Whether the page is missing: `dead` or `soft_404`."""
        return self.outcome in ("dead", "soft_404")

    @property
    def answers(self) -> bool:
        """Whether a server answered, even with a refusal."""
        return self.outcome in ("live", "blocked")

    def describe(self) -> str:
        """Describe the status in one sentence."""
        answer = f"HTTP {self.status}" if self.status else (self.failure or "no answer").replace("_", " ")
        return SENTENCES[self.outcome].format(answer)


SENTENCES: Mapping[Outcome, str] = {
    "live": "The link answers ({}).",
    "dead": "The link is dead ({}).",
    "soft_404": "The link answers ({}), but its page says that the content does not exist or the domain is for sale.",
    "blocked": "The link's server refuses automated checks ({}); whether the page exists is unknown.",
    "redirected_to_root": "The link redirects to a site's front page ({}); the page itself was not seen.",
    "unreachable": "The link could not be checked ({}); that says nothing about the page.",
}


async def check_link(ctx: Context, url: str, *, seconds: float = SECONDS, reading: bool = False) -> Link:
    """Check `url` within `seconds`; upstream failures become an outcome and are not raised.

    `reading` also fetches the page: for its title, and to tell a "not found" message, a check for robots or a sign-in
    page.
    """
    at = format_utc(ctx.services.clock())
    until = asyncio.get_running_loop().time() + min(seconds, ctx.time_left())
    try:
        address = canonicalize_url(url)
        response = await _request(ctx, address, min(seconds, ctx.time_left()))
    except Unreachable as lost:
        is_dead = is_unknown(lost) and await _can_resolve(ctx, until - asyncio.get_running_loop().time())
        return Link(url, "dead" if is_dead else "unreachable", 0, None, FAILURES.get(lost.reason, "other"), at)
    except Network:
        return Link(url, "unreachable", 0, None, "timeout", at)
    except InvalidInput as wrong:
        barred = isinstance(wrong, OffLimits) and wrong.what != SCHEME
        return Link(url, "unreachable", 0, None, "ssrf_blocked" if barred else "other", at)
    title = None
    outcome: Outcome = _classify_response(address, response)
    if reading and outcome == "live":
        outcome, title = await _read_page(ctx, address, until - asyncio.get_running_loop().time())
    failure: Failure | None = "other" if outcome == "unreachable" else None
    return Link(url, outcome, response.status, response.url, failure, at, title)


async def _can_resolve(ctx: Context, seconds: float) -> bool:
    try:
        async with asyncio.timeout(max(seconds, 0.0)):
            return await ctx.services.web.guard.can_resolve()
    except TimeoutError:
        return False


async def check_links(
    ctx: Context, urls: Iterable[str], *, reading: Collection[str] = (), seconds: float = 3600.0
) -> dict[str, Link]:
    """Check each distinct URL with a limit per host, and read the pages of those in `reading`.

    URLs that are not done after `seconds` are left out.
    """
    return await bounded_gather(
        urls,
        lambda url: check_link(ctx, url, reading=url in reading),
        at_once=MAX_CONCURRENT,
        seconds=seconds,
        group_by=host_of,
        at_once_per_group=MAX_PER_HOST,
        ctx=ctx,
        step="Checked a link",
    )


async def _request(ctx: Context, url: str, seconds: float) -> Fetched:
    """Send HEAD; if the answer is not 2xx, send GET, which more servers answer correctly."""
    until = asyncio.get_running_loop().time() + seconds
    web = ctx.services.web
    try:
        response = await web.fetch(url, method="HEAD", cap=DISCARDED_BYTES, seconds=seconds / 2)
    except Unreachable as lost:
        if lost.reason not in ("timeout", "reset", "protocol"):
            raise
    else:
        if 200 <= response.status < 300:
            return response
    left = until - asyncio.get_running_loop().time()
    return await web.fetch(url, cap=DISCARDED_BYTES, seconds=max(left, 0.1), decode=False)


async def _read_page(ctx: Context, url: str, seconds: float) -> tuple[Outcome, str | None]:
    """Return what a page with a success status is by its text, and its title; `live` and None if it cannot be read."""
    try:
        response = await ctx.services.web.fetch(url, accept="text/html", cap=MAX_PAGE_BYTES, seconds=max(seconds, 0.1))
    except ToolError:
        return "live", None
    if not 200 <= response.status < 300 or "html" not in response.content_type:
        return "live", None
    return await asyncio.to_thread(_classify_page, response)


def _classify_page(response: Fetched) -> tuple[Outcome, str | None]:
    from assay.html.metadata.page_metadata import extract_facts
    from assay.html.parser.html_tree import open_html
    from assay.html.reader.main_content import read_main_content
    from assay.scraping.access_walls import detect_wall
    from assay.scraping.missing_pages import is_missing_page
    from assay.text.decode import decode

    text = decode(response.body, response.charset)
    if detect_wall(text, status=response.status, headers=response.headers) in ("bot", "login"):
        return "blocked", None
    with open_html(text) as tree:
        title = extract_facts(tree, response.url).title
        is_missing = is_missing_page(tree, read_main_content(tree, response.url).markdown)
    return ("soft_404", None) if is_missing else ("live", title)


def _classify_response(url: str, response: Fetched) -> Outcome:
    if response.status in REFUSALS:
        return "blocked"
    if response.status >= 500 or response.status == 408:
        return "unreachable"
    if response.status >= 400:
        return "dead"
    if response.status >= 300:
        return "unreachable"  # a redirect without a usable target
    return _classify_redirect(url, response.url) if response.hops else "live"


def _classify_redirect(requested_url: str, final: str) -> Outcome:
    """Classify a redirect that ended with 2xx: the page, an error page, a login page or the front page."""
    before, after = split_url(requested_url), split_url(final)
    if ERROR_PAGE.search(after.path) and not ERROR_PAGE.search(before.path):
        return "dead"
    if LOGIN_PAGE.search(after.path) and not LOGIN_PAGE.search(before.path):
        return "blocked"
    is_front_page = FRONT_PAGE.fullmatch(after.path) and not after.query
    asked_for_page = not FRONT_PAGE.fullmatch(before.path) or before.query
    return "redirected_to_root" if is_front_page and asked_for_page else "live"


def host_of(url: str) -> str:
    try:
        return split_url(url).hostname or ""
    except ValueError:
        return ""
