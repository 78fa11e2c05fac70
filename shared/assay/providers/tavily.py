"""Tavily. https://docs.tavily.com/documentation/api-reference/endpoint/search"""

from collections.abc import Mapping
from typing import Any, ClassVar

from assay.errors import InvalidInput, PaymentRequired, ToolError
from assay.models import CitedSource, GroundedAnswer, Input, Question, WebHit, WebQuery
from assay.net.http import Got
from assay.providers import NEWS_FIELDS, WEB_FIELDS, Hits, Provider, dug, kept, news_hit, rows, web_hit
from assay.queries import NewsHit, NewsQuery
from assay.text.dates import rfc3339
from assay.text.sanitise import sanitise

PLAN_LIMIT = {432, 433}  # the plan's and the pay-as-you-go limit


class Tavily(Provider):
    name = "tavily"
    address = "https://api.tavily.com"
    key_name = "TAVILY_API_KEY"
    characters = 400
    sites_limit = 300
    page_size = 20
    tells_days = True
    price = 8_000  # of a credit; a basic search takes one
    honours: ClassVar = {
        "web": WEB_FIELDS - {"safe", "language", "country"},
        "news": NEWS_FIELDS - {"safe", "language", "country", "sort_by"},
        "answer": frozenset(),
    }
    most: ClassVar = {"news": 20}

    def headers(self) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {self.key}"}

    def refusal(self, got: Got) -> ToolError | None:
        if got.status in PLAN_LIMIT:
            return PaymentRequired("tavily's plan is used up. Use another provider.", provider=self.name)
        return super().refusal(got)

    def billed(self, got: Got) -> int | None:
        used = dug(got.body, "usage", "credits")
        known = isinstance(used, int | float) and not isinstance(used, bool) and 0 <= used < 1_000
        return round(used * self.price) if known else None

    def vet(self, operation: str, query: Input) -> None:
        if operation == "answer" and isinstance(query, Question) and len(query.query) > self.characters:
            raise InvalidInput(f"tavily takes questions of up to {self.characters} characters.", field="query")

    async def web(self, ask: WebQuery) -> Hits[WebHit]:
        query, warnings = self.text(ask, native=("site",))
        answer = await self.post(
            "/search",
            {
                "query": query,
                "max_results": ask.num_results,
                "search_depth": "basic",
                "topic": "general",
                "time_range": None if self.since(ask) else ask.time_range,
                "start_date": self.since(ask),
                "include_domains": self.hosts(ask),
                "exclude_domains": list(getattr(ask, "unwanted", ())) or None,
            },
        )
        if not isinstance(answer["results"], list):
            raise TypeError("results are no list")
        return kept((self._hit(row) for row in rows(answer, "results")), self.name, warnings=warnings)

    async def news(self, ask: NewsQuery) -> Hits[NewsHit]:
        query, warnings = self.text(ask, native=("site",))
        answer = await self.post(
            "/search",
            {
                "query": query,
                "max_results": self.count("news", ask),
                "search_depth": "basic",
                "topic": "news",
                "time_range": self.window(ask, warnings),
                "include_domains": self.hosts(ask),
            },
        )
        if not isinstance(answer["results"], list):
            raise TypeError("results are no list")
        return kept((self._article(row) for row in rows(answer, "results")), self.name, warnings=warnings)

    async def answer(self, ask: Question) -> Hits[GroundedAnswer]:
        said = await self.post(
            "/search",
            {
                "query": ask.query,
                "search_depth": "basic",
                "topic": "general",
                "max_results": 5,
                "include_answer": "advanced",
                "include_usage": True,
            },
            seconds=3 * self.seconds,
        )
        found = said["results"]
        if not isinstance(found, list) or not isinstance(said.get("answer") or "", str):
            raise TypeError("the answer is no text, or its results are no list")
        cited = [
            CitedSource(title=hit.title, url=hit.url, published_date=hit.published_at)
            for hit in map(self._hit, rows(said, "results"))
            if hit
        ]
        return Hits([GroundedAnswer(answer=sanitise(said.get("answer") or "").strip(), citations=cited)])

    def _article(self, row: Mapping[str, Any]) -> NewsHit | None:
        date = rfc3339(row.get("published_date"), self.clock())
        return news_hit(row.get("title"), row.get("url"), row.get("content"), published_at=date)

    def _hit(self, row: Mapping[str, Any]) -> WebHit | None:
        date = rfc3339(row.get("published_date"), self.clock())
        return web_hit(row.get("title"), row.get("url"), row.get("content"), published_at=date)
