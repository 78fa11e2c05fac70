"""Filtering and deduplication of patents, and counts by owner."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Annotated
from urllib.parse import urlencode

from pydantic import Field

from assay.models.common import Output
from assay.models.patents import Patent, PatentQuery
from assay.provider_base.parsing.patent_fields import filter_by_filing_year, strip_legal_form
from assay.provider_base.parsing.patent_numbers import parse_number

LANDSCAPE = 25  # patents that are counted by owner
MAX_CLUSTERS = 25


class Cluster(Output):
    """An owner and the number of its patents among the results."""

    assignee: Annotated[str, Field(description="Owner of the patents.")]
    count: Annotated[int, Field(description="Number of the patents found that it owns.")]


def filter_patents(patents: Iterable[Patent], query: PatentQuery) -> list[Patent]:
    """The patents of the office and the years, without duplicate numbers; the one with the queried number first."""
    office, queried = (
        "" if query.patent_office == "all" else query.patent_office,
        str(parse_number(query.query or "") or ""),
    )
    unique = {one.number.replace(" ", ""): one for one in reversed(list(patents)) if one.number.startswith(office)}
    found = filter_by_filing_year(reversed(unique.values()), query.year_from, query.year_to)
    return sorted(found, key=lambda one: not (queried and one.number.startswith(queried)))


def count_by_owner(patents: Iterable[Patent]) -> list[Cluster]:
    """Owners by number of patents. Spellings that differ in case or legal form count as one owner."""
    spellings: dict[str, Counter[str]] = {}
    for one in patents:
        if one.assignee:
            spellings.setdefault(strip_legal_form(one.assignee).casefold(), Counter())[one.assignee] += 1
    found = [Cluster(assignee=names.most_common(1)[0][0], count=names.total()) for names in spellings.values()]
    return sorted(found, key=lambda one: -one.count)[:MAX_CLUSTERS]


def search_url(query: PatentQuery) -> str:
    """The URL of the same search at Google Patents. Its year filters apply to the priority date."""
    words = " ".join(filter(None, (query.query, f"cpc:{query.cpc_code}" if query.cpc_code else "")))
    params: Mapping[str, object] = {
        "q": f"({words})" if words else None,
        "oq": query.query,
        "assignee": query.assignee,
        "inventor": query.inventor,
        "country": None if query.patent_office == "all" else query.patent_office,
        "after": f"priority:{query.year_from}0101" if query.year_from else None,
        "before": f"priority:{query.year_to}1231" if query.year_to else None,
        "num": query.num_results,
    }
    return "https://patents.google.com/?" + urlencode({k: v for k, v in params.items() if v is not None}, safe="():")
