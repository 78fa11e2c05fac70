"""GitHub: search of issues and pull requests.

Documentation: https://docs.github.com/en/rest/search/search#search-issues-and-pull-requests
Authentication: optional, GITHUB_TOKEN as bearer token.
Limits: queries of 256 characters; a primary limit (X-RateLimit headers) and a secondary one for bursts, both with
status 403 or 429.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, ClassVar

from assay.errors import RateLimited, ToolError
from assay.models.common import Engagement, WebHit, WebQuery
from assay.models.search_queries import NewsHit, NewsQuery
from assay.net.provider_client import WAIT_DEFAULT, ProviderResponse, parse_retry_after
from assay.net.retry import MAX_WAIT, RetryPolicy
from assay.provider_base.provider import NEWS_FIELDS, PAGE_OPERATORS, SECONDS, WEB_FIELDS, Provider
from assay.provider_base.results import (
    Hits,
    as_count,
    build_web_hit,
    get_path,
    require_rows,
    to_news_hit,
    usable_results,
)
from assay.text.dates import rfc3339
from assay.text.plain_text import to_plain_text
from assay.text.query_operators import quote_phrase

OWNER = re.compile(r"([A-Za-z0-9-]{1,39})(?:/([\w.-]{1,100}))?(?:/|$)", re.ASCII)


class GitHub(Provider):
    name = "github"
    address = "https://api.github.com"
    credential_name = "GITHUB_TOKEN"
    max_query_chars = 256
    sites_limit = 0  # everything is on github.com
    own_hosts = ("github.com",)
    min_time_range = "hour"
    supported_filters: ClassVar = {
        "web": WEB_FIELDS - {"safe", "language", "country"},
        "news": NEWS_FIELDS - {"safe", "language", "country"},
    }

    def headers(self) -> Mapping[str, str]:
        token = self.settings.key(self.credential_name)
        headers = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
        return headers | ({"Authorization": f"Bearer {token}"} if token else {})

    def refusal(self, response: ProviderResponse) -> ToolError | None:
        """The primary rate limit is a 403 or 429; X-RateLimit-Reset has the Unix time of its reset."""
        refused = super().refusal(response)
        used_up = response.headers.get("x-ratelimit-remaining") == "0" or isinstance(refused, RateLimited)
        if response.status != 403 or not used_up:
            return refused
        retry_after = parse_retry_after(response.headers, self.clock())
        reset = response.headers.get("x-ratelimit-reset", "")
        until = int(reset[:12]) - int(self.clock()) if reset.isascii() and reset.isdigit() else WAIT_DEFAULT
        wait = retry_after or max(1, min(until, MAX_WAIT))
        return RateLimited(
            f"github: the rate limit is used up. Wait {wait} seconds, or set GITHUB_TOKEN.",
            provider=self.name,
            retry_after=wait,
        )

    async def web(self, query: WebQuery) -> Hits[WebHit]:
        return await self._search_issues(query)

    async def news(self, query: NewsQuery) -> Hits[NewsHit]:
        """Issues and pull requests opened in the time range."""
        found = await self._search_issues(
            query, **({"sort": "created", "order": "desc"} if query.sort_by == "date" else {})
        )
        return Hits(map(to_news_hit, found), warnings=found.warnings)

    async def _search_issues(self, query: WebQuery | NewsQuery, **sorting: str) -> Hits[WebHit]:
        query_text, warnings = self.build_query(query, native=("site", *PAGE_OPERATORS))
        query_text = f"{query_text} {self._build_scope(query)}".strip()
        if query.time_range:
            since = datetime.fromtimestamp(self.clock() - SECONDS[query.time_range], UTC)
            exact = "%Y-%m-%dT%H:%M:%SZ" if query.time_range == "hour" else "%Y-%m-%d"
            query_text += f" created:>{since.strftime(exact)}"
        answer = await self.get("/search/issues", q=query_text, per_page=query.num_results, **sorting)
        return usable_results(
            (self._parse_hit(row) for row in require_rows(answer, "items")), self.name, warnings=warnings
        )

    def _build_scope(self, query: WebQuery | NewsQuery) -> str:
        """A query part for a site: an owner or repository on GitHub, else a phrase search for the host."""
        host, path = self.site(query)
        if host and not self.is_own(host):
            return quote_phrase(host)
        owner = OWNER.match(path)
        if owner is None:
            return ""
        return f"repo:{owner[1]}/{owner[2]}" if owner[2] else f"user:{owner[1]}"

    async def search(self, kind: str, query: str, *, per_page: int, seconds: float) -> ProviderResponse:
        """GitHub's unmodified answer, with headers, to a search for repositories, code, issues or commits."""
        return await self.exchange(
            "GET",
            f"/search/{kind}",
            params={"q": query, "per_page": per_page},
            seconds=2 * seconds + 1,
            tries=RetryPolicy(2, each=seconds, late=True),
            redirects=5,
            refusal=self._search_refusal,
        )

    def _search_refusal(self, response: ProviderResponse) -> ToolError | None:
        """The error of the secondary rate limit, a 403 with Retry-After; else as `refusal`."""
        wait = parse_retry_after(response.headers, self.clock()) if response.status == 403 else None
        if wait is None:
            return self.refusal(response)
        return RateLimited(
            f"github: the secondary rate limit is exceeded. Wait {wait} seconds.", provider=self.name, retry_after=wait
        )

    def _parse_hit(self, row: Mapping[str, Any]) -> WebHit | None:
        return build_web_hit(
            row.get("title"),
            row.get("html_url"),
            to_plain_text(row.get("body"), 300),
            published_at=rfc3339(row.get("created_at"), self.clock()),
            engagement=Engagement(
                comment_count=as_count(row.get("comments")), like_count=as_count(get_path(row, "reactions", "+1"))
            ),
        )
