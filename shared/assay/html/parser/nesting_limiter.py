"""Flattens pages whose elements nest too deeply."""

import re
from collections import Counter

from turbohtml import Tokenizer, TokenType

from assay.text.word_lists import parse_words

MAX_OPEN_ELEMENTS = 200
MAX_LOOKBACK = 8  # open elements that an end tag is compared with
STYLING = re.compile(r"\b(?:style|class|id|hidden|color|bgcolor)\b", re.IGNORECASE)
VOID = parse_words("area base br col embed hr img input link meta param source track wbr")


def flatten_nesting(html: str) -> str:
    """Drop the tags that are nested too deeply and keep their text.

    The text of a dropped tag that carries styling is dropped too, because the style that may hide it is lost.
    """
    limiter = NestingLimiter()
    tokenizer = Tokenizer(resolve_references=False, capture_source=True, capture_attributes=False)
    for tokens in (tokenizer.feed(html), tokenizer.close()):
        for token in tokens:
            source, name = token.source or token.data or "", token.tag or ""  # of text, `data` is the source
            if token.type is TokenType.START_TAG and name not in VOID:
                limiter.open(name, source)
            elif token.type is TokenType.END_TAG:
                limiter.close(name, source)
            else:
                limiter.text(source)
    return "".join(limiter.pieces)


class NestingLimiter:
    """Receives tags and text in document order; `pieces` is the markup whose nesting is limited."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.names: list[str] = []  # of the open elements that are kept
        self.dropped: Counter[str] = Counter()
        self.suppressed: list[str] = []  # open elements from the first tag whose text is dropped

    def text(self, text: str) -> None:
        if not self.suppressed:
            self.pieces.append(text)

    def open(self, name: str, tag: str) -> None:
        if self.suppressed:
            if name == self.suppressed[0]:
                self.suppressed.append(name)
        elif len(self.names) < MAX_OPEN_ELEMENTS:
            self.names.append(name)
            self.pieces.append(tag)
        elif STYLING.search(tag):
            self.suppressed.append(name)
        else:
            self.dropped[name] += 1
            self.pieces.append(" ")

    def close(self, name: str, tag: str) -> None:
        if self.suppressed:
            if name == self.suppressed[0]:
                self.suppressed.pop()
        elif self.dropped[name]:
            self.dropped[name] -= 1
            self.pieces.append(" ")
        else:
            self.pieces.append(tag)
            if name in self.names[-MAX_LOOKBACK:]:  # an end tag for an element further up is treated as a stray
                while self.names.pop() != name:
                    pass
