"""XML of no kind we know, as an outline a person can read."""

from itertools import islice

from assay.documents.document import TEXT_CHARS, Document, cut
from assay.documents.safe_xml import Element, local, root_of
from assay.documents.safe_xml import prepare as prepare  # noqa: PLC0414 - the jail asks each reader for it

ATTRIBUTES = 6  # an element's first, each cut to LETTERS
LETTERS = 200


def parse(body: bytes, kind: str) -> Document:
    """Elements are list items, nested as they are; running text with markup in it stays one paragraph."""
    root = root_of(body, "XML document")
    lines, letters = [], 0
    open_elements: list[tuple[Element, int]] = [(root, 0)]
    while open_elements and letters <= TEXT_CHARS:
        element, depth = open_elements.pop()
        is_prose = _is_prose(element)
        line = "  " * depth + _line(element, is_prose)
        lines.append(line)
        letters += len(line)
        if not is_prose:
            open_elements += [(part, depth + 1) for part in reversed(element) if local(part)]
    markdown, was_cut = cut("\n".join(lines))
    title = next((_words(item.itertext()) for item in islice(root.iter(), 200) if local(item) == "title"), "")
    return Document(kind, markdown, title[:LETTERS], truncated=was_cut or bool(open_elements))


def _is_prose(element: Element) -> bool:
    """No children, or text between them."""
    return not len(element) or bool((element.text or "").strip()) or any((part.tail or "").strip() for part in element)


def _line(element: Element, is_prose: bool) -> str:
    keys = element.keys()[:ATTRIBUTES]  # items() is quadratic in lxml, and a hundred thousand are soon written
    told = [f"{key.rpartition('}')[2]}={element.get(key)[:LETTERS]}" for key in keys]
    words = _words(element.itertext()) if is_prose else ""
    return f"- {local(element)}{' (' + ', '.join(told) + ')' if told else ''}{': ' + words if words else ''}"


def _words(texts: object) -> str:
    return " ".join("".join(map(str, texts)).split())  # type: ignore[call-overload]
