"""Hacker News, through its search by Algolia. https://hn.algolia.com/api"""

from collections.abc import Mapping
from typing import Any, ClassVar

from assay.models import Engagement, WebHit, WebQuery
from assay.providers import WEB_FIELDS, Hits, Provider, counted, dug, kept, rows, web_hit
from assay.text.dates import rfc3339
from assay.text.plain import plain
from assay.text.urls import place

SECONDS = {"day": 86_400, "week": 7 * 86_400, "month": 30 * 86_400, "year": 365 * 86_400}
ITEM = "https://news.ycombinator.com/item?id="


class HackerNews(Provider):
    name = "hackernews"
    address = "https://hn.algolia.com/api/v1"
    sites_limit = 0  # it cannot be asked for hosts, only be read with them in mind
    honours: ClassVar = {"web": WEB_FIELDS - {"language", "country", "safe"} | {"sort_by"}}

    async def web(self, ask: WebQuery) -> Hits[WebHit]:
        query, warnings = self.text(ask, native=("site",))
        site = ask.site or ""
        since = int(self.clock()) - SECONDS[ask.time_range] if ask.time_range else None
        answer = await self.get(
            "/search_by_date" if getattr(ask, "sort_by", None) == "date" else "/search",
            query=f"{query} {site}".strip(),
            tags="story",
            hitsPerPage=ask.num_results,
            page=0,
            numericFilters=f"created_at_i>{since}" if since else None,
            advancedSyntax="true" if ask.exact_terms or ask.exclude_terms else None,
        )
        if not isinstance(dug(answer, "hits"), list):
            raise TypeError("hits are no list")
        return kept((self._hit(row) for row in rows(answer, "hits")), self.name, warnings=warnings)

    def _hit(self, row: Mapping[str, Any]) -> WebHit | None:
        points, comments = counted(row.get("points")), counted(row.get("num_comments"))
        number = row.get("objectID")
        discussion = f"{ITEM}{number}" if isinstance(number, str) and number.isdigit() else None
        return web_hit(
            row.get("title"),
            row.get("url") if place(row.get("url")) else discussion,
            _snippet(row, points, comments),
            published_at=rfc3339(row.get("created_at_i") or row.get("created_at"), self.clock()),
            engagement=Engagement(points=points, comment_count=comments),
        )


def _snippet(row: Mapping[str, Any], points: int | None, comments: int | None) -> str:
    author = plain(row.get("author"), 40)
    parts = [f"{points or 0} pts", f"{comments or 0} comments", f"by {author}" if author else ""]
    return " · ".join(part for part in (*parts, plain(row.get("story_text"), 300)) if part)
