"""Patents that were found: only what was asked for, each once, and who holds how many."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Annotated
from urllib.parse import urlencode

from pydantic import Field

from assay.models.common import Output
from assay.models.patents import Patent, PatentQuery
from assay.provider_base.parsing.patent_fields import bare, filed_within
from assay.provider_base.parsing.patent_numbers import read

LANDSCAPE = 25  # patents that are looked at for who holds them
CLUSTERS = 25


class Cluster(Output):
    """An owner and how many of the patents looked at are its."""

    assignee: Annotated[str, Field(description="Owner of the patents.")]
    count: Annotated[int, Field(description="Number of the patents found that it owns.")]


def fitting(patents: Iterable[Patent], ask: PatentQuery) -> list[Patent]:
    """Those of the office and of the years, each number once, in their order; first the one whose number was asked."""
    office, asked = "" if ask.patent_office == "all" else ask.patent_office, str(read(ask.query or "") or "")
    once = {one.number.replace(" ", ""): one for one in reversed(list(patents)) if one.number.startswith(office)}
    found = filed_within(reversed(once.values()), ask.year_from, ask.year_to)
    return sorted(found, key=lambda one: not (asked and one.number.startswith(asked)))


def clusters(patents: Iterable[Patent]) -> list[Cluster]:
    """Owners by how many they have; legal forms and capitals make no other owner. Each as it is written most often."""
    spelt: dict[str, Counter[str]] = {}
    for one in patents:
        if one.assignee:
            spelt.setdefault(bare(one.assignee).casefold(), Counter())[one.assignee] += 1
    found = [Cluster(assignee=names.most_common(1)[0][0], count=names.total()) for names in spelt.values()]
    return sorted(found, key=lambda one: -one.count)[:CLUSTERS]


def search_url(ask: PatentQuery) -> str:
    """Where a person can look for the same at Google Patents, whose years there are those of priority."""
    words = " ".join(filter(None, (ask.query, f"cpc:{ask.cpc_code}" if ask.cpc_code else "")))
    told: Mapping[str, object] = {
        "q": f"({words})" if words else None,
        "oq": ask.query,
        "assignee": ask.assignee,
        "inventor": ask.inventor,
        "country": None if ask.patent_office == "all" else ask.patent_office,
        "after": f"priority:{ask.year_from}0101" if ask.year_from else None,
        "before": f"priority:{ask.year_to}1231" if ask.year_to else None,
        "num": ask.num_results,
    }
    return "https://patents.google.com/?" + urlencode({k: v for k, v in told.items() if v is not None}, safe="():")
