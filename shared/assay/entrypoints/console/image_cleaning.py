"""Still raster images, rebuilt from the parts that hold their pixels.

Whatever else is in a file is left out: positions and cameras (EXIF), comments, profiles, thumbnails, further frames,
and what follows its end. Nothing is decoded. Images of other formats, such as SVG, or with too many pixels are refused.
"""

import re
import struct
from collections.abc import Iterator
from typing import NamedTuple

MOST_SIDE = 16_384  # pixels; what browsers draw
MOST_PIXELS = 40_000_000  # they take 160 MB in a browser
MOST_SCANS = 100  # of a progressive JPEG, each of which is drawn over all pixels
MOST_PARTS = 20_000
TOO_MANY = "the image has too many parts"

PNG, GIF, JPEG = b"\x89PNG\r\n\x1a\n", (b"GIF87a", b"GIF89a"), b"\xff\xd8\xff"
PNG_CHUNKS = frozenset({b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"sBIT", b"cICP"})
PNG_COLOUR_TYPES = frozenset({0, 2, 3, 4, 6})
JPEG_FRAMES, JPEG_SCAN = frozenset({0xC0, 0xC1, 0xC2}), 0xDA  # those that browsers draw
JPEG_DRAWN = JPEG_FRAMES | {JPEG_SCAN, 0xC4, 0xDB, 0xDD}  # and the tables: Huffman, quantization, restart interval
FILL = re.compile(rb"\xff+")  # before a marker
SCAN_END = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
EXIF, ORIENTATION = b"Exif\0\0", 0x0112


class RefusedImage(ValueError):
    """The bytes are no image that browsers draw, or one that is too large."""


class CleanImage(NamedTuple):
    media_type: str
    body: bytes


def clean_image(body: bytes) -> CleanImage:
    """The image without anything but its pixels. Raises RefusedImage."""
    try:
        if body.startswith(PNG):
            return CleanImage("image/png", _clean_png(body))
        if body.startswith(JPEG):
            return CleanImage("image/jpeg", _clean_jpeg(body))
        if body.startswith(GIF):
            return CleanImage("image/gif", _clean_gif(body))
        if body[:4] == b"RIFF" and body[8:12] == b"WEBP":
            return CleanImage("image/webp", _clean_webp(body))
    except (struct.error, IndexError) as failure:
        raise RefusedImage("the image ends early") from failure
    raise RefusedImage("the bytes are no PNG, JPEG, GIF or WebP image")


def _check_size(width: int, height: int) -> None:
    if not (0 < width <= MOST_SIDE and 0 < height <= MOST_SIDE and width * height <= MOST_PIXELS):
        raise RefusedImage(f"the image has {width} x {height} pixels")


def _take(body: bytes, begin: int, size: int) -> bytes:
    part = body[begin : begin + size]
    if size < 0 or len(part) < size:
        raise RefusedImage("the image ends early")
    return part


def _clean_png(body: bytes) -> bytes:
    parts, at = [PNG], len(PNG)
    for _ in range(MOST_PARTS):
        size, kind = struct.unpack_from(">I4s", body, at)
        chunk = _take(body, at, size + 12)
        if (kind == b"IHDR") != (len(parts) == 1):
            raise RefusedImage("a PNG begins with one header")
        if kind == b"IHDR":
            width, height, _, colours = struct.unpack_from(">IIBB", chunk, 8)
            _check_size(width, height)
            if size != 13 or colours not in PNG_COLOUR_TYPES:
                raise RefusedImage("the header of the PNG is damaged")
        if kind in PNG_CHUNKS:
            parts.append(chunk)
        if kind == b"IEND":
            return b"".join(parts)
        at += size + 12
    raise RefusedImage(TOO_MANY)


def _clean_gif(body: bytes) -> bytes:
    """The first frame, which is shown for good."""
    width, height, packed = struct.unpack_from("<HHB", body, 6)
    _check_size(width, height)
    at = 13 + _count_colours(packed)
    parts = [_take(body, 0, at)]
    for _ in range(MOST_PARTS):
        match body[at]:
            case 0x21:
                end = _skip_blocks(body, at + 2)
                if body[at + 1] == 0xF9:  # transparency; of several, the last before the frame
                    parts[1:] = [_take(body, at, end - at)]
                at = end
            case 0x2C:
                frame = struct.unpack_from("<HHHHB", body, at + 1)
                _check_size(frame[0] + frame[2], frame[1] + frame[3])
                end = _skip_blocks(body, at + 11 + _count_colours(frame[4]))
                return b"".join([*parts, _take(body, at, end - at), b";"])
            case _:
                raise RefusedImage("the GIF has no frame")
    raise RefusedImage(TOO_MANY)


def _count_colours(packed: int) -> int:
    """The bytes of a table of colours, if there is one."""
    return 3 << ((packed & 7) + 1) if packed & 0x80 else 0


def _skip_blocks(body: bytes, at: int) -> int:
    while body[at]:
        at += body[at] + 1
    return at + 1


