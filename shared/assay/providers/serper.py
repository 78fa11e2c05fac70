"""Serper: results of Google Search, News and Images.

Documentation: https://serper.dev/
Authentication: SERPER_API_KEY in the header X-API-KEY.
Limits: 10 images and 10 news a request; each request is charged.
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
    get_rows,
    usable_results,
)
from assay.text.dates import rfc3339

AGE = {"hour": "qdr:h", "day": "qdr:d", "week": "qdr:w", "month": "qdr:m", "year": "qdr:y"}


class Serper(Provider):
    name = "serper"
    address = "https://google.serper.dev"
    key_name = "SERPER_API_KEY"
    price = 1_000
    min_time_range = "hour"
    supported_filters: ClassVar = {
        "web": WEB_FIELDS - {"safe"},
        "images": IMAGE_FIELDS - {"safe", "size", "type", "color_type", "dominant_color", "file_type"},
        "news": NEWS_FIELDS - {"safe"},
    }
    max_results: ClassVar = {"images": 10, "news": 10}
    max_pages = 10

    def headers(self) -> Mapping[str, str]:
        return {"X-API-KEY": self.key}

    async def web(self, query: WebQuery) -> Hits[WebHit]:
        query_text, warnings = self.build_query(query)
        answer = await self.post(
            "/search",
            {
                "q": query_text,
                "num": query.num_results,
                "page": getattr(query, "page", 0) + 1 if getattr(query, "page", 0) else None,
                "gl": query.country.lower() if query.country else None,
                "hl": query.language.lower() if query.language else None,
                "tbs": AGE.get(query.time_range or ""),
            },
        )
        self.expect_fields(answer, "organic", "searchParameters")
        return usable_results(
            (self._parse_hit(row) for row in get_rows(answer, "organic")), self.name, warnings=warnings
        )

    async def news(self, query: NewsQuery) -> Hits[NewsHit]:
        query_text, warnings = self.build_query(query)
        window = AGE[self.window(query, warnings)]
        answer = await self.post(
            "/news",
            self._place(query)
            | {
                "q": query_text,
                "num": self.count("news", query),
                "tbs": f"{window},sbd:1" if query.sort_by == "date" else window,
            },
        )
        self.expect_fields(answer, "news", "searchParameters")
        return usable_results(
            (self._parse_article(row) for row in get_rows(answer, "news")), self.name, warnings=warnings
        )

    async def images(self, query: ImageQuery) -> Hits[ImageHit]:
        query_text, warnings = self.build_query(query)
        answer = await self.post("/images", self._place(query) | {"q": query_text, "num": self.count("images", query)})
        self.expect_fields(answer, "images", "searchParameters")
        return usable_results((_parse_image(row) for row in get_rows(answer, "images")), self.name, warnings=warnings)

    def _place(self, query: NewsQuery | ImageQuery) -> dict[str, Any]:
        return {
            "gl": query.country.lower() if query.country else None,
            "hl": query.language.lower() if query.language else None,
        }

    def _parse_article(self, row: Mapping[str, Any]) -> NewsHit | None:
        return build_news_hit(
            row.get("title"),
            row.get("link"),
            row.get("snippet"),
            source=row.get("source"),
            published_at=rfc3339(row.get("date"), self.clock()),
        )

    def _parse_hit(self, row: Mapping[str, Any]) -> WebHit | None:
        date = rfc3339(row.get("date"), self.clock())
        return build_web_hit(row.get("title"), row.get("link"), row.get("snippet"), published_at=date)


def _parse_image(row: Mapping[str, Any]) -> ImageHit | None:
    return build_image_hit(
        row.get("title"),
        row.get("imageUrl"),
        page=row.get("link"),
        thumbnail=row.get("thumbnailUrl"),
        width=as_count(row.get("imageWidth")),
        height=as_count(row.get("imageHeight")),
    )
