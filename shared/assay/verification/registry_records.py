"""Looks up DOIs in Crossref, OpenAlex and doi.org: existence, metadata and integrity notices."""

import asyncio
from collections.abc import Awaitable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from assay.bibliography.identifiers import identify_doi
from assay.context import Context
from assay.errors import NotFound, ToolError
from assay.models.common import RetractionStatus
from assay.models.papers import Paper
from assay.providers.crossref import Crossref
from assay.providers.doi import Doi
from assay.verification.bounded_gather import bounded_gather, with_deadline
from assay.verification.title_matching import has_retraction_mark

CROSSREF_AT_ONCE, REGISTRY_AT_ONCE = 5, 8  # Crossref allows five concurrent requests per client

type RetractionCheck = Literal["clear", "retracted", "flagged", "unchecked"]
type RetractionReason = Literal["lookup_error", "not_in_crossref", "not_a_doi", "resolver_unavailable"]


class Integrity(NamedTuple):
    """The integrity notices that Crossref records for a work; `reason` is set if `check` is `unchecked`."""

    check: RetractionCheck
    reason: RetractionReason | None = None
    status: RetractionStatus | None = None


UNANSWERED = Integrity("unchecked", "lookup_error")
MARKED = Integrity("flagged")
MARKED_ONLY = "Crossref records no notice, but the title on record is marked as retracted or withdrawn."
NO_DOI = Integrity("unchecked", "not_a_doi")


def classify_integrity(status: RetractionStatus | None, title: str = "") -> Integrity:
    """Classify a Crossref record. A title with a mark of retraction is flagged even without a recorded notice."""
    if status is not None:
        return Integrity("retracted" if status.retracted else "flagged", None, status)
    return MARKED if has_retraction_mark(title) else Integrity("clear")


REGISTRIES = {"crossref": "Crossref", "openalex": "OpenAlex", "doi.org": "doi.org"}  # how notes name each


@dataclass
class Record:
    """What the registries record for a DOI. `exists` is None if no registry gave an answer."""

    doi: str
    exists: bool | None = None
    paper: Paper | None = None
    integrity: Integrity = UNANSWERED
    target: str | None = None  # the URL registered for the DOI
    searched: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # the origin of each piece of evidence, which names the registry

    def sort_by_registry(self) -> None:
        """Bring `searched` and `notes` into an order that does not depend on which registry answered first."""
        self.searched.sort(key=list(REGISTRIES).index)
        names = list(REGISTRIES.values())
        self.notes.sort(key=lambda note: next((place for place, name in enumerate(names) if name in note), len(names)))


async def fetch_record(ctx: Context, doi: str, *, with_target: bool = False) -> Record:
    """Look up one DOI in Crossref and OpenAlex, and at doi.org if neither has it.

    Records with another DOI are ignored. Upstream failures are added to `notes`; the function does not raise them.
    `with_target` also fetches the URL registered for the DOI.
    """
    record = Record(doi)
    lookups = [_query_crossref(ctx, record), _query_openalex(ctx, record)]
    if with_target:
        lookups.append(_query_doi_org(ctx, record))
    await asyncio.gather(*lookups)
    record.sort_by_registry()  # whichever answered first
    if record.exists is None and not with_target:
        await _query_doi_org(ctx, record)
    if record.exists is None:
        await _query_prefix_owner(ctx, record)
    return record


async def fetch_records(
    ctx: Context, dois: Iterable[str], *, seconds: float = 3600.0, at_once: int = CROSSREF_AT_ONCE
) -> dict[str, Record]:
    """Look up many DOIs: a batch query first, then the rest one by one with at most `at_once` requests to Crossref.

    DOIs that are not done after `seconds` keep `exists` None.
    """
    until = asyncio.get_running_loop().time() + seconds
    by_doi = {doi: Record(doi) for doi in dict.fromkeys(dois)}
    if len(by_doi) > 1:
        await _fetch_batch(ctx, by_doi, seconds / 2)
    rest = [doi for doi, each in by_doi.items() if each.exists is None]
    slots = asyncio.Semaphore(at_once)

    async def look_up(doi: str) -> None:
        async with slots:
            await _query_crossref(ctx, by_doi[doi])
        if by_doi[doi].exists is None:
            await _query_doi_org(ctx, by_doi[doi])
        if by_doi[doi].exists is None:
            await _query_prefix_owner(ctx, by_doi[doi])

    remaining = until - asyncio.get_running_loop().time()
    at_once += REGISTRY_AT_ONCE
    await bounded_gather(rest, look_up, at_once=at_once, seconds=remaining, ctx=ctx, step="Looked up a record")
    await _add_openalex_papers(ctx, [by_doi[doi] for doi in rest if by_doi[doi].exists and by_doi[doi].paper is None])
    return by_doi


async def _fetch_batch(ctx: Context, by_doi: Mapping[str, Record], seconds: float) -> None:
    """Fetch the Crossref records of all known DOIs in batches; failures are left to the individual look-ups."""
    crossref = _crossref(ctx)
    try:
        async with asyncio.timeout(seconds):
            known = await crossref.readable(crossref.find_by_doi(by_doi))
    except (ToolError, TimeoutError):
        return
    for doi, paper in known.items():
        _apply_crossref_record(by_doi[doi], paper, paper.retraction_status)


