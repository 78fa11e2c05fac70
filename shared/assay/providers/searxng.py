"""SearXNG: the operator's own metasearch instance.

Documentation: https://docs.searxng.org/dev/search_api.html
Authentication: optional, SEARXNG_BASIC_AUTH or fixed headers in SEARXNG_HEADERS; SEARXNG_URL is required.
Limits: those of the instance, which must have the json format enabled.
"""

import re
from base64 import b64encode
from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import parse_qsl

from assay.errors import Blocked, ConfigError, ToolError, UpstreamFailed
from assay.models.common import WebHit, WebQuery
from assay.models.search_queries import ImageHit, ImageQuery, NewsHit, NewsQuery
from assay.net.provider_client import ProviderClient, ProviderResponse
from assay.net.retry import RetryPolicy
from assay.provider_base.provider import IMAGE_FIELDS, NEWS_FIELDS, WEB_FIELDS, Provider
from assay.provider_base.results import (
    Hits,
    build_image_hit,
    build_news_hit,
    build_web_hit,
    get_path,
    get_rows,
    usable_results,
    with_score,
)
from assay.settings import Settings
from assay.text.dates import rfc3339
from assay.text.plain_text import to_plain_text

SAFE = {"off": 0, "medium": 1, "high": 2, "moderate": 1, "strict": 2}
PIXELS = re.compile(r"(\d{1,6}) ?[x×] ?(\d{1,6})")
ENGINE = re.compile(r"[\w .-]{1,30}")


class Searxng(Provider):
    name = "searxng"
    key_name = "SEARXNG_URL"
    credential_name = "SEARXNG_BASIC_AUTH"
    variables = ((key_name,), ("SEARXNG_BASE_URL",))
    page_size, max_pages = 100, 10  # the actual size depends on its engines, about twenty
    supported_filters: ClassVar = {
        "web": WEB_FIELDS,
        "images": IMAGE_FIELDS - {"size", "type", "color_type", "dominant_color", "file_type"},
        "news": NEWS_FIELDS - {"sort_by"},
    }

    def __init__(self, http: ProviderClient, settings: Settings, **seams: Any) -> None:
        super().__init__(http, settings, **seams)
        base, _, fixed = settings.base_url(self.name, self.key).partition("?")
        self.base_url = base.rstrip("/").removesuffix("/search")
        self._fixed = dict(parse_qsl(fixed))  # fixed parameters in the configured URL
        self._build_headers = _build_headers(settings)

    def headers(self) -> Mapping[str, str]:
        return self._build_headers

    def refusal(self, response: ProviderResponse) -> ToolError | None:
        if response.status == 403:
            return Blocked(
                "searxng refused access (HTTP 403): enable the json format in settings.yml, or check the credentials.",
                provider=self.name,
            )
        return super().refusal(response)

    async def web(self, query: WebQuery) -> Hits[WebHit]:
        query_text, warnings = self.build_query(query)
        found = await self._search_rows(
            query, warnings, q=query_text, categories="general", time_range=query.time_range
        )
        return usable_results((self._parse_hit(row) for row in found), self.name, warnings=warnings)

    async def news(self, query: NewsQuery) -> Hits[NewsHit]:
        query_text, warnings = self.build_query(query)
        window = self.window(query, warnings)
        found = await self._search_rows(query, warnings, q=query_text, categories="news", time_range=window)
        return usable_results((self._parse_article(row) for row in found), self.name, warnings=warnings)

    async def images(self, query: ImageQuery) -> Hits[ImageHit]:
        query_text, warnings = self.build_query(query)
        found = await self._search_rows(query, warnings, q=query_text, categories="images")
        return usable_results((_parse_image(row) for row in found), self.name, warnings=warnings)

    async def _search_rows(
        self, query: WebQuery | NewsQuery | ImageQuery, warnings: list[str], **params: Any
    ) -> list[Mapping[str, Any]]:
        if query.country and not query.language:
            warnings.append("searxng supports a country only together with a language; it was ignored.")
        answer = await self.get(
            "/search",
            format="json",
            language=_format_language(query),
            safesearch=SAFE[query.safe] if query.safe else None,
            pageno=getattr(query, "page", 0) + 1,
            **params,
        )
        return self._get_rows(answer)

    async def rows_of(self, query: str, *, seconds: float, until: float, **params: Any) -> list[Mapping[str, Any]]:
        """One page of unmodified rows; `params` are parameters of the SearXNG API.

        There are three attempts of `seconds` each; Retry-After is respected; `until` limits the total time in seconds.
        """
        tries = RetryPolicy(3, each=seconds, late=True, patient=True)
        merged = {**self._fixed, "q": query, "format": "json", **params}
        response = await self.exchange("GET", "/search", params=merged, seconds=until, tries=tries, redirects=5)
        return self._get_rows(
            {"results": [], **{name: value for name, value in response.body.items() if value is not None}}
        )

    def _get_rows(self, answer: Any) -> list[Mapping[str, Any]]:
        """The rows. Raises UpstreamFailed if there are none and engines were unresponsive."""
        if not answer["results"] and (down := get_path(answer, "unresponsive_engines")):
            engines = [engine[0] if isinstance(engine, list) and engine else engine for engine in down]
            names = ", ".join(name for name in engines[:5] if isinstance(name, str) and ENGINE.fullmatch(name))
            raise UpstreamFailed(
                f"searxng has no results because its engines did not respond ({names or len(engines)}).",
                provider=self.name,
            )
        return get_rows(answer, "results")

    def _parse_article(self, row: Mapping[str, Any]) -> NewsHit | None:
        return build_news_hit(
            row.get("title"),
            row.get("url"),
            row.get("content"),
            source=row.get("source"),
            published_at=rfc3339(row.get("publishedDate"), self.clock()),
        )

    def _parse_hit(self, row: Mapping[str, Any]) -> WebHit | None:
        published = rfc3339(row.get("publishedDate"), self.clock())
        return with_score(
            build_web_hit(row.get("title"), row.get("url"), row.get("content"), published_at=published),
            row.get("score"),
        )


