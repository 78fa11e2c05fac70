"""Parsing of EDGAR's filing lists and full-text search results, with addresses of the documents."""

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from assay.models.filings import Filing
from assay.provider_base.parsing.patent_fields import parse_day
from assay.text.plain_text import to_plain_text

ARCHIVES = "https://www.sec.gov/Archives/edgar/data"
ACCESSION = re.compile(r"\d{10}-\d{2}-\d{6}")
NAMED = re.compile(r"(?:\s*\([A-Z0-9.,\s-]+\))?\s*\(CIK \d{1,10}\)\s*$")  # tickers and CIK after a name


def normalise_cik(cik: Any) -> str | None:
    """The ten digits of a CIK, with or without leading zeros; None for an invalid one."""
    text = str(cik).strip() if isinstance(cik, str | int) and not isinstance(cik, bool) else ""
    return text.zfill(10) if text.isascii() and text.isdecimal() and len(text.lstrip("0")) in range(1, 11) else None


def parse_filing_rows(block: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows of a filing list, which EDGAR stores as one list per field; without accession number, skipped."""
    numbers = block.get("accessionNumber")
    if not isinstance(numbers, list):
        raise TypeError("accessionNumber is not a list of filings")
    names = ("form", "filingDate", "reportDate", "primaryDocument", "primaryDocDescription", "items")
    for place, number in enumerate(numbers):
        if isinstance(number, str) and ACCESSION.fullmatch(number):
            yield {name: _get_at(block.get(name), place) for name in names} | {"accessionNumber": number}


def parse_listed_filing(row: Mapping[str, Any], company: str, cik: str) -> Filing | None:
    accession, document = row["accessionNumber"], row.get("primaryDocument")
    kind, items = to_plain_text(row.get("form"), 40), to_plain_text(row.get("items"), 100)
    description = to_plain_text(row.get("primaryDocDescription"), 200)
    return Filing(
        company=company,
        cik=cik,
        form_type=kind or "unknown",
        filing_date=parse_day(row.get("filingDate")),
        period_of_report=parse_day(row.get("reportDate")),
        accession=accession,
        url=build_document_url(cik, accession, document),
        description=" ".join(
            filter(None, (description if description != kind else "", f"Items {items}" if items else ""))
        )
        or None,
        source="edgar",
    )


def parse_matched_filing(row: Mapping[str, Any], form_type: str | None) -> Filing | None:
    source = row.get("_source")
    fields = source if isinstance(source, Mapping) else {}
    accession, _, document = str(row.get("_id") or "").partition(":")
    ciks = [cik for cik in map(normalise_cik, _to_list(fields.get("ciks"))) if cik]
    if not ACCESSION.fullmatch(accession) or not ciks:
        return None
    place = ciks.index(form_type) if form_type in ciks else 0
    names = _to_list(fields.get("display_names"))
    name = to_plain_text(names[place], 200) if place < len(names) else ""
    return Filing(
        company=" ".join(NAMED.sub("", name).split()) or f"CIK {ciks[place]}",
        cik=ciks[place],
        form_type=to_plain_text(
            fields.get("form") or _get_at(fields.get("root_forms"), 0) or fields.get("file_type"), 40
        )
        or "unknown",
        filing_date=parse_day(fields.get("file_date")),
        period_of_report=parse_day(fields.get("period_ending")),
        accession=accession,
        url=build_document_url(ciks[place], accession, document),
        description=to_plain_text(fields.get("file_description"), 200) or None,
        source="edgar",
    )


def _to_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _get_at(values: Any, place: int) -> Any:
    """The value at `place`, or None: the lists of one block may differ in length."""
    return values[place] if isinstance(values, list) and place < len(values) else None


def _build_folder_url(cik: str, accession: str) -> str:
    return f"{ARCHIVES}/{int(cik)}/{accession.replace('-', '')}"


def build_document_url(cik: str, accession: str, document: Any = None) -> str:
    """The address of the document, or of the filing's index if the document is unknown."""
    if isinstance(document, str) and document and ".." not in document:
        return f"{_build_folder_url(cik, accession)}/{quote(document, safe='/')}"
    return f"{_build_folder_url(cik, accession)}/{accession}-index.htm"
