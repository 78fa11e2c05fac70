"""Works from a web search that is restricted to the hosts of publishers, archives and indexes."""

from collections.abc import Iterable

from assay.bibliography.identifiers import in_address
from assay.models.common import WebHit
from assay.models.papers import Paper, PaperQuery
from assay.provider_base.provider import FilteredWebQuery
from assay.provider_base.results import paper
from assay.scholarship import deduplication, enrichment, publishers
from assay.search.fallback import SearchResult
from assay.search.lenses import Lens
from assay.search.router import Router
from assay.settings import Settings

MAX_RESULTS = 10  # of a web search


async def search_web(
    router: Router,
    settings: Settings,
    ask: PaperQuery,
    *,
    provider: str | None = None,
    pdf_only: bool = False,
    single_pass: bool = False,
) -> SearchResult[Paper]:
    """At most `num_results` works. A year is known only if the search provider reports a date."""
    is_filtered = bool(ask.year_from or ask.year_to or ask.open_access or pdf_only)
    query = FilteredWebQuery.model_construct(
        query=ask.query,
        num_results=MAX_RESULTS if is_filtered else min(ask.num_results, MAX_RESULTS),
        after=f"{ask.year_from - 1}-12-31" if ask.year_from else None,
        before=f"{ask.year_to + 1}-01-01" if ask.year_to else None,
        filetype="pdf" if pdf_only else None,
    )
    lens = Lens("of scholarly sites", domains=publishers.hosts(ask.source))
    found = await router.web(query, provider=provider, lens=lens, single_pass=single_pass)
    papers = deduplication.merge_papers(work for hit in found.hits if (work := _to_paper(hit, found.provider)))
    good = [one for one in papers if is_in_years(one, ask)]
    warnings = [*found.warnings, *_year_warnings(good, ask)]
    warnings += await enrichment.enrich_papers(router, settings, good, check_open=ask.open_access)
    if ask.open_access or pdf_only:
        shown = [one for one in good if (one.pdf_url if pdf_only else one.open_access)]
        if excluded := len(good) - len(shown):
            warnings.append(f"{excluded} work(s) without a known open {'PDF' if pdf_only else 'copy'} were left out.")
        good = shown
    return SearchResult(
        hits=deduplication.sort_papers(good, newest_first=ask.sort_by == "date")[: ask.num_results],
        provider=found.provider,
        attempted=found.attempted,
        warnings=warnings,
        latency_ms=found.latency_ms,
        routed=found.routed,
        fallback=found.fallback,
        fallback_reason=found.fallback_reason,
    )


def is_in_years(work: Paper, ask: PaperQuery) -> bool:
    """Whether the work's year is within the requested years, or unknown."""
    if work.year is None:
        return True
    return (ask.year_from or work.year) <= work.year <= (ask.year_to or work.year)


def _year_warnings(papers: Iterable[Paper], ask: PaperQuery) -> list[str]:
    unknown = sum(one.year is None for one in papers) if ask.year_from or ask.year_to else 0
    return [f"The year of {unknown} result(s) is unknown and was not checked."] if unknown else []


def _to_paper(hit: WebHit, provider: str) -> Paper | None:
    named = in_address(hit.url)
    date = hit.published_at
    return paper(
        hit.title,
        hit.url,
        provider,
        doi=named.value if named and named.kind == "doi" else None,
        year=date[:4] if date else None,
        publication_date=date[:10] if date else None,
        abstract=hit.snippet,
        pdf_url=hit.url if hit.url.partition("?")[0].lower().endswith(".pdf") else None,
        arxiv_id=named.value if named and named.kind == "arxiv" else None,
        pmid=named.value if named and named.kind == "pmid" else None,
        pmcid=named.value if named and named.kind == "pmcid" else None,
    )
