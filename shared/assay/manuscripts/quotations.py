"""Finds quotations in a paragraph: passages in quotation marks that are long enough to be looked up."""

import re
from collections.abc import Iterator

MARKS = re.compile(
    r"“([^“”„]{10,3000})”|„([^„“”]{10,3000})[“”]|«\s?([^«»]{10,3000}?)\s?»|»([^«»]{10,3000})«|「([^「」]{10,3000})」|『([^『』]{10,3000})』"
    r"|(?<![\w.,;!?\"])\"(?=\S)([^\"\n]{10,3000})(?<=\S)\"(?!\w)"
    r"|(?<!\w)‘(?=\S)([^‘\n]{20,3000}?)’(?!\w)"
)
WORD = re.compile(r"\w+(?:['’-]\w+)*")
WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]")
FEWEST_WORDS = 5
FEWEST_WIDE = 20  # characters, in scripts without spaces


def find_quotations(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the start, the end and the quoted text of each quotation."""
    for found in MARKS.finditer(text):
        quoted = next(group for group in found.groups() if group).strip()
        if is_long_enough(quoted):
            yield found.start(), found.end(), quoted


def is_long_enough(text: str) -> bool:
    return len(WIDE.findall(text)) >= FEWEST_WIDE or len(WORD.findall(WIDE.sub(" ", text))) >= FEWEST_WORDS
