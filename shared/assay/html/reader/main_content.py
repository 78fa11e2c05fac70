"""A page's main content as markdown: walking the tree, selecting blocks and rendering them."""

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from itertools import filterfalse, islice

from assay.html.css.visibility import VisibilityResolver
from assay.html.parser.garbage_collection import pause_collection
from assay.html.parser.html_element import HtmlElement, HtmlRoot
from assay.html.reader.block_classifier import TreeEnsemble
from assay.html.reader.block_selection import select_blocks
from assay.html.reader.dom_walker import walk
from assay.html.reader.markdown_renderer import MarkdownRenderer
from assay.html.reader.metadata_body import find_embedded_body, to_paragraphs
from assay.html.reader.text_blocks import BlockPage, TextBlock
from assay.text import unspaced_words
from assay.text.sanitize import sanitise

MIN_WORDS = 30  # words
MAX_BASE_URL = 500  # characters
SHORT_PAGE_WORDS = 60  # words below which a body in the metadata may replace the visible text
METADATA_CONFIDENCE = 0.75  # confidence in text from metadata
WORD = re.compile(r"\w+")
TRICK_SHARE = 1 / 3  # share of the text; a rule that hides more waits for a script
TRICK_WORDS = 40
MAX_TRICK_LAYERS = 3  # nesting of such rules
MIN_NOSCRIPT_WORDS, NOSCRIPT_RATIO = 200, 3  # minimum words in `noscript`, and their minimum ratio to the visible words
TRICK_TEXTS = 300_000  # pieces of hidden text that are counted
TEXTLESS_TAGS = frozenset(("script", "style", "template", "noscript"))
FADING = re.compile(r"^(?!.*display\s*:\s*none)(?=.*(?:opacity|visibility)\s*:)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class MainContent:
    """Sanitised main content. `confidence` is 0..1: how likely it is the page's main content.

    `hidden_dropped` counts the hidden elements that were left out, `sections_opened` the hidden sections in the content
    that a click opens. `is_cut` says that a limit left out a part of the page.
    """

    markdown: str
    confidence: float
    links: int
    hidden_dropped: int
    sections_opened: int = 0
    is_cut: bool = False

    @property
    def words(self) -> int:
        return count_words(self.markdown)


@pause_collection()
def read_main_content(tree: HtmlRoot, url: str, model: TreeEnsemble | None = None) -> MainContent:
    """Return the main content of the page; the tree is not modified.

    Relative links resolve against `url` or the page's base URL.
    """
    page = collect_blocks(tree)
    kept, confidence = select_blocks(page, tree, url, model)
    renderer = MarkdownRenderer(page, find_base_url(tree, url))
    markdown = sanitise(renderer.render(kept))
    words = len(list(islice(WORD.finditer(markdown), SHORT_PAGE_WORDS)))
    if words < SHORT_PAGE_WORDS and (body := find_embedded_body(tree)):
        embedded = sanitise(to_paragraphs(body))
        if count_words(embedded) > 2 * words + MIN_WORDS:
            return MainContent(embedded, METADATA_CONFIDENCE, 0, page.dropped)
    opened = _count_opened(page, kept)
    return MainContent(markdown, confidence, renderer.links, page.dropped, opened, renderer.is_cut)


def _count_opened(page: BlockPage, kept: list[TextBlock]) -> int:
    """Return how many of the sections that a click opens hold a block that was kept."""
    if not page.opened:
        return 0
    spans = {element: (first, first + 1) for element, first in page.opened.items()}
    spans |= {frame.element: (frame.first, frame.last) for frame in page.frames if frame.element in spans}
    places = sorted(block.index for block in kept)
    return sum(bisect_left(places, first) < bisect_left(places, last) for first, last in spans.values())


def count_words(text: str) -> int:
    return len(WORD.findall(text))


def collect_blocks(tree: HtmlRoot, walk: Callable[..., BlockPage] = walk) -> BlockPage:
    """Return the page's visible blocks, as `walk` builds them."""
    body = tree.find("body")
    if body is None:
        body = tree
    resolver = VisibilityResolver(tree)
    page = walk(body, resolver)
    tricks: frozenset[object] = frozenset()
    for _ in range(MAX_TRICK_LAYERS):
        more = _temporary_hiding(page) - tricks
        if not more:
            break
        tricks |= more
        page = walk(body, resolver.ignoring(tricks))
    if page.noscripts and _lacks_scripts(page):
        with_scripts_off = walk(body, resolver.ignoring(tricks), with_noscript=True)
        if _total_words(with_scripts_off) >= 2 * MIN_WORDS:
            page = with_scripts_off
    page.is_cut = page.is_cut or tree.is_cut
    return page


def _lacks_scripts(page: BlockPage) -> bool:
    """Return whether the page has almost no text without scripts, or far more in `noscript` elements."""
    shown = _total_words(page)
    if shown < MIN_WORDS:
        return True
    texts = [text for element in page.noscripts for text in _texts(element)]
    return _words_in(texts) > max(MIN_NOSCRIPT_WORDS, NOSCRIPT_RATIO * shown)


def _total_words(page: BlockPage) -> int:
    return page.frames[0].words


def _temporary_hiding(page: BlockPage) -> frozenset[object]:
    """Return the rules and elements that hide so much that a script is expected to undo them."""
    shown = _total_words(page)
    return frozenset(
        cause
        for cause, words in _hidden_words(page).items()
        if words >= TRICK_WORDS and words > TRICK_SHARE * (shown + words) and _awaits_script(cause, words, shown)
    )


def _hidden_words(page: BlockPage) -> dict[object, int]:
    """Return the number of words that each cause hides, up to TRICK_TEXTS pieces of text."""
    found: dict[object, int] = {}
    left = TRICK_TEXTS
    for cause, elements in page.hidden.items():
        found[cause] = 0
        for element in elements:
            if left <= 0:
                return found
            texts = _texts(element)
            left -= len(texts)
            found[cause] += _words_in(texts)
    return found


def _texts(element: HtmlElement) -> list[str]:
    """Return the texts in the element that are not only space."""
    return list(filterfalse(str.isspace, element.list_texts(TEXTLESS_TAGS)))


def _words_in(texts: list[str]) -> int:
    joined = " ".join(texts)
    if joined.isascii():
        return len(joined.split())
    return sum([unspaced_words.count_words(" ".join(text.split())) for text in texts])


def _awaits_script(cause: object, words: int, shown: int) -> bool:
    """Return whether the hiding is temporary: by a rule, or by an inline style that fades in most of the page."""
    if not isinstance(cause, HtmlElement) or shown < MIN_WORDS:
        return True
    fades = FADING.search(cause.get("style") or "") is not None
    return fades and cause.get("hidden") is None and words > max(100, shown)


def find_base_url(tree: HtmlElement, url: str) -> str:
    """Return the base URL of the page (HTML Standard, section 2.4.3)."""
    from assay.text.url_parts import join_url

    for base in tree.iter("base"):
        if href := (base.get("href") or "").strip():
            try:
                joined = join_url(url, href)
            except ValueError:
                return url
            return joined if joined.startswith(("http://", "https://")) and len(joined) <= MAX_BASE_URL else url
    return url
