"""Justified lines of narrow columns in PDFs, whose words are further apart than columns of a table may be."""

from collections.abc import Sequence
from itertools import pairwise

from assay.documents.pdf_gaps import split_spans
from assay.documents.pdf_text_page import Place, TextPage

EVEN = 0.25  # points by which the gaps of a justified line differ
MIN_GAPS = 3
AROUND = 2  # lines beside justified ones that may have fewer gaps
ALIGNED = 1.0  # points within which the lines of a paragraph begin and end

type Span = tuple[int, int]


def has_even_gaps(page: TextPage, start: int, end: int) -> bool:
    """Whether the words of a line, most of which are not figures, are equally far apart."""
    words = split_spans(page, start, end, 0.0)
    texts = [page.text[one:two] for one, two in words]
    if len(words) <= MIN_GAPS or len({*texts}) < MIN_GAPS or 2 * sum(map(str.isalpha, texts)) < len(texts):
        return False
    gaps = [page.box(two[0])[0] - page.box(one[1] - 1)[2] for one, two in pairwise(words)]
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