def _parse_image(row: Mapping[str, Any]) -> ImageHit | None:
    resolution = row.get("resolution")
    size = PIXELS.search(resolution) if isinstance(resolution, str) else None
    return build_image_hit(
        row.get("title"),
        row.get("img_src"),
        page=row.get("url"),
        thumbnail=row.get("thumbnail_src"),
        width=int(size[1]) if size else None,
        height=int(size[2]) if size else None,
        file_size=to_plain_text(row.get("filesize"), 40) or None,
    )


def _format_language(query: WebQuery | NewsQuery | ImageQuery) -> str | None:
    """SearXNG's language code, which includes the country: `de`, `de-CH`."""
    if not query.language:
        return None
    base = query.language.split("-")[0].lower()
    return f"{base}-{query.country.upper()}" if query.country else query.language


def _is_printable(text: str) -> bool:
    return text.isascii() and text.isprintable()


def _build_headers(settings: Settings) -> dict[str, str]:
    """Basic credentials and fixed headers of the instance; an Authorization header among them has priority."""
    headers: dict[str, str] = {}
    if basic := settings.key("SEARXNG_BASIC_AUTH"):
        headers["Authorization"] = "Basic " + b64encode(basic.encode()).decode()
    for pair in filter(str.strip, settings.key("SEARXNG_HEADERS").split(",")):
        name, colon, value = (part.strip() for part in pair.partition(":"))
        if not colon or not name.replace("-", "").replace("_", "").isalnum() or not _is_printable(name + value):
            raise ConfigError(
                'SEARXNG_HEADERS must have the form "Name: value, Name2: value2".',
                field="SEARXNG_HEADERS",
                provider="searxng",
                action="inform_user",
            )
        headers[name.title()] = value
    return headers
