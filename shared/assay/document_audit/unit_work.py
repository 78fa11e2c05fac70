"""Does one unit of work of an audit. A result is a JSON document that later units and the report read."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.context import Context
from assay.document_audit.audit_job import AuditJob, load_results
from assay.document_audit.audit_models import CheckedLink
from assay.document_audit.audit_plan import MAX_LINKS, SIZES, Unit, UnitKind, select_claims, select_quotations
from assay.document_audit.quotation_check import check_quotation
from assay.document_audit.reference_assembly import build_sentence
from assay.document_audit.reference_work import audit_references
from assay.manuscripts.manuscript import Manuscript
from assay.models.papers import Paper
from assay.state.concurrent_map import map_concurrently
from assay.state.json_documents import Document
from assay.verification import claim_sources
from assay.verification.archived_copies import find_archived_copies
from assay.verification.flags import describe_mismatch, is_mischaracterized
from assay.verification.link_status import check_links
from assay.verification.retracted_neighbours import find_retracted_neighbours

CLAIMS_AT_ONCE, NEIGHBOURS_PER_UNIT = 4, 1_000
LINK_SHARE = 0.6  # of a unit's time for the links, the rest for archived copies of dead ones


@dataclass(frozen=True)
class UnitInput:
    """What a unit of work may read."""

    ctx: Context
    job: AuditJob
    manuscript: Manuscript
    unit: Unit

    async def load_readings(self, references: Sequence[int]) -> dict[int, Document]:
        """Return where the works of these references can be read, as far as known."""
        batches = sorted({(index - 1) // SIZES["references"] for index in references})
        results = await load_results(self.ctx.services, self.job, batches)  # units of references come first
        readings = [result.get("readings", {}) for result in results if result]  # a failed unit has none
        found = {int(index): reading for each in readings for index, reading in each.items()}
        return {index: found[index] for index in references if index in found}


async def do_unit(given: UnitInput) -> Document:
    return await WORK[given.unit.kind](given)


async def _audit_references(given: UnitInput) -> Document:
    return await audit_references(given.ctx, given.manuscript.references[given.unit.start : given.unit.end])


async def _check_links(given: UnitInput) -> Document:
    urls = given.manuscript.links[:MAX_LINKS][given.unit.start : given.unit.end]
    links = await check_links(given.ctx, urls, seconds=given.ctx.time_left() * LINK_SHARE)
    gone = [url for url, link in links.items() if link.is_gone]
    copies = await find_archived_copies(given.ctx, gone, seconds=given.ctx.time_left() / 2)
    views = [
        CheckedLink(
            url=url,
            outcome=links[url].outcome if url in links else "unchecked",
            http_status=links[url].status if url in links else None,
            archived_url=copies.found.get(url),
        )
        for url in dict.fromkeys(urls)
    ]
    return {"links": [view.wire() for view in views]}


async def _check_claims(given: UnitInput) -> Document:
    """Check claims against their sources; a claim whose reference was not audited has no source."""
    claims = select_claims(given.manuscript, given.job.max_claims)[given.unit.start : given.unit.end]
    readings = await given.load_readings([claim.reference for claim in claims])

    async def check(place: int) -> Document:
        claim = claims[place]
        reading = readings.get(claim.reference, {})
        urls = await list_addresses(given.ctx, reading)
        checked = await claim_sources.check_claim(
            given.ctx.child(), claim.text, urls, abstract=read_abstract(reading), highest=given.job.claim_tier
        )
        citation = given.manuscript.citations[claim.citation]
        view = build_sentence(citation)
        view.record_claim(claim.text, checked)
        mismatch = describe_mismatch(claim.text, checked) if is_mischaracterized(checked) else None
        return {
            "reference": claim.reference,
            "citation": claim.citation,
            "view": view.wire(),
            "mismatch": mismatch,
        }

    return {"claims": await map_concurrently(check, range(len(claims)), limit=CLAIMS_AT_ONCE)}


async def _check_quotations(given: UnitInput) -> Document:
    chosen = select_quotations(given.manuscript, given.job.max_quotations)[given.unit.start : given.unit.end]
    readings = await given.load_readings([index for quotation in chosen for index in quotation.references])
    addresses = {index: await list_addresses(given.ctx, reading) for index, reading in readings.items()}
    views = [await check_quotation(given.ctx, quotation, addresses) for quotation in chosen]
    return {"quotations": [view.wire() for view in views]}


async def _find_neighbours(given: UnitInput) -> Document:
    indices = [each.index for each in given.manuscript.references[given.unit.start : given.unit.end]]
    by_doi: dict[str, list[int]] = {}
    for index, reading in (await given.load_readings(indices)).items():
        if reading["doi"]:
            by_doi.setdefault(reading["doi"], []).append(index)
    search = await find_retracted_neighbours(given.ctx, list(by_doi), limit=NEIGHBOURS_PER_UNIT)
    found = {
        number: {"title": paper.title, "doi": paper.doi, "url": paper.url, "citedBy": _list_indices(dois, by_doi)}
        for number, (paper, dois) in search.found.items()
    }
    counts = {"works": search.works, "neighbours": search.neighbours, "left": search.left, "problem": search.problem}
    return {"found": found, **counts}


def _list_indices(dois: Sequence[str], by_doi: Mapping[str, list[int]]) -> list[int]:
    return sorted({index for doi in dois for index in by_doi.get(doi, ())})


async def list_addresses(ctx: Context, reading: Mapping[str, Any]) -> list[str]:
    """Return the URLs where a work may be readable: those of the audit, and open-access copies."""
    urls = list(reading.get("urls", ()))
    copies = await claim_sources.open_copies(ctx, reading["doi"]) if reading.get("doi") else []
    return list(dict.fromkeys([*urls[:2], *copies, *urls[2:]]))


def read_abstract(reading: Mapping[str, Any]) -> Paper | None:
    return Paper.model_validate(reading["paper"]) if reading.get("paper") else None


WORK: Mapping[UnitKind, Callable[[UnitInput], Awaitable[Document]]] = {
    "references": _audit_references,
    "links": _check_links,
    "claims": _check_claims,
    "quotations": _check_quotations,
    "neighbours": _find_neighbours,
}
