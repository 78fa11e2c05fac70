"""Converts BibTeX and BibLaTeX entries to `CitedWork`s in plain text."""

import re
from collections.abc import Iterable, Mapping
from itertools import islice

from assay.bibliography.bibtex import MONTHS, BibtexReader, RawEntry
from assay.bibliography.citation_keys import describe_keys
from assay.bibliography.latex import latex_to_text, split_outside_braces
from assay.bibliography.person_names import Name
from assay.bibliography.work import (
    LINK,
    CitedWork,
    UnparsedPassage,
    collapse_spaces,
    find_arxiv_id,
    format_partial_date,
    normalize_identifiers,
)

KINDS = {
    "article": "article-journal", "book": "book", "booklet": "book", "mvbook": "book", "collection": "book",
    "proceedings": "book", "manual": "book", "inbook": "chapter", "incollection": "chapter", "inreference": "entry",
    "inproceedings": "paper-conference", "conference": "paper-conference", "phdthesis": "thesis", "mastersthesis":
    "thesis", "thesis": "thesis", "techreport": "report", "report": "report",
    "online": "webpage", "electronic": "webpage",
    "www": "webpage", "webpage": "webpage", "unpublished": "manuscript", "dataset": "dataset", "software": "software",
    "patent": "patent", "legislation": "legislation", "jurisdiction": "legal_case", "video": "motion_picture",
}  # fmt: skip
CONTAINERS = ("journal", "journaltitle", "booktitle", "maintitle", "series", "organization", "howpublished")
PUBLISHERS = ("publisher", "school", "institution", "organization")
PLACES = ("eventplace", "venue", "location", "address")
OTHERS = re.compile(r"\band\s+others\s*$", re.IGNORECASE)
AND = re.compile(r"\\.|[{}]|( and )", re.IGNORECASE)
COMMA = re.compile(r"\\.|[{}]|( ?, ?)")
WORD = re.compile(r"\\.|[{}]|([ ~])")
AUTHORS = 2_000
UNESCAPED = re.compile(r"\\([_%#&$~{}])")
DATES = frozenset({"date", "year", "month", "day"})
ISO = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?")
YEAR = re.compile(r"(?<!\d)(1[0-9]{3}|2[01][0-9]{2})(?!\d)")
EPRINTS = {"arxiv": "https://arxiv.org/abs/", "pubmed": "https://pubmed.ncbi.nlm.nih.gov/"}


def parse_bibtex(text: str, limit: int) -> tuple[list[CitedWork], list[UnparsedPassage], int]:
    """Parse a BibTeX document; return its first `limit` works, the passages not understood and the entry count."""
    reader = BibtexReader(text)
    raw_entries = list(islice(reader.read_entries(), limit))
    by_key = {raw.key.lower(): raw for raw in reversed(raw_entries)}
    works = [build_work(_inherit_fields(raw, by_key), number) for number, raw in enumerate(raw_entries, 1)]
    works = describe_keys(works)
    return works, reader.unread, len(works) + (reader.count_rest() if len(works) == limit else 0)


def build_work(raw: RawEntry, number: int) -> CitedWork:
    fields = raw.fields
    doi, url, notes = normalize_identifiers(_unescape_verbatim(fields.get("doi", "")), _find_address(fields))
    return CitedWork(
        kind=_find_type(raw.kind, url),
        title=_join_title(fields),
        authors=parse_names(fields.get("author", "")) or parse_names(fields.get("editor", "")),
        date=_parse_date(fields),
        container=_first_field(fields, CONTAINERS, skip_links=True),
        publisher=_first_field(
            fields, PUBLISHERS[:-1] if raw.kind in ("misc", "online", "www", "electronic") else PUBLISHERS
        ),
        volume=_read_text(fields, "volume"),
        issue=_read_text(fields, "number") or _read_text(fields, "issue"),
        pages=re.sub(r" ?[–—-]+ ?", "-", _read_text(fields, "pages")),
        doi=doi,
        url=url,
        isbn=_read_text(fields, "isbn"),
        place=_first_field(fields, PLACES),
        arxiv_id=find_arxiv_id(url) or find_arxiv_id(_build_eprint_url(fields)),
        pmid=_read_digits(fields.get("pmid", "")) or _read_pubmed_eprint(fields),
        pmcid=collapse_spaces(fields.get("pmcid", ""))[:20],
        is_author_list_cut=bool(OTHERS.search(fields.get("author", ""))),
        key=raw.key,
        number=number,
        line=raw.line,
        unread=(*raw.unread, *notes),
    )


def parse_names(text: str) -> tuple[Name, ...]:
    """Parse `Last, First and First von Last and {An Organisation}`; “and others” is dropped."""
    people = [_parse_name(part.strip()) for part in split_outside_braces(collapse_spaces(text), AND)[:AUTHORS]]
    return tuple(person for person in people if person.family and person != Name("others"))


