"""Verifies one citation: existence, identity, retraction, link status and, if given, the claim."""

import asyncio
from collections.abc import Sequence

from assay.bibliography import doi, isbn
from assay.bibliography.broken_lines import join_lines
from assay.bibliography.identifiers import build_doi_url
from assay.context import Context
from assay.evaluation import source_type
from assay.models.papers import Paper
from assay.models.work_record import WorkRecord
from assay.text.homoglyphs import spell_in_latin
from assay.text.mixed_scripts import spell_mixed_words
from assay.text.user_info import remove_prose_user_info
from assay.verification import (
    claim_sources,
    identify,
    link_status,
    reference_matching,
    registered_names,
    registry_records,
)
from assay.verification.archived_copies import find_archived_copies
from assay.verification.citation_findings import (
    apply_domain,
    apply_homoglyphs,
    apply_record,
    apply_title,
    describe_invalid_isbn,
    describe_spelling,
    report_isbn,
    report_named_work,
    report_uncovered_kind,
    set_doi_status,
)
from assay.verification.cited_page import apply_cited_page, read_page
from assay.verification.cited_work import is_same_work
from assay.verification.field_comparison import FieldReport
from assay.verification.findings import Findings
from assay.verification.link_status import Link
from assay.verification.preprint_versions import check_versions, fetch_preprints, find_versions
from assay.verification.printed_fields import compare_printed_fields, read_fields
from assay.verification.reference_matching import Match, Matches, Reference
from assay.verification.registry_records import Record
from assay.verification.respelled_dois import describe_respelling, find_respelled
from assay.verification.retracted_candidates import describe_retracted, find_retracted, list_similar
from assay.verification.tier_answer import Tier
from assay.verification.work_kinds import detect_kind

NOT_SCHOLARLY = frozenset({"news_publication", "forum", "social_media", "wiki", "official_docs", "blog"})
VERSION_SECONDS = 10.0


async def verify_citation(
    ctx: Context, citation: str, claim: str | None = None, highest: Tier | None = None
) -> Findings:
    """Collect the evidence on a DOI, a URL or a printed reference. Upstream failures are recorded, not raised.

    `highest` is the highest tier that compares the claim, any by default.
    """
    sent, citation = citation, join_lines(citation.split("\n")) if "\n" in citation.strip() else citation
    citation = remove_prose_user_info(citation)  # parts of it are sent to indexes and archives
    name, address = identify.find_identifiers(citation)
    if name:
        findings, urls = await _verify_doi(ctx, citation, name, address, with_copies=bool(claim))
    elif registered := await _verify_registered(ctx, citation, address, with_copies=bool(claim)):
        findings, urls = registered
    elif address and identify.is_url_alone(citation, address):
        findings, urls = await _verify_url(ctx, address, with_copies=bool(claim))
    elif (book := isbn.find_isbn(citation)) and book.alone:
        findings, urls = report_isbn(citation, book), []
    else:
        findings, urls = await _verify_reference(ctx, citation, address, with_copies=bool(claim))
        if lookalike := doi.find(spell_in_latin(citation)):  # look-alike letters already break the prefix
            caveat = f"It seems to contain the DOI {lookalike}, in look-alike letters of another script (homoglyphs)."
            findings.provenance.append(f"{caveat} That DOI was not looked up instead.")
            findings.authenticity_caveat = caveat
    findings.input = sent
    describe_spelling(findings, sent, name)
    if claim:
        record = findings.matched_record if findings.exists else None
        checked = await claim_sources.check_claim(ctx, claim, urls, abstract=record, highest=highest)
        findings.record_claim(claim, checked)
    return findings


async def _verify_registered(
    ctx: Context, citation: str, address: str | None, *, with_copies: bool
) -> tuple[Findings, list[str]] | None:
    """Verify a citation by its PMID, PMCID or RFC number; None if it has none, or if its work was not found so."""
    if rfc := registered_names.find_rfc_doi(citation):
        rest = registered_names.RFC.sub(" ", citation)
        found = await _verify_doi(ctx, citation, rfc, address, with_copies=with_copies, supplied=rest)
        return found if found[0].exists and found[0].title_match != "mismatch" else None
    identifier = registered_names.find_pubmed_identifier(citation)
    if identifier is None:
        return None
    named = await registered_names.look_up_in_pubmed(ctx, identifier)
    rest = registered_names.remove_identifiers(citation)
    if named.paper and named.paper.doi:
        findings, urls = await _verify_doi(
            ctx, citation, named.paper.doi, address, with_copies=with_copies, supplied=rest
        )
    elif named.paper or not identify.has_words(rest):
        findings, urls = report_named_work(citation, named, rest), [named.paper.url] if named.paper else []
    else:
        findings, urls = await _verify_reference(ctx, citation, address, with_copies=with_copies)
    if named.exists is False:
        findings.record_caveat(named.note)
    else:
        findings.provenance.insert(0, named.note)
    return findings, urls


