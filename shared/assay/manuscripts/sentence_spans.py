"""Finds the sentences of a paragraph, without a cut in abbreviations or citations."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from assay.evaluation.claim_sentences import END
from assay.manuscripts.manuscript_draft import Marker

ABBREVIATION = re.compile(
    r"\b(?:et al|al|e\.\s?g|i\.\s?e|cf|vs|ca|resp|approx|viz|[Ff]igs?|[Ee]qs?|[Tt]abs?|[Ss]ecs?|[Cc]h(?:ap)?|[Nn]os?|"
    r"[Vv]ols?|pp?|[Ee]ds?|[Dd]r|[Pp]rof|[Mm]rs?|[Ms]s|[Ss]t|[Jj]r|[Ss]r|[Rr]efs?|[Aa]pp|z\.\s?B|d\.\s?h|bzw|vgl|Nr|Abb|"
    r"Art|[A-Z])\."
)
FOLLOWS_END = re.compile(r"[.!?…。！？][\"'”’»)\]]*\s*$")
LETTER = re.compile(r"\w")
BETWEEN_MARKERS = " ,;–-[]()"
LOOKBACK = 40  # characters searched for the end of the sentence before a marker


class SentenceSpans:
    """The sentences of a text. A marker behind a full stop belongs to the sentence that ends there."""

    def __init__(self, text: str, markers: Sequence[Marker]) -> None:
        masked = _mask(text, markers)
        bounds = [0, *(found.end() for found in END.finditer(masked)), len(text)]
        spans: list[tuple[int, int]] = []
        for start, end in pairwise(bounds):
            if not masked[start:end].strip():
                continue
            if spans and not LETTER.search(masked, start, end):
                spans[-1] = (spans[-1][0], end)  # nothing but markers and punctuation
            else:
                spans.append((start, end))
        self._text, self._spans = text, spans
        self._starts = [start for start, _ in spans]

    def find(self, place: int) -> int:
        """Return the index of the sentence at an offset."""
        return max(0, bisect_right(self._starts, place) - 1)

    def read(self, index: int) -> str:
        start, end = self._spans[index]
        return self._text[start:end].strip()

    def __len__(self) -> int:
        return len(self._spans)


def _mask(text: str, markers: Sequence[Marker]) -> str:
    """Replace what must not end a sentence by a letter, and markers that follow a full stop by full stops."""
    pieces, done, is_ending = [], 0, False
    for marker in sorted(markers, key=lambda each: each.start):
        if marker.start < done:
            continue
        between = text[done : marker.start]
        is_ending = (is_ending and not between.strip(BETWEEN_MARKERS)) or _is_behind_end(text, marker)
        is_ending = is_ending and not text[marker.end : marker.end + 2].lstrip()[:1].islower()
        pieces += [between, ("." if is_ending else "x") * (marker.end - marker.start)]
        done = marker.end
    masked = "".join([*pieces, text[done:]])
    return ABBREVIATION.sub(lambda found: "x" * len(found[0]), masked)


def _is_behind_end(text: str, marker: Marker) -> bool:
    """Whether the marker follows the end of a sentence; a narrative marker begins the next one instead."""
    if marker.style in ("author-year", "link", "key") and not text.startswith(("(", "["), marker.start):
        return False
    return FOLLOWS_END.search(text[max(0, marker.start - LOOKBACK) : marker.start]) is not None
