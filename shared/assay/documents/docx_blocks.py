"""Markdown blocks of a Word file: paragraphs, list items with their indents, quotes and code."""

import re
from dataclasses import dataclass, field

from assay.documents.ooxml import find_child
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
TICKS = re.compile(r"`{3,}")
MAX_CODE_SHARE = 0.5  # of the text; a document that is all monospaced was typed on a typewriter


@dataclass
class Blocks:
    """Markdown blocks in document order; consecutive list items, and consecutive lines of code, form one block.

    Cells and notes have no blocks of their own: `is_flat` leaves out fences, quote marks and signs of headings.
    """

    is_flat: bool = False
    lines: list[list[str]] = field(default_factory=list)  # one list of lines per block
    kinds: list[str] = field(default_factory=list)  # of each block: text, list, code or typed (code by its font)
    columns: list[int] = field(default_factory=list)  # of the open list items: where their text begins
    empty: int = 0  # empty paragraphs since the last block

    def add(self, text: str, kind: str = "text") -> None:
        if not text.strip():
            self.empty += 1
            return
        if kind != "text" and self.kinds and self.kinds[-1] == kind:
            self.lines[-1] += [""] * (self.empty if kind != "list" else 0) + [text]
        else:
            self.lines.append([text])
            self.kinds.append(kind)
            self.columns = self.columns if kind == "list" else []
        self.empty = 0

    def add_heading(self, text: str, level: int) -> None:
        """Add a heading, or its text alone where Markdown has no headings: in cells and notes."""
        self.add(text if self.is_flat else f"{'#' * min(level, 6)} {text}")

    def add_item(self, text: str, label: str, depth: int) -> None:
        """Add a list item, indented below the text of the item around it."""
        if MARKER.fullmatch(label) is None:  # "iv)" or "1.1", which begins no item in markdown
            label, text = "-", f"{label} {text}"
        is_first = not self.kinds or self.kinds[-1] != "list"
        outer = [] if is_first else self.columns[:depth]
        indent = max(INDENT * depth, outer[-1]) if len(outer) == depth and outer else INDENT * depth
        if outer and len(self.columns) <= depth and label not in ("-", "1.", "1)"):
            self.lines[-1].append("")  # only a list that begins with 1 can follow text directly (CommonMark 5.3)
        self.columns = [*outer, *[indent] * (depth - len(outer)), indent + len(label) + 1]
        self.add(f"{' ' * indent}{label} {text}", "list")

    def continue_item(self, text: str) -> None:
        """Add a further paragraph of the last list item."""
        if not self.columns:
            self.add(text)
            return
        self.lines[-1] += ["", " " * self.columns[-1] + text]

    def add_quote(self, text: str) -> None:
        self.add(text if self.is_flat else "> " + text.replace("\n", "\n> "))

    def add_code(self, text: str, *, by_font: bool) -> None:
        self.add(text, "text" if self.is_flat else "typed" if by_font else "code")

    def join(self, between: str) -> str:
        letters = dict.fromkeys(self.kinds, 0)
        for kind, lines in zip(self.kinds, self.lines, strict=True):
            letters[kind] += sum(map(len, lines))
        fenced = {"code"} | ({"typed"} if letters.get("typed", 0) <= MAX_CODE_SHARE * sum(letters.values()) else set())
        return between.join(
            _fence(lines)
            if kind in fenced
            else (between if kind == "typed" else "\n").join(line for line in lines if line or kind == "list")
            for kind, lines in zip(self.kinds, self.lines, strict=True)
        )


def _fence(lines: list[str]) -> str:
    text = "\n".join(lines)
    fence = "`" * (max((len(run) for run in TICKS.findall(text)), default=2) + 1)
    return f"{fence}\n{text}\n{fence}"


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
