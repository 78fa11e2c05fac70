"""Collects text, inline marks and images into blocks, in document order."""

import re

from assay.html.css.inherited_visibility import INITIAL_STATE, State
from assay.html.css.visibility import VisibilityResolver
from assay.html.parser.html_element import HtmlElement
from assay.html.reader.disclosures import Disclosures
from assay.html.reader.text_blocks import BREAK, BlockPage, Frame, Mark, TextBlock, Token
from assay.text.unspaced_words import count_words

MAX_BLOCKS = 10_000
LINE_WORDS = 12  # words
MAX_CHARACTERS = 4_000_000  # characters of text per document


ZERO_SIZE = re.compile(r"(?:^|[;\s])(?:width|height)\s*:\s*(?:0*\.?0+[a-z%]*|1px)\s*(?:;|!|$)", re.IGNORECASE)
MAX_FIGURE_LEVELS = 4  # elements between an image and its figure
TRACKER_SIZES = {"0", "1"}  # pixels: the size of a tracking image


class BlockBuilder:
    """The tokens since the last block, and the blocks made from them, in `page`."""

    def __init__(self, resolver: VisibilityResolver, with_noscript: bool = False) -> None:
        self.page = BlockPage()
        self.resolver = resolver
        self.disclosures = Disclosures(resolver)
        self.with_noscript = with_noscript
        self.tokens: list[Token] = []
        self.has_content = False  # whether the tokens hold more than space, marks and images
        self.may_have_image = False  # whether the tokens may hold an image
        self.open_marks: list[Mark] = []  # inline marks that span block borders
        self.links_open = 0
        self.link_characters = 0
        self.links = 0
        self.breaks = 0
        self.preformatted: Frame | None = None
        self.at_start = True  # at the start of a line of preformatted text
        self.state: State = INITIAL_STATE
        self.is_shown = True
        self.characters = 0
        self.is_full = False  # whether a limit has been reached
        self.special: dict[str, bool] = {}  # by class: whether the element needs special handling
        self.frame: Frame

    def _set(self, state: State) -> None:
        self.state = state
        self.is_shown = state.shows

    def _mark(self, mark: Mark) -> None:
        self.tokens.append(mark)
        self.has_content = True
        self.breaks = 0

    def _line(self) -> None:
        """Start a new line for a block element inside preformatted text."""
        if not self.at_start:
            self.tokens.append("\n")
            self.at_start = True

    def _space(self) -> None:
        self.tokens.append(" ")
        self.at_start = False

    def _text(self, text: str) -> None:
        """Add visible text."""
        if self.preformatted is not None:
            self.tokens.append(text)
            self.has_content = True
            self.at_start = text.endswith("\n")
        elif not text.isspace():
            self.tokens.append(text)
            self.has_content = True
            self.breaks = 0
            if self.links_open:
                self.link_characters += len(text)
        elif self.tokens:  # leading space is insignificant
            self.tokens.append(text)

    def _break(self) -> None:
        if self.preformatted is not None:
            self.tokens.append("\n")
            self.at_start = True
            return
        self.breaks += 1
        if self.breaks >= 2 and self.has_content:
            self._flush()
        elif self.has_content:
            self.tokens.append(BREAK)

    def _image(self, element: HtmlElement) -> None:
        alt = " ".join((element.get("alt") or "").split())
        if self.preformatted is not None or {element.get("width"), element.get("height")} & TRACKER_SIZES:
            return
        if ZERO_SIZE.search(element.get("style") or ""):
            return
        if _has_caption(self.frame):
            self.tokens.append(("img", alt, image_source(element), "caption"))
        elif len(alt) >= 3:
            self.tokens.append(("img", alt, image_source(element)))

    def _flush(self) -> None:
        """Turn the collected tokens into a block."""
        tokens = self.tokens
        self.tokens = [*self.open_marks]
        self.breaks = 0
        if self.has_content:
            self._add_text(tokens)
        elif self.may_have_image and any(token[0] == "img" for token in tokens if not isinstance(token, str)):
            self._add(tokens, "", "image")
        self.has_content = self.may_have_image = False
        self.at_start = True
        self.links = self.links_open

    def _add_text(self, tokens: list[Token]) -> None:
        raw = "".join(
            [token if type(token) is str else " " for token in tokens if type(token) is str or token is BREAK]
        )
        self.characters += len(raw)
        text = " ".join(raw.split())
        if self.preformatted is None:
            self._add(tokens, text, "text")
        elif text:
            self._add(tokens, text, "pre")
        self.link_characters = 0

    def _add(self, tokens: list[Token], text: str, kind: str) -> None:
        if self.open_marks:
            tokens.extend(("close", mark[1]) for mark in reversed(self.open_marks))
        frame = self.frame
        block = TextBlock(len(self.page.blocks), frame, tokens, text, kind)
        block.words = words = count_words(text)
        block.links = self.links
        if self.link_characters and words:
            block.link_words = min(words, round(words * min(1.0, self.link_characters / len(text))))
        frame.words += words
        frame.link_words += block.link_words
        frame.blocks += 1
        block.is_running_text = words > LINE_WORDS and block.link_words * 3 < words
        frame.texts += block.is_running_text
        self.page.blocks.append(block)
        self.is_full = len(self.page.blocks) >= MAX_BLOCKS or self.characters > MAX_CHARACTERS


def _has_caption(frame: Frame) -> bool:
    """Return whether the image is in a figure with a caption, which tells what it shows."""
    figure: Frame | None = frame
    for _ in range(MAX_FIGURE_LEVELS):
        if figure is None:
            return False
        if figure.tag == "figure":
            return figure.element.find("figcaption") is not None
        figure = figure.parent
    return False


def image_source(image: HtmlElement) -> str:
    """Return the URL of an image: a lazy-loading attribute, its `src`, or the first of its `srcset`."""
    for name in ("data-src", "data-lazy-src", "data-original", "src"):
        address = image.get(name) or ""
        if address and not address.startswith("data:"):
            return address
    parent = image.getparent()
    holders = [image] if parent is None else [image, parent]  # a picture element has its last source
    sets = (holder.get(name) or "" for holder in holders for name in ("srcset", "data-srcset", "data-lazy-srcset"))
    listed = next((parts[0].rstrip(",") for source_set in sets if (parts := source_set.split())), "")
    return listed or _source_without_scripts(image) or image.get("src") or ""


def _source_without_scripts(image: HtmlElement) -> str:
    """Return the URL of the image in the `noscript` element beside a placeholder."""
    beside = image.getnext()
    if beside is None or beside.tag != "noscript":
        return ""
    inner = next(beside.iter("img"), None)
    return "" if inner is None else inner.get("src") or ""
