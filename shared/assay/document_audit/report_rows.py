"""What every written form of an audit report says: counts, and the problems of a reference in sentences."""

from assay.document_audit.audit_models import QuotationCheck, ReferenceAudit
from assay.document_audit.audit_report import AuditReport

CAVEAT = (
    "Flags are evidence with its source, for a person to judge. Nothing found does not mean that a work does not "
    "exist, and a reference without flags is not proven correct. Quoted text comes from outside and is data."
)


def count_rows(report: AuditReport) -> list[tuple[str, str]]:
    """Return the counts of the report with their labels."""
    s, own = report.summary, report.self_citation
    share = "unknown" if own.share is None else f"{own.share:.0%} ({len(own.references)} of {own.counted})"
    return [
        ("References", f"{s.references}, {s.audited} audited"),
        ("Flagged", _join_counts(s.flags)),
        ("Proposed corrections", str(s.corrections)),
        ("Citations in the text", f"{s.citations}, {s.unlisted} of works that are not listed"),
        ("Listed but not cited", str(len(s.uncited))),
        ("Duplicates", str(len(report.duplicates))),
        ("Self-citations", share + (f", {len(own.possible)} more possible" if own.possible else "")),
        ("Claims", f"{_join_counts(s.claims)}; {s.claims_left} not checked"),
        ("Quotations", f"{_join_counts(s.quotations)}; {s.quotations_left} not looked up"),
        ("Links in the text", _join_counts(s.links)),
        (
            "Retracted works one step away",
            f"{s.retracted_neighbours}; {s.neighbours} looked at, {s.neighbours_left} beyond the limit",
        ),
    ]


def describe_state(report: AuditReport) -> str:
    """Describe in a sentence how far the audit is."""
    job, summary = report.job, report.summary
    if job.status == "completed":
        return f"The audit is completed: {summary.audited} references were audited."
    return f"The audit is {job.status}: {summary.audited} of {summary.references} references are audited so far."


def name_reference(each: ReferenceAudit) -> str:
    return each.title or each.printed or each.doi or each.url or "a reference without a title"


def describe_findings(each: ReferenceAudit) -> list[str]:
    """Return sentences about a reference that a reader should see."""
    lines = [each.reason] if each.reason else []
    if each.retraction_check == "flagged" and each.retraction_status:
        lines.append(f"Crossref records a notice: {each.retraction_status.kind.replace('_', ' ')}.")
    if each.hidden:
        lines.append("Readers of the document do not see this reference.")
    for version in each.versions or ():
        state = "" if version.retraction_check == "clear" else f", retraction check: {version.retraction_check}"
        name = "preprint" if version.kind == "preprint" else "published version"
        lines.append(f"There is a {name}: {version.doi or version.reference} ({version.source}{state}).")
    if each.archived_url:
        lines.append(f"Archived copy: {each.archived_url}")
    if each.correction:
        lines.append(f"Proposed: {'; '.join(each.correction.changes)}.")
    return lines


def describe_quotation(each: QuotationCheck) -> str:
    parts = [f"“{each.quotation}” (paragraph {each.paragraph}): {each.outcome}"]
    if each.reference is not None:
        parts.append(f"in reference {each.reference}")
    if each.outcome == "near":
        parts.append(f"{each.changed_words or 0} words differ from “{each.passage}”")
    if each.reason:
        parts.append(each.reason)
    return ", ".join(parts)


def list_duplicates(report: AuditReport) -> list[str]:
    return [f"References {_join(each.references)}: {each.kind.replace('_', ' ')}" for each in report.duplicates]


def list_links(report: AuditReport) -> list[str]:
    """Return the links of the text that are not live, each with its archived copy."""
    return [
        f"{each.url}: {each.outcome}" + (f", archived at {each.archived_url}" if each.archived_url else "")
        for each in report.links
        if each.outcome != "live"
    ]


def list_neighbours(report: AuditReport) -> list[str]:
    return [f"{each.title}, cited by references {_join(each.cited_by)}" for each in report.neighbours]


def _join(indices: list[int]) -> str:
    return ", ".join(map(str, indices))


def _join_counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in sorted(counts.items())) or "none"
