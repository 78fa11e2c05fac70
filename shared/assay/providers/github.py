"""GitHub's issues and pull requests. https://docs.github.com/en/rest/search/search#search-issues-and-pull-requests"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, ClassVar

from assay.errors import RateLimited, ToolError
from assay.models import Engagement, WebHit, WebQuery
from assay.net.http import WAIT_DEFAULT, Got, wait_told
from assay.net.retry import MOST
from assay.providers import WEB_FIELDS, Hits, Provider, counted, dug, kept, rows, web_hit
from assay.text.dates import rfc3339
from assay.text.plain import plain

SECONDS = {"day": 86_400, "week": 7 * 86_400, "month": 30 * 86_400, "year": 365 * 86_400}


class GitHub(Provider):
    name = "github"
    address = "https://api.github.com"
    characters = 256
    sites_limit = 0  # everything is on github.com
    honours: ClassVar = {"web": WEB_FIELDS - {"safe", "language", "country"}}

    def headers(self) -> Mapping[str, str]:
        token = self.settings.key("GITHUB_TOKEN")
        named = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
        return named | ({"Authorization": f"Bearer {token}"} if token else {})

    def refusal(self, got: Got) -> ToolError | None:
        """A used-up allowance is a 403 too, with the second of its renewal."""
        refused = super().refusal(got)
        used_up = got.headers.get("x-ratelimit-remaining") == "0" or isinstance(refused, RateLimited)
        if got.status != 403 or not used_up:
            return refused
        told = wait_told(got.headers, self.clock())
        reset = got.headers.get("x-ratelimit-reset", "")
        until = int(reset[:12]) - int(self.clock()) if reset.isascii() and reset.isdigit() else WAIT_DEFAULT
        wait = told or max(1, min(until, MOST))
        return RateLimited(
            f"github's allowance is used up. Wait {wait} seconds, or set GITHUB_TOKEN.",
            provider=self.name,
            retry_after=wait,
        )

    async def web(self, ask: WebQuery) -> Hits[WebHit]:
        query, warnings = self.text(ask, native=("site",))
        if ask.time_range:
            since = datetime.fromtimestamp(self.clock() - SECONDS[ask.time_range], UTC)
            query += f" created:>{since:%Y-%m-%d}"
        answer = await self.get("/search/issues", q=query, per_page=ask.num_results)
        if not isinstance(answer["items"], list):
            raise TypeError("items are no list")
        return kept((self._hit(row) for row in rows(answer, "items")), self.name, warnings=warnings)

    def _hit(self, row: Mapping[str, Any]) -> WebHit | None:
        return web_hit(
            row.get("title"),
            row.get("html_url"),
            plain(row.get("body"), 300),
            published_at=rfc3339(row.get("created_at"), self.clock()),
            engagement=Engagement(
                comment_count=counted(row.get("comments")), like_count=counted(dug(row, "reactions", "+1"))
            ),
        )
