"""DuckDuckGo: web search with the HTML page for browsers without JavaScript.

Page: https://html.duckduckgo.com/html/ (there is no documented API)
Authentication: none.
Limits: queries of 499 characters. Frequent requests get status 202 or a CAPTCHA page.
"""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import parse_qs

from assay.errors import RateLimited, ToolError, UpstreamFailed
from assay.models.common import WebHit, WebQuery
from assay.net.provider_client import WAIT_DEFAULT, ProviderResponse
from assay.provider_base.provider import WEB_FIELDS, Provider
from assay.provider_base.results import Hits, build_web_hit, usable_results
from assay.text.dates import rfc3339
from assay.text.url_parts import split_url

if TYPE_CHECKING:
    from bs4 import Tag

DATES = {"day": "d", "week": "w", "month": "m", "year": "y"}
SAFE = {"off": "-2", "medium": "-1", "high": "1"}
ANYWHERE = "wt-wt"
# Country to regions; in a country with several languages, the query's language selects one.
REGIONS = {
    "AR": "ar-es", "AT": "at-de", "AU": "au-en", "BE": "be-nl be-fr", "BG": "bg-bg", "BR": "br-pt", "CA": "ca-en ca-fr",
    "CH": "ch-de ch-fr ch-it", "CL": "cl-es", "CN": "cn-zh", "CO": "co-es", "CZ": "cz-cs", "DE": "de-de", "DK": "dk-da",
    "EE": "ee-et", "ES": "es-es es-ca", "FI": "fi-fi", "FR": "fr-fr", "GB": "uk-en", "GR": "gr-el", "HK": "hk-tzh",
    "HR": "hr-hr", "HU": "hu-hu", "ID": "id-id id-en", "IE": "ie-en", "IL": "il-he", "IN": "in-en", "IT": "it-it",
    "JP": "jp-jp", "KR": "kr-kr", "LT": "lt-lt", "LV": "lv-lv", "MX": "mx-es", "MY": "my-ms my-en", "NL": "nl-nl",
    "NO": "no-no", "NZ": "nz-en", "PE": "pe-es", "PH": "ph-en ph-tl", "PK": "pk-en", "PL": "pl-pl", "PT": "pt-pt",
    "RO": "ro-ro", "RU": "ru-ru", "SA": "xa-ar", "SE": "se-sv", "SG": "sg-en", "SI": "sl-sl", "SK": "sk-sk",
    "TH": "th-th", "TR": "tr-tr", "TW": "tw-tzh", "UA": "ua-uk", "US": "us-en us-es", "VE": "ve-es", "VN": "vn-vi",
    "ZA": "za-en",
}  # fmt: skip
CAPTCHA = re.compile(r"<[^<>]*(?:anomaly-modal|anomaly\.js|challenge-form)", re.IGNORECASE)
# The page is served to browsers only; other user agents get a CAPTCHA.
BROWSER = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
)


class DuckDuckGo(Provider):
    name = "duckduckgo"
    address = "https://html.duckduckgo.com/html"
    max_query_chars = 499
    page_size = 40  # the size of a page cannot be chosen
    supported_filters: ClassVar = {"web": WEB_FIELDS - {"language"}}  # it has regions, not languages

    def headers(self) -> Mapping[str, str]:
        return {"User-Agent": BROWSER, "Accept": "text/html", "Referer": "https://html.duckduckgo.com/"}

    def refusal(self, response: ProviderResponse) -> ToolError | None:
        """Clients that are taken for robots get status 202 or a CAPTCHA page."""
        is_captcha = isinstance(response.body, str) and response.status < 400 and _is_captcha_page(response.body)
        if response.status != 202 and not is_captcha:
            return None
        return RateLimited(
            f"duckduckgo blocked the request as automated. Wait {WAIT_DEFAULT} seconds, or use another provider.",
            provider=self.name,
            retry_after=WAIT_DEFAULT,
        )

    async def web(self, query: WebQuery) -> Hits[WebHit]:
        query_text, warnings = self.build_query(query)
        response = await self.exchange(
            "GET",
            "/",
            params={
                "q": query_text,
                "kl": _choose_region(query, warnings),
                "df": DATES.get(query.time_range or ""),
                "p": SAFE[query.safe],
            },
            cap=2 * 1024 * 1024,
            expect="text",
        )
        return usable_results(self._read(response.body), self.name, warnings=warnings)

    def _read(self, page: str) -> list[WebHit | None]:
        from bs4 import BeautifulSoup

        soup = BeautifulSoup(page, "lxml")
        found = [self._parse_hit(result) for result in _find_results(soup)]
        if not found and not soup.select_one(
            ".no-results, .result--no-result, #links, .results, form[action*='/html']"
        ):
            raise UpstreamFailed(
                "duckduckgo returned a page without search results. Use another provider.", provider=self.name
            )
        return found

    def _parse_hit(self, result: "Tag") -> WebHit | None:
        title = result.select_one("a.result__a")
        snippet = result.select_one(".result__snippet")
        if title is None:
            return None
        dated = result.select(".result__extras span")
        dates = (rfc3339(span.get_text().strip(), self.clock()) for span in dated)
        return build_web_hit(
            _escape_text(title),
            _parse_target(str(title.get("href") or "")),
            _escape_text(snippet) if snippet else "",
            published_at=next((date for date in dates if date), None),
        )


def _find_results(soup: Any) -> Iterator["Tag"]:
    """The result elements, without advertisements and the "no results" element."""
    for result in soup.select(".result"):
        marks = set(result.get("class") or ())
        if not marks & {"result--ad", "result--no-result"} and not result.select_one(".badge--ad"):
            yield result


def _escape_text(tag: "Tag") -> str:
    """The text of an element, escaped for HTML, since texts of hits are parsed as HTML."""
    return tag.get_text().replace("&", "&amp;").replace("<", "&lt;")


def _parse_target(href: str) -> str | None:
    """The URL of a result, direct or from the redirect `/l/?uddg=`; None for an advertisement."""
    if href.startswith("//"):
        href = f"https:{href}"
    parts = split_url(href)
    host = (parts.hostname or "duckduckgo.com").lower()
    if host != "duckduckgo.com" and not host.endswith(".duckduckgo.com"):
        return href
    if parts.path.rstrip("/") != "/l":
        return None if parts.path == "/y.js" else href
    return next(iter(parse_qs(parts.query).get("uddg", [])), None)


def _is_captcha_page(page: str) -> bool:
    return "result__a" not in page and CAPTCHA.search(page) is not None


def _choose_region(query: WebQuery, warnings: list[str]) -> str:
    country = (query.country or "").upper()
    language = (query.language or "").split("-")[0].lower()
    regions = REGIONS.get("GB" if country == "UK" else country, "").split()
    if country and not regions:
        warnings.append(f"duckduckgo does not support the country {country}; it was ignored.")
    if not regions:
        return ANYWHERE
    return next((region for region in regions if region.endswith(f"-{language}")), regions[0])
