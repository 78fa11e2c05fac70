"""Reddit: search of posts by Atom feed.

Documentation: https://www.reddit.com/wiki/rss
Authentication: none.
Limits: 25 posts a request, queries of 512 characters.
"""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from assay.errors import UpstreamFailed
from assay.models.common import WebHit, WebQuery
from assay.models.search_queries import NewsHit, NewsQuery
from assay.provider_base.provider import NEWS_FIELDS, PAGE_OPERATORS, WEB_FIELDS, Provider
from assay.provider_base.results import Hits, build_web_hit, to_news_hit, usable_results
from assay.text.dates import rfc3339
from assay.text.plain_text import to_plain_text
from assay.text.safe_xml import Element, local_name, parse_xml

GROUP = re.compile(r"r/(\w{2,21})(?:/|$)", re.ASCII)
SHOWN = 300  # characters of a post


class Reddit(Provider):
    name = "reddit"
    address = "https://www.reddit.com"
    max_query_chars = 512
    min_time_range = "hour"
    sites_limit = 0  # everything is on reddit.com
    own_hosts = ("reddit.com",)
    supported_filters: ClassVar = {
        "web": WEB_FIELDS - {"safe", "language", "country"},
        "news": NEWS_FIELDS - {"safe", "language", "country"},
    }
    max_results: ClassVar = {"news": 25}

    def headers(self) -> Mapping[str, str]:
        return {"Accept": "application/atom+xml"}

    async def web(self, query: WebQuery) -> Hits[WebHit]:
        return await self._fetch_posts(query, "web", "relevance")

    async def news(self, query: NewsQuery) -> Hits[NewsHit]:
        found = await self._fetch_posts(query, "news", "new" if query.sort_by == "date" else "relevance")
        return Hits(map(to_news_hit, found), warnings=found.warnings)

    async def _fetch_posts(self, query: WebQuery | NewsQuery, operation: str, sort: str) -> Hits[WebHit]:
        query_text, warnings = self.build_query(query, native=("site", *PAGE_OPERATORS))
        response = await self.exchange(
            "GET",
            "/search.rss",
            params={
                "q": f"{query_text} {self._build_scope(query)}".strip(),
                "sort": sort,
                "t": query.time_range or "all",
                "limit": min(self.count(operation, query), 25),
                "type": "link",
            },
            expect="text",
        )
        return usable_results(
            (self._parse_hit(entry) for entry in _find_entries(response.body)), self.name, warnings=warnings
        )

    def _build_scope(self, query: WebQuery | NewsQuery) -> str:
        """A query part for a site: a subreddit, or links to the site."""
        host, path = self.site(query)
        if host and not self.is_own(host):
            return f"site:{host}"
        group = GROUP.match(path)
        return f"subreddit:{group[1]}" if group else ""

    def _parse_hit(self, entry: Element) -> WebHit | None:
        parts: dict[str, Element] = {}
        for part in entry:
            parts.setdefault(local_name(part), part)
        group = _get_attribute(parts.get("category"), "label") or _get_attribute(parts.get("category"), "term")
        author = to_plain_text(_get_text(parts.get("author")), 60).removeprefix("/").removeprefix("u/")
        snippet_parts = [
            to_plain_text(group, 60),
            f"by {author}" if author else "",
            to_plain_text(_get_text(parts.get("content")), SHOWN),
        ]
        return build_web_hit(
            _get_text(parts.get("title")),
            _get_attribute(parts.get("link"), "href"),
            " · ".join(filter(None, snippet_parts)),
            published_at=rfc3339(_get_text(parts.get("published")) or _get_text(parts.get("updated")), self.clock()),
        )


def _find_entries(page: str) -> list[Any]:
    """The posts of a feed; subreddits, which a search lists too, are left out. UpstreamFailed where it is no feed."""
    try:
        root = parse_xml(page.encode(), "feed")
    except UpstreamFailed as wrong:
        raise UpstreamFailed("reddit returned an answer that is not a feed.", provider="reddit") from wrong
    if local_name(root) != "feed":
        raise UpstreamFailed("reddit returned an answer that is not a feed.", provider="reddit")
    return [entry for entry in root if local_name(entry) == "entry" and not _is_group(entry)]


def _is_group(entry: Element) -> bool:
    return any(local_name(part) == "id" and (part.text or "").startswith("t5_") for part in entry)


def _get_text(element: Element) -> str:
    """The text of an element that holds markup, or whose children hold it (an author's name)."""
    if element is None:
        return ""
    name = next((part for part in element if local_name(part) == "name"), element)
    return "".join(name.itertext()).strip()


def _get_attribute(element: Element, name: str) -> str | None:
    return None if element is None else element.get(name)
