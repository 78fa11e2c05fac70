"""Documents written for paper: the numbers and titles of their pages, and the sentences that go on over their ends."""

import re
from collections import Counter
from itertools import islice

from assay.html.parser.html_element import HtmlElement
from assay.html.reader.text_blocks import BlockPage, TextBlock

BREAKS_PAGE = re.compile(r"(?:^|[;\s])(?:page-)?break-(before|after)\s*:\s*(?:always|page)", re.IGNORECASE)
PAGE_NUMBER = re.compile(
    r"(?:page\s*)?[-–—]?\s*(?:\d{1,4}|[ivxl]{1,6}|[A-Z]{1,2}\s?-\s?\d{1,4})\s*[-–—]?(?:\s*(?:of|/)\s*\d{1,4})?",
    re.IGNORECASE,
)
LINK_TO_CONTENTS = re.compile(r"(?:back to |return to )?(?:table of contents|contents|index)", re.IGNORECASE)
DIGITS = re.compile(r"\d+")
MAX_MARKS = 2  # texts at the foot of a page, and at the head of one, that are examined
MAX_MARK_WORDS = 15
MIN_REPETITIONS = 3  # of a title, but for the number of the page
SENTENCE_ENDS = frozenset(".!?;:")
MAX_JOINED = 20_000  # characters of a text that goes on
# The last and the first line of a page in a text that a program set, such as an RFC.
LAST_LINE = re.compile(r"\S.{0,75} {2}\[Page [\divxl]{1,5}\]")
FIRST_LINE = re.compile(r"(?:RFC \d{1,5}|Internet-Draft) {2,}\S.{0,60} {2}\S.{0,10}(?:19|20)\d\d")
MAX_LEVELS = 2  # elements around a rule whose style may break the page


def breaks_page(rule: HtmlElement) -> bool:
    """Return whether a rule ends a page of paper, by its style, or that of an element beside or around it."""
    near = (rule, rule.previous, *islice(rule.iterancestors(), MAX_LEVELS))
    return any(each is not None and BREAKS_PAGE.search(each.attributes.get("style") or "") for each in near)


def list_page_ends(page: BlockPage) -> list[int]:
    """Return the places of the first blocks of pages, which begin behind a rule or where a block's style says so."""
    sides = {
        element: found[1]
        for element in page.root.by_attribute.get("style", ())
        if "break-" in (style := element.attributes["style"].lower()) and (found := BREAKS_PAGE.search(style))
    }
    if not sides:
        return page.page_ends
    breaking = [frame for frame in page.frames if frame.element in sides]
    ends = {frame.first if sides[frame.element] == "before" else frame.last for frame in breaking}
    return sorted(ends.union(page.page_ends))


def join_pages(page: BlockPage, chosen: set[int]) -> None:
    """Leave out the numbers and repeated titles of pages, and join the paragraphs that the end of a page divides."""
    ends = list_page_ends(page)
    if not ends:
        return
    marks = _find_marks(page, ends)
    chosen.difference_update(marks)
    for place in ends:
        last, first = (_find_beside(page.blocks, place, step, marks) for step in (-1, 1))
        if last is not None and first is not None and {last.index, first.index} <= chosen and _goes_on(last, first):
            join_texts(last, first)
            first.tokens, first.text = last.tokens, last.text  # it may go on over the next page, too
            chosen.discard(last.index)


def _find_marks(page: BlockPage, ends: list[int]) -> set[int]:
    """Return the places of the texts at the ends and starts of pages that number or name them.

    The first title at the start of a page is kept, because it may be that of the section.
    """
    beside = [(place, step) for place in ends for step in (-1, 1)]
    found = [_list_beside(page.blocks, place, step) for place, step in beside]
    counts = Counter(
        (step, _pattern(block)) for (_, step), blocks in zip(beside, found, strict=True) for block in blocks
    )
    marks: set[int] = set()
    known: set[str] = set()  # titles at the start of a page
    for (_, step), blocks in zip(beside, found, strict=True):
        for block in blocks:
            is_mark = _is_mark(block)
            if counts[step, _pattern(block)] < MIN_REPETITIONS and not is_mark:
                break
            if is_mark or step < 0 or _pattern(block) in known:
                marks.add(block.index)
            known.add(_pattern(block))
    return marks


def _list_near(blocks: list[TextBlock], place: int, step: int, count: int) -> list[TextBlock]:
    """Return so many blocks directly before or after the end of a page, from there."""
    start = place - 1 if step < 0 else place
    return [blocks[at] for at in range(start, start + step * count, step) if 0 <= at < len(blocks)]


def _list_beside(blocks: list[TextBlock], place: int, step: int) -> list[TextBlock]:
    """Return the short texts directly before or after the end of a page, from there."""
    near = _list_near(blocks, place, step, MAX_MARKS)
    return [block for block in near if block.words <= MAX_MARK_WORDS and block.text[-1:] not in SENTENCE_ENDS]


def _find_beside(blocks: list[TextBlock], place: int, step: int, marks: set[int]) -> TextBlock | None:
    """Return the nearest block before or after the end of a page that is none of the marks there."""
    near = _list_near(blocks, place, step, MAX_MARKS + 1)
    return next((block for block in near if block.index not in marks), None)


def _pattern(block: TextBlock) -> str:
    return DIGITS.sub("0", block.text)


def _is_mark(block: TextBlock) -> bool:
    if PAGE_NUMBER.fullmatch(block.text):
        return True
    return block.link_words == block.words and LINK_TO_CONTENTS.fullmatch(block.text) is not None


def _goes_on(one: TextBlock, other: TextBlock) -> bool:
    """Return whether the second text goes on with the sentence of the first."""
    if not one.is_running_text or other.kind != "text" or one.frame.tag != other.frame.tag or one.frame.heading:
        return False
    if len(one.text) > MAX_JOINED:
        return False
    return other.text[:1].islower() and (one.text[-1:].isalnum() or one.text[-1:] in ",-–—")


def join_texts(one: TextBlock, other: TextBlock) -> None:
    """Add the text of a block to the one before."""
    one.tokens = [*one.tokens, " ", *other.tokens]
    one.text = f"{one.text} {other.text}"
    one.links += other.links


def without_page_lines(lines: list[str]) -> list[str]:
    """Return the lines of preformatted text without those that number and name its pages, and the space around them."""
    result: list[str] = []
    is_break = False
    for line in lines:
        if LAST_LINE.fullmatch(line) or FIRST_LINE.fullmatch(line):
            is_break = True
            while result and not result[-1]:
                result.pop()
        elif not is_break:
            result.append(line)
        elif line:
            is_break = False
            is_within = bool(result) and line.lstrip()[:1].islower() and result[-1][-1] not in SENTENCE_ENDS
            result += [line] if is_within else ["", line]
    return result
