"""A whole list of references looked into: the same evidence for each, gathered side by side, and flags with reasons."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from assay.bibliography import doi as dois
from assay.context import Context
from assay.evaluation import source_type
from assay.verification import claim_sources, identify, title_matching
from assay.verification.archived_copies import ArchivedCopies, copies
from assay.verification.bounded_gather import bounded_gather
from assay.verification.claim_sources import Checked
from assay.verification.link_status import Link, check_all
from assay.verification.reference_matching import Match, Matches, Reference, match_reference
from assay.verification.registry_records import CROSSREF_AT_ONCE, NO_DOI, Integrity, Record, records

BESIDE, CLAIMS_AT_ONCE = 2, 8  # titles asked for beside DOIs; claims
SPARE = 6.0  # seconds kept to put the answer together
NO_COPIES = ArchivedCopies({}, frozenset())


@dataclass(frozen=True)
class AuditEntry:
    """A reference to look into. What is "" is not said; `doi` is bare and lower case."""

    index: int
    title: str = ""
    authors: tuple[str, ...] = ()
    year: str = ""
    container: str = ""
    doi: str = ""
    url: str = ""
    claim: str = ""
    notes: tuple[str, ...] = ()  # what of it could not be understood, in sentences

    @property
    def name(self) -> str:
        """Its DOI, also where only a resolver's or a journal's address holds it."""
        if self.doi or not self.url:
            return self.doi
        known = identify.host(self.url) in identify.RESOLVERS or source_type.is_journal(self.url)
        return (dois.in_url(self.url) if known else None) or ""

    @property
    def reference(self) -> Reference:
        return Reference.of_parts(self.title, self.authors, self.year, self.container)


@dataclass
class EntryEvidence:
    """All that was found out about one entry. None is not known, never no."""

    entry: AuditEntry
    record: Record | None = None
    link: Link | None = None
    matches: Matches | None = None
    archived: str | None = None
    claim: Checked | None = None
    title_match: title_matching.TitleMatch = "not_checked"

    @property
    def match(self) -> Match | None:
        best = self.matches.best if self.matches else None
        return best if best and best.confidence == "high" else None

    @property
    def exists(self) -> bool | None:
        """By its DOI where it has one, else by its link or a match of its title."""
        if self.entry.name:
            return self.record.exists if self.record else None
        if (self.link and self.link.is_live) or self.match:
            return True
        return None

    @property
    def integrity(self) -> Integrity:
        if self.record:
            return self.record.integrity
        return NO_DOI


@dataclass
class _Clock:
    until: float

    @property
    def left(self) -> float:
        return max(self.until - asyncio.get_running_loop().time(), 0.0)


@dataclass
class _Found:
    records: Mapping[str, Record] = field(default_factory=dict)
    links: Mapping[str, Link] = field(default_factory=dict)
    matches: dict[int, Matches] = field(default_factory=dict)


async def audit_entries(ctx: Context, entries: Sequence[AuditEntry]) -> list[EntryEvidence]:
    """The evidence on each entry, in their order, in the time that the call has; never raises for what upstreams do."""
    clock = _Clock(asyncio.get_running_loop().time() + ctx.time_left() - SPARE)
    inner = replace(ctx.child(), deadline=clock.until + SPARE / 2)
    found = await _existence(inner, entries, clock)
    evidence = [_of(entry, found) for entry in entries]
    await _matched_again(inner, evidence, clock)
    kept = await copies(inner, [each.entry.url for each in evidence if _is_dead(each)], seconds=clock.left / 2)
    for each in evidence:
        each.archived = kept.found.get(each.entry.url) if _is_dead(each) else None
    await _claims(inner, evidence, clock)
    return evidence


async def _existence(ctx: Context, entries: Sequence[AuditEntry], clock: _Clock) -> _Found:
    """Registries, links and titles, all at one time: titles of what has no DOI, and no link or a journal's."""
    titled_only = [entry for entry in entries if entry.title and not entry.name]
    alone = [entry for entry in titled_only if not entry.url or source_type.is_journal(entry.url)]
    names, beside = [entry.name for entry in entries if entry.name], BESIDE if alone else 0
    async with asyncio.TaskGroup() as group:
        at_once = CROSSREF_AT_ONCE - beside
        named = group.create_task(records(ctx, names, seconds=clock.left * 0.7, at_once=at_once))
        linked = group.create_task(check_all(ctx, [e.url for e in entries if e.url], seconds=clock.left * 0.7))
        titled = group.create_task(_titles(ctx, alone, clock.left * 0.7, BESIDE if names else CROSSREF_AT_ONCE))
    return _Found(named.result(), linked.result(), titled.result())


