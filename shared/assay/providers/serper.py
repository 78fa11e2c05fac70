"""Serper, Google's results by API. https://serper.dev/"""

from collections.abc import Mapping
from typing import Any, ClassVar

from assay.models import WebHit, WebQuery
from assay.providers import WEB_FIELDS, Hits, Provider, kept, rows, web_hit
from assay.text.dates import rfc3339

AGE = {"day": "qdr:d", "week": "qdr:w", "month": "qdr:m", "year": "qdr:y"}


class Serper(Provider):
    name = "serper"
    address = "https://google.serper.dev"
    key_name = "SERPER_API_KEY"
    price = 1_000
    honours: ClassVar = {"web": WEB_FIELDS - {"safe"}}

    def headers(self) -> Mapping[str, str]:
        return {"X-API-KEY": self.key}

    async def web(self, ask: WebQuery) -> Hits[WebHit]:
        query, warnings = self.text(ask)
        answer = await self.post(
            "/search",
            {
                "q": query,
                "num": ask.num_results,
                "gl": ask.country.lower() if ask.country else None,
                "hl": ask.language.lower() if ask.language else None,
                "tbs": AGE.get(ask.time_range or ""),
            },
        )
        if not {"organic", "searchParameters"} & set(answer):
            raise TypeError("this is no answer to a search")
        return kept((self._hit(row) for row in rows(answer, "organic")), self.name, warnings=warnings)

    def _hit(self, row: Mapping[str, Any]) -> WebHit | None:
        date = rfc3339(row.get("date"), self.clock())
        return web_hit(row.get("title"), row.get("link"), row.get("snippet"), published_at=date)
