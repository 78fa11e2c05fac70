"""Tavily: web search, news and answers with citations.

Documentation: https://docs.tavily.com/documentation/api-reference/endpoint/search
Authentication: TAVILY_API_KEY as bearer token.
Limits: queries of 400 characters, 20 results, 300 hosts. Status 432 and 433 mean that the plan or the pay-as-you-go
limit is reached. A basic search costs one credit.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from assay.errors import InvalidInput, PaymentRequired, ToolError
from assay.models.common import CitedSource, GroundedAnswer, Input, Question, WebHit, WebQuery
from assay.models.search_queries import NewsHit, NewsQuery
from assay.net.provider_client import ProviderResponse
from assay.provider_base.provider import NEWS_FIELDS, PAGE_OPERATORS, WEB_FIELDS, Provider
from assay.provider_base.results import (
    Hits,
    build_news_hit,
    build_web_hit,
    get_path,
    get_rows,
    require_rows,
    usable_results,
)
from assay.text.dates import rfc3339
from assay.text.sanitize import sanitise

# Tavily's names of the countries that it can prefer, by ISO 3166-1 code.
COUNTRIES = {
    "AD": "andorra", "AE": "united arab emirates", "AF": "afghanistan", "AL": "albania", "AM": "armenia",
    "AO": "angola", "AR": "argentina", "AT": "austria", "AU": "australia", "AZ": "azerbaijan",
    "BA": "bosnia and herzegovina", "BB": "barbados", "BD": "bangladesh", "BE": "belgium", "BF": "burkina faso",
    "BG": "bulgaria", "BH": "bahrain", "BI": "burundi", "BJ": "benin", "BN": "brunei", "BO": "bolivia", "BR": "brazil",
    "BS": "bahamas", "BT": "bhutan", "BW": "botswana", "BY": "belarus", "BZ": "belize", "CA": "canada",
    "CF": "central african republic", "CG": "congo", "CH": "switzerland", "CL": "chile", "CM": "cameroon",
    "CN": "china", "CO": "colombia", "CR": "costa rica", "CU": "cuba", "CV": "cape verde", "CY": "cyprus",
    "CZ": "czech republic", "DE": "germany", "DJ": "djibouti", "DK": "denmark", "DO": "dominican republic",
    "DZ": "algeria", "EC": "ecuador", "EE": "estonia", "EG": "egypt", "ER": "eritrea", "ES": "spain", "ET": "ethiopia",
    "FI": "finland", "FJ": "fiji", "FR": "france", "GA": "gabon", "GB": "united kingdom", "GE": "georgia",
    "GH": "ghana", "GM": "gambia", "GN": "guinea", "GQ": "equatorial guinea", "GR": "greece", "GT": "guatemala",
    "HN": "honduras", "HR": "croatia", "HT": "haiti", "HU": "hungary", "ID": "indonesia", "IE": "ireland",
    "IL": "israel", "IN": "india", "IQ": "iraq", "IR": "iran", "IS": "iceland", "IT": "italy", "JM": "jamaica",
    "JO": "jordan", "JP": "japan", "KG": "kyrgyzstan", "KH": "cambodia", "KM": "comoros", "KP": "north korea",
    "KR": "south korea", "KW": "kuwait", "KZ": "kazakhstan", "LB": "lebanon", "LI": "liechtenstein",
    "LK": "sri lanka", "LR": "liberia", "LS": "lesotho", "LT": "lithuania", "LU": "luxembourg", "LV": "latvia",
    "LY": "libya", "MA": "morocco", "MC": "monaco", "MD": "moldova", "ME": "montenegro", "MG": "madagascar",
    "MK": "north macedonia", "ML": "mali", "MM": "myanmar", "MN": "mongolia", "MR": "mauritania", "MT": "malta",
    "MU": "mauritius", "MV": "maldives", "MW": "malawi", "MX": "mexico", "MY": "malaysia", "MZ": "mozambique",
    "NA": "namibia", "NE": "niger", "NG": "nigeria", "NI": "nicaragua", "NL": "netherlands", "NO": "norway",
    "NP": "nepal", "NZ": "new zealand", "OM": "oman", "PA": "panama", "PE": "peru", "PG": "papua new guinea",
    "PH": "philippines", "PK": "pakistan", "PL": "poland", "PT": "portugal", "PY": "paraguay", "QA": "qatar",
    "RO": "romania", "RS": "serbia", "RU": "russia", "RW": "rwanda", "SA": "saudi arabia", "SD": "sudan",
    "SE": "sweden", "SG": "singapore", "SI": "slovenia", "SK": "slovakia", "SN": "senegal", "SO": "somalia",
    "SS": "south sudan", "SV": "el salvador", "SY": "syria", "TD": "chad", "TG": "togo", "TH": "thailand",
    "TJ": "tajikistan", "TM": "turkmenistan", "TN": "tunisia", "TR": "turkey", "TT": "trinidad and tobago",
    "TW": "taiwan", "TZ": "tanzania", "UA": "ukraine", "UG": "uganda", "US": "united states", "UY": "uruguay",
    "UZ": "uzbekistan", "VE": "venezuela", "VN": "vietnam", "YE": "yemen", "ZA": "south africa", "ZM": "zambia",
    "ZW": "zimbabwe",
}  # fmt: skip
PLAN_LIMIT = {432, 433}  # the plan's and the pay-as-you-go limit


class Tavily(Provider):
    name = "tavily"
    address = "https://api.tavily.com"
    key_name = "TAVILY_API_KEY"
    max_query_chars = 400
    sites_limit = 300
    page_size = 20
    supports_max_age = True
    price = 8_000  # of a credit; a basic search takes one
    supported_filters: ClassVar = {
        "web": WEB_FIELDS - {"safe", "language"},
        "news": NEWS_FIELDS - {"safe", "language", "country", "sort_by"},
        "answer": frozenset(),
    }
    max_results: ClassVar = {"news": 20}

    def headers(self) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {self.key}"}

    def refusal(self, response: ProviderResponse) -> ToolError | None:
        if response.status in PLAN_LIMIT:
            return PaymentRequired("tavily: the plan's limit is reached. Use another provider.", provider=self.name)
        return super().refusal(response)

    def actual_cost(self, response: ProviderResponse) -> int | None:
        used = get_path(response.body, "usage", "credits")
        known = isinstance(used, int | float) and not isinstance(used, bool) and 0 <= used < 1_000
        return round(used * self.price) if known else None

    def validate(self, operation: str, query: Input) -> None:
        if operation == "answer" and isinstance(query, Question) and len(query.query) > self.max_query_chars:
            raise InvalidInput(f"tavily accepts queries of up to {self.max_query_chars} characters.", field="query")

    async def web(self, query: WebQuery) -> Hits[WebHit]:
        query_text, warnings = self.build_query(query, native=("site", *PAGE_OPERATORS))
        after = getattr(query, "after", None) or self.since(query)
        answer = await self.post(
            "/search",
            {
                "query": query_text,
                "max_results": query.num_results,
                "search_depth": "basic",
                "topic": "general",
                "time_range": None if after else query.time_range,
                "start_date": after,
                "end_date": getattr(query, "before", None),
                "country": _find_country_name(query.country, warnings),
                "include_domains": self.hosts(query),
                "exclude_domains": list(getattr(query, "unwanted", ())) or None,
            },
        )
        return usable_results(
            (self._parse_hit(row) for row in require_rows(answer, "results")), self.name, warnings=warnings
        )

    async def news(self, query: NewsQuery) -> Hits[NewsHit]:
        query_text, warnings = self.build_query(query, native=("site",))
        answer = await self.post(
            "/search",
            {
                "query": query_text,
                "max_results": self.count("news", query),
                "search_depth": "basic",
                "topic": "news",
                "time_range": self.window(query, warnings),
                "include_domains": self.hosts(query),
            },
        )
        return usable_results(
            (self._parse_article(row) for row in require_rows(answer, "results")), self.name, warnings=warnings
        )

    async def answer(self, query: Question) -> Hits[GroundedAnswer]:
        response = await self.post(
            "/search",
            {
                "query": query.query,
                "search_depth": "basic",
                "topic": "general",
                "max_results": 5,
                "include_answer": "advanced",
                "include_usage": True,
            },
            seconds=3 * self.seconds,
        )
        found = response["results"]
        if not isinstance(found, list) or not isinstance(response.get("answer") or "", str):
            raise TypeError("answer is not a string, or results is not a list")
        cited = [
            CitedSource(title=hit.title, url=hit.url, published_date=hit.published_at)
            for hit in map(self._parse_hit, get_rows(response, "results"))
            if hit
        ]
        return Hits([GroundedAnswer(answer=sanitise(response.get("answer") or "").strip(), citations=cited)])

    def _parse_article(self, row: Mapping[str, Any]) -> NewsHit | None:
        date = rfc3339(row.get("published_date"), self.clock())
        return build_news_hit(row.get("title"), row.get("url"), row.get("content"), published_at=date)

    def _parse_hit(self, row: Mapping[str, Any]) -> WebHit | None:
        date = rfc3339(row.get("published_date"), self.clock())
        return build_web_hit(row.get("title"), row.get("url"), row.get("content"), published_at=date)


def _find_country_name(country: str | None, warnings: list[str]) -> str | None:
    """Tavily's name of the country; adds a warning if it has none."""
    name = COUNTRIES.get((country or "").upper())
    if country and name is None:
        warnings.append(f"tavily does not support the country {country.upper()}; it was ignored.")
    return name
