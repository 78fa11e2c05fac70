"""Crossref. https://www.crossref.org/documentation/retrieve-metadata/rest-api/"""

from collections.abc import Mapping
from datetime import date
from typing import Any, Literal
from urllib.parse import quote

from assay.models import RetractionStatus
from assay.net.http import AGENT, ONCE
from assay.providers import Provider, dug, rows

WORKS_CAP = 4 * 1024 * 1024
type Kind = Literal["retraction", "expression_of_concern", "correction"]

KINDS: Mapping[Kind, frozenset[str]] = {  # the gravest first
    "retraction": frozenset({"retraction", "partial_retraction", "withdrawal", "removal"}),
    "expression_of_concern": frozenset({"expression_of_concern"}),
    "correction": frozenset({"correction", "corrigendum", "erratum", "addendum", "clarification"}),
}


class Crossref(Provider):
    name = "crossref"
    address = "https://api.crossref.org"

    async def integrity(self, doi: str) -> RetractionStatus | None:
        """The gravest notice recorded against the DOI, None where there is none. Raises NotFound for an unknown DOI."""
        answer = await self.get(f"/works/{quote(doi, safe='')}", mailto=self.mailto)
        return gravest(dug(answer, "message", "updated-by"))

    async def works(self, query: str, *, rows_asked: int, seconds: float) -> list[Mapping[str, Any]]:
        """The works that match, best first, as Crossref describes them."""
        got = await self.exchange(
            "GET",
            "/works",
            params={"query": query, "rows": rows_asked, "mailto": self.mailto},
            headers={"User-Agent": f"{AGENT} (mailto:{self.mailto})"} if self.mailto else None,
            seconds=seconds,
            cap=WORKS_CAP,
            tries=ONCE,
            redirects=5,
        )
        return rows(got.body, "message", "items")

    @property
    def mailto(self) -> str | None:
        """Whoever says who asks is served better; None where the operator names nobody."""
        key = self.settings.key
        return key("CROSSREF_MAILTO") or key("CROSSREF_EMAIL") or key("OPENALEX_EMAIL") or None


def gravest(notices: Any) -> RetractionStatus | None:
    """Of the notices of `updated-by` the gravest kind, the latest of that kind; None where none is of a known kind."""
    listed = notices if isinstance(notices, list) else []
    known = [told for row in listed if isinstance(row, Mapping) and (told := _notice(row))]
    order = list(KINDS)
    latest_first = sorted(known, key=lambda told: told.date or "", reverse=True)
    return min(latest_first, key=lambda told: order.index(told.kind), default=None)


def _notice(row: Mapping[str, Any]) -> RetractionStatus | None:
    said = str(row.get("type") or "").lower().replace("-", "_").replace(" ", "_")
    kind = next((kind for kind, words in KINDS.items() if said in words), None)
    if kind is None:
        return None
    doi, source = row.get("DOI"), row.get("source")
    return RetractionStatus(
        retracted=kind == "retraction",
        kind=kind,
        date=_date(row.get("updated")),
        notice_doi=doi.lower() if isinstance(doi, str) and doi.startswith("10.") else None,
        source=source if source in ("retraction-watch", "publisher") else None,
    )


def _date(updated: Any) -> str | None:
    """YYYY-MM-DD, from the moment or the parts; what is no date is None."""
    said = dug(updated, "date-time")
    parts = dug(updated, "date-parts", 0)
    try:
        if isinstance(said, str):
            return date.fromisoformat(said[:10]).isoformat()
        return date(*[*parts, 1, 1][:3]).isoformat() if isinstance(parts, list) else None
    except (ValueError, TypeError, OverflowError):
        return None
