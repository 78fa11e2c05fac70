"""Quotations that are chosen with the name of who is quoted."""

from assay.html.reader.text_blocks import BlockPage, Frame

QUOTE_CLASSES = frozenset(("bbCodeQuote", "quotebox"))  # boxes around a name and a quotation of XenForo 1 and PunBB
MAX_MISSING_WORDS = 30  # words of a quotation that are added


def add_quotations(page: BlockPage, chosen: set[int]) -> None:
    """Choose the few words, such as a name, that are missing of a quotation that is chosen."""
    quoted: set[Frame | None] = set()
    for frame in page.frames:
        if frame.parent in quoted:
            quoted.add(frame)
        elif frame.words and _is_quotation(frame):
            quoted.add(frame)
            texts = [block for block in page.blocks[frame.first : frame.last] if block.words]
            missing = [block for block in texts if block.index not in chosen]
            if 0 < len(missing) < len(texts) and sum(block.words for block in missing) <= MAX_MISSING_WORDS:
                chosen.update(block.index for block in missing)


def _is_quotation(frame: Frame) -> bool:
    if frame.tag in ("div", "aside"):
        attributes = frame.element.attributes
        is_discourse = frame.tag == "aside" and "data-username" in attributes
        return is_discourse or not QUOTE_CLASSES.isdisjoint((attributes.get("class") or "").split())
    return frame.tag == "blockquote"
