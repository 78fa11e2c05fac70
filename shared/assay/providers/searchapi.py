"""SearchApi: results of Google Search, News, Images and Patents.

Documentation: https://www.searchapi.io/docs/google
Authentication: SEARCHAPI_API_KEY as bearer token.
Limits: by plan; each request is charged.
"""

from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import urlencode

from assay.models.common import WebHit, WebQuery
from assay.models.patents import Patent, PatentQuery
from assay.models.search_queries import ImageHit, ImageQuery, NewsHit, NewsQuery
from assay.provider_base.parsing.patent_fields import build_patent, strip_legal_form
from assay.provider_base.parsing.patent_numbers import find_in_path, parse_number
from assay.provider_base.provider import IMAGE_FIELDS, NEWS_FIELDS, PATENT_FIELDS, WEB_FIELDS, Provider
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

AGE = {"hour": "last_hour", "day": "last_day", "week": "last_week", "month": "last_month", "year": "last_year"}

# Google's codes for image sizes and colours.
SIZES = {"icon": "i", "small": "s", "medium": "m", "large": "l", "xlarge": "lt", "xxlarge": "lt", "huge": "lt"}
COLORS = {"color": "color", "gray": "gray", "mono": "gray", "trans": "trans"}


class SearchApi(Provider):
    name = "searchapi"
    address = "https://www.searchapi.io/api/v1"
    key_name = "SEARCHAPI_API_KEY"
    price = 4_000
    min_time_range = "hour"
    supported_filters: ClassVar = {
        "web": WEB_FIELDS,
        "images": IMAGE_FIELDS,
        "news": NEWS_FIELDS,
        "patents": PATENT_FIELDS,
    }
    max_results: ClassVar = {"images": 10, "news": 10}
    max_pages = 10

    def headers(self) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {self.key}"}  # in a header, so that it does not appear in access logs

    async def web(self, query: WebQuery) -> Hits[WebHit]:
        query_text, warnings = self.build_query(query)
        found = await self._fetch_rows(
            query,
            "organic_results",
            engine="google",
            q=query_text,
            time_period=AGE.get(query.time_range or ""),
            page=getattr(query, "page", 0) + 1 if getattr(query, "page", 0) else None,
        )
        return usable_results((self._parse_hit(row) for row in found), self.name, warnings=warnings)

    async def news(self, query: NewsQuery) -> Hits[NewsHit]:
        query_text, warnings = self.build_query(query)
        found = await self._fetch_rows(
            query,
            "organic_results",
            engine="google_news",
            q=query_text,
            time_period=AGE[self.window(query, warnings)],
            sort_by="most_recent" if query.sort_by == "date" else None,
        )
        return usable_results((self._parse_article(row) for row in found), self.name, warnings=warnings)

    async def images(self, query: ImageQuery) -> Hits[ImageHit]:
        query_text, warnings = self.build_query(query)
        found = await self._fetch_rows(
            query, "images", engine="google_images", q=query_text, tbs=_build_image_filters(query)
        )
        return usable_results((_parse_image(row) for row in found), self.name, warnings=warnings)

    async def patents(self, query: PatentQuery) -> Hits[Patent]:
        """Patents from Google Patents; years apply to the filing date."""
        answer = await self.get(f"/search?{_build_patents_query(query, max(10, self.count('patents', query)))}")
        self.expect_fields(answer, "organic_results", "search_metadata", "search_parameters")
        return usable_results(map(_parse_patent, get_rows(answer, "organic_results")), self.name)

    async def _fetch_rows(
        self, query: WebQuery | NewsQuery | ImageQuery, where: str, **params: Any
    ) -> list[Mapping[str, Any]]:
        answer = await self.get(
            "/search",
            gl=query.country.lower() if query.country else None,
            hl=query.language.lower() if query.language else None,
            safe=None if query.safe is None else "off" if query.safe == "off" else "active",
            **params,
        )
        self.expect_fields(answer, where, "search_metadata", "search_parameters")
        return get_rows(answer, where)

    def _parse_article(self, row: Mapping[str, Any]) -> NewsHit | None:
        return build_news_hit(
            row.get("title"),
            row.get("link"),
            row.get("snippet"),
            source=get_path(row, "source", "name") or row.get("source"),
            published_at=rfc3339(row.get("iso_date") or row.get("date"), self.clock()),
        )

    def _parse_hit(self, row: Mapping[str, Any]) -> WebHit | None:
        date = rfc3339(row.get("date"), self.clock())
        return build_web_hit(row.get("title"), row.get("link"), row.get("snippet"), published_at=date)


def _build_patents_query(query: PatentQuery, count: int) -> str:
    """The query string. It is built here because the wildcard `*` must not be percent-encoded."""
    number = parse_number(query.query or "")
    words = str(number) if number else query.query or "*"
    names = (query.assignee and strip_legal_form(query.assignee), query.inventor)
    assignee, inventor = (f"({name})" if name and "," in name else name for name in names)
    params = {
        "engine": "google_patents",
        "q": f"{words} CPC={query.cpc_code}" if query.cpc_code else words,
        "num": count,
        "assignee": assignee,
        "inventor": inventor,
        "countries": query.patent_office if query.patent_office != "all" else None,
        "after": f"filing:{query.year_from}0101" if query.year_from else None,
        "before": f"filing:{query.year_to}1231" if query.year_to else None,
    }
    return urlencode({name: value for name, value in params.items() if value is not None}, safe="*:")


def _parse_patent(row: Mapping[str, Any]) -> Patent | None:
    number = find_in_path(row.get("patent_id")) or find_in_path(row.get("link"))
    if number is None and isinstance(publication := row.get("publication_number"), str):
        number = find_in_path(publication) or parse_number(publication)
    return build_patent(
        row.get("title"),
        number,
        abstract=row.get("snippet"),
        assignee=row.get("assignee"),
        inventor=row.get("inventor"),
        filed=row.get("filing_date"),
        published=row.get("publication_date"),
        granted=row.get("grant_date"),
        pdf=row.get("pdf"),
    )


def _build_image_filters(query: ImageQuery) -> str | None:
    """Google's `tbs` image filters, such as `isz:l,itp:photo,ic:specific,isc:red`."""
    colour = COLORS.get(query.color_type or "") or ("specific" if query.dominant_color else None)
    filters = {
        "isz": SIZES.get(query.size or ""),
        "itp": query.type,
        "ic": colour,
        "isc": query.dominant_color,
        "ift": query.file_type,
    }
    return ",".join(f"{name}:{value}" for name, value in filters.items() if value) or None


def _parse_image(row: Mapping[str, Any]) -> ImageHit | None:
    return build_image_hit(
        row.get("title"),
        get_path(row, "original", "link"),
        page=get_path(row, "source", "link"),
        thumbnail=row.get("thumbnail"),
        width=as_count(get_path(row, "original", "width")),
        height=as_count(get_path(row, "original", "height")),
    )
