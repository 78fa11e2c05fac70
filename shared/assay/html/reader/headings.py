"""Headings of a page: their levels, and their text without links to themselves."""

import re

from assay.html.reader.navigation_marks import (
    is_permalink,
    without_links_to_top,
    without_local_links,
    without_note_links,
    without_permalink,
)
from assay.html.reader.text_blocks import Frame, Mark, TextBlock, Token
from assay.text.word_lists import parse_words

MAX_LEVELS = 3  # elements around the text of a heading in which its role is looked for
# Of Sphinx, MkDocs and docutils, of VitePress, of GitHub, of Bootstrap and of Obsidian.
BOX_TITLES = parse_words(
    "admonition-title topic-title sidebar-title custom-block-title markdown-alert-title alert-heading alert-title "
    "callout-title"
)
MIN_NAME = 3  # letters of the name of a kind of box
BOX_TAGS = frozenset(("div", "aside", "section"))
SENTENCE_ENDS = frozenset(".!?)")
ARIA_LEVELS = frozenset("123456")
# The last word of a name, before the modifier or hash that style sheets add (`card-title`, `faq__heading--small`,
# `BoxTitle`), and the names of Bootstrap for text that looks like a heading.
TITLE_NAME = re.compile(
    r"(?:(?<![^\s_-])(?:title|heading|headline)|(?<=[a-z])(?:Title|Heading|Headline))(?:--[\w-]+|__\w{5,6})?(?!\S)"
    r"|(?<!\S)h[1-6](?!\S)"
)
# Names of the titles of persons, such as professions, of quotations, which say whose they are, and of pictures.
OTHER_TITLE = re.compile(
    r"(?<![a-z])(?:author|user|member|job|person|people|staff|team|speaker|byline|profile|position|quote|testimonial|bbcode|sub"
    r"|imageblock|figure|caption)",
    re.IGNORECASE,
)
MAX_TITLE_WORDS = 16
MAX_TITLE_LEVELS = 2  # elements around the text of a title in which its name is looked for
UNTITLED_TAGS = frozenset(("li", "dt", "dd", "td", "th", "pre", "figcaption", "caption", "blockquote"))


def find_heading_level(block: TextBlock) -> int:
    """Return the level of a heading by its role and `aria-level`, or by its tag; 0 for other blocks."""
    holder: Frame | None = block.frame
    for _ in range(MAX_LEVELS):
        if holder is None or holder.words != block.words:
            break
        attributes = holder.element.attributes
        if attributes and attributes.get("role") == "heading":
            if holder is not block.frame and block.frame.tag == "p" and block.text[-1:] in SENTENCE_ENDS:
                break  # the text of a comment, of which each is marked for those who jump from one to the next
            level = attributes.get("aria-level") or ""
            return int(level) if level in ARIA_LEVELS else block.frame.heading or 2
        holder = holder.parent
    return block.frame.heading


def is_box_title(frame: Frame) -> bool:
    """Return whether the frame is the title of a note, warning or other box."""
    names = frame.element.attributes.get("class")
    return names is not None and not BOX_TITLES.isdisjoint(names.split())


def names_box(block: TextBlock) -> bool:
    """Return whether the text, a word, is at the start of a box that has it as its class, as on Microsoft Learn."""
    around = block.frame.parent
    if around is None or around.first != block.index or around.tag not in BOX_TAGS or len(block.text) < MIN_NAME:
        return False
    names = around.element.attributes.get("class") or ""
    return around.words > block.words and block.text.rstrip(":").lower() in names.lower().split()


def is_named_title(block: TextBlock) -> bool:
    """Return whether a short text is a title by the name of its element, which a style sheet makes look like one."""
    if block.words > MAX_TITLE_WORDS or block.kind != "text":
        return False
    holder: Frame | None = block.frame
    for _ in range(MAX_TITLE_LEVELS):
        if holder is None or holder.words != block.words or holder.tag in UNTITLED_TAGS:
            break
        names = holder.element.attributes.get("class")
        if names and TITLE_NAME.search(names):
            around = holder.parent.element.attributes.get("class") if holder.parent is not None else None
            return OTHER_TITLE.search(f"{names} {around}") is None
        holder = holder.parent
    return False


def list_heading_tokens(block: TextBlock, local: frozenset[Mark]) -> list[Token]:
    """Return the tokens of a heading without its permalink sign and without `local`, the links within the page."""
    tokens = without_permalinks(block.tokens)
    if not block.links or local.isdisjoint(tokens):
        return tokens
    return without_local_links(without_note_links(without_links_to_top(tokens, local), local), local)


def without_permalinks(tokens: list[Token]) -> list[Token]:
    """Return the tokens of a heading without its permalink sign."""
    return [
        without_permalink(token) if isinstance(token, str) else token
        for token in tokens
        if not (isinstance(token, str) and is_permalink(token))
    ]
