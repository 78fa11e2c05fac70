"""The text of Word 97 files by its table of pieces ([MS-DOC] 2.4.1), and the runs of properties on its characters."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from assay.documents.document import TEXT_CHARS
from assay.documents.little_endian import read_number
from assay.documents.word97_file import Word97File, Word97Part, read_places
from assay.documents.word97_sprms import strip_padding

PAGE = 512  # bytes of a page of formatted properties (FKP, 2.9.87 and 2.9.175)
PROPERTIES, PIECES = 1, 2  # what a part of the piece table is about
COMPRESSED = 1 << 30
ASTRAL = re.compile("[\U00010000-\U0010ffff]")
PRM_CODES = {  # of the changes that a piece itself stores (2.9.214), those that are read
    0x0C: 0x260A, 0x18: 0x2416, 0x19: 0x2417, 0x41: 0x0800, 0x4D: 0x2A0C, 0x55: 0x0835, 0x56: 0x0836, 0x5C: 0x083C,
    0x62: 0x2A42, 0x68: 0x2A48, 0x75: 0x0855, 0x78: 0x2640,
}  # fmt: skip


class TextPiece(NamedTuple):
    """Consecutive characters: their places in the text, the offset of the first byte, and the bytes of each."""

    start: int
    end: int
    offset: int
    width: int
    changes: bytes  # properties that the piece changes


class PropertyRun(NamedTuple):
    """The properties of consecutive bytes of the stream, or of consecutive characters of the text."""

    start: int
    end: int
    properties: bytes


class Word97Text:
    """The characters of all stories, one for each UTF-16 unit, so that positions of the file are places in `text`."""

    def __init__(self, file: Word97File) -> None:
        self.is_cut = False
        self._pieces = list(self._list_pieces(file))
        self.text = "".join([_decode(file.main, piece) for piece in self._pieces])
        self.runs = self._place(_list_runs(file, Word97Part.RUN_PAGES))
        self.paragraphs = self._place(_list_runs(file, Word97Part.PARAGRAPH_PAGES))
        self._run_ends = [run.end for run in self.runs]
        self._paragraph_ends = [run.end for run in self.paragraphs]

    def _list_pieces(self, file: Word97File) -> Iterator[TextPiece]:
        """The pieces in their order. Together they have at most as many characters as the stream has bytes."""
        positions, descriptors, changes = _read_piece_table(file.read_part(Word97Part.PIECES))
        place, most = 0, min(len(file.main), 2 * TEXT_CHARS)
        for number, descriptor in enumerate(descriptors):
            length = positions[number + 1] - positions[number]
            where = read_number(descriptor, 2, 4)
            is_compressed = where & COMPRESSED
            offset = (where & (COMPRESSED - 1)) // (2 if is_compressed else 1)
            width = 1 if is_compressed else 2
            length = min(length, max(0, (len(file.main) - offset) // width))
            if length <= 0:
                continue
            self.is_cut = self.is_cut or place + length > most
            end = min(place + length, most)
            if end > place:
                yield TextPiece(place, end, offset, width, _find_changes(read_number(descriptor, 6, 2), changes))
            place = end

    def _place(self, runs: list[PropertyRun]) -> list[PropertyRun]:
        """The runs of bytes as runs of characters; characters without one have none of its properties."""
        starts = [run.start for run in runs]
        placed: list[PropertyRun] = []
        for piece in self._pieces:
            here, stop = piece.offset, piece.offset + (piece.end - piece.start) * piece.width
            for number in range(max(0, bisect_right(starts, here) - 1), len(runs)):
                run = runs[number]
                if run.start >= stop:
                    break
                begin, end = max(run.start, here), min(run.end, stop)
                if end > begin:
                    placed += _convert(piece, [(here, begin, b""), (begin, end, run.properties)])
                    here = end
            placed += _convert(piece, [(here, stop, b"")])
        return placed

    def iter_runs(self, start: int, end: int) -> Iterator[PropertyRun]:
        """The runs of characters between two places, cut there."""
        for number in range(bisect_right(self._run_ends, start), len(self.runs)):
            run = self.runs[number]
            if run.start >= end:
                break
            yield PropertyRun(max(run.start, start), min(run.end, end), run.properties)

    def find_paragraph(self, place: int) -> PropertyRun:
        """The run of properties of a paragraph that the character at a place is in."""
        number = bisect_right(self._paragraph_ends, place)
        return self.paragraphs[number] if number < len(self.paragraphs) else PropertyRun(place, place + 1, b"")


def _convert(piece: TextPiece, runs: list[tuple[int, int, bytes]]) -> list[PropertyRun]:
    """Runs of bytes of a piece as runs of characters, with what the piece changes."""
    first, width = piece.start, piece.width
    placed = (
        PropertyRun(first + (begin - piece.offset) // width, first + (end - piece.offset) // width, properties)
        for begin, end, properties in runs
    )
    return [run._replace(properties=run.properties + piece.changes) for run in placed if run.end > run.start]


def _read_piece_table(table: bytes) -> tuple[list[int], list[bytes], list[bytes]]:
    """The positions and descriptors of the pieces (2.8.35), and the changes that they refer to."""
    changes, place = [], 0
    while place < len(table) and table[place] == PROPERTIES:
        size = read_number(table, place + 1, 2)
        changes.append(table[place + 3 : place + 3 + size])
        place += 3 + size
    if read_number(table, place, 1) != PIECES:
        return [], [], []
    size = read_number(table, place + 1, 4)
    return *read_places(table[place + 5 : place + 5 + size], 8), changes


def _find_changes(value: int, changes: list[bytes]) -> bytes:
    """The properties that a piece changes: a number of some, or one with its value (2.9.213, 2.9.214)."""
    if value & 1:
        return changes[value >> 1] if value >> 1 < len(changes) else b""
    code = PRM_CODES.get(value >> 1 & 0x7F)
    return b"" if code is None else code.to_bytes(2, "little") + bytes([value >> 8])


def _decode(stream: bytes, piece: TextPiece) -> str:
    raw = stream[piece.offset : piece.offset + (piece.end - piece.start) * piece.width]
    if piece.width == 1:
        return raw.decode("cp1252", "replace")
    return ASTRAL.sub(_split_astral, raw.decode("utf-16-le", "surrogatepass"))


def _split_astral(found: re.Match[str]) -> str:
    code = ord(found[0]) - 0x10000
    return chr(0xD800 + (code >> 10)) + chr(0xDC00 + (code & 0x3FF))


def _list_runs(file: Word97File, part: Word97Part) -> list[PropertyRun]:
    """The runs of bytes by the pages of properties, without those that overlap an earlier one."""
    _, numbers = read_places(file.read_part(part), 4)
    pages = dict.fromkeys(read_number(number, 0, 4) & 0x3FFFFF for number in numbers)
    read = _read_paragraph_page if part == Word97Part.PARAGRAPH_PAGES else _read_run_page
    found = sorted(run for number in pages for run in read(file.main[number * PAGE : (number + 1) * PAGE]))
    runs: list[PropertyRun] = []
    for run in found:
        if run.end > run.start >= (runs[-1].end if runs else 0):
            runs.append(run)
    return runs


def _read_run_page(page: bytes) -> Iterator[PropertyRun]:
    """The runs of a page of character properties."""
    count = page[-1] if len(page) == PAGE else 0
    for number in range(count):
        place = 2 * read_number(page, 4 * (count + 1) + number, 1)
        properties = page[place + 1 : place + 1 + page[place]] if place else b""
        yield PropertyRun(read_number(page, 4 * number, 4), read_number(page, 4 * number + 4, 4), properties)


def _read_paragraph_page(page: bytes) -> Iterator[PropertyRun]:
    """The runs of a page of paragraph properties, which begin with the number of the style."""
    count = page[-1] if len(page) == PAGE else 0
    for number in range(count):
        place = 2 * read_number(page, 4 * (count + 1) + 13 * number, 1)
        size = 2 * read_number(page, place, 1) - 1
        if size < 0:
            place += 1
            size = 2 * read_number(page, place, 1)
        style, changes = page[place + 1 : place + 3], page[place + 3 : place + 1 + size]
        properties = style + strip_padding(changes) if place > 1 else b""
        yield PropertyRun(read_number(page, 4 * number, 4), read_number(page, 4 * number + 4, 4), properties)
