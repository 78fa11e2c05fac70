"""Brave Search: web, news, images and local places.

Documentation: https://api-dashboard.search.brave.com/api-reference/web/search/get
Authentication: BRAVE_API_KEY in the header X-Subscription-Token.
Limits: queries of 400 characters and 50 words; 20 web results a page, 10 pages; 200 images; 50 news. The plan's
request rate and quota are in the X-RateLimit headers of each answer.
"""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, ClassVar

from assay.errors import KeyRejected, PaymentRequired, RateLimited, Refused, ToolError
from assay.models.common import WebHit, WebQuery
from assay.models.search_queries import ImageHit, ImageQuery, NewsHit, NewsQuery, Place, PlaceQuery
from assay.net.provider_client import WAIT_DEFAULT, ProviderResponse, parse_retry_after
from assay.net.retry import MAX_WAIT
from assay.provider_base.provider import IMAGE_FIELDS, NEWS_FIELDS, PLACE_FIELDS, WEB_FIELDS, Provider
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
from assay.providers.brave.local_search import is_id, location_headers, parse_place
from assay.text.dates import rfc3339
from assay.text.plain_text import to_plain_text


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FRESHNESS = {"day": "pd", "week": "pw", "month": "pm", "year": "py"}
SAFE = {"off": "off", "medium": "moderate", "high": "strict"}
COUNTRIES = words(
    "AR AU AT BE BR CA CL CN DE DK ES FI FR GB GR HK ID IN IT JP KR MX MY NL NO NZ PH PL PT RU SA SE CH TR TW US ZA"
)
LANGUAGES = words(
    "ar eu bn bg ca zh-hans zh-hant hr cs da nl en en-gb et fi fr gl de el gu he hi hu is it jp kn ko lv lt ms ml mr"
    " nb pl pt-br pt-pt pa ro ru sr sk sl es sv ta te th tr uk vi"
)
OTHER_NAMES = {
    "ja": "jp", "zh": "zh-hans", "zh-cn": "zh-hans", "zh-tw": "zh-hant", "zh-hk": "zh-hant", "pt": "pt-pt", "no": "nb"
}  # fmt: skip
EARLIEST = "1900-01-01"  # start of an open date range
MAX_PLACES = 20  # of one request
KEY_CODES = {"SUBSCRIPTION_TOKEN_INVALID", "SUBSCRIPTION_TOKEN_MISSING", "SUBSCRIPTION_NOT_FOUND"}
PLAN_CODES = {"OPTION_NOT_IN_PLAN", "RESOURCE_NOT_ALLOWED", "QUOTA_LIMITED", "USAGE_LIMIT_EXCEEDED"}


