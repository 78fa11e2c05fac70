"""Bullets and numbers of items, paragraphs and notes that stand in an element of their own, beside their text.

Filings and laws are written so: each item is a row, or a table of one row, or a box with a number before another one.
"""

import re
from itertools import pairwise

from assay.html.reader.cell_markers import MARKER, NOTE_SIGN, NUMBER, is_callout, is_marker
from assay.html.reader.html_tables import find_data_table
from assay.html.reader.page_breaks import join_texts
from assay.html.reader.text_blocks import BlockPage, Frame, TextBlock

HOLDER_TAGS = frozenset(("tr", "div", "section", "li"))  # around a marker and its text
MAX_LEVELS = 3  # elements around a marker in which the one that holds the text, too, is looked for
TITLE = re.compile(rf"(?:{NUMBER.pattern})\s+\w.*")  # of a paragraph of a law
MAX_TITLE_WORDS = 12
STEP_NUMBER = re.compile(r"(?:step\s+)?0?\d{1,2}[.):]?", re.IGNORECASE)
NOT_DIGIT = re.compile(r"\D")
MIN_STEPS = 3  # of a page
MEMBER_TYPE = "memItemLeft"  # the class of the type beside the name of a member, in pages of Doxygen


def join_markers(page: BlockPage, chosen: set[int]) -> None:
    """Join each marker to the text beside it, and leave out those of texts that are left out.

    The numbered titles of texts that are chosen are chosen, too.
    """
    has_types = MEMBER_TYPE in page.root.class_names
    near = {*chosen, *[place - 1 for place in chosen if place]}
    for block in [block for place in sorted(near) if (block := page.blocks[place]).words <= MAX_TITLE_WORDS]:
        is_type = has_types and MEMBER_TYPE in (block.frame.element.attributes.get("class") or "")
        if (
            block.kind != "text"
            or block.frame.heading
            or not (is_type or (MARKER.match(block.text) and not block.links) or is_callout(block.frame.element))
        ):
            continue
        is_alone = is_type or is_marker(block.text) or is_callout(block.frame.element)
        holder = _find_holder(block) if is_alone or TITLE.fullmatch(block.text) else None
        if holder is None:
            continue
        text = page.blocks[block.index + 1]
        if not is_alone:
            chosen.update([block.index] if text.index in chosen else ())
        elif text.kind == "text" and not is_marker(text.text):
            if is_type and block.index in chosen:
                chosen.add(text.index)
            chosen.discard(block.index)
            if holder.tag != "li" and not is_type and not NOTE_SIGN.fullmatch(block.text):
                page.marked.add(text.index)
            _join(block, text)


def join_numbers(blocks: list[TextBlock], chosen: set[int]) -> None:
    """Join the numbers of steps to the headings below them, whether the numbers are chosen or not."""
    headings = [place for place in sorted(chosen) if place and blocks[place].frame.heading]
    places = [place for place in headings if _is_number(blocks[place - 1])]
    numbers = [int(NOT_DIGIT.sub("", blocks[place - 1].text)) for place in places]
    if len(numbers) < MIN_STEPS or numbers[0] != 1 or numbers[-1] > 2 * len(numbers):
        return  # the heading of some steps may be left out, but not of most
    if any(number >= following for number, following in pairwise(numbers)):
        return
    for number, place in zip(numbers, places, strict=True):
        step = blocks[place]
        step.tokens, step.text = [f"{number}. ", *step.tokens], f"{number}. {step.text}"
        chosen.discard(place - 1)


def _is_number(block: TextBlock) -> bool:
    is_plain = block.kind == "text" and not block.links and block.frame.table is None and not block.frame.heading
    return is_plain and STEP_NUMBER.fullmatch(block.text) is not None


def _join(marker: TextBlock, text: TextBlock) -> None:
    join_texts(marker, text)
    text.tokens, text.text = marker.tokens, marker.text


def _find_holder(block: TextBlock) -> Frame | None:
    """Return the element that begins with the block and holds the one after it, if that is no table of data."""
    holder: Frame | None = block.frame
    for _ in range(MAX_LEVELS):
        if holder is None or holder.last > block.index + 1:
            break
        holder = holder.parent
    if holder is None or holder.tag not in HOLDER_TAGS or holder.first != block.index or holder.last < block.index + 2:
        return None
    return None if holder.table is not None and find_data_table(holder) is not None else holder
