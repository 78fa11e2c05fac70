"""Exports works as BibTeX, RIS and CSL-JSON that parse back to the same works."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.bibliography.bibtex import MONTHS
from assay.bibliography.latex import escape_latex
from assay.bibliography.person_names import Name
from assay.bibliography.work import CitedWork

BIBTEX = {
    "article-journal": "article",
    "book": "book",
    "chapter": "incollection",
    "paper-conference": "inproceedings",
    "thesis": "phdthesis",
    "report": "techreport",
    "manuscript": "unpublished",
}
PLACES = {"article": "journal", "incollection": "booktitle", "inproceedings": "booktitle", "book": "series"}
HOUSES = {"phdthesis": "school", "techreport": "institution"}
RIS = {
    "article-journal": "JOUR", "article-magazine": "MGZN", "article-newspaper": "NEWS", "book": "BOOK",
    "chapter": "CHAP", "paper-conference": "CPAPER", "thesis": "THES", "report": "RPRT", "webpage": "ELEC",
    "post-weblog": "BLOG",
    "manuscript": "UNPB", "dataset": "DATA", "software": "COMP", "patent": "PAT", "legal_case": "CASE",
    "legislation": "STAT", "motion_picture": "VIDEO", "standard": "STAND",
}  # fmt: skip
EMPTY: Mapping[str, str] = {}
NAMED_MONTHS = {int(number): name for name, number in MONTHS.items()}
VERBATIM = str.maketrans({"{": "%7B", "}": "%7D", "\\": "%5C", " ": "%20"})
MARKUP = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})  # so that the JSON is safe inside HTML


def format_bibtex(keyed: Iterable[tuple[str, CitedWork]], annotations: Mapping[str, str] = EMPTY) -> str:
    """Format the works as BibTeX entries. `annotations` are texts by key."""
    return "\n\n".join(_format_bibtex_entry(key, work, annotations.get(key, "")) for key, work in keyed)


def _format_bibtex_entry(key: str, work: CitedWork, annotation: str) -> str:
    kind = BIBTEX.get(work.kind, "misc")
    year, month, day = split_date(work.date)
    link = work.url.translate(VERBATIM)
    fields = {
        "author": " and ".join(_format_bibtex_name(name) for name in work.authors),
        "title": work.title and f"{{{escape_latex(work.title)}}}",
        PLACES.get(kind, "organization"): escape_latex(work.container),
        "howpublished": f"\\url{{{link}}}" if kind == "misc" and link else "",
        HOUSES.get(kind, "publisher"): escape_latex(work.publisher),
        "volume": escape_latex(work.volume),
        "number": escape_latex(work.issue),
        "pages": escape_latex(work.pages).replace("-", "--"),
        "year": f"{year:04}" if year else "",
        "day": str(day or ""),
        "isbn": escape_latex(work.isbn),
        "doi": work.doi.translate(VERBATIM),
        "url": link,
        "annote": escape_latex(annotation),
    }
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    lines += [f"  month = {NAMED_MONTHS[month]}"] if month else []
    return f"@{kind}{{{key},\n" + ",\n".join(lines) + "\n}"


def _format_bibtex_name(name: Name) -> str:
    """Format `Family, Suffix, Given`; undivided names and parts with a comma or “and” are put in braces."""
    if not name.given:
        return f"{{{escape_latex(', '.join(part for part in (name.family, name.suffix) if part))}}}"
    parts = [escape_latex(part) for part in (name.family, name.suffix, name.given) if part]
    return ", ".join(f"{{{part}}}" if re.search(r",| and ", part, re.IGNORECASE) else part for part in parts)


def format_ris(keyed: Iterable[tuple[str, CitedWork]]) -> str:
    return "\n\n".join(_format_ris_record(key, work) for key, work in keyed)


def _format_ris_record(key: str, work: CitedWork) -> str:
    """Format one RIS record. Values hold no line breaks, so they cannot add tags."""
    year, month, day = split_date(work.date)
    first, _, last = work.pages.partition("-")
    tags = [
        ("TY", RIS.get(work.kind, "GEN")),
        ("ID", key),
        ("TI", work.title),
        *(("AU", name.format_inverted()) for name in work.authors),
        ("PY", f"{year:04}" if year else ""),
        ("DA", f"{year:04}/{month:02}/{f'{day:02}' if day else ''}/" if month else ""),
        ("T2", work.container),
        ("VL", work.volume),
        ("IS", work.issue),
        ("SP", first),
        ("EP", last),
        ("PB", work.publisher),
        ("SN", work.isbn),
        ("DO", work.doi),
        ("UR", work.url),
    ]
    return "\n".join([*(f"{tag}  - {value}" for tag, value in tags if value), "ER  - "])


def format_csl_json(keyed: Iterable[tuple[str, CitedWork]]) -> str:
    """Format a CSL-JSON list; `<`, `>` and `&` are written as JSON escapes."""
    items = [build_csl_item(key, work) for key, work in keyed]
    return json.dumps(items, ensure_ascii=False, indent=2).translate(MARKUP)


def build_csl_item(key: str, work: CitedWork) -> dict[str, Any]:
    date = [part for part in split_date(work.date) if part]
    item: Mapping[str, Any] = {
        "id": key,
        "type": work.kind,
        "title": work.title,
        "author": [_build_csl_name(name) for name in work.authors],
        "issued": {"date-parts": [date]} if date else None,
        "container-title": work.container,
        "publisher": work.publisher,
        "volume": work.volume,
        "issue": work.issue,
        "page": work.pages,
        "ISBN": work.isbn,
        "DOI": work.doi,
        "URL": work.url,
    }
    return {name: value for name, value in item.items() if value}


def _build_csl_name(name: Name) -> dict[str, str]:
    if not name.given:
        return {"literal": ", ".join(part for part in (name.family, name.suffix) if part)}
    parts = {"family": name.family, "given": name.given, "suffix": name.suffix}
    return {part: text for part, text in parts.items() if text}


def split_date(date: str) -> Sequence[int]:
    """Split `2024-05-01` into [2024, 5, 1]; unknown parts are 0."""
    parts = [int(part) for part in date.split("-")] if date else []
    return [*parts, 0, 0, 0][:3]
