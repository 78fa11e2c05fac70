"""Quotations that are chosen with the name of who is quoted."""

from assay.html.parser.html_element import HtmlRoot
from assay.html.reader.element_roles import QUOTE_CLASS
from assay.html.reader.text_blocks import BlockPage, Frame

QUOTING_TAGS = frozenset(("blockquote", "aside"))
QUOTE_CLASSES = frozenset(("bbCodeQuote", "quotebox"))  # boxes around a name and a quotation of XenForo 1 and PunBB
QUOTER = "data-username"  # attribute of quotations of Discourse
MAX_MISSING_WORDS = 30  # words of a quotation that are added


def add_quotations(page: BlockPage, chosen: set[int]) -> None:
    """Choose the few words, such as a name, that are missing of a quotation that is chosen."""
    if not _may_have_quotations(page.root):
        return
    end = 0
    for frame in page.frames:
        if frame.tag not in QUOTING_TAGS or not frame.words or frame.first < end:  # in another quotation
            continue
        box = _find_box(frame)
        if box is None:
            continue
        end = box.last
        texts = [block for block in page.blocks[box.first : box.last] if block.words]
        missing = [block for block in texts if block.index not in chosen]
        if 0 < len(missing) < len(texts) and sum(block.words for block in missing) <= MAX_MISSING_WORDS:
            chosen.update(block.index for block in missing)


def _may_have_quotations(root: HtmlRoot) -> bool:
    """Return whether the page has quotations, or boxes that are theirs."""
    if "blockquote" in root.by_tag or not root.class_names.isdisjoint((QUOTE_CLASS, *QUOTE_CLASSES)):
        return True
    return any(QUOTER in aside.attributes for aside in root.by_tag.get("aside", ()))


def _find_box(frame: Frame) -> Frame | None:
    """Return the frame of a quotation with the name above it; None for an `aside` that is no quotation of Discourse."""
    around = frame.parent
    if around is not None and not QUOTE_CLASSES.isdisjoint((around.element.attributes.get("class") or "").split()):
        return around
    return frame if frame.tag == "blockquote" or QUOTER in frame.element.attributes else None
