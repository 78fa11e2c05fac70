"""Output models of a bibliography audit: one per entry, and a summary by flag."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from assay.models.common import LongField, Output, RecordedRetraction
from assay.verification.audit_evidence import EntryEvidence
from assay.verification.claim_fields import ClaimFields
from assay.verification.claim_sources import SPARSE_WORDS
from assay.verification.field_outcomes import FieldOutcome, to_outcomes
from assay.verification.flags import find_flags
from assay.verification.preprint_versions import WorkVersion
from assay.verification.registry_records import MARKED, MARKED_ONLY


class Summary(Output):
    total: Annotated[int, Field(description="Entries checked.")]
    retracted: Annotated[int, Field(description="Entries on record as retracted.")]
    dead_link: Annotated[int, Field(description="Entries whose link is dead.")]
    not_found: Annotated[int, Field(description="Entries that no index knows.")]
    unchecked: Annotated[int, Field(description="Entries that could not be checked.")]
    mischaracterized: Annotated[
        int, Field(description="Entries whose source does not cover the claim, or contradicts it.")
    ]
    title_mismatch: Annotated[int, Field(description="Entries with another title on record.")]
    field_mismatch: Annotated[int, Field(description="Entries with a field that differs from all records.")]
    ok: Annotated[int, Field(description="Entries without flags.")]
    retraction_unchecked: Annotated[int, Field(description="Entries not checked for retraction.")]
    claim_check_skipped_count: Annotated[int, Field(description="Entries whose claim was not compared.")]
    thin_content_count: Annotated[int, Field(description="Entries whose source had very little text.")]


class EntryFields(Output):
    """What is known of an entry, without its claim."""

    index: Annotated[int, Field(description="Position in the bibliography, from 1.")]
    title: str | None = None
    doi: str | None = None
    url: str | None = None
    exists: Annotated[bool | None, Field(description="Whether the work exists; absent if not known.")] = None
    retraction_check: Annotated[
        Literal["clear", "retracted", "flagged", "unchecked"],
        Field(description="Result of the retraction check; unchecked is not clear."),
    ]
    retraction_check_reason: Annotated[str | None, Field(description="Why retraction could not be checked.")] = None
    retraction_status: RecordedRetraction = None
    title_match: Annotated[
        Literal["match", "mismatch", "not_checked"],
        Field(description="Whether the cited title is that of the record, or of the linked page."),
    ] = "not_checked"
    fields: Annotated[
        list[FieldOutcome] | None, LongField(), Field(description="Fields that the records do not confirm as cited.")
    ] = None
    codes: Annotated[
        list[str] | None,
        Field(description="CiteTracer codes: R fields agree, P unclear, H1 title to H6 volume, pages, publisher."),
    ] = None
    versions: Annotated[
        list[WorkVersion] | None, LongField(), Field(description="Other versions of the work, such as its publication.")
    ] = None
    link_live: Annotated[bool | None, Field(description="Absent if not known.")] = None
    link_outcome: Annotated[
        str | None, Field(description="live, dead, soft_404, blocked, redirected_to_root or unreachable.")
    ] = None
    http_status: Annotated[
        int | None, Field(description="HTTP status of the link; absent if there was no response.")
    ] = None
    archived_url: Annotated[str | None, Field(description="Archived copy of a dead link.")] = None
    flags: Annotated[list[str], Field(description="Concerns as codes.")]
    notes: Annotated[list[str] | None, Field(description="Remarks on how the entry reads, which are no flags.")] = None
    reason: Annotated[str | None, Field(description="Concerns as a sentence.")] = None


class AuditedEntry(ClaimFields, EntryFields):
    pass


def to_view(each: EntryEvidence) -> AuditedEntry:
    flags = find_flags(each)
    entry, link, claim = each.entry, each.link, each.claim
    doi = entry.name or (each.match.paper.doi if each.match else None)
    page = "" if any(flag == "unchecked" for flag, _ in flags) else each.describe_page()
    remarks = [*entry.notes, page, MARKED_ONLY if each.integrity == MARKED else ""]
    view = AuditedEntry(
        index=entry.index,
        title=entry.title or (each.record.paper.title if each.record and each.record.paper else None),
        doi=doi or None,
        url=entry.url or None,
        exists=each.exists,
        retraction_check=each.integrity.check,
        retraction_check_reason=each.integrity.reason,
        retraction_status=each.integrity.status,
        title_match=each.title_match,
        fields=to_outcomes(each.fields.findings),
        codes=list(each.fields.codes) or None,
        versions=each.versions or None,
        link_live=None if link is None else True if link.is_live else False if link.is_dead else None,
        link_outcome=link.outcome if link else None,
        http_status=link.status if link else None,
        archived_url=each.archived,
        flags=[flag for flag, _ in flags],
        notes=[remark for remark in remarks if remark] or None,
        reason=" ".join(reason for _, reason in flags) or None,
    )
    if claim is not None:
        view.record_claim(entry.claim, claim)
    return view


def summarize(entries: Sequence[AuditedEntry]) -> Summary:
    """Count the entries by flag."""

    def count(flag: str) -> int:
        return sum(flag in each.flags for each in entries)

    return Summary(
        total=len(entries),
        retracted=count("retracted"),
        dead_link=count("dead_link"),
        not_found=count("not_found"),
        unchecked=count("unchecked"),
        mischaracterized=count("mischaracterized"),
        title_mismatch=count("title_mismatch"),
        field_mismatch=sum(any(flag.endswith("_mismatch") for flag in each.flags) for each in entries),
        ok=sum(not each.flags for each in entries),
        retraction_unchecked=sum(each.retraction_check == "unchecked" for each in entries),
        claim_check_skipped_count=sum(bool(each.claim_check_skipped) for each in entries),
        thin_content_count=sum(
            each.content_words is not None and each.content_words < SPARSE_WORDS for each in entries
        ),
    )
