"""Renders selected blocks as markdown (CommonMark): headings, lists, quotes, code and tables."""

import re
from collections.abc import Iterable
from functools import cached_property
from itertools import takewhile

from assay.html.reader.block_links import find_repeated_links, without_link
from assay.html.reader.bold_titles import find_bold_titles
from assay.html.reader.code_blocks import CODE, MAX_LABEL_WORDS, fence_block, fence_lines, find_label, list_code_lines
from assay.html.reader.headings import (
    BOX_TITLES,
    find_heading_level,
    is_box_title,
    is_named_title,
    list_heading_tokens,
    names_box,
    without_permalinks,
)
from assay.html.reader.html_tables import CELL_LINE_END, find_cell, find_data_table, is_in_caption, pipe_table
from assay.html.reader.inline_markdown import InlineRenderer
from assay.html.reader.link_resolver import LinkResolver
from assay.html.reader.list_nesting import ITEM_MARK, ListNesting, find_item_label
from assay.html.reader.markdown_escapes import (
    SIMPLE,
    collapse_spaces,
    escape_heading_end,
    escape_line_start,
    escape_markdown,
)
from assay.html.reader.markdown_lines import MarkdownLines
from assay.html.reader.math_formulas import is_typeset
from assay.html.reader.navigation_marks import find_local_links, without_note_links
from assay.html.reader.table_parts import find_table_below, list_parts
from assay.html.reader.text_blocks import BlockPage, Frame, Mark, TextBlock, Token
from assay.html.reader.typed_lists import find_items, format_item, format_lines, without_bullet
from assay.text.sanitize import sanitise

STRONG = ("open", "strong")
TITLE_TAGS = frozenset(("dt", "summary"))  # which are written in bold, like the title of a box
LABEL_TAGS = frozenset(("div", "td", "aside", "section"))  # which hold the label of a footnote
NOTE_LABEL = re.compile(r"\[(?:[\w+.-]{1,20}|\\?[*†‡§¶#]{1,3})\]")
NOTE_ROLES = frozenset(("doc-footnote", "doc-biblioentry"))
BOLD_LEVEL = 2  # of a bold line that is the title of a section
MAX_NAME_WORDS = 4  # of a name that is written in bold


