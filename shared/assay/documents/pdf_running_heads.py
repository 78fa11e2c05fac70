"""Removal of running heads, running feet and page numbers from PDF pages."""

import re
from collections import defaultdict

from assay.documents.pdf_objects import Box
from assay.documents.pdf_text_page import PdfLine

EDGE = 0.1  # share of the page height examined at the top and at the bottom
MIN_PAGES = 3
SHARE = 0.3  # minimum share of pages: left and right pages differ, and chapters have their own heads
HEAD_LETTERS = 120
FIRST_NUMBER, LAST_NUMBER = re.compile(r"^\d{1,4}\b"), re.compile(r"\b\d{1,4}$")
NUMBERS = re.compile(r"\d+|\b[ivxlc]+\b")


def remove_running_heads(pages: list[tuple[Box, list[PdfLine]]]) -> list[list[PdfLine]]:
    """Return the lines of each page; an identical repeated line is kept on its first page, page numbers are removed."""
    if len(pages) < MIN_PAGES:
        return [lines for _, lines in pages]
    seen: dict[tuple[str, int], list[tuple[int, str]]] = defaultdict(list)
    edges = [[(line, key) for line in lines if (key := _mask_line(line, box))] for box, lines in pages]
    for number, edge in enumerate(edges):
        for line, key in edge:
            seen[key].append((number, line.text))
    removed = {
        key: _choose_page(places)
        for key, places in seen.items()
        if _is_repeated(len({at for at, _ in places}), len(pages))
    }
    counting = _find_page_numbers(edges)
    result = []
    for number, (_, lines) in enumerate(pages):
        dropped = {id(line) for line, key in edges[number] if key in removed and removed[key] != number}
        dropped |= counting.get(number, set())
        result.append([line for line in lines if id(line) not in dropped] if dropped else lines)
    return result


def _find_page_numbers(edges: list[list[tuple[PdfLine, tuple[str, int]]]]) -> dict[int, set[int]]:
    """Ids of the outermost lines, by page, that begin or end with the page number, whatever the first page's number."""
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)  # number of the first page: (page, line id)
    for page, edge in enumerate(edges):
        lines = [line for line, _ in edge]
        for line in {max(lines, key=_measure_height), min(lines, key=_measure_height)} if lines else ():
            for number in {*LAST_NUMBER.findall(line.text), *FIRST_NUMBER.findall(line.text)}:
                if len(line.text) <= HEAD_LETTERS:
                    found[int(number) - page].append((page, id(line)))
    offset = max(found, key=lambda first: len({page for page, _ in found[first]}), default=0)
    counting: dict[int, set[int]] = defaultdict(set)
    if _is_repeated(len({page for page, _ in found[offset]}), len(edges)):
        for page, line_id in found[offset]:
            counting[page].add(line_id)
    return counting


def _measure_height(line: PdfLine) -> float:
    return line.bottom


def _mask_line(line: PdfLine, box: Box) -> tuple[str, int] | None:
    """The line with its numbers masked, and its height; None if it is not at the top or bottom edge."""
    height = (box[3] - box[1]) * EDGE
    if box[1] + height < line.bottom and line.top < box[3] - height:
        return None
    return NUMBERS.sub("#", line.text.lower()), round(line.bottom / 4)


def _is_repeated(times: int, pages: int) -> bool:
    return times >= max(MIN_PAGES, SHARE * pages)


def _choose_page(places: list[tuple[int, str]]) -> int:
    """The page on which the line is kept, -1 for none."""
    return places[0][0] if len({text for _, text in places}) == 1 else -1
