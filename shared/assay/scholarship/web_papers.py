"""Works from a web search that is restricted to the hosts of publishers, archives and indexes."""

from collections.abc import Iterable

from assay.bibliography.identifiers import identify_url
from assay.models.common import WebHit
from assay.models.papers import Paper, PaperQuery
from assay.provider_base.provider import FilteredWebQuery
from assay.provider_base.results import build_paper
from assay.scholarship import deduplication, enrichment, publishers
from assay.search.fallback import SearchResult
from assay.search.lenses import Lens
from assay.search.router import Router
from assay.settings import Settings

MAX_RESULTS = 10  # of a web search


async def search_web(
    router: Router,
    settings: Settings,
    query: PaperQuery,
    *,
    provider: str | None = None,
    pdf_only: bool = False,
    single_pass: bool = False,
) -> SearchResult[Paper]:
    """At most `num_results` works. A year is known only if the search provider reports a date."""
    is_filtered = bool(query.year_from or query.year_to or query.open_access or pdf_only)
    query_text = FilteredWebQuery.model_construct(
        query=query.query,
        num_results=MAX_RESULTS if is_filtered else min(query.num_results, MAX_RESULTS),
        after=f"{query.year_from - 1}-12-31" if query.year_from else None,
        before=f"{query.year_to + 1}-01-01" if query.year_to else None,
        filetype="pdf" if pdf_only else None,
    )
    lens = Lens("of scholarly sites", domains=publishers.list_hosts(query.source))
    found = await router.web(query_text, provider=provider, lens=lens, single_pass=single_pass)
    papers = deduplication.merge_papers(work for hit in found.hits if (work := _to_paper(hit, found.provider)))
    good = [one for one in papers if is_in_years(one, query)]
    warnings = [*found.warnings, *_warn_about_years(good, query)]
    warnings += await enrichment.enrich_papers(router, settings, good, check_open=query.open_access)
    if query.open_access or pdf_only:
        selected = [one for one in good if (one.pdf_url if pdf_only else one.open_access)]
        if excluded := len(good) - len(selected):
            warnings.append(f"{excluded} work(s) without a known open {'PDF' if pdf_only else 'copy'} were left out.")
        good = selected
    return SearchResult(
        hits=deduplication.sort_papers(good, newest_first=query.sort_by == "date")[: query.num_results],
        provider=found.provider,
        attempted=found.attempted,
        warnings=warnings,
        latency_ms=found.latency_ms,
        routed=found.routed,
        fallback=found.fallback,
        fallback_reason=found.fallback_reason,
    )


def is_in_years(work: Paper, query: PaperQuery) -> bool:
    """Whether the work's year is within the requested years, or unknown."""
    if work.year is None:
        return True
    return (query.year_from or work.year) <= work.year <= (query.year_to or work.year)


def _warn_about_years(papers: Iterable[Paper], query: PaperQuery) -> list[str]:
    unknown = sum(one.year is None for one in papers) if query.year_from or query.year_to else 0
    return [f"The year of {unknown} result(s) is unknown and was not checked."] if unknown else []


def _to_paper(hit: WebHit, provider: str) -> Paper | None:
    identifier = identify_url(hit.url)
    date = hit.published_at
    return build_paper(
        hit.title,
        hit.url,
        provider,
        doi=identifier.value if identifier and identifier.kind == "doi" else None,
        year=date[:4] if date else None,
        publication_date=date[:10] if date else None,
        abstract=hit.snippet,
        pdf_url=hit.url if hit.url.partition("?")[0].lower().endswith(".pdf") else None,
        arxiv_id=identifier.value if identifier and identifier.kind == "arxiv" else None,
        pmid=identifier.value if identifier and identifier.kind == "pmid" else None,
        pmcid=identifier.value if identifier and identifier.kind == "pmcid" else None,
    )
