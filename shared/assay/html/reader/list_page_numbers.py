"""Links to the other pages of a list, which components of libraries write within the content."""

import re

from assay.html.reader.text_blocks import BlockPage
from assay.text.word_lists import parse_words

NAMES = parse_words(
    "pagination MuiPagination-root ant-pagination el-pagination v-pagination mantine-Pagination-root page-numbers "
    "pager paginator paging"
)
LABEL = re.compile(
    r"(?:(?:go to )?page\s*)?\d{1,5}(?:\s*(?:of|/)\s*\d{1,5})?|\W{1,3}"
    r"|\W{0,3}\s*(?:next|prev(?:ious)?|first|last|older|newer)(?: page)?\s*\W{0,3}|\d{1,4} / page",
    re.IGNORECASE,
)
SPACE = re.compile(r"\s+")


def drop_page_links(page: BlockPage, chosen: set[int]) -> None:
    """Leave out the elements of which the class says so, if they have nothing but numbers and words for pages."""
    if NAMES.isdisjoint(page.root.class_names):
        return
    for frame in page.frames:
        if frame.words and not NAMES.isdisjoint((frame.element.attributes.get("class") or "").split()):
            blocks = page.blocks[frame.first : frame.last]
            if all(_says_page(block.text) for block in blocks):
                chosen.difference_update([block.index for block in blocks])


def _says_page(text: str) -> bool:
    """Return whether a text has nothing but such labels, one after the other."""
    return LABEL.fullmatch(text) is not None or all(LABEL.fullmatch(word) for word in SPACE.split(text))