class MarkdownRenderer:
    """Writes the selected blocks in order."""

    def __init__(self, page: BlockPage, base: str) -> None:
        self.page = page
        self.targets = LinkResolver(base)
        self.local_links = find_local_links(page.root, self.targets.base)
        self.links = 0
        self.is_cut = page.is_cut  # or whether a limit left out cells of a table
        self.label: tuple[str, Frame] | None = None  # of a note whose text follows, and the note
        self.nesting = ListNesting(page)
        self.lines = MarkdownLines(self.nesting)
        self.typed_items: set[int] = set()
        self.bold_titles: frozenset[int] = frozenset()
        self.repeated_links: dict[int, Mark] = {}  # by index of blocks: a link around them that another block has
        self.has_item_marks = ITEM_MARK in page.root.class_names
        self.has_box_titles = not BOX_TITLES.isdisjoint(page.root.class_names)
        self.kept: list[TextBlock] = []  # the blocks that are written
        self.place = 0  # of the block that is written, among them
        self.tables: dict[int, Frame | None] = {}  # by `id()` of the table around a block: the data table
        self.last_rendered = -1  # the last block that is written already, with one before it

    def render(self, blocks: Iterable[TextBlock]) -> str:
        self.kept = [*blocks]
        self.typed_items = find_items(self.kept) | self.page.marked
        self.repeated_links = find_repeated_links(self.kept)
        if not (self.has_role_headings or self.page.credits):
            self.bold_titles = find_bold_titles(self.kept)
        for place, block in enumerate(self.kept):
            if block.index <= self.last_rendered:
                continue
            self.place = place
            inner = block.frame.table
            if inner is not None and (table := self._find_table(inner)) is not None:
                self._table(table)
            else:
                self._block(block)
        self._take_label(None)
        return self.lines.join()

    def _find_table(self, inner: Frame) -> Frame | None:
        """Return the data table that the innermost table around a block is in, or of which it is the head."""
        if id(inner) not in self.tables:
            self.tables[id(inner)] = find_data_table(find_table_below(inner, self.page.blocks) or inner)
        return self.tables[id(inner)]

    def _table(self, table: Frame) -> None:
        parts = list_parts(table, self.page.blocks)
        self.last_rendered = parts[-1].last - 1
        lines, is_cut = pipe_table(parts, self.page.blocks, self._cell)
        self.is_cut = self.is_cut or is_cut
        for block in self.page.blocks[parts[0].first : parts[-1].last] if self.has_captions else ():
            if is_in_caption(block.frame, table):
                self.lines.write(self._inside(block, block.tokens).split("\n"), table)
        self.lines.write(lines, table)

    def _cell(self, block: TextBlock) -> str:
        if self.has_captions and is_in_caption(block.frame, block.frame.table):
            return ""
        if block.kind == "pre":
            return " ".join(block.text.split())
        return self._inside(block, block.tokens, line_end=CELL_LINE_END)

    @cached_property
    def has_captions(self) -> bool:
        """Whether a table of the page may have a caption."""
        return "caption" in self.page.root.by_tag

    @cached_property
    def has_role_headings(self) -> bool:
        """Whether an element of the page is a heading by its role."""
        return bool(self.page.root.list_matching({"role": ("heading",)}))

    @cached_property
    def has_code(self) -> bool:
        """Whether code is written."""
        return any(block.kind == "pre" for block in self.kept)

    @cached_property
    def is_typeset(self) -> bool:
        """Whether a script of the page draws formulas from TeX between delimiters."""
        return is_typeset(self.page.root)

    def _inside(self, block: TextBlock, tokens: list[Token], *, line_end: str = "\n", plain: bool = False) -> str:
        """Return the markdown of the block's tokens, or of those of them that are written."""
        has_tex = ("$" in block.text or "\\" in block.text) and self.is_typeset
        if len(tokens) == 1 and isinstance(tokens[0], str) and not has_tex:
            return _render_text(tokens[0])
        if block.links:
            if link := self.repeated_links.get(block.index):
                tokens = without_link(tokens, link)
            tokens = without_note_links(tokens, self.local_links)
        line = InlineRenderer(self.targets, self._list_beside, block, line_end=line_end, plain=plain, has_tex=has_tex)
        text = line.render(tokens)
        self.links += line.links
        return text

    def _list_beside(self, block: TextBlock) -> list[TextBlock]:
        """Return the block and those beside it; other cells of a table are values of their own."""
        beside = self.kept[max(self.place - 1, 0) : self.place + 2]
        if block.frame.table is None:
            return beside
        cell = find_cell(block.frame)
        return [block, *(other for other in beside if find_cell(other.frame) is cell)]

    def _block(self, block: TextBlock) -> None:
        if block.index in self.page.credits:
            self._take_label(None)
            self._credits(self.page.credits[block.index].post)
        elif block.kind == "pre":
            self._take_label(None)
            labels = [find_label(block, beside) for beside in self._list_neighbours()]
            self.lines.write(fence_block(block, next(filter(None, labels), "")), block.frame)
        elif level := self._find_level(block):
            self._take_label(None)
            text = self._inside(block, list_heading_tokens(block, self.local_links), line_end=" ", plain=True)
            if text:
                self.lines.write([f"{'#' * level} {escape_heading_end(text)}"], block.frame)
        elif block.tokens[0] == CODE[0] and (code := list_code_lines(self.kept, self.place)):
            self._take_label(None)
            self.last_rendered = code[-1].index
            self.lines.write(fence_lines(code), block.frame)
        elif not self.has_code or block.words > MAX_LABEL_WORDS or not self._is_code_label(block):
            self._paragraph(block, self._take_label(block.frame) if self.label else "")

    def _find_level(self, block: TextBlock) -> int:
        """Return the level of a heading; 0 for other texts."""
        if block.index in self.bold_titles:
            return BOLD_LEVEL
        return find_heading_level(block) if self.has_role_headings else block.frame.heading

    def _credits(self, post: Frame) -> None:
        """Write in a line who wrote a post, and when, as far as the two are together."""
        known = self.page.credits
        both = self.kept[self.place : self.place + 2]  # the name and the date
        beside = [*takewhile(lambda one: one.index in known and known[one.index].post is post, both)]
        self.last_rendered = beside[-1].index
        parts = []
        for block in sorted(beside, key=lambda one: not known[one.index].is_name):
            shown = known[block.index].shown
            is_bare = known[block.index].is_name and not shown and block.words <= MAX_NAME_WORDS
            written = shown or list_heading_tokens(block, self.local_links)
            tokens = [token for token in written if token[0] != "img"]
            text = self._inside(block, tokens, line_end=" ", plain=is_bare)
            parts.append(f"**{text}**" if is_bare and text else text)
        self.lines.write([escape_line_start(" · ".join(filter(None, parts)))], post)

    def _list_neighbours(self) -> list[TextBlock]:
        return self.kept[max(self.place - 1, 0) : self.place] + self.kept[self.place + 1 : self.place + 2]

    def _is_code_label(self, block: TextBlock) -> bool:
        """Return whether a text is the name of the language of the code beside it, which its fence says."""
        return any(beside.kind == "pre" and find_label(beside, block) is not None for beside in self._list_neighbours())

    def _paragraph(self, block: TextBlock, label: str) -> None:
        frame = block.frame
        text = self._inside(block, without_permalinks(block.tokens) if frame.tag == "dt" else block.tokens)
        if not text:
            return
        if frame.tag == "li":
            text = without_bullet(text)
        if text[:1].isdigit():
            text = self.nesting.without_number(block, text)
        if text[0] == "[" and (note := _find_labelled_note(text, block)):
            self.label = (text, note)
            return
        if block.index in self.typed_items and not label and (item := format_item(text)):
            self.lines.write(item.replace("\n", "\n  ").split("\n"), frame)
            return
        if self.has_item_marks and not label:
            label = escape_markdown(find_item_label(frame, self.lines.begun))
        text = escape_line_start(label + text)
        if self._is_title(block) and STRONG not in block.tokens and "![" not in text:
            title, line_end, rest = text.partition("\n")
            text = f"**{title}**{line_end}{rest}"
        self.lines.write(format_lines(text.split("\n")) if "\n" in text else [text], frame)

    def _is_title(self, block: TextBlock) -> bool:
        """Return whether a text that is no heading is written in bold, as a title."""
        if block.kind == "image":
            return False
        if block.frame.tag in TITLE_TAGS or (self.has_box_titles and is_box_title(block.frame)):
            return True
        return (block.words == 1 and names_box(block)) or is_named_title(block)

    def _take_label(self, frame: Frame | None) -> str:
        """Return the label that was read before the text in `frame`; write it if that is no text of its note."""
        if self.label is None:
            return ""
        (text, note), self.label = self.label, None
        if frame is not None and _is_in(frame, note):
            return f"{text} "
        self.lines.write([text], note)
        return ""


def _render_text(text: str) -> str:
    """Return markdown for a block of text without any mark, as `InlineRenderer` writes it."""
    if SIMPLE.fullmatch(text):
        return " ".join(text.split())
    return escape_markdown(collapse_spaces(sanitise(text))).strip()


def _is_in(frame: Frame, note: Frame) -> bool:
    """Return whether the frame is a paragraph of a note or item, or in a box of its own there."""
    parent = frame.parent
    return parent is note or (parent is not None and parent.parent is note and parent.first == frame.first)


def _find_labelled_note(text: str, block: TextBlock) -> Frame | None:
    """Return the footnote of which the text is only the label, in an element of its own before the note's text."""
    frame = block.frame
    if not NOTE_LABEL.fullmatch(text):
        return None
    if frame.element.get("role") in NOTE_ROLES:
        return frame
    if not block.links or frame.tag not in LABEL_TAGS:  # the label leads back to the mark in the text
        return None
    return frame.parent if frame.tag == "td" else frame
