"""Converts records of EndNote in the fields of a Word file to the JSON in which other managers store theirs."""

import json
import re
from typing import Any

from assay.documents.ooxml import find_child
from assay.errors import UpstreamFailed
from assay.text.safe_xml import Element, local_name, parse_xml

START = re.compile(r"<EndNote\b.*</EndNote>", re.DOTALL)
TEXTS = {  # of a record, by path: the variable of CSL
    ("titles", "title"): "title", ("titles", "secondary-title"): "container-title", ("volume",): "volume",
    ("number",): "issue", ("pages",): "page", ("publisher",): "publisher", ("isbn",): "ISBN",
    ("electronic-resource-num",): "DOI", ("urls", "related-urls", "url"): "URL",
}  # fmt: skip
KINDS = {
    "Journal Article": "article-journal", "Book": "book", "Book Section": "chapter", "Thesis": "thesis",
    "Conference Proceedings": "paper-conference", "Conference Paper": "paper-conference", "Report": "report",
    "Web Page": "webpage", "Patent": "patent",
}  # fmt: skip
MOST_RECORDS, MOST_AUTHORS, LONGEST = 200, 500, 5_000


def convert_endnote(code: str) -> str:
    """Return the code with the records as CSL-JSON; unchanged if it has none that can be read."""
    found = START.search(code)
    if found is None:
        return code
    try:
        root = parse_xml(found[0].encode(), "Word document's citation", lenient=True)
    except UpstreamFailed:
        return code
    items = [_build_item(record) for record in list(root.iter("{*}record"))[:MOST_RECORDS]]
    return f"ADDIN CSL_CITATION {json.dumps({'citationItems': items})}"


def _build_item(record: Element) -> dict[str, Any]:
    data: dict[str, Any] = {name: text for path, name in TEXTS.items() if (text := _read_text(record, *path))}
    kind = find_child(record, "ref-type")
    data["type"] = KINDS.get("" if kind is None else kind.get("name", ""), "document")
    authors = find_child(record, "contributors", "authors")
    names = [_join_text(each) for each in list(() if authors is None else authors)[:MOST_AUTHORS] if local_name(each)]
    data["author"] = [_split_name(name) for name in names if name]
    year = _read_text(record, "dates", "year")
    if re.fullmatch(r"\d{4}", year):
        data["issued"] = {"date-parts": [[int(year)]]}
    return {"id": _read_text(record, "rec-number") or data.get("title", ""), "itemData": data}


def _split_name(name: str) -> dict[str, str]:
    family, comma, given = name.partition(",")
    return {"family": family.strip(), "given": given.strip()} if comma else {"literal": name}


def _read_text(record: Element, *path: str) -> str:
    return _join_text(find_child(record, *path))


def _join_text(element: Element) -> str:
    return "" if element is None else " ".join("".join(element.itertext())[:LONGEST].split())
