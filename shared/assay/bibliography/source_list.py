"""Formats a list of sources as a bibliography in one style, without duplicates and in a stable order."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from assay.bibliography import citation_styles, exporters, person_names
from assay.bibliography.work import CitedWork, collapse_spaces, format_partial_date, normalize_identifiers
from assay.text.dates import rfc3339
from assay.text.sanitize import sanitise

WRITERS = {"bibtex": exporters.format_bibtex, "ris": exporters.format_ris, "csl-json": exporters.format_csl_json}
SORTED_BY_LINE = ("apa", "mla")  # as their contract says; other styles say themselves how they sort
UNTITLED = "[Untitled]"
LONGEST_PRINTED = 1_000  # characters of a field in a reference
MOST_PRINTED = 200  # authors in a reference; styles print fewer, but count them
PARTIAL = re.compile(r"(\d{4})(?:[-/](\d{1,2})(?:[-/](\d{1,2}))?)?(?!\d)")
YEAR = re.compile(r"(?<!\d)(1[0-9]{3}|2[01][0-9]{2})(?!\d)")
OTHERS = re.compile(r"[\s,;]+(?:et al\.?|and others|u\. ?a\.|y otros|e altri)$", re.IGNORECASE)
DASHES = re.compile(r" ?[–—-]+ ?")
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def build_source_work(source: Mapping[str, str], now: float) -> CitedWork:
    """Convert a source to a work: plain text, bare DOI, http(s) URL.

    Its fields are url, title, author, site, date, doi, volume, issue, pages, publisher and type (of CSL).
    """
    fields = defaultdict(str, {field: clean_text(text) for field, text in source.items()})
    bare, address, wrong = normalize_identifiers(fields["doi"], fields["url"])
    return CitedWork(
        kind=fields["type"] or ("article-journal" if bare else "webpage"),
        title=fields["title"],
        authors=tuple(
            person_names.parse_name(name) for name in person_names.split_names(OTHERS.sub("", fields["author"]))
        ),
        date=parse_iso_date(fields["date"], now),
        container=fields["site"],
        publisher=fields["publisher"],
        volume=fields["volume"],
        issue=fields["issue"],
        pages=DASHES.sub("-", fields["pages"]),
        doi=bare,
        url=address,
        unread=wrong,
    )


def clean_text(text: str) -> str:
    return collapse_spaces(sanitise(text))


def parse_iso_date(text: str, now: float) -> str:
    """Convert a date to ISO 8601 with the known parts (`2024`, `2024-05`, `2024-05-01`); "" if there is none."""
    if found := PARTIAL.match(text):
        return format_partial_date([int(part) for part in found.groups() if part])
    if timestamp := rfc3339(text, now):
        return timestamp[:10]
    year = YEAR.search(text)
    return year[1] if year else ""


def remove_duplicates(works: Iterable[CitedWork]) -> list[CitedWork]:
    """Remove duplicates: the first work of each URL stays, or of each DOI for works without a URL."""
    urls: set[str] = set()
    dois: set[str] = set()
    unique: list[CitedWork] = []
    for work in works:
        is_known = work.url in urls if work.url else work.doi in dois
        if not is_known:
            unique.append(work)
        urls.add(work.url)
        dois.add(work.doi)
    return unique


def format_bibliography(works: Sequence[CitedWork], style: str, accessed: date, locale: str = "") -> str:
    """Format the bibliography in a file format (sorted by citation key) or in a style of the CSL repository.

    Raises InvalidInput if there is no such style or locale.
    """
    if write := WRITERS.get(style):
        return write(sorted(assign_keys(works), key=lambda pair: pair[0]))
    from assay.bibliography.csl import processor, style_archive

    chosen = style_archive.load_style(style)
    language = style_archive.find_locale(locale) if locale else ""
    items = [build_reference_item(key, work, accessed) for key, work in assign_keys(works)]
    lines = processor.format_references(items, chosen, language)
    if style in SORTED_BY_LINE:
        lines.sort(key=lambda line: (line.casefold(), line))
    return "\n\n".join(lines)


def build_reference_item(key: str, work: CitedWork, accessed: date) -> dict[str, Any]:
    """Build the CSL item of a work to print: with the day of access, and a page's host if the site has no name."""
    item: dict[str, Any] = {
        name: value[:LONGEST_PRINTED] if isinstance(value, str) else value
        for name, value in exporters.build_csl_item(key, work).items()
    }
    if authors := item.get("author"):
        item["author"] = [
            {part: text[:LONGEST_PRINTED] for part, text in name.items()} for name in authors[:MOST_PRINTED]
        ]
    item.setdefault("title", UNTITLED)
    if work.url:
        item["accessed"] = {"date-parts": [[accessed.year, accessed.month, accessed.day]]}
    if work.kind == "webpage" and not work.container and (host := citation_styles.find_host(work.url)):
        item["container-title"] = f'<span class="nocase">{host}</span>'
    return item


def assign_keys(works: Sequence[CitedWork]) -> list[tuple[str, CitedWork]]:
    """Give each work a unique key such as `vaswani2017attention`; return (key, work) pairs in the given order."""
    keys: dict[int, str] = {}
    used: set[str] = set()
    candidates: dict[str, Iterator[str]] = {}  # which go on where the last work with this base took one
    for place, work in sorted(enumerate(works), key=lambda pair: (pair[1].url, pair[1].doi, pair[1].title)):
        base = citation_styles.build_key(
            work.title, work.authors, work.date[:4], work.container or citation_styles.find_host(work.url)
        )[:80]
        key = next(key for key in candidates.setdefault(base, _list_suffixed(base)) if key not in used)
        used.add(key)
        keys[place] = key
    return [(keys[place], work) for place, work in enumerate(works)]


def _list_suffixed(base: str) -> Iterator[str]:
    """Yield the key, then the key with suffix a … z, then z2, z3, …"""
    yield base
    yield from (base + letter for letter in LETTERS)
    number = 2
    while True:
        yield f"{base}z{number}"
        number += 1
