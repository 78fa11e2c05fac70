"""What a PDF repeats on page after page: running heads, running feet, page numbers."""

import re
from collections import defaultdict

from assay.documents.pdf_hidden import Box
from assay.documents.pdf_lines import PdfLine

EDGE = 0.1  # of the page's height, at the top and at the bottom
LEAST_PAGES = 3
SHARE = 0.3  # of the pages: left and right pages may differ, chapters have their own
HEAD_LETTERS = 120
FIRST_NUMBER, LAST_NUMBER = re.compile(r"^\d{1,4}\b"), re.compile(r"\b\d{1,4}$")
NUMBERS = re.compile(r"\d+|\b[ivxlc]+\b")


def without_furniture(pages: list[tuple[Box, list[PdfLine]]]) -> list[list[PdfLine]]:
    """The pages' lines. What is the same word for word stays where it stands first; what counts pages goes."""
    if len(pages) < LEAST_PAGES:
        return [lines for _, lines in pages]
    seen: dict[tuple[str, int], list[tuple[int, str]]] = defaultdict(list)
    edges = [[(line, key) for line in lines if (key := _key(line, box))] for box, lines in pages]
    for number, edge in enumerate(edges):
        for line, key in edge:
            seen[key].append((number, line.text))
    gone = {
        key: _page_to_keep(places)
        for key, places in seen.items()
        if _repeats(len({at for at, _ in places}), len(pages))
    }
    counting = _counting(edges)
    result = []
    for number, (_, lines) in enumerate(pages):
        dropped = {id(line) for line, key in edges[number] if key in gone and gone[key] != number}
        dropped |= counting.get(number, set())
        result.append([line for line in lines if id(line) not in dropped] if dropped else lines)
    return result


def _counting(edges: list[list[tuple[PdfLine, tuple[str, int]]]]) -> dict[int, set[int]]:
    """The outermost lines that begin or end with the number of their page, however the page is counted."""
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)  # first page's number: page, line
    for page, edge in enumerate(edges):
        lines = [line for line, _ in edge]
        for line in {max(lines, key=_height), min(lines, key=_height)} if lines else ():
            for number in {*LAST_NUMBER.findall(line.text), *FIRST_NUMBER.findall(line.text)}:
                if len(line.text) <= HEAD_LETTERS:
                    found[int(number) - page].append((page, id(line)))
    offset = max(found, key=lambda first: len({page for page, _ in found[first]}), default=0)
    counting: dict[int, set[int]] = defaultdict(set)
    if _repeats(len({page for page, _ in found[offset]}), len(edges)):
        for page, line_id in found[offset]:
            counting[page].add(line_id)
    return counting


def _height(line: PdfLine) -> float:
    return line.bottom


def _key(line: PdfLine, box: Box) -> tuple[str, int] | None:
    """The line without its numbers and how high it stands, if it stands at an edge."""
    height = (box[3] - box[1]) * EDGE
    if box[1] + height < line.bottom and line.top < box[3] - height:
        return None
    return NUMBERS.sub("#", line.text.lower()), round(line.bottom / 4)


def _repeats(times: int, pages: int) -> bool:
    return times >= max(LEAST_PAGES, SHARE * pages)


def _page_to_keep(places: list[tuple[int, str]]) -> int:
    """The page on which it stays, -1 for none."""
    return places[0][0] if len({text for _, text in places}) == 1 else -1
