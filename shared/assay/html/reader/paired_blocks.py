"""Blocks chosen because they make no sense apart: terms and definitions, announced lists, questions above answers."""

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby, pairwise

from assay.html.reader.adjacent_blocks import MARGIN_TAGS, is_inside
from assay.html.reader.headings import BOX_TITLES, is_box_title, is_named_title
from assay.html.reader.text_blocks import BlockPage, Frame, TextBlock, find_text

COLONS, QUESTION_MARKS = ":：", "?？؟"
LIST_TAGS = frozenset(("ul", "ol"))
CONTROL_TAGS = frozenset(("button", "summary"))
MAX_CONTROL_LEVELS = 4  # elements around a text in which a control is looked for
MAX_QUESTION_WORDS = MAX_TITLE_WORDS = 30
MAX_TITLE_LEVELS = 6  # elements around a text in which the box with a title is looked for
MAX_LABEL_WORDS = 5
CURRENCIES = frozenset("$€£¥")
PAIR_TAGS = frozenset(("div", "section", "li", "p"))  # around a label and its value
MAX_NAMED_WORDS = 8  # words of a title by the name of its element
MIN_NAMED_SCORE = 0.25  # score below which it is that of something else, such as an advertisement
# The name of a control that says only what a click does.
TOGGLE = re.compile(
    r"(?:click (?:here )?to )?(?:expand|show|hide|collapse|toggle|open|close|view|read|see)"
    r"(?: (?:more|less|all|the|this|details?|description|code|source|section|text|content|answer))*\W*",
    re.IGNORECASE,
)
TAB_SETS = frozenset(("tab-set", "sd-tab-set", "tabset"))  # around the labels and panels of tabs
MAX_PART_LEVELS = 4  # elements around a text in which a term or definition is looked for
MAX_DEFINITION_WORDS = 60  # words of definitions that are added to a term
MIN_ITEMS, MIN_ITEM_WORDS, MAX_WORDS_OF_ITEMS = 3, 3, 60  # of a list whose items are completed; words of such items
MIN_ITEM_SCORE = 0.25  # score below which an item is none of the text, such as a number of posts


def add_terms(page: BlockPage, chosen: set[int]) -> None:
    """Choose the terms of definitions that are chosen, and the short definitions of terms that are."""
    if "dd" not in page.root.by_tag:
        return
    for terms, definitions in _iter_entries(page.blocks):
        keeps_term, keeps_definition = (any(block.index in chosen for block in part) for part in (terms, definitions))
        if keeps_definition:  # the last term is of the definition, others may be around it
            chosen.update(block.index for block in (terms[-1:] if keeps_term else terms))
        elif keeps_term and not keeps_definition and sum(block.words for block in definitions) <= MAX_DEFINITION_WORDS:
            chosen.update(block.index for block in definitions)


def add_lists(blocks: list[TextBlock], chosen: set[int]) -> None:
    """Choose the list that a chosen text announces with a colon, unless it is mostly of links."""
    announcing = [place for place in chosen if place + 1 not in chosen and blocks[place].text[-1] in COLONS]
    if not announcing:
        return
    for block, following in pairwise([block for block in blocks[min(announcing) :] if block.words]):
        if block.index in chosen and following.index not in chosen and block.text[-1] in COLONS:
            announced = _find_list_beside(following.frame, block.frame)
            if announced is not None and announced.link_words * 2 <= announced.words:
                chosen.update(one.index for one in blocks[announced.first : announced.last] if one.words)


def add_items(blocks: list[TextBlock], chosen: set[int]) -> None:
    """Choose the rest of a list without links of which the larger part is chosen: each item is like the others."""
    ends = [place for place in chosen if place - 1 not in chosen or place + 1 not in chosen]
    lists = {id(found): found for place in ends if (found := _find_list(blocks[place].frame)) is not None}
    for found in lists.values():
        items = [block for block in blocks[found.first : found.last] if block.words]
        left_out = [block for block in items if block.index not in chosen]
        if len(items) != found.items or found.link_words or is_inside(found, MARGIN_TAGS):
            continue
        if len(items) >= MIN_ITEMS and len(left_out) * 2 <= len(items) and _fit_list(left_out, found):
            chosen.update(block.index for block in left_out)


def _fit_list(left_out: list[TextBlock], found: Frame) -> bool:
    """Return whether items of a list that are left out are of its text, and fewer words than the others."""
    words = sum(block.words for block in left_out)
    are_texts = all(block.words >= MIN_ITEM_WORDS and block.score >= MIN_ITEM_SCORE for block in left_out)
    return are_texts and words <= MAX_WORDS_OF_ITEMS and words * 2 <= found.words


def _find_list(frame: Frame) -> Frame | None:
    """Return the list that the frame is an item of, or the only paragraph of one."""
    item = frame if frame.tag == "li" else frame.parent
    around = item.parent if item is not None and item.tag == "li" else None
    return around if around is not None and around.tag in LIST_TAGS else None


def _find_list_beside(frame: Frame | None, beside: Frame) -> Frame | None:
    """Return the list around `frame` that is a sibling of the frame `beside`."""
    while frame is not None and frame.parent is not beside.parent:
        frame = frame.parent
    return frame if frame is not None and frame.tag in LIST_TAGS else None


