"""Finds references that are listed more than once, and versions of one work listed side by side."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from anyascii import anyascii

from assay.verification.author_comparison import compare_names

type DuplicateKind = Literal["same_identifier", "same_title", "same_url"]

MIN_TITLE = 12  # letters of a title that can identify a work
YEAR_TOLERANCE = 1


@dataclass(frozen=True)
class ListedWork:
    """What a reference says of its work; identifiers are normalized. `versions` are DOIs of its other versions."""

    index: int
    title: str = ""
    authors: tuple[str, ...] = ()
    year: str = ""
    doi: str = ""
    arxiv_id: str = ""
    url: str = ""
    versions: tuple[str, ...] = ()


class DuplicateGroup(NamedTuple):
    """Indices of references to one work, and what they have in common."""

    references: tuple[int, ...]
    kind: DuplicateKind


def find_duplicates(works: Sequence[ListedWork]) -> list[DuplicateGroup]:
    """Return groups of references with one identifier, or one title and a common author, or one address."""
    groups: dict[tuple[int, ...], DuplicateKind] = {}
    for kind, key_of in KEYS.items():
        by_key: dict[str, list[ListedWork]] = defaultdict(list)
        for work in works:
            for key in key_of(work):
                by_key[key].append(work)
        for alike in by_key.values():
            for group in _split_by_work(alike) if kind == "same_title" else [alike]:
                indices = tuple(dict.fromkeys(work.index for work in group))
                is_covered = any(set(indices) <= set(known) for known in groups)
                if len(indices) > 1 and not is_covered:
                    groups[indices] = kind
    return [DuplicateGroup(indices, kind) for indices, kind in sorted(groups.items())]


def find_listed_versions(works: Sequence[ListedWork]) -> list[tuple[int, int]]:
    """Return pairs of references that are versions of one work, such as a preprint and its publication."""
    by_doi = {work.doi: work.index for work in works if work.doi}
    pairs = {
        (min(work.index, by_doi[doi]), max(work.index, by_doi[doi]))
        for work in works
        for doi in work.versions
        if doi in by_doi and by_doi[doi] != work.index
    }
    return sorted(pairs)


def _identifiers(work: ListedWork) -> Iterable[str]:
    return [key for key in (work.doi and f"doi:{work.doi}", work.arxiv_id and f"arxiv:{work.arxiv_id}") if key]


def _title_keys(work: ListedWork) -> Iterable[str]:
    key = re.sub(r"[^a-z0-9]+", "", anyascii(work.title[:1_000]).casefold())
    return [key] if len(key) >= MIN_TITLE else []


def _addresses(work: ListedWork) -> Iterable[str]:
    return [] if work.title or not work.url else [work.url.rstrip("/")]


def _split_by_work(alike: Sequence[ListedWork]) -> list[list[ListedWork]]:
    """Divide references of one title into works: editions and equal titles of other authors stay apart."""
    groups: list[list[ListedWork]] = []
    for work in alike:
        group = next((group for group in groups if _may_be_same(group[0], work)), None)
        if group is None:
            groups.append([work])
        else:
            group.append(work)
    return groups


def _may_be_same(one: ListedWork, other: ListedWork) -> bool:
    if one.doi and other.doi and one.doi != other.doi:
        return False
    years = [int(work.year[:4]) for work in (one, other) if work.year[:4].isdecimal()]
    if len(years) == 2 and abs(years[0] - years[1]) > YEAR_TOLERANCE:
        return False
    if not one.authors or not other.authors:
        return True
    return any(compare_names(left, right) == "same" for left in one.authors[:3] for right in other.authors[:3])


KEYS: Mapping[DuplicateKind, Callable[[ListedWork], Iterable[str]]] = {
    "same_identifier": _identifiers,
    "same_title": _title_keys,
    "same_url": _addresses,
}
