"""Word 97 to 2003 files ([MS-DOC]): the streams of the compound file, the file information block and what it names."""

from enum import IntEnum
from io import BytesIO
from typing import Any

from assay.documents.document import ENCRYPTED, NAMES, RetryWithParser
from assay.documents.little_endian import read_number
from assay.documents.ole_properties import DAMAGE, read_ole_properties, read_stream
from assay.errors import InvalidInput, UpstreamFailed

NAME = NAMES["doc"]
SIGNATURE = 0xA5EC
OLDEST = 0xC0  # the version of the format that Word 97 began with
ENCRYPTED_FLAG, SECOND_TABLE_FLAG = 0x0100, 0x0200
STORIES = 0x4C  # where the lengths of the stories stand in the file information block
PARTS = 0x9A  # where the offsets and sizes of the other parts stand


class Word97Part(IntEnum):
    """The places of parts in FibRgFcLcb97 (2.5.6)."""

    STYLES = 1
    FOOTNOTE_MARKS = 2
    FOOTNOTE_TEXTS = 3
    COMMENT_MARKS = 4
    COMMENT_TEXTS = 5
    RUN_PAGES = 12
    PARAGRAPH_PAGES = 13
    FONTS = 15
    PIECES = 33
    COMMENT_AUTHORS = 36
    COMMENT_BOOKMARKS = 37
    ANCHORS = 40
    COMMENT_BEGINS = 42
    COMMENT_ENDS = 43
    ENDNOTE_MARKS = 46
    ENDNOTE_TEXTS = 47
    DRAWINGS = 50
    BOXES = 56
    LISTS = 73
    LIST_OVERRIDES = 74


class Story(IntEnum):
    """The stories that follow each other in the text (2.4.1), by the places of their lengths in FibRgLw97 (2.5.4)."""

    MAIN = 0
    FOOTNOTES = 1
    HEADERS = 2
    MACROS = 3
    COMMENTS = 4
    ENDNOTES = 5
    BOXES = 6


class Word97File:
    """The streams and the declared properties of a file.

    Raises InvalidInput for an encrypted file or one of an earlier Word, UpstreamFailed for a damaged one.
    """

    def __init__(self, body: bytes) -> None:
        import olefile

        try:
            with olefile.OleFileIO(BytesIO(body)) as container:
                self.main = self._read_main(container)
                flags = read_number(self.main, 0x0A, 2)
                self.table = read_stream(container, "1Table" if flags & SECOND_TABLE_FLAG else "0Table")
                self.data = read_stream(container, "Data")
                self.properties = read_ole_properties(container)
        except DAMAGE as failure:
            raise UpstreamFailed(f"The {NAME} is broken and cannot be read.") from failure

    def _read_main(self, container: Any) -> bytes:
        """The stream of the text, checked to be one that this reader understands."""
        main = read_stream(container, "WordDocument")
        if not main and container.exists("Workbook"):  # which has a Word document embedded
            raise RetryWithParser("xls")
        if not main and container.exists("PowerPoint Document"):  # likewise
            raise RetryWithParser("ppt")
        if read_number(main, 0, 2) != SIGNATURE or len(main) < PARTS:
            raise UpstreamFailed(f"The {NAME} is broken: it lacks its main part.")
        if read_number(main, 2, 2) < OLDEST:
            raise InvalidInput(f"The {NAME} is of Word 95 or earlier. Save it as .docx, and send that.")
        if read_number(main, 0x0A, 2) & ENCRYPTED_FLAG:
            raise InvalidInput(ENCRYPTED.format(NAME))
        return main

    def read_part(self, part: Word97Part, *, beyond: int = 0) -> bytes:
        """The bytes of a part in the table stream, with so many behind its declared end; none if it is missing."""
        offset, size = (read_number(self.main, PARTS + 8 * part + place, 4) for place in (0, 4))
        return self.table[offset : offset + size + beyond] if size else b""

    def find_story(self, story: Story) -> tuple[int, int]:
        """The first character of a story, and the one behind its last."""
        lengths = [read_number(self.main, STORIES + 4 * place, 4) for place in range(story + 1)]
        return sum(lengths[:-1]), sum(lengths)


def read_places(data: bytes, size: int) -> tuple[list[int], list[bytes]]:
    """The positions and the items, of `size` bytes, of a PLC (2.2.2): an item stands between each two positions."""
    count = max(0, (len(data) - 4) // (4 + size))
    ends = 4 * (count + 1)
    positions = [read_number(data, place, 4) for place in range(0, ends, 4)] if count else []
    return positions, [data[ends + size * number : ends + size * (number + 1)] for number in range(count)]
