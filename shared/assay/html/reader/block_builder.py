"""Text, marks and pictures gathered into blocks, in the order in which a walk meets them."""

import re

from lxml.html import HtmlElement

from assay.html.css.computed_visibility import INITIAL_STATE, UNKNOWN_BACKGROUND, State
from assay.html.css.visibility import VisibilityResolver
from assay.html.reader.text_blocks import BREAK, BlockPage, Frame, Mark, TextBlock, Token, size

BLOCKS = 10_000
LINE = 12  # words
CHARACTERS = 4_000_000  # of text in one document


NO_SIZE = re.compile(r"(?:^|[;\s])(?:width|height)\s*:\s*(?:0*\.?0+[a-z%]*|1px)\s*(?:;|!|$)", re.IGNORECASE)
POINT = {"0", "1"}  # pixels: a picture that counts readers


class Gathering:
    """What a walk has met since the last block, and the blocks it has made of it, in `page`."""

    def __init__(self, curtain: VisibilityResolver, with_noscript: bool = False) -> None:
        self.page = BlockPage()
        self.curtain = curtain
        self.with_noscript = with_noscript
        self.tokens: list[Token] = []
        self.filled = False  # whether the tokens hold more than space, marks and pictures
        self.pictured = False  # whether they may hold a picture
        self.open: list[Mark] = []  # inline marks that reach over block borders
        self.links_open = 0
        self.link_characters = 0
        self.links = 0
        self.breaks = 0
        self.pre: Frame | None = None
        self.at_start = True  # of a line of preformatted text
        self.state: State = INITIAL_STATE
        self.shows = True
        self.characters = 0
        self.full = False  # enough was found
        self.special: dict[str, bool] = {}  # whether a class asks for a closer look
        self.frame: Frame

    def _set(self, state: State) -> None:
        self.state = state
        self.shows = state is INITIAL_STATE or state is UNKNOWN_BACKGROUND or state.shows

    def _mark(self, mark: Mark) -> None:
        self.tokens.append(mark)
        self.filled = True
        self.breaks = 0

    def _line(self) -> None:
        """Inside preformatted text a block begins a new line."""
        if not self.at_start:
            self.tokens.append("\n")
            self.at_start = True

    def _space(self) -> None:
        self.tokens.append(" ")
        self.at_start = False

    def _text(self, text: str) -> None:
        """Text that is seen."""
        if self.pre is not None:
            self.tokens.append(text)
            self.filled = True
            self.at_start = text.endswith("\n")
        elif not text.isspace():
            self.tokens.append(text)
            self.filled = True
            self.breaks = 0
            if self.links_open:
                self.link_characters += len(text)
        elif self.tokens:  # space that nothing stands before says nothing
            self.tokens.append(text)

    def _break(self) -> None:
        if self.pre is not None:
            self.tokens.append("\n")
            self.at_start = True
            return
        self.breaks += 1
        if self.breaks >= 2 and self.filled:
            self._flush()
        elif self.filled:
            self.tokens.append(BREAK)

    def _image(self, element: HtmlElement) -> None:
        alt = " ".join((element.get("alt") or "").split())
        if len(alt) < 3 or self.pre is not None or {element.get("width"), element.get("height")} & POINT:
            return
        if NO_SIZE.search(element.get("style") or ""):
            return
        self.tokens.append(("img", alt, source_of(element)))

    def _flush(self) -> None:
        """What was gathered becomes a block."""
        tokens = self.tokens
        self.tokens = [*self.open]
        self.breaks = 0
        if self.filled:
            self._add_text(tokens)
        elif self.pictured and any(token[0] == "img" for token in tokens if not isinstance(token, str)):
            self._add(tokens, "", "image")
        self.filled = self.pictured = False
        self.at_start = True
        self.links = self.links_open

    def _add_text(self, tokens: list[Token]) -> None:
        raw = "".join(
            [token if isinstance(token, str) else " " for token in tokens if isinstance(token, str) or token is BREAK]
        )
        self.characters += len(raw)
        text = " ".join(raw.split())
        if self.pre is None:
            self._add(tokens, text, "text")
        elif text:
            self._add(tokens, text, "pre")
        self.link_characters = 0

    def _add(self, tokens: list[Token], text: str, kind: str) -> None:
        if self.open:
            tokens.extend(("close", mark[1]) for mark in reversed(self.open))
        frame = self.frame
        block = TextBlock(len(self.page.blocks), frame, tokens, text, kind)
        block.words = words = size(text)
        block.links = self.links
        if self.link_characters and words:
            block.link_words = min(words, round(words * min(1.0, self.link_characters / len(text))))
        frame.words += words
        frame.link_words += block.link_words
        frame.blocks += 1
        block.runs = words > LINE and block.link_words * 3 < words
        frame.texts += block.runs
        self.page.blocks.append(block)
        self.full = len(self.page.blocks) >= BLOCKS or self.characters > CHARACTERS


def source_of(image: HtmlElement) -> str:
    """The address of a picture: its own, the one a script would load, or the first of those for other screens."""
    for name in ("src", "data-src", "data-lazy-src", "data-original"):
        address = image.get(name) or ""
        if address and not address.startswith("data:"):
            return address
    around = image.getparent()
    holders = [image] if around is None else [image, around]  # around it is the last source of a picture element
    sets = (holder.get(name) or "" for holder in holders for name in ("srcset", "data-srcset", "data-lazy-srcset"))
    return next((parts[0].rstrip(",") for each in sets if (parts := each.split())), image.get("src") or "")
