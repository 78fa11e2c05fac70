"""Fills the findings on a citation from records: existence, title, spelling, and works that are not indexed here."""

from urllib.parse import unquote

from assay.bibliography import isbn
from assay.evaluation import known_hosts, source_type
from assay.models.papers import Paper
from assay.net.urls import get_registrable_domain
from assay.text.homoglyphs import describe_homoglyphs
from assay.text.mixed_scripts import describe_mixed_words, find_mixed_words
from assay.verification import identify, title_matching
from assay.verification.citation_notes import remove_notes
from assay.verification.findings import DomainMismatch, Findings
from assay.verification.registered_names import NamedWork
from assay.verification.registry_records import Record
from assay.verification.work_kinds import WorkKind

COMPARE_TITLE = "The DOI exists, but it may name another work than the one meant: compare its title with the citation."
ISBN_NOT_COVERED = "The indexes used here do not cover ISBNs: look the book up in a library catalogue."


def describe_spelling(findings: Findings, citation: str, name: str | None) -> None:
    """Say that a DOI was read from another spelling or has others beside it, and which words mix look-alike letters."""
    if name and findings.input_type == "doi" and name not in unquote(citation).lower():
        findings.provenance.append(f"The DOI was read as {name}.")
    if name and (other := identify.find_other_doi(citation, name)):
        findings.provenance.append(f"The citation also has the DOI {other}, which was not looked up.")
    if mixed := find_mixed_words(identify.URL.sub(" ", citation.replace(name, " ") if name else citation)):
        findings.record_caveat(describe_mixed_words(mixed))


def report_named_work(citation: str, named: NamedWork, rest: str) -> Findings:
    """Report on a work that PubMed identifies by number and that has no DOI, or on a number alone."""
    findings = Findings(input=citation, input_type="reference", exists=named.exists, searched=["pubmed"])
    findings.retraction_check_reason = "not_a_doi"
    findings.matched_record = named.paper
    if named.paper is None:
        findings.verification_status = "not_found" if named.exists is False else "uncertain"
        findings.verification_reason = "pmid_not_registered" if named.exists is False else "lookup_error"
        findings.searched = findings.searched if named.exists is False else []
        return findings
    findings.match_confidence = "high"
    _apply_supplied_title(findings, named.paper, rest)
    findings.verification_status = "uncertain" if findings.title_match == "mismatch" else "confirmed"
    findings.verification_reason = "title_mismatch" if findings.title_match == "mismatch" else None
    return findings


def report_uncovered_kind(found: Findings, kind: WorkKind) -> Findings:
    """Report that works of this kind are not indexed here, so that nothing was learnt."""
    found.exists, found.verification_reason = None, "kind_not_indexed"
    found.record_caveat(f"It looks like {kind.name}, which is not indexed here: look it up at {kind.registry}.")
    return found


def report_isbn(citation: str, book: isbn.Isbn) -> Findings:
    """Report on a citation that is only an ISBN: its check digit can be verified, the book's existence cannot."""
    findings = Findings(input=citation, input_type="reference", authenticity_caveat=ISBN_NOT_COVERED)
    findings.retraction_check_reason = "not_a_doi"
    findings.verification_reason = "isbn_not_looked_up" if book.is_valid else "isbn_invalid"
    findings.provenance.append(
        f"The check digit of the ISBN {book.digits} is correct." if book.is_valid else describe_invalid_isbn(book)
    )
    return findings


def describe_invalid_isbn(book: isbn.Isbn) -> str:
    return f"The ISBN {book.digits} is not valid: its check digit should be {book.expected}."


def apply_record(findings: Findings, record: Record) -> None:
    findings.exists = record.exists if findings.input_type == "doi" else findings.exists
    findings.matched_record = record.paper if record.exists else None
    findings.match_confidence = "high" if findings.matched_record else None
    findings.record_integrity(record.integrity)


def apply_title(findings: Findings, record: Record, supplied: str) -> None:
    if record.paper:
        _apply_supplied_title(findings, record.paper, supplied)


def _apply_supplied_title(findings: Findings, paper: Paper, supplied: str) -> None:
    """Compare the text that a citation has beside its identifier with the title of the work."""
    if not identify.has_words(supplied):
        return
    known = [*(paper.authors or ()), paper.journal or "", paper.publisher or ""]
    findings.title_match = title_matching.compare_titles(supplied, paper.title, known)
    if (
        findings.title_match == "mismatch"
    ):  # a title of its own is left if notes on access, dates and numbers are removed
        findings.title_match = title_matching.compare_titles(remove_notes(supplied), paper.title, known)
    if findings.title_match != "match" and title_matching.contains_title(
        title_matching.strip_retraction_mark(paper.title), supplied
    ):
        findings.title_match = "match"


def apply_homoglyphs(findings: Findings, name: str) -> None:
    """Warn about look-alike letters in a DOI, whether or not the DOI is registered."""
    warning = describe_homoglyphs(name)
    if warning is None:
        return
    findings.provenance.append(warning)
    findings.authenticity_caveat = warning
    if findings.verification_status != "confirmed":
        findings.verification_reason = "doi_homoglyphs"


def set_doi_status(findings: Findings, record: Record) -> None:
    if record.exists is None:
        findings.verification_reason = "lookup_error"
    elif not record.exists:
        findings.verification_status, findings.verification_reason = "not_found", "doi_not_registered"
    elif findings.title_match == "mismatch":
        findings.verification_reason = "title_mismatch"
    else:
        findings.verification_status = "confirmed"
        findings.authenticity_caveat = COMPARE_TITLE if findings.title_match == "not_checked" else None


def apply_domain(findings: Findings, record: Record, url: str) -> None:
    """Record a mismatch if the DOI is registered for another domain and the page's host is no known publisher."""
    if record.target is None or source_type.classify_host(known_hosts.parse_host(url)) == "peer_reviewed":
        return
    here, there = (get_registrable_domain(identify.host_of(each)) for each in (url, record.target))
    if here != there:
        findings.domain_mismatch = DomainMismatch(page_domain=here, registered_domain=there)
