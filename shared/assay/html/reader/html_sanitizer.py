"""Serialises blocks as HTML with an allow-list of tags, escaped text and absolute URLs; nothing else is emitted."""

import re

from assay.html.reader.html_tables import holds_data
from assay.html.reader.link_resolver import LinkResolver
from assay.html.reader.text_blocks import HEADINGS, Frame, TextBlock, Token

INLINE_ELEMENTS = frozenset((*HEADINGS, "p", "pre", "dt", "summary", "caption", "figcaption"))  # hold inline content
FLOW_ELEMENTS = frozenset(("li", "dd", "td", "th"))  # hold inline content or paragraphs
ALLOWED = INLINE_ELEMENTS | FLOW_ELEMENTS | {"ul", "ol", "dl", "blockquote", "table", "tr", "figure", "details"}
REPLACEMENTS = {
    "h1": "h2",
    "listing": "pre",
    "xmp": "pre",
    "plaintext": "pre",
    "menu": "ul",
    "dir": "ul",
    "legend": "p",
}
TABLE_TAGS = frozenset(("table", "caption", "tr", "td", "th"))
SPACE = re.compile(r"\s+")


class HtmlWriter:
    """Writes blocks in order, opening and closing the elements between them. `base` resolves relative links."""

    def __init__(self, base: str) -> None:
        self.targets = LinkResolver(base)
        self.out: list[str] = []
        self.open: list[Frame] = []
        self.filled: set[int] = set()  # `id()` of the elements with content

    def html(self, kept: list[TextBlock]) -> str:
        for block in kept:
            self._block(block)
        self._close(0)
        return "".join(self.out)

    def _block(self, block: TextBlock) -> None:
        inside = self._inside(block)
        if not inside:
            return
        frame = block.frame
        chain = self._chain(frame)
        self._enter(chain, again=frame.tag in INLINE_ELEMENTS)
        self.out.append(inside if self._holds_lines(frame, chain) else f"<p>{inside}</p>\n")
        self.filled.update(id(one) for one in chain)

    def _holds_lines(self, frame: Frame, chain: list[Frame]) -> bool:
        """Return whether the block is in an element that holds inline content or is still empty."""
        if not chain or chain[-1] is not frame:
            return False
        return frame.tag in INLINE_ELEMENTS or (frame.tag in FLOW_ELEMENTS and id(frame) not in self.filled)

    def _enter(self, chain: list[Frame], *, again: bool) -> None:
        """Close the elements that the next block is not in and open those it is in; `again` reopens the innermost."""
        common = 0
        for mine, next_one in zip(self.open, chain, strict=False):
            if mine is not next_one:
                break
            common += 1
        if again and common == len(chain):
            common -= 1
        self._close(max(0, common))
        for frame in chain[len(self.open) :]:
            self.out.append(f"<{_name(frame)}{_span(frame)}>")
            self.open.append(frame)

    def _close(self, depth: int) -> None:
        while len(self.open) > depth:
            self.out.append(f"</{_name(self.open.pop())}>\n")

    def _chain(self, frame: Frame) -> list[Frame]:
        """Return the allowed elements around a block, outermost first, without layout tables."""
        chain = []
        ancestor: Frame | None = frame
        while ancestor is not None:
            tag = REPLACEMENTS.get(ancestor.tag, ancestor.tag)
            if tag in ALLOWED and (
                tag not in TABLE_TAGS or (ancestor.table is not None and holds_data(ancestor.table))
            ):
                chain.append(ancestor)
            ancestor = ancestor.parent
        return chain[::-1]

    def _inside(self, block: TextBlock) -> str:
        parts = [self._token(token, block.kind == "pre") for token in block.tokens]
        text = "".join(parts)
        return text.strip("\n") if block.kind == "pre" else text.strip()

    def _token(self, token: Token, preformatted: bool) -> str:
        if isinstance(token, str):
            return _text(token if preformatted else _one_line(token))
        kind = token[0]
        if kind == "open":
            return self._link(token[2]) if token[1] == "a" else f"<{token[1]}>"
        if kind == "close":
            return f"</{token[1]}>"
        if kind == "br":
            return "<br>"
        return self._aside(token)

    def _link(self, href: str) -> str:
        address = self.targets.absolute(href)
        return f'<a href="{_escape_attribute(address)}">' if address else "<a>"

    def _aside(self, token: tuple[str, ...]) -> str:
        if token[0] == "img":
            address = self.targets.absolute(token[2])
            is_picture = address.startswith(("http://", "https://"))
            return (
                f'<img src="{_escape_attribute(address)}" alt="{_escape_attribute(token[1])}">'
                if is_picture
                else _text(token[1])
            )
        if token[0] == "math":
            return f"<code>{_text(token[1])}</code>"
        return f"[{token[1]}] " if token[0] == "check" else ""


def _name(frame: Frame) -> str:
    return REPLACEMENTS.get(frame.tag, frame.tag)


def _span(frame: Frame) -> str:
    if frame.tag not in ("td", "th"):
        return ""
    spans = ((name, frame.element.get(name) or "") for name in ("colspan", "rowspan"))
    return "".join(f' {name}="{value}"' for name, value in spans if value.isdecimal() and 1 < int(value[:4]) < 1000)


def _one_line(text: str) -> str:
    if "\n" in text or "  " in text or "\t" in text or "\r" in text:
        return SPACE.sub(" ", text)
    return text


def _text(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _escape_attribute(text: str) -> str:
    return _text(text).replace('"', "&quot;")
