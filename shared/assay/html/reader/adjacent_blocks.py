"""Blocks chosen because of neighbouring content: headings, figures, images, short lead-ins and small gaps."""

from collections.abc import Iterator
from itertools import pairwise, takewhile

from assay.html.reader.class_hints import find_hints
from assay.html.reader.text_blocks import BlockPage, Frame, TextBlock, find_text

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
NAV_TAGS = frozenset(("nav",))
QUOTE_TAGS = frozenset(("blockquote",))
FIGURE_TAGS = frozenset(("figure",))
ITEM_TAGS = frozenset(("li",))
# Bits of hint groups: all but bylines, bodies, products and threads; those of sharing, other pages, calls to subscribe.
MARGIN_HINTS = 0b1111_1111
INSERTION_HINTS = 0b1110_0000
FIGURE_CLASSES = frozenset(("wp-caption", "gallery-item", "imageblock"))
CAPTION_TAGS = frozenset(("figcaption",))
MIN_FIGURE_SCORE = 0.2  # score below which a text in a figure beside its caption, such as a button, is not content
MAX_FIGURE_WORDS = 300  # words; a larger figure element is a section of the page
MAX_LEAD_WORDS = 3  # words


def add_headings(blocks: list[TextBlock], chosen: set[int]) -> None:
    """Choose the headings whose text is chosen, unless the classifier is nearly certain that they are not content.

    Where a few words between a heading and its text are left out, such as a credit, the heading needs a higher score.
    """
    texts = {place for place in chosen if (block := blocks[place]).words and not block.frame.heading}
    for place in texts:
        if place - 1 not in texts:
            chosen.update(_find_headings_above(blocks, place, texts))


def _find_headings_above(blocks: list[TextBlock], place: int, texts: set[int]) -> Iterator[int]:
    """Yield the places of the headings between one of the chosen texts and the one before it."""
    is_directly_below = True
    for above in range(place - 1, -1, -1):
        block = blocks[above]
        if block.frame.heading:
            least = MIN_DISTANT_SCORE if not is_directly_below else 0 if block.frame.tag == "h1" else MIN_HEADING_SCORE
            if block.words and block.score >= least and not _is_of_contents(block.frame, blocks[place].frame):
                yield above
        elif block.words:
            if above in texts or block.words > MAX_WORDS_BETWEEN:
                return
            is_directly_below = False


def _is_of_contents(heading: Frame, text: Frame) -> bool:
    """Return whether a heading is that of a table of contents above the text."""
    frame: Frame | None = heading
    for _ in range(MAX_GAP_LEVELS):
        if frame is None or frame.tag == "nav":
            break
        frame = frame.parent
    return frame is not None and frame.tag == "nav" and not is_inside(text, NAV_TAGS)


def drop_contents_headings(blocks: list[TextBlock], chosen: set[int]) -> None:
    """Leave out the headings of tables of contents that are left out: of lists of links to places in the page."""
    for place in [place for place in chosen if blocks[place].frame.heading]:
        if place + 1 == len(blocks) or not blocks[place + 1].link_words:
            continue
        holder = _larger_parent(blocks[place].frame)
        following = (blocks[at] for at in range(place + 1, holder.last))
        below = [*takewhile(_leads_within, following)]
        if below and below[-1].index + 1 == holder.last and chosen.isdisjoint([block.index for block in below]):
            chosen.discard(place)


def _leads_within(block: TextBlock) -> bool:
    """Return whether the block is an item of a list that is a link to a place in the page."""
    if block.link_words < block.words or not is_inside(block.frame, ITEM_TAGS):
        return False
    targets = [token[2] for token in block.tokens if len(token) == 3 and token[0] == "open"]
    return all(target.startswith("#") for target in targets)


