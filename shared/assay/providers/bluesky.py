"""Bluesky: public posts.

Documentation: https://docs.bsky.app/docs/api/app-bsky-feed-search-posts
Authentication: none. The public AppView refuses some networks with 403; api.bsky.app is tried then.
Limits: 100 posts a request. Sorted by relevance (`sort=top`).
"""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from assay.errors import Blocked
from assay.models.common import Engagement, WebHit, WebQuery
from assay.net.provider_client import ProviderClient
from assay.provider_base.provider import PAGE_OPERATORS, SECONDS, WEB_FIELDS, Provider
from assay.provider_base.results import Hits, as_count, build_web_hit, get_path, require_rows, usable_results
from assay.settings import Settings
from assay.text.dates import rfc3339
from assay.text.plain_text import to_plain_text
from assay.text.timestamps import format_utc

POST = re.compile(r"at://(did:[a-z]+:[A-Za-z0-9._:%-]{1,200})/app\.bsky\.feed\.post/([A-Za-z0-9._~-]{1,100})")
HANDLE = re.compile(r"[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})+")
DID = re.compile(r"did:[a-z]+:[A-Za-z0-9._:-]{1,200}")
FALLBACK = "https://api.bsky.app"
TITLE_CHARS = 100  # of a post, which has no title of its own


class Bluesky(Provider):
    name = "bluesky"
    address = "https://public.api.bsky.app"
    max_query_chars = 1_000
    sites_limit = 0  # posts are on bsky.app, whatever they link to
    own_hosts = ("bsky.app",)
    supported_filters: ClassVar = {"web": WEB_FIELDS - {"safe", "country"}}

    def __init__(self, http: ProviderClient, settings: Settings, **seams: Any) -> None:
        super().__init__(http, settings, **seams)
        self.fallback = FALLBACK if self.base_url == self.address else ""  # not with a configured base URL

    async def web(self, query: WebQuery) -> Hits[WebHit]:
        query_text, warnings = self.build_query(query, native=("site", *PAGE_OPERATORS))
        params = {
            "q": query_text,
            "limit": min(query.num_results, 100),
            "sort": "top",
            "since": self._format_since(query.time_range),
            "lang": query.language,
            **self._build_scope(query),
        }
        answer = await self._search_posts(params)
        return usable_results(
            (self._parse_hit(row) for row in require_rows(answer, "posts")), self.name, warnings=warnings
        )

    async def _search_posts(self, params: Mapping[str, Any]) -> Any:
        """The answer of the public AppView, or of the fallback host if the AppView blocks this network."""
        path = "/xrpc/app.bsky.feed.searchPosts"
        try:
            return await self.get(path, **params)
        except Blocked:
            if not self.fallback:
                raise
            response = await self.http.request(
                self.name, "GET", self.fallback + path, params=params, refusal=self.refusal, seconds=self.seconds
            )
            return response.body

    def _build_scope(self, query: WebQuery) -> dict[str, str]:
        """Filter parameters for a site: posts of a Bluesky profile, or posts that link to the site."""
        host, path = self.site(query)
        if not host:
            return {}
        if not self.is_own(host):
            return {"domain": host}
        first, _, rest = path.partition("/")
        actor = rest.partition("/")[0]
        return {"author": actor} if first == "profile" and (HANDLE.fullmatch(actor) or DID.fullmatch(actor)) else {}

    def _format_since(self, time_range: str | None) -> str | None:
        if not time_range:
            return None
        return format_utc(self.clock() - SECONDS[time_range])

    def _parse_hit(self, row: Mapping[str, Any]) -> WebHit | None:
        text = to_plain_text(get_path(row, "record", "text"))
        handle, name = get_path(row, "author", "handle"), to_plain_text(get_path(row, "author", "displayName"), 60)
        uri = row.get("uri")
        post = POST.fullmatch(uri) if isinstance(uri, str) else None
        if post is None or not text:
            return None
        known = isinstance(handle, str) and HANDLE.fullmatch(handle) is not None
        return build_web_hit(
            _escape_markup(text if len(text) <= TITLE_CHARS else text[: TITLE_CHARS - 1].rstrip() + "…"),
            f"https://bsky.app/profile/{handle if known else post[1]}/post/{post[2]}",
            _escape_markup(f"{name} (@{handle}): {text}" if known else text),
            published_at=rfc3339(get_path(row, "record", "createdAt") or row.get("indexedAt"), self.clock()),
            engagement=Engagement(
                like_count=as_count(row.get("likeCount")),
                repost_count=as_count(row.get("repostCount")),
                reply_count=as_count(row.get("replyCount")),
            ),
        )


def _escape_markup(text: str) -> str:
    """Plain text escaped for HTML, since texts of hits are parsed as HTML."""
    return text.replace("&", "&amp;").replace("<", "&lt;")
