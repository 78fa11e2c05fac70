"""Reads the `thebibliography` environment of LaTeX and `.bbl` files: printed references behind `\\bibitem`."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from assay.bibliography.latex import latex_to_text
from assay.bibliography.printed_reference import parse_reference
from assay.bibliography.work import CitedWork, UnparsedPassage, collapse_spaces, cut_excerpt, is_recognized

ITEM = re.compile(
    r"\\bibitem\s{0,5}(?:\[((?:[^\[\]{}]|\{(?:[^{}]|\{[^{}]{0,200}\}){0,300}\}){0,600})\])?\s{0,5}%?\s{0,5}\{([^{}]{1,300})\}"
)
LINK = re.compile(
    r"\\(?:url|path|nolinkurl|doi|eprint)\s{0,5}\{([^{}]{0,1000})\}|\\href\s{0,5}\{([^{}]{0,1000})\}\s{0,5}\{([^{}]{0,1000})\}"
)
END = "\\end{thebibliography}"
COMMENT = re.compile(r"(?<!\\)%[^\n]*")
DIVIDER = re.compile(
    r"\\(?:newblock|bibinfo\s{0,3}\{[^{}]{0,40}\}|natexlab|penalty-?\d+|BibitemShut\s{0,3}\{[^{}]{0,20}\})"
)
LONGEST_ITEM = 6_000  # characters


class BibItem(NamedTuple):
    """An item: its key, the label in brackets, its LaTeX text, and the place where it begins."""

    key: str
    label: str
    latex: str
    start: int


def find_items(text: str) -> Iterator[BibItem]:
    """Yield the items of all lists; an item ends at the next one or at the end of its environment."""
    items = list(ITEM.finditer(text))
    starts = [*(item.start() for item in items[1:]), len(text)]
    for item, start in zip(items, starts, strict=False):
        end = min(start, item.end() + LONGEST_ITEM)
        latex = text[item.end() : end].partition(END)[0]
        yield BibItem(item[2].strip(), item[1] or "", latex, item.start())


def read_item(latex: str) -> str:
    """Return the LaTeX text of an item on one line, with the addresses of its links."""
    plain = LINK.sub(lambda found: f" {found[3] or ''} {found[1] or found[2] or ''} ", COMMENT.sub("", latex))
    return collapse_spaces(latex_to_text(DIVIDER.sub(" ", plain)))


def parse_bibitems(text: str, limit: int) -> tuple[list[CitedWork], list[UnparsedPassage], int]:
    """Parse the references of a `.bbl` file; return its first `limit` works, the items without one, and the count."""
    works: list[CitedWork] = []
    unread: list[UnparsedPassage] = []
    line, counted, total = 1, 0, 0
    for item in find_items(text):
        total += 1
        if len(works) >= limit:
            continue
        line += text.count("\n", counted, item.start)
        counted = item.start
        printed = read_item(item.latex)
        work = parse_reference(printed)
        if is_recognized(work):
            works.append(replace(work, printed=printed, key=item.key, number=len(works) + 1, line=line))
        else:
            unread.append(UnparsedPassage(line, cut_excerpt(printed), "No reference was recognized in it."))
    return works, unread, total - len(unread)
