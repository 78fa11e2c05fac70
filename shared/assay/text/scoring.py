"""Which blocks of a page are its main content."""

from lxml.html import HtmlElement

from assay.text.blocks import Block, Page

APART = frozenset(("nav", "footer", "aside", "header", "form", "button"))


def choose(page: Page, tree: HtmlElement, url: str) -> tuple[list[Block], float]:
    """The blocks to keep, in order, and how sure the choice is."""
    kept = [block for block in page.blocks if _worth(block)]
    words = sum(block.words for block in kept)
    return kept, min(1.0, words / 200)


def _worth(block: Block) -> bool:
    frame = block.frame
    while frame is not None:
        if frame.tag in APART:
            return False
        frame = frame.parent
    return block.link_words * 2 < max(block.words, 1)
