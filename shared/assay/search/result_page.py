"""One round of a stream: the same page of every voice that is asked, merged, sifted, ready to be kept."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import NamedTuple

from assay.errors import ToolError
from assay.models.common import WebHit
from assay.provider_base import provider
from assay.provider_base.provider import FilteredWebQuery
from assay.provider_base.results import Scored
from assay.search.fallback import SearchResult
from assay.search.lenses import Lens
from assay.search.result_filter import FilteredResults, ResultFilter, contains_all, filter_results
from assay.search.router import Router
from assay.state.json_documents import Document
from assay.text.query_operators import quote_phrase
from assay.text.stopwords import without
from assay.text.url_text import same

VOICES = 3  # that a deep search asks
SMOOTH = 60  # reciprocal ranks: how little the first places stand out
READ = 20  # pages of a round that are read for their phrases

type Texts = Callable[[Sequence[str]], Awaitable[list[str | None]]]  # addresses to texts, None where none can be had


class QueryVariant(NamedTuple):
    """Whom to ask, and in which words. Nobody named: whoever answers first in the operator's order."""

    provider: str | None
    query: str


class PageFetcher:
    """Asks the voices of one wish, page by page."""

    def __init__(self, router: Router, wish: ResultFilter, clock: Callable[[], float], texts: Texts) -> None:
        self._router, self._wish, self._clock, self._texts = router, wish, clock, texts
        self.asked = 0  # rounds that were not kept

    def voices(self) -> tuple[QueryVariant, ...]:
        """Who is asked at first: for a deep search several engines, or one engine in several words."""
        query = self._wish.query
        if self._wish.mode != "deep":
            return (QueryVariant(None, query),)
        names = self._router.order("web")[:VOICES]
        if len(names) > 1:
            return tuple(QueryVariant(name, query) for name in names)
        forms = [query, without(query)]
        return tuple(QueryVariant(names[0], form) for form in forms if form)

    def name(self, page: int, voices: Sequence[QueryVariant]) -> str:
        digest = hashlib.sha256(repr((self._wish, page, tuple(voices))).encode()).hexdigest()
        return f"stream/1/{digest}"

    async def ask(self, page: int, voices: Sequence[QueryVariant]) -> Document:
        """`{hits, met, voices, warnings, whole, routing}`: `met` has a digest of every result before the sieve,
        `voices` are those that may have more, `whole` says that none failed. Raises the first failure where all fail.
        """
        self.asked += 1
        fates = await asyncio.gather(*(self._one(voice, page) for voice in voices))
        found = [(voice, fate) for voice, fate in zip(voices, fates, strict=True) if isinstance(fate, SearchResult)]
        failures = [fate for fate in fates if isinstance(fate, ToolError)]
        if not found:
            raise failures[0]
        sieved = [
            filter_results(fate.hits, self._wish, self._clock(), undated_too=self._was_filtered_upstream(fate))
            for _, fate in found
        ]
        kept, unread = await self._with_phrases(sieved)
        return {
            "hits": [_document(hit, scored=len(voices) == 1) for hit in kept],
            "met": sorted({_digest(hit.url) for _, fate in found for hit in fate.hits}),
            "voices": [
                list(QueryVariant(fate.provider, voice.query)) for voice, fate in found if self._has_more(fate, page)
            ],
            "warnings": _warnings(found, failures, sieved, unread),
            "whole": not failures,
            "routing": found[0][1].meta(),
        }

    async def _one(self, voice: QueryVariant, page: int) -> SearchResult[WebHit] | ToolError:
        wish = self._wish
        query = " ".join([voice.query, *(quote_phrase(phrase) for phrase in wish.phrases[1:])])
        question = FilteredWebQuery.model_construct(
            query=query,
            time_range=wish.window,
            exact_terms=next(iter(wish.phrases), None),
            unwanted=wish.exclude,
            days=wish.whole_days,
            page=page,
        )
        lens = Lens("includeDomains", domains=wish.include) if wish.include else None
        try:
            return await self._router.page(question, provider=voice.provider, lens=lens)
        except ToolError as failure:
            return failure

    def _was_filtered_upstream(self, found: SearchResult[WebHit]) -> bool:
        return self._wish.filtered_by(provider.find_provider(found.provider))

    def _has_more(self, found: SearchResult[WebHit], page: int) -> bool:
        deep = page + 1 < provider.find_provider(found.provider).max_pages
        return self._wish.mode != "fast" and deep and bool(found.hits) and found.more is not False

    async def _with_phrases(self, sieved: Sequence[FilteredResults]) -> tuple[list[WebHit], int]:
        """The results of all voices, merged; in a deep search those whose page has the phrases, too."""
        lists: list[Sequence[WebHit]] = [each.good for each in sieved]
        doubtful = {same(hit.url): hit for each in sieved for hit in each.unsure}
        if self._wish.mode != "deep" or not doubtful:
            return merge_ranked(lists), 0
        asked = list(doubtful.values())[:READ]
        texts = await self._texts([hit.url for hit in asked])
        proven = [
            hit for hit, text in zip(asked, texts, strict=True) if text and contains_all(text, self._wish.phrases)
        ]
        return merge_ranked([*lists, proven]), sum(text is None for text in texts) + len(doubtful) - len(asked)


def merge_ranked(lists: Sequence[Sequence[WebHit]]) -> list[WebHit]:
    """The hits of all lists, each once, by the sum of their reciprocal ranks."""
    if len(lists) == 1:
        return list({same(hit.url): hit for hit in reversed(lists[0])}.values())[::-1]
    weights: dict[str, float] = {}
    first: dict[str, WebHit] = {}
    for hits in lists:
        for rank, page in enumerate(dict.fromkeys(same(hit.url) for hit in hits)):
            weights[page] = weights.get(page, 0.0) + 1 / (SMOOTH + rank)
        for hit in hits:
            first.setdefault(same(hit.url), hit)
    return sorted(first.values(), key=lambda hit: -weights[same(hit.url)])


def _digest(url: str) -> str:
    return hashlib.sha256(same(url).encode()).hexdigest()[:10]


def _document(hit: WebHit, *, scored: bool) -> Document:
    told = {"title": hit.title, "url": hit.url, "snippet": hit.snippet, "published": hit.published_at}
    return told | ({"score": hit.score} if scored and isinstance(hit, Scored) else {})


def _warnings(
    found: Iterable[tuple[QueryVariant, SearchResult[WebHit]]],
    failures: Iterable[ToolError],
    sieved: Iterable[FilteredResults],
    unread: int,
) -> list[str]:
    told = [warning for _, fate in found for warning in fate.warnings]
    told += [f"{failure.provider or 'a provider'} could not be asked ({failure.kind})." for failure in failures]
    if undated := sum(each.undated for each in sieved):
        told.append(f"{undated} result(s) without a date were left out: nobody has said how old they are.")
    if unread:
        told.append(f"{unread} result(s) whose page could not be looked at for requiredText were left out.")
    return list(dict.fromkeys(told))
