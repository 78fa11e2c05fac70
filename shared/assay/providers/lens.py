"""The Lens: patents of about a hundred offices.

Documentation: https://docs.api.lens.org/request-patent.html
Authentication: LENS_API_TOKEN as bearer token.
Limits: by plan; the header X-Rate-Limit-Retry-After-Seconds states the wait after a 429.
"""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from assay.errors import RateLimited, ToolError
from assay.models.patents import Patent, PatentQuery
from assay.net.provider_client import ProviderResponse
from assay.net.retry import MAX_WAIT
from assay.provider_base.parsing.patent_fields import build_patent, choose_first_name, parse_day, strip_legal_form
from assay.provider_base.parsing.patent_numbers import build_number, parse_number
from assay.provider_base.provider import PATENT_FIELDS, Provider
from assay.provider_base.results import Hits, get_path, get_rows, usable_results

RESERVED = re.compile(r'[+\-=&|><!(){}\[\]^"~*?:\\/]')
FIELDS = (
    "lens_id", "jurisdiction", "doc_number", "kind", "date_published", "publication_type", "abstract", "legal_status",
    "biblio.invention_title", "biblio.application_reference", "biblio.parties.applicants", "biblio.parties.inventors",
)  # fmt: skip


class LensPatents(Provider):
    name = "lens"
    address = "https://api.lens.org"
    key_name = "LENS_API_TOKEN"
    supported_filters: ClassVar = {"patents": PATENT_FIELDS}

    def headers(self) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {self.key}"}

    def refusal(self, response: ProviderResponse) -> ToolError | None:
        """The wait after a 429 is in X-Rate-Limit-Retry-After-Seconds."""
        wait = response.headers.get("x-rate-limit-retry-after-seconds", "")
        if response.status == 429 and wait.isascii() and wait.isdecimal():
            seconds = min(MAX_WAIT, max(1, int(wait[:9])))
            return RateLimited(
                f"lens: the rate limit is exceeded. Wait {seconds} seconds, or use another provider.",
                provider=self.name,
                retry_after=seconds,
            )
        return super().refusal(response)

    async def patents(self, query: PatentQuery) -> Hits[Patent]:
        """Patents with all words in title, abstract or claims; years apply to the filing date."""
        answer = await self.post(
            "/patent/search",
            {
                "query": {"bool": _build_query(query)},
                "size": self.count("patents", query),
                "from": 0,
                "include": list(FIELDS),
            },
        )
        self.expect_fields(answer, "data", "total", "results")
        return usable_results((_parse_patent(row) for row in get_rows(answer, "data")), self.name)


def _build_query(query: PatentQuery) -> dict[str, Any]:
    """The Elasticsearch bool query: scoring `must` clauses and non-scoring `filter` clauses."""
    must: list[dict[str, Any]] = []
    filters: list[dict[str, Any]] = []
    number = parse_number(query.query or "")
    if number:
        digits = dict.fromkeys((number.digits, number.docdb, number.digits.lstrip("0")))
        filters += [{"terms": {"doc_number": list(digits)}}, {"term": {"jurisdiction": number.office}}]
    elif query.query:
        must.append(_build_text_query(query.query, "title", "abstract", "claim"))
    if query.assignee:
        must.append({"match_phrase": {"applicant.name": strip_legal_form(query.assignee)}})
    if query.inventor:
        must.append(_build_text_query(query.inventor, "inventor.name"))  # first and last names occur in either order
    if query.patent_office != "all" and not number:
        filters.append({"term": {"jurisdiction": query.patent_office}})
    if query.cpc_code:
        filters.append({"query_string": {"query": f"class_cpc.symbol:{_escape(query.cpc_code)}*"}})
    if query.year_from or query.year_to:
        filters.append({"range": {"application_reference.date": _build_year_filter(query)}})
    return {name: clauses for name, clauses in (("must", must), ("filter", filters)) if clauses}


def _build_year_filter(query: PatentQuery) -> dict[str, str]:
    return ({"gte": f"{query.year_from}-01-01"} if query.year_from else {}) | (
        {"lte": f"{query.year_to}-12-31"} if query.year_to else {}
    )


def _build_text_query(text: str, *fields: str) -> dict[str, Any]:
    """A query for all words and quoted phrases, with operators escaped."""
    parts = [part for part in re.split(r'("[^"]*")', text) if part.strip(' "')]
    quoted = [f'"{_escape(part[1:-1])}"' if part.startswith('"') else _escape(part).lower() for part in parts]
    return {"query_string": {"query": " ".join(quoted), "fields": list(fields), "default_operator": "and"}}


def _escape(text: str) -> str:
    return RESERVED.sub(lambda sign: " " if sign[0] in "<>" else f"\\{sign[0]}", text)


def _parse_patent(row: Mapping[str, Any]) -> Patent | None:
    office, digits, kind = (row.get(name) for name in ("jurisdiction", "doc_number", "kind"))
    if not isinstance(office, str) or not isinstance(digits, str) or not office or not digits:
        return None
    number = build_number(office, digits, kind if isinstance(kind, str) else "")
    published = parse_day(row.get("date_published"))
    return build_patent(
        _pick_english(get_path(row, "biblio", "invention_title")),
        number,
        abstract=_pick_english(row.get("abstract")),
        assignee=choose_first_name(_parse_names(get_path(row, "biblio", "parties", "applicants"))),
        inventor=choose_first_name(_parse_names(get_path(row, "biblio", "parties", "inventors"))),
        filed=get_path(row, "biblio", "application_reference", "date"),
        published=published,
        granted=parse_day(get_path(row, "legal_status", "grant_date")) or (published if number.is_grant else None),
        status=get_path(row, "legal_status", "patent_status"),
    )


def _pick_english(texts: Any) -> Any:
    """The English text, else the first in any language."""
    candidates = [one for one in texts if isinstance(one, Mapping)] if isinstance(texts, list) else []
    candidates.sort(key=lambda one: str(one.get("lang")).lower() != "en")
    return next((one["text"] for one in candidates if isinstance(one.get("text"), str) and one["text"].strip()), None)


def _parse_names(parties: Any) -> list[Any]:
    return [get_path(party, "extracted_name", "value") for party in parties] if isinstance(parties, list) else []
