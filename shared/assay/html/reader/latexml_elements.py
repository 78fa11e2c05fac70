"""Papers that LaTeXML converted, as arXiv shows them: marks of items, notes in the text, equations and code."""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from assay.html.parser.html_element import HtmlElement
from assay.html.reader.list_nesting import ITEM_MARK
from assay.html.reader.math_formulas import find_tex, with_number
from assay.html.reader.text_blocks import Mark

if TYPE_CHECKING:
    from assay.html.reader.block_walk import BlockWalk
else:
    from assay.html.reader.compiled_walk import BlockWalk

NOTE, NOTE_CONTENT, EQUATIONS = "ltx_note", "ltx_note_content", "ltx_eqn_table"
CODE_LINE, LINE_NUMBER = "ltx_listingline", "ltx_tag_listingline"
NUMBER_CELL, PADDING = "ltx_eqn_eqno", "ltx_eqn_center_pad"
MAX_NOTE_PARTS = 12  # elements of a note in which its content is looked for
MAX_ROWS = 200  # of a table of equations
FONTS = {"ltx_font_bold": "strong", "ltx_font_typewriter": "code"}  # italics are also those of whole theorems


LATEXML_NAMES = frozenset((ITEM_MARK, NOTE, EQUATIONS, CODE_LINE))


class LatexmlElements(BlockWalk):
    """Adds to the blocks what elements of LaTeXML stand for."""

    def _replace_latexml(self, element: HtmlElement, tag: str, names: set[str]) -> bool:
        """Replace an element whose content is not walked as it is; return whether it was one."""
        if tag == "span":
            return self._replace_span(element, names)
        if EQUATIONS in names and (tex := join_equations(element)):
            self._flush()
            self._mark(("math", tex, "display"))
            self._flush()
            return True
        if CODE_LINE in names and self.preformatted is not None and all(map(self._shows, element.iter())):
            self._line()
            self._text(read_code_line(element))
            return True
        return False

    def _replace_span(self, element: HtmlElement, names: set[str]) -> bool:
        """Replace the mark of an item, a note within a text, or a text in bold or typewriter letters."""
        if ITEM_MARK in names and self.frame.tag == "li" and not self.has_content:
            is_text = next(element.iter("math"), None) is None
            if is_text:
                self.frame.marker = "".join(element.itertext()).strip()
            return is_text
        if mark := find_font_mark(names):
            self._walk_marked(element, ("open", mark))
            return True
        note = find_note(element) if NOTE in names else None
        if note is not None:
            self._add_note(*note, is_mark="ltx_role_footnotemark" in names)
        return note is not None

    def _add_note(self, mark: str, content: HtmlElement, *, is_mark: bool) -> None:
        if is_mark:
            self._text(f"[{mark}]")
        elif not self.frame.heading:  # a note on a heading is seen only above its mark
            self._text(f" [{mark}: " if mark else " [")
            self._walk_inside(content)
            self._text("]")

    def _walk_marked(self, element: HtmlElement, opened: Mark) -> None:
        self.open_marks.append(opened)
        self.tokens.append(opened)
        self._walk_inside(element)
        self.open_marks.pop()
        self.tokens.append(("close", opened[1]))

    def _walk_inside(self, element: HtmlElement) -> None:
        if element.text:
            self._text(element.text)
        self.walk_siblings(element.first)

    def _shows(self, element: HtmlElement) -> bool:
        """Return whether the style of an element shows it, if the elements around it are shown."""
        state = self.resolver.resolve(element, self.state, element.get("class"))
        return state is not None and state.shows


def find_font_mark(names: set[str]) -> str | None:
    """Return the emphasis that the classes of LaTeXML give a text."""
    return next((mark for name, mark in FONTS.items() if name in names), None)


def find_note(note: HtmlElement) -> tuple[str, HtmlElement] | None:
    """Return the mark of a note and the element with its content."""
    for part in islice(note.iter(), MAX_NOTE_PARTS):
        if NOTE_CONTENT in (part.get("class") or "").split():
            mark = note.first
            return "".join(mark.itertext()).strip() if mark is not None and mark.tag == "sup" else "", part
    return None


def read_code_line(line: HtmlElement) -> str:
    """Return a line of a listing without its number, and without the line ends of the page's source."""
    number = line.first
    if number is None or LINE_NUMBER not in (number.get("class") or ""):
        return _join_code(line)
    return _join_code(line).removeprefix(_join_code(number))


def _join_code(element: HtmlElement) -> str:
    return "".join([text for text in element.itertext() if "\n" not in text or not text.isspace()]).strip("\n")


def join_equations(equations: HtmlElement) -> str:
    """Return the TeX of a table that has only equations and their numbers, else ""."""
    lines: list[str] = []
    for row in islice(equations.iter("tr"), MAX_ROWS):
        cells, number = [], ""
        for cell in row:
            if NUMBER_CELL in (cell.get("class") or ""):
                number = "".join(cell.itertext())
                continue
            formulas = [*_iter_formulas(cell)]
            if not all(formulas):
                return ""
            if PADDING not in (cell.get("class") or ""):
                cells.append(" ".join(formulas))
        if any(cells):
            lines.append(with_number(" & ".join(cells), number))
    if len(lines) < 2:
        return "".join(lines).replace(" & ", " ")
    return rf"\begin{{align}}{r' \\ '.join(lines)}\end{{align}}"


def _iter_formulas(cell: HtmlElement) -> Iterator[str]:
    """Yield the TeX of what is in a cell; "" for anything else than a formula."""
    if (cell.text or "").strip():
        yield ""
    for part in cell:
        yield find_tex(part).removeprefix("\\displaystyle").strip() if part.tag == "math" else ""
        if (part.tail or "").strip():
            yield ""
