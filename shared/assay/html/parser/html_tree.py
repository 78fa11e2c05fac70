"""From HTML text to a tree: never raises on junk, bounded for markup that is built to hurt."""

import re
from collections import Counter
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

from assay.html.parser import end_tags, misnested, tag_scanner
from assay.html.parser.optional_tags import with_body
from assay.html.parser.tag_scanner import TAG
from assay.text.word_lists import parse_words

BYTES = 8 * 1024 * 1024
DEPTH = 200  # the parser itself stops at 256 and drops the rest
MARKUP = 150_000  # tags; what follows is cut
EMPTY = "<html><body></body></html>"
VOID = parse_words("area base br col embed hr img input link meta param source track wbr")

STYLING = re.compile(r"\b(?:style|class|id|hidden|color|bgcolor)\b", re.IGNORECASE)
SHEET = re.compile("<style", re.IGNORECASE)
CLASSES = etree.ElementDefaultClassLookup(element=HtmlElement)


def parse(html: str) -> HtmlElement:
    """The document's `html` element; an empty document for what holds no markup and no text.

    Comments and processing instructions are left out; the tree is at most 256 elements deep.
    """
    html = html[:BYTES].replace("\x00", "")
    if len(html) > MARKUP and html.count("<") > MARKUP:
        html = "<".join(html.split("<", MARKUP)[:MARKUP])
    root, html = _parse_bounded(_repair_tags(end_tags.within_page(html)))
    if misnested.is_suspect(root, html):
        root, _ = _parse_bounded(misnested.protect_misnested(html))
        return misnested.with_own_names(root)
    return root


def _parse_bounded(html: str) -> tuple[HtmlElement, str]:
    """The root, and the page it was made of: itself, or what is left of one that nests too deeply."""
    root, log = _parse_html(html)
    if end_tags.passed_over(log):
        html = end_tags.close_open_divs(html)
        root, log = _parse_html(html)
    last = log.last_error
    if last is not None and last.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT:
        html = _flatten_nesting(html)
        root, _ = _parse_html(html)
    return root, html


def _parse_html(html: str) -> tuple[HtmlElement, Any]:
    """The root, and the parser's list of errors."""
    parser = etree.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True, recover=True, huge_tree=False
    )
    parser.set_element_class_lookup(CLASSES)
    try:
        root = etree.fromstring(html.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        root = None
    if root is None:
        root = etree.fromstring(EMPTY, parser)
    return with_body(root), parser.error_log


def _repair_tags(html: str) -> str:
    """The same page, where no tag has too many attributes, or a slash that would end what may hide its text."""
    odd = list(tag_scanner.odd(html))
    has_sheet = bool(odd) and SHEET.search(html) is not None
    pieces, done = [], 0
    for start in odd:
        new = f"{start[0]}>" if start[3] is None else misnested.open_void_tag(start, has_sheet)
        if new is not None:
            pieces += [html[done : start.start()], new]
            done = tag_scanner.end_of(html, start.start())
    return "".join(pieces) + html[done:] if pieces else html


def _flatten_nesting(html: str) -> str:
    """The same text with less nesting: tags that lie too deep are dropped.

    Of a dropped tag that could hide its text the text is dropped too, since nobody could tell any more.
    """
    press = NestingLimiter()
    done = 0
    for tag in TAG.finditer(html):
        press.text(html[done : tag.start()])
        done = tag.end()
        name = (tag["name"] or "").lower()
        if tag["opaque"] or name in VOID:
            press.text(tag.group())
        elif tag["slash"]:
            press.close(name, tag.group())
        else:
            press.open(name, tag.group(), tag["rest"])
    press.text(html[done:])
    return "".join(press.pieces)


class NestingLimiter:
    """Takes tags and text in order, and keeps what lies no deeper than DEPTH."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.names: list[str] = []  # open in what is kept
        self.dropped: Counter[str] = Counter()
        self.suppressed: list[str] = []  # open since a tag whose text is dropped

    def text(self, text: str) -> None:
        if not self.suppressed:
            self.pieces.append(text)

    def open(self, name: str, tag: str, attributes: str) -> None:
        if self.suppressed:
            if name == self.suppressed[0]:
                self.suppressed.append(name)
        elif len(self.names) < DEPTH:
            self.names.append(name)
            self.pieces.append(tag)
        elif STYLING.search(attributes):
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
            if name in self.names[-8:]:  # what it closes is near; a close far up is a stray
                while self.names.pop() != name:
                    pass
