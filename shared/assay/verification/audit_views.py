"""An audit as it goes out: each entry's evidence, and how many have which flag."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from assay.models.common import Output, RetractionStatus
from assay.verification.bibliography_audit import EntryEvidence
from assay.verification.claim_sources import SPARSE
from assay.verification.flags import find_flags


class Summary(Output):
    total: int
    retracted: int
    dead_link: int
    not_found: int
    unchecked: int
    mischaracterized: int
    title_mismatch: int
    ok: Annotated[int, Field(description="Without flags.")]
    retraction_unchecked: int
    claim_check_skipped_count: int
    thin_content_count: int


class Audited(Output):
    index: int
    title: str | None = None
    doi: str | None = None
    url: str | None = None
    exists: Annotated[bool | None, Field(description="Absent: not known.")] = None
    retraction_check: Literal["clear", "retracted", "flagged", "unchecked"]
    retraction_check_reason: str | None = None
    retraction_status: RetractionStatus | None = None
    title_match: Literal["match", "mismatch", "not_checked"] = "not_checked"
    link_live: Annotated[bool | None, Field(description="Absent: not known.")] = None
    link_outcome: str | None = None
    http_status: int | None = None
    archived_url: str | None = None
    flags: list[str]
    reason: str | None = None
    claim: str | None = None
    claim_support: str | None = None
    claim_evidence: list[str] | None = None
    claim_source_url: str | None = None
    contrast_signal: bool | None = None
    claim_check_skipped: bool | None = None
    claim_check_skipped_reason: str | None = None
    claim_fetch_error: str | None = None
    content_words: int | None = None
    sparsity_note: str | None = None


def to_view(each: EntryEvidence) -> Audited:
    flags = find_flags(each)
    entry, link, claim = each.entry, each.link, each.claim
    doi = entry.name or (each.match.paper.doi if each.match else None)
    answer = Audited(
        index=entry.index,
        title=entry.title or (each.record.paper.title if each.record and each.record.paper else None),
        doi=doi or None,
        url=entry.url or None,
        exists=each.exists,
        retraction_check=each.integrity.check,
        retraction_check_reason=each.integrity.reason,
        retraction_status=each.integrity.status,
        title_match=each.title_match,
        link_live=None if link is None else True if link.is_live else False if link.is_dead else None,
        link_outcome=link.outcome if link else None,
        http_status=link.status if link else None,
        archived_url=each.archived,
        flags=[flag for flag, _ in flags],
        reason=" ".join(reason for _, reason in flags) or None,
    )
    return answer if claim is None else answer.model_copy(update=claim_fields(each))


def claim_fields(each: EntryEvidence) -> dict[str, Any]:
    claim = each.claim
    assert claim
    return {
        "claim": each.entry.claim,
        "claim_support": claim.support,
        "claim_evidence": list(claim.evidence) or None,
        "claim_source_url": claim.source_url,
        "contrast_signal": claim.contrast or None,
        "claim_check_skipped": True if claim.skipped else None,
        "claim_check_skipped_reason": claim.skipped,
        "claim_fetch_error": claim.fetch_error,
        "content_words": claim.words,
        "sparsity_note": claim.sparsity_note,
    }


def summary(told: Sequence[Audited]) -> Summary:
    def count(flag: str) -> int:
        return sum(flag in each.flags for each in told)

    return Summary(
        total=len(told),
        retracted=count("retracted"),
        dead_link=count("dead_link"),
        not_found=count("not_found"),
        unchecked=count("unchecked"),
        mischaracterized=count("mischaracterized"),
        title_mismatch=count("title_mismatch"),
        ok=sum(not each.flags for each in told),
        retraction_unchecked=sum(each.retraction_check == "unchecked" for each in told),
        claim_check_skipped_count=sum(bool(each.claim_check_skipped) for each in told),
        thin_content_count=sum(each.content_words is not None and each.content_words < SPARSE for each in told),
    )