async def _titles(
    ctx: Context, entries: Sequence[AuditEntry], seconds: float, at_once: int = CROSSREF_AT_ONCE
) -> dict[int, Matches]:
    found = await bounded_gather(
        [(entry.index, entry.reference) for entry in entries],
        lambda pair: match_reference(ctx, pair[1]),
        at_once=at_once,
        seconds=seconds,
        ctx=ctx,
        step="Looked up a title",
    )
    return {index: matches for (index, _), matches in found.items()}


def _of(entry: AuditEntry, found: _Found) -> EntryEvidence:
    record = found.records.get(entry.name) if entry.name else None
    evidence = EntryEvidence(entry, record, found.links.get(entry.url), found.matches.get(entry.index))
    if record and record.exists and record.paper and entry.title:
        paper = record.paper
        evidence.title_match = title_matching.compare_titles(
            entry.title, paper.title, [*(paper.authors or ()), paper.journal or "", paper.publisher or ""]
        )
    return evidence


async def _matched_again(ctx: Context, evidence: Sequence[EntryEvidence], clock: _Clock) -> None:
    """The titles of what its link did not show to exist, and the integrity of works that were found by title."""
    left = [each for each in evidence if each.entry.title and not each.entry.name and each.exists is None]
    found = await _titles(ctx, [each.entry for each in left if each.matches is None], clock.left / 2)
    for each in left:
        each.matches = each.matches or found.get(each.entry.index)
    by_doi = {each.match.paper.doi: each for each in evidence if each.match and each.match.paper.doi}
    known = await records(ctx, [doi for doi in by_doi if doi], seconds=clock.left / 2)
    for each in evidence:
        if each.match and each.match.paper.doi:
            each.record = known.get(each.match.paper.doi)


async def _claims(ctx: Context, evidence: Sequence[EntryEvidence], clock: _Clock) -> None:
    claimed = {each.entry.index: each for each in evidence if each.entry.claim}

    async def one(index: int) -> Checked:
        each = claimed[index]
        record = each.record if each.record and each.record.exists else None
        return await claim_sources.check_claim(
            ctx, each.entry.claim, await _readable(ctx, each), abstract=record.paper if record else None
        )

    found = await bounded_gather(
        claimed, one, at_once=CLAIMS_AT_ONCE, seconds=clock.left, ctx=ctx, step="Looked into a claim"
    )
    late = Checked("source_unavailable", skipped="No time was left to read the source.")
    for index, each in claimed.items():
        each.claim = found.get(index, late)


async def _readable(ctx: Context, each: EntryEvidence) -> list[str]:
    """Where the source can be read: its own link, the copy of a dead one, open copies of a known work."""
    dead = _is_dead(each)
    urls = [each.archived] if dead else [each.entry.url]
    if each.record and each.record.exists:
        paper = each.record.paper
        urls += [paper.pdf_url if paper else None]
        urls += await claim_sources.open_copies(ctx, each.record.doi)
        urls += [paper.url if paper else None]
    return [url for url in dict.fromkeys(urls) if url]


def _is_dead(each: EntryEvidence) -> bool:
    return each.link is not None and each.link.is_dead
