"""Finds the ends of Zstandard frames (RFC 8878, section 3), because the library does not report truncated input."""

from collections.abc import Callable

MAGIC = b"\x28\xb5\x2f\xfd"
DICTIONARY = (0, 1, 2, 4)  # bytes of its id, by flag
SIZE = (0, 2, 4, 8)  # bytes of the frame's content size, by flag
RUN = 1  # a block of one byte repeated


class Frames:
    """Tracks the frame structure of a stream without decoding it."""

    def __init__(self) -> None:
        self._held = b""
        self._need = 4
        self._skip = 0
        self._checksum = 0
        self._step: Callable[[bytes], None] = self._begin

    @property
    def whole(self) -> bool:
        """Whether the stream so far ends where a frame ends."""
        return not self._held and not self._skip and self._step == self._begin

    def follow(self, piece: bytes) -> None:
        """Read the next piece of the stream."""
        at = 0
        while at < len(piece):
            if self._skip:
                passed = min(self._skip, len(piece) - at)
                self._skip -= passed
            else:
                passed = self._need - len(self._held)
                self._held += piece[at : at + passed]
                self._take_held()
            at += passed

    def _take_held(self) -> None:
        if len(self._held) == self._need:
            held, self._held = self._held, b""
            self._step(held)

    def _begin(self, magic: bytes) -> None:
        self._step, self._need = (self._descriptor, 1) if magic == MAGIC else (self._skippable, 4)

    def _skippable(self, size: bytes) -> None:
        self._skip = int.from_bytes(size, "little")
        self._step, self._need = self._begin, 4

    def _descriptor(self, descriptor: bytes) -> None:
        flags = descriptor[0]
        single = flags >> 5 & 1
        size = SIZE[flags >> 6] or single
        self._skip = (not single) + DICTIONARY[flags & 3] + size
        self._checksum = 4 * (flags >> 2 & 1)
        self._step, self._need = self._block, 3

    def _block(self, header: bytes) -> None:
        flags = int.from_bytes(header, "little")
        self._skip = 1 if flags >> 1 & 3 == RUN else flags >> 3
        if flags & 1:
            self._skip += self._checksum
            self._step, self._need = self._begin, 4
