"""Names of binary file types by signature (magic number), and detection of binary content."""

import re

SAMPLE = 4096  # bytes examined
CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\r\f\v\x1b\b") + b"\x7f"
MAX_CONTROL_SHARE = 0.01  # of a text; compressed data has about 0.12
MARKUP = re.compile(
    rb"\s*(?:\xef\xbb\xbf)?\s*<(?:!doctype|!--|\?xml|html|head|body|script|meta|title|div|p|svg)\b", re.IGNORECASE
)
BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
SIGNATURES = (  # first bytes, name
    (b"\x89PNG\r\n\x1a\n", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF87a", "GIF image"),
    (b"GIF89a", "GIF image"),
    (b"II*\x00", "TIFF image"),
    (b"MM\x00*", "TIFF image"),
    (b"8BPS\x00", "Photoshop image"),
    (b"\x00\x00\x01\x00", "icon"),
    (b"\x00\x00\x00\x0cJXL \r\n", "JPEG XL image"),
    (b"\xff\x0a", "JPEG XL image"),
    (b"AT&TFORM", "DjVu document"),
    (b"ID3", "MP3 audio file"),
    (b"\xff\xfb", "MP3 audio file"),
    (b"\xff\xf3", "MP3 audio file"),
    (b"\xff\xf2", "MP3 audio file"),
    (b"fLaC", "FLAC audio file"),
    (b"OggS\x00", "Ogg media file"),
    (b"MThd\x00", "MIDI file"),
    (b"\x1aE\xdf\xa3", "Matroska or WebM video"),
    (b"FLV\x01", "Flash video"),
    (b"\x1f\x8b\x08", "gzip archive"),
    (b"BZh91AY&SY", "bzip2 archive"),
    (b"\xfd7zXZ\x00", "xz archive"),
    (b"\x28\xb5\x2f\xfd", "Zstandard archive"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip archive"),
    (b"Rar!\x1a\x07", "RAR archive"),
    (b"MSCF\x00\x00\x00\x00", "cabinet archive"),
    (b"PK\x03\x04", "ZIP archive"),
    (b"PK\x05\x06", "ZIP archive"),
    (b"\x7fELF", "Linux program"),
    (b"\xcf\xfa\xed\xfe", "macOS program"),
    (b"\xca\xfe\xba\xbe", "Java class or macOS program"),
    (b"\x00asm", "WebAssembly module"),
    (b"wOFF", "WOFF font"),
    (b"wOF2", "WOFF2 font"),
    (b"\x00\x01\x00\x00\x00", "TrueType font"),
    (b"OTTO\x00", "OpenType font"),
    (b"ttcf\x00", "TrueType font collection"),
    (b"SQLite format 3\x00", "SQLite database"),
    (b"PAR1", "Parquet file"),
)
BRANDS = {b"avif": "AVIF image", b"heic": "HEIC image", b"mif1": "HEIF image", b"M4A ": "M4A audio file"}
RIFF = {b"WEBP": "WebP image", b"WAVE": "WAV audio file", b"AVI ": "AVI video"}
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
STREAMS = {  # stream names in OLE compound files (MS-CFB)
    "WordDocument": "old Word document (.doc)",
    "PowerPoint Document": "old PowerPoint presentation (.ppt)",
    "Workbook": "old Excel workbook (.xls)",
    "Book": "old Excel workbook (.xls)",
}
PROGRAMS = (b"This program cannot be run in DOS mode", b"PE\x00\x00")


def name_file_type(body: bytes) -> str:
    """The name of a binary file's type, by its signature; "" for an unknown one."""
    if body.startswith(OLE):
        found = (name for stream, name in STREAMS.items() if stream.encode("utf-16-le") in body)
        return next(found, "file of an old Office format")
    if body[4:8] == b"ftyp":
        return BRANDS.get(body[8:12], "MP4 video")
    if body.startswith(b"RIFF"):
        return RIFF.get(body[8:12], "media file")
    if body.startswith(b"MZ") and any(mark in body[:1024] for mark in PROGRAMS):
        return "Windows program"
    if body.startswith(b"BM") and body[6:10] == bytes(4):
        return "BMP image"
    if body[257:262] == b"ustar":
        return "tar archive"
    if body[60:68] == b"BOOKMOBI":
        return "Mobipocket e-book"
    return next((name for signature, name in SIGNATURES if body.startswith(signature)), "")


def is_binary(body: bytes) -> bool:
    """Whether the bytes are not text in any encoding, judged by signature and control characters."""
    if MARKUP.match(body[:SAMPLE]):
        return False
    if name_file_type(body):
        return True
    if body.startswith(BYTE_ORDER_MARKS):
        return False
    sample = body[:SAMPLE]
    return len(sample.translate(None, delete=CONTROLS)) < len(sample) * (1 - MAX_CONTROL_SHARE) and not _is_wide(sample)


def _is_wide(sample: bytes) -> bool:
    """Whether it is UTF-16 or UTF-32 without a byte order mark: zero bytes at alternate positions only."""
    if b"\x00" not in sample:
        return False
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    zeros, half = max(even, odd), len(sample) // 2
    if zeros < half * 0.4:
        return False
    quads = [sample[place::4].count(0) for place in range(4)]
    is_utf32 = sum(count > half * 0.45 for count in quads) >= 2
    text = sample.replace(b"\x00", b"")
    return (is_utf32 or min(even, odd) < zeros / 8) and len(text.translate(None, delete=CONTROLS)) == len(text)
