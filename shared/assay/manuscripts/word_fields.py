"""Reads the records that reference managers store in the fields of a Word file."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from assay.bibliography import doi as dois
from assay.bibliography.csl_json import build_work
from assay.bibliography.person_names import Name
from assay.bibliography.work import CitedWork, collapse_spaces
from assay.text.surrogates import replace_surrogates

JSON_START = re.compile(r"CSL_CITATION\s*(?=\{)")
WORD_TAGS = re.compile(r"(?:^\s*CITATION\s+|\\m\s+)\"?([^\s\"\\]{1,200})", re.IGNORECASE)
KINDS = {
    "journalarticle": "article-journal", "articleinaperiodical": "article-magazine", "book": "book",
    "booksection": "chapter", "conferenceproceedings": "paper-conference", "report": "report", "patent": "patent",
    "internetsite": "webpage", "documentfrominternetsite": "webpage",
}  # fmt: skip
CONTAINERS = ("JournalName", "BookTitle", "ConferenceName", "InternetSiteTitle")
MOST_ITEMS = 200  # of one field


def read_field(code: str) -> Iterator[tuple[str, CitedWork | None]]:
    """Yield the key of each work that a citation field cites, with its record; None for a source of Word."""
    start = JSON_START.search(code)
    if start:
        yield from _read_csl(code[start.end() :])
    else:
        for tag in WORD_TAGS.findall(code)[:MOST_ITEMS]:
            yield tag, None


def _read_csl(text: str) -> Iterator[tuple[str, CitedWork]]:
    """Read the JSON of reference managers: `citationItems` with `itemData` in CSL."""
    try:
        value, _ = json.JSONDecoder(parse_constant=lambda _: None).raw_decode(text)
    except (ValueError, RecursionError):
        return
    items = value.get("citationItems") if isinstance(value, Mapping) else None
    for item in items[:MOST_ITEMS] if isinstance(items, list) else ():
        data = item.get("itemData") if isinstance(item, Mapping) else None
        if isinstance(data, Mapping):
            work = build_work(replace_surrogates(data), 0, 0)
            uris = item.get("uris") or item.get("uri")
            key = uris[0] if isinstance(uris, list) and uris and isinstance(uris[0], str) else str(item.get("id", ""))
            yield key[:300] or work.key or work.title, work


def build_word_source(source: Mapping[str, Any]) -> CitedWork:
    """Build the work of a source that Word stores with the file."""
    value = {name: collapse_spaces(text) for name, text in source.items() if isinstance(text, str)}
    year, people = value.get("Year", ""), source.get("people", ())
    return CitedWork(
        kind=KINDS.get(value.get("SourceType", "").casefold(), "document"),
        title=value.get("Title", ""),
        authors=tuple(Name(collapse_spaces(last), collapse_spaces(first)) for last, first in people if last),
        date=year if year.isascii() and year.isdecimal() and len(year) == 4 else "",
        container=next((value[name] for name in CONTAINERS if value.get(name)), ""),
        publisher=value.get("Publisher", ""),
        volume=value.get("Volume", ""),
        issue=value.get("Issue", ""),
        pages=value.get("Pages", "").replace("–", "-"),
        doi=dois.normalize(value.get("DOI", "")) or "",
        url=value.get("URL", "") if value.get("URL", "").startswith(("http://", "https://")) else "",
        isbn=value.get("StandardNumber", ""),
        place=value.get("City", ""),
        key=value.get("Tag", ""),
    )
