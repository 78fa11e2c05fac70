"""Verifies one citation: existence, identity, retraction, link status and, if given, the claim."""

import asyncio
from collections.abc import Sequence

from assay.bibliography import doi, isbn
from assay.bibliography.identifiers import build_doi_url
from assay.context import Context
from assay.errors import ToolError
from assay.evaluation import known_hosts, source_type
from assay.models.papers import Paper
from assay.models.work_record import WorkRecord
from assay.net.urls import get_registrable_domain
from assay.text.homoglyphs import describe_homoglyphs, spell_in_latin
from assay.verification import (
    claim_sources,
    identify,
    link_status,
    reference_matching,
    registry_records,
    title_matching,
)
from assay.verification.archived_copies import find_archived_copies
from assay.verification.cited_work import is_same_work
from assay.verification.field_comparison import FieldReport
from assay.verification.findings import DomainMismatch, Findings
from assay.verification.link_status import Link
from assay.verification.preprint_versions import check_versions, find_versions
from assay.verification.printed_fields import compare_printed_fields, read_fields
from assay.verification.reference_matching import Match, Matches, Reference
from assay.verification.registry_records import Record
from assay.verification.tier_answer import Tier
from assay.verification.work_kinds import WorkKind, detect_kind

NOT_SCHOLARLY = frozenset({"news_publication", "forum", "social_media", "wiki", "official_docs", "blog"})
PAGE_SECONDS = 15.0
VERSION_SECONDS = 10.0
COMPARE_TITLE = "The DOI exists, but it may name another work than the one meant: compare its title with the citation."
ISBN_NOT_COVERED = "The indexes used here do not cover ISBNs: look the book up in a library catalogue."


async def verify_citation(
    ctx: Context, citation: str, claim: str | None = None, highest: Tier | None = None
) -> Findings:
    """Collect the evidence on a DOI, a URL or a printed reference. Upstream failures are recorded, not raised.

    `highest` is the highest tier that compares the claim, any by default.
    """
    name, address = identify.find_identifiers(citation)
    if name:
        findings, urls = await _verify_doi(ctx, citation, name, address, with_copies=bool(claim))
    elif address and address == citation:
        findings, urls = await _verify_url(ctx, address, with_copies=bool(claim))
    elif (book := isbn.find_isbn(citation)) and book.alone:
        findings, urls = _verify_isbn(citation, book), []
    else:
        findings, urls = await _verify_reference(ctx, citation, address, with_copies=bool(claim))
        if lookalike := doi.find(spell_in_latin(citation)):  # look-alike letters already break the prefix
            caveat = f"It seems to contain the DOI {lookalike}, in look-alike letters of another script (homoglyphs)."
            findings.provenance.append(f"{caveat} That DOI was not looked up instead.")
            findings.authenticity_caveat = caveat
    if claim:
        record = findings.matched_record if findings.exists else None
        checked = await claim_sources.check_claim(ctx, claim, urls, abstract=record, highest=highest)
        findings.record_claim(claim, checked)
    return findings


async def _verify_doi(
    ctx: Context, citation: str, name: str, address: str | None, *, with_copies: bool
) -> tuple[Findings, list[str]]:
    async with asyncio.TaskGroup() as group:
        lookup = group.create_task(registry_records.fetch_record(ctx, name))
        link = group.create_task(link_status.check_link(ctx, address, reading=True)) if address else None
        open_urls = group.create_task(claim_sources.open_copies(ctx, name)) if with_copies else None
    record = lookup.result()
    findings = Findings(input=citation, input_type="doi", provenance=record.notes, searched=record.searched)
    _apply_record(findings, record)
    _apply_title(findings, record, identify.extract_remainder(citation, name, address))
    _set_doi_status(findings, record)
    await _apply_versions(ctx, findings, name, record.paper.records if record.paper else ())
    _apply_homoglyphs(findings, name)
    if link:
        await _apply_link(ctx, findings, link.result())
    urls = open_urls.result() if open_urls else []
    return findings, urls + _readable_urls(record, address)


