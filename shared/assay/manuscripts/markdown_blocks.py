"""Reads Markdown and plain text into blocks: headings, paragraphs, block quotations and notes; code is left out."""

import re
from collections.abc import Iterator, Sequence

from assay.manuscripts.manuscript_draft import Block, BlockKind
from assay.manuscripts.markdown_inline import InlineReader
from assay.manuscripts.reference_section import CHAPTER_END

FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
HEADING = re.compile(r" {0,3}(#{1,6})[ \t]++(.{0,500}?)(?:(?<![ \t])[ \t]++#*+)?(?:\{[^{}]{0,100}\})?$")
UNDERLINE = re.compile(r" {0,3}(?:={3,}|-{3,})[ \t]*$")
QUOTE = re.compile(r" {0,3}>[ ]?")
NOTE = re.compile(r" {0,3}\[\^([^\]\s]{1,100})\]:[ \t]*(.*)")
DEFINITION = re.compile(r" {0,3}\[([^\]^\n][^\]\n]{0,200})\]:[ \t]*<?(https?://[^\s>]{1,2000})>?")
ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,4}[.)])[ \t]+(?=\S)")
RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
TABLE = re.compile(r"[ \t]*\|")
INDENTED = re.compile(r"(?: {4}|\t)")
DIV = re.compile(r" {0,3}:{3,}")


class BlockReader:
    """Reads lines into blocks. `is_plain`: the text has no Markdown, so that its marks are printed characters.

    `fields` are the places of the references that each citation field of a word processor cites.
    """

    def __init__(self, text: str, *, is_plain: bool = False, fields: Sequence[tuple[int, ...]] = ()) -> None:
        self._lines = text.split("\n")
        self._is_plain = is_plain
        self.inline = InlineReader(_read_definitions(self._lines), is_plain=is_plain, fields=fields)
        self._open: list[str] = []
        self._kind: BlockKind = "paragraph"
        self._label = ""
        self._chapter = 0

    def read_blocks(self) -> Iterator[Block]:
        """Yield the blocks in order; notes stand where they are defined."""
        fence = ""
        for line in self._lines:
            if line == CHAPTER_END:
                yield from self._close()
                self._chapter += 1
                fence = ""
                continue
            mark = FENCE.match(line)
            if fence:
                fence = "" if mark and mark[1].startswith(fence) else fence
                continue
            if mark:
                yield from self._close()
                fence = mark[1]
                continue
            yield from self._read_line(line)
        yield from self._close()

    def _read_line(self, line: str) -> Iterator[Block]:
        if not line.strip() or RULE.match(line) or DEFINITION.match(line) or DIV.match(line):
            if UNDERLINE.match(line) and self._kind == "paragraph" and len(self._open) == 1:
                self._kind = "heading"
            yield from self._close()
        elif UNDERLINE.match(line) and self._kind == "paragraph" and len(self._open) == 1:
            self._kind = "heading"
            yield from self._close()
        elif heading := HEADING.match(line):
            yield from self._close()
            self._kind, self._open = "heading", [heading[2]]
            yield from self._close()
        elif note := NOTE.match(line):
            yield from self._close()
            self._kind, self._label, self._open = "note", note[1], [note[2]]
        elif quote := QUOTE.match(line):
            if self._kind != "quote":
                yield from self._close()
            self._kind = "quote"
            self._open.append(line[quote.end() :])
        else:
            yield from self._read_text(line)

    def _read_text(self, line: str) -> Iterator[Block]:
        item = ITEM.match(line)
        if (item or TABLE.match(line)) and self._kind != "note":
            yield from self._close()
        if not self._is_plain and not self._open and not item and INDENTED.match(line):
            return  # a code block
        self._open.append(line[item.end() :] if item else line)

    def _close(self) -> Iterator[Block]:
        text = " ".join(" ".join(self._open).split())
        kind, label = self._kind, self._label
        self._open, self._kind, self._label = [], "paragraph", ""
        if text:
            block = self.inline.read(kind, text, label)
            block.chapter = self._chapter
            yield block


def _read_definitions(lines: list[str]) -> dict[str, str]:
    """Return the addresses of link definitions such as `[otters]: https://…` by name."""
    found = (DEFINITION.match(line) for line in lines if line.lstrip().startswith("["))
    return {each[1].casefold(): each[2] for each in found if each}
