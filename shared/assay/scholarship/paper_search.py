"""Search for works: in the scholarly indexes in order, then on the web if none of them has a result."""

from collections.abc import Iterable
from dataclasses import replace

from assay.errors import ConfigError, ToolError
from assay.models.papers import Paper, PaperQuery
from assay.provider_base.provider import Provider
from assay.provider_base.provider_lookup import find_provider
from assay.provider_base.results import Hits
from assay.scholarship import deduplication, enrichment, publishers
from assay.scholarship.provider_call import call_provider, offers
from assay.scholarship.web_papers import is_in_years, search_web
from assay.search.fallback import SearchResult
from assay.search.router import Router
from assay.settings import Settings
from assay.state.concurrent_map import map_concurrently

OVERFETCH = 25  # works requested from a provider that lacks a filter, to filter here
TEST_PREFIX = "10.5555/"  # Crossref's prefix for test DOIs
MAX_SUPPLEMENTS = 2  # further providers that are queried when few works were found


class Library:
    """Searches the scholarly indexes as one: in order, with the same filters, deduplicated and enriched."""

    def __init__(self, router: Router, settings: Settings) -> None:
        self._router, self._settings = router, settings
        self.totals: dict[str, int | None] = {}  # number of matches that each provider reports

    async def search(
        self, query: PaperQuery, *, provider: str | None = None, pdf_only: bool = False
    ) -> SearchResult[Paper]:
        """At most `num_results` works. Raises the most actionable error if every provider fails."""
        if provider and not offers(provider, "academic") and offers(provider, "web"):
            return await search_web(self._router, self._settings, query, provider=provider, pdf_only=pdf_only)

        async def fetch(source: Provider, query: PaperQuery) -> Hits[Paper]:
            await source.wait_for_slot()
            return await self._search_provider(source, query, pdf_only=pdf_only)

        try:
            found: SearchResult[Paper] = await self._router.run_with("academic", query, fetch, provider=provider)
        except ConfigError:
            raise
        except ToolError as failure:
            if provider:
                raise
            return await self._search_web(query, failure, pdf_only=pdf_only)
        if provider:
            return found
        if not found.hits:
            return await self._search_web(query, found, pdf_only=pdf_only)
        return await self._add_supplements(found, query, pdf_only=pdf_only)

    async def _search_provider(self, source: Provider, query: PaperQuery, *, pdf_only: bool) -> Hits[Paper]:
        """The works that one provider finds. Filters and sorting that it lacks are applied here, with a warning."""
        query_text = _build_query(source, query, pdf_only=pdf_only)
        hits: Hits[Paper] = await source.ask("academic", query_text)
        for paper in hits if query_text.open_access else ():
            if paper.open_access is None:
                paper.open_access = True  # the provider filtered by it
        self.totals[source.name] = hits.total
        papers = deduplication.merge_papers(_filter_matching(source, hits, query))
        warnings = [*hits.warnings, *_filter_warnings(source, query)]
        warnings += await enrichment.enrich_papers(self._router, self._settings, papers, check_open=query.open_access)
        good = [paper for paper in papers if paper.open_access or not query.open_access]
        good = [paper for paper in good if paper.pdf_url or not pdf_only]
        if excluded := len(papers) - len(good):
            warnings.append(f"{excluded} work(s) without a known open {'PDF' if pdf_only else 'copy'} were left out.")
        deduplication.flag_low_confidence(good)
        sorted_papers = deduplication.sort_papers(good, newest_first=query.sort_by == "date")
        return Hits(sorted_papers[: query.num_results], warnings=warnings, more=hits.more, total=hits.total)

    async def _add_supplements(
        self, found: SearchResult[Paper], query: PaperQuery, *, pdf_only: bool
    ) -> SearchResult[Paper]:
        """Few results, supplemented from other configured providers, without duplicates."""
        if len(found.hits) > self._settings.search_thin_threshold or len(found.hits) >= query.num_results:
            return found
        others = await self._router.others("academic", found.attempted)
        supplements = [name for name in others if self._is_set_up(name)][:MAX_SUPPLEMENTS]
        answers = await map_concurrently(
            lambda name: self._search_supplement(name, query, pdf_only=pdf_only), supplements
        )
        merged = deduplication.merge_papers([*found.hits, *(paper for hits in answers for paper in hits)])
        sorted_papers = deduplication.sort_papers(merged, newest_first=query.sort_by == "date")
        return replace(
            found,
            hits=sorted_papers[: query.num_results],
            attempted=[*found.attempted, *supplements],
            warnings=[*found.warnings, *(warning for hits in answers for warning in hits.warnings)],
        )

    async def _search_supplement(self, name: str, query: PaperQuery, *, pdf_only: bool) -> Hits[Paper]:
        """The works that a further provider finds; if it fails, no works and a warning."""
        try:
            return await call_provider(
                self._router,
                find_provider(name),
                lambda source: self._search_provider(source, query, pdf_only=pdf_only),
            )
        except ToolError as failure:
            return Hits(warnings=[f"{name} failed ({failure.kind})."])

    def _is_set_up(self, name: str) -> bool:
        """Whether the operator set a key or an e-mail address for it. Anonymous quotas are not spent on supplements."""
        kind = find_provider(name)
        return not kind.price and bool(kind.required_setting(self._settings) or self._router.source(name).key)

    async def _search_web(
        self, query: PaperQuery, so_far: SearchResult[Paper] | ToolError, *, pdf_only: bool
    ) -> SearchResult[Paper]:
        """The result of a web search, after the indexes returned nothing or failed; else the earlier outcome.

        After an empty answer one web provider is queried, if SEARCH_SECOND_OPINION allows one.
        """
        web_provider = None
        try:
            if isinstance(so_far, SearchResult):
                web_provider = next(iter(self._router.second_opinions("web")), None)
                if web_provider is None:
                    return so_far
            found = await search_web(
                self._router,
                self._settings,
                query,
                provider=web_provider,
                pdf_only=pdf_only,
                single_pass=web_provider is not None,
            )
        except ToolError as failure:
            if isinstance(so_far, ToolError):
                raise so_far from failure
            warning = f"The web search failed ({failure.kind})."
            return replace(so_far, warnings=[*so_far.warnings, warning])
        if isinstance(so_far, ToolError):
            if not found.hits:
                raise so_far
            name = so_far.provider or "a scholarly index"
            notice = f"No scholarly index is available ({name}: {so_far.kind}); these are web results."
            return replace(found, fallback=True, warnings=[notice, *found.warnings])
        attempted = [*so_far.attempted, *found.attempted]
        if not found.hits:
            return replace(so_far, attempted=attempted, warnings=[*so_far.warnings, *found.warnings])
        notice = "No scholarly index has a match; these are web results."
        return replace(found, fallback=True, attempted=attempted, warnings=[notice, *so_far.warnings, *found.warnings])


