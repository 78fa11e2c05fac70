"""Decodes a response body to text.

The encoding comes from, in this order: byte order mark, HTTP header, the page's declaration, detection. Text that was
encoded as UTF-8 twice, so that a browser shows `â€™` for `’`, is decoded twice if all of it was.
"""

import codecs
import re

from assay.text.charset_detection import detect_encoding
from assay.text.charset_labels import resolve_label

BOMS = (  # UTF-32 precedes UTF-16, whose little-endian mark is a prefix of its own
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
MULTI_BYTE = {"gb18030", "big5hkscs", "cp932", "cp949", "euc_jis_2004"}
PRESCAN = 16_384  # browsers read 1,024 bytes; pages with a large head declare it later
META = re.compile(rb"<meta\b[^<>]*?\bcharset\s*=\s*[\"']?\s*([^\s\"'/>;]+)", re.IGNORECASE)
XML = re.compile(rb"^\s*<\?xml\b[^>]*?\bencoding\s*=\s*[\"']([^\"']+)", re.IGNORECASE)
COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
ISO_2022_JP_ESCAPE = re.compile(rb"\x1b(?:\$[@B]|\(J)")  # ISO-2022-JP escape sequences: 7-bit Japanese
CONVINCING_SEQUENCES = 5  # UTF-8 sequences from which other encodings are ruled out
# Bytes from 0x80 to 0x9F as windows-1252 reads them, in text that was encoded twice.
WINDOWS_1252 = {ord(sign): byte for byte in range(0x80, 0xA0) if (sign := bytes([byte]).decode("cp1252", "ignore"))}
NOT_ASCII = re.compile(rb"[\x80-\xff]")
PART = 4_096  # bytes
DOUBLED = re.compile(f"[\xc2-\xf4][\x80-\xbf{''.join(map(chr, WINDOWS_1252))}]")  # a character of such a text


def decode(body: bytes, header_charset: str | None = None) -> str:
    """Return the text of `body`. Never raises: undecodable bytes become U+FFFD. A byte order mark is dropped.

    `header_charset` is the charset parameter of the Content-Type header, as received.
    """
    for mark, encoding in BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, "replace")
    if wide := _detect_wide(body):
        return body.decode(wide, "replace")
    text = _decode_utf8(body)
    if text is None:
        return _decode_legacy(body, resolve_label(header_charset), _declared_encoding(body))
    if len(text) == len(body):
        return body.decode("iso2022_jp_ext", "replace") if ISO_2022_JP_ESCAPE.search(body) else text
    if len(body) - len(text) < 2 * CONVINCING_SEQUENCES:
        text = _decode_sparse(body, text, resolve_label(header_charset) or _declared_encoding(body))
    return _decode_again(body, text)


def _decode_utf8(body: bytes) -> str | None:
    """Return the body decoded as UTF-8, or None if it is not UTF-8; a character truncated at the end is tolerated."""
    try:
        return body.decode()
    except UnicodeDecodeError as wrong:
        if wrong.reason == "unexpected end of data" and not body[: wrong.start].isascii():
            return body.decode(errors="replace")
        return None


def _detect_wide(body: bytes) -> str | None:
    """Detect UTF-16 or UTF-32 without a byte order mark, by the positions of zero bytes."""
    head = body[:1024]
    if b"\0" not in head or len(head) < 4:
        return None
    quads = len(head) // 4
    zeros = [head[place : quads * 4 : 4].count(0) for place in range(4)]
    if min(zeros[2:]) > quads * 0.95 and zeros[0] < quads * 0.3:
        return "utf-32-le"
    if min(zeros[:2]) > quads * 0.95 and zeros[3] < quads * 0.3:
        return "utf-32-be"
    even, odd = zeros[0] + zeros[2], zeros[1] + zeros[3]
    if max(even, odd) < quads * 0.2:
        return None
    if even < odd / 8:
        return "utf-16-le"
    return "utf-16-be" if odd < even / 8 else None


def _declared_encoding(body: bytes) -> str | None:
    """Return the encoding that the page declares; UTF-16 means UTF-8, since the declaration itself is ASCII."""
    head = body[:PRESCAN]
    found = XML.match(head) or META.search(COMMENT.sub(b"", head))
    encoding = resolve_label(found[1].decode("ascii", "replace")) if found else None
    return "utf-8" if encoding in ("utf-16-le", "utf-16-be") else encoding


def _decode_sparse(body: bytes, text: str, declared: str | None) -> str:
    """Decode a body with few non-ASCII characters that is valid UTF-8; a multi-byte declaration wins if it decodes
    too.
    """
    if declared in MULTI_BYTE:
        try:
            return body.decode(declared)
        except UnicodeDecodeError:
            return text
    return text


def _decode_again(body: bytes, text: str) -> str:
    """Return the text without a second encoding, of bytes that had been read as ISO 8859-1 or windows-1252.

    A text of which a single character was encoded once only stays as it is.
    """
    if not DOUBLED.match(text, _find_non_ascii(body)):
        return text
    try:
        found = _encode_doubled(text).decode()
    except UnicodeError:
        return text
    return found if len(text) - len(found) >= CONVINCING_SEQUENCES else text


def _encode_doubled(text: str) -> bytes:
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.translate(WINDOWS_1252).encode("latin-1")  # takes thirty times as long


def _find_non_ascii(body: bytes) -> int:
    """Return the place of the first byte that is not ASCII in a body that has one.

    In parts, because a pattern takes a hundred times as long as `isascii`.
    """
    start = 0
    while (part := body[start : start + PART]).isascii():
        start += PART
    found = NOT_ASCII.search(part)
    return start + found.start() if found else 0


def _decode_legacy(body: bytes, header: str | None, page: str | None) -> str:
    """Decode a body that is not UTF-8: by the first declaration that fits its bytes, else by detection."""
    detected = ""
    if header and page and header != page and "utf-8" not in (header, page):
        detected = detect_encoding(body)
        if body.decode(detected, "replace") == body.decode(page, "replace"):
            header = page  # the server's default is wrong
    for declared in (header, page):
        if declared and not declared.startswith("utf-16"):
            text = body.decode(declared, "replace")
            if _fits(text):
                return text
    return body.decode(detected or detect_encoding(body), "replace")


def _fits(text: str) -> bool:
    """Return whether at most a tenth of the non-ASCII characters are replacements; more means another encoding."""
    broken = text.count("\ufffd")
    return not broken or broken * 10 <= len(text) - len(text.encode("ascii", "ignore"))
