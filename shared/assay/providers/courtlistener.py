"""CourtListener: opinions of courts of the United States.

Documentation: https://www.courtlistener.com/help/api/rest/search/
Authentication: optional, COURTLISTENER_API_TOKEN. Anonymous clients have about a hundred requests a day.
Limits: 20 results a page; the API has no parameter for the page size.
"""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from assay.errors import KeyRejected, ToolError
from assay.models.public_records import Case, CaseQuery
from assay.net.provider_client import ProviderResponse
from assay.provider_base.parsing.periods import parse_span
from assay.provider_base.provider import Provider
from assay.provider_base.results import Hits, as_count, get_rows, usable_results
from assay.text.plain_text import to_plain_text

VERSUS = re.compile(r"\S\s+vs?\.?\s+\S", re.IGNORECASE)
CITED = re.compile(r"\d{1,4}\s+[A-Z][A-Za-z0-9.' ]{0,30}?\s+\d{1,5}", re.ASCII)  # 384 U.S. 436
YEAR_AND_COURT = re.compile(r"[\s,]*\([^()]*\d{4}\)\s*$")
PATH = re.compile(r"/[A-Za-z0-9._~/-]*", re.ASCII)
SITE = "https://www.courtlistener.com"


class CourtListener(Provider):
    name = "courtlistener"
    address = SITE
    credential_name = "COURTLISTENER_API_TOKEN"
    max_results: ClassVar = {"cases": 20}
    supported_filters: ClassVar = {"cases": frozenset({"jurisdiction", "date_from", "date_to", "num_results"})}

    def headers(self) -> Mapping[str, str]:
        """The token, if configured; without one the daily quota is small."""
        return {"Authorization": f"Token {self.token}"} if self.token else {}

    @property
    def token(self) -> str:
        return self.settings.key(self.credential_name)

    def refusal(self, response: ProviderResponse) -> ToolError | None:
        if response.status in (401, 403) and not self.token:
            return KeyRejected("courtlistener requires a key.", provider=self.name)
        return super().refusal(response)

    async def cases(self, query: CaseQuery) -> Hits[Case]:
        """Opinions that match, best match first; for a case name, the most cited first."""
        params = _build_query(query.query)
        answer = await self.get(
            "/api/rest/v4/search/",
            type="o",
            **params,
            court=" ".join(re.split(r"[ ,]+", query.jurisdiction.lower())) if query.jurisdiction else None,
            filed_after=query.date_from,
            filed_before=query.date_to,
        )
        listed = get_rows({"found": answer["results"]}, "found")
        found = usable_results((_parse_case(row) for row in listed), self.name)
        more = bool(answer.get("next")) or len(found) > query.num_results
        if not found and "case_name" in params:
            found.warnings.append('Only case names were searched. To search the text of opinions, omit "v.".')
        return Hits(found[: query.num_results], more=more, warnings=found.warnings)


def _build_query(query: str) -> dict[str, str]:
    """Query parameters: a case name without its citation, a citation, or words in the text of opinions."""
    text = YEAR_AND_COURT.sub("", query)
    if CITED.fullmatch(text):
        return {"q": f'citation:("{text}")'}
    if not VERSUS.search(query):
        return {"q": query}
    cited = CITED.search(text)
    name = text[: cited.start()].rstrip(" ,;") if cited else text
    return {"case_name": name if VERSUS.search(name) else query, "order_by": "citeCount desc"}


def _parse_case(row: Mapping[str, Any]) -> Case | None:
    name, path = (
        to_plain_text(row.get("caseName"), 300) or to_plain_text(row.get("caseNameFull"), 300),
        row.get("absolute_url"),
    )
    if not name or not isinstance(path, str) or not PATH.fullmatch(path) or path.startswith("//"):
        return None
    return Case(
        case_name=name,
        citation="; ".join(_get_texts(row.get("citation"))) or None,
        court=to_plain_text(row.get("court"), 200) or None,
        court_id=to_plain_text(row.get("court_id"), 40) or None,
        date_filed=_parse_day(row.get("dateFiled")),
        docket_number=to_plain_text(row.get("docketNumber"), 200) or None,
        citation_count=as_count(row.get("citeCount")),
        url=SITE + path,
        source="courtlistener",
    )


def _parse_day(value: Any) -> str | None:
    """YYYY-MM-DD from a date or a timestamp; None if invalid."""
    text = to_plain_text(value, 40)[:10]
    return text if parse_span(text) else None


def _get_texts(value: Any) -> list[str]:
    listed = value if isinstance(value, list) else [value]
    return [text for one in listed if (text := to_plain_text(one, 200))]
