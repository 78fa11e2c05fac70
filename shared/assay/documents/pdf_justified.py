"""Justified lines of narrow columns in PDFs, whose words are further apart than columns of a table may be."""

import re
from collections.abc import Sequence

from assay.documents.pdf_gaps import JOINED
from assay.documents.pdf_text_page import Place, TextPage

SPACE = re.compile(f" [ {JOINED}]*")
EVEN = 0.25  # points by which the gaps of a justified line differ
MIN_GAPS = 3
AROUND = 2  # lines beside justified ones that may have fewer gaps
ALIGNED = 1.0  # points within which the lines of a paragraph begin and end

type Span = tuple[int, int]


def has_even_gaps(page: TextPage, start: int, end: int) -> bool:
    """Whether the words of a line, most of which are not figures, are equally far apart."""
    texts = [text for text in page.text[start:end].split(" ") if text]
    if len(texts) <= MIN_GAPS or len({*texts}) < MIN_GAPS or 2 * sum(map(str.isalpha, texts)) < len(texts):
        return False
    gaps: list[float] = []
    for space in SPACE.finditer(page.text, start, end):
        if space.end() == end:  # a soft hyphen of the file itself
            break
        gaps.append(page.box(space.end())[0] - page.box(space.start() - 1)[2])
        if abs(gaps[-1] - gaps[0]) > EVEN:
            return False
    return max(gaps) - min(gaps) <= EVEN


def find_justified(page: TextPage, places: Sequence[Place], split: Sequence[Sequence[Span]]) -> list[bool]:
    """Whether each of the lines is justified text; only those with gaps are examined.

    Lines of few words are if they begin and end where a justified line near them does.
    """
    even = [
        len(spans) > 1 and has_even_gaps(page, start, end) for spans, (start, end, _) in zip(split, places, strict=True)
    ]
    edges = [page.span(*place[:2])[:2] if is_even else None for place, is_even in zip(places, even, strict=True)]
    return [
        even[number]
        or (len(spans) > 1 and _has_edges(page, places[number], edges[max(0, number - AROUND) : number + AROUND + 1]))
        for number, spans in enumerate(split)
    ]


def _has_edges(page: TextPage, place: Place, edges: Sequence[tuple[float, float] | None]) -> bool:
    if not any(edges):
        return False
    left, right, *_ = page.span(*place[:2])
    return any(edge and abs(edge[0] - left) <= ALIGNED and abs(edge[1] - right) <= ALIGNED for edge in edges)
