"""What the registries say of a DOI: whether it exists, of which work it is, and what is recorded against that."""

import asyncio
from collections.abc import Awaitable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from assay.bibliography.identifiers import of_doi
from assay.context import Context
from assay.errors import NotFound, ToolError
from assay.models.common import RetractionStatus
from assay.models.papers import Paper
from assay.providers.crossref import Crossref
from assay.providers.doi import Doi
from assay.verification.bounded_gather import bounded_gather, with_deadline
from assay.verification.title_matching import is_struck

CROSSREF_AT_ONCE, REGISTRY_AT_ONCE = 5, 8  # Crossref serves no more to one client

type RetractionCheck = Literal["clear", "retracted", "flagged", "unchecked"]
type RetractionReason = Literal["lookup_error", "not_in_crossref", "not_a_doi", "resolver_unavailable"]


class Integrity(NamedTuple):
    """What Crossref records against a work. `unchecked` is never `clear`; `reason` says why it is unchecked."""

    check: RetractionCheck
    reason: RetractionReason | None = None
    status: RetractionStatus | None = None


UNANSWERED = Integrity("unchecked", "lookup_error")
NO_DOI = Integrity("unchecked", "not_a_doi")


def integrity(status: RetractionStatus | None, title: str = "") -> Integrity:
    """What Crossref's record says; a title that says RETRACTED is a flag, also where no notice is recorded."""
    if status is not None:
        return Integrity("retracted" if status.retracted else "flagged", None, status)
    return Integrity("flagged" if is_struck(title) else "clear")


@dataclass
class Record:
    """A DOI as the registries know it. `exists` None: nobody could say, which is not "no"."""

    doi: str
    exists: bool | None = None
    paper: Paper | None = None
    integrity: Integrity = UNANSWERED
    target: str | None = None  # where the DOI is registered to lead
    searched: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # how each piece of evidence was obtained


async def record(ctx: Context, doi: str, *, with_target: bool = False) -> Record:
    """What Crossref and OpenAlex say of the very work of this DOI, and the registry of all DOIs where neither knows it.

    A near neighbour is never taken for it. Never raises for an upstream in trouble: that is in the notes.
    """
    found = Record(doi)
    looks = [_by_crossref(ctx, found), _by_openalex(ctx, found)]
    if with_target:
        looks.append(_by_registry(ctx, found))
    await asyncio.gather(*looks)
    if found.exists is None and not with_target:
        await _by_registry(ctx, found)
    if found.exists is None:
        await _by_prefix(ctx, found)
    return found


async def records(
    ctx: Context, dois: Iterable[str], *, seconds: float = 3600.0, at_once: int = CROSSREF_AT_ONCE
) -> dict[str, Record]:
    """The same for many DOIs: most in a few questions, the rest one by one, a polite number at a time.

    Who is not done in `seconds` is left as unknown.
    """
    until = asyncio.get_running_loop().time() + seconds
    found = {doi: Record(doi) for doi in dict.fromkeys(dois)}
    if len(found) > 1:
        await _together(ctx, found, seconds / 2)
    rest = [doi for doi, each in found.items() if each.exists is None]
    slots = asyncio.Semaphore(at_once)

    async def one(doi: str) -> None:
        async with slots:
            await _by_crossref(ctx, found[doi])
        if found[doi].exists is None:
            await _by_registry(ctx, found[doi])
        if found[doi].exists is None:
            await _by_prefix(ctx, found[doi])

    left = until - asyncio.get_running_loop().time()
    at_once += REGISTRY_AT_ONCE
    await bounded_gather(rest, one, at_once=at_once, seconds=left, ctx=ctx, step="Looked up a record")
    await _others(ctx, [found[doi] for doi in rest if found[doi].exists and found[doi].paper is None])
    return found


async def _together(ctx: Context, found: Mapping[str, Record], seconds: float) -> None:
    """Crossref's records of all that it knows; what goes wrong here is asked again one by one."""
    crossref = _crossref(ctx)
    try:
        async with asyncio.timeout(seconds):
            known = await crossref.readable(crossref.known(found))
    except (ToolError, TimeoutError):
        return
    for doi, paper in known.items():
        _take(found[doi], paper, paper.retraction_status)


