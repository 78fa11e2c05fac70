"""Reads OpenAlex's record of a work into the fields that citations print.

Source: https://developers.openalex.org, entity Work
"""

from collections.abc import Mapping, Sequence
from typing import Any

from assay.bibliography.identifiers import identify_url
from assay.models.work_record import WorkRecord
from assay.provider_base.parsing.crossref_work import MANY, read_text, read_texts
from assay.provider_base.results import get_list, get_path

PUBLISHING = ("journal", "conference", "book series", "ebook platform")
LISTED = 100  # authors in a list of works; OpenAlex cuts longer lists there


def to_work_record(row: Mapping[str, Any]) -> WorkRecord:
    """Return all titles, venues, years and identifiers of an OpenAlex work; values of other types are left out."""
    places = [get_path(row, "primary_location"), *get_list(row, "locations")]
    authorships = get_list(row, "authorships")
    first, last = (read_text(get_path(row, "biblio", key)) for key in ("first_page", "last_page"))
    urls = [row.get("doi"), get_path(row, "ids", "doi"), *(get_path(place, "landing_page_url") for place in places)]
    names = [name for url in urls if isinstance(url, str) and (name := identify_url(url))]
    year = row.get("publication_year")
    preprints, published = _divide_versions(row, places)
    return WorkRecord(
        source="openalex",
        titles=read_texts([row.get("display_name"), row.get("title")]),
        authors=read_texts(
            [get_path(one, "author", "display_name") or get_path(one, "raw_author_name") for one in authorships[:MANY]]
        ),
        authors_are_partial=len(authorships) >= LISTED or row.get("is_authors_truncated") is True,
        venues=read_texts(
            [
                *(get_path(place, "source", "display_name") for place in places),
                *(get_path(place, "raw_source_name") for place in places),
            ]
        ),
        years=frozenset({year} if isinstance(year, int) and not isinstance(year, bool) and year > 1000 else ()),
        volume=read_text(get_path(row, "biblio", "volume")),
        issue=read_text(get_path(row, "biblio", "issue")),
        pages=(f"{first}-{last}" if last else first,) if first else (),
        publishers=read_texts(
            get_path(place, "source", "host_organization_name")
            for place in places
            if get_path(place, "source", "type") != "repository"
        ),
        dois=frozenset(name.doi for name in names if name.doi),
        arxiv_ids=frozenset(name.value for name in names if name.kind == "arxiv"),
        is_preprint=row.get("type") == "preprint",
        preprint_dois=preprints,
        published_dois=published,
    )


def _divide_versions(row: Mapping[str, Any], places: Sequence[Any]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the DOIs of preprints and of publications among the places where OpenAlex found the work.

    A repository may also hold the published version, so that only its DOIs of submitted versions are preprints.
    """
    preprints, published = set[str](), set[str]()
    own = identify_url(row["doi"]) if isinstance(row.get("doi"), str) else None
    if own and own.doi:
        (preprints if row.get("type") == "preprint" or own.kind == "arxiv" else published).add(own.doi)
    for place in places:
        url = get_path(place, "landing_page_url")
        name = identify_url(url) if isinstance(url, str) else None
        if name is None or not name.doi or name.doi in published:
            continue
        if name.kind == "arxiv" or get_path(place, "version") == "submittedVersion":
            preprints.add(name.doi)
        elif get_path(place, "source", "type") in PUBLISHING:
            published.add(name.doi)
    return frozenset(preprints - published), frozenset(published)
