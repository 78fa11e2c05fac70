"""Tables of key facts beside the start of an article, as encyclopaedias have them: content, whatever their score."""

from assay.html.reader.text_blocks import BlockPage, Frame

FACT_BOX = "infobox"
MAX_WORDS = 600  # of such a table


def add_fact_boxes(page: BlockPage, chosen: set[int]) -> None:
    """Choose the tables of key facts that are beside text that is chosen."""
    if FACT_BOX not in page.root.class_names:
        return
    for frame in page.frames:
        if frame.tag == "table" and 0 < frame.words <= MAX_WORDS and _is_fact_box(frame) and _is_beside(frame, chosen):
            chosen.update(block.index for block in page.blocks[frame.first : frame.last] if block.words)


def _is_fact_box(table: Frame) -> bool:
    return FACT_BOX in (table.element.attributes.get("class") or "").split()


def _is_beside(table: Frame, chosen: set[int]) -> bool:
    """Return whether something else in the element around the table is chosen."""
    around = table.parent
    if around is None:
        return False
    outside = (*range(around.first, table.first), *range(table.last, around.last))
    return not chosen.isdisjoint(outside)
