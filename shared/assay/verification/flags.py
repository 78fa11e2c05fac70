"""Derives flags from the evidence on a reference, each with its reason. A flag asks for a human check."""

from typing import Literal

from assay.text.homoglyphs import describe_homoglyphs
from assay.text.mixed_scripts import describe_mixed_words
from assay.verification.audit_evidence import MAX_SHOWN, EntryEvidence
from assay.verification.claim_fields import ErrorRate
from assay.verification.claim_sources import ClaimCheck
from assay.verification.field_comparison import ComparedField
from assay.verification.retracted_candidates import describe_retracted
from assay.verification.work_kinds import detect_kind

type Flag = Literal[
    "retracted",
    "dead_link",
    "not_found",
    "mischaracterized",
    "title_mismatch",
    "author_mismatch",
    "venue_mismatch",
    "year_mismatch",
    "volume_mismatch",
    "pages_mismatch",
    "publisher_mismatch",
    "place_mismatch",
    "identifier_mismatch",
    "similar_to_retracted",
    "mixed_script",
    "unchecked",
]

FIELD_FLAGS: dict[ComparedField, Flag] = {
    "title": "title_mismatch",
    "authors": "author_mismatch",
    "venue": "venue_mismatch",
    "year": "year_mismatch",
    "volume": "volume_mismatch",
    "issue": "volume_mismatch",
    "pages": "pages_mismatch",
    "publisher": "publisher_mismatch",
    "place": "place_mismatch",
    "doi": "identifier_mismatch",
    "arxiv_id": "identifier_mismatch",
}
LABELS: dict[ComparedField, str] = {
    "title": "Title",
    "authors": "Authors",
    "venue": "Venue",
    "year": "Year",
    "volume": "Volume",
    "issue": "Issue",
    "pages": "Pages",
    "publisher": "Publisher",
    "place": "Place",
    "doi": "DOI",
    "arxiv_id": "arXiv id",
}
MAX_PASSAGE = 500  # characters in a reason


def find_flags(each: EntryEvidence) -> list[tuple[Flag, str]]:
    """Return (flag, reason) pairs. An empty list means the checks found no problem; it does not prove correctness."""
    flags: list[tuple[Flag, str]] = []
    if each.integrity.check == "retracted":
        flags.append(("retracted", _describe_retraction(each)))
    if each.link and each.link.is_dead:
        copy = " See archived_url for an archived copy." if each.archived else ""
        flags.append(("dead_link", each.link.describe() + copy))
    if each.claim and is_mischaracterized(each.claim):
        flags.append(("mischaracterized", describe_mismatch(each.entry.claim, each.claim)))
    flags += _find_field_flags(each)
    flags += [("similar_to_retracted", describe_retracted(paper)) for paper in each.similar_retracted[:1]]
    if mixed := each.entry.mixed_words:
        flags.append(("mixed_script", describe_mixed_words(mixed)))
    if each.entry.name and each.exists is False:
        flags.append(("not_found", _describe_not_found(each)))
    elif _is_unchecked(each):
        flags.append(("unchecked", _describe_unchecked(each)))
    return flags


def _is_unchecked(each: EntryEvidence) -> bool:
    """Whether nothing corroborates the entry; a live link does unless its page has another title."""
    is_live = each.link is not None and each.link.is_live and each.page_match != "mismatch"
    is_dead = each.link is not None and each.link.is_dead
    return each.exists is None and not is_live and not is_dead and not each.fields.findings


def _find_field_flags(each: EntryEvidence) -> list[tuple[Flag, str]]:
    """Return a flag for each kind of field that differs from all records, with both values."""
    flags: dict[Flag, str] = {}
    for finding in each.fields.mismatches:
        flag = FIELD_FLAGS[finding.field]
        reason = (
            f"{LABELS[finding.field]}: cited {finding.cited[:MAX_SHOWN]!r}, on record at {finding.source} "
            f"{finding.recorded[:MAX_SHOWN]!r}. {finding.reason}"
        )
        flags[flag] = f"{flags[flag]} {reason}" if flag in flags else reason
    return list(flags.items())


def is_mischaracterized(checked: ClaimCheck) -> bool:
    """Whether the source contradicts the claim, or was read and does not address it."""
    return checked.is_contradicted or checked.support == "not_addressed"


def describe_mismatch(claim: str, checked: ClaimCheck) -> str:
    """Say what speaks against the citation: which tier, how sure, and how often the tier errs."""
    error_rate = ErrorRate.measure(checked.trials or (0, 0)).describe()
    if not checked.is_contradicted:
        return f"The source was read and does not address the claim (tier words; {error_rate})."
    return (
        f"The source contradicts the claim (tier {checked.tier}, probability {checked.probability}; {error_rate}): "
        f"claimed {claim[:MAX_SHOWN]!r}, the source says {checked.evidence[0][:MAX_PASSAGE]!r}."
    )


def _describe_retraction(each: EntryEvidence) -> str:
    status = each.integrity.status
    if status is None:
        return "The work is retracted."
    details = [
        f" on {status.date}" if status.date else "",
        f" (notice {status.notice_doi})" if status.notice_doi else "",
    ]
    return f"Crossref records the retraction of the work{''.join(details)}."


def _describe_not_found(each: EntryEvidence) -> str:
    checked = ", ".join(each.record.searched) if each.record else "the registries"
    message = f"The DOI {each.entry.name} is not registered; checked: {checked}. It may be misprinted or fabricated."
    return " ".join(filter(None, (message, describe_homoglyphs(each.entry.name))))


def _describe_unchecked(each: EntryEvidence) -> str:
    """Explain why the existence of the reference is unconfirmed."""
    reasons = [f"{note.rstrip('.')}." for note in each.entry.notes]
    if each.entry.name:
        reasons.append("The DOI registries did not answer.")
    if each.link and not each.link.is_dead:
        reasons.append(each.describe_page() or each.link.describe())
    elif each.entry.url and each.link is None:
        reasons.append("The time ran out before the link was checked.")
    reasons += _describe_title_search(each)
    if not reasons:
        reasons.append("It has no DOI, no link and no title to search for.")
    return " ".join(reasons)


def _describe_title_search(each: EntryEvidence) -> list[str]:
    if not each.entry.is_searchable or each.entry.name:
        return []
    if each.matches is None:
        return ["The time ran out before the title was searched."]
    if not each.matches.answered:
        return ["Not all bibliographic indexes answered, so a miss says nothing."]
    best = each.matches.best
    if best and best.confidence == "medium":
        return [f"Only a similar work was found: {best.paper.title!r}. {best.reason}"]
    if kind := detect_kind(each.entry.printed or f"{each.entry.title} {each.entry.container}"):
        return [f"It looks like {kind.name}, which is not indexed here: look it up at {kind.registry}."]
    return [f"The title is not in {', '.join(each.matches.searched)}; these lack many books, reports and pages."]
