"""Collects text, inline marks and images into blocks, in document order.

`_block_walk.c` has the same in its `BlockWalk`; this serves machines where that is not built.
"""

from assay.html.css.inherited_visibility import State
from assay.html.css.visibility import VisibilityResolver
from assay.html.reader.text_blocks import BREAK, BlockPage, Frame, Mark, TextBlock, Token
from assay.text.unspaced_words import count_words

MAX_BLOCKS = 10_000
MAX_CHARACTERS = 4_000_000  # characters of text per document
LINE_WORDS = 12  # words


class BlockCollector:
    """The tokens since the last block, and the blocks made from them, in `page`."""

    def __init__(self, resolver: VisibilityResolver, state: State, page: BlockPage) -> None:
        self.resolver = resolver
        self.page = page
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
        self.state = state
        self.is_shown = state.shows
        self.characters = 0
        self.is_full = False  # whether a limit has been reached
        self.classes: dict[str, int] = {}  # by class attribute: what is special about it
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
        if not self.has_content and not self.may_have_image:
            return
        self.breaks += 1
        if self.breaks >= 2:
            self._flush()
        else:
            self.tokens.append(BREAK)

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
