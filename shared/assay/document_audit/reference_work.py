"""Audits a batch of listed references: evidence, versions, a proposed correction, and where each work can be read."""

from collections.abc import Sequence
from typing import Any

from assay.context import Context
from assay.document_audit.audit_models import CorrectionProposal, ReferenceAudit
from assay.manuscripts.manuscript import ListedReference
from assay.state.json_documents import Document
from assay.verification.audit_entries import build_entry
from assay.verification.audit_evidence import EntryEvidence
from assay.verification.audit_views import EntryFields, to_view
from assay.verification.bibliography_audit import audit_entries
from assay.verification.reference_corrections import build_key, propose_correction

MAX_PRINTED = 1_000  # characters


async def audit_references(ctx: Context, references: Sequence[ListedReference]) -> Document:
    """Return the view of each reference by its index, and its reading: DOI, URLs and abstract."""
    evidence = await audit_entries(ctx, [build_entry(each.index, each.work) for each in references])
    pairs = list(zip(references, evidence, strict=True))
    return {
        "references": {str(listed.index): build_view(listed, each).wire() for listed, each in pairs},
        "readings": {str(listed.index): build_reading(each) for listed, each in pairs},
    }


def build_view(listed: ListedReference, each: EntryEvidence) -> ReferenceAudit:
    facts = to_view(each)
    fields = {name: getattr(facts, name) for name in EntryFields.model_fields}
    candidates = each.matches.candidates if each.matches else ()
    records = [*each.records, *(record for match in candidates for record in match.paper.records)]
    correction = propose_correction(listed.work, each, records)
    return ReferenceAudit(
        **fields,
        label=listed.label or None,
        key=build_key(listed.work, listed.index),
        hidden=listed.hidden or None,
        printed=listed.work.printed[:MAX_PRINTED] or None,
        correction=CorrectionProposal(bibtex=correction.bibtex, diff=correction.diff, changes=list(correction.changes))
        if correction
        else None,
    )


def build_reading(each: EntryEvidence) -> dict[str, Any]:
    """Return where the work can be read. Of a dead link only the archived copy counts."""
    paper = each.record.paper if each.record and each.record.exists else each.match.paper if each.match else None
    is_dead = each.link is not None and each.link.is_gone
    urls = [
        each.archived if is_dead else each.entry.url,
        paper.pdf_url if paper else None,
        paper.url if paper else None,
    ]
    kept = {"title", "url", "source", "abstract"}
    return {
        "doi": each.doi if each.exists else "",
        "urls": [url for url in dict.fromkeys(urls) if url],
        "paper": paper.model_dump(include=kept) if paper and paper.abstract else None,
    }