async def _verify_url(ctx: Context, url: str, *, with_copies: bool) -> tuple[Findings, list[str]]:
    findings = Findings(input=url, input_type="url")
    link = await link_status.check_link(ctx, url, seconds=min(link_status.SECONDS, ctx.time_left() / 2), reading=True)
    await _apply_link(ctx, findings, link)
    findings.exists = True if link.is_live else False if link.is_dead else None
    findings.verification_status = "confirmed" if link.is_live else "not_found" if link.is_dead else "uncertain"
    findings.verification_reason = None if link.is_live else "dead_link" if link.is_dead else link.outcome
    findings.retraction_check_reason = "not_a_doi"
    copy = [findings.archived_url] if findings.archived_url else []
    urls = copy if link.is_gone else [url]
    if not link.is_live or source_type.classify(link.final_url or url).source_type in NOT_SCHOLARLY:
        return findings, urls
    name, title = await _read_scholarly_page(ctx, findings, link.final_url or url)
    if name is None:
        return findings, urls
    record = await registry_records.fetch_record(ctx, name, with_target=True)
    findings.detected_doi = name
    findings.provenance += record.notes
    findings.searched = record.searched
    _apply_record(findings, record)
    _apply_title(findings, record, title)
    _apply_domain(findings, record, link.final_url or url)
    if record.exists is False:
        findings.verification_status, findings.verification_reason = "uncertain", "doi_not_registered"
    elif findings.title_match == "mismatch":
        findings.verification_status, findings.verification_reason = "uncertain", "title_mismatch"
    _apply_homoglyphs(findings, name)
    more = await claim_sources.open_copies(ctx, name) if with_copies else []
    return findings, urls + more


async def _verify_reference(
    ctx: Context, citation: str, address: str | None, *, with_copies: bool
) -> tuple[Findings, list[str]]:
    reference = Reference.of_text(citation)
    async with asyncio.TaskGroup() as group:
        lookup = group.create_task(reference_matching.match_reference(ctx, reference))
        link = group.create_task(link_status.check_link(ctx, address, reading=True)) if address else None
    matches = lookup.result()
    findings = Findings(input=citation, input_type="reference", provenance=matches.notes, searched=matches.searched)
    findings.retraction_check_reason = "not_a_doi"
    if (book := isbn.find_isbn(citation)) and not book.is_valid:
        findings.provenance.append(_describe_invalid_isbn(book))
    if link:
        await _apply_link(ctx, findings, link.result())
    best = matches.best
    findings.match_confidence = best.confidence if best else "none" if matches.answered else None
    if not matches.answered:
        findings.verification_reason = "lookup_error"
        return findings, [address] if address else []
    findings.exists = best is not None and best.confidence == "high"
    if best is None or best.confidence in ("low", "none"):
        if kind := detect_kind(citation):
            return _report_uncovered_kind(findings, kind), [address] if address else []
        findings.verification_status, findings.verification_reason = "not_found", "no_match"
        findings.authenticity_caveat = (
            "Not in the indexes searched, which lack many books, reports and court decisions."
        )
        return findings, [address] if address else []
    findings.provenance.append(best.reason)
    if best.confidence == "medium":
        findings.possible_match, findings.verification_reason = best.paper, "possible_match"
        return findings, [address] if address else []
    findings.verification_status, findings.matched_record = "confirmed", best.paper
    findings.title_match = "match"
    findings.record_fields(await asyncio.to_thread(_compare_with_records, citation, _records_of(best, matches)))
    urls = await _apply_integrity(ctx, findings, best.paper, with_copies=with_copies)
    same = [match.paper for match in matches.candidates if is_same_work(best.paper, match.paper)]
    await _apply_versions(ctx, findings, best.paper.doi or "", best.paper.records, same)
    return findings, urls + ([address] if address else [])


async def _apply_versions(
    ctx: Context, findings: Findings, name: str, records: Sequence[WorkRecord], candidates: Sequence[Paper] = ()
) -> None:
    """Record the other versions of the work with their integrity notices."""
    versions = find_versions(name, records, candidates)
    await check_versions(ctx, versions, seconds=min(VERSION_SECONDS, ctx.time_left() / 2))
    findings.versions = versions or None


def _compare_with_records(citation: str, records: Sequence[WorkRecord]) -> FieldReport:
    return compare_printed_fields(citation, read_fields(citation), records)


def _report_uncovered_kind(found: Findings, kind: WorkKind) -> Findings:
    """Report that works of this kind are not indexed here, so that nothing was learnt."""
    found.exists, found.verification_reason = None, "kind_not_indexed"
    found.authenticity_caveat = f"It looks like {kind.name}, which is not indexed here: look it up at {kind.registry}."
    return found


def _records_of(best: Match, matches: Matches) -> list[WorkRecord]:
    """Return the records of the matched work from all indexes that have it."""
    same = [match.paper for match in matches.candidates if is_same_work(best.paper, match.paper)]
    return list(dict.fromkeys(record for paper in (best.paper, *same) for record in paper.records))


def _verify_isbn(citation: str, book: isbn.Isbn) -> Findings:
    """Report on a citation that is only an ISBN: its check digit can be verified, the book's existence cannot."""
    findings = Findings(input=citation, input_type="reference", authenticity_caveat=ISBN_NOT_COVERED)
    findings.retraction_check_reason = "not_a_doi"
    findings.verification_reason = "isbn_not_looked_up" if book.is_valid else "isbn_invalid"
    findings.provenance.append(
        f"The check digit of the ISBN {book.digits} is correct." if book.is_valid else _describe_invalid_isbn(book)
    )
    return findings


