"""What a PDF repeats on page after page: running heads, running feet, page numbers."""

import re
from collections import defaultdict

from assay.documents.pdf_hidden import Box
from assay.documents.pdf_lines import Line

EDGE = 0.1  # of the page's height, at the top and at the bottom
LEAST_PAGES = 3
SHARE = 0.3  # of the pages: left and right pages may differ, chapters have their own
NUMBERS = re.compile(r"\d+|\b[ivxlc]+\b")


def without_furniture(pages: list[tuple[Box, list[Line]]]) -> list[list[Line]]:
    """The pages' lines. What is the same word for word stays where it stands first; what counts pages goes."""
    if len(pages) < LEAST_PAGES:
        return [lines for _, lines in pages]
    seen: dict[tuple[str, int], list[tuple[int, str]]] = defaultdict(list)
    edges = [[(line, key) for line in lines if (key := _key(line, box))] for box, lines in pages]
    for number, edge in enumerate(edges):
        for line, key in edge:
            seen[key].append((number, line.text))
    gone = {key: _kept(places) for key, places in seen.items() if _repeats(places, len(pages))}
    result = []
    for number, (_, lines) in enumerate(pages):
        dropped = {id(line) for line, key in edges[number] if key in gone and gone[key] != number}
        result.append([line for line in lines if id(line) not in dropped] if dropped else lines)
    return result


def _key(line: Line, box: Box) -> tuple[str, int] | None:
    """The line without its numbers and how high it stands, if it stands at an edge."""
    height = (box[3] - box[1]) * EDGE
    if box[1] + height < line.bottom and line.top < box[3] - height:
        return None
    return NUMBERS.sub("#", line.text.lower()), round(line.bottom / 4)


def _repeats(places: list[tuple[int, str]], pages: int) -> bool:
    return len({number for number, _ in places}) >= max(LEAST_PAGES, SHARE * pages)


def _kept(places: list[tuple[int, str]]) -> int:
    """The page on which it stays, -1 for none."""
    return places[0][0] if len({text for _, text in places}) == 1 else -1
