"""A page's main content as markdown: the walk, the choice of blocks, and the rendering."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain
from typing import cast

from lxml.etree import XPath
from lxml.html import HtmlElement

from assay.html.css.visibility import VisibilityResolver
from assay.html.reader.block_classifier import Trees
from assay.html.reader.block_selection import choose
from assay.html.reader.dom_walker import walk
from assay.html.reader.markdown_renderer import Renderer
from assay.html.reader.metadata_body import as_paragraphs, embedded_body
from assay.html.reader.text_blocks import BlockPage, TextBlock
from assay.text.sanitize import sanitise

THIN = 30  # words
LONGEST_BASE = 500  # characters
SHORT = 60  # words under which a body in the metadata may say more
TOLD = 0.75  # confidence in such a body
WORD = re.compile(r"\w+")
TRICK_SHARE = 1 / 3  # a rule that hides more of the text than this waits for a script
TRICK_WORDS = 40
LAYERS = 3  # of such tricks, one within the other
UNSCRIPTED, UNSCRIPTED_SHARE = 200, 3  # words for readers without scripts, and how many for each that others see
TRICK_TEXTS = 300_000  # pieces of hidden text that are counted
TEXTS = XPath(
    "descendant::text()[normalize-space()"
    " and not(parent::script or parent::style or parent::template or parent::noscript)]",
    smart_strings=False,
)
FADING = re.compile(r"^(?!.*display\s*:\s*none)(?=.*(?:opacity|visibility)\s*:)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class MainContent:
    """Main content, sanitised. `confidence` is 0..1: how sure it is that this is what the page is about."""

    markdown: str
    words: int
    confidence: float
    links: int
    hidden_dropped: int


def read(tree: HtmlElement, url: str, model: Trees | None = None) -> MainContent:
    """The main content of the page; the tree is left as it was. Relative links start from `url` or the page's base."""
    page = collect_blocks(tree)
    kept, confidence = choose(page, tree, url, model)
    renderer = Renderer(page, base_of(tree, url))
    markdown = sanitise(renderer.render(kept))
    words = count(markdown)
    if words < SHORT and (body := embedded_body(tree)):
        told = sanitise(as_paragraphs(body))
        if count(told) > 2 * words + THIN:
            return MainContent(told, count(told), TOLD, 0, page.dropped)
    return MainContent(markdown, words, confidence, renderer.links, page.dropped)


def count(text: str) -> int:
    return len(WORD.findall(text))


def collect_blocks(tree: HtmlElement, walk: Callable[..., BlockPage] = walk) -> BlockPage:
    """The blocks of the page that a reader would see, as `walk` gathers them."""
    body = tree.find("body")
    if body is None:
        body = tree
    page = walk(body, VisibilityResolver(tree))
    tricks: frozenset[object] = frozenset()
    for _ in range(LAYERS):
        more = _tricks(page) - tricks
        if not more:
            break
        tricks |= more
        page = walk(body, VisibilityResolver(tree, tricks))
    if page.noscripts and _lacks_scripts(page):
        with_scripts_off = walk(body, VisibilityResolver(tree, tricks), with_noscript=True)
        if _words(with_scripts_off.blocks) >= 2 * THIN:
            return with_scripts_off
    return page


def _lacks_scripts(page: BlockPage) -> bool:
    """Whether there is next to nothing to read, or far less than what stands there for readers without scripts."""
    shown = _words(page.blocks)
    return shown < THIN or _words_in(chain.from_iterable(map(_texts, page.noscripts))) > max(
        UNSCRIPTED, UNSCRIPTED_SHARE * shown
    )


def _words(blocks: list[TextBlock]) -> int:
    return sum(block.words for block in blocks)


def _tricks(page: BlockPage) -> frozenset[object]:
    """What hides so much that it can only be meant to last until a script has run."""
    shown = _words(page.blocks)
    return frozenset(
        cause
        for cause, words in _hidden_words(page).items()
        if words >= TRICK_WORDS and words > TRICK_SHARE * (shown + words) and _awaits_script(cause, words, shown)
    )


def _hidden_words(page: BlockPage) -> dict[object, int]:
    """How many words each cause hides; what hides the same text again and again is not counted to its end."""
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
    return cast("list[str]", TEXTS(element))


def _words_in(texts: Iterable[str]) -> int:
    return sum(len(text.split()) for text in texts)


def _awaits_script(cause: object, words: int, shown: int) -> bool:
    """A rule may hide for a while; an element's own style is believed unless it fades in most of the page."""
    if not isinstance(cause, HtmlElement) or shown < THIN:
        return True
    fades = FADING.search(cause.get("style") or "") is not None
    return fades and cause.get("hidden") is None and words > max(100, shown)


def base_of(tree: HtmlElement, url: str) -> str:
    """The address that relative links of the page start from."""
    from assay.text.url_parts import join_url

    for base in tree.iter("base"):
        if href := (base.get("href") or "").strip():
            try:
                joined = join_url(url, href)
            except ValueError:
                return url
            return joined if joined.startswith(("http://", "https://")) and len(joined) <= LONGEST_BASE else url
    return url
