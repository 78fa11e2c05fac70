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
from assay.provider_base.parsing.patent_fields import bare, first, patent
from assay.provider_base.parsing.patent_numbers import Number, read
from assay.provider_base.provider import PATENT_FIELDS, Provider
from assay.provider_base.results import Hits, get_path, rows, usable_results

META = "applicationMetaData"
BAG = "patentFileWrapperDataBag"
FIELDS = f"applicationNumberText,{META},assignmentBag"
WORD = re.compile(r'"([^"]+)"|([^\s"]+)')
OPERATORS = frozenset({"AND", "OR", "NOT"})
PADDED = 3  # blanks that may stand between subclass and group
MOST = 100
CASE = "https://patentcenter.uspto.gov/applications/"


class Uspto(Provider):
    name = "uspto"
    address = "https://api.uspto.gov/api/v1"
    key_name = "USPTO_API_KEY"
    supported_filters: ClassVar = {"patents": PATENT_FIELDS}
    max_results: ClassVar = {"patents": MOST}

    def headers(self) -> Mapping[str, str]:
        return {"X-API-KEY": self.key}

    def refusal(self, got: ProviderResponse) -> ToolError | None:
        """Nothing found is a 404 in JSON; a page is a portal that is not there."""
        if got.status == 404 and isinstance(got.body, str) and "<html" in got.body.lower():
            return UpstreamFailed("uspto answered with a page instead of patents.", provider=self.name)
        return super().refusal(got)

    async def patents(self, ask: PatentQuery) -> Hits[Patent]:
        """Files of US applications, granted or not; there is no abstract. Other offices are not asked for."""
        if ask.patent_office not in ("all", "US") or not question(ask):
            return Hits([], warnings=["uspto knows US patents only; it was not asked."])
        wanted = self.count("patents", ask)
        count = MOST if ask.cpc_code else wanted  # the class is looked at again here, so more are fetched
        try:
            answer = await self.get(
                "/patent/applications/search", q=question(ask), offset=0, limit=count, fields=FIELDS
            )
        except NotFound:
            return Hits([])  # how the portal says that nothing matches
        self.expect_fields(answer, BAG, "count")
        found = [row for row in rows(answer, BAG) if _is_classed(row, ask.cpc_code or "")]
        return usable_results((_patent(row) for row in found[:wanted]), self.name)


def question(ask: PatentQuery) -> str:
    """The question in the portal's syntax: every word in quotes, so that none is an operator; "" for another office."""
    number = read(ask.query or "")
    if number:
        return _number_query(number) if number.office == "US" else ""
    clauses = [f'"{word}"' for word in _words(ask.query or "")]
    if ask.assignee:
        name = _safe(bare(ask.assignee))
        clauses.append(_any(name, f"{META}.firstApplicantName", "assignmentBag.assigneeBag.assigneeNameText"))
    if ask.inventor:
        clauses.append(_any(_safe(ask.inventor), f"{META}.firstInventorName", f"{META}.inventorBag.inventorNameText"))
    if ask.cpc_code:
        clauses.append(_classification_query(ask.cpc_code))
    if ask.year_from or ask.year_to:
        since, until = f"{ask.year_from or 1790}-01-01", f"{ask.year_to or 2100}-12-31"
        clauses.append(f"{META}.filingDate:[{since} TO {until}]")
    return " AND ".join(clauses)


def _number_query(number: Number) -> str:
    return _any(number.digits, f"{META}.patentNumber", "applicationNumberText") + (
        f" OR {META}.earliestPublicationNumber:{number}*" if len(number.digits) == 11 else ""
    )


def _any(text: str, *fields: str) -> str:
    return f"({' OR '.join(f'{field}:"{text}"' for field in fields)})"


def _classification_query(code: str) -> str:
    """A group stands behind blanks that make it four letters long, and a quoted wildcard would match nothing."""
    subclass, group = code[:4], code[4:].replace("/", "\\/")
    field = f"{META}.cpcClassificationBag"
    if not group:
        return f"{field}:{subclass}*"
    return f"({' OR '.join(f'{field}:{subclass}{"?" * blanks}{group}*' for blanks in range(PADDED + 1))})"


def _words(query: str) -> Iterator[str]:
    for phrase, word in WORD.findall(query):
        text = _safe(phrase or word)
        if text and word not in OPERATORS:
            yield text


def _safe(text: str) -> str:
    return " ".join(re.sub(r'["\\]', " ", text).split()).strip("(),;: ")


def _is_classed(row: Mapping[str, Any], code: str) -> bool:
    bag = get_path(row, META, "cpcClassificationBag")
    symbols = bag if isinstance(bag, list) else []
    return not code or any("".join(one.split()).upper().startswith(code) for one in symbols if isinstance(one, str))


def _patent(row: Mapping[str, Any]) -> Patent | None:
    """A granted patent by its number, else the published application, else the file by the application's number."""
    meta = row.get(META)
    meta = meta if isinstance(meta, Mapping) else {}
    number, url = _number(meta, row.get("applicationNumberText"))
    return patent(
        meta.get("inventionTitle"),
        number,
        url=url,
        assignee=first(_assignees(meta, row)),
        inventor=first(_inventors(meta)),
        filed=meta.get("filingDate"),
        published=meta.get("earliestPublicationDate"),
        granted=meta.get("grantDate"),
        status=meta.get("applicationStatusDescriptionText"),
    )


def _number(meta: Mapping[str, Any], application: Any) -> tuple[str | None, str | None]:
    """The number, and the address where that is not the page of a published document."""
    for said in (meta.get("patentNumber"), meta.get("earliestPublicationNumber")):
        found = read(f"US{str(said).removeprefix('US')}") if isinstance(said, str | int) and said else None
        if found:
            return str(found), None
    if isinstance(application, str) and re.fullmatch(r"[\dA-Z]{6,12}", application):
        told = f"{application[:2]}/{application[2:]}" if len(application) == 8 else application
        return f"US {told}", f"{CASE}{application}"
    return None, None


def _assignees(meta: Mapping[str, Any], row: Mapping[str, Any]) -> Iterator[Any]:
    """Who applied, unless that is the inventor; then whom the first assignment names."""
    applicants = (meta.get("firstApplicantName"), get_path(meta, "applicantBag", 0, "applicantNameText"))
    yield from (name for name in applicants if name != meta.get("firstInventorName"))
    yield get_path(row, "assignmentBag", 0, "assigneeBag", 0, "assigneeNameText")
    yield from applicants


def _inventors(meta: Mapping[str, Any]) -> Iterator[Any]:
    yield meta.get("firstInventorName")
    yield get_path(meta, "inventorBag", 0, "inventorNameText")
    yield " ".join(str(get_path(meta, "inventorBag", 0, part) or "") for part in ("firstName", "lastName"))