class Brave(Provider):
    name = "brave"
    address = "https://api.search.brave.com/res/v1"
    key_name = "BRAVE_API_KEY"
    price = 5_000
    max_query_chars, max_query_words = 400, 50
    page_size, max_pages = 20, 10
    supports_max_age = True
    reports_rate_limit = True
    supported_filters: ClassVar = {
        "web": WEB_FIELDS,
        "images": IMAGE_FIELDS - {"size", "type", "color_type", "dominant_color", "file_type"},
        "news": NEWS_FIELDS - {"sort_by"},
        "local": PLACE_FIELDS,
    }

    def headers(self) -> Mapping[str, str]:
        return {"X-Subscription-Token": self.key, "Accept": "application/json"}

    def refusal(self, response: ProviderResponse) -> ToolError | None:
        """Errors by Brave's error code: an invalid key has status 422, as a malformed query has."""
        self._adopt_rate(response.headers)
        code = get_path(response.body, "error", "code") or get_path(response.body, "errors", 0, "code")
        if response.status == 429 or code == "RATE_LIMITED":
            return self._to_rate_limited(response)
        if code in KEY_CODES:
            return KeyRejected("brave rejected the key.", provider=self.name)
        if code in PLAN_CODES:
            return PaymentRequired(
                "brave: the plan is used up or does not include this operation. Use another provider.",
                provider=self.name,
            )
        if isinstance(code, str):
            return Refused(f"brave rejected the query (HTTP {response.status}).", provider=self.name)
        return super().refusal(response)

    def _to_rate_limited(self, response: ProviderResponse) -> RateLimited:
        """The wait comes from Retry-After, else from X-RateLimit-Reset of the exhausted window."""
        wait = parse_retry_after(response.headers, self.clock()) or _parse_reset(response.headers)
        meta = get_path(response.body, "error", "meta")
        limit, current = as_count(get_path(meta, "quota_limit")), as_count(get_path(meta, "quota_current"))
        used_up = limit is not None and current is not None and current >= limit
        return RateLimited(
            f"brave: {'the monthly quota is used up' if used_up else 'the rate limit is exceeded'}. "
            f"Wait {wait} seconds, or use another provider.",
            provider=self.name,
            retry_after=wait,
        )

    def _adopt_rate(self, headers: Mapping[str, str]) -> None:
        """Adopt the plan's rate from X-RateLimit-Policy: `1;w=1` is one request a second."""
        rate, _, window = headers.get("x-ratelimit-policy", "").split(",")[0].partition(";w=")
        if rate.strip().isdigit() and window.strip() == "1":
            self.min_interval = 1 / int(rate) if 0 < int(rate) < 10 else 0.0
        self.throttle.settle()

    async def web(self, query: WebQuery) -> Hits[WebHit]:
        query_text, warnings = self.build_query(query, native=("after", "before"))
        country, language = _choose_country(query.country, warnings), _choose_language(query.language, warnings)
        answer = await self.exchange(
            "GET",
            "/web/search",
            headers={"Api-Version": "2023-01-01"},
            params={
                "q": query_text,
                "count": query.num_results,
                "offset": getattr(query, "page", 0) or None,  # in pages, not results
                "country": country,
                "search_lang": language,
                "safesearch": SAFE[query.safe],
                "freshness": self._format_freshness(query),
                "extra_snippets": "1" if self._build_extra_params() else None,
                "goggles": getattr(query, "goggle", None),
            },
        )
        self.expect_fields(answer.body, "type", "query", "web")
        more = get_path(answer.body, "query", "more_results_available")
        return usable_results(
            (self._parse_hit(row) for row in get_rows(answer.body, "web", "results")),
            self.name,
            more=more if isinstance(more, bool) else None,
            warnings=warnings,
        )

    async def news(self, query: NewsQuery) -> Hits[NewsHit]:
        query_text, warnings = self.build_query(query)
        answer = await self.get(
            "/news/search",
            q=query_text,
            count=self.count("news", query),
            country=_choose_country(query.country, warnings),
            search_lang=_choose_language(query.language, warnings),
            safesearch=query.safe,
            freshness=FRESHNESS[self.window(query, warnings)],
        )
        self.expect_fields(answer, "type", "query", "results")
        return usable_results(
            (self._parse_article(row) for row in get_rows(answer, "results")), self.name, warnings=warnings
        )

    async def images(self, query: ImageQuery) -> Hits[ImageHit]:
        query_text, warnings = self.build_query(query)
        answer = await self.get(
            "/images/search",
            q=query_text,
            count=self.count("images", query),
            country=_choose_country(query.country, warnings),
            search_lang=_choose_language(query.language, warnings),
            safesearch="off" if query.safe == "off" else "strict",  # image search has no moderate level
        )
        self.expect_fields(answer, "type", "query", "results")
        return usable_results((_parse_image(row) for row in get_rows(answer, "results")), self.name, warnings=warnings)

    async def local(self, query: PlaceQuery) -> Hits[Place]:
        """Places, in three requests: ids, details, and descriptions (optional)."""
        query_text, warnings = self.build_query(query)
        found = await self.exchange(
            "GET",
            "/web/search",
            headers=location_headers(query) | {"Api-Version": "2023-01-01"},
            params={
                "q": query_text,
                "count": MAX_PLACES,
                "country": _choose_country(query.country, warnings),
                "result_filter": "locations",
                "units": query.units,
            },
        )
        self.expect_fields(found.body, "type", "query", "locations")
        ids = [row["id"] for row in get_rows(found.body, "locations", "results") if is_id(row.get("id"))]
        ids = list(dict.fromkeys(ids))[: MAX_PLACES if query.anchor else query.num_results]
        if not ids:
            return Hits(warnings=warnings)
        pois, descriptions = await asyncio.gather(
            self._fetch_places(ids, query), self._fetch_descriptions(ids, warnings)
        )
        return usable_results((parse_place(row, descriptions) for row in pois), self.name, warnings=warnings)

    async def _fetch_places(self, ids: list[str], query: PlaceQuery) -> list[Mapping[str, Any]]:
        await self.wait_for_slot()
        return get_rows(await self.get("/local/pois", ids=ids, units=query.units), "results")

    async def _fetch_descriptions(self, ids: list[str], warnings: list[str]) -> Mapping[str, str]:
        try:
            await self.wait_for_slot()
            found = get_rows(await self.get("/local/descriptions", ids=ids), "results")
        except (ToolError, TypeError) as failure:
            kind = failure.kind if isinstance(failure, ToolError) else "upstream_unavailable"
            warnings.append(f"brave: descriptions of the places could not be fetched ({kind}).")
            return {}
        return {row["id"]: to_plain_text(row.get("description"), 1_000) for row in found if is_id(row.get("id"))}

    def _format_freshness(self, query: WebQuery) -> str | None:
        since, until = getattr(query, "after", None) or self.since(query), getattr(query, "before", None)
        if since is None and until is None:
            return FRESHNESS.get(query.time_range or "")
        today = datetime.fromtimestamp(self.clock(), UTC).date().isoformat()
        return f"{since or EARLIEST}to{until or today}"

    def _build_extra_params(self) -> bool:
        return self.settings.key("BRAVE_EXTRA_SNIPPETS").lower() in ("1", "true", "yes", "on")

    def _parse_hit(self, row: Mapping[str, Any]) -> WebHit | None:
        extra = row.get("extra_snippets")
        snippets = [text for text in map(to_plain_text, extra if isinstance(extra, list) else []) if text]
        return build_web_hit(
            row.get("title"),
            row.get("url"),
            row.get("description"),
            published_at=rfc3339(row.get("page_age") or row.get("age"), self.clock()),
            extra_snippets=snippets or None,
        )

    def _parse_article(self, row: Mapping[str, Any]) -> NewsHit | None:
        return build_news_hit(
            row.get("title"),
            row.get("url"),
            row.get("description"),
            source=get_path(row, "profile", "name"),
            published_at=rfc3339(row.get("page_age") or row.get("age"), self.clock()),
        )


