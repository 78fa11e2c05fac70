"""Removal of running heads, running feet and page numbers from PDF pages."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from assay.documents.pdf_browser_heads import drop_browser_heads
from assay.documents.pdf_navigation import drop_navigation
from assay.documents.pdf_objects import Box
from assay.documents.pdf_text_page import Page, PdfLine
from assay.documents.pdf_two_pages import NO_LETTERS, SMALL, USUAL, OuterLine, find_heads_of_two
from assay.text.roman_numerals import read_roman

EDGE = 0.1  # share of the page height examined at the top and at the bottom
OUTER_EDGE = 0.18  # the same for the outermost row, if it is apart from the text
APART = 1.7  # minimum distance of such a row from the next one, in font sizes
MIN_PAGES = 3
MIN_ROWS = 3  # of a table
SHARE = 0.3  # minimum share of pages: left and right pages differ
LARGE = 1.25  # minimum size of titles relative to the text
HEAD_LETTERS = 120
FIRST_NUMBER, LAST_NUMBER = re.compile(r"^\d{1,4}\b"), re.compile(r"\b\d{1,4}$")
NUMBERS = re.compile(r"\d+|\b[ivxlc]+\b")
ALONE = re.compile(r"[-–—]?\s?(?:(\d{1,4})|([ivxlc]{1,8}))\s?[-–—]?")
FIGURE = re.compile(r"[-−–+(]?[$€£]?\d[\d.,\s]{0,30}[%)]?")
ROW_STEP, UNEVEN = 2.5, 1.3  # maximum distance of rows of a table, in font sizes, and relative to the next distance

type Key = tuple[str, int]  # the text with its numbers masked, and its height


class _EdgeLine(NamedTuple):
    """A line at the top or bottom edge, with its key and those of its cells; whether it is in the outermost row.

    The same line may have cells on some pages only.
    """

    line: PdfLine
    key: Key
    keys: tuple[Key, ...]
    is_outer: bool
    is_top: bool


def remove_running_heads(pages: list[Page]) -> list[list[PdfLine]]:
    """Return the lines of each page; an identical repeated line is kept on its first page, page numbers are removed."""
    pages = drop_browser_heads(pages)
    if len(pages) < MIN_PAGES:
        return _remove_from_two(pages)
    pages = drop_navigation(pages)
    size = _measure_text_size(pages)
    edges = [
        [edge for edge in _find_edge_lines(lines, box) if not _is_numbered_title(edge.line, size)]
        for box, lines in pages
    ]
    removed = _find_repeated(edges, size)
    counting = _find_page_numbers(edges)
    for found in (_find_lone_numbers(edges), _find_titles(pages, edges, size)):
        for number, ids in found.items():
            counting[number] |= ids
    result = []
    for number, (_, lines) in enumerate(pages):
        dropped = {
            id(edge.line)
            for edge in edges[number]
            if removed.get(edge.key, number) != number or all(removed.get(key, number) != number for key in edge.keys)
        }
        dropped |= counting.get(number, set())
        result.append([line for line in lines if id(line) not in dropped] if dropped else lines)
    return result


def _remove_from_two(pages: list[Page]) -> list[list[PdfLine]]:
    """The lines of each page of a document of at most two pages."""
    if len(pages) < 2:
        return [lines for _, lines in pages]
    first, second = (
        [OuterLine(edge.line, edge.is_top) for edge in _find_edge_lines(lines, box) if edge.is_outer]
        for box, lines in pages
    )
    dropped = find_heads_of_two(first, second, _measure_text_size(pages))
    return [[line for line in lines if id(line) not in dropped] for _, lines in pages]


def _is_numbered_title(line: PdfLine, size: float) -> bool:
    """Whether a line is the title of a slide, such as "Example 2", and the number not that of a page."""
    return line.size > LARGE * size and NUMBERS.search(line.text) is not None and not NO_LETTERS.fullmatch(line.text)


def _measure_text_size(pages: list[Page]) -> float:
    sizes: Counter[float] = Counter()
    for _, lines in pages:
        for line in lines:
            sizes[round(line.size * 2) / 2] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _find_edge_lines(lines: list[PdfLine], box: Box) -> Iterator[_EdgeLine]:
    height = box[3] - box[1]
    outer = _find_outer_rows(lines)
    inner = {line.table for line in lines if line.table and _measure_margin(line, box) > EDGE * height}
    rows = _find_inner_rows(lines, box)
    for line in lines:
        nearest, is_outer = _measure_margin(line, box), id(line) in outer
        if (line.table and line.table in inner) or id(line) in rows:  # of a table on the page, not a head in a frame
            continue
        if line.is_tilted or nearest <= EDGE * height or (is_outer and nearest <= OUTER_EDGE * height):
            keys = tuple(_make_key(cell, line) for cell in line.cells or (line,))
            is_top = box[3] - line.top < line.bottom - box[1]
            yield _EdgeLine(line, _make_key(line, line), keys, is_outer, is_top)


def _find_inner_rows(lines: list[PdfLine], box: Box) -> set[int]:
    """Ids of rows of cells, and of figures that stand alone, in tables that reach beyond the edges of the page."""
    found: set[int] = set()
    run: list[PdfLine] = []
    for line in lines:
        is_row = bool(line.cells) or FIGURE.fullmatch(line.text) is not None
        if run and not (is_row and 0 < run[-1].bottom - line.bottom <= ROW_STEP * line.size):
            found |= _list_inner_rows(run, box)
            run = []
        run += [line] * is_row
    return found | _list_inner_rows(run, box)


def _list_inner_rows(run: list[PdfLine], box: Box) -> set[int]:
    """Ids of lines that are as far apart as rows, if one is beyond the edges; a head is further from them."""
    steps = [one.bottom - two.bottom for one, two in pairwise(run)]
    if len(steps) < MIN_ROWS - 1:
        return set()
    rows = run[steps[0] > UNEVEN * steps[1] : len(run) - (steps[-1] > UNEVEN * steps[-2])]
    is_inner = any(_measure_margin(line, box) > EDGE * (box[3] - box[1]) for line in rows)
    return {id(line) for line in rows} if is_inner else set()


def _measure_margin(line: PdfLine, box: Box) -> float:
    """The distance of a line from the top or the bottom of the page, whichever is nearer."""
    return min(box[3] - line.top, line.bottom - box[1])


def _find_outer_rows(lines: list[PdfLine]) -> set[int]:
    """Ids of the lines of the highest and of the lowest row, if they are apart from the next row."""
    ordered = sorted(lines, key=_measure_height)
    return _take_row(ordered) | _take_row(ordered[::-1])


def _take_row(ordered: list[PdfLine]) -> set[int]:
    row: set[int] = set()
    for line in ordered:
        distance = abs(line.bottom - ordered[0].bottom)
        if distance >= line.size / 3:
            return row if distance > APART * line.size else set()
        row.add(id(line))
    return row


def _measure_height(line: PdfLine) -> float:
    return line.bottom


def _make_key(cell: PdfLine, line: PdfLine) -> Key:
    return NUMBERS.sub("#", cell.text.lower()), round(line.bottom / 4)


def _find_repeated(edges: list[list[_EdgeLine]], size: float) -> dict[Key, int]:
    """The keys of repeated lines, each with the page on which it is kept, -1 for none.

    Heads of a chapter are on few pages: they are in a row of their own, and not larger than the text.
    """
    seen: dict[Key, list[tuple[int, str]]] = defaultdict(list)
    heads: dict[Key, Counter[str]] = defaultdict(Counter)
    least: dict[Key, int] = {}
    for number, edge in enumerate(edges):
        for line, whole, keys, is_outer, _ in edge:
            if len(line.cells) > 1 and all(FIGURE.fullmatch(cell.text) for cell in line.cells):
                continue  # a row of a table, of which numbers are no page's
            cells = dict(zip(keys, (cell.text for cell in line.cells or (line,)), strict=True))
            for key, text in (cells | {whole: line.text}).items():
                seen[key].append((number, text))
                heads[key][text] += is_outer and line.size <= USUAL * size
                least[key] = MIN_PAGES - (line.size <= SMALL * size)
    found = {}
    for key, places in seen.items():
        texts = heads[key]
        is_head = (
            len(texts) == 1 and sum(texts.values()) == len(places) >= least[key] and key[0].count("#") < len(key[0])
        )
        if is_head or _is_repeated(len({at for at, _ in places}), len(edges)):
            found[key] = _choose_page(places)
    return found


def _find_page_numbers(edges: list[list[_EdgeLine]]) -> dict[int, set[int]]:
    """Ids of the outermost lines, by page, that begin or end with the page number, whatever the first page's number.

    At the edge where fewer pages have it, the number is alone in its line: headings may begin with a number too.
    """
    found: dict[int, list[tuple[int, _EdgeLine]]] = defaultdict(list)  # number of the first page: page, line
    for page, edge in enumerate(edges):
        ordered = sorted(edge, key=lambda each: each.line.bottom)
        for each in ordered[:1] + ordered[1:][-1:]:
            text = each.line.text
            for number in {*LAST_NUMBER.findall(text), *FIRST_NUMBER.findall(text)}:
                if len(text) <= HEAD_LETTERS:
                    found[int(number) - page].append((page, each))
    offset = max(found, key=lambda first: len({page for page, _ in found[first]}), default=0)
    counting: dict[int, set[int]] = defaultdict(set)
    if _is_repeated(len({page for page, _ in found[offset]}), len(edges)):
        are_top = 2 * sum(each.is_top for _, each in found[offset]) >= len(found[offset])
        for page, each in found[offset]:
            if each.is_top == are_top or ALONE.fullmatch(each.line.text):
                counting[page].add(id(each.line))
    return counting


def _find_lone_numbers(edges: list[list[_EdgeLine]]) -> dict[int, set[int]]:
    """Ids of the lines, by page, that are in the outermost row with a number that counts at least some of the pages."""
    found: dict[tuple[bool, int], list[tuple[int, PdfLine]]] = defaultdict(list)
    for page, edge in enumerate(edges):
        for line in (each.line for each in edge if each.is_outer):
            number = ALONE.fullmatch(line.text)
            if number:
                value = int(number[1]) if number[1] else read_roman(number[2])
                found[number[1] is None, value - page].append((page, line))
    counting: dict[int, set[int]] = defaultdict(set)
    for places in found.values():
        for page, line in places if len(places) >= MIN_PAGES else ():
            counting[page] |= {
                id(each.line)
                for each in edges[page]
                if each.is_outer and abs(each.line.bottom - line.bottom) < line.size / 3
            }
    return counting


def _find_titles(pages: list[Page], edges: list[list[_EdgeLine]], size: float) -> dict[int, set[int]]:
    """Ids of the highest lines, by page, that repeat one or two headings of the document, as heads of sections do."""
    heads = [
        (page, edge.line)
        for page, found in enumerate(edges)
        for edge in found
        if edge.is_outer
        and edge.is_top
        and edge.line.size <= USUAL * size
        and not edge.line.is_bold
        and len(edge.line.text) <= 2 * HEAD_LETTERS
    ]
    if len({page for page, _ in heads}) < MIN_PAGES:
        return {}
    titles = {
        _keep_letters(line.text)
        for _, lines in pages
        for line in lines
        if (line.is_bold or line.size > USUAL * size) and len(line.text) <= HEAD_LETTERS
    }
    repeating: dict[int, set[int]] = defaultdict(set)
    for page, line in heads:
        text = _keep_letters(line.text)
        if text and any(
            text[:place] in titles and (text[place:] in titles or place == len(text))
            for place in range(1, len(text) + 1)
        ):
            repeating[page].add(id(line))
    return repeating if len(repeating) >= MIN_PAGES else {}


def _keep_letters(text: str) -> str:
    return NO_LETTERS.sub("", text).casefold()


def _is_repeated(times: int, pages: int) -> bool:
    return times >= max(MIN_PAGES, SHARE * pages)


def _choose_page(places: list[tuple[int, str]]) -> int:
    """The page on which the line is kept, -1 for none."""
    return places[0][0] if len({text for _, text in places}) == 1 else -1
