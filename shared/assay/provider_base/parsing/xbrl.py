"""The headline figures among a company's XBRL facts, exactly as filed."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from assay.provider_base.parsing.patent_fields import parse_day
from assay.text.plain_text import to_plain_text

US = (
    "Revenues",
    "RevenueFromContractWithCustomerExcludingAssessedTax",
    "NetIncomeLoss",
    "OperatingIncomeLoss",
    "EarningsPerShareBasic",
    "EarningsPerShareDiluted",
    "Assets",
    "Liabilities",
    "StockholdersEquity",
    "CashAndCashEquivalentsAtCarryingValue",
)
ABROAD = (  # foreign private issuers, which file Form 20-F under IFRS
    "Revenue",
    "ProfitLoss",
    "ProfitLossFromOperatingActivities",
    "BasicEarningsLossPerShare",
    "DilutedEarningsLossPerShare",
    "Assets",
    "Liabilities",
    "Equity",
    "CashAndCashEquivalents",
)
CONCEPTS = {"us-gaap": US, "ifrs-full": ABROAD}
ANNUAL = ("10-K", "20-F", "40-F")


class XbrlFigure(NamedTuple):
    """`value` is text exactly as filed; `start` is None for a value at a point in time. Days are YYYY-MM-DD."""

    concept: str
    label: str | None
    unit: str
    value: str
    start: str | None
    end: str
    filed: str
    form: str
    accession: str


def select_headlines(
    facts: Mapping[str, Any], *, form: str | None = None, since: str = "", until: str = "9999-12-31"
) -> list[XbrlFigure]:
    """The latest figure of each concept filed from `since` to `until`, the latest period first.

    Of several with the same last day an annual report is preferred, then the last filed, then the longest period.
    """
    latest = []
    for concept, facts_of_concept in _iterate_concepts(facts):
        figures = [
            one
            for one in _iterate_figures(concept, facts_of_concept)
            if since <= one.filed <= until and form in (None, one.form)
        ]
        if figures:
            latest.append(max(figures, key=_rank))
    return sorted(latest, key=lambda one: one.end, reverse=True)  # the sort is stable, so the order of concepts stays


def _iterate_concepts(facts: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for taxonomy, names in CONCEPTS.items():
        concepts = facts.get(taxonomy)
        for name in names:
            if isinstance(concepts, Mapping) and isinstance(concepts.get(name), Mapping):
                yield name, concepts[name]


def _iterate_figures(concept: str, facts: Mapping[str, Any]) -> Iterator[XbrlFigure]:
    units = facts.get("units")
    label = to_plain_text(facts.get("label"), 200) or None
    for unit, entries in units.items() if isinstance(units, Mapping) else ():
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, Mapping) and (figure := _parse_figure(concept, label, str(unit), entry)):
                yield figure


def _parse_figure(concept: str, label: str | None, unit: str, entry: Mapping[str, Any]) -> XbrlFigure | None:
    value, end, filed = entry.get("val"), parse_day(entry.get("end")), parse_day(entry.get("filed"))
    form, accession = entry.get("form"), entry.get("accn")
    if not (isinstance(value, str) and value and end and filed):
        return None
    if not isinstance(form, str) or not isinstance(accession, str):
        return None
    return XbrlFigure(
        concept, label, to_plain_text(unit, 40), value, parse_day(entry.get("start")), end, filed, form, accession
    )


def _rank(one: XbrlFigure) -> tuple[str, bool, str, bool, str]:
    """The sort key; greater is preferred. An earlier start means a longer period, so its digits are inverted."""
    longer = "".join(chr(ord("9") - ord(sign) + ord("0")) if sign.isdigit() else sign for sign in one.start or "")
    return one.end, one.form.removesuffix("/A") in ANNUAL, one.filed, one.unit == "USD", longer
