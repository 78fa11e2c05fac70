"""Exa. https://docs.exa.ai/reference/search"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, ClassVar

from assay.models import WebHit, WebQuery
from assay.providers import WEB_FIELDS, Hits, Provider, dug, kept, rows, web_hit
from assay.text.dates import rfc3339
from assay.text.plain import plain

SECONDS = {"day": 86_400, "week": 7 * 86_400, "month": 30 * 86_400, "year": 365 * 86_400}


class Exa(Provider):
    name = "exa"
    address = "https://api.exa.ai"
    key_name = "EXA_API_KEY"
    sites_limit = 1_000
    honours: ClassVar = {"web": WEB_FIELDS - {"language"}}

    def headers(self) -> Mapping[str, str]:
        return {"x-api-key": self.key}

    async def web(self, ask: WebQuery) -> Hits[WebHit]:
        query, warnings = self.text(ask, native=("site",))
        answer = await self.post(
            "/search",
            {
                "query": query,
                "type": "auto",
                "numResults": ask.num_results,
                "includeDomains": self.hosts(ask),
                "startPublishedDate": self._since(ask.time_range),
                "userLocation": ask.country.upper() if ask.country else None,
                "moderation": None if ask.safe == "off" else True,
                "contents": {"highlights": True},
            },
        )
        if not isinstance(answer["results"], list):
            raise TypeError("results are no list")
        return kept((self._hit(row) for row in rows(answer, "results")), self.name, warnings=warnings)

    def _since(self, time_range: str | None) -> str | None:
        if not time_range:
            return None
        since = datetime.fromtimestamp(self.clock() - SECONDS[time_range], UTC)
        return since.strftime("%Y-%m-%dT%H:%M:%SZ")

    def _hit(self, row: Mapping[str, Any]) -> WebHit | None:
        given = row.get("highlights")
        highlights = [text for text in map(plain, given if isinstance(given, list) else []) if text]
        return web_hit(
            row.get("title"),
            row.get("url"),
            highlights[0] if highlights else dug(row, "summary"),
            published_at=rfc3339(row.get("publishedDate"), self.clock()),
            extra_snippets=highlights[1:] or None,
        )
