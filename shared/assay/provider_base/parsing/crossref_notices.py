"""Retraction notices and dates of Crossref's records."""

from collections.abc import Mapping
from datetime import date
from typing import Any, Literal

from assay.models.common import RetractionStatus
from assay.provider_base.results import get_path

type Kind = Literal["retraction", "expression_of_concern", "correction"]
KINDS: Mapping[Kind, frozenset[str]] = {  # most serious first
    "retraction": frozenset({"retraction", "partial_retraction", "withdrawal", "removal"}),
    "expression_of_concern": frozenset({"expression_of_concern"}),
    "correction": frozenset({"correction", "corrigendum", "erratum", "addendum", "clarification"}),
}


def parse_date_parts(parts: Any) -> str:
    """YYYY, YYYY-MM or YYYY-MM-DD, by the parts that are present; "" without a year."""
    known: list[int] = []
    for part in parts[:3] if isinstance(parts, list) else []:
        if not isinstance(part, int) or isinstance(part, bool) or not 1 <= part <= 9999:
            break
        known.append(part)
    return "-".join(f"{part:0{2 if at else 4}}" for at, part in enumerate(known))


def choose_most_serious(notices: Any) -> RetractionStatus | None:
    """The most serious of the `updated-by` notices, the latest of its kind; None if no kind is known."""
    listed = notices if isinstance(notices, list) else []
    known = [notice for row in listed if isinstance(row, Mapping) and (notice := _parse_notice(row))]
    order = list(KINDS)
    latest_first = sorted(known, key=lambda notice: notice.date or "", reverse=True)
    return min(latest_first, key=lambda notice: order.index(notice.kind), default=None)


def _parse_notice(row: Mapping[str, Any]) -> RetractionStatus | None:
    type_name = str(row.get("type") or "").lower().replace("-", "_").replace(" ", "_")
    kind = next((kind for kind, words in KINDS.items() if type_name in words), None)
    if kind is None:
        return None
    doi, source = row.get("DOI"), row.get("source")
    return RetractionStatus(
        retracted=kind == "retraction",
        kind=kind,
        date=_parse_notice_date(row.get("updated")),
        notice_doi=doi.lower() if isinstance(doi, str) and doi.startswith("10.") else None,
        source=source if source in ("retraction-watch", "publisher") else None,
    )


def _parse_notice_date(updated: Any) -> str | None:
    """YYYY-MM-DD from the timestamp or the date parts; None if invalid."""
    timestamp = get_path(updated, "date-time")
    parts = get_path(updated, "date-parts", 0)
    try:
        if isinstance(timestamp, str):
            return date.fromisoformat(timestamp[:10]).isoformat()
        return date(*[*parts, 1, 1][:3]).isoformat() if isinstance(parts, list) else None
    except (ValueError, TypeError, OverflowError):
        return None
