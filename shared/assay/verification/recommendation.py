"""A list of recommendations looked into: whose interest it serves, whether its links lead, who else says so."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from hashlib import sha256

from assay.context import Context
from assay.errors import ToolError
from assay.evaluation.reputation import reputation
from assay.models.common import DomainReputation
from assay.state.json_documents import Document
from assay.text.url_parts import split_url
from assay.verification import link_status, self_promotion
from assay.verification.bounded_gather import bounded_gather
from assay.verification.conflicts_of_interest import ConflictOfInterest, conflict
from assay.verification.corroboration import Corroboration, find_corroboration
from assay.verification.link_status import Link
from assay.verification.self_promotion import SelfPromotion

LINK_KEPT = timedelta(hours=1)
PAGES_AT_ONCE, SEARCHES_AT_ONCE = 8, 4
SPARE = 5.0  # seconds kept to put the answer together


@dataclass(frozen=True)
class RecommendedItem:
    """A recommendation as it was given; what is "" was not."""

    index: int
    title: str
    url: str = ""
    author: str = ""
    bio: str = ""


@dataclass
class Looked:
    """The evidence on one item. `link` None: it has no address, or no time was left."""

    item: RecommendedItem
    conflict: ConflictOfInterest | None = None
    promotion: SelfPromotion | None = None
    reputation: DomainReputation | None = None
    link: Link | None = None
    searches: list[Corroboration] | None = None
    notes: list[str] = field(default_factory=list)

    def flags(self) -> list[tuple[str, str]]:
        """Flags with reasons; a self-promotion is a signal of its own."""
        found = []
        if self.conflict:
            found.append(("conflict_of_interest", f"The author's bio names a stake: {self.conflict.evidence!r}."))
        if self.link and self.link.is_dead:
            found.append(("dead_link", self.link.describe()))
        if self.item.url and self.reputation is None:
            found.append(("unknown_reputation", "The host is not in our short list; that is unknown, not bad."))
        if self.reputation and self.reputation.tier == "low":
            found.append(("low_reputation", self.reputation.note or "The host is listed as unreliable."))
        return found


async def looked_into(ctx: Context, items: Sequence[RecommendedItem], claim: str, count: int) -> list[Looked]:
    """The evidence on each item, in their order, side by side, in the time that the call has."""
    until = asyncio.get_running_loop().time() + ctx.time_left() - SPARE
    inner = replace(ctx.child(), deadline=until + SPARE / 2)
    found = [_offline(item) for item in items]
    urls = [item.url for item in items if item.url]
    async with asyncio.TaskGroup() as group:
        linked = group.create_task(_links(inner, urls, inner.time_left()))
        listed = group.create_task(_detect_self_promotion(inner, urls, inner.time_left()))
        if claim:
            group.create_task(_corroborate(inner, found, claim, count, inner.time_left()))
    for each in found:
        each.link = linked.result().get(each.item.url)
        each.promotion = each.promotion or listed.result().get(each.item.url)
    return found


def _offline(item: RecommendedItem) -> Looked:
    brand = self_promotion.brand_of(item.url) if item.url else ""
    return Looked(
        item,
        conflict(item.bio, item.title, brand) if item.bio else None,
        self_promotion.in_title(item.url, item.title) if item.url else None,
        reputation(item.url) if item.url else None,
    )


async def _links(ctx: Context, urls: Sequence[str], seconds: float) -> Mapping[str, Link]:
    """What became of the links, kept an hour where their servers said so."""

    async def check(url: str) -> Link:
        async def fresh() -> Document:
            return (await link_status.check(ctx, url))._asdict()

        name = f"link/{sha256(url.encode()).hexdigest()}"
        kept = await ctx.child().get_or_compute(
            name, LINK_KEPT, fresh, lambda link: link["outcome"] in ("live", "dead")
        )
        return Link(**kept)

    return await bounded_gather(
        urls,
        check,
        at_once=link_status.AT_ONCE,
        seconds=seconds,
        turn=link_status.host,
        per_turn=link_status.PER_HOST,
        ctx=ctx,
        step="Checked a link",
    )


async def _detect_self_promotion(
    ctx: Context, urls: Sequence[str], seconds: float
) -> Mapping[str, SelfPromotion | None]:
    """The signal of each page that may hold a list: a site's front page does not."""

    async def read(url: str) -> SelfPromotion | None:
        try:
            page = await ctx.child().page(url)
        except ToolError:
            return None
        return self_promotion.in_page(page.url, page.content)

    return await bounded_gather(
        filter(_has_path, urls), read, at_once=PAGES_AT_ONCE, seconds=seconds, ctx=ctx, step="Read a page"
    )


async def _corroborate(ctx: Context, found: Sequence[Looked], claim: str, count: int, seconds: float) -> None:
    async def search(index: int) -> None:
        item = found[index].item
        searches, notes = await find_corroboration(ctx, item.title, claim, item.url, count)
        found[index].searches = searches or None
        found[index].notes += notes

    done = await bounded_gather(
        range(len(found)),
        search,
        at_once=SEARCHES_AT_ONCE,
        seconds=seconds,
        ctx=ctx,
        step="Searched for other opinions",
    )
    for index, each in enumerate(found):
        if index not in done:
            each.notes.append("No time was left to look for corroboration.")


def _has_path(url: str) -> bool:
    try:
        return split_url(url).path.strip("/") != ""
    except ValueError:
        return False
