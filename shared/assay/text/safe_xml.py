"""Parsing of untrusted XML: no DOCTYPE, no entity expansion, no network access; decoding happens before parsing.

The DOCTYPE that only names a known format is left out; any other is refused.
"""

import re
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Any

from assay.errors import UpstreamFailed
from assay.text.short_text_cache import cache_short

type Element = Any  # lxml has no complete types

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
NO_MEMORY = 2  # XML_ERR_NO_MEMORY (libxml2)
PUBLIC_DOCTYPE = re.compile(  # of RSS 0.91, JATS, PubMed: it names the format, as these require, and declares nothing
    r"""<!DOCTYPE\s+[\w.-]{1,60}\s+PUBLIC\s+
        (["'])-//(?:Netscape\ Communications|NLM|NISO)//DTD\ [^"'\[\]<>]{1,300}\1\s+
        (["'])[^"'\[\]<>]{0,300}\2\s*>""",
    re.IGNORECASE | re.VERBOSE,
)


def prepare() -> None:
    """Import lxml, before the sandbox forbids opening files."""
    import lxml.etree  # noqa: F401


def parse_xml(body: bytes, what: str, *, lenient: bool = False) -> Element:
    """Parse `body` and return its root element; with `lenient`, errors are recovered where possible.

    Raises UpstreamFailed, naming `what`, for a DOCTYPE, malformed XML, or too deep nesting.
    """
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
    except etree.XMLSyntaxError as failure:
        if getattr(failure, "code", 0) == NO_MEMORY:
            raise MemoryError from failure
        # The message of libxml2 quotes the file, whose text could inject instructions into our error.
        line, column = failure.position
        raise UpstreamFailed(f"The {what} is not well-formed XML at line {line}, column {column}.") from failure
    if root is None:
        raise UpstreamFailed(f"The {what} is not XML.")
    return root


def iterate_xml(
    text: str, names: Iterable[str], broken: str, *, events: tuple[str, ...] = ("end",), huge_tree: bool = False
) -> Iterator[tuple[str, Element]]:
    """Yield the elements with these local names as they are parsed, from a text that `check_xml` returned.

    `huge_tree` lifts libxml2's limits of lengths and depths. Raises UpstreamFailed with the message `broken` for
    malformed XML.
    """
    from lxml import etree

    try:
        yield from etree.iterparse(
            BytesIO(text.encode()), events=events, tag=tuple(f"{{*}}{name}" for name in names), resolve_entities=False,
            no_network=True, load_dtd=False, huge_tree=huge_tree, remove_comments=True, remove_pis=True,
        )  # fmt: skip
    except etree.XMLSyntaxError as failure:
        raise UpstreamFailed(broken) from failure


def free_element(element: Element) -> None:
    """Free an element that has been read, and those before it."""
    element.clear()
    while element.getprevious() is not None and element.getparent() is not None:
        del element.getparent()[0]


def check_xml(body: bytes, what: str) -> str:
    """Decode and remove the XML declaration. Raises UpstreamFailed for a DOCTYPE: entities can expand or read files."""
    text = DECLARATION.sub("", _decode_text(body), count=1)
    place = _find_prolog_end(text)
    known = PUBLIC_DOCTYPE.match(text, place)
    if known:
        text = text[known.end() :]
        place = _find_prolog_end(text)
    if text[place : place + 9].upper() == "<!DOCTYPE":
        raise UpstreamFailed(
            f"The {what} declares a DOCTYPE, which is refused: it can make entities expand or read files."
        )
    return text


def _decode_text(body: bytes) -> str:
    """Decode before checking, so that the parser sees the checked text and no encoding can hide a DOCTYPE."""
    for mark, encoding in MARKS:
        if body.startswith(mark):
            return body.decode(encoding, "replace").removeprefix("\ufeff")
    declared = DECLARED.match(body[:1024])
    name = declared[1].decode() if declared else "utf-8"
    return body.decode(name if ENCODINGS.fullmatch(name) else "utf-8", "replace")


def _find_prolog_end(text: str) -> int:
    """The end of the white space, comments and processing instructions before the root element or DOCTYPE."""
    place = 0
    while True:
        while place < len(text) and text[place].isspace():
            place += 1
        closing = "-->" if text.startswith("<!--", place) else "?>" if text.startswith("<?", place) else ""
        end = text.find(closing, place) if closing else -1
        if end < 0:
            return place
        place = end + len(closing)


def local_name(element: Element) -> str:
    """The tag without its namespace; "" for a node that is not an element."""
    tag = element.tag
    return _strip_namespace(tag) if isinstance(tag, str) else ""


@cache_short(4096)
def _strip_namespace(tag: str) -> str:
    return tag.rpartition("}")[2]


def read_words(element: Element) -> str:
    """Return the text of an element in one line."""
    return " ".join("".join(element.itertext()).split())


def get_attribute(element: Element, name: str) -> str:
    """An attribute by its local name; the namespaces of transitional and strict Office files differ."""
    value = element.get(name)
    if value is not None:
        return str(value)
    return next((str(element.get(key)) for key in element.keys() if key.endswith("}" + name)), "")  # noqa: SIM118 - items() is quadratic in lxml
