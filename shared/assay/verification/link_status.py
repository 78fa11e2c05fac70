"""Whether a link still leads anywhere: what its server said, and what it did not say."""

import asyncio
import re
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from assay.context import Context
from assay.errors import InvalidInput, Network, ToolError
from assay.net.dns import is_unknown
from assay.net.exceptions import OffLimits, Unreachable
from assay.net.guarded_client import Fetched
from assay.net.urls import SCHEME, canonical
from assay.text.timestamps import format_utc
from assay.text.url_parts import split_url
from assay.verification.bounded_gather import bounded_gather

SECONDS = 8.0  # for one link, both questions included
AT_ONCE, PER_HOST = 32, 6  # a browser opens six connections to a host
ENOUGH = 2_048  # bytes of a body nobody reads
READ = 200_000  # bytes of a page that is read for what it says of itself
REFUSALS = frozenset({401, 402, 403, 405, 406, 407, 409, 418, 421, 423, 425, 426, 428, 429, 430, 431, 451, 503, 999})
ROOTS = re.compile(r"/?(?:(?:index|default|home)(?:\.\w{2,5})?)?/?", re.IGNORECASE)
LOST = re.compile(r"(?:^|/)(?:error[-_]?)?(?:404|(?:page[-_]?)?not[-_]?found)(?:\.\w{2,5})?/?$", re.IGNORECASE)
DOOR = re.compile(r"(?:^|/)(?:log[-_]?in|sign[-_]?in|sso|authenticate)(?:\.\w{2,5})?/?$", re.IGNORECASE)

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
    """What became of a link. Only `dead` is evidence against it, only `live` for it; all else leaves it open.

    live                its server gave the page
    dead                its server says that it is not there (4xx, or a page of that name), or the name does not exist
    soft_404            its server gives a page, which says that what was asked for is not there; only told where it was
                        read
    blocked             its server answers but refuses us: whether the page exists is not known
    redirected_to_root  it leads to the front page of a site: the page itself was not seen
    unreachable         no answer (`failure` says why), or a server in trouble (5xx)

    `status` is the last HTTP status, 0 where none came; `final_url` is where redirects led, `checked_at` RFC 3339.
    """

    url: str
    outcome: Outcome
    status: int
    final_url: str | None
    failure: Failure | None
    checked_at: str

    @property
    def is_live(self) -> bool:
        return self.outcome == "live"

    @property
    def is_dead(self) -> bool:
        return self.outcome == "dead"

    @property
    def is_gone(self) -> bool:
        """The page is not there, by its server's word or by its own."""
        return self.outcome in ("dead", "soft_404")

    @property
    def answers(self) -> bool:
        """A server answered there, if only to refuse us."""
        return self.outcome in ("live", "blocked")

    def describe(self) -> str:
        """One sentence for a reader."""
        said = f"HTTP {self.status}" if self.status else (self.failure or "no answer").replace("_", " ")
        return SENTENCES[self.outcome].format(said)


SENTENCES: Mapping[Outcome, str] = {
    "live": "The link answers ({}).",
    "dead": "The link is dead ({}).",
    "soft_404": "The link answers ({}), but the page it gives says that what was asked for is not there.",
    "blocked": "The link's server refuses automated checks ({}); whether the page exists is not known.",
    "redirected_to_root": "The link leads to a site's front page ({}); the page itself was not seen.",
    "unreachable": "The link could not be checked ({}); that says nothing about the page.",
}


async def check(ctx: Context, url: str, *, seconds: float = SECONDS, reading: bool = False) -> Link:
    """What becomes of `url` within `seconds`. `reading` asks for the page, too, and sees whether it says that it is
    missing. Never raises for what a link may do.
    """
    at = format_utc(ctx.services.clock())
    until = asyncio.get_running_loop().time() + min(seconds, ctx.time_left())
    try:
        address = canonical(url)
        got = await _answer(ctx, address, min(seconds, ctx.time_left()))
    except Unreachable as lost:
        outcome: Outcome = "dead" if is_unknown(lost) else "unreachable"
        return Link(url, outcome, 0, None, FAILURES.get(lost.reason, "other"), at)
    except Network:
        return Link(url, "unreachable", 0, None, "timeout", at)
    except InvalidInput as wrong:
        barred = isinstance(wrong, OffLimits) and wrong.what != SCHEME
        return Link(url, "unreachable", 0, None, "ssrf_blocked" if barred else "other", at)
    outcome = _outcome(address, got)
    if reading and outcome == "live" and await _is_missing(ctx, address, until - asyncio.get_running_loop().time()):
        outcome = "soft_404"
    failure: Failure | None = "other" if outcome == "unreachable" else None
    return Link(url, outcome, got.status, got.url, failure, at)


async def check_all(ctx: Context, urls: Iterable[str], *, seconds: float = 3600.0) -> dict[str, Link]:
    """Each URL's link, each asked once and few of one host at a time; those not done in `seconds` are left out."""
    return await bounded_gather(
        urls,
        lambda url: check(ctx, url),
        at_once=AT_ONCE,
        seconds=seconds,
        turn=host,
        per_turn=PER_HOST,
        ctx=ctx,
        step="Checked a link",
    )


async def _answer(ctx: Context, url: str, seconds: float) -> Fetched:
    """The answer to HEAD; where that is not plainly yes, the answer to GET, which more servers give honestly."""
    until = asyncio.get_running_loop().time() + seconds
    web = ctx.services.web
    try:
        got = await web.fetch(url, method="HEAD", cap=ENOUGH, seconds=seconds / 2)
    except Unreachable as lost:
        if lost.reason not in ("timeout", "reset", "protocol"):
            raise
    else:
        if 200 <= got.status < 300:
            return got
    left = until - asyncio.get_running_loop().time()
    return await web.fetch(url, cap=ENOUGH, seconds=max(left, 0.1), decode=False)


async def _is_missing(ctx: Context, url: str, seconds: float) -> bool:
    """Whether the page says that what was asked for is not there. A page that cannot be read says nothing."""
    try:
        got = await ctx.services.web.fetch(url, accept="text/html", cap=READ, seconds=max(seconds, 0.1))
    except ToolError:
        return False
    if not 200 <= got.status < 300 or "html" not in got.content_type:
        return False
    return await asyncio.to_thread(_says_missing, got)


def _says_missing(got: Fetched) -> bool:
    from assay.html.parser.html_tree import parse
    from assay.html.reader.main_content import read
    from assay.scraping.missing_pages import says_missing
    from assay.text.decode import decode

    tree = parse(decode(got.body, got.charset))
    return says_missing(tree, read(tree, got.url).markdown)


def _outcome(url: str, got: Fetched) -> Outcome:
    if got.status in REFUSALS:
        return "blocked"
    if got.status >= 500 or got.status == 408:
        return "unreachable"
    if got.status >= 400:
        return "dead"
    if got.status >= 300:
        return "unreachable"  # a redirect to nowhere
    return _where(url, got.url) if got.hops else "live"


def _where(asked: str, final: str) -> Outcome:
    """What a redirect says that ended well: a page, or a place where every lost link of a site is sent."""
    before, after = split_url(asked), split_url(final)
    if LOST.search(after.path) and not LOST.search(before.path):
        return "dead"
    if DOOR.search(after.path) and not DOOR.search(before.path):
        return "blocked"
    at_root = ROOTS.fullmatch(after.path) and not after.query
    asked_more = not ROOTS.fullmatch(before.path) or before.query
    return "redirected_to_root" if at_root and asked_more else "live"


def host(url: str) -> str:
    try:
        return split_url(url).hostname or ""
    except ValueError:
        return ""
