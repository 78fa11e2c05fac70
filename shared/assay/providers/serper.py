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
from assay.provider_base.results import Hits, as_count, image_hit, news_hit, rows, usable_results, web_hit
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

    async def web(self, ask: WebQuery) -> Hits[WebHit]:
        query, warnings = self.build_query(ask)
        answer = await self.post(
            "/search",
            {
                "q": query,
                "num": ask.num_results,
                "page": getattr(ask, "page", 0) + 1 if getattr(ask, "page", 0) else None,
                "gl": ask.country.lower() if ask.country else None,
                "hl": ask.language.lower() if ask.language else None,
                "tbs": AGE.get(ask.time_range or ""),
            },
        )
        self.expect_fields(answer, "organic", "searchParameters")
        return usable_results((self._hit(row) for row in rows(answer, "organic")), self.name, warnings=warnings)

    async def news(self, ask: NewsQuery) -> Hits[NewsHit]:
        query, warnings = self.build_query(ask)
        window = AGE[self.window(ask, warnings)]
        answer = await self.post(
            "/news",
            self._place(ask)
            | {
                "q": query,
                "num": self.count("news", ask),
                "tbs": f"{window},sbd:1" if ask.sort_by == "date" else window,
            },
        )
        self.expect_fields(answer, "news", "searchParameters")
        return usable_results((self._article(row) for row in rows(answer, "news")), self.name, warnings=warnings)

    async def images(self, ask: ImageQuery) -> Hits[ImageHit]:
        query, warnings = self.build_query(ask)
        answer = await self.post("/images", self._place(ask) | {"q": query, "num": self.count("images", ask)})
        self.expect_fields(answer, "images", "searchParameters")
        return usable_results((_image(row) for row in rows(answer, "images")), self.name, warnings=warnings)

    def _place(self, ask: NewsQuery | ImageQuery) -> dict[str, Any]:
        return {
            "gl": ask.country.lower() if ask.country else None,
            "hl": ask.language.lower() if ask.language else None,
        }

    def _article(self, row: Mapping[str, Any]) -> NewsHit | None:
        return news_hit(
            row.get("title"),
            row.get("link"),
            row.get("snippet"),
            source=row.get("source"),
            published_at=rfc3339(row.get("date"), self.clock()),
        )

    def _hit(self, row: Mapping[str, Any]) -> WebHit | None:
        date = rfc3339(row.get("date"), self.clock())
        return web_hit(row.get("title"), row.get("link"), row.get("snippet"), published_at=date)


def _image(row: Mapping[str, Any]) -> ImageHit | None:
    return image_hit(
        row.get("title"),
        row.get("imageUrl"),
        page=row.get("link"),
        thumbnail=row.get("thumbnailUrl"),
        width=as_count(row.get("imageWidth")),
        height=as_count(row.get("imageHeight")),
    )
