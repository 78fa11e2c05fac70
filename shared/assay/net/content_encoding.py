"""Streaming decoders of gzip, deflate, Brotli and Zstandard that cannot expand beyond a limit.

Bytes are pushed from layer to layer in small pieces; a sink that has enough raises `OutputLimitReached`.
"""

import sys
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import brotli

if TYPE_CHECKING:
    from backports.zstd import ZstdDecompressor


type Sink = Callable[[bytes], None]

PIECE = 64 * 1024  # maximum output bytes of one decoder step
TRIAL_OUT = 4 * 1024  # decoded bytes after which a coding counts as confirmed
TRIAL_IN = 64 * 1024  # coded bytes after which it counts as confirmed in any case
WINDOW_LOG = 23  # 8 MiB; RFC 8878 recommends this limit; larger windows exhaust memory
MAX_FRAMES = 10_000  # of a Zstandard stream; a frame may be empty, and each costs a decoder
CONTROLS = bytes(set(range(32)) - set(b"\t\n\f\r\x1b"))


class OutputLimitReached(Exception):
    """The sink accepts no more bytes."""


class Corrupt(Exception):
    """The bytes are not valid for the coding."""


class Layer(Protocol):
    magic: bytes  # the first bytes of every stream, b"" if the coding has none

    def write(self, piece: bytes) -> None:
        """Decode the piece into the sink. Raises Corrupt."""

    def is_complete(self) -> bool:
        """Whether the stream is complete."""


class Inflate:
    """gzip with any number of members (RFC 1952), and deflate with or without the zlib wrapper (RFC 1950, 1951)."""

    def __init__(self, sink: Sink, *, gzip: bool) -> None:
        self.magic = b"\x1f\x8b" if gzip else b""
        self._sink = sink
        self._bits = 31 if gzip else 0
        self._head = b""
        self._inflate = zlib.decompressobj(31) if gzip else None

    def write(self, piece: bytes) -> None:
        if self._inflate is None:
            self._head += piece
            if len(self._head) < 2:
                return
            piece, self._head = self._head, b""
            self._bits = 15 if _is_wrapped(piece) else -15
            self._inflate = zlib.decompressobj(self._bits)
        try:
            self._write(self._inflate, piece)
        except zlib.error as wrong:
            raise Corrupt from wrong

    def _write(self, inflate: "zlib._Decompress", piece: bytes) -> None:
        while piece:
            if inflate.eof:
                if not self._is_next_member(piece):
                    return
                inflate = self._inflate = zlib.decompressobj(self._bits)
            decoded = inflate.decompress(piece, PIECE)
            if decoded:
                self._sink(decoded)
            piece = inflate.unused_data if inflate.eof else inflate.unconsumed_tail
        self._drain(inflate)

    def _drain(self, inflate: "zlib._Decompress") -> None:
        # zlib may have consumed all input and still hold output.
        while not inflate.eof and (decoded := inflate.decompress(b"", PIECE)):
            self._sink(decoded)

    def _is_next_member(self, piece: bytes) -> bool:
        """Whether another gzip member follows; other bytes after the end are ignored."""
        if self._bits == -15:
            raise Corrupt  # without a wrapper, almost any text could be a stream with trailing bytes
        return self._bits == 31 and piece.startswith(b"\x1f\x8b"[: len(piece)])

    def is_complete(self) -> bool:
        return self._inflate is not None and self._inflate.eof


class Brotli:
    magic = b""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._brotli = brotli.Decompressor()
        self._input = b""  # while it is short
        self._decoded = 0

    def write(self, piece: bytes) -> None:
        if len(self._input) <= TRIAL_IN:
            self._input += piece
        ended = self._brotli.is_finished()
        try:
            self._write(piece, self._sink)
        except brotli.error as wrong:
            if self._is_misread():
                raise Corrupt from wrong
            self._decode_bytewise()
        if ended and _is_text(self._input):
            raise Corrupt  # plain text whose beginning happens to be a valid stream

    def _is_misread(self) -> bool:
        return len(self._input) > TRIAL_IN or _is_text(self._input)

    def _write(self, piece: bytes, sink: Sink) -> None:
        while not self._brotli.is_finished():
            decoded = self._brotli.process(piece, output_buffer_limit=PIECE)
            piece = b""
            if decoded:
                self._decoded += len(decoded)
                sink(decoded)
            elif self._brotli.can_accept_more_data():
                return

    def _decode_bytewise(self) -> None:
        """Decode byte by byte: the library drops the output of a piece that has bytes after the end of the stream."""
        known, self._decoded, self._brotli = self._decoded, 0, brotli.Decompressor()

        def unknown(decoded: bytes) -> None:
            fresh = self._decoded - known
            if fresh > 0:
                self._sink(decoded[-fresh:])

        try:
            for at in range(len(self._input)):
                self._write(self._input[at : at + 1], unknown)
        except brotli.error as wrong:
            raise Corrupt from wrong

    def is_complete(self) -> bool:
        return bool(self._brotli.is_finished())