async def _others(ctx: Context, unknown: list[Record]) -> None:
    """The works of DOIs that others than Crossref registered, as far as OpenAlex has them."""
    from assay.providers.openalex import OpenAlex

    if not unknown or not OpenAlex.is_configured(ctx.services.settings):
        return
    openalex = OpenAlex(ctx.services.http, ctx.services.settings, clock=ctx.services.clock)
    try:
        papers = await openalex.readable(openalex.known_as([of_doi(each.doi) for each in unknown]))
    except ToolError as failure:
        for each in unknown:
            _note(each, "OpenAlex was asked for the record", failure)
        return
    by_doi = {paper.doi: paper for paper in papers}
    for each in unknown:
        each.searched.append("openalex")
        each.paper = by_doi.get(each.doi)


async def _by_crossref(ctx: Context, found: Record) -> None:
    crossref = _crossref(ctx)
    try:
        paper, status = await with_deadline(ctx, crossref.readable(crossref.find_registered(found.doi)))
    except NotFound:
        found.searched.append("crossref")
        found.integrity = Integrity("unchecked", "not_in_crossref")
        found.notes.append("Crossref has no work of this DOI.")
    except ToolError as failure:
        _note(found, "Crossref was asked for the work", failure)
    else:
        _take(found, paper, status)


def _take(found: Record, paper: Paper | None, status: RetractionStatus | None) -> None:
    found.searched.append("crossref")
    if paper and paper.doi is not None and paper.doi != found.doi:
        found.notes.append(f"Crossref answered with another work ({paper.doi}), which was not taken for this one.")
        return
    found.exists = True
    if paper:
        found.paper = _merge_papers(paper, found.paper)
    found.integrity = integrity(status, paper.title if paper else "")
    found.notes.append("Existence, title and integrity notices are of Crossref's record of this very DOI.")


async def _by_openalex(ctx: Context, found: Record) -> None:
    from assay.providers.openalex import OpenAlex

    if not OpenAlex.is_configured(ctx.services.settings):
        found.notes.append("OpenAlex was not asked: OPENALEX_EMAIL is not set.")
        return
    openalex = OpenAlex(ctx.services.http, ctx.services.settings, clock=ctx.services.clock)
    try:
        paper = await with_deadline(ctx, openalex.readable(openalex.work(of_doi(found.doi))))
    except NotFound:
        found.searched.append("openalex")
        found.notes.append("OpenAlex has no work of this DOI.")
        return
    except ToolError as failure:
        _note(found, "OpenAlex was asked for the work", failure)
        return
    found.searched.append("openalex")
    if paper.doi is not None and paper.doi != found.doi:
        found.notes.append(f"OpenAlex answered with another work ({paper.doi}), which was not taken for this one.")
        return
    found.exists, found.paper = True, _merge_papers(found.paper, paper) if found.paper else paper
    found.notes.append("OpenAlex has the record of this very DOI.")


async def _by_registry(ctx: Context, found: Record) -> None:
    registry = Doi(ctx.services.http, ctx.services.settings, clock=ctx.services.clock)
    try:
        found.target = await with_deadline(ctx, registry.readable(registry.target(found.doi)))
    except NotFound:
        found.searched.append("doi.org")
        found.notes.append("doi.org, the registry of all DOIs, knows no such DOI.")
        found.exists = found.exists or False
    except ToolError as failure:
        _note(found, "doi.org was asked whether the DOI is registered", failure)
    else:
        found.searched.append("doi.org")
        found.exists = True
        found.notes.append("doi.org says that the DOI is registered.")


async def _by_prefix(ctx: Context, found: Record) -> None:
    """Where the registry cannot be asked: that Crossref does not know a DOI of its own prefixes is an answer too."""
    if found.integrity.reason != "not_in_crossref":
        return
    crossref = _crossref(ctx)
    if await _holds(with_deadline(ctx, crossref.readable(crossref.owns(found.doi.partition("/")[0])))):
        found.exists = False
        found.notes.append("Crossref registers all DOIs of this prefix, and has none such.")


async def _holds(answer: Awaitable[bool]) -> bool:
    try:
        return await answer
    except ToolError:
        return False


def _merge_papers(one: Paper, other: Paper | None) -> Paper:
    """The first record, with what only the other one tells."""
    if other is None:
        return one
    missing = {name: value for name, value in other if getattr(one, name) is None and value is not None}
    return one.model_copy(update=missing)


def _note(found: Record, deed: str, failure: ToolError) -> None:
    found.notes.append(f"{deed}, without an answer: {failure.sentence()}")


def _crossref(ctx: Context) -> Crossref:
    return Crossref(ctx.services.http, ctx.services.settings, clock=ctx.services.clock)
