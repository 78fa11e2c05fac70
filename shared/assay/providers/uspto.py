"""USPTO Open Data Portal: patent applications of the United States.

Documentation: https://data.uspto.gov/apis/patent-file-wrapper/search
Authentication: USPTO_API_KEY in the header X-API-KEY.
Limits: 100 applications a request here; no abstracts.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from assay.errors import NotFound, ToolError, UpstreamFailed
from assay.models.patents import Patent, PatentQuery
from assay.net.provider_client import ProviderResponse
from assay.provider_base.parsing.patent_fields import build_patent, choose_first_name, strip_legal_form
from assay.provider_base.parsing.patent_numbers import Number, parse_number
from assay.provider_base.provider import PATENT_FIELDS, Provider
from assay.provider_base.results import Hits, get_path, get_rows, usable_results

META = "applicationMetaData"
BAG = "patentFileWrapperDataBag"
FIELDS = f"applicationNumberText,{META},assignmentBag"
WORD = re.compile(r'"([^"]+)"|([^\s"]+)')
OPERATORS = frozenset({"AND", "OR", "NOT"})
MAX_PADDING = 3  # blanks between subclass and group of a CPC symbol
MAX_RESULTS = 100
CASE = "https://patentcenter.uspto.gov/applications/"


class Uspto(Provider):
    name = "uspto"
    address = "https://api.uspto.gov/api/v1"
    key_name = "USPTO_API_KEY"
    supported_filters: ClassVar = {"patents": PATENT_FIELDS}
    max_results: ClassVar = {"patents": MAX_RESULTS}

    def headers(self) -> Mapping[str, str]:
        return {"X-API-KEY": self.key}

    def refusal(self, response: ProviderResponse) -> ToolError | None:
        """A 404 in JSON means no match; a 404 with an HTML page means that the portal is unavailable."""
        if response.status == 404 and isinstance(response.body, str) and "<html" in response.body.lower():
            return UpstreamFailed("uspto returned an HTML page instead of patents.", provider=self.name)
        return super().refusal(response)

    async def patents(self, query: PatentQuery) -> Hits[Patent]:
        """US applications, granted or not, without abstracts. For other offices the result is empty, with a warning."""
        if query.patent_office not in ("all", "US") or not build_query(query):
            return Hits([], warnings=["uspto has US patents only and was skipped."])
        wanted = self.count("patents", query)
        count = MAX_RESULTS if query.cpc_code else wanted  # the class is filtered again here, so more are fetched
        try:
            answer = await self.get(
                "/patent/applications/search", q=build_query(query), offset=0, limit=count, fields=FIELDS
            )
        except NotFound:
            return Hits([])  # no match
        self.expect_fields(answer, BAG, "count")
        found = [row for row in get_rows(answer, BAG) if _is_classed(row, query.cpc_code or "")]
        return usable_results((_parse_patent(row) for row in found[:wanted]), self.name)


def build_query(query: PatentQuery) -> str:
    """The query in the portal's syntax, with words quoted so that none is an operator; "" for another office."""
    number = parse_number(query.query or "")
    if number:
        return _build_number_query(number) if number.office == "US" else ""
    clauses = [f'"{word}"' for word in _split_words(query.query or "")]
    if query.assignee:
        name = _escape_text(strip_legal_form(query.assignee))
        clauses.append(_match_any(name, f"{META}.firstApplicantName", "assignmentBag.assigneeBag.assigneeNameText"))
    if query.inventor:
        clauses.append(
            _match_any(
                _escape_text(query.inventor), f"{META}.firstInventorName", f"{META}.inventorBag.inventorNameText"
            )
        )
    if query.cpc_code:
        clauses.append(_build_classification_query(query.cpc_code))
    if query.year_from or query.year_to:
        since, until = f"{query.year_from or 1790}-01-01", f"{query.year_to or 2100}-12-31"
        clauses.append(f"{META}.filingDate:[{since} TO {until}]")
    return " AND ".join(clauses)


def _build_number_query(number: Number) -> str:
    return _match_any(number.digits, f"{META}.patentNumber", "applicationNumberText") + (
        f" OR {META}.earliestPublicationNumber:{number}*" if len(number.digits) == 11 else ""
    )


def _match_any(text: str, *fields: str) -> str:
    return f"({' OR '.join(f'{field}:"{text}"' for field in fields)})"


def _build_classification_query(code: str) -> str:
    """The clause for a CPC code. Groups are padded with blanks to four characters; wildcards do not work in quotes."""
    subclass, group = code[:4], code[4:].replace("/", "\\/")
    field = f"{META}.cpcClassificationBag"
    if not group:
        return f"{field}:{subclass}*"
    return f"({' OR '.join(f'{field}:{subclass}{"?" * blanks}{group}*' for blanks in range(MAX_PADDING + 1))})"


def _split_words(query: str) -> Iterator[str]:
    for phrase, word in WORD.findall(query):
        text = _escape_text(phrase or word)
        if text and word not in OPERATORS:
            yield text


def _escape_text(text: str) -> str:
    return " ".join(re.sub(r'["\\]', " ", text).split()).strip("(),;: ")


def _is_classed(row: Mapping[str, Any], code: str) -> bool:
    bag = get_path(row, META, "cpcClassificationBag")
    symbols = bag if isinstance(bag, list) else []
    return not code or any("".join(one.split()).upper().startswith(code) for one in symbols if isinstance(one, str))


def _parse_patent(row: Mapping[str, Any]) -> Patent | None:
    """The patent, numbered by its grant, else its publication, else its application."""
    meta = row.get(META)
    meta = meta if isinstance(meta, Mapping) else {}
    number, url = _choose_number(meta, row.get("applicationNumberText"))
    return build_patent(
        meta.get("inventionTitle"),
        number,
        url=url,
        assignee=choose_first_name(_parse_assignees(meta, row)),
        inventor=choose_first_name(_parse_inventors(meta)),
        filed=meta.get("filingDate"),
        published=meta.get("earliestPublicationDate"),
        granted=meta.get("grantDate"),
        status=meta.get("applicationStatusDescriptionText"),
    )


def _choose_number(meta: Mapping[str, Any], application: Any) -> tuple[str | None, str | None]:
    """The number, and a URL if there is no published document at Google Patents."""
    for value in (meta.get("patentNumber"), meta.get("earliestPublicationNumber")):
        found = parse_number(f"US{str(value).removeprefix('US')}") if isinstance(value, str | int) and value else None
        if found:
            return str(found), None
    if isinstance(application, str) and re.fullmatch(r"[\dA-Z]{6,12}", application):
        shown = f"{application[:2]}/{application[2:]}" if len(application) == 8 else application
        return f"US {shown}", f"{CASE}{application}"
    return None, None


def _parse_assignees(meta: Mapping[str, Any], row: Mapping[str, Any]) -> Iterator[Any]:
    """Candidates for the owner: applicants other than the inventor, then the first assignee, then any applicant."""
    applicants = (meta.get("firstApplicantName"), get_path(meta, "applicantBag", 0, "applicantNameText"))
    yield from (name for name in applicants if name != meta.get("firstInventorName"))
    yield get_path(row, "assignmentBag", 0, "assigneeBag", 0, "assigneeNameText")
    yield from applicants


def _parse_inventors(meta: Mapping[str, Any]) -> Iterator[Any]:
    yield meta.get("firstInventorName")
    yield get_path(meta, "inventorBag", 0, "inventorNameText")
    yield " ".join(str(get_path(meta, "inventorBag", 0, part) or "") for part in ("firstName", "lastName"))
