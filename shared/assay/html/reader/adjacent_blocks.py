"""Blocks that stay for the sake of the text they stand beside: headings, figures and pictures, and a short lead."""

from assay.html.reader.class_hints import hints_of
from assay.html.reader.text_blocks import HEADINGS, Frame, TextBlock

UNLIKELY = 0.1  # chance under which a heading is no part of what it stands over
MARGINS = frozenset(("nav", "footer", "aside", "header", "form", "button", "dialog"))
MARGIN_HINTS = frozenset((0, 1, 2, 3, 4, 5, 6, 7))  # all but those of bylines, bodies, products and threads
LARGEST_FIGURE = 300  # words; what holds more is no figure but a part of the page
LONGEST_LEAD = 3  # words


def with_headings(blocks: list[TextBlock], kept: list[TextBlock]) -> list[TextBlock]:
    """A heading stays where the text stays that it stands over, unless it is all but sure to be none of it."""
    chosen = {block.index for block in kept}
    follows = False  # whether the text below stays
    for block in reversed(blocks):
        if not block.words:
            continue
        if block.frame.tag not in HEADINGS:
            follows = block.index in chosen
        elif follows and block.score >= UNLIKELY:
            chosen.add(block.index)
    return [block for block in blocks if block.index in chosen]


def with_figures(blocks: list[TextBlock], kept: list[TextBlock]) -> list[TextBlock]:
    """Pictures, and figures with their captions, stay where the text before and after them stays.

    Those that begin or end a text stay with it where they hang in the same element as its first or last block.
    """
    chosen = {block.index for block in kept}
    before: TextBlock | None = None
    pending: list[tuple[TextBlock, Frame]] = []
    for block in blocks:
        figure = _figure(block.frame)
        if figure is not None or not block.words:
            pending.append((block, figure or block.frame))
            continue
        chosen.update(one.index for one, place in pending if _belongs(one, place, before, block, chosen))
        before, pending = block, []
    chosen.update(one.index for one, place in pending if _belongs(one, place, before, None, chosen))
    return [block for block in blocks if block.index in chosen]


def with_lead(blocks: list[TextBlock], kept: list[TextBlock]) -> list[TextBlock]:
    """A word or two that an element begins with stay where the text stays that follows in it."""
    first = next((block for block in kept if block.words), None)
    if first is None:
        return kept
    lead = next((block for block in reversed(blocks[: first.index]) if block.words), None)
    if lead is None or lead.words > LONGEST_LEAD or lead.link_words or is_aside(lead.frame):
        return kept
    holder = _holder(first.frame)
    begins = not any(block.words for block in blocks[holder.first : lead.index])
    if begins and (lead.frame is holder or _holder(lead.frame) is holder):
        return [lead, *kept]
    return kept


def is_aside(frame: Frame | None) -> bool:
    """Whether it stands in a margin of the page, by the name of an element around it or by what it is called."""
    while frame is not None:
        if frame.tag in MARGINS or any(hint in MARGIN_HINTS for hint in hints_of(frame.element.get("class") or "")):
            return True
        frame = frame.parent
    return False


def _figure(frame: Frame | None) -> Frame | None:
    """The outermost figure around a block."""
    found: Frame | None = None
    while frame is not None:
        if frame.tag == "figure" and frame.words <= LARGEST_FIGURE:
            found = frame
        frame = frame.parent
    return found


def _belongs(
    block: TextBlock, place: Frame, before: TextBlock | None, after: TextBlock | None, chosen: set[int]
) -> bool:
    """Whether a block of the picture or figure at `place` stays, given the texts before and after it."""
    if block.words and (place.link_words >= place.words or _is_in_margin(place)):
        return False
    follows = before is not None and before.index in chosen
    leads = after is not None and after.index in chosen
    if (follows or before is None) and (leads or after is None):
        return follows or leads
    return (follows and _hang_together(place, before)) or (leads and _hang_together(place, after))


def _is_in_margin(frame: Frame | None) -> bool:
    while frame is not None:
        if frame.tag in MARGINS and frame.tag != "header":
            return True
        frame = frame.parent
    return False


def _hang_together(place: Frame, text: TextBlock | None) -> bool:
    holder = _holder(place)
    return text is not None and (text.frame is holder or _holder(text.frame) is holder)


def _holder(frame: Frame) -> Frame:
    """The first frame around this one that holds more words."""
    holder = frame
    while holder.parent is not None and holder.words == frame.words:
        holder = holder.parent
    return holder
