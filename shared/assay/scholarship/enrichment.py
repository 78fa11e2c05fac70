"""Enrichment of found works: open-access copies from Unpaywall and retraction notices from Crossref."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence

from assay.bibliography.identifiers import Identifier
from assay.errors import NotFound, ToolError
from assay.models.papers import Paper
from assay.providers.crossref import Crossref
from assay.providers.unpaywall import OpenCopies, Unpaywall
from assay.scholarship.provider_call import call_provider
from assay.search.router import Router
from assay.settings import Settings
from assay.state.concurrent_map import Unfinished, map_until

SECONDS = 5.0  # enrichment is optional, so it delays a search by no more than this
MAX_CONCURRENT = 10  # requests to Unpaywall


async def enrich_papers(
    router: Router,
    settings: Settings,
    papers: Sequence[Paper],
    *,
    check_open: bool = False,
    integrity: bool = True,
    seconds: float = SECONDS,
) -> list[str]:
    """Add open PDFs and retraction notices to the papers in place; returns warnings about failed lookups.

    Existing values are not replaced. `check_open` also looks up papers whose open-access status is unknown.
    """
    for paper in papers:
        if paper.arxiv_id and not paper.pdf_url:
            add_facts(paper, "arxiv", pdf_url=Identifier("arxiv", paper.arxiv_id).pdf_url, open_access=True)
    both = await asyncio.gather(
        add_open_copies(router, settings, papers, check_open=check_open, seconds=seconds),
        add_retractions(router, papers if integrity else (), seconds=seconds),
    )
    return [warning for warnings in both for warning in warnings]


async def add_open_copies(
    router: Router, settings: Settings, papers: Sequence[Paper], *, check_open: bool = False, seconds: float = SECONDS
) -> list[str]:
    """Add the best open PDF to papers that have a DOI but no PDF. Does nothing if Unpaywall is not configured."""
    candidates = [
        paper for paper in papers if paper.doi and (not paper.pdf_url or (check_open and paper.open_access is None))
    ]
    if not Unpaywall.is_configured(settings):
        return []
    failures: list[str] = []

    async def look_up(paper: Paper) -> None:
        copies = await _collect_failure(
            call_provider(router, Unpaywall, _build_copies_query(paper.doi or "")), failures
        )
        if copies is not None:
            if copies.is_open and paper.open_access is False:
                paper.open_access = None  # an actual open copy outweighs the index, which did not list one
            add_facts(paper, "unpaywall", pdf_url=copies.pdf_url, open_access=copies.is_open)

    await _run_with_timeout(look_up, candidates, seconds, failures)
    return (
        [f"Open copies of {len(failures)} work(s) could not be looked up at unpaywall ({failures[0]})."]
        if failures
        else []
    )


async def add_retractions(router: Router, papers: Sequence[Paper], *, seconds: float = SECONDS) -> list[str]:
    """Add Crossref's retraction notices. A failed lookup is a warning: no notice does not mean that none exists."""
    unchecked = [paper for paper in papers if paper.doi and paper.source != "crossref"]
    dois = [paper.doi for paper in unchecked if paper.doi]
    if not dois:
        return []
    failures: list[str] = []

    async def look_up(dois: Sequence[str]) -> None:
        statuses = await _collect_failure(
            call_provider(router, Crossref, lambda crossref: crossref.integrity_of(dois)), failures
        )
        for paper in unchecked:
            if status := (statuses or {}).get(paper.doi or ""):
                add_facts(paper, "crossref", retraction_status=status)

    await _run_with_timeout(look_up, [dois], seconds, failures)
    return (
        [f"Retractions could not be looked up at crossref ({failures[0]}); works shown without one may have one."]
        if failures
        else []
    )


def add_facts(paper: Paper, source: str, **facts: object) -> None:
    """Set the fields that the paper lacks, and record `source` as their source."""
    sources = dict(paper.fact_sources or {})
    for name, fact in facts.items():
        if fact is not None and getattr(paper, name) is None:
            setattr(paper, name, fact)
            sources[Paper.model_fields[name].alias or name] = source
    paper.fact_sources = sources or None


def _build_copies_query(doi: str) -> Callable[[Unpaywall], Awaitable[OpenCopies]]:
    return lambda unpaywall: unpaywall.copies(doi)


async def _collect_failure[T](answer: Awaitable[T], failures: list[str]) -> T | None:
    """The answer, or None if it fails. The kind of error is added to `failures`, except NotFound."""
    try:
        return await answer
    except NotFound:
        return None
    except ToolError as failure:
        failures.append(failure.kind)
        return None


async def _run_with_timeout[Item](
    look_up: Callable[[Item], Awaitable[None]], items: Iterable[Item], seconds: float, failures: list[str]
) -> None:
    """Look up the items concurrently and cancel what is not done after `seconds`; that counts as a failure."""
    outcomes = await map_until(look_up, items, seconds=seconds, limit=MAX_CONCURRENT)
    failures += ["network" for outcome in outcomes if isinstance(outcome, Unfinished)]
