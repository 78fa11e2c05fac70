"""Writes the report on a manuscript as markdown."""

import re
from collections.abc import Iterable

from assay.document_audit.audit_models import CitingSentence, ReferenceAudit
from assay.document_audit.audit_report import AuditReport
from assay.document_audit.report_rows import (
    CAVEAT,
    count_rows,
    describe_findings,
    describe_quotation,
    describe_state,
    list_duplicates,
    list_links,
    list_neighbours,
    name_reference,
)

SPECIAL = re.compile(r"([\\`*_\[\]<>#|~])")
MAX_VALUE = 1_000  # characters


def write_markdown(report: AuditReport) -> str:
    """Return the whole report. Text from outside is escaped, so that it is read as text."""
    title = _escape(report.manuscript.title or "a manuscript")
    lines = [f"# Audit of {title}", "", describe_state(report), "", CAVEAT, ""]
    lines += [f"- {label}: {_escape(value)}" for label, value in count_rows(report)]
    lines += _section("Notes", [_escape(note) for note in report.notes])
    lines += ["", "## References"]
    for each in report.references:
        lines += _format_reference(each)
    unlisted = [f"{', '.join(each.labels)} ({each.marker}), paragraph {each.paragraph}" for each in report.unlisted]
    lines += _section("Cited but not listed", map(_escape, unlisted))
    lines += _section("Listed but not cited", [f"reference {index}" for index in report.uncited])
    lines += _section("Duplicates", map(_escape, list_duplicates(report)))
    lines += _section("Quotations", [_escape(describe_quotation(each)) for each in report.quotations])
    lines += _section("Links that are not live", map(_escape, list_links(report)))
    lines += _section("Retracted works that cited works cite", map(_escape, list_neighbours(report)))
    sent = [f"{each.service} ({each.count}): {'; '.join(each.texts)}" for each in report.sent]
    lines += _section("What was sent to look things up", map(_escape, sent))
    return "\n".join(lines) + "\n"


def _section(title: str, items: Iterable[str]) -> list[str]:
    listed = [f"- {item}" for item in items]
    return ["", f"## {title}", *listed] if listed else []


def _format_reference(each: ReferenceAudit) -> list[str]:
    flags = f" — {', '.join(each.flags)}" if each.flags else ""
    lines = ["", f"### {each.index}. {_escape(name_reference(each))}{flags}"]
    lines += [f"- {_escape(line)}" for line in describe_findings(each)]
    lines += [f"- {_format_sentence(sentence)}" for sentence in each.cited_in or ()]
    if each.correction:
        fence = "`" * (max(map(len, re.findall(r"`+", each.correction.diff)), default=2) + 1)
        lines += ["", f"{fence}diff", each.correction.diff, fence]
    return lines


def _format_sentence(sentence: CitingSentence) -> str:
    outcome = sentence.describe_outcome()
    support = f" ({outcome})" if outcome else ""
    return f"Cited in paragraph {sentence.paragraph}{support}: {_escape(sentence.sentence)}"


def _escape(text: str) -> str:
    """Escape the marks of markdown and HTML in text from outside, on one line."""
    return SPECIAL.sub(r"\\\1", " ".join(text[:MAX_VALUE].split()))
