"""Google Programmable Search: web pages and images.

Documentation: https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list
Authentication: GOOGLE_CUSTOM_SEARCH_API_KEY and the engine GOOGLE_CUSTOM_SEARCH_ID as query parameters.
Limits: 10 results a page, 10 pages.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from assay.models.common import WebHit, WebQuery
from assay.models.search_queries import ImageHit, ImageQuery, NewsHit, NewsQuery
from assay.provider_base.provider import IMAGE_FIELDS, NEWS_FIELDS, WEB_FIELDS, Provider
from assay.provider_base.results import Hits, as_count, get_path, image_hit, news_hit, rows, usable_results, web_hit
from assay.text.dates import rfc3339
from assay.text.query_operators import split_phrases

AGE = {"day": "d1", "week": "w1", "month": "m1", "year": "y1"}
CHINESE = {"zh": "zh-CN", "zh-cn": "zh-CN", "zh-tw": "zh-TW", "zh-hk": "zh-TW"}
ENGINE = "GOOGLE_CUSTOM_SEARCH_ID"
DATE_FIELDS = (
    "article:published_time",
    "datepublished",
    "og:published_time",
    "publishdate",
    "date",
    "dc.date.issued",
)


class Google(Provider):
    name = "google"
    address = "https://www.googleapis.com/customsearch/v1"
    key_name = "GOOGLE_CUSTOM_SEARCH_API_KEY"
    variables = ((key_name, ENGINE),)
    price = 5_000
    supported_filters: ClassVar = {"web": WEB_FIELDS, "images": IMAGE_FIELDS, "news": NEWS_FIELDS}
    max_results: ClassVar = {"images": 10, "news": 10}
    max_pages = 10
    supports_max_age = True

    async def web(self, ask: WebQuery) -> Hits[WebHit]:
        phrases = split_phrases(ask.exclude_terms)
        one = phrases[0] if len(phrases) == 1 else None  # excludeTerms accepts one phrase
        query, warnings = self.build_query(ask, native=("exact_terms", "exclude_terms") if one else ("exact_terms",))
        count, days = min(ask.num_results, 10), getattr(ask, "days", None)
        found = await self._items(
            ask,
            cx=getattr(ask, "cx", None) or self.settings.key(ENGINE),
            q=query,
            num=count,
            start=getattr(ask, "page", 0) * count + 1 if getattr(ask, "page", 0) else None,
            exactTerms=ask.exact_terms or None,
            excludeTerms=one,
            dateRestrict=f"d{days}" if days else AGE.get(ask.time_range or ""),
        )
        return usable_results((self._hit(row) for row in found), self.name, warnings=warnings)

    async def news(self, ask: NewsQuery) -> Hits[NewsHit]:
        """Web results filtered by date, since the API has no news search."""
        query, warnings = self.build_query(ask)
        found = await self._items(
            ask,
            q=query,
            num=self.count("news", ask),
            dateRestrict=AGE[self.window(ask, warnings)],
            sort="date" if ask.sort_by == "date" else None,
        )
        return usable_results((self._article(row) for row in found), self.name, warnings=warnings)

    async def images(self, ask: ImageQuery) -> Hits[ImageHit]:
        query, warnings = self.build_query(ask)
        found = await self._items(
            ask,
            q=query,
            num=self.count("images", ask),
            searchType="image",
            imgSize=ask.size,
            imgType=ask.type,
            imgColorType=ask.color_type,
            imgDominantColor=ask.dominant_color,
            fileType=ask.file_type,
        )
        return usable_results((_image(row) for row in found), self.name, warnings=warnings)

    async def _items(self, ask: WebQuery | NewsQuery | ImageQuery, **params: Any) -> list[Mapping[str, Any]]:
        country = (ask.country or "").upper()
        settled = {
            "key": self.key,
            "cx": self.settings.key(ENGINE),
            "safe": None if ask.safe is None else "off" if ask.safe == "off" else "active",
            "lr": _language(ask.language),
            "cr": f"country{country}" if country else None,
            "gl": country.lower() or None,
        }
        answer = await self.get("", **settled | params)
        self.expect_fields(answer, "items", "searchInformation", "queries")
        return rows(answer, "items")

    def _hit(self, row: Mapping[str, Any]) -> WebHit | None:
        return web_hit(row.get("title"), row.get("link"), row.get("snippet"), published_at=self._published_date(row))

    def _article(self, row: Mapping[str, Any]) -> NewsHit | None:
        return news_hit(
            row.get("title"),
            row.get("link"),
            row.get("snippet"),
            source=get_path(row, "pagemap", "metatags", 0, "og:site_name"),
            published_at=self._published_date(row),
        )

    def _published_date(self, row: Mapping[str, Any]) -> str | None:
        """The publication date from the page metadata that Google returns."""
        values = [
            get_path(row, "pagemap", kind, 0, name)
            for kind in ("newsarticle", "article", "metatags")
            for name in DATE_FIELDS
        ]
        return next((date for date in (rfc3339(value, self.clock()) for value in values) if date), None)


def _image(row: Mapping[str, Any]) -> ImageHit | None:
    size = as_count(get_path(row, "image", "byteSize"))
    return image_hit(
        row.get("title"),
        row.get("link"),
        page=get_path(row, "image", "contextLink"),
        thumbnail=get_path(row, "image", "thumbnailLink"),
        width=as_count(get_path(row, "image", "width")),
        height=as_count(get_path(row, "image", "height")),
        file_size=f"{size} bytes" if size else None,
    )


def _language(language: str | None) -> str | None:
    if not language:
        return None
    code = language.lower()
    return f"lang_{CHINESE.get(code) or code.split('-')[0]}"
