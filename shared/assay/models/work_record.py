"""One source's record of a scholarly work, with all forms of the fields that citations print."""

from dataclasses import dataclass


@dataclass(frozen=True)
class WorkRecord:
    """One source's record of a work, with all forms of each field that it knows."""

    source: str
    titles: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    authors_are_partial: bool = False
    venues: tuple[str, ...] = ()
    years: frozenset[int] = frozenset()
    volume: str = ""
    issue: str = ""
    pages: tuple[str, ...] = ()
    publishers: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    dois: frozenset[str] = frozenset()  # of the work and of its other versions
    arxiv_ids: frozenset[str] = frozenset()
    is_preprint: bool = False
    preprint_dois: frozenset[str] = frozenset()  # of versions that are preprints, as the source links them
    published_dois: frozenset[str] = frozenset()  # of versions in journals, proceedings or books
    published_as: str = ""  # the publication of a preprint, as its authors name it
