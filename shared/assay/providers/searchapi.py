"""SearchApi, Google's results by API. https://www.searchapi.io/docs/google"""

from collections.abc import Mapping
from typing import Any, ClassVar

from assay.models import WebHit, WebQuery
from assay.providers import WEB_FIELDS, Hits, Provider, kept, rows, web_hit
from assay.text.dates import rfc3339

AGE = {"day": "last_day", "week": "last_week", "month": "last_month", "year": "last_year"}


class SearchApi(Provider):
    name = "searchapi"
    address = "https://www.searchapi.io/api/v1"
    key_name = "SEARCHAPI_API_KEY"
    price = 4_000
    honours: ClassVar = {"web": WEB_FIELDS}

    def headers(self) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {self.key}"}  # as good as in the address, and in nobody's log

    async def web(self, ask: WebQuery) -> Hits[WebHit]:
        query, warnings = self.text(ask)
        answer = await self.get(
            "/search",
            engine="google",
            q=query,
            gl=ask.country.lower() if ask.country else None,
            hl=ask.language.lower() if ask.language else None,
            safe="off" if ask.safe == "off" else "active",
            time_period=AGE.get(ask.time_range or ""),
        )
        if not {"organic_results", "search_metadata", "search_parameters"} & set(answer):
            raise TypeError("this is no answer to a search")
        return kept((self._hit(row) for row in rows(answer, "organic_results")), self.name, warnings=warnings)

    def _hit(self, row: Mapping[str, Any]) -> WebHit | None:
        date = rfc3339(row.get("date"), self.clock())
        return web_hit(row.get("title"), row.get("link"), row.get("snippet"), published_at=date)
