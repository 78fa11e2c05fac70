"""What registries of open copies and of retractions know of works that were found elsewhere, said beside them."""

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

SECONDS = 5.0  # a search is not held up longer by what is only said beside its results
SIDE_BY_SIDE = 10  # questions to Unpaywall at a time


async def enrich_papers(
    router: Router,
    settings: Settings,
    papers: Sequence[Paper],
    *,
    whether_open: bool = False,
    integrity: bool = True,
    seconds: float = SECONDS,
) -> list[str]:
    """Add open PDFs and retractions to the papers, all side by side; the warnings of what could not be looked up.

    Nothing a provider said is replaced. `whether_open` looks up those, too, of which nobody said whether they are open.
    """
    for paper in papers:
        if paper.arxiv_id and not paper.pdf_url:
            add_facts(paper, "arxiv", pdf_url=Identifier("arxiv", paper.arxiv_id).pdf_url, open_access=True)
    both = await asyncio.gather(
        with_copies(router, settings, papers, whether_open=whether_open, seconds=seconds),
        with_integrity(router, papers if integrity else (), seconds=seconds),
    )
    return [warning for warnings in both for warning in warnings]


async def with_copies(
    router: Router, settings: Settings, papers: Sequence[Paper], *, whether_open: bool = False, seconds: float = SECONDS
) -> list[str]:
    """Add the best open PDF to those that have a DOI and none; nothing where Unpaywall is not configured."""
    wanting = [
        paper for paper in papers if paper.doi and (not paper.pdf_url or (whether_open and paper.open_access is None))
    ]
    if not Unpaywall.is_configured(settings):
        return []
    gate, lost = asyncio.Semaphore(SIDE_BY_SIDE), list[str]()

    async def look_up(paper: Paper) -> None:
        async with gate:
            copies = await _or_lost(call_provider(router, Unpaywall, _copies_of(paper.doi or "")), lost)
        if copies is not None:
            if copies.is_open and paper.open_access is False:
                paper.open_access = None  # a copy that is there outweighs one that was not known
            add_facts(paper, "unpaywall", pdf_url=copies.pdf_url, open_access=copies.is_open)

    await _in_time((look_up(paper) for paper in wanting), seconds, lost)
    return [f"Open copies of {len(lost)} work(s) could not be looked up at unpaywall ({lost[0]})."] if lost else []


async def with_integrity(router: Router, papers: Sequence[Paper], *, seconds: float = SECONDS) -> list[str]:
    """Add what Crossref records against the works; where it was not asked nothing is said, least of all "clean"."""
    unchecked = [paper for paper in papers if paper.doi and paper.source != "crossref"]
    dois = [paper.doi for paper in unchecked if paper.doi]
    if not dois:
        return []
    lost: list[str] = []

    async def look_up() -> None:
        statuses = await _or_lost(call_provider(router, Crossref, lambda crossref: crossref.integrity_of(dois)), lost)
        for paper in unchecked:
            if status := (statuses or {}).get(paper.doi or ""):
                add_facts(paper, "crossref", retraction_status=status)

    await _in_time([look_up()], seconds, lost)
    return (
        [f"Retractions could not be looked up at crossref ({lost[0]}); none shown does not mean none."] if lost else []
    )


def add_facts(paper: Paper, source: str, **facts: object) -> None:
    """Add those facts that are new to the paper, and who told them."""
    sources = dict(paper.fact_sources or {})
    for name, fact in facts.items():
        if fact is not None and getattr(paper, name) is None:
            setattr(paper, name, fact)
            sources[Paper.model_fields[name].alias or name] = source
    paper.fact_sources = sources or None


def _copies_of(doi: str) -> Callable[[Unpaywall], Awaitable[OpenCopies]]:
    return lambda unpaywall: unpaywall.copies(doi)


async def _or_lost[T](answer: Awaitable[T], lost: list[str]) -> T | None:
    """The answer; None where there is none, and why in `lost` unless the answer is that there is nothing."""
    try:
        return await answer
    except NotFound:
        return None
    except ToolError as failure:
        lost.append(failure.kind)
        return None


async def _in_time(work: Iterable[Awaitable[None]], seconds: float, lost: list[str]) -> None:
    """All of it side by side; what is not done after `seconds` is lost."""
    tasks = [asyncio.ensure_future(one) for one in work]
    if not tasks:
        return
    try:
        _, late = await asyncio.wait(tasks, timeout=seconds)
    finally:
        for task in tasks:
            task.cancel()
        done = await asyncio.gather(*tasks, return_exceptions=True)
    lost += ["network"] * len(late)
    for failure in done:
        if isinstance(failure, Exception):
            raise failure