async def _add_openalex_papers(ctx: Context, records: list[Record]) -> None:
    """Add the OpenAlex records of DOIs that agencies other than Crossref registered."""
    from assay.providers.openalex import OpenAlex

    if not records or not OpenAlex.is_configured(ctx.services.settings):
        return
    openalex = OpenAlex(ctx.services.http, ctx.services.settings, clock=ctx.services.clock)
    try:
        papers = await openalex.readable(openalex.find_by_identifiers([identify_doi(each.doi) for each in records]))
    except ToolError as failure:
        for each in records:
            _add_failure(each, "OpenAlex look-up of the record", failure)
        return
    by_doi = {paper.doi: paper for paper in papers}
    for each in records:
        each.searched.append("openalex")
        each.paper = by_doi.get(each.doi)


async def _query_crossref(ctx: Context, record: Record) -> None:
    crossref = _crossref(ctx)
    try:
        paper, status = await with_deadline(ctx, crossref.readable(crossref.find_registered(record.doi)))
    except NotFound:
        record.searched.append("crossref")
        record.integrity = Integrity("unchecked", "not_in_crossref")
        record.notes.append("Crossref has no work with this DOI.")
    except ToolError as failure:
        _add_failure(record, "Crossref look-up of the work", failure)
    else:
        _apply_crossref_record(record, paper, status)


def _apply_crossref_record(record: Record, paper: Paper | None, status: RetractionStatus | None) -> None:
    record.searched.append("crossref")
    if paper and paper.doi is not None and paper.doi != record.doi:
        record.notes.append(f"Crossref returned another work ({paper.doi}), which was ignored.")
        return
    record.exists = True
    if paper:
        record.paper = _merge_papers(paper, record.paper)
    record.integrity = classify_integrity(status, paper.title if paper else "")
    if record.integrity == MARKED:
        record.notes.append(MARKED_ONLY)
    record.notes.append("Existence, title and integrity notices come from Crossref's record of this DOI.")


async def _query_openalex(ctx: Context, record: Record) -> None:
    from assay.providers.openalex import OpenAlex

    if not OpenAlex.is_configured(ctx.services.settings):
        record.notes.append("OpenAlex was not queried: OPENALEX_EMAIL is not set.")
        return
    openalex = OpenAlex(ctx.services.http, ctx.services.settings, clock=ctx.services.clock)
    try:
        paper = await with_deadline(ctx, openalex.readable(openalex.work(identify_doi(record.doi))))
    except NotFound:
        record.searched.append("openalex")
        record.notes.append("OpenAlex has no work with this DOI.")
        return
    except ToolError as failure:
        _add_failure(record, "OpenAlex look-up of the work", failure)
        return
    record.searched.append("openalex")
    if paper.doi is not None and paper.doi != record.doi:
        record.notes.append(f"OpenAlex returned another work ({paper.doi}), which was ignored.")
        return
    record.exists = True
    record.paper = _merge_papers(record.paper, paper) if record.paper else paper
    record.notes.append("OpenAlex has a record of this DOI.")


async def _query_doi_org(ctx: Context, record: Record) -> None:
    registry = Doi(ctx.services.http, ctx.services.settings, clock=ctx.services.clock)
    try:
        record.target = await with_deadline(ctx, registry.readable(registry.target(record.doi)))
    except NotFound:
        record.searched.append("doi.org")
        record.notes.append("The DOI is not registered at doi.org.")
        record.exists = record.exists or False
    except ToolError as failure:
        _add_failure(record, "doi.org look-up of the DOI", failure)
    else:
        record.searched.append("doi.org")
        record.exists = True
        record.notes.append("The DOI is registered at doi.org.")


async def _query_prefix_owner(ctx: Context, record: Record) -> None:
    """If doi.org is unavailable, treat a DOI under a Crossref prefix that Crossref lacks as not registered."""
    if record.integrity.reason != "not_in_crossref":
        return
    crossref = _crossref(ctx)
    if await _is_confirmed(with_deadline(ctx, crossref.readable(crossref.owns(record.doi.partition("/")[0])))):
        record.exists = False
        record.notes.append("Crossref registers all DOIs with this prefix and does not have this one.")


async def _is_confirmed(answer: Awaitable[bool]) -> bool:
    try:
        return await answer
    except ToolError:
        return False


def _merge_papers(one: Paper, other: Paper | None) -> Paper:
    """Return the first record, completed with fields that only the other one has."""
    if other is None:
        return one
    missing = {name: value for name, value in other if getattr(one, name) is None and value is not None}
    return one.model_copy(update=missing).with_records(lambda: (*one.records, *other.records))


def _add_failure(record: Record, action: str, failure: ToolError) -> None:
    record.notes.append(f"{action} failed: {failure.sentence()}")


def _crossref(ctx: Context) -> Crossref:
    return Crossref(ctx.services.http, ctx.services.settings, clock=ctx.services.clock)
