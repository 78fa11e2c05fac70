"""Finds the references by the manuscript's own authors."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from assay.verification.author_comparison import compare_names, parse_author

MAX_AUTHORS = 100  # of the manuscript and of each reference that are compared
MAX_COMPARISONS = 50_000  # of names; references beyond are not counted


class SelfCitations(NamedTuple):
    """Indices of references that share an author with the manuscript, of `counted` references with known authors.

    `possible` are references whose shared author is not certain, such as a family name without given names.
    """

    certain: tuple[int, ...]
    possible: tuple[int, ...]
    counted: int

    @property
    def share(self) -> float | None:
        return len(self.certain) / self.counted if self.counted else None


def find_self_citations(authors: Sequence[str], references: Mapping[int, Sequence[str]]) -> SelfCitations:
    """Compare the manuscript's authors with those of each reference; names are printed as `Family, Given`."""
    by_word: dict[str, set[str]] = defaultdict(set)
    for author in authors[:MAX_AUTHORS]:
        for word in parse_author(author).tokens:
            by_word[word].add(author)
    certain: list[int] = []
    possible: list[int] = []
    counted = 0
    left = MAX_COMPARISONS
    for index, names in references.items():
        pairs = [(name, _find_candidates(name, by_word)) for name in names[:MAX_AUTHORS]]
        left -= sum(len(candidates) for _, candidates in pairs)
        if left < 0:
            break
        counted += bool(names)
        likeness = max((_compare(name, candidates) for name, candidates in pairs), default=0)
        if likeness:
            (certain if likeness > 1 else possible).append(index)
    return SelfCitations(tuple(certain), tuple(possible), counted)


def _find_candidates(name: str, by_word: Mapping[str, set[str]]) -> set[str]:
    """Return the authors that share a word with the name."""
    return {author for word in parse_author(name).tokens for author in by_word.get(word, ())}


def _compare(name: str, candidates: set[str]) -> int:
    """Return 2 if the name is surely one of the candidates, 1 if it may be, else 0."""
    matches = {compare_names(author, name): author for author in candidates}
    if "same" in matches:
        both = parse_author(name).given and parse_author(matches["same"]).given
        return 2 if both else 1
    return 1 if "variant" in matches else 0
