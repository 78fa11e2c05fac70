"""Tavily. https://docs.tavily.com/documentation/api-reference/endpoint/search"""

from collections.abc import Mapping
from typing import Any, ClassVar

from assay.errors import PaymentRequired, ToolError
from assay.models import WebHit, WebQuery
from assay.net.http import Got
from assay.providers import WEB_FIELDS, Hits, Provider, kept, rows, web_hit
from assay.text.dates import rfc3339

PLAN_LIMIT = {432, 433}  # the plan's and the pay-as-you-go limit


class Tavily(Provider):
    name = "tavily"
    address = "https://api.tavily.com"
    key_name = "TAVILY_API_KEY"
    characters = 400
    sites_limit = 300
    honours: ClassVar = {"web": WEB_FIELDS - {"safe", "language", "country"}}

    def headers(self) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {self.key}"}

    def refusal(self, got: Got) -> ToolError | None:
        if got.status in PLAN_LIMIT:
            return PaymentRequired("tavily's plan is used up. Use another provider.", provider=self.name)
        return super().refusal(got)

    async def web(self, ask: WebQuery) -> Hits[WebHit]:
        query, warnings = self.text(ask, native=("site",))
        answer = await self.post(
            "/search",
            {
                "query": query,
                "max_results": ask.num_results,
                "search_depth": "basic",
                "topic": "general",
                "time_range": ask.time_range,
                "include_domains": self.hosts(ask),
            },
        )
        if not isinstance(answer["results"], list):
            raise TypeError("results are no list")
        return kept((self._hit(row) for row in rows(answer, "results")), self.name, warnings=warnings)

    def _hit(self, row: Mapping[str, Any]) -> WebHit | None:
        date = rfc3339(row.get("published_date"), self.clock())
        return web_hit(row.get("title"), row.get("url"), row.get("content"), published_at=date)