def _clean_jpeg(body: bytes) -> bytes:
    kept: list[tuple[int, bytes]] = []
    orientation = 1
    for marker, segment in _iterate_segments(body):
        if marker in JPEG_DRAWN or (marker == 0xEE and segment[4:9] == b"Adobe"):  # the latter says what colours are
            kept.append((marker, segment))
        elif marker == 0xE1 and segment[4:10] == EXIF:
            orientation = _read_orientation(segment[10:])
        elif not (0xE0 <= marker <= 0xEF or marker == 0xFE):  # of applications, and comments
            raise RefusedImage("the JPEG has a part that browsers do not draw")
    frames = [segment for marker, segment in kept if marker in JPEG_FRAMES]
    if len(frames) != 1 or not 0 < sum(marker == JPEG_SCAN for marker, _ in kept) <= MOST_SCANS:
        raise RefusedImage("the JPEG has no pixels, or several images")
    height, width = struct.unpack_from(">HH", frames[0], 5)
    _check_size(width, height)
    turn = _build_orientation(orientation) if 1 < orientation <= 8 else b""
    return b"\xff\xd8" + turn + b"".join(segment for _, segment in kept) + b"\xff\xd9"


def _iterate_segments(body: bytes) -> Iterator[tuple[int, bytes]]:
    """Each marker with its segment, and of a scan also what it draws, up to the end of the image."""
    at = 2
    for _ in range(MOST_PARTS):
        fill = FILL.match(body, at)
        if fill is None:
            raise RefusedImage("the JPEG has bytes between its parts")
        at = fill.end() - 1
        marker = body[at + 1]
        if marker == 0xD9:
            return
        [size] = struct.unpack_from(">H", body, at + 2)
        if size < 2:
            raise RefusedImage("the JPEG has a part without a size")
        end = at + 2 + size
        if marker == JPEG_SCAN:
            end = _find_scan_end(body, end)
        yield marker, _take(body, at, end - at)
        at = end
    raise RefusedImage(TOO_MANY)


def _find_scan_end(body: bytes, at: int) -> int:
    """Where the next marker is that neither restarts the scan nor stands for a byte of it. Raises RefusedImage."""
    found = SCAN_END.search(body, at)
    if found is None:
        raise RefusedImage("the image ends early")
    return found.start()


def _read_orientation(exif: bytes) -> int:
    """How the image is to be turned; 1 if it is not said. Nothing else of the EXIF is read."""
    order = {b"II": "<", b"MM": ">"}.get(exif[:2])
    if order is None or len(exif) < 10:
        return 1
    [at] = struct.unpack_from(f"{order}I", exif, 4)
    if at + 2 > len(exif):
        return 1
    [count] = struct.unpack_from(f"{order}H", exif, at)
    for entry in range(at + 2, min(at + 2 + 12 * count, len(exif) - 11), 12):
        tag, kind, number, value = struct.unpack_from(f"{order}HHIH", exif, entry)
        if (tag, kind, number) == (ORIENTATION, 3, 1):
            return int(value)
    return 1


def _build_orientation(orientation: int) -> bytes:
    """A segment of EXIF with the orientation alone."""
    entry = struct.pack(">HHIHH", ORIENTATION, 3, 1, orientation, 0)
    exif = EXIF + b"MM\0*" + struct.pack(">IH", 8, 1) + entry + bytes(4)
    return b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif


def _clean_webp(body: bytes) -> bytes:
    """The pixels with their transparency; of an animation the first frame."""
    [size] = struct.unpack_from("<I", body, 4)
    chunks = dict(reversed([*_iterate_chunks(_take(body, 12, size - 4))]))  # of several of a kind the first
    if frame := chunks.get(b"ANMF"):
        chunks = dict(reversed([*_iterate_chunks(frame[16:])]))
    if b"VP8L" in chunks:
        return _build_riff([(b"VP8L", chunks[b"VP8L"])], _read_lossless_size(chunks[b"VP8L"]))
    if b"VP8 " not in chunks:
        raise RefusedImage("the WebP has no pixels")
    width, height = _read_lossy_size(chunks[b"VP8 "])
    if b"ALPH" not in chunks:
        return _build_riff([(b"VP8 ", chunks[b"VP8 "])], (width, height))
    canvas = b"\x10\0\0\0" + struct.pack("<I", width - 1)[:3] + struct.pack("<I", height - 1)[:3]
    return _build_riff([(b"VP8X", canvas), *((kind, chunks[kind]) for kind in (b"ALPH", b"VP8 "))], (width, height))


def _iterate_chunks(body: bytes) -> Iterator[tuple[bytes, bytes]]:
    at, number = 0, 0
    while at + 8 <= len(body):
        if (number := number + 1) > MOST_PARTS:
            raise RefusedImage(TOO_MANY)
        kind, size = struct.unpack_from("<4sI", body, at)
        yield kind, _take(body, at + 8, size)
        at += 8 + size + size % 2


def _read_lossless_size(chunk: bytes) -> tuple[int, int]:
    signature, bits = struct.unpack_from("<BI", chunk)
    if signature != 0x2F:
        raise RefusedImage("the pixels of the WebP are damaged")
    return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1


def _read_lossy_size(chunk: bytes) -> tuple[int, int]:
    start, width, height = struct.unpack_from("<3sHH", chunk, 3)
    if start != b"\x9d\x01\x2a":
        raise RefusedImage("the pixels of the WebP are damaged")
    return width & 0x3FFF, height & 0x3FFF


def _build_riff(chunks: list[tuple[bytes, bytes]], pixels: tuple[int, int]) -> bytes:
    _check_size(*pixels)
    body = b"WEBP" + b"".join(
        kind + struct.pack("<I", len(chunk)) + chunk + b"\0" * (len(chunk) % 2) for kind, chunk in chunks
    )
    return b"RIFF" + struct.pack("<I", len(body)) + body
