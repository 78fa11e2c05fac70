"""From a body's bytes to its text, whatever the server, the page or nobody said about the encoding.

Order: byte order mark, header, the page's own declaration, detection. Labels mean what they mean to browsers
(https://encoding.spec.whatwg.org/#names-and-labels): iso-8859-1 is windows-1252, gb2312 is gb18030, UTF-7 is nothing.
"""

import codecs
import re

from assay.text import charset_detection

BOMS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
BROWSERS_SAY = {  # where a label means more to a browser than to Python
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "shift_jis_2004": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    "cp950": "big5hkscs",
    "euc_jp": "euc_jis_2004",  # knows the vendor characters, as browsers do
    "iso2022_jp": "iso2022_jp_ext",
    "iso8859-8": "cp1255",
    "utf-16": "utf-16-le",
}
UNKNOWN_TO_PYTHON = {
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "windows-949": "cp949",
    "x-gbk": "gb18030",
    "gb_2312-80": "gb18030",
    "x-x-big5": "big5hkscs",
    "big5-hkscs": "big5hkscs",
    "x-euc-jp": "euc_jis_2004",
    "unicode-1-1-utf-8": "utf-8",
    "x-unicode20utf8": "utf-8",
    "dos-874": "cp874",
    "windows-874": "cp874",
    "x-mac-cyrillic": "mac-cyrillic",
    "x-mac-ukrainian": "mac-cyrillic",
    "x-mac-roman": "mac-roman",
    "macintosh": "mac-roman",
    "iso-8859-8-i": "cp1255",
    "logical": "cp1255",
    "unicode": "utf-16-le",
    "koi": "koi8-r",
    "koi8": "koi8-r",
    "x-cp1250": "cp1250",
    "x-cp1251": "cp1251",
    "x-cp1252": "cp1252",
}
READ = {
    *("utf-8", "utf-16-le", "utf-16-be", "cp866", "cp874", "koi8-r", "koi8-u", "mac-roman", "mac-cyrillic"),
    *(f"cp125{number}" for number in range(9)),
    *(f"iso8859-{number}" for number in (2, 3, 4, 5, 6, 7, 10, 13, 14, 15, 16)),
    *("gb18030", "big5hkscs", "cp932", "cp949", "euc_jis_2004", "iso2022_jp_ext"),
}
MANY_BYTES = {"gb18030", "big5hkscs", "cp932", "cp949", "euc_jis_2004"}
PRESCAN = 16_384  # browsers look at 1,024 bytes; pages with a bulky head declare later than that
META = re.compile(rb"<meta\b[^<>]*?\bcharset\s*=\s*[\"']?\s*([^\s\"'/>;]+)", re.IGNORECASE)
XML = re.compile(rb"^\s*<\?xml\b[^>]*?\bencoding\s*=\s*[\"']([^\"']+)", re.IGNORECASE)
COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
SHIFTED = re.compile(rb"\x1b(?:\$[@B]|\(J)")  # ISO-2022-JP: Japanese in seven bits
CONVINCING = 5  # so many well-formed UTF-8 sequences are no accident of another encoding
BETTER = 0.6  # by so much must the page's declaration beat the header's to be believed


def decode(body: bytes, header_charset: str | None = None) -> str:
    """The text of `body`. Never raises: bytes that mean nothing become U+FFFD. A byte order mark is dropped.

    `header_charset` is the label of the Content-Type header, as sent.
    """
    for mark, encoding in BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, "replace")
    if wide := _wide(body):
        return body.decode(wide, "replace")
    text = _utf8(body)
    if text is None:
        return _legacy(body, resolve_label(header_charset), _declared_encoding(body))
    if len(text) == len(body):
        return body.decode("iso2022_jp_ext", "replace") if SHIFTED.search(body) else text
    if len(body) - len(text) >= 2 * CONVINCING:
        return text
    return _short(body, text, resolve_label(header_charset) or _declared_encoding(body))


def resolve_label(label: str | None) -> str | None:
    """Python's name of the encoding a browser would take for this label; None when it names none that is read."""
    wanted = (label or "").strip(" \t\n\r\f\"'").lower()
    if not wanted or not wanted.isascii():
        return None
    if wanted in UNKNOWN_TO_PYTHON:
        return UNKNOWN_TO_PYTHON[wanted]
    try:
        name = codecs.lookup(wanted).name
    except (LookupError, ValueError):
        return None
    name = BROWSERS_SAY.get(name, name)
    return name if name in READ else None


def _utf8(body: bytes) -> str | None:
    """The body as UTF-8, or None where it is not; a character cut off at the very end is forgiven."""
    try:
        return body.decode()
    except UnicodeDecodeError as wrong:
        if wrong.reason == "unexpected end of data" and not body[: wrong.start].isascii():
            return body.decode(errors="replace")
        return None


def _wide(body: bytes) -> str | None:
    """UTF-16 or UTF-32 without a mark, known by where the zero bytes of its markup stand."""
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
    """What the page says of itself. A declaration in ASCII cannot be one of UTF-16, so that means UTF-8."""
    head = body[:PRESCAN]
    found = XML.match(head) or META.search(COMMENT.sub(b"", head))
    encoding = resolve_label(found[1].decode("ascii", "replace")) if found else None
    return "utf-8" if encoding in ("utf-16-le", "utf-16-be") else encoding


def _short(body: bytes, text: str, declared: str | None) -> str:
    """Few characters beyond ASCII, well-formed as UTF-8: another declaration counts only if it too can be meant."""
    if declared in MANY_BYTES:
        try:
            return body.decode(declared)
        except UnicodeDecodeError:
            return text
    return text


def _legacy(body: bytes, header: str | None, page: str | None) -> str:
    """Not UTF-8: the first declaration that fits the bytes, else what they look like."""
    if header and page and header != page and "utf-8" not in (header, page):
        sample = charset_detection.sample(body)
        if charset_detection.likeness(sample, page) > charset_detection.likeness(sample, header) + BETTER:
            header = page
    for declared in (header, page):
        if declared and not declared.startswith("utf-16"):
            text = body.decode(declared, "replace")
            if _fits(text):
                return text
    return body.decode(charset_detection.detect(body), "replace")


def _fits(text: str) -> bool:
    """A stray byte is an accident; more replacements than a tenth of the letters beyond ASCII is another encoding."""
    broken = text.count("\ufffd")
    return not broken or broken * 10 <= len(text) - len(text.encode("ascii", "ignore"))
