"""Formats a list of sources as a bibliography in one style, without duplicates and in a stable order."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Literal

from assay.bibliography import apa_mla, citation_styles, exporters, person_names
from assay.bibliography.work import CitedWork, normalize_identifiers, numbered_date, one_line
from assay.text.dates import rfc3339
from assay.text.sanitize import sanitise

type Style = Literal["apa", "mla", "bibtex", "ris", "csl-json"]

PARTIAL = re.compile(r"(\d{4})(?:[-/](\d{1,2})(?:[-/](\d{1,2}))?)?(?!\d)")
YEAR = re.compile(r"(?<!\d)(1[0-9]{3}|2[01][0-9]{2})(?!\d)")
OTHERS = re.compile(r"[\s,;]+(?:et al\.?|and others|u\. ?a\.|y otros|e altri)$", re.IGNORECASE)
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def source_work(source: Mapping[str, str], now: float) -> CitedWork:
    """Convert a source (url, title, author, site, date, doi) to a work: plain text, bare DOI, http(s) URL."""
    fields = {field: clean(text) for field, text in source.items()}
    bare, address, wrong = normalize_identifiers(fields["doi"], fields["url"])
    return CitedWork(
        kind="article-journal" if bare else "webpage",
        title=fields["title"],
        authors=tuple(person_names.name(name) for name in person_names.several(OTHERS.sub("", fields["author"]))),
        date=iso(fields["date"], now),
        container=fields["site"],
        doi=bare,
        url=address,
        unread=wrong,
    )


def clean(text: str) -> str:
    return one_line(sanitise(text))


def iso(text: str, now: float) -> str:
    """Convert a date to ISO 8601 with the known parts (`2024`, `2024-05`, `2024-05-01`); "" if there is none."""
    if found := PARTIAL.match(text):
        return numbered_date([int(part) for part in found.groups() if part])
    if whole := rfc3339(text, now):
        return whole[:10]
    year = YEAR.search(text)
    return year[1] if year else ""


def distinct(works: Iterable[CitedWork]) -> list[CitedWork]:
    """Remove duplicates: the first work of each URL stays, or of each DOI for works without a URL."""
    urls: set[str] = set()
    dois: set[str] = set()
    kept: list[CitedWork] = []
    for work in works:
        known = work.url in urls if work.url else work.doi in dois
        if not known:
            kept.append(work)
        urls.add(work.url)
        dois.add(work.doi)
    return kept


def format_bibliography(works: Sequence[CitedWork], style: Style, accessed: date) -> str:
    """Format the bibliography: APA and MLA sorted by line, the other styles by citation key."""
    if style in ("apa", "mla"):
        write = apa_mla.apa if style == "apa" else apa_mla.mla
        lines = [write(work, accessed) for work in works]
        return "\n\n".join(sorted(lines, key=lambda line: (line.casefold(), line)))
    pairs = assign_keys(works)
    if style == "bibtex":
        return exporters.bibtex(pairs)
    return exporters.ris(pairs) if style == "ris" else exporters.csl_json(pairs)


def assign_keys(works: Sequence[CitedWork]) -> list[tuple[str, CitedWork]]:
    """Give each work a unique key such as `vaswani2017attention`; return (key, work) pairs sorted by key."""
    taken: set[str] = set()
    pairs: list[tuple[str, CitedWork]] = []
    for work in sorted(works, key=lambda work: (work.url, work.doi, work.title)):
        wanted = citation_styles.key(
            work.title, work.authors, work.date[:4], work.container or citation_styles.host(work.url)
        )[:80]
        key = next(key for key in _series(wanted) if key not in taken)
        taken.add(key)
        pairs.append((key, work))
    return sorted(pairs, key=lambda pair: pair[0])


def _series(wanted: str) -> Iterable[str]:
    """Yield the key, then the key with suffix a … z, then z2, z3, …"""
    yield wanted
    yield from (wanted + letter for letter in LETTERS)
    number = 2
    while True:
        yield f"{wanted}z{number}"
        number += 1
