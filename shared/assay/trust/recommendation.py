"""A list of recommendations looked into: whose interest it serves, whether its links lead, who else says so."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from hashlib import sha256

from assay.context import Context
from assay.errors import ToolError
from assay.kept import Document
from assay.models import DomainReputation
from assay.text.reputation import reputation
from assay.trust import links, promotion
from assay.trust.abreast import abreast
from assay.trust.corroboration import Corroboration, corroborated
from assay.trust.interests import ConflictOfInterest, conflict
from assay.trust.links import Link
from assay.trust.promotion import SelfPromotion
from assay.url_parts import split_url

LINK_KEPT = timedelta(hours=1)
PAGES_AT_ONCE, SEARCHES_AT_ONCE = 8, 4
SPARE = 5.0  # seconds kept to put the answer together


@dataclass(frozen=True)
class Item:
    """A recommendation as it was given; what is "" was not."""

    index: int
    title: str
    url: str = ""
    author: str = ""
    bio: str = ""


@dataclass
class Looked:
    """The evidence on one item. `link` None: it has no address, or no time was left."""

    item: Item
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
            found.append(("dead_link", self.link.told()))
        if self.item.url and self.reputation is None:
            found.append(("unknown_reputation", "The host is not in our short list; that is unknown, not bad."))
        if self.reputation and self.reputation.tier == "low":
            found.append(("low_reputation", self.reputation.note or "The host is listed as unreliable."))
        return found


async def looked_into(ctx: Context, items: Sequence[Item], claim: str, count: int) -> list[Looked]:
    """The evidence on each item, in their order, side by side, in the time that the call has."""
    until = asyncio.get_running_loop().time() + ctx.left() - SPARE
    inner = replace(ctx.beside(), deadline=until + SPARE / 2)
    found = [_offline(item) for item in items]
    urls = [item.url for item in items if item.url]
    async with asyncio.TaskGroup() as group:
        linked = group.create_task(_links(inner, urls, inner.left()))
        listed = group.create_task(_listed(inner, urls, inner.left()))
        if claim:
            group.create_task(_searched(inner, found, claim, count, inner.left()))
    for each in found:
        each.link = linked.result().get(each.item.url)
        each.promotion = each.promotion or listed.result().get(each.item.url)
    return found


def _offline(item: Item) -> Looked:
    brand = promotion.brand_of(item.url) if item.url else ""
    return Looked(
        item,
        conflict(item.bio, item.title, brand) if item.bio else None,
        promotion.in_title(item.url, item.title) if item.url else None,
        reputation(item.url) if item.url else None,
    )


async def _links(ctx: Context, urls: Sequence[str], seconds: float) -> Mapping[str, Link]:
    """What became of the links, kept an hour where their servers said so."""

    async def check(url: str) -> Link:
        async def fresh() -> Document:
            return (await links.check(ctx, url))._asdict()

        name = f"link/{sha256(url.encode()).hexdigest()}"
        kept = await ctx.beside().kept_or_fresh(
            name, LINK_KEPT, fresh, lambda link: link["outcome"] in ("live", "dead")
        )
        return Link(**kept)

    return await abreast(
        urls,
        check,
        at_once=links.AT_ONCE,
        seconds=seconds,
        turn=links.host,
        per_turn=links.PER_HOST,
        ctx=ctx,
        step="Checked a link",
    )


async def _listed(ctx: Context, urls: Sequence[str], seconds: float) -> Mapping[str, SelfPromotion | None]:
    """The signal of each page that may hold a list: a site's front page does not."""

    async def read(url: str) -> SelfPromotion | None:
        try:
            page = await ctx.beside().page(url)
        except ToolError:
            return None
        return promotion.in_page(page.url, page.content)

    return await abreast(
        filter(_has_path, urls), read, at_once=PAGES_AT_ONCE, seconds=seconds, ctx=ctx, step="Read a page"
    )


async def _searched(ctx: Context, found: Sequence[Looked], claim: str, count: int, seconds: float) -> None:
    async def search(index: int) -> None:
        item = found[index].item
        searches, notes = await corroborated(ctx, item.title, claim, item.url, count)
        found[index].searches = searches or None
        found[index].notes += notes

    done = await abreast(
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
