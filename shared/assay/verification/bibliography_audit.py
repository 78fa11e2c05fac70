"""Audits a list of references: collects the same evidence for each entry concurrently."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from assay.context import Context
from assay.evaluation import source_type
from assay.models.work_record import WorkRecord
from assay.verification import claim_sources, title_matching
from assay.verification.archived_copies import ArchivedCopies, find_archived_copies
from assay.verification.audit_evidence import AuditEntry, EntryEvidence
from assay.verification.bounded_gather import bounded_gather
from assay.verification.cited_work import is_same_work, names_same_work, select_records
from assay.verification.claim_sources import ClaimCheck
from assay.verification.field_comparison import CitedFields, FieldReport, compare_fields, report_other_work
from assay.verification.link_status import Link, check_links
from assay.verification.preprint_versions import (
    check_versions,
    fetch_preprints,
    find_versions,
    is_preprint,
)
from assay.verification.printed_fields import align_fields, compare_printed_fields
from assay.verification.reference_matching import Matches, match_reference
from assay.verification.registered_names import find_by_pmid
from assay.verification.registry_records import CROSSREF_AT_ONCE, Record, fetch_records
from assay.verification.respelled_dois import describe_respelling, find_respelled
from assay.verification.retracted_candidates import find_retracted, list_similar
from assay.verification.tier_answer import Tier

TITLES_BESIDE_DOIS, MAX_CONCURRENT_CLAIMS = (
    2,
    8,
)  # concurrent title searches while DOIs are looked up; concurrent claim checks
RESERVED_SECONDS = 6.0  # seconds reserved for building the answer
NO_COPIES = ArchivedCopies({}, frozenset())


@dataclass
class _Deadline:
    until: float

    @property
    def left(self) -> float:
        return max(self.until - asyncio.get_running_loop().time(), 0.0)


@dataclass
class _LookupResults:
    records: dict[str, Record] = field(default_factory=dict)
    links: Mapping[str, Link] = field(default_factory=dict)
    matches: dict[int, Matches] = field(default_factory=dict)


async def audit_entries(
    ctx: Context, entries: Sequence[AuditEntry], highest: Tier | None = None
) -> list[EntryEvidence]:
    """Collect the evidence on each entry within the call's time limit; keep the order of `entries`.

    `highest` is the highest tier that compares claims, any by default.

    Upstream failures are recorded as missing evidence and not raised.
    """
    clock = _Deadline(asyncio.get_running_loop().time() + ctx.time_left() - RESERVED_SECONDS)
    inner = replace(ctx.child(), deadline=clock.until + RESERVED_SECONDS / 2)
    entries = await _resolve_pmids(inner, entries)
    results = await _look_up_all(inner, entries, clock)
    entries = await _respell_dois(inner, entries, results, clock)
    evidence = [_to_evidence(entry, results) for entry in entries]
    await _match_remaining(inner, evidence, clock)
    await _compare_fields(inner, evidence, clock)
    await _find_similar_retracted(inner, evidence, clock)
    await _find_versions(inner, evidence, clock)
    copies = await find_archived_copies(
        inner, [each.entry.url for each in evidence if _is_dead(each)], seconds=clock.left / 2
    )
    for each in evidence:
        each.archived = copies.found.get(each.entry.url) if _is_dead(each) else None
    await _check_claims(inner, evidence, clock, highest)
    return evidence


async def _resolve_pmids(ctx: Context, entries: Sequence[AuditEntry]) -> list[AuditEntry]:
    """Add the DOI that PubMed has for the PMID of an entry without a DOI, or a note that it has none."""
    stated = [entry.pmid for entry in entries if entry.pmid and not entry.name]
    known = await find_by_pmid(ctx, stated) if stated else None
    return [
        replace(entry, doi=known.find_doi(entry.pmid), notes=(*entry.notes, known.describe(entry.pmid)))
        if known and entry.pmid and not entry.name
        else entry
        for entry in entries
    ]


async def _respell_dois(
    ctx: Context, entries: Sequence[AuditEntry], results: _LookupResults, clock: _Deadline
) -> list[AuditEntry]:
    """Replace DOIs that are other spellings of registered ones, add their records to `results`, and note it."""
    missing = [name for name, record in results.records.items() if record.exists is False]
    found = await find_respelled(ctx, missing, seconds=clock.left / 4)
    results.records |= {record.doi: record for record in found.values()}
    return [
        replace(entry, doi=other.doi, notes=(*entry.notes, describe_respelling(entry.name, other)))
        if (other := found.get(entry.name))
        else entry
        for entry in entries
    ]


async def _find_similar_retracted(ctx: Context, evidence: Sequence[EntryEvidence], clock: _Deadline) -> None:
    """Find retracted works of which an entry may be a variant."""
    similar = {
        each.entry.index: list_similar(each.matches, each.entry.reference.searched)
        for each in evidence
        if not each.record
    }
    papers = [paper for found in similar.values() for paper in found]
    retracted = await find_retracted(ctx, papers, seconds=clock.left / 4) if papers else {}
    for each in evidence:
        dois = [paper.doi for paper in similar.get(each.entry.index, ()) if paper.doi in retracted]
        each.similar_retracted = [retracted[doi] for doi in dois if doi]


async def _look_up_all(ctx: Context, entries: Sequence[AuditEntry], clock: _Deadline) -> _LookupResults:
    """Look up DOIs, links and titles concurrently; an entry with a DOI or a mere link needs no title search."""
    titled_only = [entry for entry in entries if entry.is_searchable and not entry.name]
    to_search = [entry for entry in titled_only if _is_scholarly(entry)]
    names, reserved = [entry.name for entry in entries if entry.name], TITLES_BESIDE_DOIS if to_search else 0
    async with asyncio.TaskGroup() as group:
        at_once = CROSSREF_AT_ONCE - reserved
        named = group.create_task(fetch_records(ctx, names, seconds=clock.left * 0.7, at_once=at_once))
        urls = [entry.url for entry in entries if entry.url]
        read = {entry.url for entry in titled_only}  # for the titles of their pages
        linked = group.create_task(check_links(ctx, urls, reading=read, seconds=clock.left * 0.7))
        titled = group.create_task(
            _match_titles(ctx, to_search, clock.left * 0.7, TITLES_BESIDE_DOIS if names else CROSSREF_AT_ONCE)
        )
    return _LookupResults(named.result(), linked.result(), titled.result())


def _is_scholarly(entry: AuditEntry) -> bool:
    """Whether an entry without a DOI has no link, one to a journal, or the volume and pages of a printed work."""
    return not entry.url or bool(entry.volume or entry.pages) or source_type.is_journal(entry.url)


async def _match_titles(
    ctx: Context, entries: Sequence[AuditEntry], seconds: float, at_once: int = CROSSREF_AT_ONCE
) -> dict[int, Matches]:
    results = await bounded_gather(
        [(entry.index, entry.reference) for entry in entries],
        lambda pair: match_reference(ctx, pair[1]),
        at_once=at_once,
        seconds=seconds,
        ctx=ctx,
        step="Looked up a title",
    )
    return {index: matches for (index, _), matches in results.items()}


def _to_evidence(entry: AuditEntry, results: _LookupResults) -> EntryEvidence:
    record = results.records.get(entry.name) if entry.name else None
    evidence = EntryEvidence(entry, record, results.links.get(entry.url), results.matches.get(entry.index))
    if record and record.exists and record.paper and entry.title:
        paper = record.paper
        evidence.title_match = title_matching.compare_titles(
            entry.title, paper.title, [*(paper.authors or ()), paper.journal or "", paper.publisher or ""]
        )
    elif not entry.name and evidence.page_match == "match":
        evidence.title_match = "match"
    return evidence


async def _match_remaining(ctx: Context, evidence: Sequence[EntryEvidence], clock: _Deadline) -> None:
    """Search the titles of entries that no page confirmed, and look up the integrity of works found by title."""
    left = [each for each in evidence if each.entry.is_searchable and not each.entry.name and each.exists is None]
    results = await _match_titles(ctx, [each.entry for each in left if each.matches is None], clock.left / 2)
    for each in left:
        each.matches = each.matches or results.get(each.entry.index)
    by_doi = {each.match.paper.doi: each for each in evidence if each.match and each.match.paper.doi}
    known = await fetch_records(ctx, [doi for doi in by_doi if doi], seconds=clock.left / 2)
    for each in evidence:
        if each.match and each.match.paper.doi:
            each.record = known.get(each.match.paper.doi)


async def _compare_fields(ctx: Context, evidence: Sequence[EntryEvidence], clock: _Deadline) -> None:
    """Compare the fields of each entry with its records; where they differ, search the title for further records."""
    await asyncio.to_thread(_record_fields, evidence)  # long author lists take seconds
    unsearched = [each for each in evidence if each.matches is None and each.entry.is_searchable]
    doubtful = [each for each in unsearched if each.fields.mismatches or each.is_lost]
    results = await _match_titles(ctx, [each.entry for each in doubtful], clock.left / 2)
    for each in doubtful:
        each.matches = results.get(each.entry.index)
    await asyncio.to_thread(_record_fields, doubtful)


def _record_fields(evidence: Sequence[EntryEvidence]) -> None:
    for each in evidence:
        each.fields = compare_with_records(each)


def compare_with_records(each: EntryEvidence) -> FieldReport:
    """Compare an entry with the records of its DOI and with those found by its title that are the same work."""
    cited = each.entry.cited
    candidates = [match.paper for match in each.matches.candidates] if each.matches else []
    registered = each.record.paper if each.entry.name and each.record and each.record.exists else None
    if each.entry.printed and (
        likely := registered or (each.matches and each.matches.best and each.matches.best.paper)
    ):
        cited = align_fields(each.entry.printed, cited, likely)
    if registered is None:
        return _compare(each, cited, select_records(cited, candidates))
    if not names_same_work(cited, registered):
        meant = select_records(cited, candidates)
        return _compare(each, cited, meant) if meant else report_other_work(cited, registered.records)
    others = [paper for paper in candidates if is_same_work(registered, paper)]
    records = dict.fromkeys(record for paper in (registered, *others) for record in paper.records)
    return _compare(each, cited, tuple(records))


def _compare(each: EntryEvidence, cited: CitedFields, records: Sequence[WorkRecord]) -> FieldReport:
    if each.entry.printed:
        return compare_printed_fields(each.entry.printed, cited, records)
    return compare_fields(cited, records)


async def _find_versions(ctx: Context, evidence: Sequence[EntryEvidence], clock: _Deadline) -> None:
    """Find the other versions of each work; preprints that no index links to a publication are searched by title."""
    known = [each for each in evidence if each.exists]
    preprints = await fetch_preprints(ctx, [each.doi for each in known if each.doi], seconds=clock.left / 3)
    for each in known:
        each.versions = find_versions(each.doi, (*each.records, *preprints.get(each.doi, ())))
    alone = [each for each in known if not each.versions and each.entry.title and is_preprint(each.doi, each.records)]
    results = await _match_titles(ctx, [each.entry for each in alone if each.matches is None], clock.left / 3)
    for each in alone:
        matches = each.matches or results.get(each.entry.index)
        meant = each.record.paper if each.record else each.match.paper if each.match else None
        if matches and meant:
            alike = [match.paper for match in matches.candidates if is_same_work(meant, match.paper)]
            each.versions = find_versions(each.doi, each.records, alike)
    await check_versions(ctx, [version for each in known for version in each.versions], seconds=clock.left / 2)


async def _check_claims(
    ctx: Context, evidence: Sequence[EntryEvidence], clock: _Deadline, highest: Tier | None
) -> None:
    claimed = {each.entry.index: each for each in evidence if each.entry.claim}

    async def one(index: int) -> ClaimCheck:
        each = claimed[index]
        record = each.record if each.record and each.record.exists else None
        return await claim_sources.check_claim(
            ctx,
            each.entry.claim,
            await find_readable_urls(ctx, each),
            abstract=record.paper if record else None,
            highest=highest,
        )

    results = await bounded_gather(
        claimed, one, at_once=MAX_CONCURRENT_CLAIMS, seconds=clock.left, ctx=ctx, step="Looked into a claim"
    )
    timed_out = ClaimCheck("source_unavailable", skipped="The time ran out before the source was read.")
    for index, each in claimed.items():
        each.claim = results.get(index, timed_out)


async def find_readable_urls(ctx: Context, each: EntryEvidence) -> list[str]:
    """Return the URLs where the source may be readable: its link or an archived copy, then open-access copies."""
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
