"""Google Programmable Search. https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list"""

from collections.abc import Mapping
from typing import Any, ClassVar

from assay.models import WebHit, WebQuery
from assay.providers import WEB_FIELDS, Hits, Provider, dug, kept, rows, web_hit
from assay.settings import Settings
from assay.text.dates import rfc3339

AGE = {"day": "d1", "week": "w1", "month": "m1", "year": "y1"}
CHINESE = {"zh": "zh-CN", "zh-cn": "zh-CN", "zh-tw": "zh-TW", "zh-hk": "zh-TW"}
ENGINE = "GOOGLE_CUSTOM_SEARCH_ID"
DATED = (
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
    price = 5_000
    honours: ClassVar = {"web": WEB_FIELDS}

    @classmethod
    def configured(cls, settings: Settings) -> bool:
        return bool(settings.key(cls.key_name) and settings.key(ENGINE))

    @classmethod
    def needs(cls, settings: Settings) -> str:
        return ENGINE if settings.key(cls.key_name) else cls.key_name

    async def web(self, ask: WebQuery) -> Hits[WebHit]:
        query, warnings = self.text(ask, native=("exact_terms", "exclude_terms"))
        country = (ask.country or "").upper()
        answer = await self.get(
            "",
            key=self.key,
            cx=getattr(ask, "cx", None) or self.settings.key(ENGINE),
            q=query,
            num=min(ask.num_results, 10),
            safe="off" if ask.safe == "off" else "active",
            lr=_language(ask.language),
            cr=f"country{country}" if country else None,
            gl=country.lower() or None,
            exactTerms=ask.exact_terms or None,
            excludeTerms=ask.exclude_terms or None,
            dateRestrict=AGE.get(ask.time_range or ""),
        )
        if not {"items", "searchInformation", "queries"} & set(answer):
            raise TypeError("this is no answer to a search")
        return kept((self._hit(row) for row in rows(answer, "items")), self.name, warnings=warnings)

    def _hit(self, row: Mapping[str, Any]) -> WebHit | None:
        return web_hit(row.get("title"), row.get("link"), row.get("snippet"), published_at=self._published(row))

    def _published(self, row: Mapping[str, Any]) -> str | None:
        """What the page itself says of its date, as far as Google passes it on."""
        told = [dug(row, "pagemap", kind, 0, name) for kind in ("newsarticle", "article", "metatags") for name in DATED]
        return next((date for date in (rfc3339(value, self.clock()) for value in told) if date), None)


def _language(language: str | None) -> str | None:
    if not language:
        return None
    code = language.lower()
    return f"lang_{CHINESE.get(code) or code.split('-')[0]}"
