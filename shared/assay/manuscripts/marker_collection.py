"""Collects the markers of a manuscript, and decides which of the numbers and names in it are citations."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from assay.manuscripts.author_year_markers import find_author_year
from assay.manuscripts.manuscript_draft import AuthorYear, Block, Label, Marker
from assay.manuscripts.numeric_markers import count_numbers, find_bracketed, find_in_parentheses, find_raised
from assay.manuscripts.reference_index import ReferenceIndex, normalize_label

LABELLED = re.compile(r"\[([^\[\]]{1,300})\]")
LABEL_ENDS = re.compile(r"\s*[,;]\s*")
COVERED = 0.2  # share of a numbered list that brackets must cite; below, numbers in parentheses may be the markers
FEWEST = 3  # different numbers, or names, that are citations where no list is found


class MarkerCollection:
    """The markers of each block, in order and without overlap."""

    def __init__(self, blocks: Sequence[Block], index: ReferenceIndex) -> None:
        self._index = index
        bracketed = [list(find_bracketed(block.text)) for block in blocks]
        if index.size:  # without a list, raised numbers are notes
            bracketed = [[*found, *find_raised(block.text)] for block, found in zip(blocks, bracketed, strict=True)]
        dated = [list(find_author_year(block.text)) for block in blocks]
        named = [label for marker in chain(*dated) for label in marker.labels if isinstance(label, AuthorYear)]
        resolved = sum(bool(index.find(Marker(0, 0, "author-year", ()), label).places) for label in named)
        self._has_names = resolved > 0 or (not index.size and sum(label.is_certain for label in named) >= FEWEST)
        self.is_numeric = self._has_numbers(bracketed, resolved)
        numeric: Sequence[Sequence[Marker]] = bracketed if self.is_numeric else [[] for _ in blocks]
        if index.is_numbered and count_numbers(chain(*bracketed)) < max(1, COVERED * len(index.labels)):
            in_parentheses = [list(find_in_parentheses(block.text)) for block in blocks]
            if count_numbers(chain(*in_parentheses)) > count_numbers(chain(*bracketed)):
                numeric = [[*one, *other] for one, other in zip(numeric, in_parentheses, strict=True)]
                self.is_numeric = True
        labelled = self._has_other_labels()
        self.by_block = [
            _without_overlaps([block.markers, self._find_labelled(block.text) if labelled else (), numbers, years])
            for block, numbers, years in zip(blocks, numeric, dated, strict=True)
        ]

    def _has_numbers(self, bracketed: Sequence[Sequence[Marker]], resolved: int) -> bool:
        """Whether numbers in brackets cite: the list is numbered, or it has no labels and fewer names are cited."""
        cited = count_numbers(chain(*bracketed))
        if self._index.is_numbered:
            labels = (label for marker in chain(*bracketed) for label in marker.labels)
            return cited > 0 or any(label in self._index.labels for label in labels)
        if self._index.has_labels:
            return False
        return cited > resolved if self._index.size else cited >= FEWEST

    def _has_other_labels(self) -> bool:
        return any(not label.isdecimal() for label in self._index.labels)

    def _find_labelled(self, text: str) -> Iterator[Marker]:
        """Yield markers with the printed labels of the list, such as `[Knu84, Lam94]`."""
        for found in LABELLED.finditer(text):
            labels = [normalize_label(part) for part in LABEL_ENDS.split(found[1])]
            if all(label in self._index.labels for label in labels):
                yield Marker(found.start(), found.end(), "key", tuple(labels))

    def counts_as_missing(self, marker: Marker, label: Label) -> bool:
        """Whether a label without a listed reference is a missing reference, rather than no citation."""
        if not marker.is_certain or marker.style in ("link", "footnote"):
            return False
        return not isinstance(label, AuthorYear) or (label.is_certain and self._has_names and not self.is_numeric)


def _without_overlaps(groups: Iterable[Iterable[Marker]]) -> list[Marker]:
    """Merge the markers; where two overlap, the one of the earlier group stays."""
    chosen: list[Marker] = []
    for group in groups:
        merged: list[Marker] = []
        kept = iter(chosen)
        other = next(kept, None)
        end = 0
        for marker in sorted(group, key=lambda each: each.start):
            while other is not None and other.end <= marker.start:
                other = next(kept, None)
            if marker.start >= end and (other is None or other.start >= marker.end):
                merged.append(marker)
                end = marker.end
        chosen = sorted([*chosen, *merged], key=lambda each: each.start)
    return chosen
