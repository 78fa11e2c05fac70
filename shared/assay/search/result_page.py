"""One page of results: fetched for every query variant, filtered, merged, and ready to be cached."""

import hashlib
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import NamedTuple

from assay.errors import ToolError
from assay.models.common import WebHit
from assay.provider_base.provider import FilteredWebQuery
from assay.provider_base.provider_lookup import find_provider
from assay.provider_base.provider_manifest import describe_provider
from assay.provider_base.results import Scored
from assay.search.fallback import SearchResult
from assay.search.lenses import Lens
from assay.search.result_filter import FilteredResults, ResultFilter, contains_all, filter_results
from assay.search.router import Router
from assay.state.concurrent_map import map_concurrently
from assay.state.json_documents import Document
from assay.text.query_operators import quote_phrase
from assay.text.stopwords import remove_stopwords
from assay.text.url_text import url_key

MAX_VARIANTS = 3  # of a deep search
RRF_K = 60  # the constant of reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009)
LACKING = "{} result(s) were left out because title and snippet lack requiredText; mode deep also reads their pages."
UNREAD = "{} result(s) were left out because their page could not be checked for requiredText."
MAX_PAGES_READ = 20  # web pages that are fetched to look for required phrases

type FetchTexts = Callable[[Sequence[str]], Awaitable[list[str | None]]]  # URLs to texts, None for a failed one


class QueryVariant(NamedTuple):
    """A provider and a wording of the query. Without a provider, the configured order with fail-over applies."""

    provider: str | None
    query: str


class PageFetcher:
    """Fetches the result pages of one filtered search."""

    def __init__(
        self, router: Router, criteria: ResultFilter, clock: Callable[[], float], fetch_texts: FetchTexts
    ) -> None:
        self._router, self._criteria, self._clock, self._fetch_texts = router, criteria, clock, fetch_texts
        self.fetched = 0  # pages that were not in the cache

    def query_variants(self) -> tuple[QueryVariant, ...]:
        """The variants of the first page: a deep search uses several providers, or one with several wordings."""
        query = self._criteria.query
        if self._criteria.mode != "deep":
            return (QueryVariant(None, query),)
        names = self._router.order("web")[:MAX_VARIANTS]
        if len(names) > 1:
            return tuple(QueryVariant(name, query) for name in names)
        wordings = [query, remove_stopwords(query)]
        return tuple(QueryVariant(names[0], wording) for wording in wordings if wording)

    def cache_key(self, page: int, variants: Sequence[QueryVariant]) -> str:
        digest = hashlib.sha256(repr((self._criteria, page, tuple(variants))).encode()).hexdigest()
        return f"stream/1/{digest}"

    async def fetch(self, page: int, variants: Sequence[QueryVariant]) -> Document:
        """The page as a document `{hits, met, voices, warnings, whole, routing}`.

        `met` has a digest of every result before filtering, `voices` the query variants that may have another page,
        `whole` is true if no variant failed. Raises the first failure if all variants fail.
        """
        self.fetched += 1
        outcomes = await map_concurrently(lambda variant: self._search(variant, page), variants)
        found = [
            (variant, outcome)
            for variant, outcome in zip(variants, outcomes, strict=True)
            if isinstance(outcome, SearchResult)
        ]
        failures = [outcome for outcome in outcomes if isinstance(outcome, ToolError)]
        if not found:
            raise failures[0]
        filtered = [
            filter_results(
                result.hits, self._criteria, self._clock(), include_undated=self._was_filtered_upstream(result)
            )
            for _, result in found
        ]
        merged, unchecked = await self._with_phrases(filtered)
        return {
            "hits": [_to_document(hit, scored=len(variants) == 1) for hit in merged],
            "met": sorted({_hash_url(hit.url) for _, result in found for hit in result.hits}),
            "voices": [
                list(QueryVariant(result.provider, variant.query))
                for variant, result in found
                if self._has_more(result, page)
            ],
            "warnings": _collect_warnings(found, failures, filtered, unchecked),
            "whole": not failures,
            "routing": found[0][1].meta(),
        }

    async def _search(self, variant: QueryVariant, page: int) -> SearchResult[WebHit] | ToolError:
        criteria = self._criteria
        query = " ".join([variant.query, *(quote_phrase(phrase) for phrase in criteria.phrases[1:])])
        web_query = FilteredWebQuery.model_construct(
            query=query,
            time_range=criteria.window,
            exact_terms=next(iter(criteria.phrases), None),
            unwanted=criteria.exclude,
            days=criteria.whole_days,
            page=page,
        )
        lens = Lens("includeDomains", domains=criteria.include) if criteria.include else None
        try:
            return await self._router.page(web_query, provider=variant.provider, lens=lens)
        except ToolError as failure:
            return failure

    def _was_filtered_upstream(self, found: SearchResult[WebHit]) -> bool:
        return self._criteria.is_applied_by(find_provider(found.provider))

    def _has_more(self, found: SearchResult[WebHit], page: int) -> bool:
        below_limit = page + 1 < describe_provider(found.provider).max_pages
        return self._criteria.mode != "fast" and below_limit and bool(found.hits) and found.more is not False

    async def _with_phrases(self, filtered: Sequence[FilteredResults]) -> tuple[list[WebHit], str]:
        """The merged results of all variants, and a warning of those that were not checked for the required phrases.

        A deep search fetches the pages of unsure results and adds those whose text contains the phrases.
        """
        lists: list[Sequence[WebHit]] = [each.good for each in filtered]
        unsure = {url_key(hit.url): hit for each in filtered for hit in each.unsure}
        if not unsure:
            return merge_ranked(lists), ""
        if self._criteria.mode != "deep":
            return merge_ranked(lists), LACKING.format(len(unsure))
        checked = list(unsure.values())[:MAX_PAGES_READ]
        texts = await self._fetch_texts([hit.url for hit in checked])
        confirmed = [
            hit for hit, text in zip(checked, texts, strict=True) if text and contains_all(text, self._criteria.phrases)
        ]
        unread = sum(text is None for text in texts) + len(unsure) - len(checked)
        return merge_ranked([*lists, confirmed]), UNREAD.format(unread) if unread else ""


