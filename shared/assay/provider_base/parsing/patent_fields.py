"""Conversion of an upstream's patent fields to plain text and valid dates."""

import re
from collections.abc import Iterable
from datetime import date
from typing import Any

from assay.models.patents import Patent
from assay.provider_base.parsing.patent_numbers import Number, build_page_url
from assay.text.plain_text import to_plain_text
from assay.text.url_text import parse_http_url

ABSTRACT = 1_200  # characters
DAY = re.compile(r"(\d{4})-?(\d{2})-?(\d{2})(?:[T ].*)?")
COUNTRY = re.compile(r"\s*\[[A-Z]{2}\]\s*$")
LEGAL_FORMS = re.compile(
    r"(?:[\s,]+(?:inc|llc|ltd|corp|co|gmbh|ag|limited|incorporated|corporation|company|plc|sa|nv|bv|kk|l\.l\.c|s\.a|"
    r"n\.v|b\.v|k\.k)\.?)+[\s,.]*$",
    re.IGNORECASE,
)


def parse_day(value: Any) -> str | None:
    """Convert `20130703`, `2013-07-03` or a timestamp to YYYY-MM-DD; None for an invalid date."""
    found = DAY.fullmatch(str(value).strip()) if isinstance(value, str | int) and not isinstance(value, bool) else None
    try:
        return date(*map(int, found.groups())).isoformat() if found else None
    except ValueError:
        return None


def strip_legal_form(name: str) -> str:
    """A company's name without its legal form: `Kaltura` for `Kaltura, Inc.`; never empty."""
    return LEGAL_FORMS.sub("", name).strip() or name.strip()


def choose_first_name(names: Iterable[Any]) -> str | None:
    """The first non-empty name, without a country suffix or a trailing comma."""
    for name in names:
        if text := COUNTRY.sub("", to_plain_text(name, 200)).strip(" ,;"):
            return text
    return None


def build_patent(title: Any, number: Number | str | None, *, url: str | None = None, **fields: Any) -> Patent | None:
    """Build a patent; None without a number, which also replaces a missing title."""
    if not number:
        return None
    days = {name: parse_day(fields.pop(name, None)) for name in ("filed", "published", "granted")}
    pdf, abstract = parse_http_url(fields.pop("pdf", None)), to_plain_text(fields.pop("abstract", None), ABSTRACT)
    texts = {name: to_plain_text(value, 200) or None for name, value in fields.items()}
    return Patent(
        title=to_plain_text(title, 300) or str(number),
        number=str(number),
        url=url or build_page_url(number),
        abstract=abstract or None,
        pdf=pdf.href if pdf else None,
        **days,
        **texts,
    )


def filter_by_filing_year(patents: Iterable[Patent], year_from: int | None, year_to: int | None) -> list[Patent]:
    """The patents filed within the years. Those with an unknown filing date stay."""
    first_year, last_year = year_from or 0, year_to or 9999
    return [one for one in patents if one.filed is None or first_year <= int(one.filed[:4]) <= last_year]
