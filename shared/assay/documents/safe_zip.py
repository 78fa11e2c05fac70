"""Zip files from strangers: counted entries, counted bytes while inflating, nothing written to disk."""

import zipfile
import zlib
from io import BytesIO

from assay.errors import InvalidInput, UpstreamFailed

ENTRIES = 20_000
PART_BYTES = 64 * 1024 * 1024
TOTAL_BYTES = 128 * 1024 * 1024
FREE_BYTES = 8 * 1024 * 1024  # small enough for any ratio
RATIO = 250
PIECE = 1 << 18
END, END_BYTES = b"PK\x05\x06", 22
STORED, DEFLATED = 0, 8


class OfficeArchive:
    """The parts of an Office file. Every read counts against one budget, however the sizes were declared."""

    def __init__(self, body: bytes, what: str) -> None:
        self.what, self.left = what, TOTAL_BYTES
        self.body = body
        self._count()
        try:
            self._zip = zipfile.ZipFile(BytesIO(body))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, UnicodeError) as wrong:
            raise UpstreamFailed(f"The {what} is a broken zip file: {wrong}") from wrong
        self._parts = {entry.filename: entry for entry in self._zip.infolist()}
        self._no_overlaps()

    def _count(self) -> None:
        """Refuse by the number of entries before the directory is read."""
        place = self.body.rfind(END, max(0, len(self.body) - 65_557))
        claimed = int.from_bytes(self.body[place + 10 : place + 12], "little") if place >= 0 else 0
        size = int.from_bytes(self.body[place + 12 : place + 16], "little") if place >= 0 else 0
        if claimed > ENTRIES or size > ENTRIES * 200:  # 65,535 is what a Zip64 directory claims
            raise InvalidInput(f"The {self.what} has more than {ENTRIES:,} parts, which is refused as a bomb.")

    def _no_overlaps(self) -> None:
        """Entries that share bytes make a small file inflate to anything."""
        if len(self._parts) > ENTRIES:
            raise InvalidInput(f"The {self.what} has more than {ENTRIES:,} parts, which is refused as a bomb.")
        end = 0
        for entry in sorted(self._zip.infolist(), key=lambda entry: entry.header_offset):
            if entry.header_offset < end:
                raise InvalidInput(f"The parts of the {self.what} overlap, which is refused as a bomb.")
            end = entry.header_offset + 30 + entry.compress_size

    def __contains__(self, name: str) -> bool:
        return name in self._parts

    def names(self) -> list[str]:
        return list(self._parts)

    def renew(self) -> None:
        """Give back what was read so far: all parts were inflated only to be counted."""
        self.left = TOTAL_BYTES

    def read(self, name: str) -> bytes:
        """The part `name`, "" where there is none. InvalidInput when it inflates beyond reason."""
        entry = self._parts.get(name)
        if entry is None:
            return b""
        if entry.flag_bits & 1:
            raise InvalidInput(f"The {self.what} is encrypted: a password is needed to read it.")
        raw = self._raw(entry)
        if entry.compress_type == STORED:
            return self._charge(raw, len(raw))
        if entry.compress_type != DEFLATED:
            raise UpstreamFailed(f"The {self.what} is compressed in a way Office files are not.")
        return self._inflate(raw)

    def _raw(self, entry: zipfile.ZipInfo) -> bytes:
        """The compressed bytes, found by the local header, whose name and extra field have their own lengths."""
        head = self.body[entry.header_offset : entry.header_offset + 30]
        if len(head) < 30 or not head.startswith(b"PK\x03\x04"):
            raise UpstreamFailed(f"The {self.what} is a broken zip file: a part is not where it should be.")
        start = entry.header_offset + 30 + int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little")
        return self.body[start : start + entry.compress_size]

    def _inflate(self, raw: bytes) -> bytes:
        engine, pieces, size = zlib.decompressobj(-15), [], 0
        try:
            piece = engine.decompress(raw, PIECE)
            while piece:
                pieces.append(piece)
                size += len(piece)
                self._check(size, len(raw))
                piece = engine.decompress(engine.unconsumed_tail, PIECE)
        except zlib.error as wrong:
            raise UpstreamFailed(f"The {self.what} is damaged: a part of it cannot be inflated ({wrong}).") from wrong
        if not engine.eof:
            raise UpstreamFailed(f"The {self.what} is cut short: a part of it ends too early.")
        return self._charge(b"".join(pieces), len(raw))

    def _check(self, size: int, packed: int) -> None:
        if size > min(PART_BYTES, self.left) or (size > FREE_BYTES and size > packed * RATIO):
            raise InvalidInput(f"A part of the {self.what} inflates beyond {size:,} bytes, which is refused as a bomb.")

    def _charge(self, part: bytes, packed: int) -> bytes:
        self._check(len(part), packed)
        self.left -= len(part)
        return part
