"""Bold lines that are the titles of sections, on pages that have no headings."""

import re
from collections.abc import Sequence
from itertools import pairwise

from assay.html.reader.text_blocks import BREAK, TextBlock, Token

MIN_TITLES = 3  # of a page
MIN_SHARE = 0.8  # of the bold lines of a page, which otherwise are stressed sentences, names or labels
MAX_TITLE_WORDS = 14
MIN_WORDS = 9  # of the text below a title, if it does not end as a sentence does
SENTENCE_ENDS = frozenset(".!?。！？")
TITLE_TAGS = frozenset(("p", "div", "section"))
STRONG: tuple[Token, Token] = (("open", "strong"), ("close", "strong"))
TITLE = re.compile(r".*[^\W\d_].*(?<![.,;:!。，；：！…])")  # with a letter, and without the end of a sentence


def find_bold_titles(blocks: Sequence[TextBlock]) -> frozenset[int]:
    """Return the indices of the bold lines that are titles of sections; none if the blocks have headings below the
    first level.
    """
    if any(block.frame.heading > 1 for block in blocks):
        return frozenset()
    bold = [(block, below) for block, below in pairwise(blocks) if block.frame.tag in TITLE_TAGS and _is_bold(block)]
    if len(bold) < MIN_TITLES:
        return frozenset()
    titles = {block.index: block.text for block, below in bold if _is_title(block) and _is_text(below)}
    # And those of parts, above their first sections.
    titles |= {block.index: block.text for block, below in bold if below.index in titles and _is_title(block)}
    is_sure = len(titles) >= MIN_TITLES and len(titles) >= MIN_SHARE * len(bold)
    return frozenset(titles) if is_sure and len(set(titles.values())) == len(titles) else frozenset()


def _is_bold(block: TextBlock) -> bool:
    """Return whether all of the text is bold, in one line outside of tables."""
    if not block.words or block.kind != "text" or block.frame.table is not None or STRONG[0] not in block.tokens:
        return False
    level = 0
    for token in block.tokens:
        if token in STRONG:
            level += 1 if token == STRONG[0] else -1
        elif token == BREAK or token[0] == "img" or (not level and isinstance(token, str) and token.strip()):
            return False
    return True


def _is_title(block: TextBlock) -> bool:
    if block.words > MAX_TITLE_WORDS or block.links:
        return False
    return TITLE.fullmatch(block.text) is not None


def _is_text(block: TextBlock) -> bool:
    """Return whether the block is a text that may stand below a title."""
    is_long = block.words >= MIN_WORDS or block.text[-1:] in SENTENCE_ENDS or block.frame.tag == "li"
    return block.kind == "text" and is_long and not _is_bold(block)