async def _verify_doi(
    ctx: Context, citation: str, name: str, address: str | None, *, with_copies: bool, supplied: str | None = None
) -> tuple[Findings, list[str]]:
    """Verify a citation by its DOI; `supplied` is the text beside the identifier, if that is not the DOI itself."""
    async with asyncio.TaskGroup() as group:
        lookup = group.create_task(registry_records.fetch_record(ctx, name))
        link = group.create_task(link_status.check_link(ctx, address, reading=True)) if address else None
        open_urls = group.create_task(claim_sources.open_copies(ctx, name)) if with_copies else None
    record, beside = lookup.result(), citation if supplied is None else supplied
    beside = identify.extract_remainder(beside, name, address)
    urls = open_urls.result() if open_urls else []
    if record.exists is False and (other := await _find_respelled(ctx, record)):
        name, record = other.doi, other
        urls = await claim_sources.open_copies(ctx, name) if with_copies else []
    findings = Findings(input=citation, input_type="doi", provenance=record.notes, searched=record.searched)
    apply_record(findings, record)
    apply_title(findings, record, beside)
    set_doi_status(findings, record)
    await _apply_versions(ctx, findings, name, record.paper.records if record.paper else ())
    apply_homoglyphs(findings, name)
    if link:
        await _apply_link(ctx, findings, link.result())
    return findings, urls + _readable_urls(record, address)


async def _find_respelled(ctx: Context, record: Record) -> Record | None:
    """Return the record of the registered DOI of which an unregistered one is another spelling, or None."""
    found = await find_respelled(ctx, [record.doi], seconds=ctx.time_left() / 3)
    other = found.get(record.doi)
    if other:
        other.notes.insert(0, describe_respelling(record.doi, other))
    return other


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
    apply_record(findings, record)
    apply_title(findings, record, title)
    apply_domain(findings, record, link.final_url or url)
    if record.exists is False:
        findings.verification_status, findings.verification_reason = "uncertain", "doi_not_registered"
    elif findings.title_match == "mismatch":
        findings.verification_status, findings.verification_reason = "uncertain", "title_mismatch"
    apply_homoglyphs(findings, name)
    more = await claim_sources.open_copies(ctx, name) if with_copies else []
    return findings, urls + more


async def _verify_reference(
    ctx: Context, citation: str, address: str | None, *, with_copies: bool
) -> tuple[Findings, list[str]]:
    citation = spell_mixed_words(citation)
    reference = Reference.of_text(citation)
    async with asyncio.TaskGroup() as group:
        lookup = group.create_task(reference_matching.match_reference(ctx, reference))
        link = group.create_task(link_status.check_link(ctx, address, reading=True)) if address else None
    matches = lookup.result()
    findings = Findings(input=citation, input_type="reference", provenance=matches.notes, searched=matches.searched)
    findings.retraction_check_reason = "not_a_doi"
    if (book := isbn.find_isbn(citation)) and not book.is_valid:
        findings.provenance.append(describe_invalid_isbn(book))
    if link:
        await _apply_link(ctx, findings, link.result())
    best = matches.best
    findings.match_confidence = best.confidence if best else "none" if matches.answered else None
    if not matches.answered:
        findings.verification_reason = "lookup_error"
        return findings, [address] if address else []
    findings.exists = best is not None and best.confidence == "high"
    await _apply_similar_retracted(ctx, findings, matches, reference)
    if best is None or best.confidence in ("low", "none"):
        return await _report_no_match(ctx, findings, link.result() if link else None)
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


async def _report_no_match(ctx: Context, findings: Findings, link: Link | None) -> tuple[Findings, list[str]]:
    """Report a reference that no index has: its page, if that answers, or the kind of work that it looks like."""
    urls = [link.url] if link else []
    if link and link.is_live:
        await apply_cited_page(ctx, findings, link)
    elif kind := detect_kind(findings.input):
        report_uncovered_kind(findings, kind)
    elif link and link.outcome in ("blocked", "unreachable"):
        findings.exists, findings.verification_reason = None, "link_not_read"
        findings.record_caveat("No index searched has the reference, and the page that it links could not be read.")
    else:
        findings.verification_status, findings.verification_reason = "not_found", "no_match"
        findings.record_caveat("Not in the indexes searched, which lack many books, reports and court decisions.")
    return findings, urls


async def _apply_versions(
    ctx: Context, findings: Findings, name: str, records: Sequence[WorkRecord], candidates: Sequence[Paper] = ()
) -> None:
    """Record the other versions of the work with their integrity notices."""
    seconds = min(VERSION_SECONDS, ctx.time_left() / 3)
    preprints = await fetch_preprints(ctx, [name], seconds=seconds) if name else {}
    versions = find_versions(name, (*records, *preprints.get(name, ())), candidates)
    await check_versions(ctx, versions, seconds=min(VERSION_SECONDS, ctx.time_left() / 2))
    findings.versions = versions or None


def _compare_with_records(citation: str, records: Sequence[WorkRecord]) -> FieldReport:
    return compare_printed_fields(citation, read_fields(citation), records)


def _records_of(best: Match, matches: Matches) -> list[WorkRecord]:
    """Return the records of the matched work from all indexes that have it."""
    same = [match.paper for match in matches.candidates if is_same_work(best.paper, match.paper)]
    return list(dict.fromkeys(record for paper in (best.paper, *same) for record in paper.records))


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
    page = await read_page(ctx, findings, url)
    if page is None:
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


async def _apply_similar_retracted(ctx: Context, findings: Findings, matches: Matches, reference: Reference) -> None:
    """Name retracted works of which the citation may be a variant."""
    found = await find_retracted(ctx, list_similar(matches, reference.searched))
    findings.similar_retracted = list(found.values()) or None
    for paper in found.values():
        findings.record_caveat(describe_retracted(paper))


def _readable_urls(record: Record, address: str | None) -> list[str]:
    """Return the URLs where the work may be readable, the most likely first."""
    if not record.exists:
        return [address] if address else []
    paper = record.paper
    urls = [paper.pdf_url if paper else None, address, paper.url if paper else None, build_doi_url(record.doi)]
    return [url for url in dict.fromkeys(urls) if url]
