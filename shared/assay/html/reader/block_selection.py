"""Selection of the blocks that are a page's main content."""

from collections import defaultdict
from itertools import starmap
from operator import attrgetter, mul

from assay.html.parser.html_element import HtmlRoot
from assay.html.reader.adjacent_blocks import (
    add_figures,
    add_gaps,
    add_headings,
    add_lead,
    drop_contents_headings,
    drop_insertions,
    is_aside,
    is_inside,
)
from assay.html.reader.archive_notes import drop_archive_notes
from assay.html.reader.block_classifier import TreeEnsemble, load_model
from assay.html.reader.block_features import build_features
from assay.html.reader.empty_labels import drop_labels
from assay.html.reader.fact_boxes import add_fact_boxes
from assay.html.reader.footnotes import find_notes
from assay.html.reader.html_tables import holds_data
from assay.html.reader.list_page_numbers import drop_page_links
from assay.html.reader.page_breaks import join_pages
from assay.html.reader.paired_blocks import add_items, add_labels, add_lists, add_questions, add_terms, add_titles
from assay.html.reader.post_credits import add_credits
from assay.html.reader.quotation_sources import add_quotations
from assay.html.reader.repeated_blocks import drop_repetitions
from assay.html.reader.row_markers import join_markers, join_numbers
from assay.html.reader.text_blocks import BlockPage, TextBlock

MAX_MINIMUM_SCORE, SMALL_PAGE_WORDS = (
    0.85,
    500,
)  # minimum score of a block on an empty page, and the words at which the minimum is 0
MANY_PARAGRAPHS = 60  # sibling paragraphs from which the first ones determine the rest
ASIDE_TAGS = frozenset(("aside",))
SURE_HALF = 0.49  # less than a half, so that rounding does not matter
CONFIDENT_WORDS = 60  # words from which the confidence is not reduced


def select_blocks(
    page: BlockPage, tree: HtmlRoot, url: str, model: TreeEnsemble | None = None
) -> tuple[list[TextBlock], float]:
    """Return the blocks to keep, in order, and the confidence in the choice (0..1)."""
    if not page.blocks:
        return [], 0.0
    score_blocks(page, tree, url, model or load_model())
    blocks = page.blocks
    texts = [block for block in blocks if block.words]
    level, expected = find_threshold(texts)
    chosen = {block.index for block in texts if block.score >= level}
    if "aside" in page.tags:
        chosen = {place for place in chosen if not is_link_aside(blocks[place])}
    add_gaps(blocks, chosen)
    drop_insertions(blocks, chosen)
    add_terms(page, chosen)
    add_lists(blocks, chosen)
    add_fact_boxes(page, chosen)
    add_items(blocks, chosen)
    add_headings(blocks, chosen)
    add_lead(blocks, chosen)
    add_questions(blocks, chosen)
    add_titles(page, chosen)
    add_labels(blocks, chosen)
    add_quotations(page, chosen)
    drop_repetitions(blocks, chosen)
    drop_page_links(page, chosen)
    words = sum([blocks[index].words for index in chosen])
    add_figures(page, chosen)
    if notes := find_notes(page, chosen, tree, url):
        chosen |= notes
        add_headings(blocks, chosen)  # the notes may have one
    drop_contents_headings(blocks, chosen)
    add_credits(page, chosen)
    drop_labels(blocks, chosen)
    drop_archive_notes(page, chosen, url)
    join_pages(page, chosen)
    join_markers(page, chosen)
    join_numbers(blocks, chosen)
    kept = [blocks[index] for index in sorted(chosen)]
    return kept, round(expected * min(1.0, words / CONFIDENT_WORDS), 3)


def is_link_aside(block: TextBlock) -> bool:
    """Return whether the block has only links and is in an `aside`, which is never main content."""
    return block.link_words >= block.words and is_inside(block.frame, ASIDE_TAGS)


def score_blocks(page: BlockPage, tree: HtmlRoot, url: str, model: TreeEnsemble) -> None:
    """Set the score of every block, its probability of being main content; cells of a data table share theirs."""
    rows, shared = build_features(page, tree, url)
    for block, chance in zip(page.blocks, model.probabilities(rows, shared), strict=True):
        block.score = chance
    _favour_small(page)
    _extend_long_text(page)
    for frame in page.frames if "table" in page.tags else ():
        if frame.rows is not None and frame.words and holds_data(frame):
            _share_score(page.blocks[frame.first : frame.last], frame.words)


def _favour_small(page: BlockPage) -> None:
    """Raise the scores of a small page, which is mostly content: the fewer words, the higher the minimum score."""
    whole = page.frames[0]
    minimum = MAX_MINIMUM_SCORE - (whole.words - whole.link_words) / SMALL_PAGE_WORDS
    if minimum <= 0:
        return
    for block in page.blocks:
        if block.score < minimum and block.link_words * 2 <= block.words and not is_aside(block.frame):
            block.score = minimum


def _extend_long_text(page: BlockPage) -> None:
    """Raise later paragraphs of a long text to the mean of the first; the training data has few long texts."""
    if page.frames[0].texts <= MANY_PARAGRAPHS:
        return
    beside: defaultdict[int, list[TextBlock]] = defaultdict(list)
    for block in page.blocks:
        if block.is_running_text:
            beside[id(block.frame.parent)].append(block)
    for blocks in beside.values():
        if len(blocks) > MANY_PARAGRAPHS:
            first = sum(block.score for block in blocks[:MANY_PARAGRAPHS]) / MANY_PARAGRAPHS
            for block in blocks[MANY_PARAGRAPHS:]:
                block.score = max(block.score, first)


def _share_score(cells: list[TextBlock], words: int) -> None:
    mean = sum(block.score * block.words for block in cells) / words
    for block in cells:
        block.score = mean


def find_threshold(blocks: list[TextBlock]) -> tuple[float, float]:
    """Return the score threshold that maximises the expected F1 of the page, and that F1. The blocks have words.

    Keeping the most probable blocks is optimal; how many depends on the expected number of relevant words. A block that
    is less probable than half of the F1 before it lowers it, and so do all that follow.
    """
    ranked = sorted(map(attrgetter("score", "words"), blocks), reverse=True)
    expected_words = sum(starmap(mul, ranked))
    best, level, expected_correct, kept_words = 0.0, 0.0, 0.0, 0
    for probability, words in ranked:
        if probability < best * SURE_HALF:
            break
        expected_correct += probability * words
        kept_words += words
        expected = 2 * expected_correct / (kept_words + expected_words)
        if expected >= best:
            best, level = expected, probability
    return level, best
