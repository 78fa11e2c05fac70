"""Evidence on recommendations: conflicts of interest, self-promotion, link status, host reputation, corroboration."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from hashlib import sha256

from assay.context import Context
from assay.errors import ToolError
from assay.evaluation.reputation import find_reputation
from assay.models.common import DomainReputation
from assay.state.json_documents import Document
from assay.text.url_parts import split_url
from assay.verification import link_status, self_promotion
from assay.verification.bounded_gather import bounded_gather
from assay.verification.conflicts_of_interest import ConflictOfInterest, find_conflict
from assay.verification.corroboration import Corroboration, find_corroboration
from assay.verification.link_status import Link
from assay.verification.self_promotion import SelfPromotion

LINK_CACHE_TTL = timedelta(hours=1)
MAX_CONCURRENT_PAGES, MAX_CONCURRENT_SEARCHES = 8, 4
RESERVED_SECONDS = 5.0  # seconds reserved for building the answer


@dataclass(frozen=True)
class RecommendedItem:
    """One recommendation as the caller gave it; an empty string means the field is absent."""

    index: int
    title: str
    url: str = ""
    author: str = ""
    bio: str = ""


@dataclass
class ItemEvidence:
    """The evidence on one item.

    `link` is None if the item has no URL or the time ran out; `searches` is None if nothing was searched.
    """

    item: RecommendedItem
    conflict: ConflictOfInterest | None = None
    promotion: SelfPromotion | None = None
    reputation: DomainReputation | None = None
    link: Link | None = None
    searches: list[Corroboration] | None = None
    notes: list[str] = field(default_factory=list)

    def flags(self) -> list[tuple[str, str]]:
        """Return (flag, reason) pairs. Self-promotion is reported separately."""
        flags = []
        if self.conflict:
            flags.append(("conflict_of_interest", f"The author's bio states a stake: {self.conflict.evidence!r}."))
        if self.link and self.link.is_dead:
            flags.append(("dead_link", self.link.describe()))
        if self.item.url and self.reputation is None:
            flags.append(
                ("unknown_reputation", "The host is not in the reputation list, so its reputation is unknown, not bad.")
            )
        if self.reputation and self.reputation.tier == "low":
            flags.append(("low_reputation", self.reputation.note or "The host is listed as unreliable."))
        return flags


async def check_recommendations(
    ctx: Context, items: Sequence[RecommendedItem], claim: str, count: int
) -> list[ItemEvidence]:
    """Collect the evidence on each item concurrently, within the call's time limit; keep the order of `items`."""
    until = asyncio.get_running_loop().time() + ctx.time_left() - RESERVED_SECONDS
    inner = replace(ctx.child(), deadline=until + RESERVED_SECONDS / 2)
    evidence = [_offline(item) for item in items]
    urls = [item.url for item in items if item.url]
    async with asyncio.TaskGroup() as group:
        linked = group.create_task(_links(inner, urls, inner.time_left()))
        listed = group.create_task(_detect_self_promotion(inner, urls, inner.time_left()))
        if claim:
            group.create_task(_corroborate(inner, evidence, claim, count, inner.time_left()))
    for each in evidence:
        each.link = linked.result().get(each.item.url)
        each.promotion = each.promotion or listed.result().get(each.item.url)
    return evidence


def _offline(item: RecommendedItem) -> ItemEvidence:
    brand = self_promotion.brand_of(item.url) if item.url else ""
    return ItemEvidence(
        item,
        find_conflict(item.bio, item.title, brand) if item.bio else None,
        self_promotion.find_in_title(item.url, item.title) if item.url else None,
        find_reputation(item.url) if item.url else None,
    )


async def _links(ctx: Context, urls: Sequence[str], seconds: float) -> Mapping[str, Link]:
    """Check the links; cache a definite result (`live` or `dead`) for `LINK_CACHE_TTL`."""

    async def check(url: str) -> Link:
        async def fetch() -> Document:
            return (await link_status.check_link(ctx, url))._asdict()

        name = f"link/{sha256(url.encode()).hexdigest()}"
        cached = await ctx.child().get_or_compute(
            name, LINK_CACHE_TTL, fetch, lambda link: link["outcome"] in ("live", "dead")
        )
        return Link(**cached)

    return await bounded_gather(
        urls,
        check,
        at_once=link_status.MAX_CONCURRENT,
        seconds=seconds,
        group_by=link_status.host_of,
        at_once_per_group=link_status.MAX_PER_HOST,
        ctx=ctx,
        step="Checked a link",
    )


async def _detect_self_promotion(
    ctx: Context, urls: Sequence[str], seconds: float
) -> Mapping[str, SelfPromotion | None]:
    """Look for self-promotion in each page that may hold a list; a site's front page is skipped."""

    async def read(url: str) -> SelfPromotion | None:
        try:
            page = await ctx.child().page(url)
        except ToolError:
            return None
        return self_promotion.find_in_page(page.url, page.content)

    return await bounded_gather(
        filter(_has_path, urls), read, at_once=MAX_CONCURRENT_PAGES, seconds=seconds, ctx=ctx, step="Read a page"
    )


async def _corroborate(ctx: Context, evidence: Sequence[ItemEvidence], claim: str, count: int, seconds: float) -> None:
    async def search(index: int) -> None:
        item = evidence[index].item
        searches, notes = await find_corroboration(ctx, item.title, claim, item.url, count)
        evidence[index].searches = searches or None
        evidence[index].notes += notes

    done = await bounded_gather(
        range(len(evidence)),
        search,
        at_once=MAX_CONCURRENT_SEARCHES,
        seconds=seconds,
        ctx=ctx,
        step="Searched for other opinions",
    )
    for index, each in enumerate(evidence):
        if index not in done:
            each.notes.append("The time ran out before corroboration was searched.")


def _has_path(url: str) -> bool:
    try:
        return split_url(url).path.strip("/") != ""
    except ValueError:
        return False
