"""Blocks chosen because of neighbouring content: headings, figures, images, short lead-ins and small gaps."""

from itertools import pairwise

from assay.html.reader.class_hints import find_hints
from assay.html.reader.text_blocks import BlockPage, Frame, TextBlock

MIN_HEADING_SCORE = 0.1  # score below which a heading is not content
MIN_DISTANT_SCORE = 0.4  # the same for a heading above words that are left out
MAX_WORDS_BETWEEN = 6  # words of a text that is left out below a heading whose section is kept, such as a credit
MIN_GAP_SCORE = 0.15  # score below which a block between two certain ones is not content
MAX_GAP_WORDS = 60  # words between two certain blocks
MAX_GAP_LEVELS = 3  # elements around one of the two that are not around the other, such as a list in an opened section
CERTAIN = 0.9  # score of the blocks around a gap or an insertion
MIN_INSERTION_SCORE = 0.75  # score below which an insertion between two paragraphs is not content
MARGIN_TAGS = frozenset(("nav", "footer", "aside", "header", "form", "button", "dialog"))
FIGURELESS_TAGS = MARGIN_TAGS - {"header"}  # a header may have the main picture
QUOTE_TAGS = frozenset(("blockquote",))
FIGURE_TAGS = frozenset(("figure",))
# Bits of hint groups: all but bylines, bodies, products and threads; those of sharing, other pages, calls to subscribe.
MARGIN_HINTS = 0b1111_1111
INSERTION_HINTS = 0b1110_0000
FIGURE_CLASSES = frozenset(("wp-caption", "gallery-item"))
CAPTION_TAGS = frozenset(("figcaption",))
MIN_FIGURE_SCORE = 0.2  # score below which a text in a figure beside its caption, such as a button, is not content
MAX_FIGURE_WORDS = 300  # words; a larger figure element is a section of the page
MAX_LEAD_WORDS = 3  # words


def add_headings(blocks: list[TextBlock], chosen: set[int]) -> None:
    """Choose the headings whose text is chosen, unless the classifier is nearly certain that they are not content.

    Where a few words between a heading and its text are left out, such as a credit, the heading needs a higher score.
    """
    keeps_text_below = is_directly_below = False
    for block in reversed(blocks):
        if not block.words:
            continue
        if not block.frame.heading:
            is_directly_below = block.index in chosen
            keeps_text_below = is_directly_below or (keeps_text_below and block.words <= MAX_WORDS_BETWEEN)
        elif keeps_text_below:
            least = MIN_DISTANT_SCORE if not is_directly_below else 0 if block.frame.tag == "h1" else MIN_HEADING_SCORE
            if block.score >= least:
                chosen.add(block.index)


def add_gaps(blocks: list[TextBlock], chosen: set[int]) -> None:
    """Choose the few words, such as code, terms or a summary, between two neighbours that are certainly content.

    Quotations, and headings of the text below, are chosen whatever their score: what answers them, or that text, is
    content.
    """
    certain = [block for block in blocks if block.index in chosen and block.score >= CERTAIN]
    for before, after in pairwise(certain):
        gap = [block for block in blocks[before.index + 1 : after.index] if block.words]
        is_small = 0 < sum(block.words for block in gap) <= MAX_GAP_WORDS
        if is_small and _are_near(before.frame.parent, after.frame.parent):
            chosen.update(block.index for block in gap if _fits_gap(block, is_above_text=block is gap[-1]))


def _are_near(one: Frame | None, other: Frame | None) -> bool:
    """Return whether the frames are the same, or one is up to MAX_GAP_LEVELS above the other."""
    return _is_close_above(one, other) or _is_close_above(other, one)


def _is_close_above(outer: Frame | None, inner: Frame | None) -> bool:
    for _ in range(MAX_GAP_LEVELS):
        if inner is None or inner is outer:
            break
        inner = inner.parent
    return inner is outer


def _fits_gap(block: TextBlock, *, is_above_text: bool) -> bool:
    if block.link_words or is_inside(block.frame, FIGURE_TAGS):  # `add_figures` decides about texts in figures
        return False
    if is_inside(block.frame, QUOTE_TAGS):
        return True
    frame: Frame | None = block.frame
    if block.frame.heading and is_above_text:
        if block.frame.tag == "button":  # which opens the section
            frame = block.frame.parent
    elif block.score < MIN_GAP_SCORE:
        return False
    return block.kind == "pre" or not is_aside(frame)


def drop_insertions(blocks: list[TextBlock], chosen: set[int]) -> None:
    """Leave out the few words that stand in an element of their own between two siblings that are certainly content, if
    its name says that they share, link to other pages or invite.
    """
    texts = [block for block in blocks if block.words]
    chosen.difference_update(
        block.index
        for before, block, after in zip(texts, texts[1:], texts[2:], strict=False)
        if block.score < MIN_INSERTION_SCORE
        and block.kind != "pre"
        and min(before.score, after.score) >= CERTAIN
        and block.words <= MAX_GAP_WORDS
        and before.frame.parent is after.frame.parent
        and _is_named_insertion(block.frame, before.frame.parent)
    )


