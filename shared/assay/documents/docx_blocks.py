"""Markdown blocks of an office file: paragraphs, list items with their indents, quotes and code."""

import re
from dataclasses import dataclass, field
from itertools import pairwise

from assay.documents.ooxml import find_child
from assay.documents.paragraph_markdown import format_heading_text, format_paragraph, read_plain
from assay.html.reader.markdown_escapes import escape_line_start
from assay.html.reader.typed_lists import FIRST_SIGNS, are_items, format_item, format_lines
from assay.text.code_fence import fence_code
from assay.text.safe_xml import Element, get_attribute, local_name

INDENT = 3  # columns per list level, unless the label of the outer item is longer
CODE_STYLE = re.compile(
    r"source ?code|code(?: ?block| ?snippet| ?listing)?|html preformatted|preformatted(?: text)?|verbatim|macro text",
    re.IGNORECASE,
)
QUOTE_STYLE = re.compile(r"(?:intense ?)?quote|quotations?|block ?text|block ?quote", re.IGNORECASE)
LIST_STYLE = re.compile(r"list (?:bullet|number) ([2-5])", re.IGNORECASE)
MONOSPACED = re.compile(
    r"courier|consolas|menlo|monaco|lucida console|\bmono\b|source code|fira code|cascadia|inconsolata|andale",
    re.IGNORECASE,
)
MARKER = re.compile(r"[-*+]|\d{1,9}[.)]")
MAX_CODE_SHARE = 0.5  # of the text; a document that is all monospaced was typed on a typewriter


MERGED = frozenset(("list", "code", "typed"))  # kinds of which consecutive lines form one block


