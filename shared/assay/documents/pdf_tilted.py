"""Tilted text of PDF pages: stamps in the margin, watermarks, and the labels of axes."""

from bisect import bisect_left, bisect_right
from collections import defaultdict

from assay.documents.pdf_text_page import PdfLine

MOST = 0.3  # share of the letters of a page above which the page itself is turned
OUTSIDE = 0.05  # maximum share of upright lines beside a stamp


def unmark_turned_page(lines: list[PdfLine]) -> list[PdfLine]:
    """Return the lines as upright if the whole page is turned."""
    tilted = sum(len(line.text) for line in lines if line.is_tilted)
    if not tilted or tilted <= MOST * sum(len(line.text) for line in lines):
        return lines
    return [line._replace(is_tilted=False) for line in lines]


def take_tilted(lines: list[PdfLine]) -> tuple[list[PdfLine], list[PdfLine], dict[int, list[PdfLine]]]:
    """Return the stamps in the margin, the upright lines, and other tilted lines by the id of the line before them."""
    upright = [line for line in lines if not line.is_tilted]
    lefts, rights = sorted(line.left for line in upright), sorted(line.right for line in upright)
    stamps: list[PdfLine] = []
    others: dict[int, list[PdfLine]] = defaultdict(list)
    before = 0
    for line in lines:
        if not line.is_tilted:
            before = id(line)
        elif min(bisect_left(lefts, line.right), len(rights) - bisect_right(rights, line.left)) <= OUTSIDE * len(
            upright
        ):
            stamps.append(line)
        else:
            others[before].append(line)
    return stamps, upright, others