def _is_named_insertion(frame: Frame, around: Frame | None) -> bool:
    """Return whether an element of the frame, within the frame `around`, has such a name."""
    inner: Frame | None = frame
    while inner is not None and inner is not around:
        if INSERTION_HINTS & find_hints(inner.element.attributes.get("class") or ""):
            return True
        inner = inner.parent
    return False


def add_figures(page: BlockPage, chosen: set[int]) -> None:
    """Choose the images and captioned figures between blocks that are chosen.

    Those at the start or end of the content stay if they share an element with its first or last block.
    """
    before: TextBlock | None = None
    pending: list[tuple[TextBlock, Frame]] = []
    figures = _find_figures(page.frames)
    left_out = _find_beside_captions(page, figures)
    for block in page.blocks:
        figure = figures.get(block.frame)
        if figure is not None or not block.words:
            if block.index not in left_out:
                pending.append((block, figure or block.frame))
            continue
        if pending:
            chosen.update(one.index for one, place in pending if _is_kept_figure(one, place, before, block, chosen))
            pending = []
        before = block
    chosen.update(one.index for one, place in pending if _is_kept_figure(one, place, before, None, chosen))


def add_lead(blocks: list[TextBlock], chosen: set[int]) -> None:
    """Choose a lead-in of a word or two at the start of the element whose text is chosen."""
    first = next((block for block in blocks if block.index in chosen and block.words), None)
    if first is None:
        return
    lead = next((block for block in reversed(blocks[: first.index]) if block.words), None)
    if lead is None or lead.words > MAX_LEAD_WORDS or lead.link_words or is_aside(lead.frame):
        return
    holder = _larger_parent(first.frame)
    begins = not any(block.words for block in blocks[holder.first : lead.index])
    if begins and (lead.frame is holder or _larger_parent(lead.frame) is holder):
        chosen.add(lead.index)


def is_aside(frame: Frame | None) -> bool:
    """Return whether the frame is in a page margin, by the tag or classes of an enclosing element."""
    while frame is not None:
        if frame.tag in MARGIN_TAGS or MARGIN_HINTS & find_hints(frame.element.attributes.get("class") or ""):
            return True
        frame = frame.parent
    return False


def is_inside(frame: Frame | None, tags: frozenset[str]) -> bool:
    """Return whether the frame or one around it has one of the tags."""
    while frame is not None:
        if frame.tag in tags:
            return True
        frame = frame.parent
    return False


def _find_figures(frames: list[Frame]) -> dict[Frame | None, Frame]:
    """Return the outermost figure around each frame that is in one; parents precede their children."""
    found: dict[Frame | None, Frame] = {}
    for frame in frames:
        if frame.parent in found:
            found[frame] = found[frame.parent]
        elif (frame.tag == "figure" or _is_figure_box(frame)) and frame.words <= MAX_FIGURE_WORDS:
            found[frame] = frame
    return found


def _is_figure_box(frame: Frame) -> bool:
    """Return whether the frame is a picture with its caption as WordPress writes them without HTML5's elements."""
    return not FIGURE_CLASSES.isdisjoint((frame.element.attributes.get("class") or "").split())


def _find_beside_captions(page: BlockPage, figures: dict[Frame | None, Frame]) -> set[int]:
    """Return the places of texts beside the caption of a figure that are hardly content: buttons, names of agencies."""
    captioned = {figures[frame] for frame in page.frames if frame.tag == "figcaption" and frame in figures}
    return {
        block.index
        for block in (page.blocks if captioned else ())
        if block.words and block.score < MIN_FIGURE_SCORE
        if figures.get(block.frame) in captioned and not is_inside(block.frame, CAPTION_TAGS)
    }


def _is_kept_figure(
    block: TextBlock, place: Frame, before: TextBlock | None, after: TextBlock | None, chosen: set[int]
) -> bool:
    """Return whether a block of the image or figure at `place` is kept, given the text blocks before and after it."""
    if block.words and (place.link_words >= place.words or is_inside(place, FIGURELESS_TAGS)):
        return False
    follows = before is not None and before.index in chosen
    leads = after is not None and after.index in chosen
    if (follows or before is None) and (leads or after is None):
        return follows or leads
    return (follows and _share_parent(place, before)) or (leads and _share_parent(place, after))


def _share_parent(place: Frame, text: TextBlock | None) -> bool:
    holder = _larger_parent(place)
    return text is not None and (text.frame is holder or _larger_parent(text.frame) is holder)


def _larger_parent(frame: Frame) -> Frame:
    """Return the nearest enclosing frame that has more words."""
    holder = frame
    while holder.parent is not None and holder.words == frame.words:
        holder = holder.parent
    return holder
