"""Paragraphs of Word files, by their styles and lists, as blocks of markdown."""

from dataclasses import dataclass

from assay.documents.docx_blocks import Blocks
from assay.documents.docx_numbering import BLANK, ListPlace, Numbering
from assay.documents.paragraph_markdown import format_paragraph


def add_carried(blocks: Blocks, carried: list[str]) -> None:
    """Add the texts of paragraphs that run on in the next one, where there is none, and forget them."""
    if carried:
        blocks.add(format_paragraph("".join(carried)))
        carried.clear()


@dataclass(frozen=True)
class WordParagraph:
    """What the properties of a paragraph make of its text."""

    level: int = 0  # of its heading; 0 for none
    place: ListPlace | None = None
    list_depth: int = 0  # by the name of its style
    is_code: bool = False  # by its style
    is_typed: bool = False  # whether all of it is in a monospaced font
    is_quote: bool = False

    def add_to(self, blocks: Blocks, text: str, numbering: Numbering) -> None:
        """Add the paragraph with this marked text."""
        is_plain = not self.level and not self.place
        if is_plain and (self.is_code or self.is_typed):
            blocks.add_code(text, by_font=not self.is_code)
        elif is_plain and self.is_quote:
            blocks.add_quote(format_paragraph(text))
        else:
            self._add_text(blocks, text, numbering)

    def _add_text(self, blocks: Blocks, text: str, numbering: Numbering) -> None:
        depth = (self.place[1] or 0) if self.place else 0
        label = numbering.next_label(self.place[0], depth) if self.place else ""  # empty items are counted as well
        written = "" if self.level else format_paragraph(text)
        if not (text.strip() if self.level else written):
            blocks.add("")
        elif self.level:
            blocks.add_heading(f"{label + ' ' if label not in {'', '-', BLANK} else ''}{text}", self.level)
        elif label == BLANK:
            blocks.continue_item(written, max(depth, self.list_depth))
        elif label:
            blocks.add_item(written, label, max(depth, self.list_depth))
        else:
            blocks.add(written)
