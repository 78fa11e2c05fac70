"""The references of an audit as rows of a table, each with its evidence in the words of the written report."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from assay.bibliography.identifiers import build_doi_url
from assay.document_audit.audit_models import CitingSentence, ReferenceAudit
from assay.document_audit.report_rows import describe_findings, name_reference
from assay.verification.audit_views import AuditedEntry
from assay.verification.claim_fields import ClaimFields

FLAGGED, REMARKED = "flagged", "remarked"  # choices of the filter beside the flags


class AnsweredReference(AuditedEntry, ReferenceAudit):
    """A reference as audit_bibliography or audit_document answers it."""


class ComparedClaim(NamedTuple):
    """What a reference is cited for, and how its source compares."""

    text: str
    paragraph: int | None
    outcome: str
    passages: Sequence[str]
    source: str
    remarks: Sequence[str]


class ReferenceRow(NamedTuple):
    """One reference. `is_known` is None where nobody knows whether the work exists."""

    entry: AnsweredReference
    name: str
    url: str
    is_known: bool | None
    findings: Sequence[str]
    claims: Sequence[ComparedClaim]

    @property
    def has_evidence(self) -> bool:
        """Whether there is more to show than the table has."""
        return bool(self.findings or self.claims or self.entry.correction)


class ReferenceTable(NamedTuple):
    """The rows that the filter leaves, of so many, and what can be filtered by."""

    rows: Sequence[ReferenceRow]
    total: int
    choices: Mapping[str, str]
    chosen: str


def build_table(entries: Iterable[Mapping[str, Any]], chosen: str = "") -> ReferenceTable:
    """The table of the entries of an answer, of those that the choice names. Raises ValidationError."""
    references = [AnsweredReference.model_validate(each) for each in entries]
    flags = sorted({flag for each in references for flag in each.flags})
    choices = {"": "all", FLAGGED: "with flags", REMARKED: "with remarks"} | {
        flag: flag.replace("_", " ") for flag in flags
    }
    rows = [_build_row(each) for each in references if _is_chosen(each, chosen)]
    return ReferenceTable(rows, len(references), choices, chosen if chosen in choices else "")


def _is_chosen(each: AnsweredReference, chosen: str) -> bool:
    if chosen == FLAGGED:
        return bool(each.flags)
    if chosen == REMARKED:
        return bool(each.notes)
    return not chosen or chosen in each.flags


def _build_row(each: AnsweredReference) -> ReferenceRow:
    url = build_doi_url(each.doi) if each.doi else each.url or ""
    claims = [_compare(each, each.claim, None)] if each.claim else []
    claims += [_compare(one, one.sentence, one.paragraph) for one in each.cited_in or ()]
    return ReferenceRow(each, name_reference(each), url, each.exists, _list_findings(each), claims)


def _list_findings(each: AnsweredReference) -> list[str]:
    found = describe_findings(each)
    if each.retraction_check_reason:
        found.append(f"Retraction not checked: {each.retraction_check_reason.replace('_', ' ')}.")
    for one in each.fields or ():
        recorded = f", on record “{one.recorded}”" if one.recorded else ""
        source = f" ({one.source})" if one.source else ""
        found.append(f"{one.field.replace('_', ' ')}, {one.outcome}: cited “{one.cited}”{recorded}{source}")
    return found + [f"Remark: {note}" for note in each.notes or ()]


def _compare(each: ClaimFields | CitingSentence, text: str, paragraph: int | None) -> ComparedClaim:
    remarks = [each.claim_check_skipped_reason, each.claim_fetch_error, each.sparsity_note, each.claim_tier_failure]
    if each.contrast_signal:
        remarks.append("A sentence of the source may say the opposite: read it.")
    return ComparedClaim(
        text,
        paragraph,
        each.describe_outcome(),
        each.claim_evidence or (),
        each.claim_source_url or "",
        [one for one in remarks if one],
    )
