"""Proposes a corrected form of a reference from the records of its work, as a difference of BibTeX entries."""

import re
from collections.abc import Sequence
from dataclasses import replace
from difflib import unified_diff
from typing import Any, NamedTuple

from assay.bibliography.exporters import format_bibtex
from assay.bibliography.person_names import parse_name
from assay.bibliography.work import CitedWork
from assay.models.work_record import WorkRecord
from assay.verification.audit_evidence import EntryEvidence
from assay.verification.field_comparison import FieldFinding

FIELDS = {
    "title": "title",
    "doi": "doi",
    "venue": "container",
    "place": "place",
    "publisher": "publisher",
    "volume": "volume",
    "issue": "issue",
}
UNSAFE = re.compile(r"[^A-Za-z0-9_:.+/-]+")
MAX_AUTHORS = 300


class Correction(NamedTuple):
    """A proposed entry. `diff` is a unified diff from the cited entry; `changes` are sentences with their sources."""

    bibtex: str
    diff: str
    changes: tuple[str, ...]


def build_key(work: CitedWork, index: int) -> str:
    """Build a key for BibTeX from the reference's own key, without characters that could end the entry."""
    return UNSAFE.sub("", work.key)[:80] or f"ref{index}"


def propose_correction(work: CitedWork, each: EntryEvidence, records: Sequence[WorkRecord]) -> Correction | None:
    """Return the reference with the recorded value of each field that all records contradict; None if there is none.

    A missing or unregistered DOI is proposed where the title search found the work beyond doubt.
    """
    corrected, changes = work, []
    for finding in each.fields.mismatches:
        new = _apply_finding(corrected, finding, records)
        if new != corrected:
            corrected = new
            changes.append(f"{finding.field}: {finding.source} has {finding.recorded[:300]}")
    found = each.match.paper.doi if each.match else None
    if found and found != work.doi and (not work.doi or each.is_lost):
        corrected = replace(corrected, doi=found)
        changes.append(f"doi: {each.match.paper.source if each.match else ''} has {found}")
    if not changes:
        return None
    key = build_key(work, each.entry.index)
    before, after = (format_bibtex([(key, version)]) for version in (work, corrected))
    diff = "\n".join(unified_diff(before.splitlines(), after.splitlines(), "cited", "proposed", n=50, lineterm=""))
    return Correction(after, diff, tuple(changes)) if diff else None


def _apply_finding(work: CitedWork, finding: FieldFinding, records: Sequence[WorkRecord]) -> CitedWork:
    """Return the work with the recorded value of one field; unchanged where the record does not settle it."""
    value = finding.recorded
    if finding.field == "authors":
        authors = next((record.authors for record in records if _is_recorded_by(record, finding)), ())
        return replace(work, authors=tuple(map(parse_name, authors[:MAX_AUTHORS]))) if authors else work
    if not value:
        return work
    if finding.field == "year":
        years = re.findall(r"\d{4}", value)
        return replace(work, date=years[0]) if years else work  # the first is that of publication, online or in print
    if finding.field == "pages":
        return replace(work, pages=re.sub(r"\s*[–—-]+\s*", "-", value))
    return _replace_text(work, FIELDS[finding.field], value) if finding.field in FIELDS else work


def _replace_text(work: CitedWork, name: str, value: str) -> CitedWork:
    changes: dict[str, Any] = {name: value}
    return replace(work, **changes)


def _is_recorded_by(record: WorkRecord, finding: FieldFinding) -> bool:
    first = record.authors[0] if record.authors else None
    return record.source == finding.source and first is not None and finding.recorded.startswith(first)
