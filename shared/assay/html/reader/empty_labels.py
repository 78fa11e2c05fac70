"""Short texts that say nothing: labels of what is not there, and lines that are drawn with signs."""

import re

from assay.html.reader.text_blocks import TextBlock

EMPTY_LABEL = re.compile(
    r"\s*(?:loading(?: [\w-]+){0,2}(?:\.\.\.|…)|advertisements?|press enter or click to view image in full size)\s*",
    re.IGNORECASE,
)
# Lines in place of `hr`, and what is left of a sentence whose words a script shows elsewhere.
DRAWN_LINE = re.compile(r"(?:[-=_~*#+–—―─━═·•✻❄☼◆◇■♦∗※]\s*){3,}|[.,;:|/·•・]")
DASH = re.compile(r"[-–—]")  # which is a missing value where it is no paragraph
NO_TITLE = re.compile(r"[!-/:-@\[-`{-~]{1,3}")
LABEL_TAGS = frozenset(("div", "p", "section", "aside", "center"))
MAX_LABEL_WORDS = 10


def drop_labels(blocks: list[TextBlock], chosen: set[int]) -> None:
    """Leave out the labels of what is not there: of an advertisement, of what a script loads, or of a larger image; and
    lines that are drawn with signs.
    """
    short = [block for place in chosen if (block := blocks[place]).words <= MAX_LABEL_WORDS and not block.links]
    labels = [block.index for block in short if block.frame.tag in LABEL_TAGS and EMPTY_LABEL.fullmatch(block.text)]
    drawn = [block.index for block in short if not block.text[:1].isalnum() and _is_drawn(block)]
    chosen.difference_update(labels, drawn)


def _is_drawn(block: TextBlock) -> bool:
    """Return whether the text is only a line between two parts of the page, or a heading without a word."""
    if block.kind != "text":
        return False
    if block.frame.heading:
        return NO_TITLE.fullmatch(block.text) is not None
    if block.frame.tag == "p" and DASH.fullmatch(block.text):
        return True
    return block.frame.tag in LABEL_TAGS and DRAWN_LINE.fullmatch(block.text) is not None
