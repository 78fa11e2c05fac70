"""EndNote XML parser: the `<record>` elements that EndNote exports, and other programs write after it."""

import re

from assay.bibliography.person_names import Name
from assay.bibliography.work import (
    CitedWork,
    UnparsedPassage,
    collapse_spaces,
    find_arxiv_id,
    format_partial_date,
    normalize_identifiers,
)
from assay.errors import UpstreamFailed
from assay.text.safe_xml import Element, local_name, parse_xml

KINDS = {
    "journal article": "article-journal", "electronic article": "article-journal", "magazine article":
    "article-magazine",
    "newspaper article": "article-newspaper", "book": "book", "edited book": "book", "electronic book": "book",
    "book section": "chapter", "electronic book section": "chapter", "conference paper": "paper-conference",
    "conference proceedings": "paper-conference", "thesis": "thesis", "report": "report", "government document":
    "report",
    "web page": "webpage", "blog": "post-weblog", "patent": "patent", "case": "legal_case", "statute": "legislation",
    "dataset": "dataset", "computer program": "software", "standard": "standard", "manuscript": "manuscript",
    "unpublished work": "manuscript", "map": "map", "encyclopedia": "entry-encyclopedia", "dictionary":
    "entry-dictionary",
}  # fmt: skip
YEAR = re.compile(r"(?<!\d)(1[0-9]{3}|2[01][0-9]{2})(?!\d)")
MAX_AUTHORS = 2_000


def parse_endnote_xml(text: str, limit: int) -> tuple[list[CitedWork], list[UnparsedPassage], int]:
    """Parse an export of EndNote; return its first `limit` works, what could not be read, and the record count."""
    try:
        root = parse_xml(text.encode("utf-8", "replace"), "bibliography", lenient=True)
    except UpstreamFailed as error:
        return [], [UnparsedPassage(1, "", str(error))], 0
    works: list[CitedWork] = []
    total = 0
    for element in root.iter():
        if local_name(element) == "record":
            total += 1
            if len(works) < limit:
                works.append(_build_work(element, len(works) + 1))
    return works, [], total


def _build_work(record: Element, number: int) -> CitedWork:
    doi, url, notes = normalize_identifiers(_read(record, "electronic-resource-num"), _read(record, "urls", "url"))
    kind = next((each.get("name") or "" for each in record.iter() if local_name(each) == "ref-type"), "").lower()
    isbn = _read(record, "isbn")
    return CitedWork(
        kind=KINDS.get(kind, "webpage" if url and not doi else "document"),
        title=_read(record, "titles", "title"),
        authors=_read_names(record, "authors") or _read_names(record, "secondary-authors"),
        date=_read_date(record),
        container=_read(record, "titles", "secondary-title") or _read(record, "periodical", "full-title"),
        publisher=_read(record, "publisher"),
        volume=_read(record, "volume"),
        issue=_read(record, "number") or _read(record, "issue"),
        pages=re.sub(r" ?[–—-]+ ?", "-", _read(record, "pages")),
        doi=doi,
        url=url,
        isbn=isbn if sum(map(str.isdigit, isbn)) >= 9 else "",
        place=_read(record, "pub-location"),
        arxiv_id=find_arxiv_id(url),
        pmid=_read_pmid(record),
        pmcid=_read(record, "custom2") if _read(record, "custom2").startswith("PMC") else "",
        key=_read(record, "label") or _read(record, "rec-number"),
        number=number,
        line=max(record.sourceline or 1, 1),
        unread=notes,
    )


def _read(record: Element, *path: str) -> str:
    """Return the text of the first element below the record whose path ends so."""
    places = [record]
    for name in path:
        places = [
            child for place in places for child in place.iter() if child is not place and local_name(child) == name
        ]
    return collapse_spaces(" ".join(places[0].itertext())) if places else ""


def _read_names(record: Element, group: str) -> tuple[Name, ...]:
    """Return the names of a group; `Family, Given` is divided, and a comma at the end marks an organization."""
    names: list[Name] = []
    for element in record.iter():
        if local_name(element) != group:
            continue
        for author in element.iter():
            if local_name(author) == "author" and len(names) < MAX_AUTHORS:
                family, _, given = collapse_spaces(" ".join(author.itertext())).partition(",")
                names += [Name(family.strip(), given.strip(" ,"))] if family.strip() else []
    return tuple(names)


def _read_date(record: Element) -> str:
    year = YEAR.search(_read(record, "dates", "year") or _read(record, "dates"))
    return format_partial_date([int(year[1])]) if year else ""


def _read_pmid(record: Element) -> str:
    number = _read(record, "accession-num")
    return number if number.isdecimal() and "pubmed" in " ".join(record.itertext()).lower()[:20_000] else ""
