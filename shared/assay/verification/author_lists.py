"""Compares the authors that a citation lists with those of a record: names, number and order."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.verification.author_comparison import compare_names, parse_author

type AuthorMatch = Literal["same", "truncated", "variant", "different", "unknown"]

ET_AL = re.compile(
    r"^(?:and\s+|&\s*)?(?:et\.?\s*al\b\.?|(?:and\s+)?others\.?|u\.\s?a\.|y\s+(?:otros|cols)\.?|e\s+outros|и\s+др\.?|等|외|ほか)\s*$"
    r"|\bet\.?\s+al\b\.?\s*$|^(?:\.{3}|…)$",
    re.IGNORECASE,
)
MAX_AUTHORS = 300  # of each list that are compared; the pairing takes time by the square of it


@dataclass(frozen=True)
class AuthorComparison:
    """The outcome. `reason` is a sentence; `variants` are pairs of a cited and a recorded form of one name."""

    match: AuthorMatch
    reason: str = ""
    variants: tuple[tuple[str, str], ...] = ()


def compare_author_lists(
    cited: Sequence[str], recorded: Sequence[str], *, recorded_is_partial: bool = False
) -> AuthorComparison:
    """Compare the author list of a citation with a record's.

    A list that ends in "et al." may omit authors of the record but not add any, and keeps their order.
    `recorded_is_partial` tells that the record lists only its first authors.
    """
    listed, truncated = _read_list(cited)
    known, partial = _read_list(recorded)
    if not listed or not known:
        return AuthorComparison("unknown")
    if _is_reading_unknown(listed, known):
        return _compare_by_place(listed, known, is_cut=truncated or partial or recorded_is_partial)
    pairs, added = _align(listed, known)
    added = [place for place in added if place < len(known) or not (partial or recorded_is_partial)]
    if added and all(parse_author(listed[place]).is_group for place in added):
        return AuthorComparison("truncated", "A group stands for the persons whom the record lists.")
    if added:
        return AuthorComparison("different", f"The record does not list {_join(listed, added).rstrip('.')}.")
    order = [pairs[place] for place in sorted(pairs)]
    if order != sorted(order):
        return AuthorComparison("different", "The record lists the authors in another order.")
    omitted = [at for at in range(len(known)) if at not in order and not parse_author(known[at]).is_group]
    if omitted and (not truncated or omitted[0] == 0):
        return AuthorComparison("different", f"The record also lists {_join(known, omitted).rstrip('.')}.")
    return _find_variants(listed, known, pairs) or AuthorComparison("truncated" if omitted else "same")


def _is_reading_unknown(listed: Sequence[str], known: Sequence[str]) -> bool:
    """Whether one list is in Chinese characters and the other in Latin letters."""
    scripts = {parse_author(name).script for name in (listed[0], known[0])}
    return scripts == {"han", "latin"}


def _compare_by_place(listed: Sequence[str], known: Sequence[str], *, is_cut: bool) -> AuthorComparison:
    if len(listed) != len(known) and not (is_cut and len(listed) < len(known)):
        return AuthorComparison("different", f"The citation lists {len(listed)} authors, the record {len(known)}.")
    pairs = {place: place for place in range(len(listed))}
    return _find_variants(listed, known, pairs) or AuthorComparison("truncated" if len(listed) < len(known) else "same")


def _read_list(authors: Sequence[str]) -> tuple[list[str], bool]:
    """Return the first authors of a list without "et al.", and whether the list is incomplete."""
    partial = len(authors) > MAX_AUTHORS or any(ET_AL.search(author) for author in authors)
    names = [ET_AL.sub("", author).strip(" ,;&") for author in authors[:MAX_AUTHORS]]
    return [name for name in names if parse_author(name).tokens], partial


def _join(names: Sequence[str], places: Sequence[int]) -> str:
    return ", ".join(names[place] for place in places[:3])


def _find_variants(listed: Sequence[str], known: Sequence[str], pairs: Mapping[int, int]) -> AuthorComparison | None:
    printed = [(listed[place], known[at]) for place, at in pairs.items()]
    variants = tuple(pair for pair in printed if compare_names(*pair) == "variant")
    if not variants:
        return None
    return AuthorComparison("variant", f"{variants[0][0]} may be a form of {variants[0][1]}.", variants)


def _align(listed: Sequence[str], known: Sequence[str]) -> tuple[dict[int, int], list[int]]:
    """Pair cited with recorded authors: equal names first, at the nearest place; return the pairs and the unpaired."""
    pairs: dict[int, int] = {}
    for wanted in ("same", "variant"):
        for place, author in enumerate(listed):
            if place in pairs:
                continue
            free = sorted(set(range(len(known))) - set(pairs.values()), key=lambda at: (abs(at - place), at))
            for at in free:
                if compare_names(author, known[at]) == wanted:
                    pairs[place] = at
                    break
    return pairs, [place for place in range(len(listed)) if place not in pairs]