def merge_ranked(lists: Sequence[Sequence[WebHit]]) -> list[WebHit]:
    """The hits of all lists without duplicates, ordered by reciprocal rank fusion."""
    if len(lists) == 1:
        return list({url_key(hit.url): hit for hit in reversed(lists[0])}.values())[::-1]
    weights: dict[str, float] = {}
    first: dict[str, WebHit] = {}
    for hits in lists:
        for rank, page in enumerate(dict.fromkeys(url_key(hit.url) for hit in hits)):
            weights[page] = weights.get(page, 0.0) + 1 / (RRF_K + rank)
        for hit in hits:
            first.setdefault(url_key(hit.url), hit)
    return sorted(first.values(), key=lambda hit: -weights[url_key(hit.url)])


def _hash_url(url: str) -> str:
    return hashlib.sha256(url_key(url).encode()).hexdigest()[:10]


def _to_document(hit: WebHit, *, scored: bool) -> Document:
    document = {"title": hit.title, "url": hit.url, "snippet": hit.snippet, "published": hit.published_at}
    return document | ({"score": hit.score} if scored and isinstance(hit, Scored) else {})


def _collect_warnings(
    found: Iterable[tuple[QueryVariant, SearchResult[WebHit]]],
    failures: Iterable[ToolError],
    filtered: Iterable[FilteredResults],
    unchecked: str,
) -> list[str]:
    warnings = [warning for _, result in found for warning in result.warnings]
    warnings += [f"{failure.provider or 'a provider'} failed ({failure.kind})." for failure in failures]
    if undated := sum(each.undated for each in filtered):
        warnings.append(f"{undated} result(s) were left out because their date is unknown.")
    return list(dict.fromkeys([*warnings, unchecked] if unchecked else warnings))
