"""HTML text to an lxml tree, with bounded work: size, tag count and nesting depth are limited.

libxml2 parses; the repairs around it follow the HTML Standard, section 13.2 (parsing HTML documents).
"""

import re
from collections import Counter
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

from assay.html.parser import end_tags, misnested, tag_scanner
from assay.html.parser.optional_tags import move_stray_head_content
from assay.html.parser.tag_scanner import TAG
from assay.text.word_lists import parse_words

MAX_CHARACTERS = 8 * 1024 * 1024
MAX_DEPTH = 200  # libxml2 stops at 256 levels and drops the rest
MAX_TAGS = 150_000  # tags; the page is cut after these
EMPTY_DOCUMENT = "<html><body></body></html>"
VOID = parse_words("area base br col embed hr img input link meta param source track wbr")

STYLING = re.compile(r"\b(?:style|class|id|hidden|color|bgcolor)\b", re.IGNORECASE)
STYLE_ELEMENT = re.compile("<style", re.IGNORECASE)
ELEMENT_CLASSES = etree.ElementDefaultClassLookup(element=HtmlElement)


def parse_html(html: str) -> HtmlElement:
    """Parse `html` and return the `html` element; an empty document if there is neither markup nor text.

    Never raises on malformed markup. Comments and processing instructions are dropped; the tree is at most 256 levels
    deep.
    """
    html = html[:MAX_CHARACTERS].replace("\x00", "")
    if len(html) > MAX_TAGS and html.count("<") > MAX_TAGS:
        html = "<".join(html.split("<", MAX_TAGS)[:MAX_TAGS])
    root, html = _parse_bounded(_repair_tags(end_tags.strip_early_page_ends(html)))
    if misnested.is_suspect(root, html):
        root, _ = _parse_bounded(misnested.protect_misnested(html))
        return misnested.restore_names(root)
    return root


def _parse_bounded(html: str) -> tuple[HtmlElement, str]:
    """Return the root and the markup it was parsed from, which is flattened if the page nests too deeply."""
    root, log = _parse_once(html)
    if end_tags.has_ignored_end_tag(log):
        html = end_tags.close_open_divs(html)
        root, log = _parse_once(html)
    last = log.last_error
    if last is not None and last.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT:
        html = _flatten_nesting(html)
        root, _ = _parse_once(html)
    return root, html


def _parse_once(html: str) -> tuple[HtmlElement, Any]:
    """Return the root and the parser's error log."""
    parser = etree.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True, recover=True, huge_tree=False
    )
    parser.set_element_class_lookup(ELEMENT_CLASSES)
    try:
        root = etree.fromstring(html.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        root = None
    if root is None:
        root = etree.fromstring(EMPTY_DOCUMENT, parser)
    return move_stray_head_content(root), parser.error_log


def _repair_tags(html: str) -> str:
    """Limit the attributes of each tag, and drop the slash of a non-void start tag, which libxml2 takes as an end."""
    tags = list(tag_scanner.find_irregular_tags(html))
    has_sheet = bool(tags) and STYLE_ELEMENT.search(html) is not None
    pieces, copied = [], 0
    for start in tags:
        repaired = f"{start[0]}>" if start[3] is None else misnested.drop_trailing_slash(start, has_sheet)
        if repaired is not None:
            pieces += [html[copied : start.start()], repaired]
            copied = tag_scanner.find_tag_end(html, start.start())
    return "".join(pieces) + html[copied:] if pieces else html


def _flatten_nesting(html: str) -> str:
    """Drop the tags that are nested too deeply and keep their text.

    The text of a dropped tag that carries styling is dropped too, because the style that may hide it is lost.
    """
    limiter = NestingLimiter()
    copied = 0
    for tag in TAG.finditer(html):
        limiter.text(html[copied : tag.start()])
        copied = tag.end()
        name = (tag["name"] or "").lower()
        if tag["opaque"] or name in VOID:
            limiter.text(tag.group())
        elif tag["slash"]:
            limiter.close(name, tag.group())
        else:
            limiter.open(name, tag.group(), tag["rest"])
    limiter.text(html[copied:])
    return "".join(limiter.pieces)


class NestingLimiter:
    """Receives tags and text in document order; `pieces` is the markup whose nesting is at most MAX_DEPTH."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.names: list[str] = []  # of the open elements that are kept
        self.dropped: Counter[str] = Counter()
        self.suppressed: list[str] = []  # open elements from the first tag whose text is dropped

    def text(self, text: str) -> None:
        if not self.suppressed:
            self.pieces.append(text)

    def open(self, name: str, tag: str, attributes: str) -> None:
        if self.suppressed:
            if name == self.suppressed[0]:
                self.suppressed.append(name)
        elif len(self.names) < MAX_DEPTH:
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
            if name in self.names[-8:]:  # an end tag for an element further up is treated as a stray
                while self.names.pop() != name:
                    pass