class Zstandard:
    """Frames of Zstandard (RFC 8878), which may follow each other, by the decoder of Python 3.14."""

    magic = b"\x28\xb5\x2f\xfd"

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._frames = 0
        self._frame: ZstdDecompressor | None = None

    def write(self, piece: bytes) -> None:
        zstd = _import_zstd()
        try:
            while piece:
                if self._frame is None or self._frame.eof:
                    self._frame = self._begin_frame()
                piece = self._write(self._frame, piece)
        except zstd.ZstdError as wrong:
            raise Corrupt from wrong

    def _write(self, frame: "ZstdDecompressor", piece: bytes) -> bytes:
        """Decode the piece up to the end of the frame; returns what follows the frame."""
        decoded = frame.decompress(piece, PIECE)
        while decoded or not (frame.eof or frame.needs_input):
            if decoded:
                self._sink(decoded)
            decoded = b"" if frame.eof or frame.needs_input else frame.decompress(b"", PIECE)
        return frame.unused_data if frame.eof else b""

    def _begin_frame(self) -> "ZstdDecompressor":
        zstd = _import_zstd()
        self._frames += 1
        if self._frames > MAX_FRAMES:
            raise Corrupt
        frame: ZstdDecompressor = zstd.ZstdDecompressor(
            options={zstd.DecompressionParameter.window_log_max: WINDOW_LOG}
        )
        return frame

    def is_complete(self) -> bool:
        return self._frame is None or self._frame.eof


class TentativeLayer:
    """A layer for servers that declare a wrong Content-Encoding: bytes that do not decode pass unchanged.

    After TRIAL_OUT decoded bytes the coding counts as confirmed, and invalid bytes are an error.
    """

    def __init__(self, make: Callable[[Sink], Layer], sink: Sink) -> None:
        self._sink = sink
        self._input = bytearray()
        self._decoded = bytearray()
        self._is_confirmed = False
        self._is_plain = False
        self._layer = make(self._receive_decoded)

    def write(self, piece: bytes) -> None:
        if self._is_plain:
            return self._sink(piece)
        if not self._is_confirmed:
            self._input += piece
        try:
            self._layer.write(piece)
        except Corrupt:
            if self._is_confirmed or self._has_magic():
                raise
            self._pass_through()
        else:
            if not self._is_confirmed and len(self._input) > TRIAL_IN:
                self._confirm()
        return None

    def end(self) -> bool:
        """Flush held bytes; returns whether the stream was complete."""
        if self._is_plain:
            return True
        complete = self._layer.is_complete()
        if not self._is_confirmed:
            if not complete and not self._has_magic() and _is_text(self._input):
                self._pass_through()
                return True
            self._confirm()
        return complete

    def _receive_decoded(self, decoded: bytes) -> None:
        if self._is_confirmed:
            return self._sink(decoded)
        self._decoded += decoded
        if len(self._decoded) > TRIAL_OUT:
            self._confirm()
        return None

    def _confirm(self) -> None:
        self._is_confirmed = True
        buffered, self._decoded, self._input = bytes(self._decoded), bytearray(), bytearray()
        if buffered:
            self._sink(buffered)

    def _pass_through(self) -> None:
        self._is_plain = True
        buffered, self._decoded, self._input = bytes(self._input), bytearray(), bytearray()
        if buffered:
            self._sink(buffered)

    def _has_magic(self) -> bool:
        return bool(self._layer.magic) and self._input.startswith(self._layer.magic)


LAYERS: dict[str, Callable[[Sink], Layer]] = {
    "gzip": lambda sink: Inflate(sink, gzip=True),
    "deflate": lambda sink: Inflate(sink, gzip=False),
    "br": Brotli,
    "zstd": Zstandard,
}


def _import_zstd() -> Any:
    """Python's module for Zstandard, or its backport; imported on first use, for fast cold starts."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def _is_wrapped(head: bytes) -> bool:
    """Whether the first two bytes are a zlib header (RFC 1950): compression method and checksum."""
    return head[0] & 0x0F == 8 and head[0] >> 4 <= 7 and (head[0] << 8 | head[1]) % 31 == 0


def _is_text(data: bytes | bytearray) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return data.translate(None, CONTROLS) == data