def _parse_name(text: str) -> Name:
    if text.startswith("{") and text.endswith("}") and len(split_outside_braces(text, WORD)) == 1:
        return Name(collapse_spaces(latex_to_text(text)))
    pieces = split_outside_braces(text, COMMA)
    if len(pieces) == 1:
        return _parse_given_first(split_outside_braces(text, WORD))
    values = [collapse_spaces(latex_to_text(piece)) for piece in pieces]
    if len(pieces) == 2:
        return Name(values[0], values[1])
    return Name(values[0], values[2], values[1]) if len(pieces) == 3 else Name(", ".join(values))


def _parse_given_first(words: Iterable[str]) -> Name:
    """Parse `First von Last`: the family name starts at the first lower-case word, else it is the last word."""
    words = [word for word in words if word]
    texts = [collapse_spaces(latex_to_text(word)) for word in words]
    if len(texts) < 2:
        return Name("".join(texts))
    start = next((place for place in range(1, len(texts) - 1) if texts[place][:1].islower()), len(texts) - 1)
    start = 0 if texts[0][:1].islower() else start
    return Name(" ".join(texts[start:]), " ".join(texts[:start]))


def _inherit_fields(raw: RawEntry, by_key: Mapping[str, RawEntry]) -> RawEntry:
    """Add missing fields from the `crossref` entry, as BibTeX does; the parent's title becomes `booktitle`."""
    parent = by_key.get(collapse_spaces(raw.fields.get("crossref", "")).lower())
    if parent is None or parent is raw:
        return raw
    own_date = DATES.intersection(raw.fields)
    inherited = {
        name: value
        for name, value in parent.fields.items()
        if name not in ("title", "author", "doi", "url", "crossref") and not (name in DATES and own_date)
    }
    inherited |= {"booktitle": parent.fields["title"]} if "title" in parent.fields else {}
    return RawEntry(raw.kind, raw.key, raw.line, inherited | raw.fields, raw.unread)


def _find_type(kind: str, url: str) -> str:
    return KINDS.get(kind) or ("webpage" if url else "document")


def _join_title(fields: Mapping[str, str]) -> str:
    title, subtitle = _read_text(fields, "title"), _read_text(fields, "subtitle")
    return f"{title}: {subtitle}" if title and subtitle else title


def _read_text(fields: Mapping[str, str], name: str) -> str:
    return collapse_spaces(latex_to_text(fields.get(name, "")))


def _first_field(fields: Mapping[str, str], names: Iterable[str], *, skip_links: bool = False) -> str:
    for name in names:
        if (value := _read_text(fields, name)) and not (skip_links and LINK.search(value)):
            return value
    return ""


def _unescape_verbatim(text: str) -> str:
    """Unescape LaTeX in a URL or DOI and change nothing else."""
    return UNESCAPED.sub(r"\1", text.replace(r"\url", "")).replace("{", "").replace("}", "").strip()


def _find_address(fields: Mapping[str, str]) -> str:
    """Return the entry's URL: from `url`, `howpublished`, `note` or the eprint fields."""
    if url := _unescape_verbatim(fields.get("url", "")):
        return url
    for name in ("howpublished", "note"):
        if link := LINK.search(_unescape_verbatim(fields.get(name, ""))):
            return link[0]
    return _build_eprint_url(fields)


def _build_eprint_url(fields: Mapping[str, str]) -> str:
    archive = collapse_spaces(fields.get("archiveprefix", "") or fields.get("eprinttype", "")).lower()
    eprint = _unescape_verbatim(fields.get("eprint", ""))
    return EPRINTS[archive] + eprint if archive in EPRINTS and eprint else ""


def _read_pubmed_eprint(fields: Mapping[str, str]) -> str:
    archive = collapse_spaces(fields.get("archiveprefix", "") or fields.get("eprinttype", "")).lower()
    return _read_digits(fields.get("eprint", "")) if archive == "pubmed" else ""


def _read_digits(text: str) -> str:
    text = collapse_spaces(text).strip("{}")
    return text if text.isascii() and text.isdecimal() else ""


def _parse_date(fields: Mapping[str, str]) -> str:
    if iso := ISO.match(_read_text(fields, "date")):
        return format_partial_date([int(part) for part in iso.groups() if part])
    year = YEAR.search(_read_text(fields, "year"))
    if year is None:
        return ""
    month = _read_text(fields, "month").lower()[:3].strip(".")
    number = MONTHS.get(month) or (month if month.isdecimal() else "")
    day = _read_text(fields, "day")
    return format_partial_date([int(part) for part in (year[1], number, day) if part.isascii() and part.isdecimal()])
