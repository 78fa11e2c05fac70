"""Joins the printed lines of a reference: words, DOIs and addresses that a line break divides become whole again."""

import re
from collections.abc import Iterable

from assay.bibliography.work import collapse_spaces

WORD_END = re.compile(r"[^\W\d_]{2,}[-\u2010]$")
ADDRESS_END = re.compile(r"(?:https?:/|www\.|\b10\.\d{4,9}/|\bdoi\.org|\bdoi:\s?10\.)\S*$", re.IGNORECASE)
ADDRESS_MARK = re.compile(r"[/_=&?#%~:\-\u2010]$|\(\d*$|\b10\.\d{4,9}$")
ADDRESS_START = re.compile(r"[/_=&?#%~.\-][\w]|[a-z0-9][\w.\-/()]*[\d/][\w.\-/()]*\.?(?=[\s,;]|$)|[a-z]{2,}/\S")
PLAIN_NUMBER = re.compile(r"\(?(?:1[5-9]|20)\d\d[a-z]?\)?[.,;]?(?=\s|$)|pp?\.")
DIVIDED_RANGE = re.compile(r"(?<=\d)([-–—]) (?=\d)")  # of pages, with the line break already a space
FULL = 0.72  # share of the longest line that a line fills whose last word is divided
SOFT_HYPHEN = "\u00ad"


def join_lines(lines: Iterable[str], width: int = 0) -> str:
    """Join lines to one text without line breaks; `width` is that of the list's longest line, 0 if not known."""
    joined: list[str] = []
    last = ""
    for raw in lines:
        line = collapse_spaces(raw)
        if not line:
            continue
        if not joined:
            joined.append(line)
        elif last.endswith(SOFT_HYPHEN):
            joined[-1] = joined[-1].rstrip(SOFT_HYPHEN)
            joined.append(line)
        elif WORD_END.search(last) and line[0].islower() and not ADDRESS_END.search(last):
            joined[-1] = joined[-1][:-1]
            joined.append(line)
        elif _continues_address(last, line, width) or (
            last[-1] in "-–" and line[0].isdigit() and last[-2:-1].isdigit()
        ):
            joined.append(line)
        else:
            joined += [" ", line]
        last = line
    return DIVIDED_RANGE.sub(r"\1", "".join(joined).replace(SOFT_HYPHEN, ""))


def _continues_address(last: str, line: str, width: int) -> bool:
    """Whether the line goes on with a DOI or a web address that ends the line before."""
    if not ADDRESS_END.search(last) or last[-1] in ",;)" or PLAIN_NUMBER.match(line):
        return False
    if ADDRESS_MARK.search(last):
        return line[0].isalnum() or line[0] in "/_("
    start = ADDRESS_START.match(line)
    return start is not None and len(last) >= FULL * width and (last[-1] != "." or start[0][-1:].isdigit())
