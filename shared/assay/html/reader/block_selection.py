"""Which blocks of a page are its main content."""

from collections import defaultdict

from lxml.html import HtmlElement

from assay.html.reader.adjacent_blocks import is_aside, with_figures, with_headings, with_lead
from assay.html.reader.block_classifier import Trees, trees
from assay.html.reader.block_features import vectors
from assay.html.reader.html_tables import holds_data
from assay.html.reader.text_blocks import BlockPage, Frame, TextBlock

LIFT, SMALL = 0.85, 500  # the least chance of a block on a page of no words, and how many words take it away
MANY = 60  # paragraphs side by side, from which the first tell of the others what they are
ENOUGH = 60  # words from which a choice is no longer thought thin


def choose(page: BlockPage, tree: HtmlElement, url: str, model: Trees | None = None) -> tuple[list[TextBlock], float]:
    """The blocks to keep, in order, and how sure the choice is (0..1)."""
    if not page.blocks:
        return [], 0.0
    score(page, tree, url, model or trees())
    level, expected = cut(page.blocks)
    kept = [block for block in page.blocks if block.words and block.score >= level and not is_beside(block)]
    kept = with_lead(page.blocks, with_headings(page.blocks, kept))
    words = sum(block.words for block in kept)
    return with_figures(page.blocks, kept), round(expected * min(1.0, words / ENOUGH), 3)


def is_beside(block: TextBlock) -> bool:
    """Nothing but links, in an aside: never what a page is about, however small the page."""
    if block.link_words < block.words:
        return False
    frame: Frame | None = block.frame
    while frame is not None:
        if frame.tag == "aside":
            return True
        frame = frame.parent
    return False


def score(page: BlockPage, tree: HtmlElement, url: str, model: Trees) -> None:
    """Give every block its chance to be main content; the cells of a data table share theirs."""
    rows, shared = vectors(page, tree, url)
    for block, chance in zip(page.blocks, model.probabilities(rows, shared), strict=True):
        block.score = chance
    _favour_small(page)
    _carry_on(page)
    for frame in page.frames:
        if frame.rows is not None and frame.words and holds_data(frame):
            _share_score(page.blocks[frame.first : frame.last], frame.words)


def _favour_small(page: BlockPage) -> None:
    """A small page is mostly its content: what stands in no menu, margin or form counts the more, the less there is."""
    words = sum(block.words - block.link_words for block in page.blocks)
    least = LIFT - words / SMALL
    if least <= 0:
        return
    for block in page.blocks:
        if block.score < least and block.link_words * 2 <= block.words and not is_aside(block.frame):
            block.score = least


def _carry_on(page: BlockPage) -> None:
    """The paragraphs of a long text are no less likely than its first: the model has seen few texts so long."""
    beside: defaultdict[int, list[TextBlock]] = defaultdict(list)
    for block in page.blocks:
        if block.runs:
            beside[id(block.frame.parent)].append(block)
    for blocks in beside.values():
        if len(blocks) > MANY:
            first = sum(block.score for block in blocks[:MANY]) / MANY
            for block in blocks[MANY:]:
                block.score = max(block.score, first)


def _share_score(cells: list[TextBlock], words: int) -> None:
    mean = sum(block.score * block.words for block in cells) / words
    for block in cells:
        block.score = mean


def cut(blocks: list[TextBlock]) -> tuple[float, float]:
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
