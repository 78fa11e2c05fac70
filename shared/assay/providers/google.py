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
from assay.provider_base.results import (
    Hits,
    as_count,
    build_image_hit,
    build_news_hit,
    build_web_hit,
    get_path,
    get_rows,
    usable_results,
)
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

    async def web(self, query: WebQuery) -> Hits[WebHit]:
        phrases = split_phrases(query.exclude_terms)
        one = phrases[0] if len(phrases) == 1 else None  # excludeTerms accepts one phrase
        query_text, warnings = self.build_query(
            query, native=("exact_terms", "exclude_terms") if one else ("exact_terms",)
        )
        count, days = min(query.num_results, 10), getattr(query, "days", None)
        found = await self._fetch_items(
            query,
            cx=getattr(query, "cx", None) or self.settings.key(ENGINE),
            q=query_text,
            num=count,
            start=getattr(query, "page", 0) * count + 1 if getattr(query, "page", 0) else None,
            exactTerms=query.exact_terms or None,
            excludeTerms=one,
            dateRestrict=f"d{days}" if days else AGE.get(query.time_range or ""),
        )
        return usable_results((self._parse_hit(row) for row in found), self.name, warnings=warnings)

    async def news(self, query: NewsQuery) -> Hits[NewsHit]:
        """Web results filtered by date, since the API has no news search."""
        query_text, warnings = self.build_query(query)
        found = await self._fetch_items(
            query,
            q=query_text,
            num=self.count("news", query),
            dateRestrict=AGE[self.window(query, warnings)],
            sort="date" if query.sort_by == "date" else None,
        )
        return usable_results((self._parse_article(row) for row in found), self.name, warnings=warnings)

    async def images(self, query: ImageQuery) -> Hits[ImageHit]:
        query_text, warnings = self.build_query(query)
        found = await self._fetch_items(
            query,
            q=query_text,
            num=self.count("images", query),
            searchType="image",
            imgSize=query.size,
            imgType=query.type,
            imgColorType=query.color_type,
            imgDominantColor=query.dominant_color,
            fileType=query.file_type,
        )
        return usable_results((_parse_image(row) for row in found), self.name, warnings=warnings)

    async def _fetch_items(self, query: WebQuery | NewsQuery | ImageQuery, **params: Any) -> list[Mapping[str, Any]]:
        country = (query.country or "").upper()
        settled = {
            "key": self.key,
            "cx": self.settings.key(ENGINE),
            "safe": None if query.safe is None else "off" if query.safe == "off" else "active",
            "lr": _choose_language(query.language),
            "cr": f"country{country}" if country else None,
            "gl": country.lower() or None,
        }
        answer = await self.get("", **settled | params)
        self.expect_fields(answer, "items", "searchInformation", "queries")
        return get_rows(answer, "items")

    def _parse_hit(self, row: Mapping[str, Any]) -> WebHit | None:
        return build_web_hit(
            row.get("title"), row.get("link"), row.get("snippet"), published_at=self._find_published_date(row)
        )

    def _parse_article(self, row: Mapping[str, Any]) -> NewsHit | None:
        return build_news_hit(
            row.get("title"),
            row.get("link"),
            row.get("snippet"),
            source=get_path(row, "pagemap", "metatags", 0, "og:site_name"),
            published_at=self._find_published_date(row),
        )

    def _find_published_date(self, row: Mapping[str, Any]) -> str | None:
        """The publication date from the page metadata that Google returns."""
        values = [
            get_path(row, "pagemap", kind, 0, name)
            for kind in ("newsarticle", "article", "metatags")
            for name in DATE_FIELDS
        ]
        return next((date for date in (rfc3339(value, self.clock()) for value in values) if date), None)


def _parse_image(row: Mapping[str, Any]) -> ImageHit | None:
    size = as_count(get_path(row, "image", "byteSize"))
    return build_image_hit(
        row.get("title"),
        row.get("link"),
        page=get_path(row, "image", "contextLink"),
        thumbnail=get_path(row, "image", "thumbnailLink"),
        width=as_count(get_path(row, "image", "width")),
        height=as_count(get_path(row, "image", "height")),
        file_size=f"{size} bytes" if size else None,
    )


def _choose_language(language: str | None) -> str | None:
    if not language:
        return None
    code = language.lower()
    return f"lang_{CHINESE.get(code) or code.split('-')[0]}"
