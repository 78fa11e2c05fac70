"""Reads the `thebibliography` environment of LaTeX and `.bbl` files: printed references behind `\\bibitem`."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from assay.bibliography.latex import latex_to_text
from assay.bibliography.printed_reference import parse_reference
from assay.bibliography.work import CitedWork, UnparsedPassage, collapse_spaces, cut_excerpt, is_recognized
from assay.text.user_info import remove_prose_user_info

ITEM = re.compile(r"\\bibitem(?![A-Za-z])\s{0,5}(\[)?")
BRACKETS = re.compile(r"\\.|[{}\]]", re.DOTALL)
KEY = re.compile(r"\s{0,5}%?\s{0,5}\{([^{}]{1,300})\}")
LINK = re.compile(
    r"\\(?:url|path|nolinkurl|doi|eprint)\s{0,5}\{([^{}]{0,1000})\}|\\href\s{0,5}\{([^{}]{0,1000})\}\s{0,5}\{([^{}]{0,1000})\}"
)
END = "\\end{thebibliography}"
COMMENT = re.compile(r"(?<!\\)%[^\n]*")
DIVIDER = re.compile(
    r"\\(?:newblock|bibinfo\s{0,3}\{[^{}]{0,40}\}|natexlab|penalty-?\d+|BibitemShut\s{0,3}\{[^{}]{0,20}\})"
)
LONGEST_ITEM = 6_000  # characters
LONGEST_LABEL = 6_000  # characters; labels of natbib can name all authors


class BibItem(NamedTuple):
    """An item: its key, the label in brackets, its LaTeX text, and the place where it begins."""

    key: str
    label: str
    latex: str
    start: int


def find_items(text: str) -> Iterator[BibItem]:
    """Yield the items of all lists; an item ends at the next one or at the end of its environment."""
    begun = list(ITEM.finditer(text))
    ends = [*(item.start() for item in begun[1:]), len(text)]
    items = [found for item, end in zip(begun, ends, strict=False) if (found := _read_head(text, item, end))]
    starts = [*(start for start, *_ in items[1:]), len(text)]
    for (start, label, key), end in zip(items, starts, strict=False):
        latex = text[key.end() : min(end, key.end() + LONGEST_ITEM)].partition(END)[0]
        yield BibItem(key[1].strip(), label, latex, start)


def _read_head(text: str, item: re.Match[str], end: int) -> tuple[int, str, re.Match[str]] | None:
    """Return the place, the label and the match of the key of an item; None if it has no key."""
    closing = _find_label_end(text, item.end(), min(end, item.end() + LONGEST_LABEL)) if item[1] else item.end() - 1
    key = KEY.match(text, closing + 1, end) if closing is not None else None
    return (item.start(), text[item.end() : closing] if item[1] else "", key) if key else None


def _find_label_end(text: str, start: int, end: int) -> int | None:
    """Return the place of the bracket that closes a label; those within braces are part of it."""
    depth = 0
    for found in BRACKETS.finditer(text, start, end):
        if found[0] == "]" and depth <= 0:
            return found.start()
        depth += {"{": 1, "}": -1}.get(found[0], 0)
    return None


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
            works.append(
                replace(work, printed=remove_prose_user_info(printed), key=item.key, number=len(works) + 1, line=line)
            )
        else:
            unread.append(UnparsedPassage(line, cut_excerpt(printed), "No reference was recognized in it."))
    return works, unread, total - len(unread)
