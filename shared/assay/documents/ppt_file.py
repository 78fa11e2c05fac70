"""PowerPoint 97 to 2003 files ([MS-PPT]): the newest version of each part, and the order of the slides.

A file that was saved quickly has its old parts too: a directory of each version says where its parts are (2.1.2).
"""

from io import BytesIO
from typing import NamedTuple

from assay.documents.document import ENCRYPTED, NAMES, RetryWithParser
from assay.documents.little_endian import read_number
from assay.documents.office_drawings import HEADER, DrawingRecord, iter_records
from assay.documents.ole_properties import DAMAGE, read_ole_properties, read_stream
from assay.errors import InvalidInput, UpstreamFailed

NAME = NAMES["ppt"]
STREAM, USER = "PowerPoint Document", "Current User"
DUAL = "PP97_DUALSTORAGE/"  # where files for PowerPoint 95 too have the later version
ENCRYPTED_TOKEN = 0xF3D1C4DF
EDIT, DIRECTORY, DOCUMENT, LIST, LISTED = 0x0FF5, 0x1772, 0x03E8, 0x0FF0, 0x03F3  # kinds of records
ENCRYPTED_EDIT = 32  # bytes of the version of an encrypted file
SLIDES, MASTERS, NOTES = range(3)  # numbers of the lists


class Listed(NamedTuple):
    """An entry of a list: the number of the part, that of the slide, and where the texts of its outline are."""

    part: int
    number: int
    start: int
    end: int


class PptFile:
    """The records of the presentation and the declared properties of a file.

    Raises InvalidInput for an encrypted file, UpstreamFailed for a damaged one.
    """

    def __init__(self, body: bytes) -> None:
        import olefile

        try:
            with olefile.OleFileIO(BytesIO(body)) as container:
                folder = DUAL if container.exists(DUAL + STREAM) else ""
                self.data = read_stream(container, folder + STREAM)
                user = read_stream(container, folder + USER)
                self.properties = read_ole_properties(container)
                if not self.data and container.exists("Workbook"):  # which has a presentation embedded
                    raise RetryWithParser("xls")
        except DAMAGE as failure:
            raise UpstreamFailed(f"The {NAME} is broken and cannot be read.") from failure
        if read_number(user, 12, 4) == ENCRYPTED_TOKEN:
            raise InvalidInput(ENCRYPTED.format(NAME))
        self._places: dict[int, int] = {}  # of the parts by number
        document = self._read_versions(read_number(user, 16, 4))
        found = self.find_part(document)
        if found is None or found.kind != DOCUMENT:
            raise UpstreamFailed(f"The {NAME} is broken: it lacks its main part.")
        self.document = found

    def _read_versions(self, place: int) -> int:
        """Note where the parts are, the newest version first, and return the number of the main one."""
        main, seen = 0, set[int]()
        left = len(self.data) // 4  # entries, so that directories that overlap end in time
        record = self._read_record(place)
        if record is None or record.kind != EDIT:
            record = self._find_last_edit()
        while record is not None and record.kind == EDIT and record.start not in seen and left > 0:
            seen.add(record.start)
            if record.end - record.start >= ENCRYPTED_EDIT:
                raise InvalidInput(ENCRYPTED.format(NAME))
            main = main or read_number(self.data, record.start + 16, 4)
            left -= self._read_directory(read_number(self.data, record.start + 12, 4), left)
            record = self._read_record(read_number(self.data, record.start + 8, 4))
        return main

    def _find_last_edit(self) -> DrawingRecord | None:
        edits = [record for record in iter_records(self.data, 0, len(self.data)) if record.kind == EDIT]
        return edits[-1] if edits else None

    def _read_directory(self, place: int, most: int) -> int:
        """Read the places of the parts that changed in one version, and return how many they are."""
        record, count = self._read_record(place), 0
        if record is None or record.kind != DIRECTORY:
            return 1
        start = record.start
        while start + 8 <= record.end and count < most:
            head = read_number(self.data, start, 4)
            size = min(head >> 20, (record.end - start - 4) // 4)
            for number in range(size):
                self._places.setdefault((head & 0xFFFFF) + number, read_number(self.data, start + 4 + 4 * number, 4))
            start += 4 + 4 * size
            count += size + 1
        return count

    def _read_record(self, place: int) -> DrawingRecord | None:
        is_inside = 0 <= place <= len(self.data) - HEADER.size
        return next(iter_records(self.data, place, len(self.data)), None) if is_inside else None

    def find_part(self, number: int) -> DrawingRecord | None:
        """The newest version of a part; None if it is missing."""
        return self._read_record(self._places.get(number, -1))

    def read_list(self, number: int) -> list[Listed]:
        """The slides, the masters or the notes in their order."""
        found: list[Listed] = []
        for outer in iter_records(self.data, self.document.start, self.document.end):
            if outer.kind != LIST or outer.number != number:
                continue
            for record in iter_records(self.data, outer.start, outer.end):
                if record.kind == LISTED:
                    part, slide = (read_number(self.data, record.start + place, 4) for place in (0, 12))
                    found.append(Listed(part, slide, record.end, record.end))
                elif found:
                    found[-1] = found[-1]._replace(end=record.end)
        return found
