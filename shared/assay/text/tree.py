"""From HTML text to a tree: never raises on junk, bounded for markup that is built to hurt."""

import re
from collections import Counter

from lxml import etree
from lxml.html import HtmlElement

from assay.text import splits
from assay.text.listed import listed
from assay.text.omitted import with_body

BYTES = 8 * 1024 * 1024
DEPTH = 200  # the parser itself stops at 256 and drops the rest
MARKUP = 150_000  # tags; what follows is cut
LONG_TAG = 4096  # characters; longer tags are looked at, since the parser is quadratic in the attributes of one tag
SMALL = 128 * 1024  # characters; in less no tag can hold enough attributes to matter
ATTRIBUTES = 500
EMPTY = "<html><body></body></html>"
VOID = listed("area base br col embed hr img input link meta param source track wbr")

# Possessive and never failing once begun, so that a scan is linear whatever is left open; as in HTML, a quote opens a
# value only after `=`, and in scripts, styles and comments `<` means nothing.
VALUES = r"""(?:[^>=]++|=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z))?+)*+(?:>|\Z)"""
OPAQUE = r"<!--.*?(?:-->|\Z)|<script\b.*?(?:</script|\Z)|<style\b.*?(?:</style|\Z)|<textarea\b.*?(?:</textarea|\Z)"
SPAN = re.compile(rf"{OPAQUE}|<[a-zA-Z]{VALUES}", re.DOTALL | re.IGNORECASE)
OPENING = re.compile(rf"<[a-zA-Z]{VALUES}")
TAG = re.compile(rf"(?P<opaque>{OPAQUE})|<(/?)([a-zA-Z][^\s>/]*+)({VALUES})", re.DOTALL | re.IGNORECASE)
SLASHED = re.compile(rf"<(?=[a-z])(?:{splits.NAMES})\s{VALUES}(?<=/>)", re.IGNORECASE)
ATTRIBUTE = re.compile(r"""[^\s=/>"']++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"']++))?""")
STYLING = re.compile(r"\b(?:style|class|id|hidden|color|bgcolor)\b", re.IGNORECASE)
# As much of a page as holds no tag that could be long, told without a look at each tag; it consumes as SPAN does.
FEW = r"""(?:[^>=]{1,60}+|=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z))?+){0,64}+(?:>|\Z)"""
TILL = "|".join(rf"{name}\b{FEW}[^<]*+(?:<(?!/{name})[^<]*+)*+" for name in ("script", "style", "textarea"))
HARMLESS = re.compile(
    rf"(?:[^<]++|<(?:{TILL}|(?!script\b|style\b|textarea\b)[a-z]{FEW}|!--[^-]*+(?:-(?!->)[^-]*+)*+|(?!!--|[a-z])))*+",
    re.IGNORECASE,
)
CLASSES = etree.ElementDefaultClassLookup(element=HtmlElement)


def parse(html: str) -> HtmlElement:
    """The document's `html` element; an empty document for what holds no markup and no text.

    Comments and processing instructions are left out; the tree is at most 256 elements deep.
    """
    html = html[:BYTES].replace("\x00", "")
    if len(html) > SMALL:
        if html.count("<") > MARKUP:
            html = "<".join(html.split("<", MARKUP)[:MARKUP])
        html = _without_long_tags(html)
    if SLASHED.search(html):
        html = splits.opened(html, TAG)
    root, html = _bounded(html)
    if splits.suspected(root):
        root, _ = _bounded(splits.kept_whole(html, TAG))
        return splits.with_own_names(root)
    return root


def _bounded(html: str) -> tuple[HtmlElement, str]:
    """The root, and the page it was made of: itself, or what is left of one that nests too deeply."""
    root, too_deep = _parsed(html)
    if too_deep:
        html = _flattened(html)
        root, _ = _parsed(html)
    return root, html


def _parsed(html: str) -> tuple[HtmlElement, bool]:
    parser = etree.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True, recover=True, huge_tree=False
    )
    parser.set_element_class_lookup(CLASSES)
    try:
        root = etree.fromstring(html.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        root = None
    if root is None:
        return etree.fromstring(EMPTY, parser), False
    last = parser.error_log.last_error
    return with_body(root), last is not None and last.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT


def _without_long_tags(html: str) -> str:
    """The attributes of a tag beyond a bound are cut."""
    pieces, done = [], 0
    for tag in SPAN.finditer(html, HARMLESS.match(html).end()):  # type: ignore[union-attr]  # it matches nothing, too
        start, end = tag.span()
        if end - start <= LONG_TAG or html.startswith("<!--", start):
            continue
        end = OPENING.match(html, start).end()  # type: ignore[union-attr]
        parts = [found.group() for found in ATTRIBUTE.finditer(html, start + 1, end)]
        if len(parts) > ATTRIBUTES:
            pieces += [html[done:start], "<", " ".join(parts[:ATTRIBUTES]), ">"]
            done = end
    return "".join(pieces) + html[done:] if pieces else html


def _flattened(html: str) -> str:
    """The same text with less nesting: tags that lie too deep are dropped.

    Of a dropped tag that could hide its text the text is dropped too, since nobody could tell any more.
    """
    press = Press()
    done = 0
    for tag in TAG.finditer(html):
        press.text(html[done : tag.start()])
        done = tag.end()
        if tag["opaque"] or tag.group(3).lower() in VOID:
            press.text(tag.group())
        elif tag.group(2):
            press.close(tag.group(3).lower(), tag.group())
        else:
            press.open(tag.group(3).lower(), tag.group(), tag.group(4))
    press.text(html[done:])
    return "".join(press.pieces)


class Press:
    """Takes tags and text in order, and keeps what lies no deeper than DEPTH."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.names: list[str] = []  # open in what is kept
        self.dropped: Counter[str] = Counter()
        self.buried: list[str] = []  # open since a tag whose text is dropped

    def text(self, text: str) -> None:
        if not self.buried:
            self.pieces.append(text)

    def open(self, name: str, tag: str, attributes: str) -> None:
        if self.buried:
            if name == self.buried[0]:
                self.buried.append(name)
        elif len(self.names) < DEPTH:
            self.names.append(name)
            self.pieces.append(tag)
        elif STYLING.search(attributes):
            self.buried.append(name)
        else:
            self.dropped[name] += 1
            self.pieces.append(" ")

    def close(self, name: str, tag: str) -> None:
        if self.buried:
            if name == self.buried[0]:
                self.buried.pop()
        elif self.dropped[name]:
            self.dropped[name] -= 1
            self.pieces.append(" ")
        else:
            self.pieces.append(tag)
            if name in self.names[-8:]:  # what it closes is near; a close far up is a stray
                while self.names.pop() != name:
                    pass