def _build_query(source: Provider, query: PaperQuery, *, pdf_only: bool) -> PaperQuery:
    """The query with the filters that the provider supports, and more results if others are applied here."""
    supported = source.supported_filters["academic"]
    wants_open = query.open_access or pdf_only
    filters_here = (
        wants_open or not _has_origin(source, query.source) or (query.sort_by == "date" and "sort_by" not in supported)
    )
    return query.model_copy(
        update={
            "source": query.source if query.source in source.origins else "all",
            "open_access": wants_open and "open_access" in supported,
            "sort_by": query.sort_by if "sort_by" in supported else "relevance",
            "num_results": OVERFETCH if filters_here else query.num_results,
        }
    )


def _filter_matching(source: Provider, papers: Iterable[Paper], query: PaperQuery) -> list[Paper]:
    """The works that match the filters; providers may apply them loosely."""
    real = [paper for paper in papers if not (paper.doi or "").startswith(TEST_PREFIX) and is_in_years(paper, query)]
    return (
        real
        if _has_origin(source, query.source)
        else [paper for paper in real if publishers.is_from(paper, query.source)]
    )


def _has_origin(source: Provider, origin: str) -> bool:
    return origin == "all" or origin in source.origins


def _filter_warnings(source: Provider, query: PaperQuery) -> list[str]:
    """A warning for each filter that the provider lacks, with what was done instead."""
    supported, warnings = source.supported_filters["academic"], []
    if not _has_origin(source, query.source):
        warnings.append(
            f"{source.name} cannot filter by source {query.source}; its {OVERFETCH} best results were filtered."
        )
    if query.sort_by == "date" and "sort_by" not in supported:
        warnings.append(f"{source.name} cannot sort by date; its most relevant results were sorted by date afterwards.")
    if query.open_access and "open_access" not in supported:
        warnings.append(f"{source.name} cannot filter by open access; its {OVERFETCH} best results were filtered.")
    return warnings
