"""Which blocks of a page are its main content."""

from collections import defaultdict

from lxml.html import HtmlElement

from assay.text.blocks import HEADINGS, Block, Frame, Page
from assay.text.features import vectors
from assay.text.hints import hints_of
from assay.text.model import Trees, trees
from assay.text.tables import holds_data

LIFT, SMALL = 0.85, 500  # the least chance of a block on a page of no words, and how many words take it away
MARGINS = frozenset(("nav", "footer", "aside", "header", "form", "button", "dialog"))
MARGIN_HINTS = frozenset((0, 1, 2, 3, 4, 5, 6, 7))  # all but those of bylines, bodies, products and threads
MANY = 60  # paragraphs side by side, from which the first tell of the others what they are
UNLIKELY = 0.1  # chance under which a heading is no part of what it stands over
ENOUGH = 60  # words from which a choice is no longer thought thin


def choose(page: Page, tree: HtmlElement, url: str, model: Trees | None = None) -> tuple[list[Block], float]:
    """The blocks to keep, in order, and how sure the choice is (0..1)."""
    if not page.blocks:
        return [], 0.0
    score(page, tree, url, model or trees())
    level, expected = cut(page.blocks)
    kept = [block for block in page.blocks if block.words and block.score >= level and not is_beside(block)]
    kept = with_headings(page.blocks, kept)
    words = sum(block.words for block in kept)
    return with_images(page.blocks, kept), round(expected * min(1.0, words / ENOUGH), 3)


def is_beside(block: Block) -> bool:
    """Nothing but links, in an aside: never what a page is about, however small the page."""
    if block.link_words < block.words:
        return False
    frame: Frame | None = block.frame
    while frame is not None:
        if frame.tag == "aside":
            return True
        frame = frame.parent
    return False


def score(page: Page, tree: HtmlElement, url: str, model: Trees) -> None:
    """Give every block its chance to be main content; the cells of a data table share theirs."""
    rows, shared = vectors(page, tree, url)
    for block, chance in zip(page.blocks, model.probabilities(rows, shared), strict=True):
        block.score = chance
    _favour_small(page)
    _carry_on(page)
    for frame in page.frames:
        if frame.rows is not None and frame.words and holds_data(frame):
            _share_score(page.blocks[frame.first : frame.last], frame.words)


def _favour_small(page: Page) -> None:
    """A small page is mostly its content: what stands in no menu, margin or form counts the more, the less there is."""
    words = sum(block.words - block.link_words for block in page.blocks)
    least = LIFT - words / SMALL
    if least <= 0:
        return
    for block in page.blocks:
        if block.score < least and block.link_words * 2 <= block.words and not _is_aside(block.frame):
            block.score = least


def _carry_on(page: Page) -> None:
    """The paragraphs of a long text are no less likely than its first: the model has seen few texts so long."""
    beside: defaultdict[int, list[Block]] = defaultdict(list)
    for block in page.blocks:
        if block.runs:
            beside[id(block.frame.parent)].append(block)
    for blocks in beside.values():
        if len(blocks) > MANY:
            first = sum(block.score for block in blocks[:MANY]) / MANY
            for block in blocks[MANY:]:
                block.score = max(block.score, first)


def _is_aside(frame: Frame | None) -> bool:
    while frame is not None:
        if frame.tag in MARGINS or any(hint in MARGIN_HINTS for hint in hints_of(frame.element.get("class") or "")):
            return True
        frame = frame.parent
    return False


def _share_score(cells: list[Block], words: int) -> None:
    mean = sum(block.score * block.words for block in cells) / words
    for block in cells:
        block.score = mean


def cut(blocks: list[Block]) -> tuple[float, float]:
    """The score from which keeping blocks makes the expected F1 of the page greatest, and that F1.

    Keeping the likeliest blocks is best; how many depends on all the words that are expected to matter.
    """
    ranked = sorted(((block.score, block.words) for block in blocks if block.words), reverse=True)
    wanted = sum(chance * words for chance, words in ranked)
    best, level, right, kept = 0.0, 0.0, 0.0, 0
    for chance, words in ranked:
        right += chance * words
        kept += words
        expected = 2 * right / (kept + wanted)
        if expected >= best:
            best, level = expected, chance
    return level, best


def with_headings(blocks: list[Block], kept: list[Block]) -> list[Block]:
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


def with_images(blocks: list[Block], kept: list[Block]) -> list[Block]:
    """Pictures stay where the text before and after them stays."""
    chosen = {block.index for block in kept}
    texts = [block.index for block in blocks if block.words]
    if len(texts) == len(blocks):
        return kept
    before = -1
    pending: list[Block] = []
    found: list[Block] = []
    for block in blocks:
        if not block.words:
            pending.append(block)
            continue
        if block.index in chosen:
            if before in chosen or before < 0:
                found += pending
            found.append(block)
        pending = []
        before = block.index
    return found + (pending if before in chosen else [])
