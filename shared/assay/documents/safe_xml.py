"""XML from strangers: decoded by us, no DOCTYPE, no entities, nothing fetched."""

import re
from typing import Any

from assay.errors import UpstreamFailed
from assay.text.short_text_cache import cache_short

type Element = Any  # lxml's elements are typed only in part

DECLARED = re.compile(rb"""^\s*<\?xml[^>]*?\bencoding\s*=\s*["']([A-Za-z][\w.-]{0,39})["']""")
DECLARATION = re.compile(r"^\s*<\?xml\b[^>]{0,1000}\?>")
MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
    (b"<\x00", "utf-16-le"),
    (b"\x00<", "utf-16-be"),
)
ENCODINGS = re.compile(
    r"utf-?8|us-ascii|ascii|iso-?8859-?\d{1,2}|latin-?1|windows-?12\d\d|cp12\d\d|koi8-[ru]|"
    r"shift_jis|euc-(jp|kr)|gb2312|gbk|gb18030|big5",
    re.IGNORECASE,
)
NO_MEMORY = 2  # libxml2's number for it
NETSCAPE = re.compile(  # RSS 0.91 carries this one by its own specification
    r'<!DOCTYPE\s+rss\s+PUBLIC\s+"-//Netscape Communications//DTD RSS 0\.91//EN"\s+"[^"\[\]<>]*"\s*>', re.IGNORECASE
)


def prepare() -> None:
    import lxml.etree  # noqa: F401


def root_of(body: bytes, what: str, *, lenient: bool = False) -> Element:
    """The root element of `body`. UpstreamFailed, naming `what`: a DOCTYPE, not well-formed, nested too deeply."""
    from lxml import etree

    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        recover=lenient,
    )
    try:
        root = etree.fromstring(check_xml(body, what).encode(), parser)
    except etree.XMLSyntaxError as wrong:
        if getattr(wrong, "code", 0) == NO_MEMORY:
            raise MemoryError from wrong
        # The parser's own words quote the file, which is no one to speak in our errors.
        line, column = wrong.position
        raise UpstreamFailed(f"The {what} is not well-formed XML at line {line}, column {column}.") from wrong
    if root is None:
        raise UpstreamFailed(f"The {what} is not XML.")
    return root


def check_xml(body: bytes, what: str) -> str:
    """The text without its declaration. UpstreamFailed when it has a DOCTYPE: entities make bombs and open files."""
    text = DECLARATION.sub("", _decode_text(body), count=1)
    place = _prolog_end(text)
    known = NETSCAPE.match(text, place)
    if known:
        return text[known.end() :]
    if text[place : place + 9].upper() == "<!DOCTYPE":
        raise UpstreamFailed(
            f"The {what} declares a DOCTYPE, which is refused: it can make entities expand or read files."
        )
    return text


def _decode_text(body: bytes) -> str:
    """As Unicode, so that what is checked is what is parsed, and no odd encoding hides a DOCTYPE."""
    for mark, encoding in MARKS:
        if body.startswith(mark):
            return body.decode(encoding, "replace").removeprefix("\ufeff")
    declared = DECLARED.match(body[:1024])
    name = declared[1].decode() if declared else "utf-8"
    return body.decode(name if ENCODINGS.fullmatch(name) else "utf-8", "replace")


def _prolog_end(text: str) -> int:
    """Where the spaces, comments and processing instructions before the root end."""
    place = 0
    while True:
        while place < len(text) and text[place].isspace():
            place += 1
        closing = "-->" if text.startswith("<!--", place) else "?>" if text.startswith("<?", place) else ""
        end = text.find(closing, place) if closing else -1
        if end < 0:
            return place
        place = end + len(closing)


def local(element: Element) -> str:
    """The tag without its namespace; "" for what is no element."""
    tag = element.tag
    return _bare(tag) if isinstance(tag, str) else ""


@cache_short(4096)
def _bare(tag: str) -> str:
    return tag.rpartition("}")[2]


def attribute(element: Element, name: str) -> str:
    """An attribute by its local name, whatever its namespace: transitional and strict files differ there."""
    value = element.get(name)
    if value is not None:
        return str(value)
    return next((str(element.get(key)) for key in element.keys() if key.endswith("}" + name)), "")  # noqa: SIM118 - items() is quadratic in lxml