def _describe_invalid_isbn(book: isbn.Isbn) -> str:
    return f"The ISBN {book.digits} is not valid: its check digit should be {book.expected}."


async def _apply_integrity(ctx: Context, findings: Findings, paper: Paper, *, with_copies: bool) -> list[str]:
    """Record the integrity notices of the matched work; return the URLs where it can be read."""
    if paper.doi is None:
        return [url for url in (paper.pdf_url, paper.url) if url]
    record, open_urls = await asyncio.gather(
        registry_records.fetch_record(ctx, paper.doi),
        claim_sources.open_copies(ctx, paper.doi) if with_copies else _nothing(),
    )
    findings.provenance += record.notes
    findings.record_integrity(record.integrity)
    return open_urls + _readable_urls(record, None)


async def _nothing() -> list[str]:
    return []


async def _read_scholarly_page(ctx: Context, findings: Findings, url: str) -> tuple[str | None, str]:
    """Return the DOI that a scholarly page states as its own, and its title; None for other pages."""
    in_url = doi.find_in_url(url) if source_type.is_journal(url) else None
    try:
        async with asyncio.timeout(min(PAGE_SECONDS, ctx.time_left() / 2)):
            page = await ctx.child().page(url)
    except TimeoutError:
        findings.provenance.append("The page was not read: it took too long.")
        return in_url, ""
    except ToolError as failure:
        findings.provenance.append(f"The page was not read: {failure.sentence()}")
        return in_url, ""
    findings.provenance.append("The page was read to find its own DOI.")
    return page.detected_doi or in_url, page.title


async def _apply_link(ctx: Context, findings: Findings, link: Link) -> None:
    findings.link_outcome, findings.link_failure, findings.http_status = link.outcome, link.failure, link.status
    findings.final_url = link.final_url if link.final_url != link.url else None
    findings.provenance.append(f"{link.describe()} Checked at {link.checked_at}.")
    if not link.is_gone:
        return
    copies = await find_archived_copies(ctx, [link.url], seconds=ctx.time_left() / 2)
    findings.archived_url = copies.found.get(link.url)
    if link.url in copies.unknown:
        findings.provenance.append("The Internet Archive did not answer, so whether it has a copy is unknown.")
    elif findings.archived_url is None:
        findings.provenance.append("The Internet Archive reports no copy.")


def _apply_record(findings: Findings, record: Record) -> None:
    findings.exists = record.exists if findings.input_type == "doi" else findings.exists
    findings.matched_record = record.paper if record.exists else None
    findings.match_confidence = "high" if findings.matched_record else None
    findings.record_integrity(record.integrity)


def _apply_title(findings: Findings, record: Record, supplied: str) -> None:
    if record.paper and supplied:
        known = [*(record.paper.authors or ()), record.paper.journal or "", record.paper.publisher or ""]
        findings.title_match = title_matching.compare_titles(supplied, record.paper.title, known)
        if findings.title_match != "match" and title_matching.contains_title(
            title_matching.strip_retraction_prefix(record.paper.title), supplied
        ):
            findings.title_match = "match"


def _apply_homoglyphs(findings: Findings, name: str) -> None:
    """Warn about look-alike letters in a DOI, whether or not the DOI is registered."""
    warning = describe_homoglyphs(name)
    if warning is None:
        return
    findings.provenance.append(warning)
    findings.authenticity_caveat = warning
    if findings.verification_status != "confirmed":
        findings.verification_reason = "doi_homoglyphs"


def _set_doi_status(findings: Findings, record: Record) -> None:
    if record.exists is None:
        findings.verification_reason = "lookup_error"
    elif not record.exists:
        findings.verification_status, findings.verification_reason = "not_found", "doi_not_registered"
    elif findings.title_match == "mismatch":
        findings.verification_reason = "title_mismatch"
    else:
        findings.verification_status = "confirmed"
        findings.authenticity_caveat = COMPARE_TITLE if findings.title_match == "not_checked" else None


def _apply_domain(findings: Findings, record: Record, url: str) -> None:
    """Record a mismatch if the DOI is registered for another domain and the page's host is no known publisher."""
    if record.target is None or source_type.classify_host(known_hosts.parse_host(url)) == "peer_reviewed":
        return
    here, there = (get_registrable_domain(identify.host_of(each)) for each in (url, record.target))
    if here != there:
        findings.domain_mismatch = DomainMismatch(page_domain=here, registered_domain=there)


def _readable_urls(record: Record, address: str | None) -> list[str]:
    """Return the URLs where the work may be readable, the most likely first."""
    if not record.exists:
        return [address] if address else []
    paper = record.paper
    urls = [paper.pdf_url if paper else None, address, paper.url if paper else None, build_doi_url(record.doi)]
    return [url for url in dict.fromkeys(urls) if url]
