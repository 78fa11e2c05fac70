"""Brave Search. https://api-dashboard.search.brave.com/api-reference/web/search/get"""

from collections.abc import Mapping
from typing import Any, ClassVar

from assay.errors import AuthRequired, PaymentRequired, RateLimited, Refused, ToolError
from assay.models import WebHit, WebQuery
from assay.net.http import WAIT_DEFAULT, Got, wait_told
from assay.net.retry import MOST
from assay.providers import WEB_FIELDS, Hits, Provider, counted, dug, kept, rows, web_hit
from assay.text.dates import rfc3339
from assay.text.plain import plain


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
KEY_CODES = {"SUBSCRIPTION_TOKEN_INVALID", "SUBSCRIPTION_TOKEN_MISSING", "SUBSCRIPTION_NOT_FOUND"}
PLAN_CODES = {"OPTION_NOT_IN_PLAN", "RESOURCE_NOT_ALLOWED", "QUOTA_LIMITED", "USAGE_LIMIT_EXCEEDED"}


class Brave(Provider):
    name = "brave"
    address = "https://api.search.brave.com/res/v1"
    key_name = "BRAVE_API_KEY"
    price = 5_000
    characters, words = 400, 50
    honours: ClassVar = {"web": WEB_FIELDS}

    def headers(self) -> Mapping[str, str]:
        return {"X-Subscription-Token": self.key, "Accept": "application/json"}

    def refusal(self, got: Got) -> ToolError | None:
        """Brave tells by a code what it refuses: a bad key, for one, is a 422 like any malformed question."""
        self._pace(got.headers)
        code = dug(got.body, "error", "code") or dug(got.body, "errors", 0, "code")
        if got.status == 429 or code == "RATE_LIMITED":
            return self._rate_limited(got)
        if code in KEY_CODES:
            return AuthRequired("brave refuses our key. Check BRAVE_API_KEY.", provider=self.name)
        if code in PLAN_CODES:
            return PaymentRequired("brave's plan is used up or does not cover this.", provider=self.name)
        if isinstance(code, str):
            return Refused(f"brave refused the question (HTTP {got.status}).", provider=self.name)
        return super().refusal(got)

    def _rate_limited(self, got: Got) -> RateLimited:
        """Brave sends no Retry-After: the window that is used up says when it begins anew."""
        wait = wait_told(got.headers, self.clock()) or _reset(got.headers)
        meta = dug(got.body, "error", "meta")
        limit, current = counted(dug(meta, "quota_limit")), counted(dug(meta, "quota_current"))
        used_up = limit is not None and current is not None and current >= limit
        return RateLimited(
            f"brave {'has no monthly quota left' if used_up else 'wants fewer requests'}. "
            f"Wait {wait} seconds, or use another provider.",
            provider=self.name,
            retry_after=wait,
        )

    def _pace(self, headers: Mapping[str, str]) -> None:
        """The plan's own pace: `1;w=1` is one request a second. Plans of ten and more a second need no queue."""
        rate, _, window = headers.get("x-ratelimit-policy", "").split(",")[0].partition(";w=")
        if rate.strip().isdigit() and window.strip() == "1":
            self.min_interval = 1 / int(rate) if 0 < int(rate) < 10 else 0.0

    async def web(self, ask: WebQuery) -> Hits[WebHit]:
        query, warnings = self.text(ask)
        country, language = _country(ask, warnings), _language(ask, warnings)
        answer = await self.exchange(
            "GET",
            "/web/search",
            headers={"Api-Version": "2023-01-01"},
            params={
                "q": query,
                "count": ask.num_results,
                "country": country,
                "search_lang": language,
                "safesearch": SAFE[ask.safe],
                "freshness": FRESHNESS.get(ask.time_range or ""),
                "extra_snippets": "1" if self._extra() else None,
                "goggles": getattr(ask, "goggle", None),
            },
        )
        if not {"type", "query", "web"} & set(answer.body):
            raise TypeError("this is no answer to a search")
        more = dug(answer.body, "query", "more_results_available")
        return kept(
            (self._hit(row) for row in rows(answer.body, "web", "results")),
            self.name,
            more=more if isinstance(more, bool) else None,
            warnings=warnings,
        )

    def _extra(self) -> bool:
        return self.settings.key("BRAVE_EXTRA_SNIPPETS").lower() in ("1", "true", "yes", "on")

    def _hit(self, row: Mapping[str, Any]) -> WebHit | None:
        extra = row.get("extra_snippets")
        snippets = [text for text in map(plain, extra if isinstance(extra, list) else []) if text]
        return web_hit(
            row.get("title"),
            row.get("url"),
            row.get("description"),
            published_at=rfc3339(row.get("page_age") or row.get("age"), self.clock()),
            extra_snippets=snippets or None,
        )


def _country(ask: WebQuery, warnings: list[str]) -> str | None:
    country = (ask.country or "").upper()
    if country and country not in COUNTRIES:
        warnings.append(f"brave has no index of country {country}; it was ignored.")
    return country if country in COUNTRIES else None


def _language(ask: WebQuery, warnings: list[str]) -> str | None:
    given = (ask.language or "").lower()
    for name in (given, given.split("-")[0]):
        known = OTHER_NAMES.get(name, name)
        if known in LANGUAGES:
            return known
    if given:
        warnings.append(f"brave does not search by language {given}; it was ignored.")
    return None


def _reset(headers: Mapping[str, str]) -> int:
    """Seconds until the last of the used-up windows begins anew (`0, 14` left, `1, 1419704` seconds to the reset)."""
    left = headers.get("x-ratelimit-remaining", "").split(",")
    reset = headers.get("x-ratelimit-reset", "").split(",")
    waits = [
        int(seconds[:12])
        for rest, seconds in zip(left, map(str.strip, reset), strict=False)
        if rest.strip() == "0" and seconds.isascii() and seconds.isdigit()
    ]
    return max(1, min(max(waits), MOST)) if waits else WAIT_DEFAULT
