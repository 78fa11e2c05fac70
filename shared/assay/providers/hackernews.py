"""Hacker News: search of stories with the Algolia API.

Documentation: https://hn.algolia.com/api
Authentication: none. Limits: no filter by host.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from assay.models.common import Engagement, WebHit, WebQuery
from assay.models.search_queries import NewsHit, NewsQuery
from assay.provider_base.provider import NEWS_FIELDS, PAGE_OPERATORS, SECONDS, WEB_FIELDS, Provider
from assay.provider_base.results import Hits, as_count, build_web_hit, require_rows, to_news_hit, usable_results
from assay.text.dates import rfc3339
from assay.text.plain_text import to_plain_text
from assay.text.url_text import parse_http_url

ITEM = "https://news.ycombinator.com/item?id="


class HackerNews(Provider):
    name = "hackernews"
    address = "https://hn.algolia.com/api/v1"
    sites_limit = 0  # it has no filter by host
    min_time_range = "hour"
    supported_filters: ClassVar = {
        "web": WEB_FIELDS - {"language", "country", "safe"},
        "news": NEWS_FIELDS - {"language", "country", "safe"},
    }

    async def web(self, query: WebQuery) -> Hits[WebHit]:
        return await self._fetch_stories(query, "/search", query.site)

    async def news(self, query: NewsQuery) -> Hits[NewsHit]:
        found = await self._fetch_stories(
            query, "/search_by_date" if query.sort_by == "date" else "/search", query.news_source
        )
        return Hits(map(to_news_hit, found), warnings=found.warnings)

    async def _fetch_stories(self, query: WebQuery | NewsQuery, path: str, site: str | None) -> Hits[WebHit]:
        query_text, warnings = self.build_query(query, native=("site", *PAGE_OPERATORS))
        phrased = getattr(query, "exact_terms", None) or getattr(query, "exclude_terms", None)
        since = int(self.clock()) - SECONDS[query.time_range] if query.time_range else None
        answer = await self.get(
            path,
            query=f"{query_text} {site or ''}".strip(),
            tags="story",
            hitsPerPage=query.num_results,
            page=0,
            numericFilters=f"created_at_i>{since}" if since else None,
            advancedSyntax="true" if phrased else None,
        )
        return usable_results(
            (self._parse_hit(row) for row in require_rows(answer, "hits")), self.name, warnings=warnings
        )

    def _parse_hit(self, row: Mapping[str, Any]) -> WebHit | None:
        points, comments = as_count(row.get("points")), as_count(row.get("num_comments"))
        number = row.get("objectID")
        discussion = f"{ITEM}{number}" if isinstance(number, str) and number.isdigit() else None
        return build_web_hit(
            row.get("title"),
            row.get("url") if parse_http_url(row.get("url")) else discussion,
            _parse_snippet(row, points, comments),
            published_at=rfc3339(row.get("created_at_i") or row.get("created_at"), self.clock()),
            engagement=Engagement(points=points, comment_count=comments),
        )


def _parse_snippet(row: Mapping[str, Any], points: int | None, comments: int | None) -> str:
    author = to_plain_text(row.get("author"), 40)
    parts = [f"{points or 0} pts", f"{comments or 0} comments", f"by {author}" if author else ""]
    return " · ".join(part for part in (*parts, to_plain_text(row.get("story_text"), 300)) if part)
