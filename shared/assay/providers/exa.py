"""Exa: neural web search, answers with citations, and structured results.

Documentation: https://docs.exa.ai/reference/search and https://docs.exa.ai/reference/answer
Authentication: EXA_API_KEY in the header x-api-key.
Limits: one phrase of up to five words in each text filter, 1,000 hosts. Prices:
https://exa.ai/docs/admin/pricing; more than ten results cost more.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar

from assay.bibliography.identifiers import identify_url
from assay.bibliography.person_names import split_names
from assay.errors import InvalidInput
from assay.models.common import (
    CitedSource,
    GroundedAnswer,
    Input,
    Question,
    StructuredItem,
    StructuredQuery,
    WebHit,
    WebQuery,
)
from assay.models.papers import Paper, PaperQuery
from assay.models.search_queries import NewsHit, NewsQuery
from assay.net.provider_client import ProviderResponse
from assay.provider_base.parsing.flat_schema import find_fault, read
from assay.provider_base.provider import NEWS_FIELDS, PAGE_OPERATORS, PAPER_FIELDS, SECONDS, WEB_FIELDS, Provider
from assay.provider_base.results import (
    Hits,
    build_news_hit,
    build_paper,
    build_web_hit,
    get_path,
    get_rows,
    require_rows,
    usable_results,
)
from assay.state import budget
from assay.text.dates import rfc3339
from assay.text.plain_text import to_plain_text
from assay.text.query_operators import split_phrases
from assay.text.sanitize import sanitise
from assay.text.timestamps import format_utc
from assay.text.url_text import parse_http_url

CATEGORIES = (
    "company", "people", "research paper", "news", "pdf", "github", "financial report", "personal site"
)  # fmt: skip
HOSTS = {
    "arxiv": "arxiv.org",
    "pubmed": "pubmed.ncbi.nlm.nih.gov",
    "ieee": "ieeexplore.ieee.org",
    "nature": "nature.com",
    "springer": "link.springer.com",
}
TEXT_WORDS = 5  # of the one phrase that a text filter accepts
SUMMARY = 1_000  # micro-dollars of each result's summary


class Exa(Provider):
    name = "exa"
    address = "https://api.exa.ai"
    key_name = "EXA_API_KEY"
    sites_limit = 1_000
    supports_max_age = True
    min_time_range = "hour"
    origins = frozenset(HOSTS)
    max_results: ClassVar = {"news": 10, "academic": 10}  # more cost more
    price = 7_000
    prices: ClassVar = {"answer": 5_000, "structured": 12_000, "contents": 1_000}  # structured: with five results
    supported_filters: ClassVar = {
        "web": WEB_FIELDS - {"language"},
        "news": NEWS_FIELDS - {"language", "sort_by"},
        "academic": PAPER_FIELDS - {"open_access", "sort_by"},
        "answer": frozenset(),
        "structured": frozenset({"category", "num_results", "schema"}),
    }

    def headers(self) -> Mapping[str, str]:
        return {"x-api-key": self.key}

    def actual_cost(self, response: ProviderResponse) -> int | None:
        return budget.to_micro_dollars(get_path(response.body, "costDollars", "total"))

    def validate(self, operation: str, query: Input) -> None:
        if operation != "structured" or not isinstance(query, StructuredQuery):
            return
        if query.category and query.category.lower() not in CATEGORIES:
            raise InvalidInput(
                f"exa does not support this category; use one of {', '.join(CATEGORIES)}.", field="category"
            )
        if query.fields_schema is not None and (wrong := find_fault(query.fields_schema)):
            raise InvalidInput(f"exa does not support this schema: {wrong}.", field="schema")

    async def web(self, query: WebQuery) -> Hits[WebHit]:
        query_text, warnings = self.build_query(query, native=("site", "exact_terms", "exclude_terms", *PAGE_OPERATORS))
        found = await self._search_rows(
            query,
            query=query_text,
            numResults=query.num_results,
            includeText=_build_text_filter("exact_terms", [query.exact_terms] if query.exact_terms else [], warnings),
            excludeText=_build_text_filter("exclude_terms", split_phrases(query.exclude_terms), warnings),
            endPublishedDate=getattr(query, "before", None),
        )
        return usable_results((self._parse_hit(row) for row in found), self.name, warnings=warnings)

    async def news(self, query: NewsQuery) -> Hits[NewsHit]:
        query_text, warnings = self.build_query(query, native=("site",))
        found = await self._search_rows(query, query=query_text, numResults=self.count("news", query), category="news")
        return usable_results((self._parse_article(row) for row in found), self.name, warnings=warnings)

    async def _search_rows(self, query: WebQuery | NewsQuery, /, **fields: Any) -> list[Mapping[str, Any]]:
        answer = await self.post(
            "/search",
            fields
            | {
                "type": "auto",
                "includeDomains": self.hosts(query),
                "excludeDomains": list(getattr(query, "unwanted", ())) or None,
                "startPublishedDate": getattr(query, "after", None)
                or self.since(query)
                or self._format_since(query.time_range),
                "userLocation": query.country.upper() if query.country else None,
                "moderation": None if query.safe in (None, "off") else True,
                "contents": {"highlights": True},
            },
        )
        return require_rows(answer, "results")

    async def academic(self, query: PaperQuery) -> Hits[Paper]:
        answer = await self.post(
            "/search",
            {
                "query": query.query,
                "type": "auto",
                "numResults": self.count("academic", query),
                "category": "research paper",
                "includeDomains": [HOSTS[query.source]] if query.source in HOSTS else None,
                "startPublishedDate": f"{query.year_from}-01-01T00:00:00.000Z" if query.year_from else None,
                "endPublishedDate": f"{query.year_to}-12-31T23:59:59.999Z" if query.year_to else None,
                "contents": {"highlights": True},
            },
        )
        return usable_results(map(self._parse_paper, require_rows(answer, "results")), self.name)

    async def answer(self, query: Question) -> Hits[GroundedAnswer]:
        price, seconds = self.prices["answer"], 3 * self.seconds
        response = await self.post("/answer", {"query": query.query}, price=price, seconds=seconds)
        if not isinstance(response["answer"], str):
            raise TypeError("answer is not a string")
        cited = [self._to_cited_source(row) for row in get_rows(response, "citations")]
        return Hits(
            [GroundedAnswer(answer=sanitise(response["answer"]).strip(), citations=[one for one in cited if one])]
        )

    async def structured(self, query: StructuredQuery) -> Hits[StructuredItem]:
        answer = await self.post(
            "/search",
            {
                "query": query.query,
                "type": "auto",
                "numResults": query.num_results,
                "category": query.category.lower() if query.category else None,
                "contents": {
                    "highlights": True,
                    "summary": {"schema": query.fields_schema} if query.fields_schema else True,
                },
            },
            price=self.price + query.num_results * SUMMARY,
            seconds=3 * self.seconds,
        )
        items = [self._parse_item(row) for row in require_rows(answer, "results")]
        good = [item for item in items if item]
        unusable = len(items) - len(good)
        return Hits(
            good, warnings=[f"exa: {unusable} result(s) without a usable address were left out."] if unusable else ()
        )

    def _to_cited_source(self, row: Mapping[str, Any]) -> CitedSource | None:
        at = parse_http_url(row.get("url"))
        if at is None:
            return None
        date = rfc3339(row.get("publishedDate"), self.clock())
        return CitedSource(title=to_plain_text(row.get("title"), 300) or None, url=at.href, published_date=date)

    def _parse_paper(self, row: Mapping[str, Any]) -> Paper | None:
        at, author = row.get("url"), row.get("author")
        identifier = identify_url(at) if isinstance(at, str) else None
        date = rfc3339(row.get("publishedDate"), self.clock())
        return build_paper(
            row.get("title"),
            at,
            self.name,
            doi=identifier.value if identifier and identifier.kind == "doi" else None,
            authors=list(split_names(author)) if isinstance(author, str) else [],
            year=date[:4] if date else None,
            publication_date=date[:10] if date else None,
            abstract=next(iter(_parse_highlights(row)), None),
            arxiv_id=identifier.value if identifier and identifier.kind == "arxiv" else None,
        )

    def _parse_item(self, row: Mapping[str, Any]) -> StructuredItem | None:
        cited = self._to_cited_source(row)
        if cited is None:
            return None
        return StructuredItem(
            title=cited.title,
            url=cited.url,
            published_date=cited.published_date,
            author=to_plain_text(row.get("author"), 300) or None,
            summary=read(row.get("summary")),
            highlights=_parse_highlights(row) or None,
            entities=read(row.get("entities")) or None,
        )

    def _format_since(self, time_range: str | None) -> str | None:
        if not time_range:
            return None
        since = datetime.fromtimestamp(self.clock() - SECONDS[time_range], UTC)
        return format_utc(since)

    def _parse_article(self, row: Mapping[str, Any]) -> NewsHit | None:
        hit = self._parse_hit(row)
        return build_news_hit(hit.title, hit.url, hit.snippet, published_at=hit.published_at) if hit else None

    def _parse_hit(self, row: Mapping[str, Any]) -> WebHit | None:
        highlights = _parse_highlights(row)
        return build_web_hit(
            row.get("title"),
            row.get("url"),
            highlights[0] if highlights else get_path(row, "summary"),
            published_at=rfc3339(row.get("publishedDate"), self.clock()),
            extra_snippets=highlights[1:] or None,
        )


def _build_text_filter(field: str, phrases: Sequence[str], warnings: list[str]) -> list[str] | None:
    """The first phrase of at most five words, the limit of a text filter; adds a warning about the others."""
    fitting = [phrase for phrase in phrases if len(phrase.split()) <= TEXT_WORDS][:1]
    if unused := [phrase for phrase in phrases if phrase not in fitting]:
        ignored = ", ".join(map(repr, unused))
        warnings.append(f"exa accepts one phrase of up to {TEXT_WORDS} words in {field}; ignored: {ignored}.")
    return fitting or None


def _parse_highlights(row: Mapping[str, Any]) -> list[str]:
    value = row.get("highlights")
    return [text for text in map(to_plain_text, value if isinstance(value, list) else []) if text]
