"""Looks up a quotation in the sources that its sentence cites."""

import asyncio
from collections.abc import Mapping, Sequence

from assay.context import Context
from assay.document_audit.audit_models import QuotationCheck
from assay.manuscripts.manuscript import Quotation
from assay.verification.claim_sources import NO_ADDRESS, read_best_copy
from assay.verification.quotation_lookup import SourceText, look_up_quotation

MAX_SOURCES = 3  # of one quotation
MAX_QUOTATION = 600  # characters shown
MAX_REASON = 500


async def check_quotation(ctx: Context, quotation: Quotation, addresses: Mapping[int, Sequence[str]]) -> QuotationCheck:
    """Return the best outcome over the cited sources. `absent` needs that all of them were read completely."""
    best: QuotationCheck | None = None
    unread: list[str] = []
    for index in quotation.references[:MAX_SOURCES]:
        check = await _search_source(ctx, quotation, index, addresses.get(index, ()))
        if check.outcome in ("exact", "near"):
            if best is None or best.outcome == "absent" or check.outcome == "exact":
                best = check
            if check.outcome == "exact":
                break
        elif check.outcome == "absent":
            best = best or check
        else:
            unread.append(f"Reference {index}: {check.reason}")
    if (cited := len(quotation.references)) > MAX_SOURCES:
        unread.append(f"Only the first {MAX_SOURCES} of its {cited} references were searched.")
    if best is not None and (best.outcome != "absent" or not unread):
        return best
    reason = " ".join(unread)[:MAX_REASON]
    return _build(quotation, outcome="unavailable", reason=reason or "None of its references was audited.")


async def _search_source(ctx: Context, quotation: Quotation, index: int, urls: Sequence[str]) -> QuotationCheck:
    if not urls:
        return _build(quotation, reference=index, outcome="unavailable", reason=NO_ADDRESS)
    read, failures = await read_best_copy(ctx, urls)
    if read is None:
        reason = " ".join(failures)[:MAX_REASON]
        return _build(quotation, reference=index, outcome="unavailable", reason=reason or "No copy could be read.")
    found = await asyncio.to_thread(look_up_quotation, quotation.text, SourceText(read.text))
    if found.match == "absent" and read.partial:
        return _build(quotation, reference=index, outcome="unavailable", reason=read.partial, source_url=read.url)
    return _build(
        quotation,
        reference=index,
        outcome=found.match,
        passage=found.passage or None,
        changed_words=found.changed or None,
        source_url=read.url,
    )


def _build(quotation: Quotation, **fields: object) -> QuotationCheck:
    shown = {"quotation": quotation.text[:MAX_QUOTATION], "paragraph": quotation.paragraph}
    return QuotationCheck.model_validate(shown | fields)