def _parse_image(row: Mapping[str, Any]) -> ImageHit | None:
    return build_image_hit(
        row.get("title"),
        get_path(row, "properties", "url"),
        page=row.get("url"),
        thumbnail=get_path(row, "thumbnail", "src"),
        width=as_count(get_path(row, "properties", "width")),
        height=as_count(get_path(row, "properties", "height")),
    )


def _choose_country(requested: str | None, warnings: list[str]) -> str | None:
    country = (requested or "").upper()
    if country and country not in COUNTRIES:
        warnings.append(f"brave does not support the country {country}; it was ignored.")
    return country if country in COUNTRIES else None


def _choose_language(language: str | None, warnings: list[str]) -> str | None:
    code = (language or "").lower()
    for name in (code, code.split("-")[0]):
        candidate = OTHER_NAMES.get(name, name)
        if candidate in LANGUAGES:
            return candidate
    if code:
        warnings.append(f"brave does not support the language {code}; it was ignored.")
    return None


def _parse_reset(headers: Mapping[str, str]) -> int:
    """Seconds until the exhausted windows are reset (`0, 14` remaining, `1, 1419704` seconds to the reset)."""
    remaining = headers.get("x-ratelimit-remaining", "").split(",")
    reset = headers.get("x-ratelimit-reset", "").split(",")
    waits = [
        int(seconds[:12])
        for rest, seconds in zip(remaining, map(str.strip, reset), strict=False)
        if rest.strip() == "0" and seconds.isascii() and seconds.isdigit()
    ]
    return max(1, min(max(waits), MAX_WAIT)) if waits else WAIT_DEFAULT