def add_gaps(blocks: list[TextBlock], chosen: set[int]) -> None:
    """Choose the few words, such as code, terms or a summary, between two neighbours that are certainly content.

    Quotations, and headings of the text below, are chosen whatever their score: what answers them, or that text, is
    content.
    """
    certain = [place for place in sorted(chosen) if blocks[place].score >= CERTAIN]
    for before, after in pairwise(certain):
        if after - before == 1:
            continue
        gap = [block for block in blocks[before + 1 : after] if block.words]
        is_small = 0 < sum([block.words for block in gap]) <= MAX_GAP_WORDS
        if is_small and _are_near(blocks[before].frame.parent, blocks[after].frame.parent):
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
    uncertain = [block for place in chosen if (block := blocks[place]).score < MIN_INSERTION_SCORE]
    chosen.difference_update([block.index for block in uncertain if _is_insertion(block, blocks)])


def _is_insertion(block: TextBlock, blocks: list[TextBlock]) -> bool:
    if block.kind == "pre" or block.words > MAX_GAP_WORDS:
        return False
    before, after = find_text(blocks, block.index - 1, -1), find_text(blocks, block.index + 1, 1)
    if before is None or after is None or min(before.score, after.score) < CERTAIN:
        return False
    return before.frame.parent is after.frame.parent and _is_named_insertion(block.frame, before.frame.parent)


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
    blocks = page.blocks
    figures = _list_figures(page)
    around = {place: figure for figure in figures for place in range(figure.first, figure.last)}
    places = around.keys() | {block.index for block in blocks if not block.words}
    left_out = _find_beside_captions(page, figures)
    before: TextBlock | None = None
    after: TextBlock | None = None
    end = 0  # of the images and figures in a row
    for place in sorted(places):
        if place >= end:
            before = blocks[place - 1] if place else None
            end = place + 1
            while end in places:
                end += 1
            after = blocks[end] if end < len(blocks) else None
        block = blocks[place]
        if place not in left_out and _is_kept_figure(block, around.get(place, block.frame), before, after, chosen):
            chosen.add(place)


def add_lead(blocks: list[TextBlock], chosen: set[int]) -> None:
    """Choose a lead-in of a word or two at the start of the element whose text is chosen."""
    if not chosen:
        return
    first = blocks[min(chosen)]
    lead = find_text(blocks, first.index - 1, -1)
    if lead is None or lead.words > MAX_LEAD_WORDS or lead.link_words or is_aside(lead.frame):
        return
    holder = _larger_parent(first.frame)
    begins = find_text(blocks, holder.first, 1) is lead
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


def _list_figures(page: BlockPage) -> list[Frame]:
    """Return the outermost figures with something in them, in order."""
    # WordPress and Asciidoctor write boxes around a picture and its caption.
    boxes = page.root.find_classes(None, FIGURE_CLASSES)
    if not boxes and "figure" not in page.tags:
        return []
    found: list[Frame] = []
    end = 0  # of the last one
    for frame in page.frames:
        if frame.tag != "figure" and not (boxes and frame.element.attributes.get("class") in boxes):
            continue
        if end <= frame.first < frame.last and frame.words <= MAX_FIGURE_WORDS:
            found.append(frame)
            end = frame.last
    return found


def _find_beside_captions(page: BlockPage, figures: list[Frame]) -> set[int]:
    """Return the places of texts beside the caption of a figure that are hardly content: buttons, names of agencies."""
    if not figures or "figcaption" not in page.root.by_tag:
        return set()
    known = set(figures)
    captioned = {_find_around(frame, known) for frame in page.frames if frame.tag == "figcaption"}
    return {
        block.index
        for figure in figures
        if figure in captioned
        for block in page.blocks[figure.first : figure.last]
        if block.words and block.score < MIN_FIGURE_SCORE and not is_inside(block.frame, CAPTION_TAGS)
    }


def _find_around(frame: Frame | None, figures: set[Frame]) -> Frame | None:
    """Return the one of the figures that the frame is in."""
    while frame is not None and frame not in figures:
        frame = frame.parent
    return frame


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