def add_questions(blocks: list[TextBlock], chosen: set[int]) -> None:
    """Choose the questions, as the names of controls that show their answers, above answers that are chosen."""
    for place in [place for place in chosen if place - 1 not in chosen]:
        block = find_text(blocks, place - 1, -1)
        if block is None or block.index in chosen or block.text[-1] not in QUESTION_MARKS:
            continue
        is_short = block.words <= MAX_QUESTION_WORDS
        if is_short and _is_control(block.frame) and not _is_control(blocks[place].frame):
            chosen.add(block.index)


def add_titles(page: BlockPage, chosen: set[int]) -> None:
    """Choose the titles of boxes, folded sections and tabs whose content is chosen."""
    blocks, root = page.blocks, page.root
    has_boxes = "summary" in root.by_tag or not root.class_names.isdisjoint(BOX_TITLES | TAB_SETS)
    begin = min(chosen, default=0)  # a title above all is that of the page
    for place in [place for place in chosen if place - 1 not in chosen and blocks[place].words]:
        block = find_text(blocks, place - 1, -1)
        if block is None or block.index in chosen or block.words > MAX_TITLE_WORDS or TOGGLE.fullmatch(block.text):
            continue
        frame = blocks[place].frame
        if (has_boxes and _is_title(block.frame, frame)) or (place > begin and _is_likely_title(block, frame)):
            chosen.add(block.index)


def add_labels(blocks: list[TextBlock], chosen: set[int]) -> None:
    """Choose the labels beside values that are chosen: names of properties and of what is rated.

    Each stands with its value in an element that has nothing else. The page has several such, with different labels.
    """
    labels: defaultdict[tuple[str, str], list[TextBlock]] = defaultdict(list)
    for place in [place for place in chosen if place and place - 1 not in chosen]:
        label, value = blocks[place - 1], blocks[place]
        if _may_label(label, value) and (pair := _find_pair(label)) is not None:
            labels[pair.tag, pair.element.attributes.get("class") or ""].append(label)
    for beside in labels.values():
        if len({label.text for label in beside}) > 1:
            chosen.update([label.index for label in beside])


def _may_label(label: TextBlock, value: TextBlock) -> bool:
    are_texts = label.kind == value.kind == "text" and 0 < label.words <= MAX_LABEL_WORDS
    is_likely = are_texts and label.score >= MIN_NAMED_SCORE and not label.links and label.text[0] not in CURRENCIES
    return is_likely and not (value.is_running_text or value.frame.heading or label.text in value.text)


def _find_pair(label: TextBlock) -> Frame | None:
    """Return the element that holds the label and the block after it only."""
    holder = label.frame.parent
    while holder is not None and holder.last - holder.first < 2:
        holder = holder.parent
    is_pair = holder is not None and holder.first == label.index and holder.last == label.index + 2
    return holder if is_pair and holder is not None and holder.tag in PAIR_TAGS else None


def _is_likely_title(block: TextBlock, content: Frame) -> bool:
    """Return whether a label is the title of an element that has the content, by its name."""
    if block.words > MAX_NAMED_WORDS or block.link_words or block.score < MIN_NAMED_SCORE or content.heading:
        return False
    return block.frame.parent is not None and is_named_title(block) and _is_around(block.frame.parent, content)


def _is_title(frame: Frame, content: Frame) -> bool:
    """Return whether the frame is of the title of a box that has the content, or a set of tabs that has its panel."""
    if not TAB_SETS.isdisjoint((frame.element.attributes.get("class") or "").split()):
        return _is_around(frame, content)
    is_title = frame.tag == "summary" or is_box_title(frame)
    return is_title and frame.parent is not None and _is_around(frame.parent, content)


def _is_around(frame: Frame, inner: Frame | None) -> bool:
    for _ in range(MAX_TITLE_LEVELS):
        if inner is None or inner is frame:
            break
        inner = inner.parent
    return inner is frame


def _is_control(frame: Frame | None) -> bool:
    """Return whether the frame is that of a control, or in one."""
    for _ in range(MAX_CONTROL_LEVELS):
        if frame is None:
            return False
        attributes = frame.element.attributes
        if frame.tag in CONTROL_TAGS or attributes.get("role") == "button" or "aria-expanded" in attributes:
            return True
        frame = frame.parent
    return False


def _iter_entries(blocks: list[TextBlock]) -> Iterator[tuple[list[TextBlock], list[TextBlock]]]:
    """Yield the blocks of terms and those of the definitions that follow them."""
    runs = groupby((block for block in blocks if block.words), lambda block: _find_part(block.frame))
    for (before, terms), (after, definitions) in pairwise((part, list(run)) for part, run in runs):
        if (before, after) == ("dt", "dd"):
            yield terms, definitions


def _find_part(frame: Frame) -> str:
    """Return whether the frame is of a term or a definition, by its tag; "" for neither."""
    holder: Frame | None = frame
    for _ in range(MAX_PART_LEVELS):
        if holder is None:
            break
        if holder.tag in ("dt", "dd"):
            return holder.tag
        holder = holder.parent
    return ""
