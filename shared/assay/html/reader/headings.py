"""Headings of a page: their levels, and their text without links to themselves."""

from assay.html.reader.navigation_marks import is_permalink, without_local_links, without_note_links, without_permalink
from assay.html.reader.text_blocks import Frame, TextBlock, Token
from assay.text.word_lists import parse_words

MAX_LEVELS = 3  # elements around the text of a heading in which its role is looked for
# Of Sphinx, MkDocs and docutils, of VitePress, of GitHub, of Bootstrap and of Obsidian.
BOX_TITLES = parse_words(
    "admonition-title topic-title sidebar-title custom-block-title markdown-alert-title alert-heading alert-title "
    "callout-title"
)
ARIA_LEVELS = frozenset("123456")


def find_heading_level(block: TextBlock) -> int:
    """Return the level of a heading by its role and `aria-level`, or by its tag; 0 for other blocks."""
    holder: Frame | None = block.frame
    for _ in range(MAX_LEVELS):
        if holder is None or holder.words != block.words:
            break
        attributes = holder.element.attributes
        if attributes and attributes.get("role") == "heading":
            level = attributes.get("aria-level") or ""
            return int(level) if level in ARIA_LEVELS else block.frame.heading or 2
        holder = holder.parent
    return block.frame.heading


def is_box_title(frame: Frame) -> bool:
    """Return whether the frame is the title of a note, warning or other box."""
    names = frame.element.attributes.get("class")
    return names is not None and not BOX_TITLES.isdisjoint(names.split())


def list_heading_tokens(block: TextBlock, base: str) -> list[Token]:
    """Return the tokens of a heading without its permalink sign and links to places in the page at `base`."""
    tokens = without_permalinks(block.tokens)
    return without_local_links(without_note_links(tokens, base), base) if block.links else tokens


def without_permalinks(tokens: list[Token]) -> list[Token]:
    """Return the tokens of a heading without its permalink sign."""
    return [
        without_permalink(token) if isinstance(token, str) else token
        for token in tokens
        if not (isinstance(token, str) and is_permalink(token))
    ]
