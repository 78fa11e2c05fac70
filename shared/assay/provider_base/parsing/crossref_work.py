"""Reads Crossref's record of a work into the fields that citations print.

Source: https://github.com/CrossRef/rest-api-doc/blob/master/api_format.md
"""

from collections.abc import Iterable, Mapping
from typing import Any

from assay.bibliography.identifiers import identify_url
from assay.models.work_record import WorkRecord
from assay.provider_base.results import get_list, get_path
from assay.text.plain_text import to_plain_text

DATES = ("published", "issued", "published-print", "published-online", "posted", "created")
VERSIONS = ("is-preprint-of", "has-preprint", "is-version-of", "has-version", "is-identical-to", "is-same-as")
LONGEST = 500  # characters of a value
MANY = 500  # values of a field


def to_work_record(row: Mapping[str, Any]) -> WorkRecord:
    """Return all titles, venues, years, places and identifiers of a Crossref work; invalid values are left out."""
    authors = tuple(filter(None, map(_name, get_list(row, "author")[:MANY])))
    event = get_path(row, "event")
    own = _read_dois([row.get("DOI")])
    related = {kind: _read_dois(get_path(each, "id") for each in get_list(row, "relation", kind)) for kind in VERSIONS}
    dois = own.union(*related.values())
    preprints, published = related["has-preprint"], related["is-preprint-of"]
    return WorkRecord(
        source="crossref",
        titles=_titles(row),
        authors=authors,
        authors_are_partial=len(get_list(row, "author")) > MANY,
        venues=read_texts(
            [
                *get_list(row, "container-title"),
                *get_list(row, "short-container-title"),
                get_path(event, "name"),
                get_path(event, "acronym"),
                row.get("group-title"),
                *(
                    get_path(each, "name")
                    for each in get_list(row, "institution")
                    if row.get("type") == "posted-content"
                ),
            ]
        ),
        years=frozenset(
            year for key in DATES if isinstance(year := get_path(row, key, "date-parts", 0, 0), int) and year > 1000
        ),
        volume=read_text(row.get("volume")),
        issue=read_text(row.get("issue")),
        pages=read_texts([row.get("page"), row.get("article-number")]),
        publishers=read_texts([row.get("publisher")]),
        places=read_texts([get_path(event, "location")]),
        dois=dois,
        arxiv_ids=frozenset(
            found.value for doi in dois if (found := identify_url(f"https://doi.org/{doi}")) and found.kind == "arxiv"
        ),
        is_preprint=row.get("type") == "posted-content",
        preprint_dois=preprints | (own if published else frozenset()),
        published_dois=published | (own if preprints else frozenset()),
    )


def _read_dois(values: Iterable[Any]) -> frozenset[str]:
    names = (str(value).lower().removeprefix("https://doi.org/") for value in values if value)
    return frozenset(name for name in names if name.startswith("10."))


def _titles(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the title, with and without its subtitle, and the original title."""
    titles, subtitles = get_list(row, "title"), get_list(row, "subtitle")
    whole = [f"{titles[0]}: {subtitles[0]}"] if titles and subtitles and isinstance(subtitles[0], str) else []
    return read_texts([*titles, *whole, *get_list(row, "original-title"), *get_list(row, "short-title")])


def _name(author: Any) -> str:
    family, given = get_path(author, "family"), get_path(author, "given")
    if isinstance(family, str) and isinstance(given, str) and family.strip() and given.strip():
        return f"{read_text(family)}, {read_text(given)}"
    return read_text(family) or read_text(get_path(author, "name")) or read_text(given)


def read_texts(values: Iterable[Any]) -> tuple[str, ...]:
    """Return the texts among the values, without duplicates."""
    return tuple(dict.fromkeys(text for value in values if (text := read_text(value))))


def read_text(value: Any) -> str:
    """Return a text or number as plain text; "" for another type."""
    return (to_plain_text(value, LONGEST) or "") if isinstance(value, str) else str(value) if type(value) is int else ""
