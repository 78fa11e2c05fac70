"""What web archives write on the copies of pages: that and when they were archived."""

import re

from assay.html.metadata.archive_urls import find_capture_day
from assay.html.reader.text_blocks import BlockPage, Frame, TextBlock

NOTE = re.compile(
    r"this (?:snapshot|page|copy|website|web page)\b.{0,40}\b(?:taken|captured|archived|acquired)\b"
    r"|(?:you are|you're) viewing an archived\b|this is an archived\b"
    r"|.{0,60}\bweb archive does not use cookies\b|the wayback machine - ",
    re.IGNORECASE,
)
MAX_NOTE_WORDS = 150  # of a note and the links beside it


def drop_archive_notes(page: BlockPage, chosen: set[int], url: str) -> None:
    """Leave out the box above an archived copy that says so."""
    if not find_capture_day(url):
        return
    for block in [block for place in chosen if NOTE.match((block := page.blocks[place]).text)]:
        box = _find_box(block)
        inside = chosen.intersection(range(box.first, box.last))
        if box.words <= MAX_NOTE_WORDS and inside != chosen:
            chosen.difference_update(inside)


def _find_box(block: TextBlock) -> Frame:
    """Return the outermost element around the block below the body."""
    frame = block.frame
    while frame.parent is not None and frame.parent.parent is not None:
        frame = frame.parent
    return frame
