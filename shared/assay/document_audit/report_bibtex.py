"""Writes the references of a manuscript as BibTeX, each annotated with its evidence."""

import re

from assay.bibliography.exporters import format_bibtex
from assay.document_audit.audit_report import AuditReport
from assay.document_audit.report_rows import describe_findings

MAX_ANNOTATION = 2_000  # characters


def write_bibtex(report: AuditReport) -> str:
    """Return the references as they are cited; the evidence and the proposed changes are in the field `annote`."""
    audits = {each.index: each for each in report.references}
    keyed, notes, used = [], {}, set[str]()
    for listed in report.manuscript.references:
        audit = audits[listed.index]
        key = audit.key if audit.key.casefold() not in used else f"{audit.key}-{listed.index}"
        used.add(key.casefold())
        flags = f"Flags: {', '.join(audit.flags)}." if audit.flags else "No flags."
        keyed.append((key, listed.work))
        notes[key] = re.sub(r"\s+", " ", " ".join([flags, *describe_findings(audit)]))[:MAX_ANNOTATION]
    return format_bibtex(keyed, notes) + "\n"