@dataclass
class Blocks:
    """Markdown blocks in document order; consecutive list items, and consecutive lines of code, form one block.

    Cells and notes have no blocks of their own: `is_flat` leaves out fences, quote marks and signs of headings.
    """

    is_flat: bool = False
    lines: list[list[str]] = field(default_factory=list)  # one list of lines per block; those of code are marked text
    kinds: list[str] = field(default_factory=list)  # of each block: text, block, list, code or typed (code by its font)
    columns: list[int] = field(default_factory=list)  # of the open list items: where their text begins
    empty: int = 0  # empty paragraphs since the last block

    def add(self, text: str) -> None:
        """Add a paragraph as inline markdown, which may be empty."""
        self._add(text, "text")

    def add_block(self, markdown: str) -> None:
        """Add markdown that begins as it should, such as a table."""
        self._add(markdown, "block")

    def _add(self, text: str, kind: str) -> None:
        if not text.strip():
            self.empty += 1
            return
        if kind in MERGED and self.kinds and self.kinds[-1] == kind:
            self.lines[-1] += [""] * (self.empty if kind != "list" else 0) + [text]
        else:
            self.lines.append([text])
            self.kinds.append(kind)
            self.columns = self.columns if kind == "list" else []
        self.empty = 0

    def add_heading(self, marked: str, level: int) -> None:
        """Add a heading, or its text alone where Markdown has no headings: in cells and notes."""
        text = format_heading_text(marked)
        if self.is_flat or not text:
            self.add(text)
        else:
            self.add_block(f"{'#' * min(level, 6)} {text}")

    def add_item(self, text: str, label: str, depth: int) -> None:
        """Add a list item as inline markdown, indented below the text of the item around it."""
        if MARKER.fullmatch(label) is None:  # "iv)" or "1.1", which begins no item in markdown
            label, text = "-", f"{format_paragraph(label)} {text}"
        is_first = not self.kinds or self.kinds[-1] != "list"
        outer = [] if is_first else self.columns[:depth]
        indent = max(INDENT * depth, outer[-1]) if len(outer) == depth and outer else INDENT * depth
        if outer and len(self.columns) <= depth and label not in ("-", "1.", "1)"):
            self.lines[-1].append("")  # only a list that begins with 1 can follow text directly (CommonMark 5.3)
        self.columns = [*outer, *[indent] * (depth - len(outer)), indent + len(label) + 1]
        self._add(f"{' ' * indent}{label} {self._begin(text.replace('\n', ' '))}", "list")

    def continue_item(self, text: str, depth: int = -1) -> None:
        """Add a further paragraph of the last list item, or of the one around it at a depth."""
        if not self.columns:
            self.add(text)
            return
        if depth >= 0:
            self.columns = self.columns[: depth + 1]
        self.lines[-1] += ["", " " * self.columns[-1] + self._begin(text.replace("\n", " "))]

    def add_quote(self, text: str) -> None:
        if self.is_flat or not text:
            self.add(text)
        else:
            self.add_block("> " + escape_line_start(text).replace("\n", "\n> "))

    def add_code(self, marked: str, *, by_font: bool) -> None:
        if self.is_flat:
            self.add(format_paragraph(marked))
        else:
            self._add(marked.rstrip(), "typed" if by_font else "code")

    def _begin(self, text: str) -> str:
        return text if self.is_flat else escape_line_start(text)

    def join(self, between: str) -> str:
        letters = dict.fromkeys(self.kinds, 0)
        for kind, lines in zip(self.kinds, self.lines, strict=True):
            letters[kind] += sum(map(len, lines))
        if letters.get("typed", 0) > MAX_CODE_SHARE * sum(letters.values()):
            self._read_typed_as_text()
        items = set() if self.is_flat else self._find_items()
        return between.join(
            self._format(kind, lines, is_item=place in items)
            for place, (kind, lines) in enumerate(zip(self.kinds, self.lines, strict=True))
        )

    def _read_typed_as_text(self) -> None:
        blocks = list(zip(self.kinds, self.lines, strict=True))
        self.kinds, self.lines = [], []
        for kind, lines in blocks:
            found = [[text] for line in lines if (text := format_paragraph(line))] if kind == "typed" else [lines]
            self.kinds += ["text" if kind == "typed" else kind] * len(found)
            self.lines += found

    def _find_items(self) -> set[int]:
        """The places of paragraphs in a row whose bullets or numbers are typed."""
        found: set[int] = set()
        texts = zip(self.kinds, self.lines, strict=True)
        starts = [lines[0].removeprefix("\\") if kind == "text" else "" for kind, lines in texts]
        for place, (one, other) in enumerate(pairwise(starts)):
            if one[:1] in FIRST_SIGNS and other[:1] in FIRST_SIGNS and are_items(one, other):
                found |= {place, place + 1}
        return found

    def _format(self, kind: str, lines: list[str], *, is_item: bool) -> str:
        if kind in ("code", "typed"):
            return fence_code("\n".join(read_plain(line) for line in lines))
        if kind != "text" or self.is_flat:
            return "\n".join(line for line in lines if line or kind == "list")
        if is_item and (item := format_item(lines[0])):
            return item.replace("\n", "\n  ")
        text = escape_line_start(lines[0])
        return "\n".join(format_lines(text.split("\n"))) if "\n" in text else text


def is_monospaced(paragraph: Element) -> bool:
    """Return whether all text of a paragraph is in a monospaced font by the formatting of its runs."""
    runs = [run for run in paragraph if local_name(run) == "r" and find_child(run, "t") is not None]
    return bool(runs) and all(has_monospaced_font(find_child(run, "rPr")) for run in runs)


def has_monospaced_font(properties: Element) -> bool:
    """Return whether run properties, which may be None, name a monospaced font."""
    fonts = None if properties is None else find_child(properties, "rFonts")
    return fonts is not None and MONOSPACED.search(get_attribute(fonts, "ascii")) is not None


def find_style_depth(name: str) -> int:
    """Return the list level that the name of a built-in style such as List Bullet 2 stands for; 0 for others."""
    match = LIST_STYLE.fullmatch(name)
    return int(match[1]) - 1 if match else 0
