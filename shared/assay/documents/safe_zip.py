"""Reading of untrusted ZIP files with limits on entries, sizes and compression ratio; nothing is written to disk."""

import zipfile
import zlib
from io import BytesIO

from assay.documents.document import ENCRYPTED
from assay.errors import InvalidInput, UpstreamFailed

ENTRIES = 20_000  # maximum number of members
PART_BYTES = 64 * 1024 * 1024
TOTAL_BYTES = 128 * 1024 * 1024
FREE_BYTES = 8 * 1024 * 1024  # below this size, the ratio is not limited
RATIO = 250  # maximum compression ratio
BROKEN = (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, UnicodeError)
END = b"PK\x05\x06"


class OfficeArchive:
    """The members of an Office file. Inflated bytes count against one total budget.

    zipfile inflates no part beyond its declared size, and its checksum then refuses a part that declares too little.

    Raises InvalidInput for a decompression bomb, UpstreamFailed for a malformed file.
    """

    def __init__(self, body: bytes, what: str) -> None:
        self.what, self.left = what, TOTAL_BYTES
        self.body = body
        self._check_entry_count()
        try:
            self._zip = zipfile.ZipFile(BytesIO(body))
        except BROKEN as failure:
            raise UpstreamFailed(f"The {what} is a broken zip file: {failure}") from failure
        self._parts = {entry.filename: entry for entry in self._zip.infolist()}
        self._check_overlaps()

    def _check_entry_count(self) -> None:
        """Refuse too many entries by the end record (APPNOTE 4.3.16), before the directory is parsed."""
        place = self.body.rfind(END, max(0, len(self.body) - 65_557))
        claimed = int.from_bytes(self.body[place + 10 : place + 12], "little") if place >= 0 else 0
        size = int.from_bytes(self.body[place + 12 : place + 16], "little") if place >= 0 else 0
        if claimed > ENTRIES or size > ENTRIES * 200:  # a Zip64 directory declares 65,535
            raise self._build_count_error()

    def _build_count_error(self) -> InvalidInput:
        return InvalidInput(
            f"The {self.what} has more than {ENTRIES:,} parts, which is refused as a decompression bomb."
        )

    def _check_overlaps(self) -> None:
        """Refuse overlapping entries, which let a small file inflate to any size."""
        if len(self._parts) > ENTRIES:
            raise self._build_count_error()
        end = 0
        for entry in sorted(self._zip.infolist(), key=lambda entry: entry.header_offset):
            if entry.header_offset < end:
                raise InvalidInput(f"The parts of the {self.what} overlap, which is refused as a decompression bomb.")
            end = entry.header_offset + 30 + entry.compress_size

    def __contains__(self, name: str) -> bool:
        return name in self._parts

    def names(self) -> list[str]:
        return list(self._parts)

    def reset_budget(self) -> None:
        """Reset the budget, after all parts were inflated only to measure them."""
        self.left = TOTAL_BYTES

    def read(self, name: str) -> bytes:
        """Return the part `name`, b"" if missing.

        Raises InvalidInput for an encrypted part or a decompression bomb, UpstreamFailed for a damaged one.
        """
        entry = self._parts.get(name)
        if entry is None:
            return b""
        if entry.flag_bits & 1:
            raise InvalidInput(ENCRYPTED.format(self.what))
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise UpstreamFailed(f"The {self.what} uses an unsupported compression method.")
        size = entry.file_size
        if size > min(PART_BYTES, self.left) or (size > FREE_BYTES and size > entry.compress_size * RATIO):
            raise InvalidInput(
                f"A part of the {self.what} inflates to {size:,} bytes, which is refused as a decompression bomb."
            )
        try:
            with self._zip.open(entry) as part:
                content = part.read(size)  # without a limit, zipfile would inflate all of it before it cuts it
        except (*BROKEN, zlib.error, EOFError) as failure:
            raise UpstreamFailed(f"The {self.what} is damaged: a part of it cannot be inflated.") from failure
        if len(content) < size:
            raise UpstreamFailed(f"The {self.what} is cut short: a part of it ends too early.")
        self.left -= size
        return content
