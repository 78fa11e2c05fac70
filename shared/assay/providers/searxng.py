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
from assay.provider_base.results import Hits, get_path, image_hit, news_hit, rows, usable_results, web_hit, with_score
from assay.settings import Settings
from assay.text.dates import rfc3339
from assay.text.plain_text import to_plain_text

SAFE = {"off": 0, "medium": 1, "high": 2, "moderate": 1, "strict": 2}
PIXELS = re.compile(r"(\d{1,6}) ?[x×] ?(\d{1,6})")
ENGINE = re.compile(r"[\w .-]{1,30}")


class Searxng(Provider):
    name = "searxng"
    key_name = "SEARXNG_URL"
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
        self._headers = _headers(settings)

    def headers(self) -> Mapping[str, str]:
        return self._headers

    def refusal(self, got: ProviderResponse) -> ToolError | None:
        if got.status == 403:
            return Blocked(
                "searxng refused access (HTTP 403): enable the json format in settings.yml, or check the credentials.",
                provider=self.name,
            )
        return super().refusal(got)

    async def web(self, ask: WebQuery) -> Hits[WebHit]:
        query, warnings = self.build_query(ask)
        found = await self._search_rows(ask, warnings, q=query, categories="general", time_range=ask.time_range)
        return usable_results((self._hit(row) for row in found), self.name, warnings=warnings)

    async def news(self, ask: NewsQuery) -> Hits[NewsHit]:
        query, warnings = self.build_query(ask)
        window = self.window(ask, warnings)
        found = await self._search_rows(ask, warnings, q=query, categories="news", time_range=window)
        return usable_results((self._article(row) for row in found), self.name, warnings=warnings)

    async def images(self, ask: ImageQuery) -> Hits[ImageHit]:
        query, warnings = self.build_query(ask)
        found = await self._search_rows(ask, warnings, q=query, categories="images")
        return usable_results((_image(row) for row in found), self.name, warnings=warnings)

    async def _search_rows(
        self, ask: WebQuery | NewsQuery | ImageQuery, warnings: list[str], **params: Any
    ) -> list[Mapping[str, Any]]:
        if ask.country and not ask.language:
            warnings.append("searxng supports a country only together with a language; it was ignored.")
        answer = await self.get(
            "/search",
            format="json",
            language=_language(ask),
            safesearch=SAFE[ask.safe] if ask.safe else None,
            pageno=getattr(ask, "page", 0) + 1,
            **params,
        )
        return self._rows(answer)

    async def rows_of(self, query: str, *, seconds: float, until: float, **asked: Any) -> list[Mapping[str, Any]]:
        """One page of unmodified rows; `asked` are parameters of the SearXNG API.

        There are three attempts of `seconds` each; Retry-After is respected; `until` limits the total time in seconds.
        """
        tries = RetryPolicy(3, each=seconds, late=True, patient=True)
        sent = {**self._fixed, "q": query, "format": "json", **asked}
        got = await self.exchange("GET", "/search", params=sent, seconds=until, tries=tries, redirects=5)
        return self._rows({"results": [], **{name: value for name, value in got.body.items() if value is not None}})

    def _rows(self, answer: Any) -> list[Mapping[str, Any]]:
        """The rows. Raises UpstreamFailed if there are none and engines were unresponsive."""
        if not answer["results"] and (down := get_path(answer, "unresponsive_engines")):
            engines = [engine[0] if isinstance(engine, list) and engine else engine for engine in down]
            said = ", ".join(name for name in engines[:5] if isinstance(name, str) and ENGINE.fullmatch(name))
            raise UpstreamFailed(
                f"searxng has no results because its engines did not respond ({said or len(engines)}).",
                provider=self.name,
            )
        return rows(answer, "results")

    def _article(self, row: Mapping[str, Any]) -> NewsHit | None:
        return news_hit(
            row.get("title"),
            row.get("url"),
            row.get("content"),
            source=row.get("source"),
            published_at=rfc3339(row.get("publishedDate"), self.clock()),
        )

    def _hit(self, row: Mapping[str, Any]) -> WebHit | None:
        published = rfc3339(row.get("publishedDate"), self.clock())
        return with_score(
            web_hit(row.get("title"), row.get("url"), row.get("content"), published_at=published), row.get("score")
        )


def _image(row: Mapping[str, Any]) -> ImageHit | None:
    told = row.get("resolution")
    size = PIXELS.search(told) if isinstance(told, str) else None
    return image_hit(
        row.get("title"),
        row.get("img_src"),
        page=row.get("url"),
        thumbnail=row.get("thumbnail_src"),
        width=int(size[1]) if size else None,
        height=int(size[2]) if size else None,
        file_size=to_plain_text(row.get("filesize"), 40) or None,
    )


def _language(ask: WebQuery | NewsQuery | ImageQuery) -> str | None:
    """SearXNG's language code, which includes the country: `de`, `de-CH`."""
    if not ask.language:
        return None
    base = ask.language.split("-")[0].lower()
    return f"{base}-{ask.country.upper()}" if ask.country else ask.language


def _printable(text: str) -> bool:
    return text.isascii() and text.isprintable()


def _headers(settings: Settings) -> dict[str, str]:
    """Basic credentials and fixed headers of the instance; an Authorization header among them has priority."""
    headers: dict[str, str] = {}
    if basic := settings.key("SEARXNG_BASIC_AUTH"):
        headers["Authorization"] = "Basic " + b64encode(basic.encode()).decode()
    for pair in filter(str.strip, settings.key("SEARXNG_HEADERS").split(",")):
        name, colon, value = (part.strip() for part in pair.partition(":"))
        if not colon or not name.replace("-", "").replace("_", "").isalnum() or not _printable(name + value):
            raise ConfigError(
                'SEARXNG_HEADERS must have the form "Name: value, Name2: value2".',
                field="SEARXNG_HEADERS",
                provider="searxng",
                action="inform_user",
            )
        headers[name.title()] = value
    return headers
